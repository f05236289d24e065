//! Copies out of views hold what the views read, in the layout asked for.

use proptest::prelude::*;
use weft_view::prelude::*;

use super::random::{Random, Step, cases, counting, factors, read_step};
use super::twin::{Table, coordinates};

/// Calls `check` with random views and their elements in row-major order.
fn views<D: Device>(device: &D, check: impl Fn(&mut Random, &View<'_, i64, D>, &[i64])) {
    proptest!(cases(150), |(seed: u64)| {
        let mut random = Random(seed);
        let shape = random.shape(4);
        let tensor = counting(device, 1000, &shape);
        let memory = tensor.to_vec().unwrap();
        let (mut view, mut table) = (tensor.view(), Table::fresh(&shape));
        for _ in 0..random.below(5) {
            let step = Step::choose(&mut random, view.shape(), true);
            if let Ok(stepped) = read_step(&view, &step) {
                (view, table) = (stepped, table.step(&step));
            }
        }
        let elements: Vec<_> = table.places.iter().map(|&place| memory[place]).collect();
        check(&mut random, &view, &elements);
    });
}

pub(crate) fn to_contiguous_and_order<D: Device>(device: &D) {
    views(device, |random, view, elements| {
        let copy = view.to_contiguous().unwrap();
        assert!(copy.layout().is_contiguous() && !copy.has_grad() && copy.shape() == view.shape());
        assert_eq!(copy.to_vec().unwrap(), elements);
        let order = random.permutation(view.ndim());
        let copy = view.to_order(&order).unwrap();
        assert_eq!(*copy.layout(), Layout::with_order(view.shape(), &order).unwrap());
        assert_eq!(copy.to_vec().unwrap(), elements);
    });
    let x = counting(device, 0, [2, 3]);
    let refused = x.view().to_order([0, 0]).unwrap_err();
    assert_eq!(refused.to_string(), "with_order: axis 0 is given twice in shape [2, 3]");
}

pub(crate) fn to_selected<D: Device>(device: &D) {
    views(device, |random, view, elements| {
        if view.ndim() == 0 {
            return assert!(view.to_selected(0, &[]).is_err());
        }
        let axis = random.below(view.ndim());
        let size = view.shape()[axis];
        let count = if size == 0 { 0 } else { random.below(6) };
        let indices: Vec<_> = (0..count).map(|_| random.below(size)).collect();
        let copy = view.to_selected(axis as isize - view.ndim() as isize, &indices).unwrap();
        let mut shape = view.shape().to_vec();
        shape[axis] = count;
        assert_eq!(copy.shape(), shape);
        let table = Table::fresh(view.shape());
        let expected: Vec<_> = coordinates(&shape)
            .into_iter()
            .map(|mut at| {
                at[axis] = indices[at[axis]];
                elements[table.at(&at)]
            })
            .collect();
        assert_eq!(copy.to_vec().unwrap(), expected);
    });
    let x = counting(device, 0, [2, 3]);
    let refused = x.view().to_selected(-1, &[0, 3]).unwrap_err();
    assert_eq!(refused.to_string(), "select: index 3 is out of range for axis 1 (size 3) in shape [2, 3]");
    assert!(x.view().to_selected(1, &[usize::MAX]).is_err());
    assert!(x.view().to_selected(2, &[]).is_err());
}

pub(crate) fn to_dtype<D: Device>(device: &D) {
    views(device, |_, view, elements| {
        let copy = view.to_dtype::<u8>().unwrap();
        assert_eq!(copy.shape(), view.shape());
        assert_eq!(copy.to_vec().unwrap(), elements.iter().map(|&value| value as u8).collect::<Vec<_>>());
        let copy = view.to_dtype::<f32>().unwrap();
        assert_eq!(copy.to_vec().unwrap(), elements.iter().map(|&value| value as f32).collect::<Vec<_>>());
    });
}

/// A view exactly where `reshape` is one, and the same elements either way.
pub(crate) fn to_shape<D: Device>(device: &D) {
    views(device, |random, view, elements| {
        let target = factors(random, view.numel());
        let shaped = view.to_shape(&target).unwrap();
        assert_eq!(shaped.is_view(), view.reshape(&target).is_ok());
        assert_eq!(shaped.as_view().shape(), target);
        assert_eq!(shaped.as_view().to_vec().unwrap(), elements);
        assert_eq!(shaped.try_into_tensor().unwrap().to_vec().unwrap(), elements);
    });
    let x = counting(device, 0, [2, 3]);
    assert!(x.view().to_shape([3, -1]).unwrap().is_view());
    let copied = x.view().t().unwrap().to_shape([-1]).unwrap();
    assert!(!copied.is_view());
    assert_eq!(copied.try_into_tensor().unwrap().to_vec().unwrap(), [0, 3, 1, 4, 2, 5]);
    let refused = x.view().to_shape([4]).unwrap_err();
    assert_eq!(refused.to_string(), "copy_plan: 6 elements do not make a shape of 4 in shape [2, 3]");
}

pub(crate) fn cow<D: Device>(device: &D) {
    views(device, |_, view, elements| {
        let cow = view.to_contiguous_cow().unwrap();
        assert_eq!(cow.is_view(), view.is_contiguous());
        assert!(cow.as_view().is_contiguous());
        assert_eq!(cow.as_view().to_vec().unwrap(), elements);
        if let MaybeOwned::View(same) = &cow {
            assert_eq!(same.shares_memory(view), Some(!view.is_empty()));
        }
        assert_eq!(device.tensor(&[0i64], 1).unwrap().view().try_add(&cow).unwrap().to_vec().unwrap(), elements);
    });
}

/// The smallest copy, under the layout of the plan, reads what the view reads.
pub(crate) fn by_plan<D: Device>(device: &D) {
    views(device, |_, view, elements| {
        let flat = view.numel();
        let plan = view.copy_plan([flat]).unwrap();
        let copy = view.to_contiguous_by(&plan).unwrap();
        assert_eq!(copy.numel(), plan.copied());
        let read = copy.view_as(plan.result()).unwrap();
        assert_eq!((read.shape(), read.to_vec().unwrap()), (&[flat][..], elements.to_vec()));
    });
    let x = counting(device, 0, [3, 4]);
    let wide = x.view().unsqueeze(0).unwrap().broadcast_to([8, 3, 4]).unwrap().transpose(1, 2).unwrap();
    let plan = wide.copy_plan([8, 12]).unwrap();
    assert_eq!((plan.copied(), plan.result().to_string()), (12, "(8,12):(0,1)@0".to_string()));
    // A plan of another view is not run: it would read other elements.
    let refused = x.view().to_contiguous_by(&plan).unwrap_err();
    let why = "copy_plan: 12 elements do not make a shape of 96 in shape [3, 4]";
    assert_eq!(refused.to_string(), why);
    let plan = x.view().copy_plan([12]).unwrap();
    let refused = x.view().flip([0]).unwrap().to_contiguous_by(&plan).unwrap_err();
    let why = "to_contiguous_by: the plan was made from another view, not from this one of shape [3, 4]";
    assert_eq!(refused.to_string(), why);
}
