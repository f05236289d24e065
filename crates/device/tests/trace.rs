//! What a device is asked to do, in order: no allocation, copy or free more than there must be.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use weft_device::trace::{Counts, Event, Traced};
use weft_device::{BinaryOp, Buffer, Device, DeviceErrorKind, Host, ops};
use weft_layout::{Layout, Plan, ReducePlan};

fn traced() -> Traced<Host> {
    Traced::new(Host)
}

fn zeros(dev: &Traced<Host>, len: usize) -> Buffer<f32, Traced<Host>> {
    Buffer::new_zeroed(dev, len).unwrap()
}

#[test]
fn building_cloning_moving_and_dropping() {
    let dev = traced();
    let first = zeros(&dev, 24);
    assert_eq!(dev.take_events(), [Event::Alloc { id: 1, bytes: 96, zeroed: true }]);
    let second = first.try_clone().unwrap();
    assert_eq!(
        dev.take_events(),
        [Event::Alloc { id: 2, bytes: 96, zeroed: false }, Event::Duplicate { to: 2, from: 1, bytes: 96 }]
    );
    let moved = Box::new(first);
    assert_eq!(dev.take_events(), []);
    assert_eq!(moved.to_vec().unwrap(), [0.0; 24]);
    assert_eq!(dev.take_events(), [Event::Download { from: 1, bytes: 96 }]);
    drop((*moved, second));
    assert_eq!(dev.take_events(), [Event::Free { id: 1 }, Event::Free { id: 2 }]);
    let third = Buffer::from_slice(&dev, &[1u8, 2]).unwrap();
    assert_eq!(dev.events(), [Event::Alloc { id: 3, bytes: 2, zeroed: false }, Event::Upload { to: 3, bytes: 2 }]);
    drop(third);
    assert_eq!(dev.counts(), Counts { allocs: 1, frees: 1, uploads: 1, ..Counts::default() });
}

#[test]
fn locals_go_in_reverse_and_fields_in_order() {
    let dev = traced();
    {
        let _earlier = (zeros(&dev, 1), zeros(&dev, 1));
        let _later = (zeros(&dev, 1), zeros(&dev, 1));
        dev.take_events();
    }
    assert_eq!(dev.events(), [3, 4, 1, 2].map(|id| Event::Free { id }));
}

#[test]
fn no_elements_ask_nothing() {
    let dev = traced();
    let none = zeros(&dev, 0);
    none.try_clone().unwrap().to_vec().unwrap();
    none.to_device(&dev).unwrap();
    Buffer::from_slice(&dev, &[0u8; 0]).unwrap();
    let empty = Layout::row_major([0, 4]).unwrap();
    // SAFETY: D5: nothing is written.
    unsafe {
        let b = none.borrowed();
        ops::fill(&Plan::new([&empty]).unwrap(), b, 1.0).unwrap();
        ops::copy(&Plan::new([&empty, &empty]).unwrap(), b, b).unwrap();
        ops::convert(&Plan::new([&empty, &empty]).unwrap(), b, b).unwrap();
        ops::accumulate(&ReducePlan::new(&empty, &empty).unwrap(), b, b).unwrap();
        ops::binary(BinaryOp::Add, &Plan::new([&empty, &empty, &empty]).unwrap(), b, b, b).unwrap();
    }
    drop(none);
    assert_eq!(dev.events(), []);
}

#[test]
fn operations_are_one_call_each() {
    let dev = traced();
    let (a, b) = (zeros(&dev, 6), zeros(&dev, 6));
    let l = Layout::row_major([2, 3]).unwrap();
    dev.take_events();
    // SAFETY: D5: ours alone.
    unsafe {
        ops::fill(&Plan::new([&l]).unwrap(), a.borrowed(), 1.0).unwrap();
        ops::copy(&Plan::new([&l, &l]).unwrap(), b.borrowed(), a.borrowed()).unwrap();
        ops::convert(&Plan::new([&l, &l]).unwrap(), a.borrowed(), b.borrowed()).unwrap();
        ops::accumulate(&ReducePlan::new(&l, &l).unwrap(), b.borrowed(), a.borrowed()).unwrap();
        ops::binary(BinaryOp::Max, &Plan::new([&l, &l, &l]).unwrap(), a.borrowed(), a.borrowed(), b.borrowed())
            .unwrap();
    }
    let runs = [("fill", 1), ("copy", 2), ("convert", 1), ("accumulate", 2), ("max", 1)];
    assert_eq!(dev.take_events(), runs.map(|(op, to)| Event::Run { op, to }));
    assert_eq!(a.to_vec().unwrap(), [2.0; 6]);
    assert_eq!(dev.counts().downloads, 1);
}

#[test]
fn a_failed_allocation_leaves_nothing_behind() {
    let dev = traced();
    dev.fail_allocation_after(1);
    let first = zeros(&dev, 4);
    let refused = first.try_clone().unwrap_err();
    assert!(matches!(refused.kind(), DeviceErrorKind::OutOfMemory { requested: 16, .. }));
    assert_eq!(first.to_vec().unwrap(), [0.0; 4]);
    // Once only.
    let second = first.try_clone().unwrap();
    drop(first);
    drop(second);
    dev.fail_allocation_after(0);
    Buffer::from_slice(&dev, &[1u8]).unwrap_err();
    assert_eq!(
        dev.events(),
        [
            Event::Alloc { id: 1, bytes: 16, zeroed: true },
            Event::AllocFailed { bytes: 16 },
            Event::Download { from: 1, bytes: 16 },
            Event::Alloc { id: 2, bytes: 16, zeroed: false },
            Event::Duplicate { to: 2, from: 1, bytes: 16 },
            Event::Free { id: 1 },
            Event::Free { id: 2 },
            Event::AllocFailed { bytes: 1 },
        ]
    );
}

#[test]
fn transfers_between_two_devices_go_in_pieces_of_a_mebibyte() {
    let (here, there) = (traced(), traced());
    let buffer = Buffer::from_slice(&here, &vec![7u8; (5 << 20) / 2]).unwrap();
    here.take_events();
    let copy = buffer.to_device(&there).unwrap();
    assert_eq!(copy.to_vec().unwrap(), vec![7u8; (5 << 20) / 2]);
    let pieces = [1 << 20, 1 << 20, 1 << 19];
    assert_eq!(here.events(), pieces.map(|bytes| Event::Download { from: 1, bytes }));
    assert_eq!(there.events()[1..4], pieces.map(|bytes| Event::Upload { to: 1, bytes }));
    // To and from the host in one.
    here.take_events();
    buffer.to_device(&Host).unwrap();
    copy.to_device(&Host).unwrap().to_device(&here).unwrap();
    assert_eq!((here.counts().downloads, here.counts().uploads), (1, 1));
}

#[test]
fn two_devices_of_one_type_do_not_meet() {
    let (one, other) = (traced(), traced());
    assert!(one.same(&one.clone()) && !one.same(&other));
    let (a, b) = (zeros(&one, 6), zeros(&other, 6));
    let l = Layout::row_major([6]).unwrap();
    // SAFETY: D5: both are ours alone.
    let refusals = unsafe {
        let (a, b) = (a.borrowed(), b.borrowed());
        let three = Plan::new([&l, &l, &l]).unwrap();
        [
            ops::copy(&Plan::new([&l, &l]).unwrap(), a, b),
            ops::convert(&Plan::new([&l, &l]).unwrap(), a, b),
            ops::accumulate(&ReducePlan::new(&l, &l).unwrap(), a, b),
            ops::binary(BinaryOp::Add, &three, a, b, a),
            ops::binary(BinaryOp::Add, &three, a, a, b),
        ]
    };
    for refused in refusals {
        let name: Box<str> = "traced host".into();
        let mismatch = DeviceErrorKind::DeviceMismatch { left: name.clone(), right: name };
        assert_eq!(*refused.unwrap_err().kind(), mismatch);
    }
    assert_eq!((one.counts().runs, other.counts().runs), (0, 0));
}
