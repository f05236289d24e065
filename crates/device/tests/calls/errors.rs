//! Every error of the driver's, made by the driver: what it says, and that it changes nothing.

use weft_cuda_sim::{Config, fail_call_of};
use weft_device::{Buffer, Cuda, Device, DeviceErrorKind, ops};
use weft_layout::{Layout, Plan, ReducePlan};

use super::{alone, names, zeros};

#[test]
fn a_device_that_is_not_there() {
    alone(Config::default(), || {
        assert_eq!(Cuda::count().unwrap(), 2);
        let refused = Cuda::new(2).unwrap_err();
        assert_eq!(*refused.kind(), DeviceErrorKind::NoSuchDevice { ordinal: 2, count: 2 });
        insta::assert_snapshot!(refused, @"cuda: there is no device 2, there are 2");
        insta::assert_snapshot!(Cuda::new(usize::MAX).unwrap_err(), @"cuda: there is no device 18446744073709551615, there are 2");
    });
    // A driver without a GPU, and one that says so at once.
    alone(Config { devices: 0, ..Config::default() }, || {
        assert_eq!(Cuda::count().unwrap(), 0);
        insta::assert_snapshot!(Cuda::new(0).unwrap_err(), @"cuda: there is no device 0, there are 0");
    });
    alone(Config { init_code: 100, ..Config::default() }, || {
        let refused = Cuda::count().unwrap_err();
        assert_eq!(*refused.kind(), DeviceErrorKind::NoDevice { why: "".into() });
        assert_eq!(refused, Cuda::new(0).unwrap_err());
        insta::assert_snapshot!(refused, @"cuda: no CUDA-capable device is detected (100)");
    });
    alone(Config { init_code: 999, ..Config::default() }, || {
        insta::assert_snapshot!(Cuda::new(0).unwrap_err(), @"cuda: unknown error (cuInit: 999, CUDA_ERROR_UNKNOWN)");
    });
}

#[test]
fn facts() {
    alone(Config { memory: 1 << 20, driver_version: (12, 2), ..Config::default() }, || {
        let device = Cuda::new(1).unwrap();
        assert_eq!((device.name(), device.ordinal()), ("cuda:1".into(), 1));
        let facts = device.facts();
        assert_eq!((facts.total_memory, facts.driver_version), (1 << 20, (12, 2)));
        assert_eq!(facts.compute_capability, (8, 0));
        assert!(!facts.name.is_empty() && facts.multiprocessors > 0);
        let buffer = zeros(&device, 1 << 10);
        assert_eq!(device.memory().unwrap(), ((1 << 20) - (1 << 12), 1 << 20));
        drop(buffer);
        assert_eq!(device.memory().unwrap(), (1 << 20, 1 << 20));
    });
}

#[test]
fn out_of_memory_waits_tries_once_more_and_tells_all_numbers() {
    alone(Config { memory: 1 << 20, ..Config::default() }, || {
        let device = Cuda::new(0).unwrap();
        let kept = zeros(&device, 1 << 17);
        names();
        let refused = Buffer::<f32, Cuda>::new_zeroed(&device, 1 << 18).unwrap_err();
        let room = Some(Box::new((1 << 19, 1 << 20)));
        assert!(
            matches!(refused.kind(), DeviceErrorKind::OutOfMemory { requested, room: r, .. } if *requested == 1 << 20 && *r == room)
        );
        insta::assert_snapshot!(refused, @"alloc: out of memory, 1048576 bytes were requested, 524288 of 1048576 are free");
        assert_eq!(
            names(),
            ["cuMemAlloc_v2 1048576", "cuStreamSynchronize", "cuMemAlloc_v2 1048576", "cuMemGetInfo_v2"]
        );
        kept.try_clone().unwrap().try_clone().unwrap_err();
        assert_eq!(kept.to_vec().unwrap(), vec![0.0; 1 << 17]);
        // What the first try lacks, the second may have.
        weft_cuda_sim::fail_next_allocation();
        zeros(&device, 5);
        // Where not even the room is known, the request is.
        names();
        fail_call_of("cuMemGetInfo_v2", 1, 999);
        insta::assert_snapshot!(Buffer::<f32, Cuda>::new_zeroed(&device, 1 << 18).unwrap_err(), @"alloc: out of memory, 1048576 bytes were requested");
        assert_eq!(device.take_deferred_error(), None);
    });
}

#[test]
fn a_free_that_fails_is_told_later_and_once() {
    alone(Config::default(), || {
        let device = Cuda::new(0).unwrap();
        let (one, two, three) = (zeros(&device, 1), zeros(&device, 2), zeros(&device, 3));
        fail_call_of("cuMemFree_v2", 1, 700);
        drop(one);
        fail_call_of("cuMemFree_v2", 1, 719);
        drop(two);
        drop(three);
        // The first is the cause.
        insta::assert_snapshot!(device.take_deferred_error().unwrap(), @"free: an illegal memory access was encountered (cuMemFree_v2: 700, CUDA_ERROR_ILLEGAL_ADDRESS)");
        assert_eq!(device.take_deferred_error(), None);
        assert_eq!(weft_cuda_sim::report().live_allocations, 2);
    });
}

/// `cust` knows the numbers of CUDA 11.4 and prints them through the driver; neither is relied on.
#[test]
fn numbers_that_cust_does_not_know() {
    alone(Config::default(), || {
        let device = Cuda::new(0).unwrap();
        let mut texts = Vec::new();
        for code in [1, 201, 226, 700, 721, 912, 999, 4242] {
            for call in ["cuMemcpyDtoH_v2", "cuStreamSynchronize", "cuMemAlloc_v2"] {
                let buffer = zeros(&device, 1);
                fail_call_of(call, 1, code);
                let refused = match call {
                    "cuMemcpyDtoH_v2" => buffer.to_vec().unwrap_err(),
                    "cuMemAlloc_v2" => buffer.try_clone().unwrap_err(),
                    _ => device.synchronize().unwrap_err(),
                };
                let DeviceErrorKind::Driver(error) = refused.kind() else { panic!("{refused}") };
                assert_eq!((error.call, error.code), (call, code));
                texts.push(refused.to_string());
            }
        }
        insta::assert_snapshot!(texts.join("\n"), @r"
        download: invalid argument (cuMemcpyDtoH_v2: 1, CUDA_ERROR_INVALID_VALUE)
        synchronize: invalid argument (cuStreamSynchronize: 1, CUDA_ERROR_INVALID_VALUE)
        alloc: invalid argument (cuMemAlloc_v2: 1, CUDA_ERROR_INVALID_VALUE)
        download: invalid device context (cuMemcpyDtoH_v2: 201, CUDA_ERROR_INVALID_CONTEXT)
        synchronize: invalid device context (cuStreamSynchronize: 201, CUDA_ERROR_INVALID_CONTEXT)
        alloc: invalid device context (cuMemAlloc_v2: 201, CUDA_ERROR_INVALID_CONTEXT)
        download: a contained error has left the process unable to use the device (cuMemcpyDtoH_v2: 226, CUDA_ERROR_CONTAINED)
        synchronize: a contained error has left the process unable to use the device (cuStreamSynchronize: 226, CUDA_ERROR_CONTAINED)
        alloc: a contained error has left the process unable to use the device (cuMemAlloc_v2: 226, CUDA_ERROR_CONTAINED)
        download: an illegal memory access was encountered (cuMemcpyDtoH_v2: 700, CUDA_ERROR_ILLEGAL_ADDRESS)
        synchronize: an illegal memory access was encountered (cuStreamSynchronize: 700, CUDA_ERROR_ILLEGAL_ADDRESS)
        alloc: an illegal memory access was encountered (cuMemAlloc_v2: 700, CUDA_ERROR_ILLEGAL_ADDRESS)
        download: tensor memory was not freed (cuMemcpyDtoH_v2: 721, CUDA_ERROR_TENSOR_MEMORY_LEAK)
        synchronize: tensor memory was not freed (cuStreamSynchronize: 721, CUDA_ERROR_TENSOR_MEMORY_LEAK)
        alloc: tensor memory was not freed (cuMemAlloc_v2: 721, CUDA_ERROR_TENSOR_MEMORY_LEAK)
        download: the kernel's cluster size is not supported (cuMemcpyDtoH_v2: 912, CUDA_ERROR_INVALID_CLUSTER_SIZE)
        synchronize: the kernel's cluster size is not supported (cuStreamSynchronize: 912, CUDA_ERROR_INVALID_CLUSTER_SIZE)
        alloc: the kernel's cluster size is not supported (cuMemAlloc_v2: 912, CUDA_ERROR_INVALID_CLUSTER_SIZE)
        download: unknown error (cuMemcpyDtoH_v2: 999, CUDA_ERROR_UNKNOWN)
        synchronize: unknown error (cuStreamSynchronize: 999, CUDA_ERROR_UNKNOWN)
        alloc: unknown error (cuMemAlloc_v2: 999, CUDA_ERROR_UNKNOWN)
        download: an unknown error (cuMemcpyDtoH_v2: 4242, CUDA_ERROR)
        synchronize: an unknown error (cuStreamSynchronize: 4242, CUDA_ERROR)
        alloc: an unknown error (cuMemAlloc_v2: 4242, CUDA_ERROR)
        ");
    });
}

#[test]
fn two_devices_do_not_meet() {
    alone(Config::default(), || {
        let (one, other) = (Cuda::new(0).unwrap(), Cuda::new(1).unwrap());
        assert!(!one.same(&other));
        let (a, b) = (zeros(&one, 6), zeros(&other, 6));
        let l = Layout::row_major([6]).unwrap();
        names();
        // SAFETY: D5: both are ours alone.
        let refusals = unsafe {
            let (a, b) = (a.borrowed(), b.borrowed());
            let three = Plan::new([&l, &l, &l]).unwrap();
            [
                ops::copy(&Plan::new([&l, &l]).unwrap(), a, b),
                ops::convert(&Plan::new([&l, &l]).unwrap(), a, b),
                ops::accumulate(&ReducePlan::new(&l, &l).unwrap(), a, b),
                ops::binary(weft_device::BinaryOp::Add, &three, a, b, a),
                ops::binary(weft_device::BinaryOp::Add, &three, a, a, b),
            ]
        };
        for refused in refusals {
            let (left, right) = ("cuda:0".into(), "cuda:1".into());
            assert_eq!(*refused.unwrap_err().kind(), DeviceErrorKind::DeviceMismatch { left, right });
        }
        assert_eq!(names(), [""; 0]);
        let (start, end) = (one.record_event().unwrap(), other.record_event().unwrap());
        insta::assert_snapshot!(end.elapsed_since(&start).unwrap_err(), @"elapsed_since: the destination is on cuda:1, an operand on cuda:0");
        // There is a way that says what it costs.
        let there = Buffer::from_slice(&one, &[1u8, 2, 3]).unwrap().to_device(&other).unwrap();
        assert!(there.device().same(&other));
        assert_eq!(there.to_vec().unwrap(), [1, 2, 3]);
    });
}
