//! Every way to run through a plan against its naive twin, bit for bit: element by element along the runs of the plan.

use core::num::NonZero;

use weft_layout::{Layout, Plan};

use super::{Elements, Tiling, run, tiled};
use crate::element::{Bf16, C32, C64, Element, F16, F32x4};
use crate::host::tests::samples::{Random, Sample, assert_same, check_all};
use crate::host::{Exec, Isa};

/// The naive twin.
fn naive<T: Element>(plan: &Plan<3>, dst: &mut [T], a: &[T], b: &[T], f: impl Fn(T, T) -> T) {
    plan.for_each_run(|at, run| {
        for i in 0..run.size as isize {
            let [to, on_a, on_b] = core::array::from_fn(|k| (at[k] as isize + i * run.strides[k]) as usize);
            dst[to] = f(a[on_a], b[on_b]);
        }
    });
}

/// A layout with these strides, and how many elements it needs.
fn place(shape: &[usize], strides: &[isize], front: usize) -> (Layout, usize) {
    let reach = |sign: isize| -> usize {
        shape.iter().zip(strides).map(|(&n, &stride)| (n - 1) * (stride * sign).max(0) as usize).sum()
    };
    let start = front + reach(-1);
    (Layout::from_parts(shape, strides, start).unwrap(), start + reach(1) + 1)
}

/// Strides of the axes in some order of memory: dense, with gaps and turned axes if `any`.
fn strides(random: &mut Random, shape: &[usize], any: bool) -> Vec<isize> {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    if random.below(3) > 0 {
        (1..order.len()).for_each(|k| order.swap(k, random.below(k + 1)));
    }
    let (mut strides, mut extent) = (vec![0; shape.len()], 1);
    for &axis in order.iter().rev() {
        let extra = if any { [0, 0, 0, 0, 0, 1, 1, 3][random.below(8)] } else { 0 };
        extent += extra;
        strides[axis] = if any && random.below(6) == 0 { -extent } else { extent };
        extent *= shape[axis] as isize;
    }
    strides
}

struct Case {
    plan: Plan<3>,
    lens: [usize; 3],
}

/// Up to six axes, of which the longer ones are cut into several tiles.
fn random_case(random: &mut Random) -> Case {
    let ndim = random.below(7);
    let mut room = 6000;
    let shape: Vec<usize> = (0..ndim)
        .map(|_| {
            let most = [2, 4, 9, 20, 70, 300, 3000][random.below(7)];
            let size = 1 + random.below(most.min(room));
            room /= size;
            size
        })
        .collect();
    let layouts = [0, 1, 2].map(|operand| {
        let any = random.below(2) == 0;
        let mut strides = strides(random, &shape, any);
        if operand > 0 {
            for stride in &mut strides {
                match random.below(12) {
                    0 | 1 => *stride = 0,
                    2 => *stride = random.below(9) as isize - 4,
                    _ => {}
                }
            }
        }
        place(&shape, &strides, random.below(20))
    });
    let plan = Plan::new(layouts.each_ref().map(|(layout, _)| layout)).unwrap();
    Case { plan, lens: layouts.map(|(_, len)| len) }
}

/// As an operation would run, but on as many threads as given and streaming whatever can be.
///
/// # Safety
///
/// D2 to D5.
unsafe fn run_forced<T: Element>(
    (isa, threads, stream): (Isa, usize, bool),
    plan: &Plan<3>,
    dst: *mut T,
    a: *const T,
    b: *const T,
    f: impl Fn(T, T) -> T + Copy + Sync,
) {
    let elements = Elements::new(plan, [Some(0), Some(1), Some(2)]);
    let exec = Exec { isa, threads: NonZero::new(threads).unwrap() };
    let mut tiling = Tiling::new(exec, &elements, [size_of::<T>(); 3], if stream { 0 } else { usize::MAX });
    tiling.threads = threads;
    // SAFETY: the caller's.
    unsafe { tiled(isa, &tiling, dst, a, b, f) };
}

fn check<T: Sample>(random: &mut Random, case: &Case) {
    let Case { plan, lens } = case;
    let mut fill = |len: usize| -> Vec<T> { (0..len).map(|_| T::sample(random.next())).collect() };
    // Guards behind, and in front of what does not begin at 0.
    let (before, a, b) = (fill(lens[0] + 9), fill(lens[1]), fill(lens[2]));
    let f = |a: T, b: T| a.mul(b).sub(a);
    let mut twin = before.clone();
    naive(plan, &mut twin, &a, &b, f);
    for isa in [Isa::Portable, Isa::best()] {
        let exec = Exec { isa, threads: NonZero::new(2).unwrap() };
        let mut dst = before.clone();
        // SAFETY: all are long enough for the plan, and ours.
        unsafe { run(exec, (plan, [Some(0), Some(1), Some(2)]), dst.as_mut_ptr(), a.as_ptr(), b.as_ptr(), f) };
        assert_same(&dst, &twin, &format_args!("{plan} as it is run in {isa:?}"));
        for threads in [1, 2, 3] {
            for stream in [false, true] {
                let mut dst = before.clone();
                // SAFETY: all are long enough for the plan, and ours.
                unsafe { run_forced((isa, threads, stream), plan, dst.as_mut_ptr(), a.as_ptr(), b.as_ptr(), f) };
                assert_same(&dst, &twin, &format_args!("{plan} on {threads} {isa:?}, streaming {stream}"));
            }
        }
    }
}

#[test]
fn any_plan_as_its_twin() {
    let mut random = Random(11);
    for _ in 0..150 {
        let case = random_case(&mut random);
        check_all!(u8 i16 u32 i64 F16 Bf16 f32 f64 F32x4 C32 C64; (&mut random, &case));
    }
}

/// Transposed operands and odd sizes: every tail of a tile, every size of word.
#[test]
fn transposed_as_their_twins() {
    let mut random = Random(13);
    for (rows, columns) in [(4, 4), (5, 7), (16, 16), (17, 33), (63, 130), (70, 257), (129, 64), (3, 1000), (1000, 5)] {
        let shape = [rows, columns];
        let (dense, turned) = ([columns as isize, 1], [1, rows as isize]);
        for (a, b) in [(dense, turned), (turned, dense), (turned, turned), ([0, 1], turned), (turned, [1, 0])] {
            let front = random.below(3);
            let layouts = [dense, a, b].map(|strides| place(&shape, &strides, front));
            let plan = Plan::new(layouts.each_ref().map(|(layout, _)| layout)).unwrap();
            let case = Case { plan, lens: layouts.map(|(_, len)| len) };
            check_all!(u8 i16 f32 f64 C64; (&mut random, &case));
        }
    }
}

/// The destination is an operand, and the other one is transposed: what is written is read before.
#[test]
fn in_place_as_its_twin() {
    let mut random = Random(17);
    for (rows, columns) in [(9, 9), (64, 70), (33, 300)] {
        let shape = [rows, columns];
        let (dense, len) = place(&shape, &[columns as isize, 1], 0);
        let (turned, _) = place(&shape, &[1, rows as isize], 0);
        let plan = Plan::new([&dense, &dense, &turned]).unwrap();
        let mut fill = || -> Vec<f32> { (0..len).map(|_| f32::sample(random.next())).collect() };
        let (before, b) = (fill(), fill());
        let mut twin = before.clone();
        naive(&plan, &mut twin, &before, &b, |a, b| a - b);
        for threads in [1, 3] {
            for stream in [false, true] {
                let mut dst = before.clone();
                let at = dst.as_mut_ptr();
                // SAFETY: both are long enough for the plan, and ours; in place.
                unsafe { run_forced((Isa::best(), threads, stream), &plan, at, at, b.as_ptr(), |a, b| a - b) };
                assert_same(&dst, &twin, &plan);
            }
        }
    }
}
