//! [`KernelArg`] and [`KernelView`]: what can be given to a kernel of the user's own.

use core::marker::PhantomData;

use weft_layout::Layout;

use super::Cuda;
use crate::buffer::BufferRef;
use crate::element::{Bf16, C32, C64, Element, F16, F32x4};
use crate::error::{DeviceError, DeviceErrorKind, Result};

/// A value that can be a kernel's parameter. Sealed: the numbers, and [`KernelView`].
pub trait KernelArg: sealed::Value {}

pub(super) mod sealed {
    pub trait Value {
        /// Where the bytes of the parameter are, for as long as the borrow lasts.
        fn bytes(&self) -> *const u8;
    }
}

macro_rules! values {
    ($($type:ty),*) => {$(
        impl sealed::Value for $type {
            fn bytes(&self) -> *const u8 {
                core::ptr::from_ref(self).cast()
            }
        }
        impl KernelArg for $type {}
    )*};
}
values!(u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, F16, Bf16, F32x4, C32, C64);

/// A tensor or view as a kernel's parameter: where element 0 of the buffer is, and the rule for reading it.
///
/// In CUDA C++ it is this, passed by value:
///
/// ```cuda
/// struct WeftView {
///     void* data;         // element 0 of the buffer
///     long long offset;   // where coordinate 0 is, in elements
///     unsigned rank, reserved;
///     unsigned long long sizes[8];
///     long long strides[8];  // in elements; may be zero or negative
/// };
/// ```
///
/// `weft-view` makes it from any view of up to 8 axes.
#[derive(Clone, Copy, Debug)]
pub struct KernelView<'a> {
    raw: RawView,
    memory: PhantomData<&'a ()>,
}

/// As C lays it out.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[cfg_attr(feature = "cuda", derive(cust_derive::DeviceCopy))]
struct RawView {
    data: u64,
    offset: i64,
    rank: u32,
    reserved: u32,
    sizes: [u64; KernelView::MAX_AXES],
    strides: [i64; KernelView::MAX_AXES],
}

const _: () = {
    assert!(size_of::<RawView>() == 152 && align_of::<RawView>() == 8);
    assert!(core::mem::offset_of!(RawView, rank) == 16 && core::mem::offset_of!(RawView, sizes) == 24);
    assert!(core::mem::offset_of!(RawView, strides) == 88);
};

impl<'a> KernelView<'a> {
    /// The most axes that it can have.
    pub const MAX_AXES: usize = 8;

    /// The elements of `buffer` as `layout` reads them.
    ///
    /// # Errors
    ///
    /// `TooManyAxes`; `OutOfBuffer`: the layout reaches past the end of the buffer.
    pub fn new<T: Element>(buffer: BufferRef<'a, T, Cuda>, layout: &Layout) -> Result<KernelView<'a>> {
        let (axes, most) = (layout.ndim(), KernelView::MAX_AXES);
        if axes > most {
            return Err(DeviceError::new("kernel_view", DeviceErrorKind::TooManyAxes { axes, most }));
        }
        if layout.required_len() > buffer.len() {
            let (required, len) = (layout.required_len(), buffer.len());
            return Err(DeviceError::new("kernel_view", DeviceErrorKind::OutOfBuffer { operand: 0, required, len }));
        }
        let (mut sizes, mut strides) = ([1; KernelView::MAX_AXES], [0; KernelView::MAX_AXES]);
        for (to, &size) in sizes.iter_mut().zip(layout.shape()) {
            *to = size as u64;
        }
        for (to, &stride) in strides.iter_mut().zip(layout.strides()) {
            *to = stride as i64;
        }
        // L3: an offset that is reached fits `isize`; an empty layout reaches none, and its offset is never used.
        let offset = i64::try_from(layout.offset()).unwrap_or(i64::MAX);
        let raw = RawView { data: buffer.address() as u64, offset, rank: axes as u32, reserved: 0, sizes, strides };
        Ok(KernelView { raw, memory: PhantomData })
    }
}

impl sealed::Value for KernelView<'_> {
    fn bytes(&self) -> *const u8 {
        core::ptr::from_ref(&self.raw).cast()
    }
}

impl KernelArg for KernelView<'_> {}
