//! Every text that a refused view, constructor or index prints; and that no operation and no kind is without one.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use std::collections::BTreeSet;

use common::{parts, row_major};
use insta::assert_snapshot;
use weft_layout::{Ellipsis, Layout, LayoutError, broadcast_shapes, s};

const HUGE: usize = 1 << 62;

/// One refusal of each kind for each operation that may refuse with it.
fn refusals() -> Vec<LayoutError> {
    let (l, t, one) = (row_major([3, 4]), row_major([4, 3]).t().unwrap(), row_major([]));
    let (empty, wide) = (row_major([0, 4]), parts([2], [isize::MAX / 2], 0));
    let mut all = vec![];
    macro_rules! refused {
        ($($call:expr;)*) => { $(all.push(match $call { Err(error) => error, Ok(_) => panic!("{} is not refused", stringify!($call)) });)* };
    }
    refused! {
        // Constructors.
        Layout::row_major([HUGE, 2]);
        Layout::row_major([usize::MAX, 0]);
        Layout::col_major([2, HUGE]);
        Layout::with_order([3, HUGE], [1, 0]);
        Layout::with_order([3, 4], [0]);
        Layout::with_order([3, 4], [0, 2]);
        Layout::with_order([3, 4], [-1, 1]);
        Layout::from_parts(&[3, 4], &[1], 0);
        Layout::from_parts(&[HUGE, 0, 8], &[0, 0, 0], 0);
        Layout::from_parts(&[2], &[1], usize::MAX);
        Layout::from_parts(&[3, 4], &[4, isize::MAX], 0);
        Layout::from_parts(&[3], &[isize::MIN], 0);
        Layout::from_parts(&[2, 3], &[1, -4], 7);
        Layout::as_strided([3, 4], &[1], 0, 12);
        Layout::as_strided([HUGE, 2], &[0, 0], 0, 12);
        Layout::as_strided([4], &[5], 2, 16);
        Layout::as_strided([4], &[5], usize::MAX, 16);
        Layout::as_strided([4], &[isize::MAX], 0, 16);
        Layout::as_strided([4], &[-1], 2, 16);
        l.fits(11);
        Layout::from_byte_strides([3, 4], &[32, 8], 0, 0);
        Layout::from_byte_strides([3, 4], &[32, 12], 0, 8);
        Layout::from_byte_strides([3, 4], &[32, 8], 20, 8);
        Layout::from_byte_strides([3, 4], &[32], 0, 8);
        Layout::from_byte_strides([HUGE, 2], &[0, 0], 0, 8);
        Layout::from_byte_strides([3], &[-8], 8, 8);
        Layout::from_byte_strides([3], &[isize::MAX], 0, 1);
        // Offsets.
        l.offset_of(&[1]);
        l.offset_of(&[1, 4]);
        l.offset_of(&[usize::MAX, 0]);
        l.offset_of_linear(12);
        l.coords_of_linear(12);
        l.lines_touched(0, 4);
        l.lines_touched(64, 0);
        l.byte_strides(0);
        l.byte_strides(usize::MAX);
        wide.byte_strides(8);
        // Axes.
        l.permute([0]);
        l.permute([0, 5]);
        l.permute([1, -1]);
        l.transpose(0, 2);
        l.transpose(isize::MIN, 0);
        row_major([3]).t();
        l.move_axis(-3, 0);
        one.select(0, 0);
        // Parts.
        l.slice(s![0, 0, 0]);
        l.slice(s![Ellipsis, Ellipsis]);
        l.slice(s![-4]);
        l.slice(s![.., ..;0]);
        l.slice_axis(2, ..);
        l.slice_axis(1, 4);
        l.narrow(2, 0, 1);
        l.narrow(1, 3, 6);
        l.narrow(0, 1, usize::MAX);
        l.step(2, 1);
        l.step(0, 0);
        l.select(2, 0);
        l.select(0, -4);
        empty.select(0, 0);
        l.flip([2]);
        l.flip([0, -2]);
        l.split_at(2, 0);
        l.split_at(1, 5);
        l.chunks(2, 1);
        l.chunks(1, 0);
        // Axes of size 1.
        l.squeeze(2);
        l.squeeze(1);
        l.unsqueeze(3);
        l.unsqueeze(-4);
        // Broadcasting.
        broadcast_shapes(&[&[4, 3], &[1], &[2]]);
        broadcast_shapes(&[&[HUGE, 1], &[2]]);
        l.broadcast_to([4]);
        l.broadcast_to([2, 5, 4]);
        empty.broadcast_to([1, 4]);
        l.broadcast_to([HUGE, 3, 4]);
        // Reshapes.
        t.reshape([12]);
        t.reshape([2, -1]);
        l.reshape([5, 2]);
        l.reshape([5, -1]);
        l.reshape([0, -1]);
        l.reshape([-1, 3, -1]);
        l.reshape([-2, 6]);
        empty.reshape([-1, 0]);
        l.reshape([HUGE, 2]);
        l.reshape([usize::MAX]);
        t.flatten(0, 1);
        l.flatten(1, 0);
        l.flatten(0, 2);
        l.unflatten(2, [1]);
        l.unflatten(1, [3, 2]);
        l.unflatten(1, [3, -1]);
        l.unflatten(1, [-1, -1]);
        l.unflatten(1, [-4, -1]);
        empty.unflatten(0, [0, -1]);
        row_major([2, 0]).unflatten(1, [0, HUGE]);
        l.copy_plan([5, 2]);
        l.copy_plan([5, -1]);
        l.copy_plan([-1, -1]);
        l.copy_plan([-3]);
        empty.copy_plan([-1, 0]);
        l.copy_plan([HUGE, 2]);
        // Windows and diagonals.
        l.windows(2, 1, 1, 1);
        l.windows(0, 0, 1, 1);
        l.windows(0, 1, 0, 1);
        l.windows(0, 1, 1, 0);
        l.windows(1, 3, 1, 2);
        l.windows(1, usize::MAX, 1, usize::MAX);
        parts([HUGE], [0], 0).windows(0, 4, 1, 1);
        l.diagonal(0, 2, 0);
        l.diagonal(1, -1, 0);
        // Element sizes.
        l.recast(0, 4);
        l.recast(4, 0);
        l.recast(4, usize::MAX);
        l.recast(4, 6);
        one.recast(4, 2);
        t.recast(4, 2);
        t.recast(4, 12);
        l.recast(4, 12);
        parts([3, 4], [5, 1], 0).recast(4, 8);
        parts([3, 4], [4, 1], 1).recast(4, 8);
        parts([1, HUGE], [1, 1], 0).recast(4, 1);
        parts([2, 1], [isize::MAX / 2, 1], 0).recast(4, 1);
        parts([1], [1], HUGE).recast(4, 1);
    }
    all
}

#[test]
fn every_text() {
    let texts: Vec<String> = refusals().iter().map(ToString::to_string).collect();
    assert_snapshot!(texts.join("\n"), @r"
    row_major: the product of the sizes passes 9223372036854775807 at axis 1 (size 2)
    row_major: the product of the sizes passes 9223372036854775807 at axis 0 (size 18446744073709551615)
    col_major: the product of the sizes passes 9223372036854775807 at axis 1 (size 4611686018427387904)
    with_order: the product of the sizes passes 9223372036854775807 at axis 1 (size 4611686018427387904)
    with_order: needs 2 values, one for each axis, got 1
    with_order: axis 2 is out of range for rank 2 (valid: -2..=1)
    with_order: axis 1 is given twice
    from_parts: needs 2 values, one for each axis, got 1
    from_parts: the product of the sizes passes 9223372036854775807 at axis 2 (size 8)
    from_parts: offset 18446744073709551615 passes 9223372036854775807
    from_parts: a reachable offset passes 9223372036854775807 at axis 1 (size 4, stride 9223372036854775807)
    from_parts: a reachable offset passes 9223372036854775807 at axis 0 (size 3, stride -9223372036854775808)
    from_parts: reachable offset -1 lies before the buffer
    as_strided: needs 2 values, one for each axis, got 1
    as_strided: the product of the sizes passes 9223372036854775807 at axis 1 (size 2)
    as_strided: needs a buffer of 18 elements, there are 16
    as_strided: offset 18446744073709551615 passes 9223372036854775807
    as_strided: a reachable offset passes 9223372036854775807 at axis 0 (size 4, stride 9223372036854775807)
    as_strided: reachable offset -1 lies before the buffer
    fits: needs a buffer of 12 elements, there are 11
    from_byte_strides: element size is 0
    from_byte_strides: byte stride 12 of axis 1 does not divide by 8
    from_byte_strides: byte offset 20 does not divide by 8
    from_byte_strides: needs 2 values, one for each axis, got 1
    from_byte_strides: the product of the sizes passes 9223372036854775807 at axis 1 (size 2)
    from_byte_strides: reachable offset -1 lies before the buffer
    from_byte_strides: a reachable offset passes 9223372036854775807 at axis 0 (size 3, stride 9223372036854775807)
    offset_of: needs 2 values, one for each axis, got 1
    offset_of: index 4 is out of range for axis 1 (size 4)
    offset_of: index 9223372036854775807 is out of range for axis 0 (size 3)
    offset_of_linear: element 12 is out of range for 12 elements
    coords_of_linear: element 12 is out of range for 12 elements
    lines_touched: line_bytes is 0
    lines_touched: element_bytes is 0
    byte_strides: element size is 0
    byte_strides: element size 18446744073709551615 passes 9223372036854775807
    byte_strides: a reachable offset passes 9223372036854775807 at axis 0 (size 2, stride 4611686018427387903)
    permute: needs 2 values, one for each axis, got 1
    permute: axis 5 is out of range for rank 2 (valid: -2..=1)
    permute: axis 1 is given twice
    transpose: axis 2 is out of range for rank 2 (valid: -2..=1)
    transpose: axis -9223372036854775808 is out of range for rank 2 (valid: -2..=1)
    t: needs at least 2 axes, there are 1
    move_axis: axis -3 is out of range for rank 2 (valid: -2..=1)
    select: axis 0 does not exist in rank 0
    slice: 3 items for 2 axes
    slice: more than one Ellipsis
    slice: index -4 is out of range for axis 0 (size 3)
    slice: step of axis 1 is 0
    slice: axis 2 is out of range for rank 2 (valid: -2..=1)
    slice: index 4 is out of range for axis 1 (size 4)
    narrow: axis 2 is out of range for rank 2 (valid: -2..=1)
    narrow: range 3..9 is past the end of axis 1 (size 4)
    narrow: range 1..18446744073709551615 is past the end of axis 0 (size 3)
    step: axis 2 is out of range for rank 2 (valid: -2..=1)
    step: step of axis 0 is 0
    select: axis 2 is out of range for rank 2 (valid: -2..=1)
    select: index -4 is out of range for axis 0 (size 3)
    select: index 0 is out of range for axis 0 (size 0)
    flip: axis 2 is out of range for rank 2 (valid: -2..=1)
    flip: axis 0 is given twice
    split_at: axis 2 is out of range for rank 2 (valid: -2..=1)
    split_at: range 0..5 is past the end of axis 1 (size 4)
    chunks: axis 2 is out of range for rank 2 (valid: -2..=1)
    chunks: chunk size of axis 1 is 0
    squeeze: axis 2 is out of range for rank 2 (valid: -2..=1)
    squeeze: axis 1 has size 4, not 1
    unsqueeze: axis 3 is out of range for rank 3 (valid: -3..=2)
    unsqueeze: axis -4 is out of range for rank 3 (valid: -3..=2)
    broadcast_shapes: operand 2 has size 2 on axis 0, operand 0 has size 3 on axis 1
    broadcast_shapes: the product of the sizes passes 9223372036854775807 at axis 1 (size 2)
    broadcast_to: 2 axes do not fit into 1
    broadcast_to: axis 0 has size 3 and does not stretch to 5 (axis 1 of the target)
    broadcast_to: axis 0 has size 0 and does not stretch to 1 (axis 0 of the target)
    broadcast_to: the product of the sizes passes 9223372036854775807 at axis 1 (size 3)
    reshape: axis 0 of the target spans axes 0 and 1, which are not one run in memory (stride 1, needed 12)
    reshape: axis 1 of the target spans axes 0 and 1, which are not one run in memory (stride 1, needed 12)
    reshape: 12 elements do not make a shape of 10
    reshape: -1 at axis 1 has no whole size: 12 elements over 5
    reshape: -1 at axis 1 has no whole size: 12 elements over 0
    reshape: -1 at axes 0 and 2, only one size can be inferred
    reshape: size -2 at axis 0 is negative (only -1 is inferred)
    reshape: -1 at axis 0 is ambiguous with zero elements: any size would do
    reshape: the product of the sizes passes 9223372036854775807 at axis 1 (size 2)
    reshape: the product of the sizes passes 9223372036854775807 at axis 0 (size 18446744073709551615)
    flatten: axis 0 of the target spans axes 0 and 1, which are not one run in memory (stride 1, needed 12)
    flatten: last axis 0 lies before first axis 1
    flatten: axis 2 is out of range for rank 2 (valid: -2..=1)
    unflatten: axis 2 is out of range for rank 2 (valid: -2..=1)
    unflatten: 4 elements do not make a shape of 6
    unflatten: -1 at axis 1 has no whole size: 4 elements over 3
    unflatten: -1 at axes 0 and 1, only one size can be inferred
    unflatten: size -4 at axis 0 is negative (only -1 is inferred)
    unflatten: -1 at axis 1 is ambiguous with zero elements: any size would do
    unflatten: the product of the sizes passes 9223372036854775807 at axis 2 (size 4611686018427387904)
    copy_plan: 12 elements do not make a shape of 10
    copy_plan: -1 at axis 1 has no whole size: 12 elements over 5
    copy_plan: -1 at axes 0 and 1, only one size can be inferred
    copy_plan: size -3 at axis 0 is negative (only -1 is inferred)
    copy_plan: -1 at axis 0 is ambiguous with zero elements: any size would do
    copy_plan: the product of the sizes passes 9223372036854775807 at axis 1 (size 2)
    windows: axis 2 is out of range for rank 2 (valid: -2..=1)
    windows: window size of axis 0 is 0
    windows: step of axis 0 is 0
    windows: dilation of axis 0 is 0
    windows: a window of 5 does not fit axis 1 (size 4)
    windows: a window of 18446744073709551615 does not fit axis 1 (size 4)
    windows: the product of the sizes passes 9223372036854775807 at axis 1 (size 4)
    diagonal: axis 2 is out of range for rank 2 (valid: -2..=1)
    diagonal: axis 1 is given twice
    recast: element size is 0
    recast: element size is 0
    recast: element size 18446744073709551615 passes 9223372036854775807
    recast: element size 4 does not divide by 6
    recast: needs at least 1 axes, there are 0
    recast: the last axis has stride 3, needed 1
    recast: size 4 of axis 1 does not divide by 3
    recast: size 4 of axis 1 does not divide by 3
    recast: stride 5 of axis 0 does not divide by 2
    recast: offset 1 does not divide by 2
    recast: the product of the sizes passes 9223372036854775807 at axis 1 (size 4611686018427387904)
    recast: a reachable offset passes 9223372036854775807 at axis 0 (size 2, stride 4611686018427387903)
    recast: offset 4611686018427387904 passes 9223372036854775807
    ");
}

/// The grammar of all texts: the operation, a colon, lower case, no full stop.
#[test]
fn every_text_keeps_the_grammar() {
    for refused in refusals() {
        let text = refused.to_string();
        let (op, reason) = text.split_once(": ").unwrap();
        assert_eq!(op, refused.op().name());
        assert_eq!(reason, refused.kind().to_string());
        assert!(!reason.ends_with('.') && !reason.contains('\n'), "{text}");
        assert!(reason.starts_with(|first: char| first.is_lowercase() || first.is_numeric() || first == '-'), "{text}");
    }
}

/// The names between two lines of the source.
fn declared(from: &str, to: &str) -> BTreeSet<&'static str> {
    let source = concat!(include_str!("../src/error/op.rs"), include_str!("../src/error.rs"));
    let (_, rest) = source.split_once(from).expect("the declaration");
    let (body, _) = rest.split_once(to).expect("its end");
    let names = body.lines().filter_map(|line| line.strip_prefix("    "));
    names.filter(|name| name.starts_with(char::is_uppercase)).map(first_word).collect()
}

fn first_word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(text)
}

/// Refused by operations that have a test file of their own, which pins their texts.
const KINDS_ELSEWHERE: &[(&str, &[&str])] = &[
    (
        "blas.rs",
        &[
            "GemmSize",
            "GemmRank",
            "BlasNegativeStride",
            "BlasNegativeBatch",
            "BlasNoUnitStride",
            "BlasLeadingStride",
            "BlasBatchAxes",
            "BlasBatchOverlap",
        ],
    ),
    ("map.rs", &["PaddedInside", "ValidNotBox", "RangeReversed"]),
    ("overlap.rs", &["Overlap", "OverlapUnknown"]),
    ("plan.rs", &["RankMismatch", "ShapeMismatch"]),
    ("record.rs", &["NotPowerOfTwo", "TooManyBytes"]),
];

const OPS_ELSEWHERE: &[&str] = &["BlasGemm", "BlasOperand", "Get", "Pad", "Plan", "Record", "Reduce", "Shrink"];

/// Each kind is in the table above or with the operation it belongs to: a new one without a text fails here.
#[test]
fn no_kind_is_left_out() {
    let declared = declared("pub enum LayoutErrorKind {\n", "\n}\n");
    assert!(declared.len() > 30, "{declared:?}");
    let printed: Vec<String> = refusals().iter().map(|refused| format!("{:?}", refused.kind())).collect();
    let mut seen: BTreeSet<&str> = printed.iter().map(|kind| first_word(kind)).collect();
    seen.extend(KINDS_ELSEWHERE.iter().flat_map(|&(_, kinds)| kinds));
    assert_eq!(declared, seen);
    let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for (file, _) in KINDS_ELSEWHERE {
        assert!(std::fs::read_to_string(tests.join(file)).unwrap().contains("assert_snapshot!"), "{file}");
    }
}

/// Each operation is in the table above or has a test file of its own: none is declared that never refuses.
#[test]
fn no_operation_is_left_out() {
    let declared = declared("\nops! {\n", "\n}\n");
    assert!(declared.len() > 30, "{declared:?}");
    let printed: Vec<String> = refusals().iter().map(|refused| format!("{:?}", refused.op())).collect();
    let mut seen: BTreeSet<&str> = printed.iter().map(String::as_str).collect();
    seen.extend(OPS_ELSEWHERE);
    assert_eq!(declared, seen);
}
