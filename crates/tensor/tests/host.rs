//! What only the host offers: elements by coordinate, slices, comparison.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test, in helpers too")]

use weft_device::Host;
use weft_tensor::{Factory, Tensor};

fn grid() -> Tensor<i32> {
    Host.options().col_major().tensor(&[1, 2, 3, 4, 5, 6], [2, 3]).unwrap()
}

#[test]
fn elements_are_found_by_coordinate() {
    let mut x = grid();
    assert_eq!((x[[0, 0]], x[[0, 2]], x[[1, 0]]), (1, 3, 4));
    x[[1, 2]] = 60;
    *x.get_mut(&[0, 1]).unwrap() = 20;
    assert_eq!(x.to_vec().unwrap(), [1, 20, 3, 4, 5, 60]);
    assert_eq!(x.get(&[1, 2]), Some(&60));
    for outside in [&[2, 0][..], &[0, 3], &[0], &[0, 0, 0], &[], &[usize::MAX, usize::MAX]] {
        assert_eq!(x.get(outside), None, "{outside:?}");
        assert_eq!(x.get_mut(outside), None, "{outside:?}");
    }
    assert_eq!(Host.full((), 3).unwrap()[[]], 3);
    assert_eq!(Host.zeros::<f32>([2, 0]).unwrap().get(&[0, 0]), None);
}

#[test]
#[should_panic(expected = "index: there is no element [0, 3] in shape [2, 3]")]
fn reading_outside_panics() {
    let _ = grid()[[0, 3]];
}

#[test]
#[should_panic(expected = "index: there is no element [2, 0] in shape [2, 3]")]
fn writing_outside_panics() {
    grid()[[2, 0]] = 1;
}

#[test]
#[should_panic(expected = "index: there is no element [0] in shape [2, 3]")]
fn a_coordinate_for_each_axis() {
    let _ = grid()[[0]];
}

#[test]
fn slices_are_in_memory_order() {
    let mut x = grid();
    assert_eq!(x.as_slice(), [1, 4, 2, 5, 3, 6]);
    x.as_mut_slice()[1] = 40;
    assert_eq!(x[[1, 0]], 40);
    assert_eq!(x.as_slice().as_ptr().addr() % 256, 0);
}

#[test]
fn a_clone_is_a_value_of_its_own() {
    let x = Host.tensor(&[1, 2, 3, 4], 4).unwrap();
    let mut copy = x.try_clone().unwrap();
    copy[[0]] = 99;
    assert_eq!((x.to_vec().unwrap(), copy.to_vec().unwrap()), (vec![1, 2, 3, 4], vec![99, 2, 3, 4]));
}

#[test]
fn equality_is_of_coordinates() {
    let x = grid();
    assert_eq!(x, Host.tensor(&[1, 2, 3, 4, 5, 6], [2, 3]).unwrap().without_grad());
    assert_ne!(x, Host.tensor(&[1, 2, 3, 4, 5, 7], [2, 3]).unwrap());
    assert_ne!(x, Host.tensor(&[1, 2, 3, 4, 5, 6], [3, 2]).unwrap());
    assert_ne!(Host.zeros::<u8>([0, 2]).unwrap(), Host.zeros::<u8>([2, 0]).unwrap());
    let nan = Host.full(1, f32::NAN).unwrap();
    assert_ne!(nan, nan.try_clone().unwrap());
}

#[test]
fn approximately_equal() {
    use approx::{
        assert_abs_diff_eq, assert_abs_diff_ne, assert_relative_eq, assert_relative_ne, assert_ulps_eq, assert_ulps_ne,
    };
    let a = Host.options().col_major().tensor(&[1.0f32, 200.0, 3.0, 4.0], [2, 2]).unwrap();
    let b = Host.tensor(&[1.0f32, 200.001, 3.0, 4.0], [2, 2]).unwrap();
    assert_abs_diff_eq!(a, b, epsilon = 0.01);
    assert_abs_diff_ne!(a, b, epsilon = 1e-4);
    assert_relative_eq!(a, b, max_relative = 1e-5);
    assert_relative_ne!(a, b, max_relative = 1e-6);
    assert_ulps_eq!(a, b, max_ulps = 100);
    assert_ulps_ne!(a, b, max_ulps = 4);
    assert_abs_diff_ne!(a, b.reshape([4, 1]).unwrap(), epsilon = 1.0);
}
