//! Calls that are made to fail.

use weft_cuda_sim::{
    Config, LeakState, calls_made, calls_of, fail_call, fail_call_of, fail_next_allocation, fail_none, report,
    set_trace,
};

use crate::raw::*;

#[test]
fn the_nth_call_fails_once_and_does_nothing() {
    let (_turn, _) = started(Config::default());
    let mut p = 7;
    fail_call(2, 999);
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(cuMemAlloc_v2(&mut p, 4), 999);
    assert_eq!((p, report().allocations), (7, 0));
    assert_eq!(cuMemAlloc_v2(&mut p, 4), 0);
    assert_eq!((calls_of("cuMemAlloc_v2"), calls_of("cuCtxSynchronize"), calls_of("cuNone")), (2, 1, 0));
}

#[test]
fn the_nth_call_of_a_name_fails() {
    let (_turn, _) = started(Config::default());
    fail_call_of("cuMemAlloc_v2", 2, 2);
    fail_next_allocation();
    let mut p = 0;
    assert_eq!([0; 4].map(|_: u32| cuMemAlloc_v2(&mut p, 4)), [2, 2, 0, 0]);
}

#[test]
fn failures_that_did_not_happen_can_be_taken_back() {
    let (_turn, _) = started(Config::default());
    fail_call(1, 999);
    fail_call_of("cuMemFree_v2", 3, 999);
    assert_eq!((fail_none(), fail_none()), (2, 0));
    assert_eq!(cuCtxSynchronize(), 0);
}

#[test]
fn texts_do_not_count_and_do_not_fail() {
    let (_turn, _) = started(Config::default());
    let before = calls_made();
    fail_call(1, 999);
    assert_eq!(cuGetErrorString(1, &mut core::ptr::null()), 0);
    assert_eq!(calls_made(), before);
    assert_eq!(cuCtxSynchronize(), 999);
    assert_eq!(calls_made(), before + 1);
}

/// What a program could not free because the free was made to fail is not its leak.
#[test]
fn a_refused_free_is_no_leak_of_the_program() {
    let (_turn, _) = started(Config::default());
    let (a, b, s, (_, host)) = (alloc(4), alloc(4), stream(), pinned::<u8>(4));
    for name in ["cuMemFree_v2", "cuStreamDestroy_v2", "cuMemFreeHost", "cuDevicePrimaryCtxRelease_v2"] {
        fail_call_of(name, 1, 999);
    }
    assert_eq!([cuMemFree_v2(a), cuStreamDestroy_v2(s), cuMemFreeHost(host)], [999; 3]);
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 999);
    let found = report();
    let own: Vec<u64> = found.own_leaks().map(|l| l.address).collect();
    assert_eq!(own, [b], "{found}");
    assert_eq!(found.leaks.iter().filter(|l| l.state == LeakState::FreeRefused).count(), 4);
    assert_eq!(cuMemFree_v2(a), 0, "it can still be freed");
}

/// A sweep: every call of a small program fails in turn, and the program frees what it has each time.
#[test]
fn a_sweep_over_a_program() {
    let (_turn, _) = started(Config::default());
    let program = || -> Result<(), u32> {
        let result = |code| if code == 0 { Ok(()) } else { Err(code) };
        let mut a = 0;
        result(cuMemAlloc_v2(&mut a, 8))?;
        let worked = result(cuMemsetD8_v2(a, 1, 8)).and_then(|()| result(cuCtxSynchronize()));
        let freed = result(cuMemFree_v2(a));
        worked.and(freed)
    };
    let before = calls_made();
    assert_eq!(program(), Ok(()));
    let calls = calls_made() - before;
    assert_eq!(calls, 4);
    let context = report().own_leaks().count();
    for nth in 1..=calls {
        fail_call(nth, 999);
        assert_eq!(program(), Err(999), "call {nth}");
        assert_eq!((fail_none(), report().own_leaks().count()), (0, context), "call {nth}");
    }
}

#[test]
fn a_failure_shows_in_the_trace() {
    let (_turn, _) = started(Config::default());
    set_trace(weft_cuda_sim::Trace::Kept);
    fail_call(1, 2);
    assert_eq!(cuMemAlloc_v2(&mut 0, 96), 2);
    let text: Vec<String> = weft_cuda_sim::take_trace().iter().map(ToString::to_string).collect();
    assert_eq!(text, ["cuMemAlloc_v2(address: -, bytes: 96) = 2 [made to fail]"]);
}
