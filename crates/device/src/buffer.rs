//! [`Buffer`] owns elements on a device; [`BufferRef`] says where borrowed ones are.

use core::fmt;
use core::marker::PhantomData;

use crate::device::Device;
use crate::element::Element;
use crate::error::{DeviceError, DeviceErrorKind, Result};
use crate::host::{Host, HostPointer};

/// Owns `len` elements on a device and frees them once. There is no `Clone`: [`try_clone`](Buffer::try_clone) copies, and may fail.
///
/// Everything it says about lengths is in elements. It upholds D2 of [`Device`].
///
/// ```
/// use weft_device::{Buffer, Host};
/// let buffer = Buffer::from_slice(&Host, &[1i64, 2, 3])?;
/// assert_eq!((buffer.len(), buffer.to_vec()?), (3, vec![1, 2, 3]));
/// # Ok::<(), weft_device::DeviceError>(())
/// ```
#[doc(alias("storage", "CudaSlice", "DeviceBuffer"))]
pub struct Buffer<T: Element, D: Device = Host> {
    memory: D::Memory,
    device: D,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Element, D: Device> Buffer<T, D> {
    /// `len` zeros.
    ///
    /// # Errors
    ///
    /// `TooLarge`, `OutOfMemory`.
    ///
    /// ```
    /// use weft_device::{Buffer, F16, Host};
    /// assert_eq!(Buffer::<F16>::new_zeroed(&Host, 2)?.to_vec()?, [F16::from_f32(0.0); 2]);
    /// let refused = Buffer::<u64>::new_zeroed(&Host, usize::MAX).unwrap_err();
    /// assert_eq!(
    ///     refused.to_string(),
    ///     "alloc: 18446744073709551615 elements of 8 bytes are more than 9223372036854775807 bytes",
    /// );
    /// # Ok::<(), weft_device::DeviceError>(())
    /// ```
    #[doc(alias("zeros", "alloc_zeros"))]
    pub fn new_zeroed(device: &D, len: usize) -> Result<Buffer<T, D>> {
        let memory = device.alloc_zeroed(bytes_of::<T>(len)?)?;
        Ok(Buffer { memory, device: device.clone(), len, elements: PhantomData })
    }

    /// `len` elements of memory whose contents nobody knows.
    ///
    /// # Errors
    ///
    /// `TooLarge`, `OutOfMemory`.
    ///
    /// # Safety
    ///
    /// No element is read before it was written: not by [`to_vec`](Buffer::to_vec), not by an operation, not through a view.
    pub unsafe fn uninit(device: &D, len: usize) -> Result<Buffer<T, D>> {
        // SAFETY: the caller's promise.
        let memory = unsafe { device.alloc_uninit(bytes_of::<T>(len)?)? };
        Ok(Buffer { memory, device: device.clone(), len, elements: PhantomData })
    }

    /// A copy of `values` on the device.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    ///
    /// ```
    /// use weft_device::{Buffer, Host};
    /// assert_eq!(Buffer::from_slice(&Host, &[1u8, 2])?.to_vec()?, [1, 2]);
    /// # Ok::<(), weft_device::DeviceError>(())
    /// ```
    #[doc(alias("htod_copy", "from_cpu"))]
    pub fn from_slice(device: &D, values: &[T]) -> Result<Buffer<T, D>> {
        // SAFETY: every byte is written by the upload, or the buffer is dropped.
        let buffer = unsafe { Buffer::uninit(device, values.len())? };
        if !values.is_empty() {
            // SAFETY: D1 and D2: both sides have these bytes; nobody else knows the new buffer (D5).
            unsafe {
                device.upload(D::pointer(&buffer.memory), 0, values.as_ptr().cast(), size_of_val(values))?;
            }
        }
        Ok(buffer)
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device on which the elements are.
    #[must_use]
    pub fn device(&self) -> &D {
        &self.device
    }

    /// Where the elements are, for as long as this borrow lasts. Operations take their operands in this form.
    ///
    /// The borrow is a shared one even where the elements will be written: who writes promises D5 of [`Device`].
    #[must_use]
    pub fn borrowed(&self) -> BufferRef<'_, T, D> {
        BufferRef { pointer: D::pointer(&self.memory), len: self.len, device: &self.device, elements: PhantomData }
    }

    /// A copy on the host.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`, here of the host; what the device says.
    #[doc(alias("dtoh", "tolist", "to_cpu"))]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut values = Vec::new();
        let requested = self.bytes();
        values
            .try_reserve_exact(self.len)
            .map_err(|_| DeviceError::new("to_vec", DeviceErrorKind::OutOfMemory { requested, room: None }))?;
        // SAFETY: the spare capacity holds `len` elements; D2: so does the memory, and all of them are written. The length is set
        // after the download has written them.
        unsafe {
            self.download(values.as_mut_ptr())?;
            values.set_len(self.len);
        }
        Ok(values)
    }

    /// Copies all elements into `out`, which has as many.
    ///
    /// # Errors
    ///
    /// `LengthMismatch`; what the device says.
    ///
    /// ```
    /// use weft_device::{Buffer, Host};
    /// let buffer = Buffer::from_slice(&Host, &[1u8, 2, 3])?;
    /// let refused = buffer.copy_to_slice(&mut [0; 2]).unwrap_err();
    /// assert_eq!(refused.to_string(), "copy_to_slice: the buffer has 3 elements, the slice 2");
    /// # Ok::<(), weft_device::DeviceError>(())
    /// ```
    pub fn copy_to_slice(&self, out: &mut [T]) -> Result<()> {
        if out.len() != self.len {
            let kind = DeviceErrorKind::LengthMismatch { buffer: self.len, slice: out.len() };
            return Err(DeviceError::new("copy_to_slice", kind));
        }
        // SAFETY: both sides have `len` elements, and `out` is borrowed uniquely.
        unsafe { self.download(out.as_mut_ptr()) }
    }

    /// # Safety
    ///
    /// `out` is good for writing `len` elements, and nobody else uses them.
    unsafe fn download(&self, out: *mut T) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        // SAFETY: D1 and D2 for this side, the caller's for the other.
        unsafe { self.device.download(D::pointer(&self.memory), 0, out.cast(), self.bytes()) }
    }

    /// A second buffer with the same elements on the same device.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    #[doc(alias("clone", "copy"))]
    pub fn try_clone(&self) -> Result<Buffer<T, D>> {
        // SAFETY: every byte is written by the copy, or the buffer is dropped.
        let copy = unsafe { Buffer::uninit(&self.device, self.len)? };
        if !self.is_empty() {
            // SAFETY: D1 and D2: both have these bytes, in two allocations; nobody else knows the new one (D5).
            unsafe {
                self.device.duplicate(D::pointer(&copy.memory), D::pointer(&self.memory), self.bytes())?;
            }
        }
        Ok(copy)
    }

    /// A copy on another device, or on the same one.
    ///
    /// Where neither device is the host, the bytes go through a piece of host memory of at most 1 MiB.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`, of the other device or of the host; what either device says.
    ///
    /// ```
    /// use weft_device::{Buffer, Host};
    /// let here = Buffer::from_slice(&Host, &[1u8, 2, 3])?;
    /// assert_eq!(here.to_device(&Host)?.to_vec()?, [1, 2, 3]);
    /// # Ok::<(), weft_device::DeviceError>(())
    /// ```
    #[doc(alias("to", "cuda", "cpu"))]
    pub fn to_device<E: Device>(&self, device: &E) -> Result<Buffer<T, E>> {
        // SAFETY: every byte is written below, or the buffer is dropped.
        let copy = unsafe { Buffer::<T, E>::uninit(device, self.len)? };
        let (bytes, from, to) = (self.bytes(), D::pointer(&self.memory), E::pointer(&copy.memory));
        if bytes == 0 {
            return Ok(copy);
        }
        // SAFETY: D1 and D2: both memories have `bytes` bytes, and nobody else knows the new one (D5). The chunk has
        // `step` bytes, of which each upload reads what the download before it wrote.
        unsafe {
            if let Some(from) = D::host_pointer(from) {
                device.upload(to, 0, from, bytes)?;
            } else if let Some(to) = E::host_pointer(to) {
                self.device.download(from, 0, to, bytes)?;
            } else {
                let step = bytes.min(CHUNK);
                let chunk = Buffer::<u8>::uninit(&Host, step)?.memory;
                let chunk = Host::pointer(&chunk).0;
                for at in (0..bytes).step_by(step) {
                    let some = step.min(bytes - at);
                    self.device.download(from, at, chunk, some)?;
                    device.upload(to, at, chunk, some)?;
                }
            }
        }
        Ok(copy)
    }

    fn bytes(&self) -> usize {
        // D2: it fits.
        self.len * size_of::<T>()
    }
}

/// How much host memory a copy between two other devices takes, in bytes.
const CHUNK: usize = 1 << 20;

impl<T: Element> Buffer<T, Host> {
    /// The elements.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: D1 and D2: `len` written elements, aligned; who writes them through `borrowed` meanwhile breaks D5.
        unsafe { core::slice::from_raw_parts(self.memory_pointer(), self.len) }
    }

    /// The elements, to change.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: D1 and D2 as above; the buffer is borrowed uniquely.
        unsafe { core::slice::from_raw_parts_mut(self.memory_pointer(), self.len) }
    }

    fn memory_pointer(&self) -> *mut T {
        Host::pointer(&self.memory).0.cast()
    }
}

impl<T: Element, D: Device> fmt::Debug for Buffer<T, D> {
    /// Says where and how many, not what: reading may cost a transfer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer<{}>({} on {})", T::DTYPE, self.len, self.device.name())
    }
}

/// The size of `len` elements in bytes, where an allocation can have it (D2).
fn bytes_of<T: Element>(len: usize) -> Result<usize> {
    len.checked_mul(size_of::<T>())
        .filter(|&bytes| isize::try_from(bytes).is_ok())
        .ok_or_else(|| DeviceError::new("alloc", DeviceErrorKind::TooLarge { len, element_bytes: size_of::<T>() }))
}

/// Where `len` elements are, on which device, and for how long: the operand of an operation.
///
/// It is a copyable address, as `*mut [T]` is, so it reads and writes nothing by itself; only `unsafe` code does that with it,
/// and answers for D5 of [`Device`]. What it was made from decides whether it may be written.
#[doc(alias("CudaView", "DeviceSlice"))]
pub struct BufferRef<'a, T: Element, D: Device = Host> {
    pointer: D::Pointer,
    len: usize,
    device: &'a D,
    elements: PhantomData<&'a T>,
}

impl<'a, T: Element, D: Device> BufferRef<'a, T, D> {
    /// How many elements there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The device on which the elements are.
    #[must_use]
    pub fn device(self) -> &'a D {
        self.device
    }

    /// The address of element 0 as the device counts: what vector access has to be aligned to.
    #[must_use]
    #[doc(alias = "data_ptr")]
    pub fn address(self) -> usize {
        D::address(self.pointer)
    }

    /// The same memory, seen as elements of another type: as many as fit whole.
    ///
    /// # Errors
    ///
    /// `Misaligned`: the address is not a multiple of the alignment of `U`. The memory of a [`Buffer`] always is.
    ///
    /// ```
    /// use weft_device::{Buffer, F32x4, Host};
    /// let floats = Buffer::<f32>::new_zeroed(&Host, 10)?;
    /// assert_eq!(floats.borrowed().recast::<F32x4>()?.len(), 2);
    /// # Ok::<(), weft_device::DeviceError>(())
    /// ```
    #[doc(alias("cast", "bitcast", "reinterpret_cast"))]
    pub fn recast<U: Element>(self) -> Result<BufferRef<'a, U, D>> {
        let (address, needed) = (self.address(), align_of::<U>());
        if !address.is_multiple_of(needed) {
            return Err(DeviceError::new("recast", DeviceErrorKind::Misaligned { address, needed }));
        }
        // Elements have no padding and no invalid bits, so what is whole is a value. D2: the product fits.
        let len = self.len * size_of::<T>() / size_of::<U>();
        Ok(BufferRef { pointer: self.pointer, len, device: self.device, elements: PhantomData })
    }

    pub(crate) fn pointer(self) -> D::Pointer {
        self.pointer
    }
}

impl<'a, T: Element> BufferRef<'a, T, Host> {
    /// Plain memory, to read. No operation may write to it.
    ///
    /// ```
    /// use weft_device::BufferRef;
    /// assert_eq!(BufferRef::from_slice(&[1.0f32, 2.0]).len(), 2);
    /// ```
    #[must_use]
    pub fn from_slice(values: &'a [T]) -> BufferRef<'a, T, Host> {
        BufferRef::over(values.as_ptr().cast_mut(), values.len())
    }

    /// Plain memory, to read and to write.
    #[must_use]
    pub fn from_mut_slice(values: &'a mut [T]) -> BufferRef<'a, T, Host> {
        BufferRef::over(values.as_mut_ptr(), values.len())
    }

    /// Plain memory behind a raw pointer.
    ///
    /// # Safety
    ///
    /// D2 of [`Device`] for as long as `'a` lasts: `len` written elements of together at most `isize::MAX` bytes, at an address
    /// aligned for `T`. It may be written only if `pointer` may.
    #[must_use]
    pub unsafe fn from_raw_parts(pointer: *mut T, len: usize) -> BufferRef<'a, T, Host> {
        BufferRef::over(pointer, len)
    }

    /// The address of element 0, with the right to write where this was made from something that may be written.
    #[must_use]
    pub fn as_ptr(self) -> *mut T {
        self.pointer.0.cast()
    }

    fn over(pointer: *mut T, len: usize) -> BufferRef<'a, T, Host> {
        BufferRef { pointer: HostPointer(pointer.cast()), len, device: &Host, elements: PhantomData }
    }
}

impl<T: Element, D: Device> Clone for BufferRef<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element, D: Device> Copy for BufferRef<'_, T, D> {}

impl<'a, T: Element, D: Device> From<&'a Buffer<T, D>> for BufferRef<'a, T, D> {
    fn from(buffer: &'a Buffer<T, D>) -> BufferRef<'a, T, D> {
        buffer.borrowed()
    }
}

impl<T: Element, D: Device> fmt::Debug for BufferRef<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BufferRef<{}>({} on {})", T::DTYPE, self.len, self.device.name())
    }
}
