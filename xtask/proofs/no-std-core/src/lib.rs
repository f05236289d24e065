//! Proof that weft-layout links with neither std nor an allocator: this crate brings the panic handler that std would bring.
#![no_std]

#[cfg(feature = "with-std")]
extern crate std;

use weft_layout::record::{Field, Record};
use weft_layout::{Divider32, FixedLayout};

#[panic_handler]
fn on_panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// The offset of `(i, j)` in a `rows` by `columns` matrix, or `usize::MAX` where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn weft_offset(rows: usize, columns: usize, i: usize, j: usize) -> usize {
    FixedLayout::try_row_major([rows, columns]).and_then(|l| l.offset_of([i, j])).unwrap_or(usize::MAX)
}

/// Where the second field of `{ u8, u32 }` lies, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn weft_second_field() -> usize {
    Record::new([Field::of::<u8>(), Field::of::<u32>()]).map_or(usize::MAX, |r| r.offsets()[1])
}

/// `n / divisor` without a division, or `u32::MAX` for a divisor of zero.
#[unsafe(no_mangle)]
pub extern "C" fn weft_divide(n: u32, divisor: u32) -> u32 {
    Divider32::new(divisor).map_or(u32::MAX, |d| d.div(n))
}
