//! Copies between host and GPU, and within the GPU.

use super::Inner;
use super::calls::check_raw;
use super::inner::lock;
use super::staging::{Staging, WORTHWHILE};
use crate::cuda::CudaPointer;
use crate::error::Result;

impl Inner {
    /// Returns when `src` may be changed again; the bytes arrive before whatever is asked next (C3).
    ///
    /// # Safety
    ///
    /// Both are good for `bytes` bytes, more than 0, and the destination is the caller's alone.
    pub(in crate::cuda) unsafe fn upload(&self, dst: CudaPointer, src: *const u8, bytes: usize) -> Result<()> {
        let _current = self.current("upload")?;
        if bytes >= WORTHWHILE {
            let mut staging = lock(&self.staging);
            if let Some(staging) = Staging::of(&mut staging) {
                // SAFETY: the caller's.
                return settled(self, unsafe { staging.upload(self.stream(), dst, src, bytes) });
            }
        }
        // SAFETY: the caller's. The call is ordered after the stream (C3), and has read `src` when it returns.
        check_raw("upload", "cuMemcpyHtoD_v2", unsafe { cust::sys::cuMemcpyHtoD_v2(dst.0, src.cast(), bytes) })
    }

    /// Returns when the bytes are at `dst`.
    ///
    /// # Safety
    ///
    /// Both are good for `bytes` bytes, more than 0, and nobody else uses `dst`.
    pub(in crate::cuda) unsafe fn download(&self, src: CudaPointer, dst: *mut u8, bytes: usize) -> Result<()> {
        let _current = self.current("download")?;
        if bytes >= WORTHWHILE {
            let mut staging = lock(&self.staging);
            if let Some(staging) = Staging::of(&mut staging) {
                // SAFETY: the caller's.
                return settled(self, unsafe { staging.download(self.stream(), src, dst, bytes) });
            }
        }
        // SAFETY: the caller's. The call is ordered after the stream (C3) and waits.
        check_raw("download", "cuMemcpyDtoH_v2", unsafe { cust::sys::cuMemcpyDtoH_v2(dst.cast(), src.0, bytes) })
    }

    /// # Safety
    ///
    /// Both are good for `bytes` bytes, more than 0, do not overlap, and the destination is the caller's alone.
    pub(in crate::cuda) unsafe fn duplicate(&self, dst: CudaPointer, src: CudaPointer, bytes: usize) -> Result<()> {
        let _current = self.current("duplicate")?;
        // SAFETY: the caller's; in the order of the stream (C3).
        let result = unsafe { cust::sys::cuMemcpyDtoDAsync_v2(dst.0, src.0, bytes, self.stream().as_inner()) };
        check_raw("duplicate", "cuMemcpyDtoDAsync_v2", result)
    }
}

/// After a failed transfer a copy may be under way that no event waits for: the pieces are free when the stream is.
fn settled(device: &Inner, result: Result<()>) -> Result<()> {
    if result.is_err() {
        // Where this fails too, nothing runs on the device any more.
        let _ = device.stream().synchronize();
    }
    result
}
