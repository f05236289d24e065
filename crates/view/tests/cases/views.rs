//! Views read what their twin says, whatever they were made from.

use proptest::prelude::*;
use weft_view::Error;
use weft_view::prelude::*;

use super::random::{Random, Step, cases, counting, read_step};
use super::twin::Table;

/// A random chain, and after every step the elements of the view against those at the places that the twin wrote down.
pub(crate) fn chains<D: Device>(device: &D) {
    proptest!(cases(400), |(seed: u64)| {
        let mut random = Random(seed);
        let shape = random.shape(4);
        let tensor = counting(device, 1000, &shape);
        let memory = tensor.to_vec().unwrap();
        let (mut view, mut table) = (tensor.view(), Table::fresh(&shape));
        for _ in 0..random.below(6) {
            let step = Step::choose(&mut random, view.shape(), true);
            let next = table.step(&step);
            match read_step(&view, &step) {
                Ok(stepped) => (view, table) = (stepped, next),
                Err(refused) => prop_assert!(may_be_refused(&step), "{step:?} of {}: {refused}", view.layout()),
            }
            prop_assert_eq!(view.shape(), &table.shape[..]);
            let expected: Vec<_> = table.places.iter().map(|&place| memory[place]).collect();
            prop_assert_eq!(view.to_vec().unwrap(), expected, "after {:?}: {}", step, view.layout());
        }
    });
}

fn may_be_refused(step: &Step) -> bool {
    matches!(step, Step::Reshape(_) | Step::Flatten(..))
}

/// Halves and chunks, of views to read and to write: together they are the whole, in order.
pub(crate) fn pieces_cover_the_whole<D: Device>(device: &D) {
    for axis in [0isize, 1, -1] {
        let mut tensor = counting(device, 0, [4, 5, 3]);
        let size = tensor.view().transpose(0, axis).unwrap().shape()[0];
        for mid in 0..=size {
            let (first, second) = tensor.view().split_at(axis, mid).unwrap();
            assert_eq!(first.to_vec().unwrap(), tensor.view().narrow(axis, 0, mid).unwrap().to_vec().unwrap());
            assert_eq!(
                second.to_vec().unwrap(),
                tensor.view().narrow(axis, mid, size - mid).unwrap().to_vec().unwrap()
            );
        }
        for chunk in 1..=size + 1 {
            let starts = (0..size).step_by(chunk);
            let chunks = tensor.view().chunks(axis, chunk).unwrap();
            assert_eq!(chunks.len(), starts.len());
            for (start, part) in starts.clone().zip(chunks) {
                let expected = tensor.view().narrow(axis, start, chunk.min(size - start)).unwrap();
                assert_eq!(part.to_vec().unwrap(), expected.to_vec().unwrap());
            }
            let mut copy = tensor.try_clone().unwrap();
            for (k, mut part) in copy.view_mut().chunks_mut(axis, chunk).unwrap().enumerate() {
                part.fill(k as i64).unwrap();
            }
            for (k, start) in starts.enumerate() {
                let part = copy.view().narrow(axis, start, chunk.min(size - start)).unwrap();
                assert!(part.to_vec().unwrap().iter().all(|&value| value == k as i64));
            }
        }
        let (mut first, mut second) = tensor.view_mut().split_at_mut(axis, 1).unwrap();
        first.copy_from(second.as_view().narrow(axis, 0, 1).unwrap()).unwrap();
        second.fill(-1).unwrap();
        let kept = tensor.view().narrow(axis, 0, 1).unwrap().to_vec().unwrap();
        let expected = counting(device, 0, [4, 5, 3]).view().narrow(axis, 1, 1).unwrap().to_vec().unwrap();
        assert_eq!(kept, expected);
    }
    let empty = counting(device, 0, [0, 2]);
    assert_eq!(empty.view().chunks(0, 3).unwrap().len(), 0);
    assert_eq!(empty.view().chunks(1, 1).unwrap().map(|chunk| chunk.numel()).collect::<Vec<_>>(), [0, 0]);
}

/// The same layout over a tensor and over a buffer reads the same; what does not fit is refused, and so is aliasing
/// to write.
pub(crate) fn sources<D: Device>(device: &D) {
    let mut tensor = counting(device, 0, 12);
    let mut buffer = Buffer::from_slice(device, &tensor.to_vec().unwrap()).unwrap();
    let layout = Layout::from_parts(&[3, 2], &[-4, 3], 8).unwrap();
    let expected = [8, 11, 4, 7, 0, 3];
    assert_eq!(tensor.view_as(&layout).unwrap().to_vec().unwrap(), expected);
    assert_eq!(buffer.view_as(&layout).unwrap().to_vec().unwrap(), expected);
    assert_eq!(View::from_buffer(&buffer, layout.clone()).unwrap().to_vec().unwrap(), expected);
    assert_eq!(tensor.view().as_strided([3, 2], &[-4, 3], 8).unwrap().to_vec().unwrap(), expected);
    for view in [tensor.view_as_mut(&layout), buffer.view_as_mut(&layout)] {
        view.unwrap().fill(-1).unwrap();
    }
    let written = [-1, 1, 2, -1, -1, 5, 6, -1, -1, 9, 10, -1];
    assert_eq!(tensor.to_vec().unwrap(), written);
    assert_eq!(buffer.to_vec().unwrap(), written);

    let too_long = Layout::row_major([13]).unwrap();
    let refused = "fits: needs a buffer of 13 elements, there are 12 in shape [13]";
    assert_eq!(tensor.view_as(&too_long).unwrap_err().to_string(), refused);
    assert_eq!(buffer.view_as_mut(&too_long).unwrap_err().to_string(), refused);
    let twice = Layout::row_major([4]).unwrap().broadcast_to([2, 4]).unwrap();
    assert_eq!(tensor.view_as(&twice).unwrap().numel(), 8);
    let refused = "as_strided: elements 0 and 4 (in row-major order) are both at offset 0 in shape [2, 4]";
    assert_eq!(tensor.view_as_mut(&twice).unwrap_err().to_string(), refused);

    // Around a piece the elements belong to somebody else, for reading too.
    let (left, right) = tensor.view_mut().split_at_mut(0, 6).unwrap();
    let refused = "as_strided: the view is a piece of a split, the elements around it belong to others";
    assert_eq!(left.as_view().as_strided([1], &[1], 0).unwrap_err().to_string(), refused);
    assert!(matches!(right.t(), Err(Error::Layout { .. })));
    assert_eq!(left.as_strided([1], &[1], 0).unwrap_err().to_string(), refused);
}

/// Data and gradient of one tensor at once, each way round.
pub(crate) fn pairs<D: Device>(device: &D) {
    let mut x = counting(device, 1, [2, 2]);
    {
        let (data, mut grad) = x.data_and_grad_mut().unwrap();
        grad.copy_from(data.t().unwrap()).unwrap();
    }
    assert_eq!(x.grad().unwrap().to_vec().unwrap(), [1, 3, 2, 4]);
    {
        let (mut data, grad) = x.data_mut_and_grad().unwrap();
        data.sub_assign(&grad).unwrap();
    }
    assert_eq!(x.to_vec().unwrap(), [0, -1, 1, 0]);
    assert_eq!(x.grad().unwrap().to_vec().unwrap(), [1, 3, 2, 4]);
    let mut x = x.without_grad();
    for (refused, op) in [
        (x.grad().unwrap_err(), "grad"),
        (x.grad_mut().unwrap_err(), "grad_mut"),
        (x.data_and_grad_mut().unwrap_err(), "data_and_grad_mut"),
        (x.data_mut_and_grad().unwrap_err(), "data_mut_and_grad"),
    ] {
        assert_eq!(refused.to_string(), format!("{op}: the tensor has no gradient"));
    }
}

pub(crate) fn transposed_write_reaches_the_owner<D: Device>(device: &D) {
    let mut x = counting(device, 0, [2, 2]);
    x.view_mut().t().unwrap().narrow(0, 0, 1).unwrap().narrow(1, 1, 1).unwrap().fill(100).unwrap();
    assert_eq!(x.to_vec().unwrap(), [0, 1, 100, 3]);
    let mut w = x.view_mut();
    w.reborrow().select(0, 0).unwrap().fill(7).unwrap();
    w.fill(8).unwrap();
    assert_eq!(x.to_vec().unwrap(), [8; 4]);
}

pub(crate) fn printed<D: Device>(device: &D) {
    let x = counting(device, 0, [40, 30]);
    let y = x.view().t().unwrap();
    assert_eq!(y.to_string(), y.to_contiguous().unwrap().to_string());
    let small = x.view().narrow(0, 0, 2).unwrap().narrow(1, 0, 2).unwrap();
    assert_eq!(small.to_string(), "[[ 0  1]\n [30 31]]");
    let name = device.name();
    assert_eq!(format!("{small:?}"), format!("View<i64> (2,2):(30,1)@0 on {name}\n[[ 0  1]\n [30 31]]"));
    // Only what is printed is fetched.
    let endless = x.view().select(0, 0).unwrap().broadcast_to([1 << 40, 30]).unwrap();
    assert!(endless.to_string().starts_with("[[ 0  1  2 ... 27 28 29]\n"), "{endless}");
}

pub(crate) fn recast_both_ways<D: Device>(device: &D) {
    let values: Vec<_> = (0..24).map(|i| i as f32).collect();
    let mut x = device.tensor(&values, [3, 8]).unwrap();
    let quads = x.view().recast::<F32x4>().unwrap();
    assert_eq!(quads.layout().to_string(), "(3,2):(2,1)@0");
    let right = quads.select(1, 1).unwrap().flip([0]).unwrap();
    let read = right.to_vec().unwrap();
    assert_eq!(read, [20.0, 12.0, 4.0].map(|at| F32x4([at, at + 1.0, at + 2.0, at + 3.0])));
    assert_eq!(
        right.recast::<f32>().unwrap_err().to_string(),
        "recast: the last axis has stride -2, needed 1 in shape [3]"
    );
    let back = right.unsqueeze(-1).unwrap().recast::<f32>().unwrap();
    assert_eq!(back.layout().to_string(), "(3,4):(-8,1)@20");
    let pairs = x.view().narrow(1, 2, 4).unwrap().recast::<C32>().unwrap();
    assert_eq!(pairs.to_vec().unwrap()[1], C32 { re: 4.0, im: 5.0 });
    assert_eq!(x.view().recast::<u32>().unwrap().to_vec().unwrap()[1], 1.0f32.to_bits());

    let refused = |view: View<'_, f32, D>| view.recast::<F32x4>().unwrap_err().to_string();
    assert_eq!(
        refused(x.view().narrow(1, 0, 6).unwrap()),
        "recast: size 6 of axis 1 does not divide by 4 in shape [3, 6]"
    );
    assert_eq!(refused(x.view().t().unwrap()), "recast: size 3 of axis 1 does not divide by 4 in shape [8, 3]");
    assert_eq!(refused(x.view().narrow(1, 2, 4).unwrap()), "recast: offset 2 does not divide by 4 in shape [3, 4]");
    x.view_mut().recast::<F32x4>().unwrap().narrow(1, 0, 1).unwrap().fill(F32x4([-1.0; 4])).unwrap();
    assert_eq!(x.to_vec().unwrap()[..6], [-1.0, -1.0, -1.0, -1.0, 4.0, 5.0]);
}

/// Against the twin: two views share memory exactly where their tables meet.
pub(crate) fn shared_memory<D: Device>(device: &D) {
    let tensor = counting(device, 0, [6, 8]);
    let other = tensor.try_clone().unwrap();
    proptest!(cases(300), |(seed: u64)| {
        let mut random = Random(seed);
        let mut chain = || {
            let (mut view, mut table) = (tensor.view(), Table::fresh(&[6, 8]));
            for _ in 0..random.below(5) {
                let step = Step::choose(&mut random, view.shape(), true);
                if let Ok(stepped) = read_step(&view, &step) {
                    (view, table) = (stepped, table.step(&step));
                }
            }
            (view, table)
        };
        let ((a, places_a), (b, places_b)) = (chain(), chain());
        let meet = places_a.places.iter().any(|place| places_b.places.contains(place));
        prop_assert_eq!(a.shares_memory(&b), Some(meet), "{} and {}", a.layout(), b.layout());
        let elsewhere = other.view_as(b.layout()).unwrap();
        prop_assert_eq!(a.shares_memory(elsewhere), Some(false));
    });
    let x = device.zeros::<f32>([8]).unwrap();
    // The same bytes as complex numbers; two that start half an element apart are among the tests of the host.
    let (even, odd) = (x.view().narrow(0, 0, 4).unwrap(), x.view().narrow(0, 4, 4).unwrap());
    let (even, odd) = (even.recast::<C32>().unwrap(), odd.recast::<C32>().unwrap());
    assert_eq!((even.shares_memory(&odd), even.shares_memory(&even)), (Some(false), Some(true)));
}
