//! A panel as its formula says it, word by word.

use crate::host::kernel::{Rows, Store, Word};

/// # Safety
///
/// K1 to K4.
pub(super) unsafe fn panel<W: Word>(
    dst: *mut W,
    dst_pitch: isize,
    src: *const W,
    rows: Rows<'_>,
    m: usize,
    n: usize,
    _: Store,
) {
    for i in 0..m {
        for j in 0..n as isize {
            // SAFETY: K1, K3.
            unsafe {
                let row = match rows {
                    Rows::Pitch(pitch) => i as isize * pitch,
                    Rows::Table(table) => table[i],
                };
                let word = src.offset(row + j).read_unaligned();
                dst.offset(j * dst_pitch + i as isize).write_unaligned(word);
            }
        }
    }
}
