//! What building, cloning, moving and dropping tensors costs in calls of the CUDA driver, with sizes and addresses.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test, in helpers too")]

use std::sync::{Mutex, PoisonError};

use weft_cuda_sim::{Config, Event, Trace};
use weft_device::{Cuda, Device, DeviceErrorKind};
use weft_tensor::{Error, Factory};

/// Runs `body` on a traced simulator that nobody else uses meanwhile, and that must have had nothing to complain of.
fn alone(body: impl FnOnce(&Cuda)) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `lookup` gives functions with the signatures of the driver API, and they are part of this program.
    unsafe { weft_cuda_shim::install(weft_cuda_sim::lookup).unwrap() };
    weft_cuda_sim::configure(Config { trace: Trace::Kept, ..Config::default() });
    let device = Cuda::new(0).unwrap();
    calls();
    body(&device);
    drop(device);
    let report = weft_cuda_sim::report();
    assert_eq!(report.own_leaks().count(), 0, "{report}");
    assert_eq!(weft_cuda_sim::take_faults(), [""; 0]);
}

/// The calls since the last time, without those that make a context current and take it down again.
fn calls() -> Vec<Event> {
    let frame = ["cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2"];
    weft_cuda_sim::take_trace().into_iter().filter(|event| !frame.contains(&event.call)).collect()
}

fn names(calls: &[Event]) -> Vec<&'static str> {
    calls.iter().map(|call| call.call).collect()
}

fn address(call: &Event) -> u64 {
    call.address("address").unwrap()
}

#[test]
fn two_allocations_of_96_bytes_and_zeros_in_both() {
    alone(|dev| {
        let x = dev.zeros::<f32>([2, 3, 4]).unwrap();
        let built = calls();
        assert_eq!(names(&built), ["cuMemAlloc_v2", "cuMemsetD8Async", "cuMemAlloc_v2", "cuMemsetD8Async"]);
        assert!(built.iter().all(|call| call.number("bytes").or(call.number("count")) == Some(96)), "{built:?}");
        let (data, grad) = (x.parts().0.borrowed().address(), x.parts().1.unwrap().borrowed().address());
        assert!(data.is_multiple_of(256) && grad.is_multiple_of(256));

        let y = dev.tensor(&[1.0f32; 24], [2, 3, 4]).unwrap();
        let built = names(&calls());
        assert_eq!(built, ["cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuMemAlloc_v2", "cuMemsetD8Async"]);

        let copy = x.try_clone().unwrap();
        let cloned = names(&calls());
        assert_eq!(cloned.iter().filter(|name| **name == "cuMemAlloc_v2").count(), 2);
        assert_eq!(cloned.iter().filter(|name| **name == "cuMemcpyDtoDAsync_v2").count(), 2);
        assert_eq!(cloned.len(), 4);

        let moved = Box::new(x).reshape([6, 4]).unwrap();
        assert_eq!(calls(), []);
        drop(moved);
        let freed: Vec<_> = calls().iter().map(address).collect();
        assert_eq!(freed, [data as u64, grad as u64], "data, then gradient");
        drop((y, copy));
    });
}

#[test]
fn without_a_gradient_one_of_each() {
    alone(|dev| {
        let x = dev.options().without_grad().zeros::<f32>([2, 3, 4]).unwrap();
        assert_eq!(names(&calls()), ["cuMemAlloc_v2", "cuMemsetD8Async"]);
        let copy = x.try_clone().unwrap();
        assert_eq!(names(&calls()), ["cuMemAlloc_v2", "cuMemcpyDtoDAsync_v2"]);
        drop((x, copy));
        assert_eq!(names(&calls()), ["cuMemFree_v2", "cuMemFree_v2"]);
    });
}

#[test]
fn the_later_tensor_goes_first() {
    alone(|dev| {
        let mut places = Vec::new();
        {
            let earlier = dev.zeros::<f32>([3]).unwrap();
            let later = dev.zeros::<f32>([3]).unwrap();
            for x in [&later, &earlier] {
                let (data, grad, _) = x.parts();
                places.extend([data.borrowed().address() as u64, grad.unwrap().borrowed().address() as u64]);
            }
            calls();
        }
        assert_eq!(calls().iter().map(address).collect::<Vec<_>>(), places);
    });
}

/// Room for the data and not for the gradient: the data is given back, and the error says how much room there was.
#[test]
fn a_gradient_without_room_takes_the_data_along() {
    alone(|dev| {
        let total = dev.memory().unwrap().1;
        calls();
        let refused = dev.zeros::<u8>([total / 2 + 4096]).unwrap_err();
        let Error::Device(error) = &refused else { panic!("{refused}") };
        assert!(matches!(error.kind(), DeviceErrorKind::OutOfMemory { room: Some(_), .. }), "{refused}");
        let made = names(&calls());
        assert_eq!(made.iter().filter(|name| **name == "cuMemAlloc_v2").count(), 3, "one more try: {made:?}");
        assert_eq!(made.last(), Some(&"cuMemFree_v2"));
        dev.synchronize().unwrap();
        assert_eq!(dev.memory().unwrap().0, total);
    });
}

#[test]
fn no_elements_no_calls() {
    alone(|dev| {
        let x = dev.zeros::<f32>([0, 4]).unwrap();
        drop((x.try_clone().unwrap(), x));
        assert_eq!(calls(), []);
    });
}
