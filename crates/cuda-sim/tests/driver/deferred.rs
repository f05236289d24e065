//! Streams that run their work as late as a driver may: what each call waits for, and in which order work runs.

use weft_cuda_sim::{Config, Streams, report};

use crate::raw::*;

fn deferred() -> Config {
    Config { streams: Streams::Deferred, ..Config::default() }
}

#[test]
fn queued_work_has_not_run_until_its_stream_is_waited_for() {
    let (_turn, _) = started(deferred());
    let (a, s) = (alloc(4), non_blocking_stream());
    let (host, place) = pinned::<u8>(4);
    host.fill(0);
    assert_eq!(cuMemsetD8Async(a, 7, 4, s), 0);
    assert_eq!(cuMemcpyDtoHAsync_v2(place, a, 4, s), 0);
    assert_eq!((&host[..], report().pending), (&[0; 4][..], 2));
    assert_eq!(cuStreamSynchronize(s), 0);
    assert_eq!((&host[..], report().pending), (&[7; 4][..], 0));
}

#[test]
fn a_synchronising_call_runs_no_more_than_it_has_to() {
    let (_turn, _) = started(deferred());
    let (a, b, s, t) = (alloc(4), alloc(4), non_blocking_stream(), non_blocking_stream());
    assert_eq!([cuMemsetD8Async(a, 1, 4, s), cuMemsetD8Async(b, 2, 4, t)], [0, 0]);
    assert_eq!(cuStreamSynchronize(t), 0);
    assert_eq!(report().pending, 1);
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(report().pending, 0);
}

/// The bytes of a pinned upload are read when it runs, those of a pageable one during the call.
#[test]
fn pinned_uploads_read_late_and_pageable_ones_at_once() {
    let (_turn, _) = started(deferred());
    let (a, b, s) = (alloc(4), alloc(4), stream());
    let (host, place) = pinned::<u8>(4);
    let mut pageable = [1_u8; 4];
    host.fill(1);
    assert_eq!(cuMemcpyHtoDAsync_v2(a, place, 4, s), 0);
    assert_eq!(cuMemcpyHtoDAsync_v2(b, pageable.as_ptr().cast(), 4, s), 0);
    host.fill(2);
    pageable.fill(2);
    assert_eq!((download(a, 4), download(b, 4)), (vec![2; 4], vec![1; 4]), "{pageable:?}");
}

#[test]
fn registered_memory_counts_as_pinned() {
    let (_turn, _) = started(deferred());
    let (a, s) = (alloc(4), stream());
    let mut own = vec![1_u8; 4];
    let place: Ptr = own.as_mut_ptr().cast();
    assert_eq!(cuMemHostRegister_v2(place, 4, 0), 0);
    assert_eq!(cuMemcpyHtoDAsync_v2(a, place, 4, s), 0);
    own.fill(5);
    assert_eq!(cuMemHostUnregister(place), 0, "waits for the device");
    own.fill(6);
    assert_eq!(download(a, 4), [5; 4]);
}

#[test]
fn a_download_to_pageable_memory_waits() {
    let (_turn, _) = started(deferred());
    let (a, s, mut to) = (alloc(4), non_blocking_stream(), [0_u8; 4]);
    cuMemsetD8Async(a, 3, 4, s);
    assert_eq!(cuMemcpyDtoHAsync_v2(argument(&mut to), a, 4, s), 0);
    assert_eq!(to, [3; 4]);
}

#[test]
fn which_calls_wait() {
    let (_turn, _) = started(deferred());
    let (a, b, s) = (alloc(64), alloc(64), stream());
    let (_, place) = pinned::<u8>(64);
    let mut pageable = [0_u8; 64];
    let host = argument(&mut pageable);
    let mut table = String::new();
    let mut row = |name: &str, call: &mut dyn FnMut() -> u32| {
        assert_eq!(cuMemsetD8Async(a, 1, 64, s), 0);
        let code = call();
        table.push_str(&format!("{name:<40} {code} {}\n", report().pending));
        cuCtxSynchronize();
    };
    row("cuMemcpyHtoD_v2", &mut || cuMemcpyHtoD_v2(b, host, 64));
    row("cuMemcpyDtoH_v2", &mut || cuMemcpyDtoH_v2(host, b, 64));
    row("cuMemcpyDtoD_v2", &mut || cuMemcpyDtoD_v2(b, b, 64));
    row("cuMemsetD8_v2", &mut || cuMemsetD8_v2(b, 0, 64));
    row("cuMemcpyHtoDAsync_v2, pageable", &mut || cuMemcpyHtoDAsync_v2(b, host, 64, s));
    row("cuMemcpyDtoHAsync_v2, pageable", &mut || cuMemcpyDtoHAsync_v2(host, b, 64, s));
    row("cuMemcpyHtoDAsync_v2, pinned", &mut || cuMemcpyHtoDAsync_v2(b, place, 64, s));
    row("cuMemcpyDtoHAsync_v2, pinned", &mut || cuMemcpyDtoHAsync_v2(place, b, 64, s));
    row("cuMemcpyDtoDAsync_v2", &mut || cuMemcpyDtoDAsync_v2(b, b, 64, s));
    row("cuMemAlloc_v2", &mut || cuMemAlloc_v2(&mut 0, 4));
    row("cuMemFree_v2", &mut || cuMemFree_v2(b));
    row("cuMemFreeHost", &mut || cuMemFreeHost(place));
    row("cuStreamQuery", &mut || cuStreamQuery(s));
    row("cuStreamSynchronize", &mut || cuStreamSynchronize(s));
    row("cuStreamSynchronize, default stream", &mut || cuStreamSynchronize(NULL));
    row("cuCtxSynchronize", &mut || cuCtxSynchronize());
    row("cuEventSynchronize", &mut || {
        let e = event();
        cuEventRecord(e, s) + cuEventSynchronize(e)
    });
    row("cuStreamDestroy_v2", &mut || cuStreamDestroy_v2(s));
    insta::assert_snapshot!("which_calls_wait", table);
}

/// The legacy default stream waits for blocking streams, and they for it; a non-blocking stream does neither.
#[test]
fn the_legacy_default_stream_is_in_order_with_blocking_streams() {
    let (_turn, _) = started(deferred());
    let (a, s, n) = (alloc(4), stream(), non_blocking_stream());
    let (host, place) = pinned::<u8>(4);
    host.fill(0);
    cuMemsetD8Async(a, 1, 4, s);
    cuMemsetD8Async(a, 2, 4, NULL);
    cuMemsetD8Async(a, 3, 4, s);
    cuMemcpyDtoHAsync_v2(place, a, 4, NULL);
    cuMemsetD8Async(a, 9, 4, n);
    assert_eq!(cuStreamSynchronize(NULL), 0);
    assert_eq!((host[0], report().pending), (3, 1), "the non-blocking stream still waits");
    cuMemsetD8Async(a, 4, 4, s);
    assert_eq!(cuMemcpyDtoH_v2(place, a, 4), 0);
    assert_eq!(host[0], 4, "a synchronous copy is on the default stream, too");
}

#[test]
fn a_default_stream_of_a_thread_is_its_own() {
    let (_turn, context) = started(deferred());
    let a = alloc(4);
    let mine = 2 as Ptr;
    cuMemsetD8Async(a, 1, 4, mine);
    std::thread::spawn({
        let context = context as usize;
        move || {
            cuCtxSetCurrent(context as Ptr);
            assert_eq!(cuStreamQuery(2 as Ptr), 0, "nothing is queued on this one");
        }
    })
    .join()
    .unwrap();
    assert_eq!(report().pending, 1);
    assert_eq!(cuStreamSynchronize(mine), 0);
    assert_eq!(report().pending, 0);
}

#[test]
fn an_event_orders_streams() {
    let (_turn, _) = started(deferred());
    let (a, s, t, e) = (alloc(4), non_blocking_stream(), non_blocking_stream(), event());
    cuMemsetD8Async(a, 1, 4, s);
    assert_eq!(cuEventRecord(e, s), 0);
    cuMemsetD8Async(a, 8, 4, s);
    assert_eq!(cuStreamWaitEvent(t, e, 0), 0);
    // Recording anew does not change what the stream waits for.
    assert_eq!(cuEventRecord(e, s), 0);
    cuMemsetD8Async(a, 2, 4, t);
    assert_eq!(cuStreamSynchronize(t), 0);
    assert_eq!(report().pending, 2, "the fill after the event, and the second record");
    assert_eq!(cuStreamSynchronize(s), 0);
    assert_eq!(download(a, 4), [8; 4]);
}

#[test]
fn an_event_orders_streams_of_two_devices() {
    let (_turn, _) = started(deferred());
    let (s, e, a) = (stream(), event(), alloc(4));
    cuMemsetD8Async(a, 1, 4, s);
    cuEventRecord(e, s);
    retain(1);
    let t = stream();
    assert_eq!(cuStreamWaitEvent(t, e, 0), 0);
    assert_eq!(cuStreamSynchronize(t), 0);
    assert_eq!(report().pending, 0);
}

#[test]
fn an_event_is_not_ready_until_its_stream_gets_there_and_polling_gets_it_there() {
    let (_turn, _) = started(deferred());
    let (a, s, e, f) = (alloc(4), stream(), event(), event());
    cuEventRecord(e, s);
    cuMemsetD8Async(a, 1, 4, s);
    cuEventRecord(f, s);
    assert_eq!(cuEventElapsedTime(&mut 0.0, e, f), 600);
    assert_eq!([cuEventQuery(f), cuEventQuery(f), cuEventQuery(f), cuEventQuery(f)], [600, 600, 600, 0]);
    assert!(ask::<f32>(|ms| cuEventElapsedTime(ms, e, f)) >= 0.0);
    assert!(ask::<f32>(|ms| cuEventElapsedTime(ms, f, e)) <= 0.0);
    cuMemsetD8Async(a, 1, 4, s);
    assert_eq!([cuStreamQuery(s), cuStreamQuery(s)], [600, 0]);
}

#[test]
fn a_destroyed_stream_finishes_its_work() {
    let (_turn, _) = started(deferred());
    let (a, s, e) = (alloc(4), stream(), event());
    cuMemsetD8Async(a, 6, 4, s);
    cuEventRecord(e, s);
    assert_eq!([cuStreamDestroy_v2(s), cuEventDestroy_v2(e)], [0, 0]);
    assert_eq!((report().live_streams, report().pending), (0, 2));
    assert_eq!(download(a, 4), [6; 4]);
    assert_eq!(report().pending, 0);
}

#[test]
fn a_host_function_runs_in_its_turn_and_may_not_call_the_driver() {
    unsafe extern "C" fn note(place: Ptr) {
        let code = cuCtxSynchronize();
        // SAFETY: the test passes the place of a u32 that it keeps.
        unsafe { *place.cast::<u32>() += code };
    }
    let (_turn, _) = started(deferred());
    let (s, mut seen) = (stream(), 1_u32);
    assert_eq!(cuLaunchHostFunc(s, Some(note), argument(&mut seen)), 0);
    assert_eq!(report().pending, 1);
    assert_eq!(cuStreamSynchronize(s), 0);
    assert_eq!(seen, 801);
    assert_eq!(cuCtxSynchronize(), 0, "afterwards it may again");
}

#[test]
fn freed_in_stream_order_memory_is_gone_when_the_stream_gets_there() {
    let (_turn, _) = started(deferred());
    let (s, t) = (non_blocking_stream(), non_blocking_stream());
    let a: u64 = ask(|p| cuMemAllocAsync(p, 4, s));
    cuMemsetD8Async(a, 1, 4, t);
    assert_eq!(cuMemFreeAsync(a, s), 0);
    assert_eq!(report().live_allocations, 0, "the program has done its part");
    assert_eq!(cuStreamSynchronize(s), 0);
    assert_eq!(cuStreamSynchronize(t), 700, "nothing ordered the fill before the free");
    assert_eq!(cuCtxSynchronize(), 700, "and the context is broken");
    assert_eq!(cuDevicePrimaryCtxReset_v2(0), 0);
    retain(0);
    assert_eq!(cuCtxSynchronize(), 0);
}

/// Every seed gives an order that streams allow; of two independent streams, some let one go first and some the other.
#[test]
fn seeds_interleave_independent_streams_only() {
    let run = |seed| {
        let (_turn, _) = started(Config { streams: Streams::Shuffled(seed), ..Config::default() });
        let (a, s, t, e) = (alloc(2), non_blocking_stream(), non_blocking_stream(), event());
        for i in 0..4 {
            cuMemsetD8Async(a, 10 + i, 1, s);
            cuMemsetD8Async(a, 20 + i, 1, t);
        }
        cuEventRecord(e, s);
        cuStreamWaitEvent(t, e, 0);
        cuMemcpyDtoDAsync_v2(a + 1, a, 1, t);
        cuMemsetD8Async(a, 30, 1, t);
        assert_eq!(cuStreamSynchronize(t), 0);
        let found = download(a, 2);
        assert_eq!(found[0], 30);
        found[1]
    };
    let found: Vec<u8> = (0..32).map(run).collect();
    assert!(found.iter().all(|v| [13, 23].contains(v)), "{found:?}");
    assert!(found.contains(&13) && found.contains(&23), "{found:?}");
    assert_eq!(found, (0..32).map(run).collect::<Vec<_>>(), "a seed is an order");
}

/// Ten thousand alternations must not need ten thousand stack frames.
#[test]
fn long_chains_of_dependencies_need_no_stack() {
    let (_turn, _) = started(deferred());
    let (a, s) = (alloc(4), stream());
    for i in 0..10_000_u32 {
        cuMemsetD32Async(a, i, 1, if i % 2 == 0 { s } else { NULL });
    }
    assert_eq!(cuStreamSynchronize(NULL), 0);
    assert_eq!(download(a, 4), 9_999_u32.to_le_bytes());
}

#[test]
fn a_blocking_stream_runs_what_the_default_stream_had_before() {
    let (_turn, _) = started(deferred());
    let (a, s, n) = (alloc(4), stream(), non_blocking_stream());
    cuMemsetD8Async(a, 1, 4, NULL);
    cuMemsetD8Async(a, 2, 4, n);
    cuMemsetD8Async(a, 3, 4, s);
    assert_eq!((cuStreamSynchronize(n), report().pending), (0, 2), "a non-blocking stream waits for nobody");
    assert_eq!((cuStreamSynchronize(s), report().pending), (0, 0));
    assert_eq!(download(a, 4), [3; 4]);
}

#[test]
fn a_context_waits_for_its_own_work() {
    let (_turn, _) = started(deferred());
    cuMemsetD8Async(alloc(4), 1, 4, NULL);
    retain(1);
    cuMemsetD8Async(alloc(4), 1, 4, NULL);
    assert_eq!((cuCtxSynchronize(), report().pending), (0, 1));
}

/// An event that is recorded anew has the time of the last record, not that of one that was queued before.
#[test]
fn the_last_record_counts() {
    let (_turn, _) = started(deferred());
    let (s, t, e, f) = (non_blocking_stream(), non_blocking_stream(), event(), event());
    assert_eq!([cuEventRecord(f, s), cuEventRecord(e, s), cuEventRecord(e, t)], [0; 3]);
    assert_eq!(cuStreamSynchronize(s), 0);
    assert_eq!(cuEventElapsedTime(&mut 0.0, f, e), 600);
    assert_eq!(cuEventSynchronize(e), 0);
    assert_eq!(cuEventElapsedTime(&mut 0.0, f, e), 0);
}

#[test]
fn a_context_that_ends_finishes_its_work() {
    let (_turn, _) = started(deferred());
    let (a, s) = (alloc(4), stream());
    let mut own = [0_u8; 4];
    assert_eq!(cuMemHostRegister_v2(argument(&mut own), 4, 0), 0);
    cuMemsetD8Async(a, 7, 4, s);
    cuMemcpyDtoHAsync_v2(argument(&mut own), a, 4, s);
    assert_eq!(own, [0; 4]);
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
    assert_eq!(own, [7; 4]);
}

#[test]
fn memory_that_is_being_freed_cannot_be_freed_again() {
    let (_turn, _) = started(deferred());
    let s = stream();
    let a: u64 = ask(|p| cuMemAllocAsync(p, 4, s));
    assert_eq!([cuMemFreeAsync(a, s), cuMemFreeAsync(a, s), cuMemFree_v2(a)], [0, 1, 1]);
    assert_eq!((cuStreamSynchronize(s), report().bad_frees), (0, 2));
}

/// What was queued behind a fault never runs.
#[test]
fn a_fault_drops_the_work_behind_it() {
    unsafe extern "C" fn note(place: Ptr) {
        // SAFETY: the test passes the place of a u32 that it keeps.
        unsafe { *place.cast::<u32>() += 1 };
    }
    let (_turn, _) = started(deferred());
    let (s, mut ran) = (non_blocking_stream(), 0_u32);
    let a: u64 = ask(|p| cuMemAllocAsync(p, 4, s));
    assert_eq!(cuMemsetD8Async(a, 1, 4, s), 0);
    let t = non_blocking_stream();
    assert_eq!(cuMemFreeAsync(a, t), 0);
    assert_eq!([cuLaunchHostFunc(s, Some(note), argument(&mut ran)), cuStreamSynchronize(t)], [0, 0]);
    assert_eq!((cuStreamSynchronize(s), ran, report().pending), (700, 0, 0));
}
