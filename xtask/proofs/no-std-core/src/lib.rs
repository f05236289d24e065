//! Proof that weft-layout links with neither std nor an allocator: this crate brings the panic handler that std would bring.
#![no_std]

#[cfg(feature = "with-std")]
extern crate std;

use weft_layout::{LayoutError, Result};

#[panic_handler]
fn on_panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// How large an error is here, so that the crate is used and not only linked.
#[unsafe(no_mangle)]
pub extern "C" fn weft_error_bytes() -> usize {
    let fine: Result<usize> = Ok(size_of::<LayoutError>());
    fine.unwrap_or(0)
}
