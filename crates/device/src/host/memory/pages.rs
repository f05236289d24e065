//! Large memory straight from the system, in huge pages where it has some.
//!
//! A page of 4 KiB costs a fault when it is first touched, and an entry of the TLB ever after; one of 2 MiB costs the same
//! for 512 times as much. The advice is quiet: where the system has no huge pages, or no wish to make some, small ones do.

#[cfg(target_os = "linux")]
pub(super) use linux::{map, serves, unmap};
#[cfg(not(target_os = "linux"))]
pub(super) use other::{map, serves, unmap};

use core::sync::atomic::{AtomicBool, Ordering};

static HUGE_PAGES: AtomicBool = AtomicBool::new(true);

/// Whether memory that is mapped from now on asks for huge pages.
pub(in crate::host) fn set_huge_pages(on: bool) {
    HUGE_PAGES.store(on, Ordering::Relaxed);
}

#[cfg(target_os = "linux")]
mod linux {
    use core::ptr::{self, NonNull};
    use core::sync::atomic::Ordering;

    use super::HUGE_PAGES;

    /// From here on memory is mapped, and begins on a huge page.
    const MAPPED_FROM: usize = 4 << 20;

    /// A huge page of x86-64 and of most others. Where it is not, the alignment does no harm.
    const HUGE: usize = 2 << 20;

    pub(in crate::host::memory) const fn serves(class: usize) -> bool {
        class >= MAPPED_FROM
    }

    /// Zeros, which no page holds before it is touched.
    pub(in crate::host::memory) fn map(class: usize) -> Option<NonNull<u8>> {
        let padded = class.checked_add(HUGE)?;
        // SAFETY: a new mapping, wherever the system likes.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                padded,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return None;
        }
        let base: *mut u8 = base.cast();
        let before = base.addr().next_multiple_of(HUGE) - base.addr();
        // SAFETY: both ends are parts of the mapping, whole pages (the classes from 4 MiB on are multiples of 1 MiB), which
        // nobody knows of. What cannot be cut off stays, and costs addresses only.
        let start = unsafe {
            let start = base.add(before);
            if before > 0 {
                libc::munmap(base.cast(), before);
            }
            if before < HUGE {
                libc::munmap(start.add(class).cast(), HUGE - before);
            }
            start
        };
        if HUGE_PAGES.load(Ordering::Relaxed) {
            // SAFETY: the mapping. Advice: if it fails, everything works.
            unsafe { libc::madvise(start.cast(), class, libc::MADV_HUGEPAGE) };
        }
        NonNull::new(start)
    }

    /// # Safety
    ///
    /// It came from `map(class)`, and nobody uses it any more.
    pub(in crate::host::memory) unsafe fn unmap(start: NonNull<u8>, class: usize) {
        // SAFETY: the caller's. There is nobody to tell of a failure, and none is possible for a whole mapping.
        unsafe { libc::munmap(start.as_ptr().cast(), class) };
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use core::ptr::NonNull;

    pub(in crate::host::memory) const fn serves(_class: usize) -> bool {
        false
    }

    pub(in crate::host::memory) fn map(_class: usize) -> Option<NonNull<u8>> {
        None
    }

    /// # Safety
    ///
    /// Never called: nothing is mapped.
    pub(in crate::host::memory) unsafe fn unmap(_start: NonNull<u8>, _class: usize) {}
}
