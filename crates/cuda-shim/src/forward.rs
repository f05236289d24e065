//! How one call is forwarded: find the driver's function once, call it, and give a code that `cust_raw` knows.

use core::cell::Cell;
use core::ffi::{CStr, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::codes;
use crate::driver::{Driver, driver, find};

/// Any pointer, handle or callback.
pub(crate) type Ptr = *mut c_void;

/// What the C ABI passes for a struct of 64 bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Bytes64([u8; 64]);

/// The driver's function of one name, looked up at its first use.
pub(crate) struct Slot {
    address: AtomicPtr<c_void>,
}

/// In a [`Slot`]: looked up, and not there. No function has this address.
const ABSENT: *mut c_void = core::ptr::without_provenance_mut(usize::MAX);

impl Slot {
    pub(crate) const fn new() -> Slot {
        Slot { address: AtomicPtr::new(null_mut()) }
    }

    /// The function, or `None` where there is none.
    #[inline]
    pub(crate) fn get(&self, name: &CStr) -> Option<*mut c_void> {
        let known = self.address.load(Ordering::Acquire);
        let address = if known.is_null() { self.look_up(name) } else { known };
        (address != ABSENT).then_some(address)
    }

    /// Two threads may both do this, and find the same.
    #[cold]
    fn look_up(&self, name: &CStr) -> *mut c_void {
        let found = find(name).cast_mut();
        let address = if found.is_null() { ABSENT } else { found };
        self.address.store(address, Ordering::Release);
        address
    }
}

thread_local! {
    static LAST_FAILURE: Cell<u32> = const { Cell::new(0) };
}

/// The result code of this thread's latest driver call that did not answer 0, as the driver gave it: also one that
/// `cust_raw` does not declare, or that `cust` merges into `UnknownError`. 0 before the first.
///
/// Calls that succeed leave it as it is, so that code may clean up before it asks.
///
/// ```
/// assert_eq!(weft_cuda_shim::last_raw_code(), 0);
/// ```
#[must_use]
pub fn last_raw_code() -> u32 {
    LAST_FAILURE.get()
}

/// Remembers a failure, and gives a code that a `CUresult` of `cust_raw` may hold.
#[inline]
pub(crate) fn answer(code: u32) -> u32 {
    if code == codes::SUCCESS { code } else { failure(code) }
}

#[cold]
fn failure(code: u32) -> u32 {
    LAST_FAILURE.set(code);
    if codes::is_declared(code) { code } else { codes::UNKNOWN }
}

/// What a call answers that is not there: no driver at all is no device; a driver without this call does not support it.
#[cold]
pub(crate) fn absent() -> u32 {
    failure(match driver() {
        Driver::Missing { .. } => codes::NO_DEVICE,
        _ => codes::NOT_SUPPORTED,
    })
}

/// Defines each call as a symbol of its own name, and the list of the names.
macro_rules! forward {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        /// The name of every driver call that this crate defines.
        pub const CALLS: &[&str] = &["cuGetErrorString", "cuGetErrorName" $(, stringify!($name))*];

        $(
            // SAFETY: nothing else in the program may define the driver's symbols; this crate is there to do so.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $kind),*) -> u32 {
                static SLOT: $crate::forward::Slot = $crate::forward::Slot::new();
                const NAME: &core::ffi::CStr = $crate::forward::terminated(concat!(stringify!($name), "\0"));
                let Some(address) = SLOT.get(NAME) else { return $crate::forward::absent() };
                // SAFETY: the driver's function of this name has these arguments, as C passes them: that is the driver's
                // interface for a library, and the promise made to `install` for functions of this process.
                let call: unsafe extern "C" fn($($kind),*) -> u32 = unsafe { core::mem::transmute(address) };
                // SAFETY: what the arguments must be is between the caller and the driver.
                $crate::forward::answer(unsafe { call($($argument),*) })
            }
        )*
    };
}
pub(crate) use forward;

/// A name with its final zero byte, as C wants it. A name without one does not compile.
pub(crate) const fn terminated(name: &str) -> &CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a name of a driver call must end in its only zero byte"),
    }
}
