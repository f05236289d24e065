//! Operations against their twins, over any plan and every element type, with guards that nothing may touch.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use weft_device::{Bf16, BinaryOp, Buffer, C32, C64, Converts, Device, DeviceErrorKind, Element, F16, F32x4, ops};
use weft_layout::{Layout, Plan, ReducePlan};

use super::twin::{
    Axis, GUARD, Twin, assert_agree, axes, broadcast_destination, destination, for_every_element, offsets, operand,
    upload, values,
};

const OPS: [BinaryOp; 6] = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Max, BinaryOp::Min];

#[track_caller]
fn for_any_axes(cases: u32, check: impl Fn(&[Axis], u64)) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&(axes(), any::<u64>()), |(axes, seed)| {
        check(&axes, seed);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

pub(crate) fn fill_any_plan<D: Device>(device: &D) {
    fn check<T: Twin, D: Device>(device: &D, axes: &[Axis], seed: u64) {
        let (layout, len) = destination(axes);
        let mut twin = values::<T>(seed, len);
        let (dst, value) = (upload(device, &twin), values::<T>(!seed, 1)[0]);
        // SAFETY: D5: `dst` is ours alone.
        unsafe { ops::fill(&Plan::new([&layout]).unwrap(), dst.borrowed(), value).unwrap() };
        offsets(&layout).into_iter().for_each(|at| twin[at] = value);
        assert_agree(&dst, &twin, &layout);
    }
    for_any_axes(200, |axes, seed| for_every_element!(check(device, axes, seed)));
}

pub(crate) fn copy_any_plan<D: Device>(device: &D) {
    fn check<T: Twin, D: Device>(device: &D, axes: &[Axis], seed: u64) {
        let ((to, len), (from, src_len)) = (destination(axes), operand(axes, 0));
        let (mut twin, values) = (values::<T>(seed, len), values::<T>(!seed, src_len));
        let (dst, src) = (upload(device, &twin), upload(device, &values));
        // SAFETY: D5: `dst` is ours alone.
        unsafe { ops::copy(&Plan::new([&to, &from]).unwrap(), dst.borrowed(), src.borrowed()).unwrap() };
        offsets(&to).into_iter().zip(offsets(&from)).for_each(|(to, from)| twin[to] = values[from]);
        assert_agree(&dst, &twin, &(to, from));
        assert_agree(&src, &values, &"the source");
    }
    for_any_axes(200, |axes, seed| for_every_element!(check(device, axes, seed)));
}

/// What an operation must leave, or that it must refuse and leave everything.
fn twin_binary<T: Twin>(
    op: BinaryOp,
    dst: &[T],
    a: &[T],
    b: &[T],
    [to, from_a, from_b]: [&Layout; 3],
) -> Option<Vec<T>> {
    let mut twin = dst.to_vec();
    T::eval(op, T::ONE, T::ONE)?;
    for ((to, at_a), at_b) in offsets(to).into_iter().zip(offsets(from_a)).zip(offsets(from_b)) {
        twin[to] = T::eval(op, a[at_a], b[at_b])?;
    }
    Some(twin)
}

pub(crate) fn binary_any_plan<D: Device>(device: &D) {
    fn check<T: Twin, D: Device>(device: &D, axes: &[Axis], seed: u64) {
        let ((to, len), (from_a, len_a), (from_b, len_b)) = (destination(axes), operand(axes, 0), operand(axes, 1));
        let (before, a, b) = (values::<T>(seed, len), values::<T>(!seed, len_a), values::<T>(seed ^ 0xb, len_b));
        let plan = Plan::new([&to, &from_a, &from_b]).unwrap();
        let (on_a, on_b) = (upload(device, &a), upload(device, &b));
        for op in OPS {
            if plan.is_empty() {
                continue;
            }
            let dst = upload(device, &before);
            // SAFETY: D5: `dst` is ours alone.
            let done = unsafe { ops::binary(op, &plan, dst.borrowed(), on_a.borrowed(), on_b.borrowed()) };
            let twin = twin_binary(op, &before, &a, &b, [&to, &from_a, &from_b]);
            assert_eq!(done.is_ok(), twin.is_some(), "{op} of {plan}: {done:?}");
            assert_agree(&dst, twin.as_deref().unwrap_or(&before), &(op, &plan));
        }
    }
    for_any_axes(150, |axes, seed| for_every_element!(check(device, axes, seed)));
}

pub(crate) fn binary_in_place<D: Device>(device: &D) {
    fn check<T: Twin, D: Device>(device: &D, axes: &[Axis], seed: u64) {
        let ((to, len), (from, src_len)) = (destination(axes), operand(axes, 0));
        let (before, other) = (values::<T>(seed, len), values::<T>(!seed, src_len));
        let src = upload(device, &other);
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul] {
            let dst = upload(device, &before);
            // SAFETY: D5: `dst` is ours alone; each element is read by the step that writes it.
            unsafe {
                let plan = Plan::new([&to, &to, &from]).unwrap();
                ops::binary(op, &plan, dst.borrowed(), dst.borrowed(), src.borrowed()).unwrap();
            }
            assert_agree(&dst, &twin_binary(op, &before, &before, &other, [&to, &to, &from]).unwrap(), &(op, 'a'));
            let dst = upload(device, &before);
            // SAFETY: as above.
            unsafe {
                let plan = Plan::new([&to, &from, &to]).unwrap();
                ops::binary(op, &plan, dst.borrowed(), src.borrowed(), dst.borrowed()).unwrap();
            }
            assert_agree(&dst, &twin_binary(op, &before, &other, &before, [&to, &from, &to]).unwrap(), &(op, 'b'));
        }
    }
    for_any_axes(60, |axes, seed| for_every_element!(check(device, axes, seed)));
}

pub(crate) fn copy_onto_itself<D: Device>(device: &D) {
    let values: Vec<u32> = (0..24).collect();
    let dst = upload(device, &values);
    for layout in [Layout::row_major([2, 12]).unwrap(), Layout::col_major([4, 6]).unwrap().flip([0]).unwrap()] {
        // SAFETY: D5: ours alone, each element read by the step that writes it.
        unsafe { ops::copy(&Plan::new([&layout, &layout]).unwrap(), dst.borrowed(), dst.borrowed()).unwrap() };
    }
    assert_agree(&dst, &values, &"onto itself");
}

pub(crate) fn convert_any_plan<D: Device>(device: &D) {
    fn check<S: Twin + Converts<T>, T: Twin, D: Device>(device: &D, axes: &[Axis], seed: u64) {
        let ((to, len), (from, src_len)) = (destination(axes), operand(axes, 0));
        let (mut twin, values) = (values::<T>(seed, len), values::<S>(!seed, src_len));
        let (dst, src) = (upload(device, &twin), upload(device, &values));
        // SAFETY: D5: `dst` is ours alone.
        unsafe { ops::convert(&Plan::new([&to, &from]).unwrap(), dst.borrowed(), src.borrowed()).unwrap() };
        // Values one by one are the subject of tests/elements.rs.
        offsets(&to).into_iter().zip(offsets(&from)).for_each(|(to, from)| twin[to] = values[from].convert());
        assert_agree(&dst, &twin, &(to, from));
    }
    fn from<S, D: Device>(device: &D, axes: &[Axis], seed: u64)
    where
        S: Twin + Converts<u8> + Converts<i64> + Converts<F16> + Converts<f32> + Converts<f64> + Converts<C32>,
    {
        check::<S, u8, D>(device, axes, seed);
        check::<S, i64, D>(device, axes, seed);
        check::<S, F16, D>(device, axes, seed);
        check::<S, f32, D>(device, axes, seed);
        check::<S, f64, D>(device, axes, seed);
        check::<S, C32, D>(device, axes, seed);
    }
    for_any_axes(60, |axes, seed| {
        from::<u8, D>(device, axes, seed);
        from::<u64, D>(device, axes, seed);
        from::<i16, D>(device, axes, seed);
        from::<Bf16, D>(device, axes, seed);
        from::<f32, D>(device, axes, seed);
        from::<f64, D>(device, axes, seed);
        check::<C32, C64, D>(device, axes, seed);
        check::<C64, C32, D>(device, axes, seed);
        check::<F32x4, F32x4, D>(device, axes, seed);
    });
    // One type to itself keeps the bits of a signalling NaN, which arithmetic would quieten.
    let all: Vec<F16> = (0..=u16::MAX).map(F16::from_bits).collect();
    let (src, dst) = (upload(device, &all), Buffer::<F16, D>::new_zeroed(device, all.len()).unwrap());
    let l = Layout::row_major([all.len()]).unwrap();
    // SAFETY: D5: `dst` is ours alone.
    unsafe { ops::convert(&Plan::new([&l, &l]).unwrap(), dst.borrowed(), src.borrowed()).unwrap() };
    assert!(dst.to_vec().unwrap().into_iter().map(F16::to_bits).eq(0..=u16::MAX));
}

pub(crate) fn accumulate_any_plan<D: Device>(device: &D) {
    fn check<T: Twin, D: Device>(device: &D, axes: &[Axis], seed: u64) {
        let ((to, len), (from, src_len)) = (broadcast_destination(axes), operand(axes, 0));
        // Small whole numbers: every order of additions gives the same, exactly.
        let small = |seed: u64, len: usize| -> Vec<T> {
            values::<u8>(seed, len).into_iter().map(|n| T::small(i64::from(n % 7) - 3)).collect()
        };
        let (mut twin, values) = (small(seed, len), small(!seed, src_len));
        let (dst, src) = (upload(device, &twin), upload(device, &values));
        // SAFETY: D5: `dst` is ours alone.
        unsafe { ops::accumulate(&ReducePlan::new(&to, &from).unwrap(), dst.borrowed(), src.borrowed()).unwrap() };
        for (to, from) in offsets(&to).into_iter().zip(offsets(&from)) {
            twin[to] = T::eval(BinaryOp::Add, twin[to], values[from]).unwrap();
        }
        for (at, (given, twin)) in dst.to_vec().unwrap().into_iter().zip(twin).enumerate() {
            // Equal, not the same bits: the sign of a zero depends on the order.
            assert!(given == twin, "element {at} is {given}, the twin says {twin}: {to} {from}");
        }
    }
    for_any_axes(200, |axes, seed| for_every_element!(check(device, axes, seed)));
}

/// Blocks of 16 in order, then a tree whose left side is the greatest power of two of blocks.
fn pairwise(values: &[f32]) -> f32 {
    fn tree(blocks: &[f32]) -> f32 {
        match blocks {
            [one] => *one,
            _ => {
                let left = blocks.len().next_power_of_two() / 2;
                tree(&blocks[..left]) + tree(&blocks[left..])
            }
        }
    }
    let blocks: Vec<f32> = values.chunks(16).map(|block| block.iter().copied().reduce(|a, b| a + b).unwrap()).collect();
    tree(&blocks)
}

pub(crate) fn sums_are_pairwise<D: Device>(device: &D) {
    let all: Vec<f32> = values::<u32>(7, 2000).into_iter().map(|n| n as f32 / 3e9 - 0.3).collect();
    for len in [1, 2, 15, 16, 17, 31, 32, 33, 100, 255, 256, 257, 1000, 1999] {
        let (dst, src) = (upload(device, &[0.25f32, 0.25]), upload(device, &all));
        let plan = ReducePlan::new(
            &Layout::from_parts(&[2, len], &[1, 0], 0).unwrap(),
            &Layout::from_parts(&[2, len], &[0, 1], 0).unwrap(),
        );
        // SAFETY: D5: `dst` is ours alone.
        unsafe { ops::accumulate(&plan.unwrap(), dst.borrowed(), src.borrowed()).unwrap() };
        // Both bit by bit the same: the second sum starts as afresh as the first.
        assert_eq!(dst.to_vec().unwrap(), [0.25 + pairwise(&all[..len]); 2], "{len}");
    }
    // A lone negative zero keeps its sign, summed or not.
    for shape in [[1], [2]] {
        let (dst, src) = (upload(device, &[-0.0f32]), upload(device, &[-0.0f32]));
        let stands = Layout::row_major([1]).unwrap().broadcast_to(shape).unwrap();
        // SAFETY: D5: `dst` is ours alone.
        unsafe {
            let plan = ReducePlan::new(&stands, &stands).unwrap();
            ops::accumulate(&plan, dst.borrowed(), src.borrowed()).unwrap();
        }
        assert!(dst.to_vec().unwrap()[0].is_sign_negative());
    }
}

pub(crate) fn sums_are_close<D: Device>(device: &D) {
    let all: Vec<f32> = values::<u32>(11, 1 << 20).into_iter().map(|n| n as f32 / u32::MAX as f32).collect();
    let exact: f64 = all.iter().map(|&x| f64::from(x)).sum();
    let error = |sum: f32| ((f64::from(sum) - exact) / exact).abs();
    let (dst, src) = (upload(device, &[0.0f32]), upload(device, &all));
    let plan = ReducePlan::new(
        &Layout::row_major([1]).unwrap().broadcast_to([all.len()]).unwrap(),
        &Layout::row_major([all.len()]).unwrap(),
    );
    // SAFETY: D5: `dst` is ours alone.
    unsafe { ops::accumulate(&plan.unwrap(), dst.borrowed(), src.borrowed()).unwrap() };
    let given = error(dst.to_vec().unwrap()[0]);
    assert!(given < 1e-6, "{given:e}");
    // One after the other would not do.
    assert!(error(all.iter().sum()) > 1e-6);
    // F16 sums in f32: 4096 ones are 4096, where sums in F16 stop at 2048.
    let (dst, src) = (upload(device, &[F16::ZERO]), upload(device, &[F16::ONE]));
    let stands = Layout::from_parts(&[4096], &[0], 0).unwrap();
    // SAFETY: D5: `dst` is ours alone.
    unsafe {
        let plan = ReducePlan::new(&stands, &stands).unwrap();
        ops::accumulate(&plan, dst.borrowed(), src.borrowed()).unwrap();
    }
    assert_eq!(dst.to_vec().unwrap()[0].to_f32(), 4096.0);
}

pub(crate) fn divisions_without_quotient<D: Device>(device: &D) {
    let l = Layout::row_major([2, 3]).unwrap();
    let divide = |a: &[i32], b: &[i32], la: &Layout, lb: &Layout| {
        let (dst, a, b) = (upload(device, &[7; 6]), upload(device, a), upload(device, b));
        // SAFETY: D5: `dst` is ours alone.
        let done = unsafe {
            let plan = Plan::new([&l, la, lb]).unwrap();
            ops::binary(BinaryOp::Div, &plan, dst.borrowed(), a.borrowed(), b.borrowed())
        };
        done.map_err(|error| {
            assert_eq!(dst.to_vec().unwrap(), [7; 6], "nothing was written");
            error.kind().clone()
        })
    };
    let (max, min) = (i32::MAX, i32::MIN);
    assert_eq!(divide(&[max; 6], &[1, 2, 3, -4, 5, 6], &l, &l), Ok(()));
    // The lowest offset, from whichever side the walk comes.
    let flipped = l.flip([0, 1]).unwrap();
    let zeros = [1, 0, 3, 0, 5, 6];
    assert_eq!(divide(&[max; 6], &zeros, &l, &flipped), Err(DeviceErrorKind::DivisionByZero { offset: 1 }));
    assert_eq!(divide(&[max; 6], &zeros, &l, &l), Err(DeviceErrorKind::DivisionByZero { offset: 1 }));
    // A zero is reported before an overflow, wherever they are.
    let both = [min, 1, min, 1, 1, 1];
    assert_eq!(divide(&both, &[-1, 1, -1, 1, 1, 0], &l, &l), Err(DeviceErrorKind::DivisionByZero { offset: 5 }));
    assert_eq!(divide(&both, &[1, 1, -1, 1, 1, 1], &l, &l), Err(DeviceErrorKind::DivisionOverflow { offset: 2 }));
    assert_eq!(divide(&both, &[-1; 6], &flipped, &l), Err(DeviceErrorKind::DivisionOverflow { offset: 0 }));
    // One divisor for all: the dividend's offset tells them apart.
    let one = Layout::row_major(()).unwrap().broadcast_to([2, 3]).unwrap();
    assert_eq!(divide(&[1, 1, 1, 1, min, 1], &[-1], &l, &one), Err(DeviceErrorKind::DivisionOverflow { offset: 4 }));
    // Floats have quotients for everything.
    let (dst, a, b) = (upload(device, &[1.0f32; 3]), upload(device, &[1.0, -1.0, 0.0]), upload(device, &[0.0f32; 3]));
    let l = Layout::row_major([3]).unwrap();
    // SAFETY: D5: `dst` is ours alone.
    unsafe {
        let plan = Plan::new([&l, &l, &l]).unwrap();
        ops::binary(BinaryOp::Div, &plan, dst.borrowed(), a.borrowed(), b.borrowed()).unwrap();
    }
    assert!(matches!(dst.to_vec().unwrap()[..], [f32::INFINITY, f32::NEG_INFINITY, x] if x.is_nan()));
}

pub(crate) fn no_order<D: Device>(device: &D) {
    fn check<T: Twin, D: Device>(device: &D) {
        let buffer = upload(device, &values::<T>(1, 2 * GUARD));
        let l = Layout::row_major([2]).unwrap();
        for op in [BinaryOp::Max, BinaryOp::Min] {
            // SAFETY: D5: ours alone, each element read by the step that writes it.
            let done = unsafe {
                let plan = Plan::new([&l, &l, &l]).unwrap();
                ops::binary(op, &plan, buffer.borrowed(), buffer.borrowed(), buffer.borrowed())
            };
            let refused = done.unwrap_err();
            assert_eq!(refused.op(), op.name());
            assert_eq!(*refused.kind(), DeviceErrorKind::NotOrdered { dtype: T::DTYPE });
        }
    }
    check::<C32, D>(device);
    check::<C64, D>(device);
    check::<F32x4, D>(device);
}

pub(crate) fn extremes<D: Device>(device: &D) {
    let a = [f32::NAN, 1.0, -0.0, 0.0, f32::NEG_INFINITY, 2.0];
    let b = [1.0, f32::NAN, 0.0, -0.0, 3.0, -2.0];
    let l = Layout::row_major([6]).unwrap();
    let run = |op| {
        let (dst, a, b) = (upload(device, &a), upload(device, &a), upload(device, &b));
        // SAFETY: D5: `dst` is ours alone.
        unsafe {
            let plan = Plan::new([&l, &l, &l]).unwrap();
            ops::binary(op, &plan, dst.borrowed(), a.borrowed(), b.borrowed()).unwrap();
        }
        format!("{:?}", dst.to_vec().unwrap())
    };
    assert_eq!(run(BinaryOp::Max), "[NaN, NaN, 0.0, 0.0, 3.0, 2.0]");
    assert_eq!(run(BinaryOp::Min), "[NaN, NaN, -0.0, -0.0, -inf, -2.0]");
}

pub(crate) fn plans_past_the_end<D: Device>(device: &D) {
    let (short, long) = (upload(device, &[1u8; 5]), upload(device, &[2u8; 6]));
    let l = Layout::row_major([2, 3]).unwrap();
    let last = Layout::from_parts(&[6], &[-1], 5).unwrap();
    let past = |operand| DeviceErrorKind::OutOfBuffer { operand, required: 6, len: 5 };
    // SAFETY: D5: both are ours alone.
    unsafe {
        let one = Plan::new([&last]).unwrap();
        assert_eq!(*ops::fill(&one, short.borrowed(), 3).unwrap_err().kind(), past(0));
        let two = Plan::new([&l, &l]).unwrap();
        assert_eq!(*ops::copy(&two, short.borrowed(), long.borrowed()).unwrap_err().kind(), past(0));
        assert_eq!(*ops::copy(&two, long.borrowed(), short.borrowed()).unwrap_err().kind(), past(1));
        assert_eq!(*ops::convert(&two, long.borrowed(), short.borrowed()).unwrap_err().kind(), past(1));
        let reduce = ReducePlan::new(&l, &l).unwrap();
        assert_eq!(*ops::accumulate(&reduce, long.borrowed(), short.borrowed()).unwrap_err().kind(), past(1));
        assert_eq!(*ops::accumulate(&reduce, short.borrowed(), long.borrowed()).unwrap_err().kind(), past(0));
        let three = Plan::new([&l, &l, &l]).unwrap();
        let binary = |dst: &Buffer<u8, D>, a: &Buffer<u8, D>, b: &Buffer<u8, D>| {
            let done = ops::binary(BinaryOp::Add, &three, dst.borrowed(), a.borrowed(), b.borrowed());
            done.unwrap_err().kind().clone()
        };
        let spare = upload(device, &[0u8; 6]);
        assert_eq!(binary(&short, &long, &spare), past(0));
        assert_eq!(binary(&spare, &short, &long), past(1));
        assert_eq!(binary(&spare, &long, &short), past(2));
        assert_eq!(spare.to_vec().unwrap(), [0; 6]);
    }
    assert_eq!((short.to_vec().unwrap(), long.to_vec().unwrap()), (vec![1; 5], vec![2; 6]));
}

pub(crate) fn empty_plans<D: Device>(device: &D) {
    let empty = Layout::from_parts(&[3, 0], &[1, 1], 1000).unwrap();
    let (none, some) = (upload::<i32, D>(device, &[]), upload(device, &[5]));
    // SAFETY: D5: nothing is written.
    unsafe {
        ops::fill(&Plan::new([&empty]).unwrap(), none.borrowed(), 1).unwrap();
        ops::copy(&Plan::new([&empty, &empty]).unwrap(), some.borrowed(), none.borrowed()).unwrap();
        ops::convert(&Plan::new([&empty, &empty]).unwrap(), some.borrowed(), none.borrowed()).unwrap();
        ops::accumulate(&ReducePlan::new(&empty, &empty).unwrap(), some.borrowed(), none.borrowed()).unwrap();
        let three = Plan::new([&empty, &empty, &empty]).unwrap();
        ops::binary(BinaryOp::Div, &three, some.borrowed(), none.borrowed(), none.borrowed()).unwrap();
    }
    assert_eq!(some.to_vec().unwrap(), [5]);
}

pub(crate) fn hundred_axes<D: Device>(device: &D) {
    // 20 axes that do not fuse, and 80 of size 1.
    let (mut shape, mut to, mut from) = (vec![1; 100], vec![7; 100], vec![-7; 100]);
    for k in 0..20 {
        (shape[5 * k], to[5 * k], from[5 * k]) = (2, 1 << (19 - k), 1 << k);
    }
    let (to, from) = (Layout::from_parts(&shape, &to, 0).unwrap(), Layout::from_parts(&shape, &from, 0).unwrap());
    let src: Vec<u32> = (0..1 << 20).collect();
    let (dst, on) = (Buffer::<u32, D>::new_zeroed(device, 1 << 20).unwrap(), upload(device, &src));
    // SAFETY: D5: `dst` is ours alone.
    unsafe {
        let plan = Plan::new([&to, &from]).unwrap();
        ops::copy(&plan, dst.borrowed(), on.borrowed()).unwrap();
    }
    for (at, value) in dst.to_vec().unwrap().into_iter().enumerate() {
        assert_eq!(value, (at as u32).reverse_bits() >> 12);
    }
}
