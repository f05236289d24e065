//! Every behaviour on the simulated CUDA device, and the same work on the host and on it: equal to the last bit.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod cases;
#[path = "../../device/tests/sim/mod.rs"]
mod sim;

use cases::cases;
use cases::random::{Random, Step, cases as so_many, read_step};
use proptest::prelude::*;
use weft_cuda_sim::exec::Check;
use weft_cuda_sim::{Config, Streams};
use weft_view::LaunchConfig;
use weft_view::prelude::*;

/// Out of order where order is free, late where nobody waits, and complaining of races and of memory that nobody wrote.
fn config() -> Config {
    Config {
        streams: Streams::Shuffled(9),
        seed: Some(13),
        races: Check::Report,
        unwritten: Check::Report,
        ..Config::default()
    }
}

cases! {
    simulator: *sim::watched(config());
}

/// Floats with all their oddities: both zeros, subnormal numbers, infinities and NaN among ordinary ones.
fn floats(random: &mut Random, len: usize) -> Vec<f32> {
    let odd = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE / 4.0, -1e-40, f32::MAX];
    let ordinary = |random: &mut Random| (random.below(1 << 20) as f32 - 5e5) * 1e-3;
    (0..len).map(|_| if random.below(12) == 0 { odd[random.below(odd.len())] } else { ordinary(random) }).collect()
}

/// The bits, but that one NaN is as good as another.
fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }).collect()
}

/// The same chain of views over the same elements, and then the same copies and sums, on both devices.
#[test]
fn host_and_gpu_agree_on_chains() {
    let gpu = sim::watched(config());
    proptest!(so_many(300), |(seed: u64)| {
        let mut random = Random(seed);
        let shape = random.shape(4);
        let (place, len) = random.placed(&shape);
        let values = floats(&mut random, len);
        let (here, there) = (Host.tensor(&values, len).unwrap(), gpu.tensor(&values, len).unwrap());
        let (mut a, mut b) = (here.view_as(&place).unwrap(), there.view_as(&place).unwrap());
        for _ in 0..random.below(6) {
            let step = Step::choose(&mut random, a.shape(), true);
            match (read_step(&a, &step), read_step(&b, &step)) {
                (Ok(one), Ok(other)) => (a, b) = (one, other),
                (Err(one), Err(other)) => prop_assert_eq!(one.to_string(), other.to_string()),
                (one, other) => prop_assert!(false, "{:?} on the host, {:?} on the GPU", one.is_ok(), other.is_ok()),
            }
        }
        prop_assert_eq!(a.layout(), b.layout());
        // A copy keeps every bit, also of a NaN.
        let copied = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        let order = random.permutation(a.ndim());
        prop_assert_eq!(copied(a.to_vec().unwrap()), copied(b.to_vec().unwrap()));
        prop_assert_eq!(
            copied(a.to_order(&order).unwrap().to_vec().unwrap()),
            copied(b.to_order(&order).unwrap().to_vec().unwrap())
        );
        // Arithmetic and conversions round alike.
        let arithmetic = [
            (a.try_mul(&a).unwrap().to_vec().unwrap(), b.try_mul(&b).unwrap().to_vec().unwrap()),
            (a.try_div(&a).unwrap().to_vec().unwrap(), b.try_div(&b).unwrap().to_vec().unwrap()),
        ];
        for (one, other) in arithmetic {
            prop_assert_eq!(bits(&one), bits(&other));
        }
        let narrowed = [a.to_dtype::<i16>().unwrap().to_vec().unwrap(), b.to_dtype::<i16>().unwrap().to_vec().unwrap()];
        prop_assert_eq!(&narrowed[0], &narrowed[1]);
    });
}

/// Sums over the broadcast axes of a gradient: the same order of additions, so the same bits; no tolerance.
#[test]
fn host_and_gpu_agree_on_sums() {
    let gpu = sim::watched(config());
    proptest!(so_many(120), |(seed: u64)| {
        let mut random = Random(seed);
        let long = [1, 15, 16, 17, 255, 256, 257, 1000, 1025][random.below(9)];
        let mut shape = vec![long, 1 + random.below(4), 1 + random.below(3)];
        shape.rotate_left(random.below(3));
        let kept: Vec<usize> = shape.iter().map(|&size| if random.flag() { 1 } else { size }).collect();
        let (place, len) = random.placed(&shape);
        let (values, start) = (floats(&mut random, len), floats(&mut random, kept.iter().product()));
        let (here, there) = (Host.tensor(&values, len).unwrap(), gpu.tensor(&values, len).unwrap());
        let mut sums = (Host.tensor(&start, &kept).unwrap(), gpu.tensor(&start, &kept).unwrap());
        sums.0.view_mut().accumulate(here.view_as(&place).unwrap()).unwrap();
        sums.1.view_mut().accumulate(there.view_as(&place).unwrap()).unwrap();
        prop_assert_eq!(bits(&sums.0.to_vec().unwrap()), bits(&sums.1.to_vec().unwrap()));
    });
}

/// A view goes into a kernel of the user's own as it is: columns, the last one first, and two rows of them.
#[test]
fn views_are_arguments_of_kernels() {
    let gpu = sim::watched(config());
    let module = gpu.load_ptx(include_str!("../../device/tests/calls/user.ptx")).unwrap();
    let gather = module.kernel("gather").unwrap();
    let x = gpu.arange(0.0f32..12.0).unwrap().reshape([3, 4]).unwrap();
    let view = x.view().t().unwrap().flip([0]).unwrap().narrow(1, 1, 2).unwrap();
    let mut out = gpu.zeros::<f32>([8]).unwrap();
    let block = LaunchConfig { grid: [1, 1, 1], block: [8, 1, 1], shared_bytes: 0 };
    let mut to = out.view_mut();
    // SAFETY: the kernel's two parameters; it writes the 8 elements of `out`, whose only view is `to`.
    unsafe { gather.launch(block, &[&to.kernel_view().unwrap(), &view.kernel_view().unwrap()]).unwrap() };
    assert_eq!(out.to_vec().unwrap(), [7.0, 11.0, 6.0, 10.0, 5.0, 9.0, 4.0, 8.0]);
    let nine = x.view().broadcast_to([1, 1, 1, 1, 1, 1, 1, 3, 4]).unwrap();
    assert_eq!(nine.kernel_view().unwrap_err().to_string(), "kernel_view: 9 axes are more than 8");
}
