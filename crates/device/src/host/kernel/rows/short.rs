//! Moves of less than a line: two overlapping moves of one size instead of a loop over bytes.

/// Copies less than 64 bytes.
///
/// # Safety
///
/// `bytes` bytes at both, which share none or are the same.
#[inline(always)]
pub(super) unsafe fn short(dst: *mut u8, src: *const u8, bytes: usize) {
    debug_assert!(bytes < super::LINE);
    // SAFETY: the caller's: `bytes` is between one and two times the size of the move.
    unsafe {
        match bytes {
            32.. => ends::<[u8; 32]>(dst, src, bytes),
            16.. => ends::<[u8; 16]>(dst, src, bytes),
            8.. => ends::<u64>(dst, src, bytes),
            4.. => ends::<u32>(dst, src, bytes),
            2.. => ends::<u16>(dst, src, bytes),
            1 => dst.write(src.read()),
            0 => {}
        }
    }
}

/// The first and the last bytes, as many as `T` has; both are read before either is written.
///
/// # Safety
///
/// `bytes` bytes at both, at least those of one `T` and at most those of two.
#[inline(always)]
pub(super) unsafe fn ends<T: Copy>(dst: *mut u8, src: *const u8, bytes: usize) {
    let last = bytes - size_of::<T>();
    // SAFETY: the caller's; K3.
    unsafe {
        let (first, rest) = (src.cast::<T>().read_unaligned(), src.add(last).cast::<T>().read_unaligned());
        dst.cast::<T>().write_unaligned(first);
        dst.add(last).cast::<T>().write_unaligned(rest);
    }
}
