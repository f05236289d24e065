//! Writes reach the elements of the view and nothing beside them: every buffer has room around its view, filled with
//! sentinels.

use proptest::prelude::*;
use weft_view::prelude::*;

use super::random::{Random, Step, cases, counting, read_step, write_step};
use super::twin::Table;

/// What stands where nothing may be written.
const SENTINEL: i64 = -99;

/// A destination of `shape` in a buffer full of sentinels: the buffer, its layout, and where its elements are.
fn room<D: Device>(device: &D, random: &mut Random, shape: &[usize]) -> (Tensor<i64, D>, Layout, Table) {
    let (layout, len) = random.placed(shape);
    let tensor = device.full([len], SENTINEL).unwrap();
    let table = Table::of(&layout);
    (tensor, layout, table)
}

/// A source of `shape` somewhere in a buffer of other numbers, and its elements.
fn source<D: Device>(device: &D, random: &mut Random, shape: &[usize]) -> (Tensor<i64, D>, Layout, Vec<i64>) {
    let (layout, len) = random.placed(shape);
    let tensor = counting(device, 1, len);
    let elements = Table::of(&layout).places.iter().map(|&place| 1 + place as i64).collect();
    (tensor, layout, elements)
}

/// Writing through a random chain that keeps elements apart.
pub(crate) fn fill<D: Device>(device: &D) {
    proptest!(cases(300), |(seed: u64)| {
        let mut random = Random(seed);
        let shape = random.shape(4);
        let (mut tensor, layout, mut table) = room(device, &mut random, &shape);
        let len = tensor.numel();
        let mut view = tensor.view_as_mut(&layout).unwrap();
        for _ in 0..random.below(5) {
            let step = Step::choose(&mut random, view.shape(), false);
            // A refused step consumes the view: ask a reader first.
            if read_step(&view.as_view(), &step).is_ok() {
                (view, table) = (write_step(view, &step).unwrap(), table.step(&step));
            }
        }
        prop_assert_eq!(view.shape(), &table.shape[..]);
        view.fill(7).unwrap();
        let expected: Vec<_> = (0..len).map(|place| if table.places.contains(&place) { 7 } else { SENTINEL }).collect();
        prop_assert_eq!(tensor.to_vec().unwrap(), expected);
    });
}

/// Offset, turned and broadcast sources into offset and turned destinations (huggingface/candle#3940).
pub(crate) fn copy_from<D: Device>(device: &D) {
    proptest!(cases(300), |(seed: u64)| {
        let mut random = Random(seed);
        let shape = random.shape(4);
        let (mut dst, to, places) = room(device, &mut random, &shape);
        let narrower = random.narrower(&shape);
        let (src, from, elements) = source(device, &mut random, &narrower);
        dst.view_as_mut(&to).unwrap().copy_from(src.view_as(&from).unwrap()).unwrap();
        let mut expected = vec![SENTINEL; dst.numel()];
        for (&place, &at) in places.places.iter().zip(&Table::fresh(&narrower).broadcast(&shape).places) {
            expected[place] = elements[at];
        }
        prop_assert_eq!(dst.to_vec().unwrap(), expected);
    });
}

pub(crate) fn copy_to<D: Device>(device: &D) {
    let x = counting(device, 0, [2, 3]);
    let mut y = device.full([4, 2], SENTINEL).unwrap();
    let mut middle = y.view_mut().narrow(0, 0, 3).unwrap();
    x.view().t().unwrap().copy_to(&mut middle).unwrap();
    assert_eq!(y.to_vec().unwrap(), [0, 3, 1, 4, 2, 5, SENTINEL, SENTINEL]);
}

/// Every source element is added to the one destination element that broadcasting would have read for it.
pub(crate) fn accumulate<D: Device>(device: &D) {
    proptest!(cases(300), |(seed: u64)| {
        let mut random = Random(seed);
        let shape = random.shape(4);
        let narrower = random.narrower(&shape);
        let (mut dst, to, places) = room(device, &mut random, &narrower);
        let (src, from, elements) = source(device, &mut random, &shape);
        dst.view_as_mut(&to).unwrap().accumulate(src.view_as(&from).unwrap()).unwrap();
        let mut expected = vec![SENTINEL; dst.numel()];
        for (&at, &element) in places.broadcast(&shape).places.iter().zip(&elements) {
            expected[at] += element;
        }
        prop_assert_eq!(dst.to_vec().unwrap(), expected);
    });
}

/// (3) += ones (4, 3) is (4, 4, 4), and (8, 8, 8) the second time. Overwriting would give (1, 1, 1).
pub(crate) fn gradient_of_a_broadcast<D: Device>(device: &D) {
    let mut bias = device.zeros::<f32>([3]).unwrap();
    let upstream = device.ones::<f32>([4, 3]).unwrap();
    for times in [4.0, 8.0] {
        bias.grad_mut().unwrap().accumulate(&upstream).unwrap();
        assert_eq!(bias.grad().unwrap().to_vec().unwrap(), [times; 3]);
    }
    // A stride of 0 in the source is read as often as it says.
    let wide = device.ones::<f32>([1, 3]).unwrap();
    bias.grad_mut().unwrap().accumulate(wide.view().broadcast_to([100, 3]).unwrap()).unwrap();
    assert_eq!(bias.grad().unwrap().to_vec().unwrap(), [108.0; 3]);
    assert_eq!(bias.to_vec().unwrap(), [0.0; 3]);
    let mut scalar = device.zeros::<f32>(()).unwrap();
    scalar.view_mut().accumulate(&upstream).unwrap();
    assert_eq!(scalar.to_vec().unwrap(), [12.0]);
}

pub(crate) fn refused_writes_write_nothing<D: Device>(device: &D) {
    let mut x = counting(device, 0, [2, 3]);
    let before = x.to_vec().unwrap();
    let wrong = counting(device, 0, [2, 2]);
    let does_not_stretch = |axis: usize, size: usize, to: usize, shape: &str| {
        format!(
            "broadcast_to: axis {axis} has size {size} and does not stretch to {to} (axis {axis} of the target) in shape {shape}"
        )
    };
    let refused = x.view_mut().copy_from(&wrong).unwrap_err();
    assert_eq!(refused.to_string(), does_not_stretch(1, 2, 3, "[2, 2]"));
    let refused = x.view_mut().add_assign(&wrong).unwrap_err();
    assert_eq!(refused.to_string(), does_not_stretch(1, 2, 3, "[2, 2]"));
    let refused = x.view_mut().accumulate(&wrong).unwrap_err();
    assert_eq!(refused.to_string(), does_not_stretch(1, 3, 2, "[2, 3]"));
    let zeros = device.zeros::<i64>([3]).unwrap();
    let refused = x.view_mut().div_assign(&zeros).unwrap_err();
    assert_eq!(refused.to_string(), "div: the divisor at offset 0 is zero");
    assert_eq!(x.to_vec().unwrap(), before);
}
