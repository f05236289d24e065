//! Which calls each thing costs, with sizes and addresses.

use weft_cuda_sim::Config;
use weft_device::{Buffer, Cuda, Device, DeviceErrorKind, Host};

use super::{alone, events, names, zeros};

#[test]
fn opening_and_closing() {
    alone(Config::default(), || {
        let device = Cuda::new(0).unwrap();
        insta::assert_snapshot!(names().join("\n"), @r"
        cuInit
        cuDeviceGetCount 2
        cuDeviceGet
        cuDriverGetVersion
        cuDeviceGetName
        cuDeviceTotalMem_v2 1073741824
        cuDeviceGetAttribute
        cuDeviceGetAttribute
        cuDeviceGetAttribute
        cuCtxGetCurrent
        cuDevicePrimaryCtxRetain
        cuCtxSetCurrent
        cuCtxSetCurrent
        cuStreamCreateWithPriority
        ");
        // The same device is the same context and the same stream.
        let again = Cuda::new(0).unwrap();
        assert!(again.same(&device) && again.same(&device.clone()));
        assert_eq!(names(), [""; 0]);
        drop(device);
        assert_eq!(names(), [""; 0]);
        drop(again);
        insta::assert_snapshot!(names().join("\n"), @r"
        cuStreamDestroy_v2
        cuDevicePrimaryCtxRelease_v2
        ");
        // And opened anew.
        assert_eq!(zeros(&Cuda::new(0).unwrap(), 3).to_vec().unwrap(), [0.0; 3]);
    });
}

#[test]
fn building_cloning_moving_and_dropping() {
    alone(Config::default(), || {
        let device = Cuda::new(0).unwrap();
        names();
        let first = zeros(&device, 24);
        assert_eq!(names(), ["cuMemAlloc_v2 96", "cuMemsetD8Async 96"]);
        let second = first.try_clone().unwrap();
        assert_eq!(names(), ["cuMemAlloc_v2 96", "cuMemcpyDtoDAsync_v2 96"]);
        let moved = Box::new(first);
        assert_eq!(names(), [""; 0]);
        assert_eq!(moved.to_vec().unwrap(), [0.0; 24]);
        assert_eq!(names(), ["cuMemcpyDtoH_v2 96"]);
        let addresses = [moved.borrowed().address() as u64, second.borrowed().address() as u64];
        assert!(addresses.iter().all(|address| address.is_multiple_of(256)));
        drop((*moved, second));
        let freed: Vec<u64> = events().iter().filter_map(|event| event.address("address")).collect();
        assert_eq!(freed, addresses);
        let third = Buffer::from_slice(&device, &[1u8, 2]).unwrap();
        assert_eq!(names(), ["cuMemAlloc_v2 2", "cuMemcpyHtoD_v2 2"]);
        drop(third);
    });
}

#[test]
fn locals_go_in_reverse_and_fields_in_order() {
    alone(Config::default(), || {
        let device = Cuda::new(0).unwrap();
        let made =
            |pair: &(Buffer<f32, Cuda>, Buffer<f32, Cuda>)| [&pair.0, &pair.1].map(|b| b.borrowed().address() as u64);
        let (earlier, later) = {
            let first = (zeros(&device, 1), zeros(&device, 1));
            let second = (zeros(&device, 1), zeros(&device, 1));
            events();
            (made(&first), made(&second))
        };
        let freed: Vec<u64> = events().iter().filter_map(|event| event.address("address")).collect();
        assert_eq!(freed, [later, earlier].concat());
    });
}

#[test]
fn no_elements_ask_nothing() {
    alone(Config::default(), || {
        let device = Cuda::new(0).unwrap();
        let empty = weft_layout::Layout::row_major([0, 4]).unwrap();
        let all = weft_cuda_sim::take_trace();
        assert!(!all.is_empty());
        let none = zeros(&device, 0);
        none.try_clone().unwrap().to_vec().unwrap();
        none.to_device(&device).unwrap();
        none.to_device(&Host).unwrap();
        Buffer::from_slice(&device, &[0u8; 0]).unwrap();
        // SAFETY: D5: nothing is written.
        unsafe {
            use weft_device::ops;
            use weft_layout::{Plan, ReducePlan};
            let b = none.borrowed();
            ops::fill(&Plan::new([&empty]).unwrap(), b, 1.0).unwrap();
            ops::copy(&Plan::new([&empty, &empty]).unwrap(), b, b).unwrap();
            ops::convert(&Plan::new([&empty, &empty]).unwrap(), b, b).unwrap();
            ops::accumulate(&ReducePlan::new(&empty, &empty).unwrap(), b, b).unwrap();
            ops::binary(weft_device::BinaryOp::Div, &Plan::new([&empty; 3]).unwrap(), b, b, b).unwrap();
        }
        drop(none);
        // Not even to make the context current.
        assert_eq!(weft_cuda_sim::take_trace(), []);
    });
}

#[test]
fn what_is_refused_before_the_driver_is_asked_costs_no_call() {
    alone(Config::default(), || {
        let device = Cuda::new(0).unwrap();
        let three = Buffer::from_slice(&device, &[1u8, 2, 3]).unwrap();
        let _ = weft_cuda_sim::take_trace();
        let mut out = [9; 2];
        let refused = three.copy_to_slice(&mut out).unwrap_err();
        assert_eq!(*refused.kind(), DeviceErrorKind::LengthMismatch { buffer: 3, slice: 2 });
        assert_eq!(out, [9; 2]);
        Buffer::<u64, Cuda>::new_zeroed(&device, usize::MAX / 8 + 1).unwrap_err();
        assert_eq!(weft_cuda_sim::take_trace(), []);
    });
}

/// 17 MiB through two pieces of 4 MiB: which piece each copy takes, and that it waits for the copy before.
#[test]
fn large_transfers_take_turns_with_two_pieces() {
    alone(Config::default(), || {
        let device = Cuda::new(0).unwrap();
        let there: Vec<u32> = (0..(17 << 20) / 4).collect();
        let small = Buffer::from_slice(&device, &there[..(8 << 20) / 4 - 1]).unwrap();
        assert_eq!(weft_cuda_sim::calls_of("cuMemAllocHost_v2"), 0);
        names();
        let buffer = Buffer::from_slice(&device, &there).unwrap();
        insta::assert_snapshot!(names().join("\n"), @r"
        cuMemAlloc_v2 17825792
        cuMemAllocHost_v2 4194304
        cuEventCreate
        cuMemAllocHost_v2 4194304
        cuEventCreate
        cuEventSynchronize
        cuMemcpyHtoDAsync_v2 4194304
        cuEventRecord
        cuEventSynchronize
        cuMemcpyHtoDAsync_v2 4194304
        cuEventRecord
        cuEventSynchronize
        cuMemcpyHtoDAsync_v2 4194304
        cuEventRecord
        cuEventSynchronize
        cuMemcpyHtoDAsync_v2 4194304
        cuEventRecord
        cuEventSynchronize
        cuMemcpyHtoDAsync_v2 1048576
        cuEventRecord
        ");
        // Not assert_eq: nobody reads so many numbers.
        assert!(buffer.to_vec().unwrap() == there);
        insta::assert_snapshot!(names().join("\n"), @r"
        cuEventSynchronize
        cuMemcpyDtoHAsync_v2 4194304
        cuEventRecord
        cuEventSynchronize
        cuMemcpyDtoHAsync_v2 4194304
        cuEventRecord
        cuEventSynchronize
        cuEventSynchronize
        cuMemcpyDtoHAsync_v2 4194304
        cuEventRecord
        cuEventSynchronize
        cuEventSynchronize
        cuMemcpyDtoHAsync_v2 4194304
        cuEventRecord
        cuEventSynchronize
        cuEventSynchronize
        cuMemcpyDtoHAsync_v2 1048576
        cuEventRecord
        cuEventSynchronize
        cuEventSynchronize
        ");
        drop((small, buffer));
    });
}

/// Where the host has no memory to pin, transfers go the plain way.
#[test]
fn large_transfers_without_pinned_memory() {
    for call in ["cuMemAllocHost_v2", "cuEventCreate"] {
        for nth in [1, 2] {
            alone(Config::default(), || {
                let device = Cuda::new(0).unwrap();
                let there: Vec<u32> = (0..(9 << 20) / 4).collect();
                weft_cuda_sim::fail_call_of(call, nth, 2);
                let buffer = Buffer::from_slice(&device, &there).unwrap();
                assert_eq!((weft_cuda_sim::fail_none(), weft_cuda_sim::calls_of("cuMemcpyHtoD_v2")), (0, 1));
                assert!(buffer.to_vec().unwrap() == there);
            });
        }
    }
}
