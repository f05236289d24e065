//! The driver's calls with the types of the driver's header, independent of those in the simulator's table.
#![allow(non_snake_case, reason = "the names are the driver's")]

use core::ffi::{CStr, c_char, c_void};
use std::ffi::CString;
use std::sync::{Mutex, MutexGuard, PoisonError};

use weft_cuda_sim::{Config, configure, lookup};

pub(crate) type Ptr = *mut c_void;
pub(crate) type HostFn = Option<unsafe extern "C" fn(Ptr)>;

macro_rules! raw {
    ($(fn $name:ident($($arg:ident: $type:ty),*);)*) => {
        $(
            #[allow(clippy::too_many_arguments, dead_code, reason = "they are the driver's")]
            pub(crate) fn $name($($arg: $type),*) -> u32 {
                let name = CString::new(stringify!($name)).unwrap();
                let found = lookup(&name);
                assert!(!found.is_null(), "{name:?} is not served");
                // SAFETY: the driver API declares the call with these types; tests pass pointers that are null or valid.
                unsafe {
                    let call: unsafe extern "C" fn($($type),*) -> u32 = core::mem::transmute(found);
                    call($($arg),*)
                }
            }
        )*
        pub(crate) const DECLARED: &[&str] = &[$(stringify!($name)),*];
    };
}

raw! {
    fn cuInit(flags: u32);
    fn cuDriverGetVersion(version: *mut i32);
    fn cuGetErrorName(error: u32, name: *mut *const c_char);
    fn cuGetErrorString(error: u32, text: *mut *const c_char);
    fn cuDeviceGetCount(count: *mut i32);
    fn cuDeviceGet(device: *mut i32, ordinal: i32);
    fn cuDeviceGetName(name: *mut c_char, len: i32, dev: i32);
    fn cuDeviceGetUuid(uuid: *mut [u8; 16], dev: i32);
    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], dev: i32);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: i32);
    fn cuDeviceGetAttribute(value: *mut i32, attrib: u32, dev: i32);
    fn cuDeviceComputeCapability(major: *mut i32, minor: *mut i32, dev: i32);
    fn cuDeviceCanAccessPeer(can: *mut i32, dev: i32, peer: i32);
    fn cuDevicePrimaryCtxRetain(context: *mut Ptr, dev: i32);
    fn cuDevicePrimaryCtxRelease_v2(dev: i32);
    fn cuDevicePrimaryCtxReset_v2(dev: i32);
    fn cuDevicePrimaryCtxSetFlags_v2(dev: i32, flags: u32);
    fn cuDevicePrimaryCtxGetState(dev: i32, flags: *mut u32, active: *mut i32);
    fn cuCtxCreate_v2(context: *mut Ptr, flags: u32, dev: i32);
    fn cuCtxDestroy_v2(context: Ptr);
    fn cuCtxSetCurrent(context: Ptr);
    fn cuCtxGetCurrent(context: *mut Ptr);
    fn cuCtxPushCurrent_v2(context: Ptr);
    fn cuCtxPopCurrent_v2(context: *mut Ptr);
    fn cuCtxGetDevice(device: *mut i32);
    fn cuCtxGetFlags(flags: *mut u32);
    fn cuCtxGetApiVersion(context: Ptr, version: *mut u32);
    fn cuCtxSynchronize();
    fn cuCtxGetStreamPriorityRange(least: *mut i32, greatest: *mut i32);
    fn cuCtxGetCacheConfig(config: *mut u32);
    fn cuCtxSetCacheConfig(config: u32);
    fn cuCtxGetSharedMemConfig(config: *mut u32);
    fn cuCtxSetSharedMemConfig(config: u32);
    fn cuCtxGetLimit(value: *mut usize, limit: u32);
    fn cuCtxSetLimit(limit: u32, value: usize);
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemAlloc_v2(address: *mut u64, bytes: usize);
    fn cuMemAllocPitch_v2(address: *mut u64, pitch: *mut usize, width: usize, height: usize, element: u32);
    fn cuMemAllocManaged(address: *mut u64, bytes: usize, flags: u32);
    fn cuMemFree_v2(address: u64);
    fn cuMemAllocAsync(address: *mut u64, bytes: usize, stream: Ptr);
    fn cuMemFreeAsync(address: u64, stream: Ptr);
    fn cuMemGetAddressRange_v2(base: *mut u64, bytes: *mut usize, address: u64);
    fn cuPointerGetAttribute(value: Ptr, attribute: u32, address: u64);
    fn cuMemAdvise(address: u64, bytes: usize, advice: u32, dev: i32);
    fn cuMemPrefetchAsync(address: u64, bytes: usize, dev: i32, stream: Ptr);
    fn cuMemAllocHost_v2(host: *mut Ptr, bytes: usize);
    fn cuMemHostAlloc(host: *mut Ptr, bytes: usize, flags: u32);
    fn cuMemFreeHost(host: Ptr);
    fn cuMemHostRegister_v2(host: Ptr, bytes: usize, flags: u32);
    fn cuMemHostUnregister(host: Ptr);
    fn cuMemHostGetFlags(flags: *mut u32, host: Ptr);
    fn cuMemHostGetDevicePointer_v2(address: *mut u64, host: Ptr, flags: u32);
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize);
    fn cuMemcpyDtoH_v2(to: Ptr, from: u64, bytes: usize);
    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize);
    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: Ptr);
    fn cuMemcpyDtoHAsync_v2(to: Ptr, from: u64, bytes: usize, stream: Ptr);
    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Ptr);
    fn cuMemcpy(to: u64, from: u64, bytes: usize);
    fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: Ptr);
    fn cuMemsetD8_v2(to: u64, value: u8, count: usize);
    fn cuMemsetD16_v2(to: u64, value: u16, count: usize);
    fn cuMemsetD32_v2(to: u64, value: u32, count: usize);
    fn cuMemsetD8Async(to: u64, value: u8, count: usize, stream: Ptr);
    fn cuMemsetD16Async(to: u64, value: u16, count: usize, stream: Ptr);
    fn cuMemsetD32Async(to: u64, value: u32, count: usize, stream: Ptr);
    fn cuStreamCreate(stream: *mut Ptr, flags: u32);
    fn cuStreamCreateWithPriority(stream: *mut Ptr, flags: u32, priority: i32);
    fn cuStreamDestroy_v2(stream: Ptr);
    fn cuStreamSynchronize(stream: Ptr);
    fn cuStreamQuery(stream: Ptr);
    fn cuStreamWaitEvent(stream: Ptr, event: Ptr, flags: u32);
    fn cuStreamGetFlags(stream: Ptr, flags: *mut u32);
    fn cuStreamGetPriority(stream: Ptr, priority: *mut i32);
    fn cuStreamGetCtx(stream: Ptr, context: *mut Ptr);
    fn cuLaunchHostFunc(stream: Ptr, function: HostFn, data: Ptr);
    fn cuEventCreate(event: *mut Ptr, flags: u32);
    fn cuEventDestroy_v2(event: Ptr);
    fn cuEventRecord(event: Ptr, stream: Ptr);
    fn cuEventQuery(event: Ptr);
    fn cuEventSynchronize(event: Ptr);
    fn cuEventElapsedTime(ms: *mut f32, start: Ptr, end: Ptr);
    fn cuModuleLoad(module: *mut Ptr, path: *const c_char);
    fn cuModuleLoadData(module: *mut Ptr, image: *const c_void);
    fn cuModuleLoadDataEx(module: *mut Ptr, image: *const c_void, n: u32, options: *mut u32, values: *mut Ptr);
    fn cuModuleLoadFatBinary(module: *mut Ptr, image: *const c_void);
    fn cuModuleUnload(module: Ptr);
    fn cuModuleGetFunction(function: *mut Ptr, module: Ptr, name: *const c_char);
    fn cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, module: Ptr, name: *const c_char);
    fn cuFuncGetAttribute(value: *mut i32, attribute: u32, function: Ptr);
    fn cuFuncSetAttribute(function: Ptr, attribute: u32, value: i32);
    fn cuFuncGetModule(module: *mut Ptr, function: Ptr);
    fn cuFuncSetCacheConfig(function: Ptr, config: u32);
    fn cuFuncSetSharedMemConfig(function: Ptr, config: u32);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(n: *mut i32, function: Ptr, threads: i32, shared: usize);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        n: *mut i32, function: Ptr, threads: i32, shared: usize, flags: u32
    );
    fn cuOccupancyMaxPotentialBlockSize(
        grid: *mut i32, block: *mut i32, function: Ptr, shared_of: Ptr, shared: usize, limit: i32
    );
    fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: Ptr, blocks: i32, threads: i32);
    fn cuLaunchKernel(
        function: Ptr, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32, stream: Ptr,
        params: *mut Ptr, extra: *mut Ptr
    );
}

/// Every call of the table has a test signature here, and the other way round.
#[test]
fn the_table_is_this_one() {
    let mut declared = DECLARED.to_vec();
    let mut served = weft_cuda_sim::driver::calls::NAMES.to_vec();
    declared.sort_unstable();
    served.sort_unstable();
    assert_eq!(declared, served);
    assert!(lookup(c"cuGraphCreate").is_null());
    assert!(lookup(c"").is_null());
}

/// One test at a time, with a driver that has just started and these settings.
pub(crate) fn fresh(config: Config) -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    configure(config);
    turn
}

/// The same, with device 0's primary context current.
pub(crate) fn started(config: Config) -> (MutexGuard<'static, ()>, Ptr) {
    let turn = fresh(config);
    assert_eq!(cuInit(0), 0);
    (turn, retain(0))
}

/// Retains the primary context of a device and makes it current.
pub(crate) fn retain(device: i32) -> Ptr {
    let context = ask(|c| cuDevicePrimaryCtxRetain(c, device));
    assert_eq!(cuCtxSetCurrent(context), 0);
    context
}

/// The answer of a call that has to succeed.
#[track_caller]
pub(crate) fn ask<T>(call: impl FnOnce(*mut T) -> u32) -> T {
    let mut answer = core::mem::MaybeUninit::<T>::zeroed();
    assert_eq!(call(answer.as_mut_ptr()), 0);
    // SAFETY: all answers are numbers or pointers, for which zero bytes are a value too.
    unsafe { answer.assume_init() }
}

#[track_caller]
pub(crate) fn alloc(bytes: usize) -> u64 {
    ask(|p| cuMemAlloc_v2(p, bytes))
}

#[track_caller]
pub(crate) fn upload<T>(to: u64, from: &[T]) {
    assert_eq!(cuMemcpyHtoD_v2(to, from.as_ptr().cast(), size_of_val(from)), 0);
}

#[track_caller]
pub(crate) fn download(from: u64, bytes: usize) -> Vec<u8> {
    let mut to = vec![0_u8; bytes];
    assert_eq!(cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), from, bytes), 0);
    to
}

#[track_caller]
pub(crate) fn stream() -> Ptr {
    ask(|s| cuStreamCreateWithPriority(s, 0, 0))
}

#[track_caller]
pub(crate) fn non_blocking_stream() -> Ptr {
    ask(|s| cuStreamCreateWithPriority(s, 1, 0))
}

#[track_caller]
pub(crate) fn event() -> Ptr {
    ask(|e| cuEventCreate(e, 0))
}

/// Page-locked memory of `N` values of type `T`, as a slice that lives until it is freed.
#[track_caller]
pub(crate) fn pinned<T>(count: usize) -> (&'static mut [T], Ptr) {
    let place: Ptr = ask(|p| cuMemAllocHost_v2(p, count * size_of::<T>()));
    // SAFETY: the driver gave so many bytes at this place, page-aligned; every test uses it while it lives, with integers.
    (unsafe { core::slice::from_raw_parts_mut(place.cast(), count) }, place)
}

#[track_caller]
pub(crate) fn load(ptx: &CStr) -> Ptr {
    ask(|m| cuModuleLoadData(m, ptx.as_ptr().cast()))
}

#[track_caller]
pub(crate) fn function(module: Ptr, name: &CStr) -> Ptr {
    ask(|f| cuModuleGetFunction(f, module, name.as_ptr()))
}

/// Launches along x.
pub(crate) fn launch(function: Ptr, grid: u32, block: u32, stream: Ptr, arguments: &mut [Ptr]) -> u32 {
    cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, arguments.as_mut_ptr(), core::ptr::null_mut())
}

/// The place of an argument, for the list that a launch takes.
pub(crate) fn argument<T>(value: &mut T) -> Ptr {
    core::ptr::from_mut(value).cast()
}

pub(crate) const NULL: Ptr = core::ptr::null_mut();
