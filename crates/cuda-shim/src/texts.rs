//! The two calls that need no driver: `cust` prints an error through them, and panics in `to_string` when they fail.

use core::ffi::{CStr, c_char};

use crate::codes::{self, Code};
use crate::forward::{Slot, answer};

// SAFETY: nothing else in the program may define the driver's symbols; this crate is there to do so.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(error: u32, text: *mut *const c_char) -> u32 {
    static SLOT: Slot = Slot::new();
    // SAFETY: handed on as they came.
    unsafe { describe(&SLOT, c"cuGetErrorString", error, text, |code| code.text) }
}

// SAFETY: nothing else in the program may define the driver's symbols; this crate is there to do so.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorName(error: u32, name: *mut *const c_char) -> u32 {
    static SLOT: Slot = Slot::new();
    // SAFETY: handed on as they came.
    unsafe { describe(&SLOT, c"cuGetErrorName", error, name, |code| code.name) }
}

/// The driver's words, or else the table's. A code that neither knows gets a null pointer and the answer 1, as from a driver.
///
/// # Safety
///
/// `out` is null or may be written to.
unsafe fn describe(
    slot: &Slot,
    name: &CStr,
    error: u32,
    out: *mut *const c_char,
    words: fn(&Code) -> &'static CStr,
) -> u32 {
    if out.is_null() {
        return answer(codes::INVALID_VALUE);
    }
    if let Some(address) = slot.get(name) {
        // SAFETY: both calls have these arguments in every driver; a lookup has promised it to `install`.
        let call: unsafe extern "C" fn(u32, *mut *const c_char) -> u32 = unsafe { core::mem::transmute(address) };
        // SAFETY: `out` is not null, and the caller may write to it.
        let code = unsafe { call(error, out) };
        // SAFETY: as above; a call that succeeds has written there.
        if code == codes::SUCCESS && !unsafe { *out }.is_null() {
            return codes::SUCCESS;
        }
    }
    let found = codes::find(error);
    // SAFETY: `out` is not null, and the caller may write to it. The words live as long as the program.
    unsafe { *out = found.map_or(core::ptr::null(), |code| words(code).as_ptr()) };
    if found.is_some() { codes::SUCCESS } else { answer(codes::INVALID_VALUE) }
}
