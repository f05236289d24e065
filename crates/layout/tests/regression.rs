//! One test for each bug that some system had, with the right value: reports of PyTorch, NumPy, ndarray, burn and others,
//! named by repository and number, and our own. Ids are those of the collection the cases come from; cases of overlap,
//! plans, BLAS, records and offset maps are in the tests of those.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::facts::check_facts;
use common::{Table, col_major, parts, row_major};
use weft_layout::{Ellipsis, Layout, LayoutErrorKind, NewAxis, Op, Order, SliceItem, broadcast_shapes, s};

#[track_caller]
fn check(layout: &Layout, expected: &str) {
    assert_eq!(layout.to_string(), expected);
}

#[track_caller]
fn reads(layout: &Layout, expected: &[usize]) {
    assert_eq!(layout.offsets().collect::<Vec<_>>(), expected, "{layout}");
}

/// The blocking pair of a refused reshape: axes, stride found, stride needed.
#[track_caller]
fn blocked(layout: &Layout, target: &[isize]) -> (u32, u32, isize, isize) {
    match *layout.reshape(target).unwrap_err().kind() {
        LayoutErrorKind::Blocked { outer, inner, stride, needed, .. } => (outer, inner, stride, needed),
        kind => panic!("{layout} to {target:?}: {kind}"),
    }
}

// Contiguity, axes of size 1, empty layouts.

/// pytorch/pytorch#85558: an odd stride on an axis of size 1 survives `contiguous()`.
#[test]
fn b01_odd_stride_on_a_unit_axis() {
    let l = row_major([1, 2, 3, 4, 5]).transpose(0, 1).unwrap();
    check(&l, "(2,1,3,4,5):(60,120,20,5,1)@0");
    assert!(l.is_contiguous());
    check(&l.canonical(), "(2,1,3,4,5):(60,60,20,5,1)@0");
    assert!(l.same_map(&l.canonical()) && l != l.canonical());
}

/// pytorch/pytorch#113370: pairs of an empty tensor cannot be seen as complex numbers.
#[test]
fn b02_recast_of_an_empty_layout() {
    let l = row_major([1, 0, 2, 100, 100]).permute([0, 1, 3, 4, 2]).unwrap();
    assert!(l.is_contiguous());
    assert_eq!(l.canonical().strides(), [20000, 20000, 200, 2, 1]);
    let complex = l.recast(4, 8).unwrap().squeeze(-1).unwrap();
    assert_eq!(complex.shape(), [1, 0, 100, 100]);
    assert_eq!(l.canonical().recast(4, 8).unwrap().squeeze(-1).unwrap().shape(), [1, 0, 100, 100]);
}

/// pytorch/pytorch#159932: a byte view is refused because of a last axis of size 1.
#[test]
fn b04_bytes_of_a_unit_last_axis() {
    let l = row_major([1, 1, 8]).transpose(1, 2).unwrap().select(0, 0).unwrap();
    check(&l, "(8,1):(1,8)@0");
    check(&l.recast(8, 1).unwrap(), "(8,8):(8,1)@0");
}

/// pytorch/pytorch#77731, numpy/numpy#21918: strides of empty arrays differ from path to path.
#[test]
fn b05_b29_one_rule_for_empty_strides() {
    let l = row_major([2, 0, 3]);
    check(&l, "(2,0,3):(3,3,1)@0");
    assert_eq!(l.reshape([3, 0, 2]).unwrap(), row_major([3, 0, 2]));
    check(&row_major([3, 0, 2]), "(3,0,2):(2,2,1)@0");
    assert_eq!(parts([2, 0, 3], [0, 0, 0], 0).canonical(), l);
    assert_eq!(l.transpose(0, 2).unwrap().canonical(), row_major([3, 0, 2]));
}

/// apache/tvm-ffi PR#610: an empty tensor is reported as not contiguous.
#[test]
fn b07_empty_is_contiguous() {
    let l = parts([4, 0, 4], [0, 0, 0], 0);
    assert!(l.is_contiguous() && l.is_col_major() && l.is_dense() && !l.is_broadcast());
}

/// microsoft/onnxruntime#11262: strides of all zeros are reported contiguous, and 36 bytes are allocated for 4.
#[test]
fn b08_all_zero_strides() {
    let l = parts([3, 3], [0, 0], 0);
    assert!(!l.is_contiguous() && !l.is_col_major() && !l.is_dense() && l.is_broadcast());
    assert_eq!(l.required_len(), 1);
    assert_eq!(l.required_len() * size_of::<f32>(), 4);
}

/// candle 0.11: the transpose of an empty tensor is not contiguous, so it is copied.
#[test]
fn b09_transposed_empty() {
    let l = parts([2, 0, 3], [0, 3, 1], 0).transpose(0, 2).unwrap();
    check(&l, "(3,0,2):(1,3,0)@0");
    assert!(l.is_contiguous());
}

/// vllm-project/vllm PR#40737: a degenerate stride on an axis of size 1 makes TMA fault.
#[test]
fn b11_canonical_strides_for_tma() {
    let l = parts([8, 1, 16, 64], [1024, 1, 64, 1], 0).canonical();
    check(&l, "(8,1,16,64):(1024,1024,64,1)@0");
    let bytes = l.byte_strides(2).unwrap();
    assert!(bytes[..3].iter().all(|stride| stride % 16 == 0), "{bytes}");
}

/// tracel-ai/burn PR#5738: an axis of size 1 with a left-over stride sends the copy down the wrong path.
#[test]
fn b17_left_over_stride() {
    let l = row_major([2, 1, 3]).permute([0, 2, 1]).unwrap();
    check(&l, "(2,3,1):(3,1,3)@0");
    assert!(l.is_contiguous());
    check(&l.reshape([6]).unwrap(), "(6):(1)@0");
}

/// The same report, the other way: strides of axes that never move need not divide, and come out canonical.
#[test]
fn b04_larger_elements_beside_a_unit_axis() {
    check(&parts([1, 4], [7, 1], 0).recast(4, 8).unwrap(), "(1,2):(2,1)@0");
    check(&parts([3, 2], [6, 1], 2).recast(4, 8).unwrap(), "(3,1):(3,1)@1");
}

// Strides, messages and windows, from NumPy.

/// numpy/numpy#6683: strides of axes of size 1 are scrambled on purpose, so nobody may use them.
#[test]
fn b28_scrambled_unit_strides() {
    for scrambled in [isize::MAX, isize::MIN, -1, 0] {
        let one = parts([1, 1], [scrambled, scrambled], 0);
        check_facts(&one, &Table::of(&one));
        let l = parts([1, 3, 1, 2], [scrambled, 2, scrambled, 1], 0);
        check_facts(&l, &Table::of(&l));
        assert!(l.is_contiguous() && l.is_dense());
        let dense = row_major([1, 3, 1, 2]);
        assert_eq!(l.canonical(), dense);
        for (view, expected) in [
            (l.flip([0, 1, 2]), dense.flip([0, 1, 2])),
            (l.reshape([6]), dense.reshape([6])),
            (l.reshape([2, 3]), dense.reshape([2, 3])),
            (l.broadcast_to([5, 3, 4, 2]), dense.broadcast_to([5, 3, 4, 2])),
            (l.step(0, -3), dense.step(0, -3)),
            (l.windows(0, 1, 7, 9), dense.windows(0, 1, 7, 9)),
            (l.diagonal(0, 2, 0), dense.diagonal(0, 2, 0)),
            (l.slice(s![0, ..;2, NewAxis, ..;-1]), dense.slice(s![0, ..;2, NewAxis, ..;-1])),
            (l.recast(8, 4), dense.recast(8, 4)),
            (l.recast(4, 8), dense.recast(4, 8)),
            (l.unsqueeze(0), dense.unsqueeze(0)),
        ] {
            let (view, expected) = (view.unwrap(), expected.unwrap());
            assert!(view.same_map(&expected), "{view} is not {expected}");
        }
        // Bytes of axes that move are right; the others must not be what refuses.
        let bytes = l.byte_strides(8).unwrap();
        assert_eq!((bytes[1], bytes[3]), (16, 8));
    }
}

/// numpy/numpy#23349: a reversed axis of size 1 keeps a negative stride.
#[test]
fn b31_reversed_unit_axis() {
    let l = row_major([1, 10, 20]).flip([0]).unwrap();
    assert_eq!(l.byte_strides(8).unwrap(), [-1600, 160, 8]);
    assert!(l.is_contiguous());
    assert_eq!(l.canonical().byte_strides(8).unwrap(), [1600, 160, 8]);
    assert_eq!((l.offset(), l.canonical().offset()), (0, 0));
}

/// numpy/numpy#6491: a stride of 0 that is there already cannot be broadcast.
#[test]
fn b32_broadcast_of_a_broadcast() {
    assert_eq!(broadcast_shapes(&[&[2], &[1]]).unwrap(), [2]);
    check(&parts([2], [0], 0).broadcast_to([2]).unwrap(), "(2):(0)@0");
    check(&parts([1], [1], 0).broadcast_to([2]).unwrap(), "(2):(0)@0");
}

/// numpy/numpy#15030: an inferred size drops elements.
#[test]
fn b34_inferred_sizes_lose_nothing() {
    check(&row_major([444]).reshape([4, -1]).unwrap(), "(4,111):(111,1)@0");
    let refused = row_major([444]).reshape([5, -1]).unwrap_err();
    assert_eq!(refused.to_string(), "reshape: -1 at axis 1 has no whole size: 444 elements over 5");
}

/// numpy/numpy#18244, numpy/numpy PR#30956: windows with a step, and with a dilation.
#[test]
fn b35_windows_with_a_step() {
    let l = row_major([10]);
    let stepped = l.windows(0, 3, 2, 1).unwrap();
    check(&stepped, "(4,3):(2,1)@0");
    reads(&stepped, &[0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7, 8]);
    check(&l.windows(0, 3, 1, 2).unwrap(), "(6,3):(1,2)@0");
}

// Reshape.

/// tracel-ai/burn#1053: two column-major arrays stacked and reshaped come out in the wrong order.
#[test]
fn b37_stacked_column_major_arrays() {
    let l = col_major([4, 6, 2]);
    check(&l, "(4,6,2):(1,4,24)@0");
    assert_eq!(blocked(&l, &[4, 12]), (1, 2, 4, 48));
    let plan = l.copy_plan([4, 12]).unwrap();
    check(plan.result(), "(4,12):(12,1)@0");
    // a00, b00, a01, b01: the two arrays in turn.
    let copy: Vec<usize> = plan.source().offsets().collect();
    assert_eq!(copy[..4], [0, 24, 4, 28]);
}

/// tracel-ai/cubecl#1670: a copy for a reshape reads offset 9 of 6.
#[test]
fn b38_reshape_that_is_a_view_after_all() {
    let l = parts([3, 2, 1], [1, 3, 6], 0).reshape([1, 3, 2]).unwrap();
    check(&l, "(1,3,2):(3,1,3)@0");
    assert_eq!(l.strides()[1..], [1, 3]);
    reads(&l, &[0, 3, 1, 4, 2, 5]);
    assert_eq!(l.span(), 0..6);
}

/// tracel-ai/burn#3629: slicing the full range jumbles the data.
#[test]
fn b77_the_full_slice_is_the_identity() {
    let chain = row_major([1, 3, 8, 8]).reshape([1, 3, 4, 2, 8]).unwrap().permute([0, 2, 1, 4, 3]).unwrap();
    for l in [row_major([1, 3, 8, 8]), chain, parts([3, 1], [-7, 5], 20), parts([0, 4], [9, 2], 6), row_major([])] {
        let whole = |&size: &usize| SliceItem::from(0..size);
        let named: Vec<SliceItem> = l.shape().iter().map(whole).collect();
        assert_eq!(l.slice(&named), Ok(l.clone()), "slice 0..size");
        assert_eq!(l.slice(vec![SliceItem::from(..); l.ndim()]), Ok(l.clone()), "slice ..");
        assert_eq!(l.slice(s![Ellipsis]), Ok(l.clone()));
        for axis in 0..l.ndim() {
            assert_eq!(l.narrow(axis, 0, l.shape()[axis]), Ok(l.clone()), "narrow");
            assert_eq!(l.slice_axis(axis, ..), Ok(l.clone()));
            assert_eq!(l.step(axis, 1), Ok(l.clone()));
        }
    }
}

/// jax mosaic gpu `memref_reshape`: only whole contiguous arrays are reshaped across axes.
#[test]
fn b79_reshape_across_axes() {
    check(&parts([4, 5, 5], [25, 5, 1], 0).reshape([10, 10]).unwrap(), "(10,10):(10,1)@0");
    assert_eq!(blocked(&parts([4, 5, 5], [30, 6, 1], 0), &[10, 10]), (1, 2, 6, 5));
}

/// tinygrad/tinygrad#337: a reshape after a transpose stays one view.
#[test]
fn b55_reshape_after_transpose() {
    let l = row_major([4, 4]).t().unwrap().reshape([2, 2, 2, 2]).unwrap();
    check(&l, "(2,2,2,2):(2,1,8,4)@0");
    let l = l.permute([2, 3, 0, 1]).unwrap();
    check(&l, "(2,2,2,2):(8,4,2,1)@0");
    assert!(l.is_contiguous());
}

/// The rule of views on gaps, repeats and both orders (values recomputed by brute force).
#[test]
fn view_rule_checks() {
    let gaps = parts([4, 6], [12, 2], 0);
    check(&gaps.reshape([4, 2, 3]).unwrap(), "(4,2,3):(12,6,2)@0");
    check(&gaps.reshape([8, 3]).unwrap(), "(8,3):(6,2)@0");
    assert_eq!(blocked(&parts([4, 6], [13, 2], 0), &[8, 3]), (0, 1, 13, 12));
    check(&parts([12], [0], 0).reshape([3, 4]).unwrap(), "(3,4):(0,0)@0");
    assert_eq!(blocked(&parts([3, 4], [1, 0], 0), &[12]), (0, 1, 1, 0));
    check(&parts([3, 4], [1, 0], 0).reshape([3, 2, 2]).unwrap(), "(3,2,2):(1,0,0)@0");
    check(&parts([4], [-4], 12).reshape([2, 2]).unwrap(), "(2,2):(-8,-4)@12");
    check(&parts([4, 3], [6, 2], 0).reshape_in([2, 2, 3], Order::ColMajor).unwrap(), "(2,2,3):(6,12,2)@0");
}

/// PyTorch `test_view_ops.py`, a permuted tensor of rank 8: three views, four refusals.
#[test]
fn pytorch_test_view() {
    let l = parts([4, 2, 3, 9, 6, 2, 1, 5], [3240, 1620, 1, 3, 54, 27, 324, 324], 0);
    let table = Table::of(&l);
    let accepted: [&[isize]; 3] = [
        &[8, 1, 3, 3, 3, 4, 1, 3, 5],
        &[2, 4, 3, 1, 9, 2, 2, 3, 5, 1],
        &[1, 1, 2, 1, 4, 3, 1, 1, 9, 1, 2, 1, 2, 3, 1, 5, 1, 1],
    ];
    for target in accepted {
        let view = l.reshape(target).unwrap();
        assert_eq!(Table::of(&view).offsets, table.offsets, "{target:?}");
    }
    let refused: [&[isize]; 4] = [&[-1], &[24, 9, 6, 2, 1, 5], &[8, 3, 9, 6, 10], &[8, 3, 54, 2, 1, 5]];
    for target in refused {
        blocked(&l, target);
    }
}

/// ndarray `dimension/reshape.rs`: rows of its table, both orders.
#[test]
fn ndarray_reshape_table() {
    let padded = parts([4, 4], [8, 1], 0);
    check(&padded.reshape([2, 2, 2, 2]).unwrap(), "(2,2,2,2):(16,8,2,1)@0");
    assert_eq!(blocked(&padded, &[2, 1, 4, 2]), (0, 1, 8, 4));
    let backwards = parts([16], [-4], 60);
    check(&backwards.reshape([2, 2, 4]).unwrap(), "(2,2,4):(-32,-16,-4)@60");
    check(&backwards.reshape_in([2, 2, 4], Order::ColMajor).unwrap(), "(2,2,4):(-4,-8,-16)@60");
}

/// burn `split_strides`: axes that are split or added, with repeats.
#[test]
fn burn_split_strides() {
    check(&parts([26, 1], [1, 0], 0).reshape([26, 1, 1]).unwrap(), "(26,1,1):(1,1,1)@0");
    check(&parts([26, 16], [1, 0], 0).reshape([26, 4, 4]).unwrap(), "(26,4,4):(1,0,0)@0");
    check(&parts([26, 16], [16, 1], 0).reshape([26, 16, 1]).unwrap(), "(26,16,1):(16,1,1)@0");
}

// Overflow.

/// PyTorch, NumPy and ndarray: an empty array with huge other sizes is accepted or refused by the order of its axes.
#[test]
fn b58_empty_with_huge_sizes() {
    for shape in [[0, 1 << 62, 8], [1 << 62, 8, 0], [1 << 62, 0, 8]] {
        for result in [Layout::row_major(shape), Layout::col_major(shape), Layout::from_parts(&shape, &[0, 0, 0], 0)] {
            assert!(matches!(result.unwrap_err().kind(), LayoutErrorKind::SizeOverflow { .. }), "{shape:?}");
        }
    }
    assert_eq!(row_major([0, 1 << 62]).numel(), 0);
    assert_eq!(row_major([1 << 62, 0]).numel(), 0);
    assert!(row_major([0]).reshape([0, 1usize << 62]).is_ok());
    assert!(row_major([0]).reshape([0, 1usize << 62, 8]).is_err());
    assert!(row_major([1, 0]).broadcast_to([1 << 62, 0]).is_ok());
    assert!(row_major([8, 0]).broadcast_to([1 << 62, 8, 0]).is_err());
}

/// pytorch/pytorch#57542: the number of elements wraps silently.
#[test]
fn b59_number_of_elements_wraps() {
    let refused = Layout::row_major([100_000; 4]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "row_major: the product of the sizes passes 9223372036854775807 at axis 3 (size 100000)"
    );
    assert!(row_major([1]).broadcast_to([100_000; 4]).is_err());
    assert!(broadcast_shapes(&[&[1 << 40, 1], &[1 << 40]]).is_err());
}

/// NVIDIA/cutlass#3604, flagos-ai/FlagGems#4153, flashinfer-ai/flashinfer#3391, meta-pytorch/MSLK PR#303: offsets past 2^31.
#[test]
fn b62_b64_offsets_past_32_bits() {
    let l = parts([536_870_913, 4], [4, 1], 0);
    assert_eq!(l.offset_of(&[536_870_912, 0]), Ok(2_147_483_648));
    assert_eq!(parts([16_385], [131_072], 0).offset_of(&[16_384]), Ok(2_147_483_648));
    assert_eq!(row_major([131_072, 16_384]).span().end - 1, 2_147_483_647);
    assert_eq!(row_major([4_194_305, 512]).span().end - 1, 2_147_484_159);
}

/// NVIDIA/cutlass#3327, NVIDIA/cutlass#2715: the stride of an axis of size 1 passes 2^31 and nothing should depend on it.
#[test]
fn b65_large_stride_of_a_unit_axis() {
    let l = row_major([1, 1 << 14, 1 << 10, 1 << 7]);
    assert_eq!(l.strides()[0], 1 << 31);
    let other = parts([1, 1 << 14, 1 << 10, 1 << 7], [7, 1 << 17, 1 << 7, 1], 0);
    assert!(l.same_map(&other) && l.span() == other.span() && other.is_contiguous());
}

// Parts of arrays: mdspan and submdspan.

/// kokkos/mdspan#362: the span of a part passes the end of the whole.
#[test]
fn b67_span_of_a_part() {
    let l = row_major([4, 5]).slice(s![2..4, 3..5]).unwrap();
    check(&l, "(2,2):(5,1)@13");
    assert_eq!((l.span(), l.span().len()), (13..20, 7));
}

/// kokkos/mdspan#63: a part with wrong extents, strides and kind.
#[test]
fn b68_columns_of_a_square() {
    let l = row_major([10, 10]).slice(s![.., 3..7]).unwrap();
    check(&l, "(10,4):(10,1)@3");
    assert!(!l.is_contiguous() && !l.is_dense());
}

/// kokkos/mdspan#229, kokkos/mdspan#448: what `{offset, extent, stride}` means, and a negative stride.
#[test]
fn b70_strided_slices() {
    reads(&row_major([20]).slice(s![1..11;3]).unwrap(), &[1, 4, 7, 10]);
    let counted = row_major([30]).slice(s![1..;3]).unwrap().narrow(0, 0, 10).unwrap();
    reads(&counted, &[1, 4, 7, 10, 13, 16, 19, 22, 25, 28]);
    reads(&row_major([3]).slice(s![2..;-1]).unwrap(), &[2, 1, 0]);
}

/// microsoft/STL PR#5477, PR#5855, llvm PR#191629 (LWG 4266, LWG 4603): whether empty and unit extents are exhaustive. Ours
/// is by the set of offsets: all three are.
#[test]
fn b71_dense_by_the_set_of_offsets() {
    for l in [parts([0, 5], [5, 1], 0), parts([5, 0], [7, 3], 0), parts([1, 4], [7, 1], 0)] {
        assert!(l.is_dense(), "{l}");
    }
}

// Allocation, slices.

/// chelsea0x3b/dfdx PR#622, iree-org/iree-turbine PR#1300, ggml-org/ggml#584: memory counted from the wrong number.
#[test]
fn b73_elements_to_allocate() {
    let plan = parts([2, 3], [0, 1], 0).copy_plan([6]).unwrap();
    assert_eq!(plan.copied(), 6);
    assert_eq!(parts([672, 3, 3], [16, 1, 4], 0).required_len(), 10747);
}

/// rust-ndarray/ndarray PR#636: an empty slice at the end of an axis forms an offset outside.
#[test]
fn b76_empty_slices_form_no_offset() {
    let item = SliceItem::Range { start: Some(0), stop: Some(0), step: -1 };
    let l = row_major([5, 5]).slice_axis(0, item).unwrap();
    assert_eq!((l.shape(), l.offset()), (&[0, 5][..], 0));
    let l = parts([1, 1], [10, 1], 0).slice(s![1..1]).unwrap();
    assert_eq!((l.shape(), l.offset()), (&[0, 1][..], 0));
    assert_eq!(row_major([5]).narrow(0, 5, 0).unwrap().offset(), 0);
    let (_, right) = row_major([5]).split_at(0, 5).unwrap();
    assert_eq!((right.shape(), right.offset()), (&[0][..], 0));
    assert_eq!(row_major([3, 4]).diagonal(0, 1, 9).unwrap().offset(), 0);
    assert_eq!(parts([2, 3], [3, 1], 7).slice(s![9.., 1..]).unwrap().offset(), 8);
}

/// pytorch/pytorch#175240, #604, #99297, #59786, rust-ndarray/ndarray PR#1318, PR#1319: what a negative step means. Slices
/// are NumPy's; ndarray's "first the range, then the step from its end" is a slice and a `step`.
#[test]
fn b80_negative_steps() {
    let l = row_major([10]);
    let numpy = l.slice(s![..;-2]).unwrap();
    check(&numpy, "(5):(-2)@9");
    reads(&numpy, &[9, 7, 5, 3, 1]);
    reads(&l.slice(s![..;2]).unwrap().flip([0]).unwrap(), &[8, 6, 4, 2, 0]);
    reads(&l.slice(s![1..5]).unwrap().step(0, -1).unwrap(), &[4, 3, 2, 1]);
    reads(&l.slice(s![2..8]).unwrap().step(0, -3).unwrap(), &[7, 4]);
    reads(&l.step(0, -3).unwrap(), &[9, 6, 3, 0]);
    // NumPy's x[1:5:-1] is empty, x[5:1:-1] is not.
    reads(&l.slice(s![1..5;-1]).unwrap(), &[]);
    reads(&l.slice(s![5..1;-1]).unwrap(), &[5, 4, 3, 2]);
}

// Our own.

/// An empty layout was refused by every buffer shorter than its offset, though it reads nothing.
#[test]
fn empty_layouts_fit_any_buffer() {
    let l = parts([0, 3], [3, 1], 200);
    assert!(l.fits(0).is_ok() && l.required_len() == 0);
    assert!(Layout::as_strided([0], &[5], 200, 16).is_ok());
}

/// The size of a target that no `isize` holds was refused in the name of `reshape`, whoever was called.
#[test]
fn a_refusal_names_the_operation_that_was_called() {
    let l = row_major([4]);
    assert_eq!(l.unflatten(0, [usize::MAX]).unwrap_err().op(), Op::Unflatten);
    assert_eq!(l.copy_plan([usize::MAX]).unwrap_err().op(), Op::CopyPlan);
    assert_eq!(l.reshape([usize::MAX]).unwrap_err().op(), Op::Reshape);
}

/// Two repeated axes side by side were split one by one, and 36 elements were copied where 9 are enough.
#[test]
fn copy_plans_see_repeats_across_axes() {
    let plan = parts([3, 4, 3], [0, 0, 12], 0).copy_plan([4, 9]).unwrap();
    assert_eq!(plan.copied(), 9);
    check(plan.source(), "(3,3):(0,12)@0");
    check(plan.result(), "(4,9):(0,1)@0");
}

/// A repeated axis with a cut of the target inside it, needed on both sides of the cut: read as the one axis it is.
#[test]
fn copy_plans_read_a_split_repeat_as_one_axis() {
    let plan = parts([3, 4, 2], [7, 0, 1], 0).copy_plan([6, 4]).unwrap();
    check(plan.source(), "(3,4,2):(7,0,1)@0");
    check(plan.result(), "(6,4):(4,1)@0");
}

/// Our own: `..=` fixed an exclusive stop before the step was known, so a backward range stopped two short, silently.
#[test]
fn inclusive_ranges_end_with_their_last_index_in_either_direction() {
    let l = Layout::row_major([8]).unwrap();
    let read = |item: SliceItem| l.slice([item]).unwrap().offsets().collect::<Vec<_>>();
    assert_eq!(read(SliceItem::from(5..=7)), [5, 6, 7]);
    assert_eq!(read(s![5..=2;-1][0]), [5, 4, 3, 2]);
    assert_eq!(read(s![5..=0;-2][0]), [5, 3, 1]);
    assert_eq!(read(s![..=0;-3][0]), [7, 4, 1]);
    assert_eq!(read(s![-1..=-3;-1][0]), [7, 6, 5]);
    assert_eq!(read(s![..=-1;-1][0]), [7]);
    assert_eq!(read(s![..=-1;3][0]), [0, 3, 6]);
}

/// Rank 0 flattens to one axis, as in NumPy (`ravel`) and PyTorch.
#[test]
fn rank_0_flattens_to_one_axis() {
    let scalar = Layout::from_parts(&[], &[], 7).unwrap();
    assert_eq!(scalar.flatten(0, -1).unwrap().to_string(), "(1):(1)@7");
    assert!(scalar.flatten(0, 1).is_err());
}

/// Our own: counting lines kept a range for every block, so a row repeated 2^40 times asked for that much memory.
#[test]
fn lines_of_a_repeated_row_are_those_of_the_row() {
    let row = Layout::row_major([64]).unwrap();
    let repeated = row.broadcast_to([1 << 40, 64]).unwrap();
    assert_eq!(repeated.lines_touched(64, 4), row.lines_touched(64, 4));
    assert_eq!(repeated.lines_touched(64, 4), Ok(4));
}
