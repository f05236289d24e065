//! Every way to add up against its naive twin, bit for bit: one value after the other, in the order that the plan gives.

use weft_layout::{Layout, ReducePlan};

use super::on_threads;
use crate::element::{Bf16, C32, C64, Element, F16, F32x4};
use crate::host::Isa;
use crate::host::tests::samples::{Random, Sample, assert_same, check_all};

/// The naive twin.
fn naive<T: Element>(plan: &ReducePlan, dst: &mut [T], src: &[T]) {
    plan.keep().for_each_run(|[to, from], run| {
        for i in 0..run.size as isize {
            let mut values = Vec::new();
            plan.reduce().for_each_run(|[on_top], inner| {
                for j in 0..inner.size as isize {
                    let at = from as isize + i * run.strides[1] + on_top as isize + j * inner.strides[0];
                    values.push(src[at as usize].to_sum());
                }
            });
            let blocks: Vec<T::Sum> =
                values.chunks(16).filter_map(|block| block.iter().copied().reduce(T::add_sums)).collect();
            let at = (to as isize + i * run.strides[0]) as usize;
            dst[at] = dst[at].plus_sum(tree::<T>(&blocks));
        }
    });
}

/// The left side is the greatest power of two of blocks.
fn tree<T: Element>(blocks: &[T::Sum]) -> T::Sum {
    if let [one] = blocks {
        return *one;
    }
    let left = blocks.len().next_power_of_two() / 2;
    T::add_sums(tree::<T>(&blocks[..left]), tree::<T>(&blocks[left..]))
}

/// A destination that stands still along some axes and a source with strides of any kind, and the lengths they need.
fn random_layouts(random: &mut Random) -> (Layout, usize, Layout, usize) {
    let ndim = random.below(6);
    let (mut shape, mut to, mut from) = (vec![1; ndim], vec![0; ndim], vec![0; ndim]);
    // Sizes around what loops are cut at, few enough elements.
    let (mut room, mut dst_extent, mut src_extent) = (3000, 1, 1);
    for axis in (0..ndim).rev() {
        let most = [2, 3, 5, 17, 40, 150, 3000][random.below(7)];
        shape[axis] = 1 + random.below(most.min(room));
        room /= shape[axis];
        if random.below(2) == 0 {
            dst_extent += random.below(8) / 6;
            to[axis] = if random.below(4) == 0 { -(dst_extent as isize) } else { dst_extent as isize };
            dst_extent *= shape[axis];
        }
        from[axis] = match random.below(8) {
            0 => 0,
            1 => random.below(9) as isize - 4,
            2 => -(src_extent as isize),
            _ => src_extent as isize,
        };
        src_extent = src_extent * shape[axis] + random.below(8) / 7;
    }
    // The order of the axes in memory is as random as the rest.
    for axis in 1..ndim {
        let other = random.below(axis + 1);
        shape.swap(axis, other);
        to.swap(axis, other);
        from.swap(axis, other);
    }
    let place = |strides: &[isize], front: usize| {
        let reach = |sign: isize| -> usize {
            shape.iter().zip(strides).map(|(&n, &s)| (n - 1) * (s * sign).max(0) as usize).sum()
        };
        (Layout::from_parts(&shape, strides, front + reach(-1)).unwrap(), front + reach(-1) + reach(1) + 1)
    };
    let ((to, dst_len), (from, src_len)) = (place(&to, random.below(3)), place(&from, random.below(3)));
    (to, dst_len, from, src_len)
}

fn check<T: Sample>(random: &mut Random, to: &Layout, dst_len: usize, from: &Layout, src_len: usize) {
    let plan = ReducePlan::new(to, from).unwrap();
    let before: Vec<T> = (0..dst_len + 3).map(|_| T::sample(random.next())).collect();
    let src: Vec<T> = (0..src_len).map(|_| T::sample(random.next())).collect();
    let mut twin = before.clone();
    naive(&plan, &mut twin, &src);
    for isa in [Isa::Portable, Isa::best()] {
        for threads in [1, 2, 3] {
            let mut dst = before.clone();
            // SAFETY: both are long enough for the layouts, and ours.
            unsafe { on_threads(isa, threads, &plan, dst.as_mut_ptr(), src.as_ptr()) };
            assert_same(&dst, &twin, &format_args!("{threads} {isa:?}: {to} += {from}"));
        }
    }
}

#[test]
fn any_plan_as_its_twin() {
    let mut random = Random(7);
    for _ in 0..150 {
        let (to, dst_len, from, src_len) = random_layouts(&mut random);
        check_all!(u8 i16 u32 i64 F16 Bf16 f32 f64 F32x4 C32 C64; (&mut random, &to, dst_len, &from, src_len));
    }
}

/// Sums of every length around the blocks, along and across, few and many at a time.
#[test]
fn every_length_as_its_twin() {
    let mut random = Random(3);
    for values in (1..70).chain([127, 128, 129, 143, 144, 255, 256, 257, 300, 511, 513, 2047, 2048, 2065]) {
        for columns in [1, 3, 33] {
            let grad = Layout::row_major([columns]).unwrap();
            let across = Layout::row_major([values, columns]).unwrap();
            let to = grad.broadcast_to([values, columns]).unwrap();
            check_all!(u8 f32 F16 C64; (&mut random, &to, columns, &across, values * columns));
            let along = Layout::row_major([columns, values]).unwrap().t().unwrap();
            check_all!(u8 f32 F16 C64; (&mut random, &to, columns, &along, values * columns));
        }
    }
}

/// More columns than one panel has.
#[test]
fn wide_as_its_twin() {
    let mut random = Random(5);
    for (rows, columns) in [(3, 9000), (33, 2500), (600, 1100)] {
        let to = Layout::row_major([columns]).unwrap().broadcast_to([rows, columns]).unwrap();
        let from = Layout::row_major([rows, columns]).unwrap();
        check_all!(u8 f32 F32x4; (&mut random, &to, columns, &from, rows * columns));
    }
}
