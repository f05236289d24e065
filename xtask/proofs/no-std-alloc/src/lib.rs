//! Proof that all of weft-layout links without std: this crate brings the panic handler and the allocator that std would bring.
#![no_std]

#[cfg(feature = "with-std")]
extern crate std;

use core::alloc::{GlobalAlloc, Layout as Block};

use weft_layout::{Layout, LayoutError, Plan};

#[panic_handler]
fn on_panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// An allocator that never has memory: enough to link against.
struct Empty;

// SAFETY: it returns no block, so there is none that it could get wrong.
unsafe impl GlobalAlloc for Empty {
    unsafe fn alloc(&self, _: Block) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Block) {}
}

#[global_allocator]
static ALLOCATOR: Empty = Empty;

/// The offset of `(i, j)` in the transpose of a `rows` by `columns` matrix, or `usize::MAX` where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn weft_transposed_offset(rows: usize, columns: usize, i: usize, j: usize) -> usize {
    let offset = || Layout::row_major([rows, columns])?.t()?.offset_of(&[i, j]);
    offset().unwrap_or(usize::MAX)
}

/// How many axes are left of a copy of that matrix into its transpose.
#[unsafe(no_mangle)]
pub extern "C" fn weft_transpose_axes(rows: usize, columns: usize) -> usize {
    let axes = || {
        let source = Layout::row_major([rows, columns])?;
        let plan = Plan::new([&source.t()?, &Layout::row_major([columns, rows])?])?;
        Ok::<usize, LayoutError>(plan.axes().len())
    };
    axes().unwrap_or(usize::MAX)
}
