//! The trace: what an event holds, and how it reads.

use weft_cuda_sim::{Config, Trace, Value, config, set_trace, take_trace};

use crate::raw::*;

#[test]
fn a_small_program_reads_so() {
    let (_turn, _) = started(Config { trace: Trace::Kept, ..Config::default() });
    let (a, b) = (alloc(96), alloc(96));
    upload(a, &[1_u8; 96]);
    assert_eq!(cuMemcpyDtoD_v2(b, a, 96), 0);
    assert_eq!(cuMemsetD32_v2(b, 0x3f80_0000, 24), 0);
    download(b, 96);
    let e = event();
    assert_eq!([cuEventRecord(e, NULL), cuEventSynchronize(e), cuEventDestroy_v2(e)], [0; 3]);
    assert_eq!([cuMemFree_v2(a), cuMemFree_v2(b), cuMemFree_v2(b)], [0, 0, 1]);
    let mut name = [0; 64];
    assert_eq!(cuDeviceGetName(name.as_mut_ptr(), 64, 0), 0);
    let text: Vec<String> = take_trace().iter().map(|e| numbered(&e.to_string())).collect();
    insta::assert_snapshot!(text.join("\n"), @r"
    cuInit(flags: 0) = 0
    cuDevicePrimaryCtxRetain(context: context#, device: 0) = 0
    cuCtxSetCurrent(context: context#) = 0
    cuMemAlloc_v2(address: 0x700000000000, bytes: 96) = 0
    cuMemAlloc_v2(address: 0x700000001200, bytes: 96) = 0
    cuMemcpyHtoD_v2(to: 0x700000000000, from: host, bytes: 96) = 0
    cuMemcpyDtoD_v2(to: 0x700000001200, from: 0x700000000000, bytes: 96) = 0
    cuMemsetD32_v2(to: 0x700000001200, value: 1065353216, count: 24) = 0
    cuMemcpyDtoH_v2(to: host, from: 0x700000001200, bytes: 96) = 0
    cuEventCreate(event: event#, flags: 0) = 0
    cuEventRecord(event: event#, stream: 0) = 0
    cuEventSynchronize(event: event#) = 0
    cuEventDestroy_v2(event: event#) = 0
    cuMemFree_v2(address: 0x700000000000) = 0
    cuMemFree_v2(address: 0x700000001200) = 0
    cuMemFree_v2(address: 0x700000001200) = 1
    cuDeviceGetName(name: host, room: 64, device: 0) = 0
    ");
}

/// The numbers of handles go on from test to test.
fn numbered(text: &str) -> String {
    let mut out = String::new();
    let mut after = false;
    for c in text.chars() {
        after = c == '#' || (after && c.is_ascii_digit());
        if !after || c == '#' {
            out.push(c);
        }
    }
    out
}

#[test]
fn an_event_holds_its_values() {
    let (_turn, _) = started(Config::default());
    set_trace(Trace::Kept);
    let a = alloc(96);
    set_trace(Trace::Off);
    assert_eq!(config().trace, Trace::Off);
    assert_eq!(cuMemFree_v2(a), 0);
    let events = take_trace();
    assert_eq!(events.len(), 1, "{events:?}");
    let event = &events[0];
    assert_eq!((event.number, event.call, event.code), (4, "cuMemAlloc_v2", 0));
    assert_eq!((event.address("address"), event.number("bytes")), (Some(a), Some(96)));
    assert_eq!((event.get("address"), event.get("none")), (Some(&Value::Address(a)), None));
    assert_eq!((event.address("bytes"), event.number("address")), (None, None));
    assert!(take_trace().is_empty());
}
