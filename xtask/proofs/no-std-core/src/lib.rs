//! Proof that weft-layout links with neither std nor an allocator: this crate brings the panic handler that std would bring.
#![no_std]

#[cfg(feature = "with-std")]
extern crate std;

use weft_layout::{Divider32, LayoutError, Op};

#[panic_handler]
fn on_panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// How large an error is here.
#[unsafe(no_mangle)]
pub extern "C" fn weft_error_bytes() -> usize {
    size_of::<LayoutError>() + Op::Permute.name().len()
}

/// `n / divisor` without a division, or `u32::MAX` for a divisor of zero.
#[unsafe(no_mangle)]
pub extern "C" fn weft_divide(n: u32, divisor: u32) -> u32 {
    Divider32::new(divisor).map_or(u32::MAX, |d| d.div(n))
}
