//! [`Device`]: what every device can do, and the numbered invariants that the crate's `unsafe` code cites.

use core::fmt;

use weft_layout::{Plan, ReducePlan};

use crate::element::{Converts, Element};
use crate::error::Result;
use crate::ops::BinaryOp;

/// Whoever can own memory and run operations on it. The trait is sealed, so that operations can be added.
///
/// The hidden methods are the raw parts of [`Buffer`](crate::Buffer) and of [`ops`](crate::ops), which check what they demand.
///
/// # Invariants
///
/// `unsafe` code cites these by number, here and in the crates above.
///
/// * **D1** a `Memory` of `n` bytes can be read and written through its pointer, `n` bytes from its construction until it is dropped, at
///   an address that is a multiple of 256; it is freed once, by its own `Drop`, and never makes a reference to its bytes. A
///   `Memory` of 0 bytes allocates nothing and its pointer is never used;
/// * **D2** the memory of a buffer of `len` elements has exactly `len * size_of::<T>()` bytes, at most `isize::MAX`, all of
///   them written (whoever calls [`Buffer::uninit`](crate::Buffer::uninit) answers for that). A
///   [`BufferRef`](crate::BufferRef) has at least these bytes for as long as its lifetime, at an address aligned for `T`;
/// * **D3** every offset that a plan reaches lies inside the operand's buffer. [`ops`](crate::ops) checks the
///   plan's spans against the lengths (P1 of [`Plan`] and L4 of [`Layout`](weft_layout::Layout));
/// * **D4** all operands live on the device that is asked. [`ops`](crate::ops) checks with [`same`](Device::same);
/// * **D5** the elements of the destination belong to the operation alone while it runs: the destination comes from memory that may
///   be written, nobody else reads or writes those elements, no two steps of the walk write one element, and an element that
///   is both written and read (in place: `w -= g`) is read by the step that writes it and by no other. Only the
///   caller can know.
///
/// # Safety
///
/// Implementations uphold D1, and write to nothing but the elements that the plan reaches in the destination.
pub unsafe trait Device: sealed::Sealed + Clone + fmt::Debug + Send + Sync + 'static {
    /// Owns bytes on the device.
    type Memory: fmt::Debug + Send + Sync + 'static;
    /// Where bytes are on the device; says nothing about how many, or for how long.
    type Pointer: Copy + fmt::Debug + Send + Sync + 'static;

    /// A name for people: `host`, `cuda:0`.
    #[must_use]
    fn name(&self) -> String;

    /// Whether two handles mean one device. Two GPUs are of one type, so this is for run time to say.
    ///
    /// ```
    /// use weft_device::{Device, Host};
    /// assert!(Host.same(&Host));
    /// ```
    #[must_use]
    fn same(&self, other: &Self) -> bool;

    /// Waits until everything asked of the device is done; on the host it always is.
    ///
    /// # Errors
    ///
    /// What went wrong on a device that works on its own.
    fn synchronize(&self) -> Result<()>;

    /// `bytes` bytes of zeros; 0 bytes allocate nothing.
    #[doc(hidden)]
    fn alloc_zeroed(&self, bytes: usize) -> Result<Self::Memory>;

    /// `bytes` bytes; 0 bytes allocate nothing.
    ///
    /// # Safety
    ///
    /// Nothing is read before it was written.
    #[doc(hidden)]
    unsafe fn alloc_uninit(&self, bytes: usize) -> Result<Self::Memory>;

    /// Where the memory begins.
    #[doc(hidden)]
    fn pointer(memory: &Self::Memory) -> Self::Pointer;

    /// The address of a pointer as the device counts, for alignment.
    #[doc(hidden)]
    fn address(pointer: Self::Pointer) -> usize;

    /// The same bytes as the host reaches them, where it can.
    #[doc(hidden)]
    fn host_pointer(pointer: Self::Pointer) -> Option<*mut u8>;

    /// Host to device.
    ///
    /// # Safety
    ///
    /// `dst + at` and `src` are good for `bytes` bytes, D4, D5.
    #[doc(hidden)]
    unsafe fn upload(&self, dst: Self::Pointer, at: usize, src: *const u8, bytes: usize) -> Result<()>;

    /// Device to host; done when it returns.
    ///
    /// # Safety
    ///
    /// `src + at` and `dst` are good for `bytes` bytes, D4; nobody else uses the bytes at `dst`.
    #[doc(hidden)]
    unsafe fn download(&self, src: Self::Pointer, at: usize, dst: *mut u8, bytes: usize) -> Result<()>;

    /// Device to device, from one allocation to another.
    ///
    /// # Safety
    ///
    /// Both are good for `bytes` bytes and do not overlap, D4, D5.
    #[doc(hidden)]
    unsafe fn duplicate(&self, dst: Self::Pointer, src: Self::Pointer, bytes: usize) -> Result<()>;

    /// # Safety
    ///
    /// D2 to D5, and the plan is not empty.
    #[doc(hidden)]
    unsafe fn fill<T: Element>(&self, plan: &Plan<1>, dst: Self::Pointer, value: T) -> Result<()>;

    /// # Safety
    ///
    /// D2 to D5, and the plan is not empty.
    #[doc(hidden)]
    unsafe fn copy<T: Element>(&self, plan: &Plan<2>, dst: Self::Pointer, src: Self::Pointer) -> Result<()>;

    /// # Safety
    ///
    /// D2 to D5 (several steps may add to one destination element), and the plan is not empty.
    #[doc(hidden)]
    unsafe fn accumulate<T: Element>(&self, plan: &ReducePlan, dst: Self::Pointer, src: Self::Pointer) -> Result<()>;

    /// # Safety
    ///
    /// D2 to D5, and the plan is not empty.
    #[doc(hidden)]
    unsafe fn binary<T: Element>(
        &self,
        op: BinaryOp,
        plan: &Plan<3>,
        dst: Self::Pointer,
        a: Self::Pointer,
        b: Self::Pointer,
    ) -> Result<()>;

    /// # Safety
    ///
    /// D2 to D5, and the plan is not empty; the two memories do not overlap unless the types are the same.
    #[doc(hidden)]
    unsafe fn convert<S: Converts<T>, T: Element>(
        &self,
        plan: &Plan<2>,
        dst: Self::Pointer,
        src: Self::Pointer,
    ) -> Result<()>;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}
