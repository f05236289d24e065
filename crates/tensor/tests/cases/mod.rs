//! What tensors do on every device: one body each, run by `behaviour.rs` on each of them.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test, in helpers too")]

use weft_device::{Bf16, C32, DType, Device, Element, F16, F32x4, Host};
use weft_tensor::{Error, Factory, Tensor};

/// Runs every body on the device that the expression makes.
#[macro_export]
macro_rules! cases {
    ($dev:expr) => {
        $crate::cases!($dev;
            constructors_fill_what_they_say, every_constructor_has_a_zeroed_gradient, orders_change_memory_and_nothing_else,
            arange_counts_as_numpy_does, linspace_hits_both_ends, eye_has_ones_on_the_diagonal, like_copies_shape_order_and_gradient,
            a_clone_is_independent, transfers_keep_everything, gradients_come_and_go, reshape_moves_and_refuses,
            into_order_keeps_coordinates, into_order_keeps_the_gradient, items_and_slices, fill_and_zero_grad_hit_their_own_buffer,
            empty_tensors_are_tensors, every_element_type,
        );
    };
    ($dev:expr; $($name:ident,)*) => {$(
        #[test]
        fn $name() {
            $crate::cases::$name(&$dev);
        }
    )*};
}

/// The elements in memory order.
fn memory<T: Element, D: Device>(x: &Tensor<T, D>) -> Vec<T> {
    x.parts().0.to_vec().expect("data")
}

/// The gradient in memory order.
fn gradient<T: Element, D: Device>(x: &Tensor<T, D>) -> Vec<T> {
    x.parts().1.expect("a gradient").to_vec().expect("gradient")
}

/// A tensor whose gradient is `data + 100`.
fn with_gradient<D: Device>(dev: &D, data: &[i32], shape: &[usize]) -> Tensor<i32, D> {
    let x = dev.tensor(data, shape).expect("a tensor");
    let raised: Vec<i32> = data.iter().map(|n| n + 100).collect();
    let raised = dev.tensor(&raised, shape).expect("a tensor");
    let (to, from) = (x.parts().1.expect("a gradient"), raised.parts().0);
    let plan = weft_layout::Plan::new([x.layout(), x.layout()]).expect("a plan");
    // SAFETY: D5: `x` is ours, and nobody else uses its gradient meanwhile.
    unsafe { weft_device::ops::copy(&plan, to.borrowed(), from.borrowed()).expect("a copy") };
    x
}

pub(crate) fn constructors_fill_what_they_say<D: Device>(dev: &D) {
    let of = |x: Tensor<f32, D>| (x.shape().to_vec(), x.strides().to_vec(), x.to_vec().expect("elements"));
    assert_eq!(of(dev.zeros([2, 3]).unwrap()), (vec![2, 3], vec![3, 1], vec![0.0; 6]));
    assert_eq!(of(dev.ones((3, 1)).unwrap()), (vec![3, 1], vec![1, 1], vec![1.0; 3]));
    assert_eq!(of(dev.full(2, -2.5).unwrap()), (vec![2], vec![1], vec![-2.5; 2]));
    assert_eq!(of(dev.full((), 7.0).unwrap()), (vec![], vec![], vec![7.0]));
    assert_eq!(of(dev.tensor(&[1.0, 2.0], [1, 2]).unwrap()), (vec![1, 2], vec![2, 1], vec![1.0, 2.0]));
    assert_eq!(of(dev.from_slice(&[1.0, 2.0], [2]).unwrap()), (vec![2], vec![1], vec![1.0, 2.0]));
    assert_eq!(of(dev.from_vec(vec![1.0, 2.0], [2]).unwrap()), (vec![2], vec![1], vec![1.0, 2.0]));
    assert_eq!(of(dev.arange(1.0..4.0).unwrap()), (vec![3], vec![1], vec![1.0, 2.0, 3.0]));
    assert_eq!(of(dev.linspace(1.0, 2.0, 3).unwrap()), (vec![3], vec![1], vec![1.0, 1.5, 2.0]));
    let x = dev.zeros::<f32>([2, 3]).unwrap();
    assert_eq!((x.ndim(), x.numel(), x.is_empty(), x.dtype()), (2, 6, false, DType::F32));
    assert!(x.device().same(dev));
}

pub(crate) fn every_constructor_has_a_zeroed_gradient<D: Device>(dev: &D) {
    let x = dev.full([2, 2], 3.0f32).unwrap();
    let made = [
        dev.zeros([2, 2]),
        dev.ones([2, 2]),
        dev.full([2, 2], 3.0),
        dev.tensor(&[1.0; 4], [2, 2]),
        dev.from_slice(&[1.0; 4], [2, 2]),
        dev.from_vec(vec![1.0; 4], [2, 2]).map_err(Error::from),
        dev.arange(1.0..5.0),
        dev.linspace(1.0, 2.0, 4),
        dev.eye(2),
        dev.zeros_like(&x),
        dev.ones_like(&x),
        dev.full_like(&x, 9.0),
        dev.options().col_major().tensor(&[1.0; 4], [2, 2]),
    ];
    for x in made {
        assert_eq!(gradient(&x.unwrap()), [0.0; 4]);
    }
    let without = dev.options().without_grad();
    let made = [
        without.zeros([2, 2]),
        without.ones([2, 2]),
        without.full([2, 2], 3.0f32),
        without.tensor(&[1.0; 4], [2, 2]),
        without.from_slice(&[1.0; 4], [2, 2]),
        without.from_vec(vec![1.0; 4], [2, 2]).map_err(Error::from),
        without.arange(1.0..5.0),
        without.linspace(1.0, 2.0, 4),
        without.eye(2),
    ];
    for x in made {
        assert!(!x.unwrap().has_grad());
    }
}

pub(crate) fn orders_change_memory_and_nothing_else<D: Device>(dev: &D) {
    let values: Vec<i32> = (0..24).collect();
    let row = dev.tensor(&values, [2, 3, 4]).unwrap();
    assert_eq!((row.strides(), memory(&row)), (&[12, 4, 1][..], values.clone()));
    let col = dev.options().col_major().tensor(&values, [2, 3, 4]).unwrap();
    assert_eq!((col.strides(), col.to_vec().unwrap()), (&[1, 2, 6][..], values.clone()));
    assert_eq!(memory(&col)[..4], [0, 12, 4, 16]);
    let mixed = dev.options().order([1, -1, 0]).tensor(&values, [2, 3, 4]).unwrap();
    assert_eq!((mixed.strides(), mixed.to_vec().unwrap()), (&[1, 8, 2][..], values));
    assert_eq!(memory(&mixed)[..4], [0, 12, 1, 13]);
    assert_eq!(dev.options().col_major().eye::<u8>(2).unwrap().to_vec().unwrap(), [1, 0, 0, 1]);
    assert_eq!(dev.options().col_major().full([2, 2], 5u8).unwrap().strides(), [1, 2]);
}

pub(crate) fn arange_counts_as_numpy_does<D: Device>(dev: &D) {
    let floats = |range| dev.arange::<f64>(range).unwrap().to_vec().unwrap();
    assert_eq!(floats(0.0..3.0), [0.0, 1.0, 2.0]);
    assert_eq!(floats(0.5..3.0), [0.5, 1.5, 2.5]);
    // 4.1 - 1.1 is 2.9999999999999996: rounded up.
    assert_eq!(floats(1.1..4.1).len(), 3);
    // 1.1 - 0.1 is 1.0 in f32 and a little more in f64: the difference is taken in the type.
    assert_eq!(dev.arange(0.1f32..1.1).unwrap().numel(), 1);
    assert_eq!(dev.arange(F16::from_f32(0.1)..F16::from_f32(1.1)).unwrap().numel(), 1);
    assert_eq!(floats(3.0..3.0), []);
    assert_eq!(floats(3.0..-3.0), []);
    assert_eq!(floats(-0.0..0.5).len(), 1);
    // Steps do not add up their errors: every element is start + i, rounded once.
    assert_eq!(floats(0.1..1000.1)[999], 999.1);
    assert_eq!(dev.arange(250u8..255).unwrap().to_vec().unwrap(), [250, 251, 252, 253, 254]);
    assert_eq!(dev.arange(-128i8..127).unwrap().numel(), 255);
    assert_eq!(dev.arange(i64::MIN..i64::MIN + 2).unwrap().to_vec().unwrap(), [i64::MIN, i64::MIN + 1]);
    assert_eq!(dev.arange(u64::MAX - 2..u64::MAX).unwrap().to_vec().unwrap(), [u64::MAX - 2, u64::MAX - 1]);
    let (from, to) = (5u32, 3u32);
    assert_eq!(dev.arange(from..to).unwrap().numel(), 0);
    assert!(matches!(dev.arange(f32::NAN..1.0), Err(Error::Endless { op: "arange", .. })));
    assert!(matches!(dev.arange(0.0..f64::INFINITY), Err(Error::Endless { .. })));
    assert!(matches!(dev.arange(0..u64::MAX), Err(Error::Layout { .. })));
    assert!(matches!(dev.arange(i64::MIN..i64::MAX), Err(Error::Layout { .. })));
    assert!(matches!(dev.arange(0.0..1e300), Err(Error::Layout { .. })));
}

pub(crate) fn linspace_hits_both_ends<D: Device>(dev: &D) {
    let points = |from, to, n| dev.linspace::<f64>(from, to, n).unwrap().to_vec().unwrap();
    assert_eq!(points(0.0, 1.0, 5), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(points(1.0, -1.0, 3), [1.0, 0.0, -1.0]);
    assert_eq!(points(0.0, 1.0, 0), []);
    assert_eq!(points(0.0, 1.0, 1), [0.0]);
    assert_eq!(points(0.0, 1.0, 2), [0.0, 1.0]);
    let ends = points(0.1, 0.7, 8);
    assert_eq!((ends[0], ends[7]), (0.1, 0.7));
    assert_eq!(points(-f64::MAX, f64::MAX, 3), [-f64::MAX, 0.0, f64::MAX]);
    assert_eq!(dev.linspace(0i32, 10, 4).unwrap().to_vec().unwrap(), [0, 3, 6, 10]);
    assert_eq!(dev.linspace(0u64, u64::MAX, 2).unwrap().to_vec().unwrap(), [0, u64::MAX]);
}

pub(crate) fn eye_has_ones_on_the_diagonal<D: Device>(dev: &D) {
    assert_eq!(dev.eye::<i32>(3).unwrap().to_vec().unwrap(), [1, 0, 0, 0, 1, 0, 0, 0, 1]);
    assert_eq!(dev.eye::<C32>(1).unwrap().to_vec().unwrap(), [C32::ONE]);
    assert_eq!(dev.eye::<f32>(0).unwrap().shape(), [0, 0]);
}

pub(crate) fn like_copies_shape_order_and_gradient<D: Device>(dev: &D) {
    let like = dev.options().order([1, 0, 2]).without_grad().full([2, 3, 4], 8i64).unwrap();
    let made = [dev.zeros_like(&like), dev.ones_like(&like), dev.full_like(&like, 5)];
    for (x, value) in made.into_iter().zip([0, 1, 5]) {
        let x = x.unwrap();
        assert_eq!((x.layout(), x.has_grad(), x.to_vec().unwrap()), (like.layout(), false, vec![value; 24]));
    }
    assert!(dev.zeros_like(&dev.zeros::<f32>(1).unwrap()).unwrap().has_grad());
    // The model may be somewhere else.
    assert_eq!(Host.ones_like(&like).unwrap().to_vec().unwrap(), [1; 24]);
}

pub(crate) fn a_clone_is_independent<D: Device>(dev: &D) {
    let x = with_gradient(dev, &[1, 2, 3, 4], &[4]);
    let mut copy = x.try_clone().unwrap();
    assert_eq!((memory(&copy), gradient(&copy)), (vec![1, 2, 3, 4], vec![101, 102, 103, 104]));
    copy.fill(99).unwrap();
    copy.zero_grad().unwrap();
    assert_eq!((memory(&x), gradient(&x)), (vec![1, 2, 3, 4], vec![101, 102, 103, 104]));
    assert_eq!((memory(&copy), gradient(&copy)), (vec![99; 4], vec![0; 4]));
    let turned = dev.options().col_major().without_grad().tensor(&[1, 2, 3, 4], [2, 2]).unwrap();
    let copy = turned.try_clone().unwrap();
    assert_eq!((copy.layout(), memory(&copy), copy.has_grad()), (turned.layout(), vec![1, 3, 2, 4], false));
}

pub(crate) fn transfers_keep_everything<D: Device>(dev: &D) {
    let x = with_gradient(dev, &[1, 2, 3, 4], &[2, 2]).into_order([1, 0]).unwrap();
    let there = x.to_device(&Host).unwrap();
    assert_eq!((there.layout(), memory(&there), gradient(&there)), (x.layout(), memory(&x), gradient(&x)));
    let back = there.to_device(dev).unwrap();
    assert_eq!((back.layout(), memory(&back), gradient(&back)), (x.layout(), memory(&x), gradient(&x)));
    assert!(back.device().same(dev));
    assert!(!x.without_grad().to_device(&Host).unwrap().has_grad());
}

pub(crate) fn gradients_come_and_go<D: Device>(dev: &D) {
    let x = with_gradient(dev, &[1, 2], &[2]);
    let x = x.with_grad().unwrap();
    assert_eq!(gradient(&x), [101, 102]);
    let mut x = x.without_grad();
    assert!(!x.has_grad() && x.parts().1.is_none());
    assert_eq!(x.zero_grad(), Err(Error::NoGrad { op: "zero_grad" }));
    let x = x.with_grad().unwrap();
    assert_eq!((memory(&x), gradient(&x)), (vec![1, 2], vec![0, 0]));
}

pub(crate) fn reshape_moves_and_refuses<D: Device>(dev: &D) {
    let x = with_gradient(dev, &[0, 1, 2, 3, 4, 5], &[6]);
    let address = x.parts().0.borrowed().address();
    let x = x.reshape([2, -1]).unwrap();
    assert_eq!((x.shape(), x.strides(), x.parts().0.borrowed().address()), (&[2, 3][..], &[3, 1][..], address));
    assert_eq!((memory(&x), gradient(&x)[0]), (vec![0, 1, 2, 3, 4, 5], 100));
    let x = x.reshape([4]).unwrap_err().value;
    assert_eq!((x.shape(), memory(&x), gradient(&x)[5]), (&[2, 3][..], vec![0, 1, 2, 3, 4, 5], 105));
    let x = x.into_order([1, 0]).unwrap();
    let refused = x.reshape(6).unwrap_err();
    assert!(matches!(refused.error, Error::Layout { .. }));
    assert_eq!((refused.value.strides(), memory(&refused.value)), (&[1, 2][..], vec![0, 3, 1, 4, 2, 5]));
    assert_eq!(refused.value.reshape([2, 1, 3]).unwrap().strides()[0], 1);
}

pub(crate) fn into_order_keeps_coordinates<D: Device>(dev: &D) {
    let values: Vec<i32> = (0..24).collect();
    let x = dev.tensor(&values, [2, 3, 4]).unwrap();
    let address = x.parts().0.borrowed().address();
    let x = x.into_order([0, 1, 2]).unwrap();
    assert_eq!(x.parts().0.borrowed().address(), address, "the order it had: nothing moves");
    let x = x.into_order([2, 0, 1]).unwrap();
    assert_eq!((x.shape(), x.strides(), x.to_vec().unwrap()), (&[2, 3, 4][..], &[3, 1, 6][..], values.clone()));
    assert_eq!(memory(&x)[..7], [0, 4, 8, 12, 16, 20, 1]);
    let refused = x.into_order([0, 0, 1]).unwrap_err();
    assert!(matches!(refused.error, Error::Layout { .. }));
    assert_eq!(refused.value.strides(), [3, 1, 6]);
    assert_eq!(refused.value.into_order([0, 1, 2]).unwrap().to_vec().unwrap(), values);
}

pub(crate) fn into_order_keeps_the_gradient<D: Device>(dev: &D) {
    let x = with_gradient(dev, &[0, 1, 2, 3, 4, 5], &[2, 3]).into_order([1, 0]).unwrap();
    assert_eq!((memory(&x), gradient(&x)), (vec![0, 3, 1, 4, 2, 5], vec![100, 103, 101, 104, 102, 105]));
    assert!(!x.without_grad().into_order([0, 1]).unwrap().has_grad());
}

pub(crate) fn items_and_slices<D: Device>(dev: &D) {
    assert_eq!(dev.full((), 3u8).unwrap().item(), Ok(3));
    assert_eq!(dev.full([1, 1, 1], -3i16).unwrap().item(), Ok(-3));
    assert!(matches!(dev.zeros::<f32>(2).unwrap().item(), Err(Error::NotOneElement { .. })));
    assert!(matches!(dev.zeros::<f32>(0).unwrap().item(), Err(Error::NotOneElement { .. })));
    let x = dev.options().col_major().tensor(&[1, 2, 3, 4, 5, 6], [2, 3]).unwrap();
    let mut out = [0; 6];
    x.copy_to_slice(&mut out).unwrap();
    assert_eq!(out, [1, 2, 3, 4, 5, 6]);
    let mut short = [7; 5];
    assert!(matches!(x.copy_to_slice(&mut short), Err(Error::Length { given: 5, .. })));
    assert_eq!(short, [7; 5], "a refused call writes nothing");
    let row = x.into_order([0, 1]).unwrap();
    row.copy_to_slice(&mut out).unwrap();
    assert_eq!(out, [1, 2, 3, 4, 5, 6]);
}

pub(crate) fn fill_and_zero_grad_hit_their_own_buffer<D: Device>(dev: &D) {
    let mut x = with_gradient(dev, &[1, 2, 3, 4], &[2, 2]);
    x.fill(7).unwrap();
    assert_eq!((memory(&x), gradient(&x)), (vec![7; 4], vec![101, 102, 103, 104]));
    x.zero_grad().unwrap();
    assert_eq!((memory(&x), gradient(&x)), (vec![7; 4], vec![0; 4]));
}

pub(crate) fn empty_tensors_are_tensors<D: Device>(dev: &D) {
    let mut x = dev.ones::<f64>([2, 0, 3]).unwrap();
    assert!(x.is_empty() && x.has_grad());
    x.fill(1.0).unwrap();
    x.zero_grad().unwrap();
    assert_eq!(x.to_vec().unwrap(), []);
    let x = x.into_order([2, 1, 0]).unwrap().reshape([0, 5]).unwrap();
    assert_eq!(x.try_clone().unwrap().to_device(&Host).unwrap().shape(), [0, 5]);
    assert_eq!(dev.tensor::<u8>(&[], [0, 4]).unwrap().to_string(), "[]");
}

pub(crate) fn every_element_type<D: Device>(dev: &D) {
    fn round_trip<T: Element, D: Device>(dev: &D) {
        let x = dev.tensor(&[T::ONE, T::ZERO, T::ZERO, T::ONE], [2, 2]).expect("a tensor");
        let eye = dev.eye::<T>(2).expect("a tensor");
        assert_eq!(x.to_vec(), eye.to_vec(), "{}", T::DTYPE);
        assert_eq!(x.into_order([1, 0]).expect("an order").to_vec(), eye.to_vec(), "{}", T::DTYPE);
        assert_eq!(dev.ones::<T>(3).expect("a tensor").to_vec(), Ok(vec![T::ONE; 3]));
    }
    round_trip::<u8, D>(dev);
    round_trip::<u16, D>(dev);
    round_trip::<u32, D>(dev);
    round_trip::<u64, D>(dev);
    round_trip::<i8, D>(dev);
    round_trip::<i16, D>(dev);
    round_trip::<i32, D>(dev);
    round_trip::<i64, D>(dev);
    round_trip::<F16, D>(dev);
    round_trip::<Bf16, D>(dev);
    round_trip::<f32, D>(dev);
    round_trip::<f64, D>(dev);
    round_trip::<F32x4, D>(dev);
    round_trip::<C32, D>(dev);
    round_trip::<weft_device::C64, D>(dev);
}
