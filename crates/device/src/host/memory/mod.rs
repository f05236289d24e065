//! Host memory: raw, aligned to 256 bytes as on a GPU, kept for the next who asks, and an error where there is none left.
//!
//! | bytes | comes from | when it is freed |
//! |---|---|---|
//! | below 64 KiB | the allocator | goes back to it |
//! | from 64 KiB | the cache, or else the allocator, in a size class | the cache keeps it, up to its limit |
//! | from 4 MiB (Linux) | the cache, or else pages of the system's, huge ones where it has some | the same |

mod cache;
mod pages;
#[cfg(test)]
mod tests;

use core::alloc::Layout;
use core::ptr::NonNull;
use std::alloc::{alloc, alloc_zeroed, dealloc};

use crate::error::{DeviceError, DeviceErrorKind, Result};

use cache::CACHE;
pub(super) use pages::set_huge_pages;

/// What `cuMemAlloc` guarantees, so that a plan finds the same vector widths on every device; four lines of cache.
const ALIGN: usize = 256;

/// Below this the allocator is as fast as any list of ours.
const CACHED_FROM: usize = 64 << 10;

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
        HostMemory::allocate(bytes, true)
    }

    pub(super) fn uninit(bytes: usize) -> Result<HostMemory> {
        HostMemory::allocate(bytes, false)
    }

    /// `std::alloc` is asked directly: `Vec` and `Box` abort where they find no memory, and demand unique access.
    fn allocate(bytes: usize, zeroed: bool) -> Result<HostMemory> {
        if bytes == 0 {
            return Ok(HostMemory { start: DANGLING, bytes });
        }
        let out_of_memory = || DeviceError::new("alloc", DeviceErrorKind::OutOfMemory { requested: bytes, room: None });
        let class = size_class(bytes).ok_or_else(out_of_memory)?;
        // Zeros of whole pages are best had from the system: nobody touches them before they are used.
        if class >= CACHED_FROM
            && !(zeroed && pages::serves(class))
            && let Some(start) = CACHE.take(class)
        {
            if zeroed {
                // SAFETY: the cache's blocks have the bytes of their class.
                unsafe { start.write_bytes(0, bytes) };
            }
            return Ok(HostMemory { start, bytes });
        }
        let start = fresh(class, zeroed).or_else(|| {
            // What is kept for later may be what is missing now.
            (CACHE.clear() > 0).then(|| fresh(class, zeroed)).flatten()
        });
        Ok(HostMemory { start: start.ok_or_else(out_of_memory)?, bytes })
    }

    pub(super) fn pointer(&self) -> HostPointer {
        HostPointer(self.start.as_ptr())
    }
}

/// Never used, but aligned as every other pointer is.
const DANGLING: NonNull<u8> = NonNull::without_provenance(core::num::NonZero::new(ALIGN).unwrap());

impl Drop for HostMemory {
    fn drop(&mut self) {
        // It was allocated with this class, so there is one.
        let Some(class) = size_class(self.bytes).filter(|&class| class > 0) else { return };
        if class >= CACHED_FROM {
            CACHE.give(self.start, class);
        } else {
            // SAFETY: D1: allocated with this class, and freed only here.
            unsafe { release(self.start, class) };
        }
    }
}

/// How many bytes a request gets: as many as it asks for where the cache has no part in it, and else the next of four
/// classes to each power of two. At most a quarter more, which nobody touches, so that the system need not provide it.
///
/// `None` above `isize::MAX`.
fn size_class(bytes: usize) -> Option<usize> {
    let class = if bytes < CACHED_FROM {
        bytes
    } else {
        // A quarter of the power of two below, or of `bytes` itself where it is one.
        let step = 1 << (bytes.ilog2() - 2);
        bytes.checked_next_multiple_of(step)?
    };
    Layout::from_size_align(class, ALIGN).ok().map(|layout| layout.size())
}

/// New memory of a class above 0.
fn fresh(class: usize, zeroed: bool) -> Option<NonNull<u8>> {
    if pages::serves(class) {
        return pages::map(class);
    }
    let layout = Layout::from_size_align(class, ALIGN).ok()?;
    // SAFETY: the layout has more than 0 bytes.
    NonNull::new(unsafe { if zeroed { alloc_zeroed(layout) } else { alloc(layout) } })
}

/// Gives memory back to where [`fresh`] had it from.
///
/// # Safety
///
/// It came from `fresh(class, _)`, and nobody uses it any more.
unsafe fn release(start: NonNull<u8>, class: usize) {
    // SAFETY: the caller's; the class was a valid layout then.
    unsafe {
        if pages::serves(class) {
            pages::unmap(start, class);
        } else {
            dealloc(start.as_ptr(), Layout::from_size_align_unchecked(class, ALIGN));
        }
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

/// How much freed memory is kept, in bytes.
pub(super) fn cached_bytes() -> usize {
    CACHE.held()
}

/// Frees what is kept.
pub(super) fn empty_cache() {
    CACHE.clear();
}

/// Keeps at most so many bytes from now on.
pub(super) fn set_cache_limit(bytes: usize) {
    CACHE.set_limit(bytes);
}

/// At most how many bytes are kept.
pub(super) fn cache_limit() -> usize {
    CACHE.limit()
}
