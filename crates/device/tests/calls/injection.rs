//! Every call of the driver fails once, in turn, in programs that together use everything public: no panic, no leak, no double
//! free, an error that names the call, and arguments as they were.

use weft_cuda_sim::{Config, Event, Leak, LeakState, Streams, Value};
use weft_device::{BinaryOp, Buffer, Cuda, Device, DeviceError, DeviceErrorKind, Host, KernelView, ops};
use weft_layout::{Layout, Plan, ReducePlan};

use super::watched;

type Result<T = ()> = core::result::Result<T, DeviceError>;

/// A piece of a program, on a device and, if it wants, on another one.
type Program = fn(&Cuda, &mut Option<Cuda>) -> Result;

/// A program on a device of its own; what it was told, by the calls themselves or afterwards by the device; and how many calls
/// there were before the device was closed.
fn run(program: Program) -> (Result, u64) {
    let device = match Cuda::new(0) {
        Ok(device) => device,
        Err(refused) => return (Err(refused), weft_cuda_sim::calls_made()),
    };
    let mut other = None;
    let done = program(&device, &mut other);
    let deferred = device.take_deferred_error().or(other.as_ref().and_then(Cuda::take_deferred_error));
    (done.and(deferred.map_or(Ok(()), Err)), weft_cuda_sim::calls_made())
}

/// On a simulator that puts work off, and on a thread of its own: a failed pop leaves a context on the thread's stack.
fn fresh(nth: Option<(u64, u32)>, program: Program) -> (Vec<Event>, Result, u64) {
    let config = Config { streams: Streams::Deferred, ..Config::default() };
    let ((events, (result, before_closing)), faults, leaks) = watched(config, || {
        if let Some((nth, code)) = nth {
            weft_cuda_sim::fail_call(nth, code);
        }
        let result = std::thread::spawn(move || run(program)).join().unwrap();
        (weft_cuda_sim::take_trace(), result)
    });
    assert_eq!(faults, [""; 0]);
    // A context that cannot be made current gives nothing back. What a drop left in it has gone with it.
    let unreachable = events.iter().any(|event| event.call == "cuCtxPushCurrent_v2" && event.code != 0);
    let gone = |leak: &Leak| unreachable && leak.state == LeakState::Orphaned;
    assert!(leaks.iter().all(gone), "{leaks:#?}");
    (events, result, before_closing)
}

/// Fails every call of `program` with several codes. Calls of the names in `absorbed` may fail without a word, because there is
/// another way.
fn sweep(absorbed: &[&str], program: Program) {
    let (events, result, _) = fresh(None, program);
    result.unwrap();
    for nth in 1..=events.len() as u64 {
        for code in [1, 2, 700, 999] {
            // Shown where the test fails.
            println!("{}, call {nth}, fails with {code}", events[nth as usize - 1]);
            let (events, result, before_closing) = fresh(Some((nth, code)), program);
            let failed = &events[nth as usize - 1];
            assert_eq!((failed.code, failed.note.as_deref()), (code, Some("made to fail")));
            match result {
                Err(refused) => {
                    let DeviceErrorKind::Driver(error) = refused.kind() else { panic!("{refused}") };
                    assert_eq!((error.call, error.code), (failed.call, code), "{refused}");
                }
                // Nobody is left who could be told.
                Ok(()) if nth > before_closing => {}
                // `cust` makes the context current that it retains, and ignores how that goes; nothing relies on it.
                Ok(()) if failed.call == "cuCtxSetCurrent" && failed.get("context") != Some(&Value::Handle(0)) => {}
                // Tried again.
                Ok(()) if failed.call == "cuMemAlloc_v2" && code == 2 => {}
                Ok(()) => assert!(absorbed.contains(&failed.call), "{failed} went unnoticed"),
            }
        }
    }
}

/// Nothing of the buffer has changed, if the call failed. (It fails once: what is asked here succeeds.)
fn intact<T>(result: Result<T>, buffer: &Buffer<u32, Cuda>, values: &[u32]) -> Result<T> {
    if result.is_err() {
        assert!(buffer.to_vec().unwrap() == values);
    }
    result
}

#[test]
fn memory() {
    sweep(&[], |device, _| {
        let values = [1, 2, 3];
        let buffer = Buffer::from_slice(device, &values)?;
        let copy = intact(buffer.try_clone(), &buffer, &values)?;
        let zeros = Buffer::<u32, Cuda>::new_zeroed(device, 5)?;
        // SAFETY: never read.
        drop(unsafe { Buffer::<u32, Cuda>::uninit(device, 7) }?);
        let mut out = [9; 3];
        let copied = intact(copy.copy_to_slice(&mut out), &copy, &values);
        assert_eq!(out, if copied.is_ok() { values } else { [9; 3] });
        copied?;
        assert_eq!(intact(zeros.to_vec(), &zeros, &[0; 5])?, [0; 5]);
        assert_eq!(intact(buffer.to_device(&Host), &buffer, &values)?.as_slice(), values);
        assert_eq!(intact(buffer.to_device(device), &buffer, &values)?.to_vec()?, values);
        device.memory()?;
        intact(device.synchronize(), &buffer, &values)
    });
}

#[test]
fn two_devices() {
    sweep(&[], |device, other| {
        let other = other.insert(Cuda::new(1)?);
        let values = [1, 2, 3];
        let buffer = Buffer::from_slice(device, &values)?;
        let there = intact(buffer.to_device(other), &buffer, &values)?;
        let back = there.to_device(device);
        let back = intact(back, &there, &values)?.to_vec()?;
        assert_eq!(back, values);
        Ok(())
    });
}

/// What is still under way when a call fails does not get into what comes next.
#[test]
fn large_transfers() {
    sweep(&["cuMemAllocHost_v2", "cuEventCreate"], |device, _| {
        let values: Vec<u32> = (0..(9 << 20) / 4).collect();
        let others: Vec<u32> = values.iter().map(|&n| !n).collect();
        let buffer = match Buffer::from_slice(device, &values) {
            Ok(buffer) => buffer,
            Err(refused) => {
                assert!(Buffer::from_slice(device, &others).unwrap().to_vec().unwrap() == others);
                return Err(refused);
            }
        };
        match buffer.to_vec() {
            Ok(back) => assert!(back == values),
            Err(refused) => {
                let other = Buffer::from_slice(device, &others).unwrap();
                assert!(other.to_vec().unwrap() == others && buffer.to_vec().unwrap() == values);
                return Err(refused);
            }
        }
        Ok(())
    });
}

#[test]
fn events() {
    sweep(&[], |device, _| {
        let start = device.record_event()?;
        let buffer = Buffer::from_slice(device, &[1, 2, 3])?;
        let end = intact(device.record_event(), &buffer, &[1, 2, 3])?;
        end.is_done()?;
        end.synchronize()?;
        end.elapsed_since(&start).map(drop)
    });
}

/// A plan of every operation over buffers of 4 x 300 elements. On failure the destination must hold what it held.
fn operation(device: &Cuda, what: unsafe fn([&Buffer<u32, Cuda>; 3]) -> Result) -> Result {
    let (before, values) = (vec![7; 1200], (1..=1200).collect::<Vec<u32>>());
    let (dst, src) = (Buffer::from_slice(device, &before)?, Buffer::from_slice(device, &values)?);
    let other = Buffer::from_slice(device, &values)?;
    // SAFETY: D5: `dst` is ours alone.
    let done = unsafe { what([&dst, &src, &other]) };
    intact(done, &dst, &before)?;
    intact(dst.to_vec(), &src, &values).map(drop)
}

fn rows() -> Layout {
    Layout::row_major([4, 300]).unwrap()
}

#[test]
fn fill() {
    sweep(&[], |device, _| {
        // SAFETY: the caller's, here and below.
        operation(device, |[dst, ..]| unsafe { ops::fill(&Plan::new([&rows()]).unwrap(), dst.borrowed(), 3) })
    });
}

#[test]
fn copy() {
    sweep(&[], |device, _| {
        operation(device, |[dst, src, _]| {
            let plan = Plan::new([&rows().flip([1]).unwrap(), &rows()]).unwrap();
            // SAFETY: the caller's.
            unsafe { ops::copy(&plan, dst.borrowed(), src.borrowed()) }
        })
    });
}

#[test]
fn transpose() {
    sweep(&[], |device, _| {
        operation(device, |[dst, src, _]| {
            let square = Layout::row_major([34, 34]).unwrap();
            let plan = Plan::new([&square, &square.t().unwrap()]).unwrap();
            // SAFETY: the caller's.
            unsafe { ops::copy(&plan, dst.borrowed(), src.borrowed()) }
        })
    });
}

/// A sum so long that it takes two passes and memory for what is between them.
#[test]
fn accumulate() {
    sweep(&[], |device, _| {
        let src = Buffer::from_slice(device, &vec![1u32; 1 << 14])?;
        let dst = Buffer::from_slice(device, &[5u32])?;
        let layout = Layout::row_major([1 << 14]).unwrap();
        let plan = ReducePlan::new(&Layout::row_major([1]).unwrap().broadcast_to([1 << 14]).unwrap(), &layout).unwrap();
        // SAFETY: D5: `dst` is ours alone.
        intact(unsafe { ops::accumulate(&plan, dst.borrowed(), src.borrowed()) }, &dst, &[5])?;
        assert_eq!(dst.to_vec()?, [5 + (1 << 14)]);
        Ok(())
    });
}

/// A division looks for zeros first, so it has two launches, memory and two transfers.
#[test]
fn binary() {
    sweep(&[], |device, _| {
        operation(device, |[dst, src, other]| {
            let plan = Plan::new([&rows(), &rows(), &rows()]).unwrap();
            // SAFETY: the caller's.
            unsafe { ops::binary(BinaryOp::Div, &plan, dst.borrowed(), src.borrowed(), other.borrowed()) }
        })
    });
}

#[test]
fn convert() {
    sweep(&[], |device, _| {
        let (dst, src) = (Buffer::from_slice(device, &[9u32; 3])?, Buffer::from_slice(device, &[1.5f32, -2.0, 3.0])?);
        let l = Layout::row_major([3]).unwrap();
        // SAFETY: D5: `dst` is ours alone.
        let done = unsafe { ops::convert(&Plan::new([&l, &l]).unwrap(), dst.borrowed(), src.borrowed()) };
        intact(done, &dst, &[9; 3])?;
        assert_eq!(dst.to_vec()?, [1, 0, 3]);
        Ok(())
    });
}

#[test]
fn kernels_of_the_users_own() {
    sweep(&[], |device, _| {
        let buffer = Buffer::from_slice(device, &[0u32; 6])?;
        let module = device.load_ptx(super::kernels::PTX)?;
        let kernel = module.kernel("gather")?;
        let dense = KernelView::new(buffer.borrowed(), &Layout::row_major([2, 3]).unwrap())?;
        // SAFETY: the kernel's two parameters; each thread reads and writes its own element of `buffer`, which is ours alone.
        intact(unsafe { kernel.launch(super::kernels::one_block(6), &[&dense, &dense]) }, &buffer, &[0; 6])?;
        drop(module);
        drop(kernel);
        buffer.to_vec().map(drop)
    });
}
