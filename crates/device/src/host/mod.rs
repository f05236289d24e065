//! [`Host`]: the CPU and its memory, operations as plain loops over the runs of a plan.

mod accumulate;
mod binary;
mod convert;
mod copy;
mod fill;
mod memory;

use weft_layout::{Plan, ReducePlan};

use crate::device::{Device, sealed};
use crate::element::{Converts, Element};
use crate::error::Result;
use crate::ops::BinaryOp;

use memory::HostMemory;
pub(crate) use memory::HostPointer;

/// The host: the CPU and its memory.
///
/// The name is both a type and a value, as if it were a unit struct.
///
/// ```
/// use weft_device::{Buffer, Device, Host};
/// let dev = Host;
/// let zeros: Buffer<f32> = Buffer::new_zeroed(&dev, 4)?; // Buffer<f32, Host>
/// assert_eq!((zeros.device().name(), zeros.len()), ("host".to_string(), 4));
/// # Ok::<(), weft_device::DeviceError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[doc(alias = "cpu")]
pub struct Host {
    // Room for the number of threads, without a change to `let dev = Host;`.
    _private: (),
}

/// The host as a value.
#[expect(non_upper_case_globals, reason = "`let dev = Host;` reads like a unit struct, and fields can still be added")]
pub const Host: Host = Host { _private: () };

impl sealed::Sealed for Host {}

// SAFETY: `HostMemory` upholds D1; every operation writes to `dst` alone, at offsets that its plan gives.
unsafe impl Device for Host {
    type Memory = HostMemory;
    type Pointer = HostPointer;

    fn name(&self) -> String {
        "host".to_string()
    }

    fn same(&self, _other: &Host) -> bool {
        true
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn alloc_zeroed(&self, bytes: usize) -> Result<HostMemory> {
        HostMemory::zeroed(bytes)
    }

    unsafe fn alloc_uninit(&self, bytes: usize) -> Result<HostMemory> {
        HostMemory::uninit(bytes)
    }

    fn pointer(memory: &HostMemory) -> HostPointer {
        memory.pointer()
    }

    fn address(pointer: HostPointer) -> usize {
        pointer.0.addr()
    }

    fn host_pointer(pointer: HostPointer) -> Option<*mut u8> {
        Some(pointer.0)
    }

    unsafe fn upload(&self, dst: HostPointer, at: usize, src: *const u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's: both are good for `bytes` bytes, and D5.
        unsafe { core::ptr::copy_nonoverlapping(src, dst.0.add(at), bytes) };
        Ok(())
    }

    unsafe fn download(&self, src: HostPointer, at: usize, dst: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's: both are good for `bytes` bytes, and nobody else uses `dst`.
        unsafe { core::ptr::copy_nonoverlapping(src.0.add(at), dst, bytes) };
        Ok(())
    }

    unsafe fn duplicate(&self, dst: HostPointer, src: HostPointer, bytes: usize) -> Result<()> {
        // SAFETY: the caller's: both are good for `bytes` bytes and do not overlap.
        unsafe { core::ptr::copy_nonoverlapping(src.0, dst.0, bytes) };
        Ok(())
    }

    unsafe fn fill<T: Element>(&self, plan: &Plan<1>, dst: HostPointer, value: T) -> Result<()> {
        // SAFETY: the caller's D2 to D5.
        unsafe { fill::fill(plan, dst.cast(), value) };
        Ok(())
    }

    unsafe fn copy<T: Element>(&self, plan: &Plan<2>, dst: HostPointer, src: HostPointer) -> Result<()> {
        // SAFETY: the caller's D2 to D5.
        unsafe { copy::copy::<T>(plan, dst.cast(), src.cast()) };
        Ok(())
    }

    unsafe fn accumulate<T: Element>(&self, plan: &ReducePlan, dst: HostPointer, src: HostPointer) -> Result<()> {
        // SAFETY: the caller's D2 to D5.
        unsafe { accumulate::accumulate::<T>(plan, dst.cast(), src.cast()) };
        Ok(())
    }

    unsafe fn binary<T: Element>(
        &self,
        op: BinaryOp,
        plan: &Plan<3>,
        dst: HostPointer,
        a: HostPointer,
        b: HostPointer,
    ) -> Result<()> {
        // SAFETY: the caller's D2 to D5.
        unsafe { binary::binary::<T>(op, plan, dst.cast(), a.cast(), b.cast()) }
    }

    unsafe fn convert<S: Converts<T>, T: Element>(
        &self,
        plan: &Plan<2>,
        dst: HostPointer,
        src: HostPointer,
    ) -> Result<()> {
        if S::DTYPE == T::DTYPE {
            // The same type: not a bit changes, not even of a NaN.
            // SAFETY: the caller's D2 to D5.
            unsafe { copy::copy::<T>(plan, dst.cast(), src.cast()) };
        } else {
            // SAFETY: the caller's D2 to D5, and the memories do not overlap.
            unsafe { convert::convert::<S, T>(plan, dst.cast(), src.cast()) };
        }
        Ok(())
    }
}
