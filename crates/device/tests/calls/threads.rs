//! Threads and the contexts of others: nobody has to make a context current, and nobody loses the one he has.

use core::ffi::c_void;

use weft_cuda_sim::{Config, Streams};
use weft_device::{Buffer, Cuda, Device};

use super::{alone, alone_with_faults, zeros};

#[test]
fn any_thread_may_use_and_drop_what_another_made() {
    alone(Config { streams: Streams::Deferred, ..Config::default() }, || {
        let device = Cuda::new(0).unwrap();
        let buffer = Buffer::from_slice(&device, &[1u32, 2, 3]).unwrap();
        let event = device.record_event().unwrap();
        std::thread::spawn(move || {
            assert_eq!(buffer.to_vec().unwrap(), [1, 2, 3]);
            event.synchronize().unwrap();
            let copy = buffer.try_clone().unwrap();
            drop((buffer, event));
            assert_eq!(copy.to_vec().unwrap(), [1, 2, 3]);
        })
        .join()
        .unwrap();
        assert_eq!(device.take_deferred_error(), None);
        // The last handle may go anywhere.
        std::thread::spawn(move || drop(device)).join().unwrap();
    });
}

#[test]
fn many_threads_open_one_device() {
    alone(Config::default(), || {
        let start = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for at in 0..8u8 {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    for round in 0..20 {
                        let device = Cuda::new(0).unwrap();
                        let buffer = Buffer::from_slice(&device, &[at, round]).unwrap();
                        assert_eq!(buffer.try_clone().unwrap().to_vec().unwrap(), [at, round]);
                    }
                });
            }
        });
    });
}

type Call1 = unsafe extern "C" fn(*mut *mut c_void) -> u32;
type Call2 = unsafe extern "C" fn(*mut *mut c_void, i32) -> u32;
type Set = unsafe extern "C" fn(*mut c_void) -> u32;

/// The driver as another library in the process would call it.
fn call<F: Copy>(name: &core::ffi::CStr) -> F {
    let found = weft_cuda_sim::lookup(name);
    assert!(!found.is_null() && size_of::<F>() == size_of_val(&found));
    // SAFETY: the callers name the signature that the driver API gives the call of this name.
    unsafe { core::mem::transmute_copy(&found) }
}

fn current() -> *mut c_void {
    let mut context = core::ptr::null_mut();
    // SAFETY: the driver API: one out-pointer.
    assert_eq!(unsafe { call::<Call1>(c"cuCtxGetCurrent")(&raw mut context) }, 0);
    context
}

#[test]
fn the_callers_context_stays_current() {
    let ((), faults) = alone_with_faults(Config::default(), || {
        // The second device's primary context, as somebody else holds it.
        Cuda::count().unwrap();
        let mut theirs = core::ptr::null_mut();
        // SAFETY: the driver API: an out-pointer and a device that is there; a context that was just retained.
        unsafe {
            assert_eq!(call::<Call2>(c"cuDevicePrimaryCtxRetain")(&raw mut theirs, 1), 0);
            assert_eq!(call::<Set>(c"cuCtxSetCurrent")(theirs), 0);
        }
        let check = |what: &str| assert!(current() == theirs, "{what}");
        let device = Cuda::new(0).unwrap();
        check("new");
        let buffer = zeros(&device, 6);
        check("zeros");
        let copy = buffer.try_clone().unwrap();
        check("try_clone");
        copy.to_vec().unwrap();
        check("to_vec");
        device.synchronize().unwrap();
        check("synchronize");
        let start = device.record_event().unwrap();
        device.record_event().unwrap().elapsed_since(&start).unwrap();
        check("events");
        assert!(device.load_ptx("nonsense").is_err());
        check("load_ptx");
        device.memory().unwrap();
        check("memory");
        // Also where it fails.
        weft_cuda_sim::fail_call_of("cuMemcpyDtoH_v2", 1, 999);
        copy.to_vec().unwrap_err();
        check("a failed to_vec");
        drop((buffer, copy, start));
        check("drops");
        drop(device);
        check("the last drop");
        // SAFETY: the driver API: the device is there, and nothing of it is used any more.
        unsafe {
            assert_eq!(call::<Set>(c"cuCtxSetCurrent")(core::ptr::null_mut()), 0);
            let release: unsafe extern "C" fn(i32) -> u32 = call(c"cuDevicePrimaryCtxRelease_v2");
            assert_eq!(release(1), 0);
        }
    });
    // The PTX that is none, and the question why it is none.
    assert_eq!(faults.len(), 2);
    alone(Config::default(), || {
        let device = Cuda::new(0).unwrap();
        let buffer = zeros(&device, 1);
        assert!(current().is_null());
        drop((device, buffer));
        assert!(current().is_null());
    });
}
