//! [`Cuda`] itself: a handle of one GPU, and [`Device`] for it.

use core::fmt;
use std::sync::Arc;

use weft_layout::{Plan, ReducePlan};

use crate::device::{Device, sealed};
use crate::element::{Converts, Element};
use crate::error::Result;
use crate::ops::BinaryOp;

use super::present::{CudaMemory, Inner, ops};
use super::{CudaPointer, Event, Facts, Module};

/// An NVIDIA GPU. Clones, and what [`new`](Cuda::new) gives for one ordinal, are one device.
///
/// Operations are queued on one stream and return at once; [`synchronize`](Device::synchronize), and whatever gives values to the
/// host, waits. An error of the device itself (an illegal address in a kernel of the user's own) is therefore reported by a later
/// call, and by every one after it.
///
/// The type is there without the feature `cuda` too, and [`new`](Cuda::new) then says `NotBuiltWithCuda`.
///
/// ```
/// use weft_device::{Buffer, Cuda};
/// match Cuda::new(0) {
///     Ok(gpu) => {
///         let buffer = Buffer::from_slice(&gpu, &[1.0f32, 2.0])?;
///         assert_eq!(buffer.to_vec()?, [1.0, 2.0]);
///     }
///     Err(error) => println!("{error}"), // cuda: no CUDA-capable device is detected (100)
/// }
/// # Ok::<(), weft_device::DeviceError>(())
/// ```
#[derive(Clone)]
#[doc(alias("gpu", "CudaDevice", "CudaContext"))]
pub struct Cuda {
    pub(super) inner: Arc<Inner>,
}

impl Cuda {
    /// The GPU with this number, from 0.
    ///
    /// # Errors
    ///
    /// `NoDevice`: there is no driver, or it has no GPU; `NoSuchDevice`; `NotBuiltWithCuda`; what the driver says.
    pub fn new(ordinal: usize) -> Result<Cuda> {
        Inner::new(ordinal).map(|inner| Cuda { inner })
    }

    /// How many GPUs there are.
    ///
    /// # Errors
    ///
    /// `NoDevice`: there is no driver; `NotBuiltWithCuda`; what the driver says.
    ///
    /// ```
    /// use weft_device::{Cuda, DeviceErrorKind};
    /// match Cuda::count() {
    ///     Ok(count) => println!("{count} GPUs"),
    ///     Err(error) if matches!(error.kind(), DeviceErrorKind::NoDevice { .. }) => println!("none"),
    ///     Err(error) => println!("{error}"),
    /// }
    /// ```
    pub fn count() -> Result<usize> {
        Inner::count()
    }

    /// The number of this GPU.
    #[must_use]
    pub fn ordinal(&self) -> usize {
        self.inner.ordinal()
    }

    /// What the GPU says of itself.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        self.inner.facts()
    }

    /// Free memory and all memory of the device, in bytes.
    ///
    /// # Errors
    ///
    /// What the driver says.
    pub fn memory(&self) -> Result<(usize, usize)> {
        self.inner.memory()
    }

    /// The oldest error that nobody could be told when it happened (memory that could not be freed), once.
    #[must_use]
    pub fn take_deferred_error(&self) -> Option<crate::DeviceError> {
        self.inner.take_deferred_error()
    }

    /// Compiles PTX text for this GPU: kernels of your own.
    ///
    /// # Errors
    ///
    /// `Ptx`, with the log of the driver's compiler; `PtxTooNew`: it takes a newer driver.
    #[doc(alias("module", "cuModuleLoadData"))]
    pub fn load_ptx(&self, ptx: &str) -> Result<Module> {
        Module::new(self, ptx)
    }

    /// A point between what was asked of the GPU before and what will be asked after: two of them tell the time between.
    ///
    /// # Errors
    ///
    /// What the driver says.
    pub fn record_event(&self) -> Result<Event> {
        Event::record(self)
    }
}

impl sealed::Sealed for Cuda {}

// SAFETY: `CudaMemory` upholds D1 (the driver aligns to 256 bytes and more); every operation writes to `dst` alone, at
// offsets that its plan gives. C3 gives operations and transfers one order.
unsafe impl Device for Cuda {
    type Memory = CudaMemory;
    type Pointer = CudaPointer;

    fn name(&self) -> String {
        format!("cuda:{}", self.ordinal())
    }

    fn same(&self, other: &Cuda) -> bool {
        self.ordinal() == other.ordinal()
    }

    fn synchronize(&self) -> Result<()> {
        self.inner.synchronize()
    }

    fn alloc_zeroed(&self, bytes: usize) -> Result<CudaMemory> {
        CudaMemory::zeroed(&self.inner, bytes)
    }

    unsafe fn alloc_uninit(&self, bytes: usize) -> Result<CudaMemory> {
        CudaMemory::uninit(&self.inner, bytes)
    }

    fn pointer(memory: &CudaMemory) -> CudaPointer {
        memory.pointer()
    }

    fn address(pointer: CudaPointer) -> usize {
        // Addresses of a GPU are as wide as the host's: cust builds for 64-bit hosts only.
        pointer.0 as usize
    }

    fn host_pointer(_: CudaPointer) -> Option<*mut u8> {
        None
    }

    unsafe fn upload(&self, dst: CudaPointer, at: usize, src: *const u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's: both are good for `bytes` bytes, and D5.
        unsafe { self.inner.upload(CudaPointer(dst.0 + at as u64), src, bytes) }
    }

    unsafe fn download(&self, src: CudaPointer, at: usize, dst: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's: both are good for `bytes` bytes, and nobody else uses `dst`.
        unsafe { self.inner.download(CudaPointer(src.0 + at as u64), dst, bytes) }
    }

    unsafe fn duplicate(&self, dst: CudaPointer, src: CudaPointer, bytes: usize) -> Result<()> {
        // SAFETY: the caller's: both are good for `bytes` bytes and do not overlap.
        unsafe { self.inner.duplicate(dst, src, bytes) }
    }

    unsafe fn fill<T: Element>(&self, plan: &Plan<1>, dst: CudaPointer, value: T) -> Result<()> {
        // SAFETY: the caller's D2 to D5.
        unsafe { ops::fill(self, plan, dst, value) }
    }

    unsafe fn copy<T: Element>(&self, plan: &Plan<2>, dst: CudaPointer, src: CudaPointer) -> Result<()> {
        // SAFETY: the caller's D2 to D5.
        unsafe { ops::copy::<T>(self, plan, dst, src) }
    }

    unsafe fn accumulate<T: Element>(&self, plan: &ReducePlan, dst: CudaPointer, src: CudaPointer) -> Result<()> {
        // SAFETY: the caller's D2 to D5.
        unsafe { ops::accumulate::<T>(self, plan, dst, src) }
    }

    unsafe fn binary<T: Element>(
        &self,
        op: BinaryOp,
        plan: &Plan<3>,
        dst: CudaPointer,
        a: CudaPointer,
        b: CudaPointer,
    ) -> Result<()> {
        // SAFETY: the caller's D2 to D5.
        unsafe { ops::binary::<T>(self, op, plan, dst, a, b) }
    }

    unsafe fn convert<S: Converts<T>, T: Element>(
        &self,
        plan: &Plan<2>,
        dst: CudaPointer,
        src: CudaPointer,
    ) -> Result<()> {
        if S::DTYPE == T::DTYPE {
            // The same type: not a bit changes, not even of a NaN.
            // SAFETY: the caller's D2 to D5.
            unsafe { ops::copy::<T>(self, plan, dst, src) }
        } else {
            // SAFETY: the caller's D2 to D5, and the memories do not overlap.
            unsafe { ops::convert::<S, T>(self, plan, dst, src) }
        }
    }
}

impl fmt::Debug for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cuda({}, {})", self.ordinal(), self.facts().name)
    }
}
