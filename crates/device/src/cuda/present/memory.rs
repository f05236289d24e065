//! [`CudaMemory`]: memory of a GPU.

use std::sync::Arc;

use cust::memory::{DevicePointer, cuda_free, cuda_malloc};

use super::Inner;
use super::calls::{OUT_OF_MEMORY, check, check_raw, code_of, failed};
use crate::cuda::CudaPointer;
use crate::error::{DeviceError, DeviceErrorKind, Result};

/// Owns bytes of a GPU (D1), and with them a share of its context (C1).
#[derive(Debug)]
pub struct CudaMemory {
    /// `None` where there are no bytes: those are nowhere.
    some: Option<Allocation>,
}

struct Allocation {
    start: CudaPointer,
    device: Arc<Inner>,
}

impl CudaMemory {
    pub(in crate::cuda) fn zeroed(device: &Arc<Inner>, bytes: usize) -> Result<CudaMemory> {
        let memory = CudaMemory::uninit(device, bytes)?;
        if let Some(Allocation { start, .. }) = &memory.some {
            let _current = device.current("alloc")?;
            // SAFETY: D1: the allocation has these bytes, and nobody else knows it. Work that uses them comes after (C3).
            let result = unsafe { cust::sys::cuMemsetD8Async(start.0, 0, bytes, device.stream().as_inner()) };
            check_raw("alloc", "cuMemsetD8Async", result)?;
        }
        Ok(memory)
    }

    pub(in crate::cuda) fn uninit(device: &Arc<Inner>, bytes: usize) -> Result<CudaMemory> {
        if bytes == 0 {
            return Ok(CudaMemory { some: None });
        }
        let _current = device.current("alloc")?;
        // SAFETY: the pointer is kept and freed once, by `Allocation`.
        let malloc = || unsafe { cuda_malloc::<u8>(bytes) }.map_err(code_of);
        let pointer = match malloc() {
            // Memory whose last use is still queued is free only when that has run.
            Err(OUT_OF_MEMORY) => device.stream().synchronize().map_err(code_of).and_then(|()| malloc()),
            result => result,
        };
        match pointer {
            Ok(pointer) => {
                let start = CudaPointer(pointer.as_raw());
                Ok(CudaMemory { some: Some(Allocation { start, device: Arc::clone(device) }) })
            }
            Err(OUT_OF_MEMORY) => Err(out_of_memory(bytes)),
            Err(code) => Err(failed("alloc", "cuMemAlloc_v2", code)),
        }
    }

    pub(in crate::cuda) fn pointer(&self) -> CudaPointer {
        // Never used where there is nothing, but aligned as every other pointer is.
        self.some.as_ref().map_or(CudaPointer(256), |allocation| allocation.start)
    }
}

#[cold]
fn out_of_memory(requested: usize) -> DeviceError {
    // Where even this fails, the request is what is known.
    let room = cust::memory::mem_get_info().ok().map(|(free, total)| Box::new((free, total)));
    DeviceError::new("alloc", DeviceErrorKind::OutOfMemory { requested, room })
}

impl Drop for Allocation {
    fn drop(&mut self) {
        let freed = self.device.current("free").and_then(|_current| {
            // SAFETY: D1: allocated once, freed only here. The driver waits for queued work that uses it.
            let result = unsafe { cuda_free(DevicePointer::<u8>::from_raw(self.start.0)) };
            check("free", "cuMemFree_v2", result)
        });
        if let Err(error) = freed {
            self.device.defer(error);
        }
    }
}

impl core::fmt::Debug for Allocation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:#x} on cuda:{}", self.start.0, self.device.ordinal())
    }
}
