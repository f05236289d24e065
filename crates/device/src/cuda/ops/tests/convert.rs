//! Conversions between all types that convert, value by value at every edge there is.

use weft_layout::{Layout, Plan};

use super::super::convert;
use super::simulated::{FORMS, Sample, Sim, assert_agree, moved, samples};
use crate::element::{Bf16, C32, C64, Converts, F16};

fn check<S: Sample + Converts<T>, T: Sample>(values: &[S]) {
    if S::DTYPE == T::DTYPE {
        return;
    }
    let host: Vec<T> = values.iter().map(|value| value.convert()).collect();
    let row = Layout::row_major([values.len()]).unwrap();
    for (by, blocks) in FORMS {
        let mut sim = Sim::new(blocks);
        let (src, dst) = (sim.upload(values), sim.uninit(values.len() * size_of::<T>()));
        let plan = Plan::new([&moved(&row, by), &moved(&row, by)]).unwrap();
        let at = [dst - by * size_of::<T>(), src - by * size_of::<S>()];
        sim.run(&mut convert::launch(&plan, [T::DTYPE, S::DTYPE], at));
        let what = format!("{} to {}", S::DTYPE, T::DTYPE);
        let given = sim.download::<T>(dst, values.len());
        for (i, (value, (&given, &host))) in values.iter().zip(given.iter().zip(&host)).enumerate() {
            assert!(given.agrees(host), "{what}, value {i}: {value:?} becomes {given:?}, on the host {host:?}");
        }
    }
}

/// Every type that a real one becomes.
fn from_real<S>(values: &[S])
where
    S: Sample + Converts<u8> + Converts<u16> + Converts<u32> + Converts<u64> + Converts<i8> + Converts<i16>,
    S: Converts<i32> + Converts<i64> + Converts<F16> + Converts<Bf16> + Converts<f32> + Converts<f64>,
    S: Converts<C32> + Converts<C64>,
{
    check::<S, u8>(values);
    check::<S, u16>(values);
    check::<S, u32>(values);
    check::<S, u64>(values);
    check::<S, i8>(values);
    check::<S, i16>(values);
    check::<S, i32>(values);
    check::<S, i64>(values);
    check::<S, F16>(values);
    check::<S, Bf16>(values);
    check::<S, f32>(values);
    check::<S, f64>(values);
    check::<S, C32>(values);
    check::<S, C64>(values);
}

/// Integers around every power of two, where roundings and clamps change.
fn edges() -> impl Iterator<Item = i128> {
    let powers = (0..65).map(|log| 1i128 << log);
    // Halfway between two `bf16`: one more decides, however many digits below.
    let ties = (9..64).map(|log| (1i128 << log) + (1i128 << (log - 8)));
    powers.chain(ties).flat_map(|n| (-3..4i128).flat_map(move |near| [n + near, -n + near]))
}

/// Numbers where a conversion to integers or to 16 bits changes, and the neighbours of each.
fn float_edges() -> Vec<f64> {
    let mut all: Vec<f64> = edges().map(|n| n as f64).collect();
    all.extend(
        (-160..130).flat_map(|log| [1.0, 1.5, 1.25, 1.000_976_562_5, 1.007_812_5, 1.999].map(|x| x * 2f64.powi(log))),
    );
    // Halfway between two 16-bit floats, and less than the last place of an `f32` from there.
    for bits in (0..300u16).map(|bits| bits * 109) {
        for [low, high] in [
            [bits, bits + 1].map(|bits| f64::from(F16::from_bits(bits))),
            [bits, bits + 1].map(|bits| f64::from(Bf16::from_bits(bits))),
        ] {
            let middle = f64::midpoint(low, high);
            let place = f64::from((middle as f32).next_up()) - f64::from(middle as f32);
            all.extend([-1.25, -0.75, -0.5, 0.0, 0.5, 0.75, 1.25].map(|by| middle + by * place));
        }
    }
    all.extend([
        0.0,
        f64::INFINITY,
        f64::NAN,
        0.499_999_999,
        65_519.999,
        65_520.0,
        3.4e38,
        3.402_823_5e38,
        1e300,
        5e-324,
    ]);
    let around = |x: f64| [x, x.next_up(), x.next_down(), -x, -x.next_up(), -x.next_down()];
    all.into_iter().flat_map(around).collect()
}

#[test]
fn integers_at_every_power_of_two() {
    macro_rules! integers {
        ($($type:ident)*) => {$(
            let mut values: Vec<$type> = edges().map(|n| n as $type).collect();
            values.extend(samples::<$type>(1, 1000));
            from_real(&values);
        )*};
    }
    integers!(u8 u16 u32 u64 i8 i16 i32 i64);
}

#[test]
fn floats_at_every_edge() {
    let mut doubles = float_edges();
    doubles.extend(samples::<f64>(1, 2000));
    from_real(&doubles);
    let mut singles: Vec<f32> = float_edges().into_iter().map(|x| x as f32).collect();
    singles.extend(samples::<f32>(1, 2000));
    from_real(&singles);
}

#[test]
fn every_value_of_16_bits() {
    from_real(&(0..=u16::MAX).step_by(3).map(F16::from_bits).collect::<Vec<_>>());
    from_real(&(0..=u16::MAX).step_by(3).map(Bf16::from_bits).collect::<Vec<_>>());
}

#[test]
fn complex_numbers_part_by_part() {
    check::<C32, C64>(&samples(1, 500));
    let mut values: Vec<C64> = float_edges().into_iter().map(|x| C64::new(x, -x)).collect();
    values.extend(samples::<C64>(2, 500));
    check::<C64, C32>(&values);
}

#[test]
fn any_strides() {
    let (to, from) =
        (Layout::from_parts(&[5, 7], &[1, -6], 40).unwrap(), Layout::from_parts(&[5, 7], &[-8, 0], 33).unwrap());
    let (before, values) = (samples::<u8>(1, 50), samples::<f32>(2, 40));
    let mut host = before.clone();
    Plan::new([&to, &from]).unwrap().for_each_run(|[at, read], run| {
        for i in 0..run.size as isize {
            let (at, read) = (at.wrapping_add_signed(i * run.strides[0]), read.wrapping_add_signed(i * run.strides[1]));
            host[at] = values[read].convert();
        }
    });
    let mut sim = Sim::new(u32::MAX);
    let at = [sim.upload(&before), sim.upload(&values)];
    sim.run(&mut convert::launch(&Plan::new([&to, &from]).unwrap(), [crate::DType::U8, crate::DType::F32], at));
    assert_agree(&sim.download::<u8>(at[0], before.len()), &host, &"f32 to u8");
}
