//! Threads: each has its own current contexts, and all may call at once.

use std::thread;

use weft_cuda_sim::{Config, report};

use crate::raw::*;

#[test]
fn current_contexts_are_of_one_thread() {
    let (_turn, first) = started(Config::default());
    let handle = first as usize;
    let other = thread::spawn(move || {
        assert_eq!(cuCtxSynchronize(), 201);
        assert_eq!(cuCtxPushCurrent_v2(handle as Ptr), 0);
        let second = ask::<Ptr>(|c| cuDevicePrimaryCtxRetain(c, 1));
        assert_eq!(cuCtxPushCurrent_v2(second), 0);
        assert_eq!(ask::<i32>(cuCtxGetDevice), 1);
        assert_eq!(ask::<Ptr>(cuCtxPopCurrent_v2), second);
        assert_eq!(ask::<i32>(cuCtxGetDevice), 0);
        assert_eq!(cuCtxSetCurrent(second), 0, "replaces the top");
        assert_eq!(ask::<Ptr>(cuCtxPopCurrent_v2), second);
        assert_eq!(cuCtxPopCurrent_v2(core::ptr::null_mut()), 201);
    });
    other.join().unwrap();
    assert_eq!(ask::<Ptr>(cuCtxGetCurrent), first);
    assert_eq!(ask::<i32>(cuCtxGetDevice), 0);
}

#[test]
fn many_threads_at_once() {
    let (_turn, context) = started(Config::default());
    let context = context as usize;
    thread::scope(|scope| {
        for i in 0..8_u8 {
            scope.spawn(move || {
                assert_eq!(cuCtxSetCurrent(context as Ptr), 0);
                let s = stream();
                for round in 0..50 {
                    let a = alloc(256);
                    assert_eq!(cuMemsetD8Async(a, i ^ round, 256, s), 0);
                    assert_eq!(download(a, 256), [i ^ round; 256]);
                    assert_eq!(cuMemFree_v2(a), 0);
                }
                assert_eq!(cuStreamDestroy_v2(s), 0);
            });
        }
    });
    let found = report();
    assert_eq!(
        (found.allocations, found.live_allocations, found.live_streams, found.faults),
        (400, 0, 0, 0),
        "{found}"
    );
}

/// A value that is dropped when its thread ends calls the driver then; there must be no panic.
#[test]
fn calls_at_the_end_of_a_thread_are_answered() {
    struct AtTheEnd;
    impl Drop for AtTheEnd {
        fn drop(&mut self) {
            let code = cuCtxSynchronize();
            assert!([0, 201].contains(&code), "{code}");
        }
    }
    thread_local!(static LAST: AtTheEnd = const { AtTheEnd });
    let (_turn, context) = started(Config::default());
    let context = context as usize;
    let ended = thread::spawn(move || {
        LAST.with(|_| ());
        cuCtxSetCurrent(context as Ptr);
    });
    ended.join().unwrap();
}

/// A context that is destroyed leaves the stack only where it is on top.
#[test]
fn destroying_a_context_below_the_top() {
    let (_turn, primary) = started(Config::default());
    let created: Ptr = ask(|c| cuCtxCreate_v2(c, 0, 1));
    assert_eq!(ask::<i32>(cuCtxGetDevice), 1);
    assert_eq!([cuCtxPushCurrent_v2(primary), cuCtxDestroy_v2(created)], [0, 0]);
    assert_eq!(ask::<Ptr>(cuCtxGetCurrent), primary);
    assert_eq!(ask::<Ptr>(cuCtxPopCurrent_v2), primary);
    assert_eq!((ask::<Ptr>(cuCtxGetCurrent), cuCtxSynchronize()), (created, 201), "below, it is void");
}
