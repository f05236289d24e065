//! Host memory: raw, aligned to 256 bytes as on a GPU, and an error where there is none left.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::alloc::{alloc, alloc_zeroed, dealloc};

use crate::error::{DeviceError, DeviceErrorKind, Result};

/// What `cuMemAlloc` guarantees, so that a plan finds the same vector widths on every device; four lines of cache.
const ALIGN: usize = 256;

/// Owns bytes of the host (D1). No method makes a reference to them: views of disjoint parts may be at work.
#[derive(Debug)]
pub struct HostMemory {
    start: NonNull<u8>,
    bytes: usize,
}

/// Where bytes of the host are.
#[derive(Clone, Copy, Debug)]
pub struct HostPointer(pub(crate) *mut u8);

impl HostPointer {
    pub(super) fn cast<T>(self) -> *mut T {
        self.0.cast()
    }
}

impl HostMemory {
    pub(super) fn zeroed(bytes: usize) -> Result<HostMemory> {
        // SAFETY: `allocate` calls it with a layout of more than 0 bytes.
        HostMemory::allocate(bytes, |layout| unsafe { alloc_zeroed(layout) })
    }

    pub(super) fn uninit(bytes: usize) -> Result<HostMemory> {
        // SAFETY: `allocate` calls it with a layout of more than 0 bytes.
        HostMemory::allocate(bytes, |layout| unsafe { alloc(layout) })
    }

    /// `std::alloc` is asked directly: `Vec` and `Box` abort where they find no memory, and demand unique access.
    fn allocate(bytes: usize, call: impl FnOnce(Layout) -> *mut u8) -> Result<HostMemory> {
        if bytes == 0 {
            return Ok(HostMemory { start: DANGLING, bytes });
        }
        let out_of_memory = || DeviceError::new("alloc", DeviceErrorKind::OutOfMemory { requested: bytes, room: None });
        let layout = Layout::from_size_align(bytes, ALIGN).map_err(|_| out_of_memory())?;
        let start = NonNull::new(call(layout)).ok_or_else(out_of_memory)?;
        Ok(HostMemory { start, bytes })
    }

    pub(super) fn pointer(&self) -> HostPointer {
        HostPointer(self.start.as_ptr())
    }
}

/// Never used, but aligned as every other pointer is.
const DANGLING: NonNull<u8> = NonNull::without_provenance(core::num::NonZero::new(ALIGN).unwrap());

impl Drop for HostMemory {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        // SAFETY: D1: allocated with this size and alignment, which were a valid layout then, and freed only here.
        unsafe { dealloc(self.start.as_ptr(), Layout::from_size_align_unchecked(self.bytes, ALIGN)) };
    }
}

// SAFETY: it owns plain bytes and shares nothing with a thread; whoever writes through the pointer answers for races (D5).
unsafe impl Send for HostMemory {}
// SAFETY: as above; a shared `HostMemory` gives away its address and nothing else.
unsafe impl Sync for HostMemory {}
// SAFETY: an address; using it is `unsafe`.
unsafe impl Send for HostPointer {}
// SAFETY: an address; using it is `unsafe`.
unsafe impl Sync for HostPointer {}
