//! Random shapes and orders against brute force over coordinates.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test, in helpers too")]

use proptest::prelude::*;
use weft_device::Host;
use weft_tensor::{Error, Factory, Tensor};

/// A shape of up to four axes, none longer than 4, and two orders of its axes.
fn shapes() -> impl Strategy<Value = (Vec<usize>, Vec<usize>, Vec<usize>)> {
    prop::collection::vec(0usize..5, 0..5).prop_flat_map(|shape| {
        let axes: Vec<usize> = (0..shape.len()).collect();
        (Just(shape), Just(axes.clone()).prop_shuffle(), Just(axes).prop_shuffle())
    })
}

/// Every coordinate of `shape`, the last axis fastest.
fn coordinates(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |coords, &size| {
        coords.iter().flat_map(|coord| (0..size).map(|at| [&coord[..], &[at]].concat())).collect()
    })
}

/// What memory holds when element `k` in row-major order is `k`: coordinates sorted with the axes compared in `order`.
fn naive_memory(shape: &[usize], order: &[usize]) -> Vec<i32> {
    let mut elements: Vec<(Vec<usize>, i32)> = coordinates(shape).into_iter().zip(0..).collect();
    elements.sort_by_key(|(coord, _)| order.iter().map(|&axis| coord[axis]).collect::<Vec<_>>());
    elements.into_iter().map(|(_, k)| k).collect()
}

fn made(shape: &[usize], order: &[usize]) -> Tensor<i32> {
    let values: Vec<i32> = (0..shape.iter().product::<usize>() as i32).collect();
    Host.options().order(order).tensor(&values, shape).unwrap()
}

proptest! {
    #[test]
    fn orders((shape, order, other) in shapes()) {
        let x = made(&shape, &order);
        let values: Vec<i32> = (0..x.numel() as i32).collect();
        prop_assert_eq!(x.as_slice(), naive_memory(&shape, &order));
        prop_assert_eq!(x.to_vec().unwrap(), values.clone());
        let mut out = vec![-1; x.numel()];
        x.copy_to_slice(&mut out).unwrap();
        prop_assert_eq!(&out, &values);
        for (coord, k) in coordinates(&shape).iter().zip(0..) {
            prop_assert_eq!(x.get(coord), Some(&k));
        }
        let x = x.into_order(&other).unwrap();
        prop_assert_eq!(x.shape(), shape.clone());
        prop_assert_eq!(x.as_slice(), naive_memory(&shape, &other));
        prop_assert_eq!(x.to_vec().unwrap(), values);
    }

    /// A reshape succeeds exactly where some strides read the same memory in the new shape, and then reads it so.
    #[test]
    fn reshapes((shape, order, _) in shapes(), (target, _, _) in shapes()) {
        let x = made(&shape, &order);
        let (before, memory) = (x.to_vec().unwrap(), x.as_slice().to_vec());
        let place = |k: i32| memory.iter().position(|&at| at == k).unwrap() as isize;
        let coords = coordinates(&target);
        let expressible = coords.len() == before.len() && {
            // One step along each axis from the first element gives the only strides there can be.
            let step = |axis: usize| coords.iter().position(|coord| coord.iter().enumerate().all(|(a, &at)| at == usize::from(a == axis)));
            let strides: Vec<isize> = (0..target.len()).map(|axis| step(axis).map_or(0, |k| place(k as i32) - place(0))).collect();
            coords.iter().zip(0..).all(|(coord, k)| {
                place(k) - place(0) == coord.iter().zip(&strides).map(|(&at, stride)| at as isize * stride).sum::<isize>()
            })
        };
        match x.reshape(&target) {
            Ok(y) => {
                prop_assert!(expressible);
                prop_assert_eq!((y.shape(), y.as_slice(), y.to_vec().unwrap()), (&target[..], &memory[..], before));
            }
            Err(refused) => {
                prop_assert!(!expressible);
                let is_layout = matches!(refused.error, Error::Layout { .. });
                prop_assert!(is_layout);
                prop_assert_eq!((refused.value.shape(), refused.value.to_vec().unwrap()), (&shape[..], before));
            }
        }
    }

    /// `start + i`, each the nearest to the true sum, for as long as the sum is below `stop`.
    #[test]
    fn arange_of_floats(start in -1e3f64..1e3, length in 0.0f64..50.0) {
        let stop = start + length;
        let x = Host.arange(start..stop).unwrap().to_vec().unwrap();
        let n = (0..).take_while(|&i| f64::from(i) < stop - start).count();
        prop_assert_eq!(x, (0..n).map(|i| start + i as f64).collect::<Vec<_>>());
    }

    #[test]
    fn arange_of_integers(start in any::<i8>(), stop in any::<i8>()) {
        let naive: Vec<i8> = (start..stop).collect();
        prop_assert_eq!(Host.arange(start..stop).unwrap().to_vec().unwrap(), naive);
    }

    #[test]
    fn linspace_is_even(start in -100.0f32..100.0, stop in -100.0f32..100.0, n in 2usize..40) {
        let x = Host.linspace(start, stop, n).unwrap().to_vec().unwrap();
        prop_assert_eq!((x.len(), x[0], x[n - 1]), (n, start, stop));
        for (i, &point) in x.iter().enumerate() {
            let t = i as f64 / (n - 1) as f64;
            let exact = f64::from(start) * (1.0 - t) + f64::from(stop) * t;
            prop_assert!((f64::from(point) - exact).abs() <= 1e-5, "{point} at {i}, {exact} expected");
        }
    }
}
