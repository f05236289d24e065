//! Under an allocator that counts and refuses: an error and no abort, a free for each allocation, nothing for no elements.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use std::alloc::System;

use weft_device::{Buffer, DeviceErrorKind, Host};

struct Watched;

thread_local! {
    static REFUSE: Cell<bool> = const { Cell::new(false) };
    /// Allocations of ours, frees of ours, and the bytes still out.
    static COUNTS: Cell<(usize, usize, usize)> = const { Cell::new((0, 0, 0)) };
}

/// Ours are the ones on 256 bytes.
fn ours(layout: Layout) -> bool {
    layout.align() == 256
}

fn allocated(layout: Layout, pointer: *mut u8) -> *mut u8 {
    if ours(layout) && !pointer.is_null() {
        let (allocs, frees, bytes) = COUNTS.get();
        COUNTS.set((allocs + 1, frees, bytes + layout.size()));
    }
    pointer
}

// SAFETY: all memory is the system's; refusing is allowed.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if REFUSE.get() {
            return core::ptr::null_mut();
        }
        // SAFETY: the caller's.
        allocated(layout, unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if REFUSE.get() {
            return core::ptr::null_mut();
        }
        // SAFETY: the caller's.
        allocated(layout, unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if ours(layout) {
            let (allocs, frees, bytes) = COUNTS.get();
            COUNTS.set((allocs, frees + 1, bytes - layout.size()));
        }
        // SAFETY: the caller's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

fn refusing<R>(f: impl FnOnce() -> R) -> R {
    REFUSE.set(true);
    let result = f();
    REFUSE.set(false);
    result
}

#[test]
fn every_allocation_is_freed_once_with_its_size() {
    for len in [1, 3, 255, 256, 1000] {
        let a = Buffer::<u32>::new_zeroed(&Host, len).unwrap();
        let b = a.try_clone().unwrap();
        drop(a);
        let c = b.to_device(&Host).unwrap();
        drop((c, b));
    }
    assert_eq!(COUNTS.get(), (15, 15, 0));
}

#[test]
fn no_elements_allocate_nothing_at_all() {
    let buffer = refusing(|| {
        let buffer = Buffer::<u32>::new_zeroed(&Host, 0).unwrap();
        let other = Buffer::from_slice(&Host, &[0u32; 0]).unwrap();
        assert_eq!(other.to_vec().unwrap(), []);
        buffer.try_clone().unwrap()
    });
    drop(buffer);
    assert_eq!(COUNTS.get(), (0, 0, 0));
}

#[test]
fn no_memory_is_an_error_and_changes_nothing() {
    let buffer = Buffer::from_slice(&Host, &[1u16, 2, 3]).unwrap();
    let out_of_memory = refusing(|| {
        [
            Buffer::<u16>::new_zeroed(&Host, 3).map(drop),
            Buffer::from_slice(&Host, &[1u16, 2, 3]).map(drop),
            buffer.try_clone().map(drop),
            buffer.to_device(&Host).map(drop),
            buffer.to_vec().map(drop),
        ]
    });
    for refused in out_of_memory {
        assert!(matches!(*refused.unwrap_err().kind(), DeviceErrorKind::OutOfMemory { requested: 6, .. }));
    }
    assert_eq!(buffer.as_slice(), [1, 2, 3]);
    assert_eq!(COUNTS.get(), (1, 0, 6));
}
