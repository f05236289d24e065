//! A library that pretends to be a driver: the tests compile it, and open it by its path.
//! It has few of the calls, and each shows what arrived.

use std::ffi::{CStr, c_char, c_void};

/// Answers whatever code it is asked for.
#[unsafe(no_mangle)]
pub extern "C" fn cuInit(flags: u32) -> u32 {
    flags
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut i32) -> u32 {
    // SAFETY: the tests pass a place that may be written to.
    unsafe { *version = 12345 };
    0
}

/// Knows one code, as an old driver knows fewer than a new one. For others it fails, and what it leaves behind is no answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(error: u32, text: *mut *const c_char) -> u32 {
    const ONE: &CStr = c"the fake driver's words for 1";
    // SAFETY: the tests pass a place that may be written to.
    unsafe { *text = if error == 1 { ONE.as_ptr() } else { c"left over".as_ptr() } };
    u32::from(error != 1)
}

/// Says that all is well and gives nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(_: u32, name: *mut *const c_char) -> u32 {
    // SAFETY: the tests pass a place that may be written to.
    unsafe { *name = std::ptr::null() };
    0
}

#[repr(C)]
pub struct Handle([u8; 64]);

/// The only kind of argument that is a struct by value: its last byte, and the flags behind it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuIpcOpenMemHandle_v2(address: *mut u64, handle: Handle, flags: u32) -> u32 {
    // SAFETY: the tests pass a place that may be written to.
    unsafe { *address = u64::from(handle.0[63]) << 32 | u64::from(flags) };
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetMipmapLevelClamp(_: *mut c_void, low: f32, high: f32) -> u32 {
    (low * 100.0 + high) as u32
}

/// Eleven arguments, so some come through memory: writes their digits where the last one points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: *mut c_void,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: *mut c_void,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> u32 {
    let numbers = [grid_x, grid_y, grid_z, block_x, block_y, block_z, shared].map(u64::from);
    let digits = numbers.into_iter().fold(function as u64, |digits, next| digits * 10 + next);
    // SAFETY: the tests pass a place that may be written to.
    unsafe { *extra.cast::<u64>() = (digits * 10 + stream as u64) * 10 + parameters as u64 };
    0
}
