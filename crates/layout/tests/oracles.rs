//! The tables under `tests/data`: facts that NumPy and brute force computed, every row of them.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{Table, upholds_invariants};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use weft_layout::{Layout, LayoutErrorKind, Order, Result, SliceItem, broadcast_shapes};

/// The rows of a table, one JSON object a line.
#[track_caller]
fn rows<T: DeserializeOwned>(table: &str, count: usize) -> Vec<T> {
    let rows: Vec<T> = table.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), count, "rows of the table");
    rows
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Broadcast {
    shapes: Vec<Vec<usize>>,
    result: Option<Vec<usize>>,
}

#[test]
fn broadcast_shapes_as_numpy() {
    let (mut stretched, mut refused) = (0, 0);
    for row in rows::<Broadcast>(include_str!("data/broadcast_shapes.jsonl"), 375) {
        let shapes: Vec<&[usize]> = row.shapes.iter().map(Vec::as_slice).collect();
        match (broadcast_shapes(&shapes), &row.result) {
            (Ok(shape), Some(expected)) => {
                assert_eq!(*shape, expected[..], "{row:?}");
                stretched += 1;
                // Each operand reads at the common shape.
                for one in &row.shapes {
                    let layout = Layout::row_major(one).unwrap().broadcast_to(expected).unwrap();
                    assert_eq!(layout.shape(), expected);
                }
            }
            (Err(error), None) => {
                assert!(matches!(error.kind(), LayoutErrorKind::BroadcastPair { .. }), "{row:?}: {error}");
                refused += 1;
            }
            (got, _) => panic!("{row:?}: got {got:?}"),
        }
    }
    assert_eq!((stretched, refused), (354, 21));
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reshape {
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
    target: Vec<usize>,
    order: String,
    view: bool,
    result_strides: Option<Vec<isize>>,
}

/// No false refusal and no wrong stride in 1500 rows, both orders. NumPy's strides of axes that never move are its own, so
/// layouts are compared as maps.
#[test]
fn reshape_as_numpy() {
    let (mut views, mut refusals) = (0, 0);
    for row in rows::<Reshape>(include_str!("data/reshape.jsonl"), 1500) {
        let layout = Layout::from_parts(&row.shape, &row.strides, row.offset).unwrap();
        let order = if row.order == "F" { Order::ColMajor } else { Order::RowMajor };
        match layout.reshape_in(&row.target, order) {
            Ok(result) => {
                assert!(row.view, "{row:?}: gives {result}");
                let strides = row.result_strides.as_ref().expect("a view has strides");
                let expected = Layout::from_parts(&row.target, strides, row.offset).unwrap();
                assert!(result.same_map(&expected), "{row:?}: gives {result}");
                assert_eq!(result, result.canonical(), "{row:?}: strides of axes that never move are canonical");
                views += 1;
            }
            Err(error) => {
                assert!(!row.view, "{row:?}: {error}");
                assert_blocked(&layout, &row.target, order, error.kind());
                refusals += 1;
            }
        }
    }
    assert_eq!((views, refusals), (1202, 298));
}

/// The reason given is true: the pair is not one run, the numbers are its own, and the target axis spans the cut between.
#[track_caller]
fn assert_blocked(layout: &Layout, target: &[usize], order: Order, kind: &LayoutErrorKind) {
    let &LayoutErrorKind::Blocked { outer, inner, stride, needed, target_axis } = kind else {
        panic!("{layout} to {target:?}: {kind}");
    };
    let (outer, inner, at) = (outer as usize, inner as usize, target_axis as usize);
    let (shape, strides) = (layout.shape(), layout.strides());
    assert_eq!((stride, needed), (strides[outer], strides[inner] * shape[inner] as isize), "{layout} to {target:?}");
    assert_ne!(stride, needed);
    // Elements on the fast side of the cut, and of both ends of the target axis, in the order of the walk.
    let (cut, low, between) = match order {
        Order::RowMajor => (&shape[inner..], &target[at + 1..], &shape[outer + 1..inner]),
        Order::ColMajor => (&shape[..=inner], &target[..at], &shape[inner + 1..outer]),
    };
    let (cut, low): (usize, usize) = (cut.iter().product(), low.iter().product());
    assert!(low < cut && cut < low * target[at], "{layout} to {target:?}: axis {at} does not span the cut at {cut}");
    assert!(between.iter().all(|&size| size == 1), "{layout} to {target:?}: {outer} and {inner} are not neighbours");
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Chain {
    base: Vec<usize>,
    ops: Vec<ChainOp>,
    shape: Vec<usize>,
    strides: Vec<isize>,
    numel: usize,
    offset: Option<usize>,
    c_contiguous: bool,
    f_contiguous: bool,
    offsets: Option<Vec<usize>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ChainOp {
    Permute(Vec<usize>),
    Transpose(usize, usize),
    Slice { axis: usize, start: Option<isize>, stop: Option<isize>, step: isize },
    Select(usize, isize),
    Flip(Vec<usize>),
    Squeeze(usize),
    Unsqueeze(usize),
    BroadcastTo(Vec<usize>),
    Diagonal(usize, usize),
    Windows { axis: usize, size: usize },
}

impl ChainOp {
    fn apply(&self, layout: &Layout) -> Result<Layout> {
        match self {
            ChainOp::Permute(axes) => layout.permute(axes),
            ChainOp::Transpose(a, b) => layout.transpose(*a, *b),
            &ChainOp::Slice { axis, start, stop, step } => {
                layout.slice_axis(axis, SliceItem::Range { start, stop, step })
            }
            ChainOp::Select(axis, index) => layout.select(*axis, *index),
            ChainOp::Flip(axes) => layout.flip(axes),
            ChainOp::Squeeze(axis) => layout.squeeze(*axis),
            ChainOp::Unsqueeze(axis) => layout.unsqueeze(*axis),
            ChainOp::BroadcastTo(shape) => layout.broadcast_to(shape),
            ChainOp::Diagonal(a, b) => layout.diagonal(*a, *b, 0),
            ChainOp::Windows { axis, size } => layout.windows(*axis, *size, 1, 1),
        }
    }
}

/// 1500 chains of views as NumPy answers them: shape, every offset, and both kinds of contiguity.
#[test]
fn view_chains_as_numpy() {
    let mut written_out = 0;
    for row in rows::<Chain>(include_str!("data/view_chains.jsonl"), 1500) {
        let mut layout = Layout::row_major(&row.base).unwrap();
        for op in &row.ops {
            layout = op.apply(&layout).unwrap_or_else(|error| panic!("{row:?} at {op:?}: {error}"));
            upholds_invariants(&layout);
        }
        assert_eq!(layout.shape(), row.shape, "{row:?}");
        assert_eq!(layout.numel(), row.numel, "{row:?}");
        assert_eq!(layout.is_contiguous(), row.c_contiguous, "{row:?}");
        assert_eq!(layout.is_col_major(), row.f_contiguous, "{row:?}");
        // NumPy has no offset for an empty array; where it has one, the maps agree.
        if let Some(offset) = row.offset {
            let expected = Layout::from_parts(&row.shape, &row.strides, offset).unwrap();
            assert!(layout.same_map(&expected), "{row:?}: {layout}");
        }
        if let Some(offsets) = &row.offsets {
            assert_eq!(layout.offsets().collect::<Vec<_>>(), *offsets, "{row:?}");
            assert_eq!(Table::of(&layout).offsets, *offsets, "the twin agrees with NumPy: {row:?}");
            written_out += 1;
        }
    }
    assert_eq!(written_out, 993);
}
