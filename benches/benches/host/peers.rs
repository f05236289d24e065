//! The same work in ndarray and in candle.

use std::cell::RefCell;
use std::rc::Rc;

use candle_core::backend::BackendStorage;
use candle_core::{Device, WithDType};
use ndarray::{Array, ArrayD, ArrayView, ArrayViewD, ArrayViewMut, Axis, Dimension, IxDyn, Zip};
use ndarray::{Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, LinalgScalar, ShapeBuilder};
use weft_view::Tensor;

use crate::arena::{Arena, Inputs, Number, Place};
use crate::cases::{Case, Operand, Step, Work};
use crate::contender::{Contender, Into, Making, Own};

type Contenders<T> = Vec<Box<dyn Contender<T>>>;

/// The place as a view of ndarray: non-negative strides over the part from its lowest address, then turned round.
fn view<'a, T>(place: &Place, memory: &'a [T]) -> ArrayViewD<'a, T> {
    let turned = |axis: &usize| place.strides[*axis] < 0;
    let back = (0..place.shape.len()).filter(turned);
    let low = back.clone().fold(place.offset, |at, axis| at + place.strides[axis] * (place.shape[axis] as isize - 1));
    let strides: Vec<usize> = place.strides.iter().map(|s| s.unsigned_abs()).collect();
    let shape = IxDyn(&place.shape).strides(IxDyn(&strides));
    let mut view = ArrayView::from_shape(shape, &memory[low as usize..]).expect("a view of the source");
    back.for_each(|axis| view.invert_axis(Axis(axis)));
    view
}

/// With the rank in the type, as somebody would write it who cares for speed.
macro_rules! with_rank {
    ($rank:expr, $function:ident::<$type:ident>($($arg:expr),*)) => {
        match $rank {
            1 => $function::<$type, Ix1>($($arg),*),
            2 => $function::<$type, Ix2>($($arg),*),
            3 => $function::<$type, Ix3>($($arg),*),
            4 => $function::<$type, Ix4>($($arg),*),
            5 => $function::<$type, Ix5>($($arg),*),
            6 => $function::<$type, Ix6>($($arg),*),
            _ => $function::<$type, IxDyn>($($arg),*),
        }
    };
}

fn assign<T: Number, D: Dimension>(place: &Place, threads: usize, source: &[T], dst: &mut [T]) {
    let source = view(place, source).into_dimensionality::<D>().expect("the rank of the view");
    let dst = ArrayViewMut::from_shape(IxDyn(&place.shape), dst).expect("the shape of the view");
    let mut dst = dst.into_dimensionality::<D>().expect("the rank of the view");
    if threads == 1 {
        dst.assign(&source);
    } else {
        Zip::from(&mut dst).and(&source).par_for_each(|to, &from| *to = from);
    }
}

fn standard<T: Number, D: Dimension>(place: &Place, source: &[T]) -> ArrayD<T> {
    let view = view(place, source).into_dimensionality::<D>().expect("the rank of the view");
    view.as_standard_layout().into_owned().into_dyn()
}

fn elements<T: Clone, D: Dimension>(array: &Array<T, D>) -> Vec<T> {
    array.iter().cloned().collect()
}

/// The peers at the copies, of any type.
pub(crate) fn copies<T: Number>(case: &Case, arena: &Arena<T>, threads: &[usize]) -> Contenders<T> {
    let place = Place::of(case);
    let rank = place.shape.len();
    match case.work {
        Work::Copy => {
            let mut contenders = Contenders::new();
            for &threads in threads {
                let place = place.clone();
                let run = move |inputs: &Inputs<T>, dst: &mut Tensor<T>| {
                    let (source, dst) = (inputs.source.as_slice(), dst.as_mut_slice());
                    with_rank!(rank, assign::<T>(&place, threads, source, dst));
                };
                contenders.push(Box::new(Into { name: "ndarray", threads, output: 0, run }));
            }
            contenders.extend(candle_copy(&place, arena));
            contenders
        }
        Work::Recycled | Work::Cold => {
            let run = move |inputs: &Inputs<T>| with_rank!(rank, standard::<T>(&place, inputs.source.as_slice()));
            let kept = (case.work == Work::Cold).then(Vec::new);
            let ndarray = Making { name: "ndarray", threads: 1, run, read: elements, kept };
            vec![Box::new(ndarray)]
        }
        _ => Contenders::new(),
    }
}

/// candle's copy into a buffer that is there. It has no negative strides, and not every type.
fn candle_copy<T: Number>(place: &Place, arena: &Arena<T>) -> Option<Box<dyn Contender<T>>> {
    if place.strides.iter().any(|&s| s < 0) {
        return None;
    }
    let strides = place.strides.iter().map(|&s| s as usize).collect();
    let layout = candle_core::Layout::new(place.shape.clone().into(), strides, place.offset as usize);
    let source = T::storage(arena.inputs.source.as_slice().to_vec())?;
    let dst = Rc::new(RefCell::new(T::storage(vec![T::of(99); layout.shape().elem_count()])?));
    let result = Rc::clone(&dst);
    let run = move || source.copy_strided_src(&mut dst.borrow_mut(), 0, &layout).expect("a copy");
    let agrees = move |expected: &[T]| T::stored(&result.borrow()).is_some_and(|values| values == expected);
    Some(Box::new(Own { name: "candle", threads: 1, run, agrees }))
}

/// The peers at everything that is not a copy, and candle's `contiguous`.
pub(crate) fn arithmetic<T>(case: &Case, arena: &Arena<T>, threads: &[usize]) -> Contenders<T>
where
    T: Number + LinalgScalar + WithDType,
{
    let [n, m] = [case.base[0], case.base[case.base.len() - 1]];
    let mut contenders: Contenders<T> = match case.work {
        Work::Fill(value) => {
            let run = move |_: &Inputs<T>, dst: &mut Tensor<T>| matrix_mut([n, m], dst).fill(T::of(value));
            vec![Box::new(Into { name: "ndarray", threads: 1, output: 0, run })]
        }
        Work::Sum(axis) => {
            let run = move |inputs: &Inputs<T>| matrix([n, m], &inputs.source).sum_axis(Axis(axis));
            vec![Box::new(Making { name: "ndarray", threads: 1, run, read: elements, kept: None })]
        }
        Work::Add(how) => threads.iter().map(|&threads| ndarray_add([n, m], how, threads)).collect(),
        Work::Pad => {
            let run = move |inputs: &Inputs<T>, dst: &mut Tensor<T>| {
                let mut dst = matrix_mut([n + 2, m + 2], dst);
                for axis in [Axis(0), Axis(1)] {
                    let end = dst.len_of(axis) - 1;
                    dst.index_axis_mut(axis, 0).fill(T::ZERO);
                    dst.index_axis_mut(axis, end).fill(T::ZERO);
                }
                dst.slice_mut(ndarray::s![1..=n, 1..=m]).assign(&matrix([n, m], &inputs.source));
            };
            vec![Box::new(Into { name: "ndarray", threads: 1, output: 0, run })]
        }
        _ => Contenders::new(),
    };
    contenders.extend(candle_makes(case, arena));
    contenders
}

fn matrix<T: Number>([n, m]: [usize; 2], tensor: &Tensor<T>) -> ArrayView<'_, T, Ix2> {
    ArrayView::from_shape((n, m), tensor.as_slice()).expect("the shape of the tensor")
}

fn matrix_mut<T: Number>([n, m]: [usize; 2], tensor: &mut Tensor<T>) -> ArrayViewMut<'_, T, Ix2> {
    ArrayViewMut::from_shape((n, m), tensor.as_mut_slice()).expect("the shape of the tensor")
}

fn ndarray_add<T: Number + LinalgScalar>([n, m]: [usize; 2], how: Operand, threads: usize) -> Box<dyn Contender<T>> {
    let run = move |inputs: &Inputs<T>, dst: &mut Tensor<T>| {
        let operand = inputs.operand.as_ref().expect("an operand");
        let b = match how {
            Operand::Same => matrix([n, m], operand),
            Operand::Row => matrix([1, m], operand),
            Operand::Transposed => matrix([m, n], operand).reversed_axes(),
        };
        let mut dst = matrix_mut([n, m], dst);
        let zip = Zip::from(&mut dst).and(matrix([n, m], &inputs.source));
        let zip = zip.and_broadcast(&b);
        let add = |to: &mut T, &a: &T, &b: &T| *to = a + b;
        if threads == 1 { zip.for_each(add) } else { zip.par_for_each(add) }
    };
    Box::new(Into { name: "ndarray", threads, output: 0, run })
}

/// What candle makes in memory of its own.
fn candle_makes<T: Number + WithDType>(case: &Case, arena: &Arena<T>) -> Option<Box<dyn Contender<T>>> {
    use candle_core::Tensor;
    let tensor = |tensor: &weft_view::Tensor<T>| {
        Tensor::from_slice(tensor.as_slice(), tensor.shape(), &Device::Cpu).expect("memory for the source")
    };
    let source = tensor(&arena.inputs.source);
    let b = arena.inputs.operand.as_ref().map(tensor);
    let run: Box<dyn FnMut() -> candle_core::Result<Tensor>> = match case.work {
        Work::Recycled | Work::Cold => {
            let view = case.steps.iter().try_fold(source, |view, step| match step {
                Step::Permute(axes) => view.permute(&axes[..]).ok(),
                Step::Inset => {
                    (0..view.rank()).try_fold(view, |view, axis| view.narrow(axis, 1, view.dims()[axis] - 2).ok())
                }
                _ => None,
            })?;
            Box::new(move || view.contiguous())
        }
        Work::Sum(axis) => Box::new(move || source.sum(axis)),
        Work::Add(how) => {
            let b = if how == Operand::Transposed { b?.t().ok()? } else { b? };
            Box::new(move || source.broadcast_add(&b))
        }
        Work::Pad => Box::new(move || source.pad_with_zeros(0, 1, 1)?.pad_with_zeros(1, 1, 1)),
        Work::Copy | Work::Fill(_) => return None,
    };
    let mut run = run;
    let run = move |_: &Inputs<T>| run().expect("what candle makes");
    let read = |tensor: &Tensor| tensor.flatten_all().and_then(|flat| flat.to_vec1::<T>()).expect("its elements");
    let kept = (case.work == Work::Cold).then(Vec::new);
    Some(Box::new(Making { name: "candle", threads: 1, run, read, kept }))
}
