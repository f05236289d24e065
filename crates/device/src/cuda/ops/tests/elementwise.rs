//! Binary operations and the search for divisions without a quotient, for every type, operation and form.

use weft_layout::{Layout, Plan};

use super::super::binary;
use super::simulated::{FORMS, Sample, Sim, assert_agree, bytes_of, for_every_element, moved, samples};
use crate::cuda::desc::MAX_AXES;
use crate::element::{Element, Indivisible};
use crate::ops::BinaryOp;
use crate::{Buffer, Host, ops};

const OPS: [BinaryOp; 6] = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Max, BinaryOp::Min];

fn layout(shape: &[usize], strides: &[isize], offset: usize) -> Layout {
    Layout::from_parts(shape, strides, offset).unwrap()
}

/// Values of which no two have an impossible quotient.
fn divisible<T: Sample>(a: &[T], b: &mut [T]) {
    for b in b {
        if a.iter().any(|a| a.indivisible(*b).is_some()) {
            *b = T::ONE;
        }
    }
}

fn check<T: Sample>(operands: [&Layout; 3]) {
    let [to, from_a, from_b] = operands;
    let before = samples::<T>(1, to.span().end + 3);
    let (a, mut b) = (samples::<T>(2, from_a.span().end), samples::<T>(3, from_b.span().end));
    for op in OPS {
        if matches!(op, BinaryOp::Max | BinaryOp::Min) && T::MAX.is_none() {
            continue;
        }
        if op == BinaryOp::Div {
            divisible(&a, &mut b);
        }
        let [dst, on_a, on_b] = [&before, &a, &b].map(|values| Buffer::from_slice(&Host, values).unwrap());
        // SAFETY: D5: `dst` is ours.
        unsafe {
            let plan = Plan::new(operands).unwrap();
            ops::binary(op, &plan, dst.borrowed(), on_a.borrowed(), on_b.borrowed()).unwrap();
        }
        for (by, blocks) in FORMS {
            let mut sim = Sim::new(blocks);
            let at = [&before, &a, &b].map(|values| sim.upload(values));
            let plan = Plan::new([&moved(to, by), &moved(from_a, by), &moved(from_b, by)]).unwrap();
            for part in plan.peel(MAX_AXES) {
                sim.run(&mut binary::launch(op, &part, T::DTYPE, at.map(|at| at - by * size_of::<T>())));
            }
            let what = format!("{op} of {} over {plan}", T::DTYPE);
            let (given, host) = (sim.download::<T>(at[0], before.len()), dst.to_vec().unwrap());
            assert_agree(&given, &host, &what);
            if matches!(op, BinaryOp::Max | BinaryOp::Min) {
                // A NaN is the canonical one.
                assert!(bytes_of(&given) == bytes_of(&host), "{what}: {given:?} for {host:?}");
            }
        }
    }
}

#[test]
fn neighbours_in_every_form() {
    // Whole 16 bytes, and not.
    for n in [1, 2, 64, 1000, 1001] {
        let row = layout(&[n], &[1], 0);
        for_every_element!(check([&row; 3]));
    }
    let shifted = layout(&[64], &[1], 1);
    for_every_element!(check([&layout(&[64], &[1], 0), &shifted, &shifted]));
}

#[test]
fn any_strides() {
    let to = layout(&[5, 7], &[1, 6], 2);
    for_every_element!(check([&to, &layout(&[5, 7], &[-7, 1], 28), &layout(&[5, 7], &[0, 2], 0)]));
    for_every_element!(check([&to.flip([0]).unwrap(), &layout(&[5, 7], &[0, 0], 3), &layout(&[5, 7], &[3, -1], 6)]));
    let many = layout(&[2; 10], &core::array::from_fn::<_, 10, _>(|i| 3isize.pow(9 - i as u32)), 0);
    for_every_element!(check([&many, &Layout::row_major([2; 10]).unwrap().reverse_axes(), &many]));
}

#[test]
fn in_place() {
    let layout = layout(&[9, 33], &[40, 1], 5);
    let (w, g) = (samples::<f32>(1, layout.span().end), samples::<f32>(2, layout.span().end));
    let plan = Plan::new([&layout; 3]).unwrap();
    let (on_w, on_g) = (Buffer::from_slice(&Host, &w).unwrap(), Buffer::from_slice(&Host, &g).unwrap());
    // SAFETY: D5: ours alone, each element read by the step that writes it.
    unsafe { ops::binary(BinaryOp::Sub, &plan, on_w.borrowed(), on_w.borrowed(), on_g.borrowed()).unwrap() };
    let mut sim = Sim::new(u32::MAX);
    let (w_at, g_at) = (sim.upload(&w), sim.upload(&g));
    sim.run(&mut binary::launch(BinaryOp::Sub, &plan, f32::DTYPE, [w_at, w_at, g_at]));
    assert_agree(&sim.download::<f32>(w_at, w.len()), &on_w.to_vec().unwrap(), &"w -= g");
}

/// What the host says, and what the kernel finds.
fn check_divide<T: Sample>(seed: u64, [from_a, from_b]: [&Layout; 2]) {
    let mut a = samples::<T>(seed, from_a.span().end);
    let mut b = samples::<T>(seed + 1, from_b.span().end);
    // One that has a quotient with everything, often.
    b.iter_mut()
        .enumerate()
        .filter(|(i, _)| !(i * 7 + seed as usize).is_multiple_of(11))
        .for_each(|(_, b)| *b = T::ONE);
    if seed.is_multiple_of(5) {
        divisible(&a, &mut b);
    }
    if seed.is_multiple_of(3) {
        a.fill(T::ONE);
    }
    // The least value over and over, divided by -1 in some places or everywhere.
    let pairs = samples::<T>(3, 100);
    let overflows = |&(a, b): &(T, T)| a.indivisible(b) == Some(Indivisible::Overflow);
    if let Some((least, minus_one)) = pairs.iter().flat_map(|&a| pairs.iter().map(move |&b| (a, b))).find(overflows)
        && seed % 4 == 1
    {
        a.fill(least);
        b.iter_mut().enumerate().for_each(|(i, b)| *b = if seed % 8 == 1 || i % 5 == 3 { minus_one } else { T::ONE });
    }
    let to = Layout::row_major(from_a.shape()).unwrap();
    let mut expected = [u64::MAX; 2];
    Plan::new([&to, from_a, from_b]).unwrap().for_each_run(|[_, at_a, at_b], run| {
        for i in 0..run.size as isize {
            let at_a = at_a.wrapping_add_signed(i * run.strides[1]);
            let at_b = at_b.wrapping_add_signed(i * run.strides[2]);
            match a[at_a].indivisible(b[at_b]) {
                None => {}
                Some(Indivisible::Zero) => expected[0] = expected[0].min(at_b as u64),
                Some(Indivisible::Overflow) => expected[1] = expected[1].min(at_a as u64),
            }
        }
    });
    for (by, blocks) in FORMS {
        let mut sim = Sim::new(blocks);
        let at = [sim.upload(&a), sim.upload(&b)].map(|at| at - by * size_of::<T>());
        let found = sim.upload(&[u64::MAX; 2]);
        let plan = Plan::new([&moved(&to, by), &moved(from_a, by), &moved(from_b, by)]).unwrap();
        for part in plan.peel(MAX_AXES) {
            sim.run(&mut binary::check(&part, T::DTYPE, at, found));
        }
        let expected = expected.map(|at| if at == u64::MAX { at } else { at + by as u64 });
        assert_eq!(sim.download::<u64>(found, 2), expected, "{} over {plan}", T::DTYPE);
    }
}

#[test]
fn the_lowest_divisions_without_a_quotient_are_found() {
    let cases = [
        [layout(&[700], &[1], 0), layout(&[700], &[-1], 699)],
        [layout(&[20, 30], &[1, 20], 300), layout(&[20, 30], &[0, 1], 2)],
        [layout(&[20, 30], &[0, 0], 0), layout(&[20, 30], &[-30, 1], 570)],
    ];
    for [a, b] in &cases {
        for seed in 1..16 {
            check_divide::<u8>(seed, [a, b]);
            check_divide::<i8>(seed, [a, b]);
            check_divide::<u16>(seed, [a, b]);
            check_divide::<i16>(seed, [a, b]);
            check_divide::<u32>(seed, [a, b]);
            check_divide::<i32>(seed, [a, b]);
            check_divide::<u64>(seed, [a, b]);
            check_divide::<i64>(seed, [a, b]);
        }
    }
}
