//! [`Host`]: the CPU and its memory, and operations that run plans on them: loops for every instruction set, on several threads.

mod accumulate;
mod binary;
mod compiled;
mod convert;
mod copy;
mod elementwise;
mod exec;
mod fill;
mod kernel;
mod memory;
mod shared;
#[cfg(test)]
mod tests;
mod threads;
mod walk;

use core::num::NonZero;

use weft_layout::{Plan, ReducePlan};

use crate::device::{Device, sealed};
use crate::element::{Converts, Element};
use crate::error::Result;
use crate::ops::BinaryOp;

pub(crate) use exec::Exec;
pub use exec::Isa;
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
    // Small, because every buffer keeps a handle.
    threads: Option<NonZero<u16>>,
    isa: Option<Isa>,
}

/// The host as a value.
#[expect(non_upper_case_globals, reason = "`let dev = Host;` reads like a unit struct, and fields can still be added")]
pub const Host: Host = Host { threads: None, isa: None };

impl Host {
    /// The same memory, with operations on at most `threads` threads at once (65,535 of them); 0 means as many as rayon's pool
    /// has.
    ///
    /// The setting belongs to the handle: a buffer keeps the handle that it was made with, and an operation runs as the handle of
    /// its destination says. Small work stays on the caller's thread whatever the number. Without the feature `threads` everything
    /// does. No result depends on it, not by a bit.
    ///
    /// ```
    /// use weft_device::{Buffer, Host};
    /// let one = Host.with_threads(1);
    /// let zeros = Buffer::<f32>::new_zeroed(&one, 4)?;
    /// assert_eq!(zeros.device().threads(), 1);
    /// # Ok::<(), weft_device::DeviceError>(())
    /// ```
    #[must_use]
    pub const fn with_threads(self, threads: usize) -> Host {
        let threads = if threads > u16::MAX as usize { u16::MAX } else { threads as u16 };
        Host { threads: NonZero::new(threads), isa: self.isa }
    }

    /// How many threads an operation uses at most.
    ///
    /// ```
    /// use weft_device::Host;
    /// assert_eq!(Host.with_threads(3).threads(), if cfg!(feature = "threads") { 3 } else { 1 });
    /// ```
    #[must_use]
    pub fn threads(&self) -> usize {
        self.exec().threads.get()
    }

    /// The same memory, with loops that use `isa` or, where this CPU lacks it, the next best. For tests and comparisons: the best
    /// one is found without being asked for.
    ///
    /// ```
    /// use weft_device::{Host, Isa};
    /// assert_eq!(Host.with_isa(Isa::Portable).isa(), Isa::Portable);
    /// ```
    #[must_use]
    pub const fn with_isa(self, isa: Isa) -> Host {
        Host { threads: self.threads, isa: Some(isa) }
    }

    /// The instruction set that the loops use.
    ///
    /// ```
    /// use weft_device::{Host, Isa};
    /// assert!(Host.with_isa(Isa::Avx2).isa() <= Isa::best());
    /// ```
    #[must_use]
    pub fn isa(&self) -> Isa {
        self.exec().isa
    }

    /// How many bytes of freed memory the process keeps for the next who asks.
    ///
    /// Memory of 64 KiB and more is kept when it is freed, in four size classes to each power of two, up to
    /// [`cache_limit`](Host::cache_limit): memory from the system is zeroed by it page by page when it is first touched, which costs
    /// more than copying into it. A new tensor that finds a kept block of its class costs nothing of that.
    ///
    /// ```
    /// use weft_device::{Buffer, Host};
    /// Host::empty_cache();
    /// drop(Buffer::<u8>::new_zeroed(&Host, 100_000)?);
    /// assert!(Host::cached_bytes() >= 100_000 && Host::cached_bytes() <= Host::cache_limit());
    /// # Ok::<(), weft_device::DeviceError>(())
    /// ```
    #[must_use]
    pub fn cached_bytes() -> usize {
        memory::cached_bytes()
    }

    /// Gives all kept memory back to the system. An allocation that finds no memory does so by itself and tries once more.
    ///
    /// ```
    /// use weft_device::{Buffer, Host};
    /// drop(Buffer::<u8>::new_zeroed(&Host, 100_000)?);
    /// Host::empty_cache();
    /// assert_eq!(Host::cached_bytes(), 0);
    /// # Ok::<(), weft_device::DeviceError>(())
    /// ```
    pub fn empty_cache() {
        memory::empty_cache();
    }

    /// At most how many bytes are kept: 1 GiB unless [`set_cache_limit`](Host::set_cache_limit) said otherwise.
    ///
    /// ```
    /// use weft_device::Host;
    /// assert_eq!(Host::cache_limit(), 1 << 30);
    /// ```
    #[must_use]
    pub fn cache_limit() -> usize {
        memory::cache_limit()
    }

    /// Keeps at most `bytes` bytes from now on, in the whole process; what is more is freed at once, the oldest first. 0 keeps nothing.
    ///
    /// ```
    /// use weft_device::{Buffer, Host};
    /// Host::set_cache_limit(0);
    /// drop(Buffer::<u8>::new_zeroed(&Host, 100_000)?);
    /// assert_eq!(Host::cached_bytes(), 0);
    /// # Ok::<(), weft_device::DeviceError>(())
    /// ```
    pub fn set_cache_limit(bytes: usize) {
        memory::set_cache_limit(bytes);
    }

    /// Whether new memory of 4 MiB and more asks the system for huge pages; it does unless told otherwise. Only Linux has the
    /// advice; where it does nothing, nothing is said.
    ///
    /// ```
    /// use weft_device::{Buffer, Host};
    /// Host::set_huge_pages(false);
    /// assert_eq!(Buffer::<u8>::new_zeroed(&Host, 5 << 20)?.as_slice()[1 << 20], 0);
    /// # Ok::<(), weft_device::DeviceError>(())
    /// ```
    pub fn set_huge_pages(on: bool) {
        memory::set_huge_pages(on);
    }

    /// Which kernel copies this plan, in which blocks, on how many threads: one line for people.
    ///
    /// `element_bytes` is the size of an element: 1, 2, 4, 8 or 16.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_layout::{Layout, Plan};
    /// let (dst, src) = (Layout::row_major([300, 200])?, Layout::row_major([200, 300])?.t()?);
    /// let said = Host.with_threads(1).explain_copy(&Plan::new([&dst, &src])?, 4);
    /// assert!(said.starts_with("transpose 200 x 300 words of 4"), "{said}");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn explain_copy(&self, plan: &Plan<2>, element_bytes: usize) -> String {
        copy::explain(self.exec(), plan, element_bytes)
    }

    pub(crate) fn exec(&self) -> Exec {
        let best = Isa::best();
        let threads =
            if cfg!(feature = "threads") { self.threads.map(NonZero::<usize>::from) } else { NonZero::new(1) };
        Exec {
            isa: self.isa.map_or(best, |isa| isa.min(best)),
            threads: threads.or_else(|| NonZero::new(threads::available())).unwrap_or(NonZero::<usize>::MIN),
        }
    }
}

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
        unsafe { fill::fill(self.exec(), plan, dst.cast(), value) };
        Ok(())
    }

    unsafe fn copy<T: Element>(&self, plan: &Plan<2>, dst: HostPointer, src: HostPointer) -> Result<()> {
        // SAFETY: the caller's D2 to D5.
        unsafe { copy::copy::<T>(self.exec(), plan, dst.cast(), src.cast()) };
        Ok(())
    }

    unsafe fn accumulate<T: Element>(&self, plan: &ReducePlan, dst: HostPointer, src: HostPointer) -> Result<()> {
        // SAFETY: the caller's D2 to D5.
        unsafe { accumulate::accumulate::<T>(self.exec(), plan, dst.cast(), src.cast()) };
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
        unsafe { binary::binary::<T>(self.exec(), op, plan, dst.cast(), a.cast(), b.cast()) }
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
            unsafe { copy::copy::<T>(self.exec(), plan, dst.cast(), src.cast()) };
        } else {
            // SAFETY: the caller's D2 to D5, and the memories do not overlap.
            unsafe { convert::convert::<S, T>(self.exec(), plan, dst.cast(), src.cast()) };
        }
        Ok(())
    }
}
