//! Leaks, bad frees and bad handles: what is counted, and how it reads.

use weft_cuda_sim::{Config, faults, report, set_total_memory};

use crate::raw::*;

#[test]
fn what_is_alive_is_counted_with_the_call_that_made_it() {
    let (_turn, _) = started(Config::default());
    let (a, s, e) = (alloc(96), stream(), event());
    let (_, host) = pinned::<u8>(8);
    let found = report();
    assert_eq!((found.live_allocations, found.live_bytes, found.live_pinned), (1, 96, 1));
    assert_eq!((found.live_streams, found.live_events, found.live_contexts), (1, 1, 1));
    insta::assert_snapshot!(hide_host(&found.to_string()), @r"
    7 calls, 1 allocations, 0 launches
    alive: 1 allocations of 96 bytes, 1 pinned, 1 streams, 1 events, 0 modules, 1 contexts; 0 pieces of work pending
    0 bad frees, 0 bad handles, 0 faults
    leak: context on device 0, made by call 2
    leak: device memory 0x700000000000 of 96 bytes on device 0, made by call 4
    leak: stream on device 0, made by call 5
    leak: event on device 0, made by call 6
    leak: pinned memory of 8 bytes on device 0, made by call 7
    ");
    assert_eq!([cuMemFree_v2(a), cuStreamDestroy_v2(s), cuEventDestroy_v2(e), cuMemFreeHost(host)], [0; 4]);
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
    assert!(report().is_clean(), "{}", report());
}

/// Handles and host addresses change from run to run.
fn hide_host(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let words = line.split(' ').filter(|w| !w.starts_with("0x") || w.starts_with("0x7000"));
        let words = words.map(|w| w.split_once('#').map_or(w, |(kind, _)| kind));
        lines.push(words.collect::<Vec<_>>().join(" "));
    }
    lines.join("\n")
}

#[test]
fn what_outlives_its_context_stays_a_leak() {
    let (_turn, context) = started(Config::default());
    let a = alloc(4);
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
    let found = report();
    assert_eq!((found.live_allocations, found.live_contexts), (1, 0));
    assert!(found.to_string().ends_with("whose context was released first"), "{found}");
    assert_eq!(cuMemFree_v2(a), 201, "the context is gone");
    assert_eq!(cuCtxSetCurrent(context), 201);
    retain(0);
    assert_eq!(cuMemFree_v2(a), 1, "and its memory is not that of the next one");
    assert_eq!(faults(), ["cuMemFree_v2: free of 0x700000000000: its context was released first; made by call 4"]);
}

#[test]
fn a_reset_cleans_up() {
    let (_turn, _) = started(Config::default());
    let a = alloc(4);
    stream();
    assert_eq!(cuDevicePrimaryCtxReset_v2(0), 0);
    assert!(report().is_clean(), "{}", report());
    assert_eq!(cuMemFree_v2(a), 201);
}

#[test]
fn bad_frees_are_refused_counted_and_worded() {
    let (_turn, first) = started(Config::default());
    let a = alloc(96);
    let b = alloc(64);
    assert_eq!(cuMemFree_v2(a), 0);
    assert_eq!(cuMemFree_v2(a), 1);
    assert_eq!(cuMemFree_v2(a + 8), 1);
    assert_eq!(cuMemFree_v2(b + 8), 1);
    assert_eq!(cuMemFree_v2(0x1234), 1);
    assert_eq!(cuMemFree_v2(0), 0, "null is no mistake");
    let second = retain(1);
    assert_eq!(cuMemFree_v2(b), 1);
    let third: Ptr = ask(|c| cuCtxCreate_v2(c, 0, 0));
    assert_eq!(cuMemFree_v2(b), 1);
    assert_eq!(cuMemFreeHost(NULL), 1);
    insta::assert_snapshot!(faults().join("\n"), @r"
    cuMemFree_v2: free of 0x700000000000: 96 bytes at 0x700000000000, made by call 4, were freed before, by call 6
    cuMemFree_v2: free of 0x700000000008: 96 bytes at 0x700000000000, made by call 4, were freed before, by call 6
    cuMemFree_v2: free of 0x700000001208: it lies 8 bytes inside the 64 bytes at 0x700000001200, made by call 5
    cuMemFree_v2: free of 0x1234: it was never allocated
    cuMemFree_v2: free of 0x700000001200: it is memory of device 0, and device 1 is current
    cuMemFree_v2: free of 0x700000001200: it belongs to another context of the device
    cuMemFreeHost: the pointer is no live page-locked allocation
    ");
    assert_eq!(report().bad_frees, 7);
    assert_eq!((report().live_allocations, report().live_contexts), (1, 3), "{first:?} {second:?} {third:?}");
}

#[test]
fn ranges_that_are_not_there_are_worded() {
    let (_turn, _) = started(Config::default());
    let (a, b) = (alloc(96), alloc(8));
    assert_eq!(cuMemFree_v2(b), 0);
    assert_eq!(cuMemsetD8_v2(a + 90, 0, 7), 1);
    assert_eq!(cuMemsetD8_v2(a + 96, 0, 1), 1);
    assert_eq!(cuMemsetD8_v2(b, 0, 1), 1);
    retain(1);
    assert_eq!(cuMemsetD8_v2(a, 0, 1), 1);
    insta::assert_snapshot!(faults().join("\n"));
    assert!(report().own_leaks().count() > 0);
}

#[test]
fn handles_that_stand_for_nothing_are_worded() {
    let (_turn, _) = started(Config::default());
    let (s, e) = (stream(), event());
    assert_eq!([cuStreamDestroy_v2(s), cuStreamDestroy_v2(s)], [0, 400]);
    assert_eq!(cuStreamSynchronize(s), 400);
    assert_eq!(cuStreamSynchronize(e), 400);
    assert_eq!(cuEventQuery(0x77 as Ptr), 400);
    assert_eq!(report().bad_handles, 4);
    let texts = faults();
    assert!(texts[0].starts_with("cuStreamDestroy_v2: stream 0x60"), "{texts:?}");
    assert!(texts[0].ends_with(" was destroyed, or belongs to a context that was"), "{texts:?}");
    assert!(texts[2].ends_with(" is an event, not a stream"), "{texts:?}");
    assert_eq!(texts[3], "cuEventQuery: 0x77 was never an event");
}

#[test]
fn memory_has_a_limit_and_says_what_is_left() {
    let (_turn, _) = started(Config { memory: 1000, ..Config::default() });
    let a = alloc(600);
    let mut b = 7_u64;
    assert_eq!(cuMemAlloc_v2(&mut b, 401), 2);
    assert_eq!(b, 7, "a failed call writes no answer");
    let mut total = 0;
    let free: usize = ask(|free| cuMemGetInfo_v2(free, &mut total));
    assert_eq!((free, total), (400, 1000));
    let c = alloc(400);
    assert_eq!(cuMemFree_v2(a), 0);
    set_total_memory(0, 300);
    assert_eq!(ask::<usize>(|free| cuMemGetInfo_v2(free, &mut total)), 0, "less than is in use is none left");
    assert_eq!(cuMemAlloc_v2(&mut b, 1), 2);
    assert_eq!(cuMemFree_v2(c), 0);
    alloc(300);
    assert_eq!(ask::<usize>(|t| cuDeviceTotalMem_v2(t, 0)), 300);
    assert_eq!(ask::<usize>(|t| cuDeviceTotalMem_v2(t, 1)), 1000);
}

#[test]
fn virtual_memory_takes_no_room_and_has_bounds() {
    let (_turn, _) = started(Config { memory: 1000, virtual_from: 1 << 30, ..Config::default() });
    let a = alloc(1 << 38);
    assert_eq!(cuMemsetD8_v2(a + (1 << 38) - 1, 9, 1), 0);
    assert_eq!(download(a + (1 << 38) - 1, 1), [9]);
    assert_eq!(cuMemsetD8_v2(a + (1 << 38) - 1, 9, 2), 1);
    let mut total = 0;
    assert_eq!(ask::<usize>(|free| cuMemGetInfo_v2(free, &mut total)), 1000);
    let mut b = 0;
    assert_eq!(cuMemAlloc_v2(&mut b, 1 << 40), 2, "the addresses of a device end where those of the next begin");
    assert_eq!(cuMemFree_v2(a), 0);
}

#[test]
fn settings_start_anew() {
    let (_turn, context) = started(Config::default());
    let (a, s) = (alloc(4), stream());
    weft_cuda_sim::configure(Config::default());
    assert_eq!(cuCtxSynchronize(), 3, "not started");
    assert_eq!(cuInit(0), 0);
    assert_eq!(cuCtxSynchronize(), 201, "nothing is current");
    assert_eq!(cuCtxSetCurrent(context), 201);
    retain(0);
    assert_eq!(cuStreamSynchronize(s), 400, "no handle is given out twice");
    assert_eq!(alloc(4), a, "addresses begin anew");
}
