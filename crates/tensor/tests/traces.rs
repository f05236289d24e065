//! What constructors, copies, moves and drops ask of the device: allocations, copies, frees and their order; and what is
//! left when an allocation fails.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test, in helpers too")]

use weft_device::trace::{Counts, Event, Traced};
use weft_device::{DeviceErrorKind, Host};
use weft_tensor::{Error, Factory, Refused, Result, Tensor};

type Dev = Traced<Host>;
type Made = Result<Tensor<f32, Dev>>;
type Constructor = (&'static str, fn(&Dev) -> Made);

fn device() -> Dev {
    Traced::new(Host)
}

/// Allocations, copies within the device and frees since the last call.
#[track_caller]
fn expect(dev: &Dev, allocs: usize, copies: usize, frees: usize) {
    let Counts { allocs: a, copies: c, frees: f, .. } = dev.counts();
    assert_eq!((a, c, f), (allocs, copies, frees), "allocations, copies, frees: {:?}", dev.events());
    dev.take_events();
}

/// The numbers of the allocations that were freed, in order.
fn freed(dev: &Dev) -> Vec<u64> {
    let id = |event| match event {
        Event::Free { id } => Some(id),
        _ => None,
    };
    dev.take_events().into_iter().filter_map(id).collect()
}

/// Every way to make a tensor.
fn constructors() -> Vec<Constructor> {
    vec![
        ("zeros", |dev| dev.zeros([2, 3])),
        ("ones", |dev| dev.ones([2, 3])),
        ("full", |dev| dev.full([2, 3], 1.5)),
        ("arange", |dev| dev.arange(0.0..6.0)),
        ("linspace", |dev| dev.linspace(0.0, 1.0, 6)),
        ("eye", |dev| dev.eye(3)),
        ("tensor", |dev| dev.tensor(&[1.0; 6], [2, 3])),
        ("from_slice", |dev| dev.from_slice(&[1.0; 6], [2, 3])),
        ("from_vec", |dev| Ok(dev.from_vec(vec![1.0; 6], [2, 3])?)),
        ("col-major zeros", |dev| dev.options().col_major().zeros([2, 3])),
        ("col-major tensor", |dev| dev.options().col_major().tensor(&[1.0; 6], [2, 3])),
        ("zeros_like", |dev| dev.zeros_like(&Host.zeros([2, 3])?)),
        ("ones_like", |dev| dev.ones_like(&Host.zeros([2, 3])?)),
        ("full_like", |dev| dev.full_like(&Host.zeros([2, 3])?, 1.5)),
        ("to_device", |dev| Host.ones([2, 3])?.to_device(dev)),
    ]
}

#[test]
fn construction_is_two_allocations_and_nothing_is_zero() {
    for (name, make) in constructors() {
        let dev = device();
        let x = make(&dev).unwrap();
        let Counts { allocs, copies, frees, .. } = dev.counts();
        assert_eq!((allocs, copies, frees), (2, 0, 0), "{name}: {:?}", dev.events());
        drop(x);
        assert_eq!(freed(&dev), [1, 2], "{name}");
    }
    let dev = device();
    let x = dev.zeros::<f32>([2, 3, 4]).unwrap();
    let sizes = dev.events().iter().all(|event| matches!(event, Event::Alloc { bytes: 96, zeroed: true, .. }));
    assert!(sizes && dev.events().len() == 2, "{:?}", dev.events());
    drop(x);
}

#[test]
fn without_a_gradient_one_allocation() {
    let dev = device();
    let x = dev.options().without_grad().zeros::<f32>([2, 3]).unwrap();
    expect(&dev, 1, 0, 0);
    let copy = x.try_clone().unwrap();
    expect(&dev, 1, 1, 0);
    let x = x.with_grad().unwrap();
    expect(&dev, 1, 0, 0);
    let x = x.with_grad().unwrap();
    expect(&dev, 0, 0, 0);
    let x = x.without_grad();
    expect(&dev, 0, 0, 1);
    drop((x, copy));
    expect(&dev, 0, 0, 2);
}

#[test]
fn no_elements_no_allocation() {
    let dev = device();
    let x = dev.full([2, 0, 3], 1.0f32).unwrap();
    let copy = x.try_clone().unwrap().into_order([2, 1, 0]).unwrap();
    assert_eq!(copy.to_vec().unwrap(), []);
    drop((x, copy, dev.arange(3.0..1.0).unwrap(), dev.tensor::<u8>(&[], [0]).unwrap()));
    assert_eq!(dev.events(), []);
}

#[test]
fn a_clone_is_two_allocations_and_two_copies() {
    let dev = device();
    let x = dev.zeros::<f32>([2, 3, 4]).unwrap();
    dev.take_events();
    let copy = x.try_clone().unwrap();
    expect(&dev, 2, 2, 0);
    drop((x, copy));
    expect(&dev, 0, 0, 4);
}

#[test]
fn moves_and_reshapes_ask_nothing() {
    fn pass(x: Tensor<f32, Dev>) -> Tensor<f32, Dev> {
        x
    }
    let dev = device();
    let x = dev.zeros::<f32>([2, 3]).unwrap();
    dev.take_events();
    let boxed = Box::new(pass(x));
    let y = boxed.reshape([3, 2]).unwrap().reshape([7]).unwrap_err().value.into_order([0, 1]).unwrap();
    assert_eq!(dev.events(), []);
    drop(y);
    assert_eq!(freed(&dev), [1, 2]);
}

#[test]
fn later_tensors_are_freed_first_and_of_each_the_data_first() {
    let dev = device();
    {
        let _first = dev.zeros::<f32>([2]).unwrap();
        let _second = dev.zeros::<f32>([2]).unwrap();
    }
    assert_eq!(freed(&dev), [3, 4, 1, 2]);
}

#[test]
fn another_order_is_two_allocations_and_gives_the_old_ones_back() {
    let dev = device();
    let x = dev.zeros::<f32>([2, 3]).unwrap();
    dev.take_events();
    let x = x.into_order([1, 0]).unwrap();
    let runs = dev.counts().runs;
    expect(&dev, 2, 0, 2);
    assert_eq!(runs, 2);
    x.to_vec().unwrap();
    // Re-laid on the device, then fetched.
    expect(&dev, 1, 0, 1);
}

#[test]
fn a_constructor_that_fails_leaves_nothing() {
    for (name, make) in constructors() {
        for n in 0..2 {
            let dev = device();
            dev.fail_allocation_after(n);
            let refused = make(&dev).unwrap_err();
            assert!(out_of_memory(&refused), "{name}: {refused}");
            let counts = dev.counts();
            assert_eq!((counts.allocs, counts.frees), (n, n), "{name}: {:?}", dev.events());
        }
        let dev = device();
        dev.fail_allocation_after(2);
        assert!(make(&dev).is_ok(), "{name} takes a third allocation");
    }
}

#[test]
fn a_vector_comes_back() {
    for n in 0..2 {
        let dev = device();
        dev.fail_allocation_after(n);
        let refused: Refused<Vec<f32>> = dev.from_vec(vec![1.0, 2.0], 2).unwrap_err();
        assert!(out_of_memory(&refused.error));
        assert_eq!(refused.value, [1.0, 2.0]);
    }
}

#[test]
fn a_copy_that_fails_leaves_nothing() {
    for n in 0..2 {
        let dev = device();
        let x = dev.tensor(&[1.0f32, 2.0], 2).unwrap();
        dev.take_events();
        dev.fail_allocation_after(n);
        assert!(out_of_memory(&x.try_clone().unwrap_err()));
        let counts = dev.counts();
        assert_eq!((counts.allocs, counts.frees), (n, n), "{:?}", dev.events());
        assert_eq!(x.to_vec().unwrap(), [1.0, 2.0]);
    }
}

#[test]
fn a_gradient_that_fails_gives_the_tensor_back() {
    let dev = device();
    let x = dev.tensor(&[1.0f32, 2.0], 2).unwrap().without_grad();
    dev.take_events();
    dev.fail_allocation_after(0);
    let refused = x.with_grad().unwrap_err();
    assert!(out_of_memory(&refused.error));
    assert_eq!((refused.value.to_vec().unwrap(), refused.value.has_grad()), (vec![1.0, 2.0], false));
    expect(&dev, 0, 0, 0);
    assert!(refused.value.with_grad().unwrap().has_grad());
}

#[test]
fn an_order_that_fails_gives_the_tensor_back() {
    for n in 0..2 {
        let dev = device();
        let x = dev.tensor(&[1.0f32, 2.0, 3.0, 4.0], [2, 2]).unwrap();
        dev.take_events();
        dev.fail_allocation_after(n);
        let refused = x.into_order([1, 0]).unwrap_err();
        assert!(out_of_memory(&refused.error));
        expect(&dev, n, 0, n);
        assert_eq!(refused.value.strides(), [2, 1]);
        assert_eq!(refused.value.to_vec().unwrap(), [1.0, 2.0, 3.0, 4.0]);
        assert!(refused.value.has_grad());
    }
}

#[test]
fn printing_says_why_there_is_nothing_to_print() {
    let dev = device();
    let x = dev.options().col_major().zeros::<f32>([2, 3]).unwrap();
    dev.fail_allocation_after(0);
    assert_eq!(x.to_string(), "<alloc: out of memory, 24 bytes were requested>");
    assert_eq!(x.to_string(), "[[0. 0. 0.]\n [0. 0. 0.]]");
}

fn out_of_memory(error: &Error) -> bool {
    matches!(error, Error::Device(error) if matches!(error.kind(), DeviceErrorKind::OutOfMemory { .. }))
}
