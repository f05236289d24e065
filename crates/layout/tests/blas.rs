//! BLAS plans, executed: a column-major product that checks every promise of the BLAS contract stands in for the library.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod operands;

use insta::assert_snapshot;
use operands::layout;
use proptest::prelude::*;
use weft_layout::blas::{self, Gemm, Operand, Trans};
use weft_layout::{Layout, LayoutErrorKind};

/// One matrix as BLAS takes it: column-major, `ld` elements from one column to the next.
#[derive(Clone, Copy)]
struct Raw {
    trans: Trans,
    ld: usize,
    stride: usize,
    offset: usize,
}

/// `C = op(A) op(B)` exactly as the BLAS reference words it, over integers, with its argument checks as assertions.
fn reference_gemm(sizes: [usize; 3], batch: usize, a: (&[i64], Raw), b: (&[i64], Raw), c: (&mut [i64], Raw)) {
    let [m, n, k] = sizes;
    let rows = |trans: Trans, as_is: usize, transposed: usize| if trans == Trans::No { as_is } else { transposed };
    assert!(a.1.ld >= rows(a.1.trans, m, k).max(1), "parameter lda: {} for {m}x{k}", a.1.ld);
    assert!(b.1.ld >= rows(b.1.trans, k, n).max(1), "parameter ldb: {} for {k}x{n}", b.1.ld);
    assert!(c.1.ld >= m.max(1), "parameter ldc: {} for {m} rows", c.1.ld);
    assert!(c.1.trans == Trans::No);
    let at = |raw: Raw, p: usize, i: usize, j: usize| {
        let (i, j) = if raw.trans == Trans::No { (i, j) } else { (j, i) };
        raw.offset + p * raw.stride + i + j * raw.ld
    };
    let mut written = vec![false; c.0.len()];
    for p in 0..batch {
        for j in 0..n {
            for i in 0..m {
                let sum = (0..k).map(|l| a.0[at(a.1, p, i, l)] * b.0[at(b.1, p, l, j)]).sum();
                let to = at(c.1, p, i, j);
                assert!(!core::mem::replace(&mut written[to], true), "C is written twice at {to}");
                c.0[to] = sum;
            }
        }
    }
}

fn run(g: &Gemm, a: &[i64], b: &[i64], c: &mut [i64]) {
    let (first, second) = if g.swapped { (b, a) } else { (a, b) };
    let raw_a = Raw { trans: g.transa, ld: g.lda, stride: g.stride_a, offset: g.offset_a };
    let raw_b = Raw { trans: g.transb, ld: g.ldb, stride: g.stride_b, offset: g.offset_b };
    let raw_c = Raw { trans: Trans::No, ld: g.ldc, stride: g.stride_c, offset: g.offset_c };
    reference_gemm([g.m, g.n, g.k], g.batch, (first, raw_a), (second, raw_b), (c, raw_c));
}

/// The product by its definition, over the coordinates of the layouts.
fn naive(a: (&Layout, &[i64]), b: (&Layout, &[i64]), c: (&Layout, &mut [i64])) {
    let k = a.0.shape()[a.0.ndim() - 1];
    for step in 0..c.0.numel() {
        let at = c.0.coords_of_linear(step).unwrap();
        let (batch, [i, j]) = at.as_slice().split_last_chunk::<2>().unwrap();
        let mut sum = 0;
        for l in 0..k {
            let left = a.0.offset_of(&[batch, &[*i, l]].concat()).unwrap();
            let right = b.0.offset_of(&[batch, &[l, *j]].concat()).unwrap();
            sum += a.1[left] * b.1[right];
        }
        c.1[c.0.offset_of(&at).unwrap()] = sum;
    }
}

fn data(layout: &Layout, seed: i64) -> Vec<i64> {
    (0..layout.required_len() as i64 + 3).map(|i| (i * 7 + seed) % 23 - 11).collect()
}

/// Runs the plan if there is one and compares every cell of the buffer, those between the results included.
#[track_caller]
fn check(a: &Layout, b: &Layout, c: &Layout) -> Option<Gemm> {
    let (in_a, in_b, before) = (data(a, 1), data(b, 2), data(c, 3));
    let plan = match blas::gemm(a, b, c) {
        Ok(plan) => plan,
        Err(refused) => {
            justified(a, b, c, refused.kind());
            return None;
        }
    };
    let (mut planned, mut expected) = (before.clone(), before);
    run(&plan, &in_a, &in_b, &mut planned);
    naive((a, &in_a), (b, &in_b), (c, &mut expected));
    assert_eq!(planned, expected, "{a} times {b} into {c} by {plan:?}");
    Some(plan)
}

/// Whether any leading dimension at all lets BLAS read the last two axes, found by trying.
fn readable(l: &Layout) -> bool {
    let (sizes, strides) = (&l.shape()[l.ndim() - 2..], &l.strides()[l.ndim() - 2..]);
    let longest = strides.iter().map(|stride| stride.unsigned_abs()).max().unwrap_or(0) + sizes[0] + sizes[1] + 1;
    let fits = |run: usize, across: usize| {
        (sizes[run].max(1)..=longest).any(|ld| {
            let goes = |axis: usize, step: usize| sizes[axis] <= 1 || strides[axis] == step as isize;
            goes(run, 1) && goes(across, ld)
        })
    };
    l.is_empty() || fits(0, 1) || fits(1, 0)
}

#[track_caller]
fn justified(a: &Layout, b: &Layout, c: &Layout, kind: &LayoutErrorKind) {
    use LayoutErrorKind as K;
    match *kind {
        K::BlasNegativeStride { operand, .. }
        | K::BlasNoUnitStride { operand, .. }
        | K::BlasLeadingStride { operand, .. } => {
            let blamed = match operand {
                'a' => a,
                'b' => b,
                _ => c,
            };
            assert!(!readable(blamed), "{operand} is fine in {a} times {b} into {c}");
        }
        K::BlasBatchOverlap { .. } => {
            let mut offsets: Vec<usize> = c.offsets().collect();
            offsets.sort_unstable();
            assert!(offsets.windows(2).any(|pair| pair[0] == pair[1]), "{c}");
        }
        K::BlasBatchAxes { axes } => assert!(axes > 1 && a.ndim() > 3),
        K::BlasNegativeBatch { .. } => assert!(a.ndim() > 2),
        ref other => panic!("unexpected refusal {other:?} of {a} times {b} into {c}"),
    }
}

/// A matrix of the given shape with dense strides in some order, stretched, turned or broadcast here and there.
fn operand(shape: Vec<usize>) -> impl Strategy<Value = Layout> {
    let rank = shape.len();
    let order = prop_oneof![
        3 => Just((0..rank).collect::<Vec<_>>()),
        2 => Just((0..rank).collect::<Vec<_>>()).prop_map(move |mut axes| { axes.swap(rank - 2, rank - 1); axes }),
        1 => Just((0..rank).collect::<Vec<_>>()).prop_shuffle(),
    ];
    let extra = prop::collection::vec(prop_oneof![3 => Just(0usize), 1 => 1usize..3], rank);
    let twist = prop::collection::vec(prop_oneof![20 => Just(1isize), 1 => Just(0), 1 => Just(-1), 1 => Just(2)], rank);
    (order, extra, twist, 0usize..3).prop_map(move |(order, extra, twist, start)| {
        // A part of a larger dense array: strides longer than the runs they step over.
        let whole: Vec<usize> = shape.iter().zip(&extra).map(|(size, extra)| size + extra).collect();
        let fresh = Layout::with_order(&whole, &order).unwrap();
        let strides: Vec<isize> = fresh.strides().iter().zip(&twist).map(|(stride, twist)| stride * twist).collect();
        layout(&shape, &strides, operands::lowest_offset(&shape, &strides) + start)
    })
}

fn product(batch_rank: usize) -> impl Strategy<Value = [Layout; 3]> {
    let size = || prop_oneof![1 => Just(0usize), 4 => Just(1), 12 => 2usize..5];
    (prop::collection::vec(size(), batch_rank), size(), size(), size()).prop_flat_map(|(batch, m, n, k)| {
        let shaped = |last: [usize; 2]| operand([&batch[..], &last].concat());
        [shaped([m, k]).boxed(), shaped([k, n]).boxed(), shaped([m, n]).boxed()]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn one_product([a, b, c] in product(0)) {
        check(&a, &b, &c);
    }

    #[test]
    fn batches([a, b, c] in product(1)) {
        check(&a, &b, &c);
    }

    #[test]
    fn batches_of_two_axes([a, b, c] in product(2)) {
        check(&a, &b, &c);
    }

    /// Each operand that BLAS can read is read, and as what it is.
    #[test]
    fn operands_are_read_right([a, _, _] in product(0)) {
        match blas::operand(&a) {
            Ok(Operand { trans, ld, offset }) => {
                let (rows, columns) = (a.shape()[0], a.shape()[1]);
                let run = if trans == Trans::No { rows } else { columns };
                prop_assert!(ld >= run.max(1));
                for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                    let at = if trans == Trans::No { i + j * ld } else { j + i * ld };
                    prop_assert_eq!(offset + at, a.offset_of(&[i, j]).unwrap());
                }
            }
            Err(_) => prop_assert!(!readable(&a), "{} is readable", a),
        }
    }
}

/// Most random products above must have a plan, else they prove little.
#[test]
fn dense_products_in_every_order_have_a_plan() {
    for orders in 0..8 {
        for (m, n, k) in (0..64).map(|code| (code / 16, code / 4 % 4, code % 4)) {
            for batch in [0, 1, 3] {
                let dense = |bit: u32, rows: usize, columns: usize| {
                    let order = if orders >> bit & 1 == 0 { [0, 1, 2] } else { [0, 2, 1] };
                    Layout::with_order([batch, rows, columns], order).unwrap()
                };
                let (a, b, c) = (dense(0, m, k), dense(1, k, n), dense(2, m, n));
                assert!(check(&a, &b, &c).is_some(), "{a} times {b} into {c}: {:?}", blas::gemm(&a, &b, &c));
            }
        }
    }
}

#[test]
fn row_major_read_as_column_major_is_a_clean_wrong_product() {
    let (a, b, c) =
        (Layout::row_major([2, 2]).unwrap(), Layout::row_major([2, 2]).unwrap(), Layout::row_major([2, 2]).unwrap());
    let (in_a, in_b) = ([1, 2, 3, 4], [5, 6, 7, 8]);
    let as_is = Raw { trans: Trans::No, ld: 2, stride: 0, offset: 0 };
    let mut wrong = [0; 4];
    reference_gemm([2, 2, 2], 1, (&in_a, as_is), (&in_b, as_is), (&mut wrong, as_is));
    let mut right = [0; 4];
    run(&blas::gemm(&a, &b, &c).unwrap(), &in_a, &in_b, &mut right);
    assert_eq!(right, [19, 22, 43, 50]);
    // No complaint, no sign of anything: it is b times a.
    assert_eq!(wrong, [23, 34, 31, 46]);
}

#[test]
fn a_transposed_row_major_matrix_is_a_column_major_one() {
    for (m, n) in (0..25).map(|code| (code / 5, code % 5)) {
        let transposed = Layout::row_major([m, n]).unwrap().t().unwrap();
        let column_major = Layout::col_major([n, m]).unwrap();
        assert!(transposed.same_map(&column_major));
        assert_eq!(blas::operand(&transposed), blas::operand(&column_major));
    }
    assert_eq!(Layout::row_major([3, 5]).unwrap().t().unwrap(), Layout::col_major([5, 3]).unwrap());
}

fn short(g: &Gemm) -> String {
    let letter = |trans| if trans == Trans::No { 'N' } else { 'T' };
    let names = if g.swapped { "b, a" } else { "a, b" };
    format!(
        "{}{} {names}: m {} n {} k {}, ld {} {} {}, batch {} by {} {} {}, at {} {} {}",
        letter(g.transa),
        letter(g.transb),
        g.m,
        g.n,
        g.k,
        g.lda,
        g.ldb,
        g.ldc,
        g.batch,
        g.stride_a,
        g.stride_b,
        g.stride_c,
        g.offset_a,
        g.offset_b,
        g.offset_c
    )
}

#[track_caller]
fn planned(a: &Layout, b: &Layout, c: &Layout) -> String {
    check(a, b, c).map_or_else(|| blas::gemm(a, b, c).unwrap_err().to_string(), |g| short(&g))
}

#[test]
fn plans_in_every_order() {
    let row = |m, n| Layout::row_major([m, n]).unwrap();
    let col = |m, n| Layout::col_major([m, n]).unwrap();
    assert_snapshot!(planned(&row(2, 3), &row(3, 5), &row(2, 5)), @"NN b, a: m 5 n 2 k 3, ld 5 3 5, batch 1 by 0 0 0, at 0 0 0");
    assert_snapshot!(planned(&col(2, 3), &col(3, 5), &col(2, 5)), @"NN a, b: m 2 n 5 k 3, ld 2 3 2, batch 1 by 0 0 0, at 0 0 0");
    assert_snapshot!(planned(&row(2, 3), &col(3, 5), &row(2, 5)), @"TN b, a: m 5 n 2 k 3, ld 3 3 5, batch 1 by 0 0 0, at 0 0 0");
    assert_snapshot!(planned(&row(2, 3), &row(3, 5), &col(2, 5)), @"TT a, b: m 2 n 5 k 3, ld 3 5 2, batch 1 by 0 0 0, at 0 0 0");
    // OpenBLAS#1014, gorgonia/cu#34: 3x5, column-major and row-major.
    let ldc = |c: &Layout| blas::gemm(&row(3, 2), &row(2, 5), c).unwrap().ldc;
    assert_eq!((ldc(&col(3, 5)), ldc(&row(3, 5))), (3, 5));
}

#[test]
fn candle_3744_broadcast_batch() {
    let a = Layout::from_parts(&[32, 32, 32], &[0, 32, 1], 0).unwrap();
    let dense = Layout::row_major([32, 32, 32]).unwrap();
    let g = blas::gemm(&a, &dense, &dense).unwrap();
    assert_snapshot!(short(&g), @"NN b, a: m 32 n 32 k 32, ld 32 32 32, batch 32 by 1024 0 1024, at 0 0 0");
    let mut c = vec![0; 1 << 15];
    run(&g, &[1; 1 << 10], &[1; 1 << 15], &mut c);
    assert!(c.iter().all(|&cell| cell == 32));
}

#[test]
fn candle_1948_row_with_a_long_stride() {
    let a = Layout::from_parts(&[1, 2048], &[16_384, 1], 0).unwrap();
    let b = Layout::from_parts(&[2048, 32], &[1, 2048], 0).unwrap();
    let c = Layout::row_major([1, 32]).unwrap();
    assert_snapshot!(planned(&a, &b, &c), @"NN a, b: m 1 n 32 k 2048, ld 1 2048 1, batch 1 by 0 0 0, at 0 0 0");
    // As several rows of the same array it is the transpose with that stride.
    let a = Layout::from_parts(&[2, 2048], &[16_384, 1], 0).unwrap();
    assert_eq!(blas::operand(&a).unwrap(), Operand { trans: Trans::Yes, ld: 16_384, offset: 0 });
}

#[test]
fn vectors_take_the_stride_that_is_there() {
    let shown = |l: Layout| blas::operand(&l).map(|o| (o.trans, o.ld));
    // A column of a row-major matrix, a dense column, a dense row, a row of a column-major matrix, one element.
    assert_eq!(shown(layout(&[5, 1], &[7, 1], 0)), Ok((Trans::Yes, 7)));
    assert_eq!(shown(layout(&[5, 1], &[1, 99], 0)), Ok((Trans::Yes, 1)));
    assert_eq!(shown(layout(&[1, 5], &[99, 1], 0)), Ok((Trans::No, 1)));
    assert_eq!(shown(layout(&[1, 5], &[1, 7], 0)), Ok((Trans::No, 7)));
    assert_eq!(shown(layout(&[1, 1], &[isize::MIN, isize::MAX], 0)), Ok((Trans::No, 1)));
    // No element: strides mean nothing.
    assert_eq!(shown(layout(&[3, 0], &[-7, 0], 0)), Ok((Trans::Yes, 1)));
    assert_eq!(shown(layout(&[0, 3], &[-7, 0], 0)), Ok((Trans::No, 1)));
}

#[test]
fn batches_fuse_or_say_why_not() {
    let row = |shape: [usize; 4]| Layout::row_major(shape).unwrap();
    // Two dense batch axes are one; so are two that all operands keep in another order.
    assert_snapshot!(planned(&row([2, 3, 4, 5]), &row([2, 3, 5, 6]), &row([2, 3, 4, 6])), @"NN b, a: m 6 n 4 k 5, ld 6 5 6, batch 6 by 30 20 24, at 0 0 0");
    let swapped = |l: Layout| l.transpose(0, 1).unwrap();
    assert_snapshot!(planned(&swapped(row([2, 3, 4, 5])), &swapped(row([2, 3, 5, 6])), &swapped(row([2, 3, 4, 6]))), @"NN b, a: m 6 n 4 k 5, ld 6 5 6, batch 6 by 30 20 24, at 0 0 0");
    // One operand keeps its own order.
    assert_snapshot!(planned(&swapped(row([3, 2, 4, 5])), &row([2, 3, 5, 6]), &row([2, 3, 4, 6])), @"blas::gemm: the batch needs 2 strides, BLAS takes one: loop over the outer axes, or copy");
    // Heads between positions and features: a batch inside the matrix.
    let heads = layout(&[4, 10, 16], &[16, 64, 1], 0);
    let scores = Layout::row_major([4, 10, 10]).unwrap();
    assert_snapshot!(planned(&heads, &heads.t().unwrap(), &scores), @"TN b, a: m 10 n 10 k 16, ld 64 64 10, batch 4 by 16 16 100, at 0 0 0");
    let values = Layout::row_major([4, 10, 16]).unwrap();
    assert_snapshot!(planned(&scores, &values, &heads), @"NN b, a: m 16 n 10 k 10, ld 16 10 64, batch 4 by 160 100 16, at 0 0 0");
    // Reversed together, and against each other.
    let back = layout(&[3, 2, 2], &[-4, 2, 1], 8);
    let ahead = Layout::row_major([3, 2, 2]).unwrap();
    assert_snapshot!(planned(&back, &back, &back), @"NN b, a: m 2 n 2 k 2, ld 2 2 2, batch 3 by 4 4 4, at 0 0 0");
    assert_snapshot!(planned(&back, &ahead, &ahead), @"blas::gemm: the batch stride of a is -4 where c goes forwards: copy it");
    // Nothing to sum over: the strides of the inputs mean nothing, and every result is 0.
    let (none, no_rows) = (layout(&[3, 2, 0], &[-4, 9, 9], 0), layout(&[3, 0, 2], &[5, -1, 7], 0));
    assert_snapshot!(planned(&none, &no_rows, &ahead), @"TN b, a: m 2 n 2 k 0, ld 1 1 2, batch 3 by 0 0 4, at 0 0 0");
    // One batch: its stride means nothing (cupy#5205).
    let one = layout(&[1, 2, 2], &[-1, 2, 1], 0);
    assert_snapshot!(planned(&one, &one, &one), @"NN b, a: m 2 n 2 k 2, ld 2 2 2, batch 1 by 0 0 0, at 0 0 0");
}

#[test]
fn refusals() {
    let dense = Layout::row_major([2, 2]).unwrap();
    let of = |strides: [isize; 2]| layout(&[2, 2], &strides, operands::lowest_offset(&[2, 2], &strides));
    // torch7#58: an expanded matrix.
    assert_snapshot!(planned(&dense, &of([1, 0]), &dense), @"blas::gemm: axis 1 of b has stride 0, needed at least 2: copy it");
    assert_snapshot!(planned(&of([0, 1]), &dense, &dense), @"blas::gemm: axis 0 of a has stride 0, needed at least 2: copy it");
    assert_snapshot!(planned(&of([4, 2]), &dense, &dense), @"blas::gemm: no axis of a has stride 1 (strides 4 and 2): copy it");
    assert_snapshot!(planned(&of([0, 0]), &dense, &dense), @"blas::gemm: no axis of a has stride 1 (strides 0 and 0): copy it");
    assert_snapshot!(planned(&dense, &dense, &of([2, -1])), @"blas::gemm: axis 1 of c has stride -1, BLAS walks forwards only: copy it");
    assert_snapshot!(planned(&dense, &dense, &of([1, 1])), @"blas::gemm: axis 1 of c has stride 1, needed at least 2: copy it");
    let column = layout(&[3, 1], &[0, 1], 0);
    assert_snapshot!(blas::operand(&column).unwrap_err(), @"blas::operand: axis 0 of x has stride 0, needed at least 1: copy it");
    // Axes are counted from the front of the operand, the batch included.
    let batch = layout(&[3, 2, 2], &[4, 1, 0], 0);
    let ahead = Layout::row_major([3, 2, 2]).unwrap();
    assert_snapshot!(planned(&ahead, &batch, &ahead), @"blas::gemm: axis 2 of b has stride 0, needed at least 2: copy it");
    // The results of a batch must not meet.
    assert_snapshot!(planned(&ahead, &ahead, &layout(&[3, 2, 2], &[0, 2, 1], 0)), @"blas::gemm: the results of a batch share elements (batch stride 0 of c)");
    assert_snapshot!(planned(&ahead, &ahead, &layout(&[3, 2, 2], &[3, 2, 1], 0)), @"blas::gemm: the results of a batch share elements (batch stride 3 of c)");

    let refused = |a: &[usize], b: &[usize], c: &[usize]| {
        let [a, b, c] = [a, b, c].map(|shape| Layout::row_major(shape).unwrap());
        blas::gemm(&a, &b, &c).unwrap_err().to_string()
    };
    assert_snapshot!(refused(&[2, 3], &[4, 5], &[2, 5]), @"blas::gemm: axis 1 of a has size 3, axis 0 of b has size 4");
    assert_snapshot!(refused(&[2, 3], &[3, 5], &[4, 5]), @"blas::gemm: axis 0 of a has size 2, axis 0 of c has size 4");
    assert_snapshot!(refused(&[2, 3], &[3, 5], &[2, 6]), @"blas::gemm: axis 1 of b has size 5, axis 1 of c has size 6");
    assert_snapshot!(refused(&[7, 2, 3], &[1, 3, 5], &[7, 2, 5]), @"blas::gemm: axis 0 of b has size 1, axis 0 of c has size 7");
    assert_snapshot!(refused(&[7, 2, 3], &[3, 5], &[7, 2, 5]), @"blas::gemm: b has 2 axes, c has 3");
    assert_snapshot!(refused(&[3], &[3, 5], &[5]), @"blas::gemm: needs at least 2 axes, there are 1");
    assert_snapshot!(blas::operand(&ahead).unwrap_err(), @"blas::operand: needs 2 values, one for each axis, got 3");
}

#[test]
fn ints_of_the_classic_interface() {
    let dense = Layout::row_major([2, 2]).unwrap();
    let g = blas::gemm(&dense, &dense, &dense).unwrap();
    assert!(g.fits_i32());
    let (most, past) = (i32::MAX as usize, i32::MAX as usize + 1);
    let with = |n: usize| {
        [
            Gemm { m: n, ..g },
            Gemm { n, ..g },
            Gemm { k: n, ..g },
            Gemm { lda: n, ..g },
            Gemm { ldb: n, ..g },
            Gemm { ldc: n, ..g },
            Gemm { batch: n, ..g },
        ]
    };
    assert!(with(most).iter().all(Gemm::fits_i32));
    assert!(!with(past).iter().any(Gemm::fits_i32));
    assert!(Gemm { stride_a: past, stride_b: past, stride_c: past, offset_a: past, ..g }.fits_i32());
}
