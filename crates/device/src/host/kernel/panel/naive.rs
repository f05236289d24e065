//! A panel as its formula says it, word by word.

use crate::host::kernel::{Rows, Store, Word};

/// # Safety
///
/// K1 to K4.
pub(in crate::host) unsafe fn panel<W: Word>(
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
                let word = src.offset(rows.at(i) + j).read_unaligned();
                dst.offset(j * dst_pitch + i as isize).write_unaligned(word);
            }
        }
    }
}
