//! What each call answers, rightly used and misused: one table, which `docs/simulator.md` points at.

use core::ffi::CStr;
use core::ptr::null_mut;

use weft_cuda_sim::{Config, report, take_faults};

use crate::raw::*;

/// Collects `call | case | code`.
#[derive(Default)]
struct Table(String);

impl Table {
    fn row(&mut self, call: &str, case: &str, code: u32) {
        self.0.push_str(&format!("{call:<50} {case:<58} {code:>3}\n"));
    }
}

#[test]
fn the_table_of_codes() {
    let mut t = Table::default();
    starting(&mut t);
    contexts(&mut t);
    memory(&mut t);
    host(&mut t);
    copies(&mut t);
    streams(&mut t);
    events(&mut t);
    insta::assert_snapshot!("codes", t.0);
}

fn starting(t: &mut Table) {
    let _turn = fresh(Config { init_code: 100, ..Config::default() });
    t.row("cuInit", "a machine without a device", cuInit(0));
    drop(_turn);
    let _turn = fresh(Config { devices: 0, ..Config::default() });
    let mut n = 7;
    t.row("cuInit", "no devices", cuInit(0));
    t.row("cuDeviceGetCount", "no devices: answers 0", cuDeviceGetCount(&mut n));
    assert_eq!(n, 0);
    t.row("cuDeviceGet", "no devices", cuDeviceGet(&mut n, 0));
    drop(_turn);
    let _turn = fresh(Config::default());
    t.row("cuDriverGetVersion", "before cuInit", cuDriverGetVersion(&mut n));
    assert_eq!(n, 12040);
    t.row("cuDeviceGetCount", "before cuInit", cuDeviceGetCount(&mut n));
    t.row("cuCtxSetCurrent", "before cuInit", cuCtxSetCurrent(NULL));
    t.row("cuInit", "flags that are not 0", cuInit(1));
    t.row("cuInit", "", cuInit(0));
    t.row("cuInit", "again", cuInit(0));
    t.row("cuDriverGetVersion", "null", cuDriverGetVersion(null_mut()));
    t.row("cuDeviceGetCount", "null", cuDeviceGetCount(null_mut()));
    t.row("cuDeviceGet", "no such device", cuDeviceGet(&mut n, 2));
    t.row("cuDeviceGet", "negative", cuDeviceGet(&mut n, -1));
    t.row("cuDeviceGet", "null", cuDeviceGet(null_mut(), 0));
    let mut name = [1; 8];
    t.row("cuDeviceGetName", "short buffer: cut", cuDeviceGetName(name.as_mut_ptr(), 8, 1));
    // SAFETY: the call ended the text with NUL.
    assert_eq!(unsafe { CStr::from_ptr(name.as_ptr()) }, c"Simulat");
    t.row("cuDeviceGetName", "no room", cuDeviceGetName(name.as_mut_ptr(), 0, 1));
    t.row("cuDeviceGetName", "null", cuDeviceGetName(null_mut(), 8, 1));
    t.row("cuDeviceGetUuid", "null", cuDeviceGetUuid(null_mut(), 0));
    t.row("cuDeviceTotalMem_v2", "no such device", cuDeviceTotalMem_v2(&mut 0, 9));
    t.row("cuDeviceGetAttribute", "no such attribute", cuDeviceGetAttribute(&mut n, 0, 0));
    t.row("cuDeviceGetAttribute", "no such device", cuDeviceGetAttribute(&mut n, 1, 5));
    let mut minor = 0;
    t.row("cuDeviceComputeCapability", "", cuDeviceComputeCapability(&mut n, &mut minor, 0));
    assert_eq!((n, minor), (8, 0));
    t.row("cuDeviceCanAccessPeer", "answers no", cuDeviceCanAccessPeer(&mut n, 0, 1));
    assert_eq!(n, 0);
    let mut text: Ptr = null_mut();
    t.row("cuGetErrorString", "a code that is not one", cuGetErrorString(12345, (&raw mut text).cast()));
    t.row("cuGetErrorName", "null", cuGetErrorName(1, null_mut()));
}

fn contexts(t: &mut Table) {
    let _turn = fresh(Config::default());
    cuInit(0);
    let mut d = 0;
    let mut c = NULL;
    t.row("cuCtxGetDevice", "nothing is current", cuCtxGetDevice(&mut d));
    t.row("cuCtxSynchronize", "nothing is current", cuCtxSynchronize());
    t.row("cuCtxGetCurrent", "nothing is current: answers null", cuCtxGetCurrent(&mut c));
    t.row("cuCtxPopCurrent_v2", "an empty stack", cuCtxPopCurrent_v2(&mut c));
    t.row("cuCtxPushCurrent_v2", "null", cuCtxPushCurrent_v2(NULL));
    t.row("cuCtxSetCurrent", "null", cuCtxSetCurrent(NULL));
    t.row("cuCtxSetCurrent", "no context", cuCtxSetCurrent(0x40 as Ptr));
    t.row("cuDevicePrimaryCtxRetain", "no such device", cuDevicePrimaryCtxRetain(&mut c, 2));
    t.row("cuDevicePrimaryCtxRetain", "null", cuDevicePrimaryCtxRetain(null_mut(), 0));
    t.row("cuDevicePrimaryCtxRelease_v2", "not retained", cuDevicePrimaryCtxRelease_v2(0));
    t.row("cuDevicePrimaryCtxReset_v2", "not retained", cuDevicePrimaryCtxReset_v2(0));
    t.row("cuDevicePrimaryCtxSetFlags_v2", "flags that do not exist", cuDevicePrimaryCtxSetFlags_v2(0, 1 << 20));
    let primary: Ptr = ask(|c| cuDevicePrimaryCtxRetain(c, 0));
    t.row("cuCtxDestroy_v2", "a primary context", cuCtxDestroy_v2(primary));
    t.row("cuDevicePrimaryCtxRelease_v2", "", cuDevicePrimaryCtxRelease_v2(0));
    t.row("cuCtxSetCurrent", "a released context", cuCtxSetCurrent(primary));
    let primary = retain(1);
    t.row("cuCtxPopCurrent_v2", "null", cuCtxPopCurrent_v2(null_mut()));
    t.row("cuCtxPushCurrent_v2", "", cuCtxPushCurrent_v2(primary));
    t.row("cuCtxGetDevice", "null", cuCtxGetDevice(null_mut()));
    t.row("cuCtxGetDevice", "", cuCtxGetDevice(&mut d));
    assert_eq!(d, 1);
    t.row("cuCtxGetLimit", "no such limit", cuCtxGetLimit(&mut 0, 99));
    t.row("cuCtxSetLimit", "", cuCtxSetLimit(0, 4096));
    t.row("cuCtxSetCacheConfig", "no such choice", cuCtxSetCacheConfig(9));
    t.row("cuCtxSetSharedMemConfig", "", cuCtxSetSharedMemConfig(2));
    t.row("cuCtxGetApiVersion", "no context", cuCtxGetApiVersion(0x40 as Ptr, &mut 0));
    t.row("cuCtxCreate_v2", "no such device", cuCtxCreate_v2(&mut c, 0, 2));
    t.row("cuCtxCreate_v2", "", cuCtxCreate_v2(&mut c, 0, 0));
    t.row("cuCtxDestroy_v2", "", cuCtxDestroy_v2(c));
    t.row("cuCtxDestroy_v2", "again", cuCtxDestroy_v2(c));
    t.row("cuDevicePrimaryCtxRelease_v2", "while it is current", cuDevicePrimaryCtxRelease_v2(1));
    t.row("cuCtxSynchronize", "the current context was released", cuCtxSynchronize());
}

fn memory(t: &mut Table) {
    let (_turn, _) = started(Config { memory: 4096, ..Config::default() });
    let mut p = 0;
    t.row("cuMemAlloc_v2", "0 bytes", cuMemAlloc_v2(&mut p, 0));
    t.row("cuMemAlloc_v2", "more than there is", cuMemAlloc_v2(&mut p, 4097));
    t.row("cuMemAlloc_v2", "more than any machine has", cuMemAlloc_v2(&mut p, usize::MAX));
    t.row("cuMemAlloc_v2", "null", cuMemAlloc_v2(null_mut(), 4));
    t.row("cuMemAlloc_v2", "", cuMemAlloc_v2(&mut p, 64));
    t.row("cuMemAllocPitch_v2", "elements of 3 bytes", cuMemAllocPitch_v2(&mut p, &mut 0, 4, 4, 3));
    t.row("cuMemAllocManaged", "", cuMemAllocManaged(&mut 0, 64, 1));
    t.row("cuMemAllocManaged", "no such flag", cuMemAllocManaged(&mut p, 64, 9));
    t.row("cuMemFree_v2", "null", cuMemFree_v2(0));
    t.row("cuMemFree_v2", "inside an allocation", cuMemFree_v2(p + 4));
    t.row("cuMemFree_v2", "", cuMemFree_v2(p));
    t.row("cuMemFree_v2", "again", cuMemFree_v2(p));
    t.row("cuMemAllocAsync", "no stream", cuMemAllocAsync(&mut p, 64, 0x40 as Ptr));
    t.row("cuMemAllocAsync", "", cuMemAllocAsync(&mut p, 64, NULL));
    t.row("cuMemGetAddressRange_v2", "no allocation", cuMemGetAddressRange_v2(&mut 0, &mut 0, 4));
    t.row("cuMemGetAddressRange_v2", "inside an allocation", cuMemGetAddressRange_v2(null_mut(), &mut 0, p + 4));
    t.row("cuPointerGetAttribute", "null", cuPointerGetAttribute(NULL, 2, p));
    t.row("cuPointerGetAttribute", "no such address", cuPointerGetAttribute(argument(&mut 0_u64), 2, 4));
    t.row("cuPointerGetAttribute", "memory type", cuPointerGetAttribute(argument(&mut 0_u64), 2, p));
    t.row("cuPointerGetAttribute", "one that is not modelled", cuPointerGetAttribute(argument(&mut 0_u64), 5, p));
    t.row("cuMemFreeAsync", "", cuMemFreeAsync(p, NULL));
    t.row("cuMemFreeAsync", "again", cuMemFreeAsync(p, NULL));
    t.row("cuMemGetInfo_v2", "null", cuMemGetInfo_v2(null_mut(), null_mut()));
    t.row("cuMemAdvise", "memory that is not managed", cuMemAdvise(p, 4, 1, 0));
    t.row("cuMemPrefetchAsync", "memory that is not managed", cuMemPrefetchAsync(p, 4, 0, NULL));
    cuCtxSetCurrent(NULL);
    t.row("cuMemAlloc_v2", "nothing is current", cuMemAlloc_v2(&mut p, 64));
    t.row("cuMemFree_v2", "nothing is current", cuMemFree_v2(p));
    assert_eq!(report().bad_frees, 3);
}

fn host(t: &mut Table) {
    let (_turn, _) = started(Config::default());
    let mut p = NULL;
    t.row("cuMemAllocHost_v2", "0 bytes", cuMemAllocHost_v2(&mut p, 0));
    t.row("cuMemAllocHost_v2", "null", cuMemAllocHost_v2(null_mut(), 4));
    t.row("cuMemAllocHost_v2", "more than any machine has", cuMemAllocHost_v2(&mut p, usize::MAX));
    t.row("cuMemHostAlloc", "no such flag", cuMemHostAlloc(&mut p, 4, 64));
    t.row("cuMemHostAlloc", "", cuMemHostAlloc(&mut p, 4, 1));
    assert_eq!(ask::<u32>(|f| cuMemHostGetFlags(f, p)), 1);
    t.row("cuMemHostGetDevicePointer_v2", "", cuMemHostGetDevicePointer_v2(&mut 0, p, 0));
    t.row("cuMemFreeHost", "", cuMemFreeHost(p));
    t.row("cuMemFreeHost", "again", cuMemFreeHost(p));
    t.row("cuMemHostGetFlags", "memory that is not page-locked", cuMemHostGetFlags(&mut 0, p));
    let own = argument(&mut [0_u8; 64]);
    t.row("cuMemHostRegister_v2", "null", cuMemHostRegister_v2(NULL, 64, 0));
    t.row("cuMemHostRegister_v2", "", cuMemHostRegister_v2(own, 64, 0));
    t.row("cuMemHostRegister_v2", "again", cuMemHostRegister_v2(own, 8, 0));
    let middle = own.wrapping_byte_add(8);
    t.row("cuMemHostRegister_v2", "a part of it", cuMemHostRegister_v2(middle, 8, 0));
    t.row("cuMemFreeHost", "registered memory", cuMemFreeHost(own));
    t.row("cuMemHostUnregister", "", cuMemHostUnregister(own));
    t.row("cuMemHostUnregister", "again", cuMemHostUnregister(own));
}

fn copies(t: &mut Table) {
    let (_turn, first) = started(Config::default());
    let (a, mut bytes) = (alloc(16), [0_u8; 32]);
    let p = argument(&mut bytes);
    let far = 0x40 as Ptr;
    t.row("cuMemcpyHtoD_v2", "", cuMemcpyHtoD_v2(a, p, 16));
    t.row("cuMemcpyHtoD_v2", "past the end", cuMemcpyHtoD_v2(a, p, 17));
    t.row("cuMemcpyHtoD_v2", "from null", cuMemcpyHtoD_v2(a, NULL, 16));
    t.row("cuMemcpyHtoD_v2", "0 bytes, from null to nowhere", cuMemcpyHtoD_v2(0, NULL, 0));
    t.row("cuMemcpyDtoH_v2", "from null", cuMemcpyDtoH_v2(p, 0, 16));
    t.row("cuMemcpyDtoH_v2", "to null", cuMemcpyDtoH_v2(NULL, a, 16));
    t.row("cuMemcpyDtoD_v2", "onto itself, overlapping", cuMemcpyDtoD_v2(a + 4, a, 12));
    t.row("cuMemcpyDtoD_v2", "past the end", cuMemcpyDtoD_v2(a + 4, a, 13));
    t.row("cuMemcpyDtoD_v2", "a length that wraps", cuMemcpyDtoD_v2(a + 4, a, usize::MAX));
    t.row("cuMemcpyHtoDAsync_v2", "no stream", cuMemcpyHtoDAsync_v2(a, p, 16, far));
    t.row("cuMemcpyDtoHAsync_v2", "per-thread default stream", cuMemcpyDtoHAsync_v2(p, a, 16, 2 as Ptr));
    t.row("cuMemcpyDtoDAsync_v2", "legacy default stream", cuMemcpyDtoDAsync_v2(a, a + 8, 8, 1 as Ptr));
    t.row("cuMemcpy", "device to host", cuMemcpy(p as u64, a, 16));
    t.row("cuMemcpy", "host to host", cuMemcpy(p as u64, p as u64, 16));
    t.row("cuMemcpyAsync", "host to device", cuMemcpyAsync(a, p as u64, 16, NULL));
    t.row("cuMemsetD8_v2", "0 values at null", cuMemsetD8_v2(0, 1, 0));
    t.row("cuMemsetD8_v2", "past the end", cuMemsetD8_v2(a, 1, 17));
    t.row("cuMemsetD16_v2", "an odd address", cuMemsetD16_v2(a + 1, 1, 2));
    t.row("cuMemsetD32_v2", "a length that wraps", cuMemsetD32_v2(a, 1, usize::MAX));
    t.row("cuMemsetD32_v2", "a length that wraps to 0", cuMemsetD32_v2(a, 1, 1 << 62));
    t.row("cuMemsetD32Async", "no stream", cuMemsetD32Async(a, 1, 4, far));
    retain(1);
    t.row("cuMemcpyHtoD_v2", "memory of another device", cuMemcpyHtoD_v2(a, p, 16));
    t.row("cuMemcpyDtoD_v2", "between devices", cuMemcpyDtoD_v2(alloc(16), a, 16));
    t.row("cuMemsetD8Async", "memory of another device", cuMemsetD8Async(a, 1, 16, NULL));
    cuCtxSetCurrent(NULL);
    t.row("cuMemcpyHtoD_v2", "nothing is current", cuMemcpyHtoD_v2(a, p, 16));
    cuCtxSetCurrent(first);
    assert!(!take_faults().is_empty());
}

fn streams(t: &mut Table) {
    let (_turn, first) = started(Config::default());
    let mut s = NULL;
    t.row("cuStreamCreate", "no such flag", cuStreamCreate(&mut s, 2));
    t.row("cuStreamCreate", "null", cuStreamCreate(null_mut(), 0));
    t.row("cuStreamCreateWithPriority", "a priority out of range: clamped", cuStreamCreateWithPriority(&mut s, 1, -99));
    assert_eq!(ask::<i32>(|p| cuStreamGetPriority(s, p)), -5);
    assert_eq!(ask::<u32>(|f| cuStreamGetFlags(s, f)), 1);
    assert_eq!(ask::<Ptr>(|c| cuStreamGetCtx(s, c)), first);
    t.row("cuStreamGetFlags", "default stream", cuStreamGetFlags(NULL, &mut 0));
    t.row("cuStreamQuery", "nothing to do", cuStreamQuery(s));
    t.row("cuStreamWaitEvent", "no event", cuStreamWaitEvent(s, NULL, 0));
    t.row("cuStreamWaitEvent", "an event that was never recorded", cuStreamWaitEvent(s, event(), 0));
    t.row("cuLaunchHostFunc", "null", cuLaunchHostFunc(s, None, NULL));
    t.row("cuStreamDestroy_v2", "default stream", cuStreamDestroy_v2(NULL));
    retain(1);
    t.row("cuStreamSynchronize", "a stream of another device", cuStreamSynchronize(s));
    cuCtxSetCurrent(NULL);
    t.row("cuStreamSynchronize", "nothing is current", cuStreamSynchronize(s));
    cuCtxSetCurrent(first);
    t.row("cuStreamDestroy_v2", "", cuStreamDestroy_v2(s));
    t.row("cuStreamDestroy_v2", "again", cuStreamDestroy_v2(s));
    t.row("cuStreamSynchronize", "a destroyed stream", cuStreamSynchronize(s));
}

fn events(t: &mut Table) {
    let (_turn, first) = started(Config::default());
    let mut e = NULL;
    t.row("cuEventCreate", "no such flag", cuEventCreate(&mut e, 64));
    t.row("cuEventCreate", "for other processes, with a time", cuEventCreate(&mut e, 4));
    t.row("cuEventCreate", "null", cuEventCreate(null_mut(), 0));
    let (a, b): (Ptr, Ptr) = (event(), ask(|e| cuEventCreate(e, 2)));
    t.row("cuEventQuery", "never recorded", cuEventQuery(a));
    t.row("cuEventSynchronize", "never recorded", cuEventSynchronize(a));
    t.row("cuEventElapsedTime", "never recorded", cuEventElapsedTime(&mut 0.0, a, a));
    t.row("cuEventRecord", "no event", cuEventRecord(NULL, NULL));
    t.row("cuEventRecord", "no stream", cuEventRecord(a, 0x40 as Ptr));
    t.row("cuEventRecord", "default stream", cuEventRecord(a, NULL));
    cuEventRecord(b, NULL);
    t.row("cuEventElapsedTime", "an event without a time", cuEventElapsedTime(&mut 0.0, a, b));
    t.row("cuEventElapsedTime", "", cuEventElapsedTime(&mut 0.0, a, a));
    t.row("cuEventElapsedTime", "null", cuEventElapsedTime(null_mut(), a, a));
    retain(1);
    t.row("cuEventRecord", "event and stream of different devices", cuEventRecord(a, NULL));
    t.row("cuEventQuery", "an event of another device", cuEventQuery(a));
    cuCtxSetCurrent(NULL);
    t.row("cuEventQuery", "nothing is current", cuEventQuery(a));
    cuCtxSetCurrent(first);
    t.row("cuEventDestroy_v2", "", cuEventDestroy_v2(a));
    t.row("cuEventDestroy_v2", "again", cuEventDestroy_v2(a));
}

#[test]
fn every_code_has_its_name_and_text() {
    for (code, name, text) in [
        (0, c"CUDA_SUCCESS", c"no error"),
        (2, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
        (100, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
        (700, c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
    ] {
        let read = |found: *const core::ffi::c_char| {
            // SAFETY: the driver gives texts that live for ever.
            unsafe { CStr::from_ptr(found) }
        };
        assert_eq!(read(ask(|n| cuGetErrorName(code, n))), name);
        assert_eq!(read(ask(|n| cuGetErrorString(code, n))), text);
    }
}

#[test]
fn attributes_are_those_of_a_device_of_capability_8_0() {
    let (_turn, _) = started(Config::default());
    let attribute = |a| ask::<i32>(|v| cuDeviceGetAttribute(v, a, 0));
    let found: Vec<i32> = [1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 39, 75, 76, 81, 83, 97, 106, 115].map(attribute).to_vec();
    let expected = [1024, 1024, 1024, 64, i32::MAX, 65535, 65535, 49152, 32, 4, 2048, 8, 0, 167936, 1, 166912, 32, 1];
    assert_eq!(found, expected);
}
