//! Layouts of fixed rank agree with those of any rank, in values and in refusals.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod operands;

use operands::{any_operands, lowest_offset};
use proptest::prelude::*;
use weft_layout::{FixedLayout, Layout, LayoutError};

/// Both succeed alike or refuse in the same words.
#[track_caller]
fn same<const N: usize>(fixed: Result<FixedLayout<N>, LayoutError>, dynamic: Result<Layout, LayoutError>) {
    assert_eq!(fixed.map(Layout::from), dynamic);
}

#[track_caller]
fn check<const N: usize>(shape: [usize; N], strides: [isize; N], offset: usize) {
    let fixed = FixedLayout::from_parts(shape, strides, offset);
    let dynamic = Layout::from_parts(&shape, &strides, offset);
    same(fixed, dynamic.clone());
    let (Ok(fixed), Ok(dynamic)) = (fixed, dynamic) else { return };
    assert_eq!(FixedLayout::try_from(&dynamic), Ok(fixed));
    assert_eq!((fixed.shape().as_slice(), fixed.strides().as_slice()), (dynamic.shape(), dynamic.strides()));
    assert_eq!(
        (fixed.offset(), fixed.numel(), fixed.is_empty()),
        (dynamic.offset(), dynamic.numel(), dynamic.is_empty())
    );
    assert_eq!(fixed.span(), dynamic.span());
    assert_eq!(fixed.to_string(), dynamic.to_string());
    assert_eq!(format!("{fixed:?}"), format!("{dynamic:?}"));
    same(FixedLayout::try_row_major(shape), Layout::row_major(shape));
    same(FixedLayout::try_col_major(shape), Layout::col_major(shape));
    for a in 0..=N {
        for b in 0..=N {
            same(fixed.transpose(a, b), dynamic.transpose(a, b));
        }
    }
    for code in 0..(N + 1).pow(N as u32) {
        let axes = core::array::from_fn(|axis| code / (N + 1).pow(axis as u32) % (N + 1));
        same(fixed.permute(axes), dynamic.permute(axes));
    }
    for code in 0..4usize.pow(N as u32) {
        let coord = core::array::from_fn(|axis| code / 4usize.pow(axis as u32) % 4);
        assert_eq!(fixed.offset_of(coord), dynamic.offset_of(&coord));
    }
}

#[test]
fn every_layout_of_rank_2_with_small_strides() {
    for shape in (0..16).map(|code| [code / 4, code % 4]) {
        for strides in (0..81).map(|code| [code / 9 - 4, code % 9 - 4]) {
            let offset = lowest_offset(&shape, &strides);
            check(shape, strides, offset);
            check(shape, strides, offset / 2);
        }
    }
}

proptest! {
    #[test]
    fn rank_3([l] in any_operands::<1>(3, 4)) {
        prop_assume!(l.ndim() == 3);
        let strides = [l.strides()[0], l.strides()[1], l.strides()[2]];
        check([l.shape()[0], l.shape()[1], l.shape()[2]], strides, l.offset());
    }
}

#[test]
fn ends_of_the_range() {
    const MAX: usize = isize::MAX as usize;
    check([], [], 5);
    check([], [], MAX + 1);
    check([MAX], [1], 0);
    check([MAX], [1], 1);
    check([MAX + 1], [1], 0);
    check([1 << 32, 1 << 31], [0, 0], 0);
    check([1 << 32, 0, 1 << 31], [0, 0, 0], 0);
    check([2], [isize::MIN], MAX);
    check([2], [isize::MIN + 1], MAX);
    check([1], [isize::MIN], MAX);
    check([3, 3], [isize::MAX / 2, isize::MAX / 2], 0);
    check([3, 3], [isize::MIN / 2, isize::MIN / 2], MAX);
    check([2, 2], [isize::MAX, -isize::MAX], 0);
    check([2, 0], [isize::MAX, isize::MIN], 0);
    assert!(Layout::row_major([2, 3]).is_ok_and(|l| FixedLayout::<3>::try_from(&l).is_err()));
}

#[test]
fn made_at_compile_time() {
    const ROW: FixedLayout<3> = FixedLayout::row_major([2, 3, 4]);
    const COL: FixedLayout<3> = FixedLayout::col_major([2, 3, 4]);
    const SWAPPED: FixedLayout<3> = match ROW.transpose(0, 2) {
        Ok(layout) => layout,
        Err(_) => panic!("three axes"),
    };
    const AT: usize = match ROW.offset_of([1, 2, 3]) {
        Ok(offset) => offset,
        Err(_) => panic!("inside"),
    };
    assert_eq!((ROW.strides(), COL.strides(), AT), (&[12, 4, 1], &[1, 2, 6], 23));
    assert_eq!(SWAPPED.to_string(), "(4,3,2):(1,4,12)@0");
    const EMPTY: FixedLayout<3> = FixedLayout::row_major([2, 0, 3]);
    assert_eq!((EMPTY.strides(), EMPTY.span()), (&[3, 3, 1], 0..0));
}

#[test]
#[should_panic(expected = "row_major: the product of the sizes passes isize::MAX")]
fn a_constant_that_overflows_does_not_compile_and_a_value_panics() {
    let _ = FixedLayout::row_major([usize::MAX, 2]);
}

#[test]
#[should_panic(expected = "col_major: the product of the sizes passes isize::MAX")]
fn column_major_too() {
    let _ = FixedLayout::col_major([usize::MAX, 2]);
}
