//! Where elements meet bytes: byte strides, and reading memory as elements of another size.

use crate::args::{IntoShape, small};
use crate::dims::Strides;
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::{Layout, check_sizes};

impl Layout {
    /// The strides in bytes, for elements of `element_bytes`: NumPy's `strides`.
    ///
    /// # Errors
    ///
    /// `Zero` for a size of 0, `ElementTooLarge` for one beyond `isize::MAX`; `OffsetOverflow` where a stride in bytes does
    /// not fit `isize` (a stride that never moves saturates instead).
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert_eq!(Layout::row_major([3, 4])?.byte_strides(8)?, [32, 8]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn byte_strides(&self, element_bytes: usize) -> Result<Strides> {
        let element = positive(Op::ByteStrides, element_bytes)?;
        let mut strides = self.strides.clone();
        for (axis, stride) in strides.as_mut_slice().iter_mut().enumerate() {
            let bytes = stride.checked_mul(element);
            if bytes.is_none() && self.shape[axis] != 1 && !self.is_empty() {
                let (size, stride) = (self.shape[axis], *stride);
                let kind = LayoutErrorKind::OffsetOverflow { axis: small(axis), size, stride };
                return Err(LayoutError::new(Op::ByteStrides, kind));
            }
            // A stride that never moves may be anything, and must not be what refuses (numpy#6683).
            *stride = bytes.unwrap_or_else(|| stride.saturating_mul(element));
        }
        Ok(strides)
    }

    /// A layout from strides and an offset in bytes, as NumPy, DLPack's producers and C structs have them.
    ///
    /// # Errors
    ///
    /// `NotDivisible` names the stride (or the offset) that is no whole number of elements; `Zero` and `ElementTooLarge` for
    /// the size of an element; otherwise as [`from_parts`](Layout::from_parts). Strides of axes that never move must
    /// divide too.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::from_byte_strides([3, 4], &[32, 8], 16, 8)?;
    /// assert_eq!(l.to_string(), "(3,4):(4,1)@2");
    /// let refused = Layout::from_byte_strides([3], &[12], 0, 8).unwrap_err();
    /// assert_eq!(refused.to_string(), "from_byte_strides: byte stride 12 of axis 0 does not divide by 8");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn from_byte_strides(
        shape: impl IntoShape,
        byte_strides: &[isize],
        byte_offset: usize,
        element_bytes: usize,
    ) -> Result<Layout> {
        let op = Op::FromByteStrides;
        let element = positive(op, element_bytes)?;
        let mut strides = Strides::from_slice(byte_strides);
        for (axis, stride) in strides.as_mut_slice().iter_mut().enumerate() {
            if *stride % element != 0 {
                return Err(indivisible(op, "byte stride", small(axis), *stride, element_bytes));
            }
            *stride /= element;
        }
        if !byte_offset.is_multiple_of(element_bytes) {
            let value = isize::try_from(byte_offset).unwrap_or(isize::MAX);
            return Err(indivisible(op, "byte offset", u32::MAX, value, element_bytes));
        }
        shape.with_shape(|shape| Layout::checked(op, shape, &strides, byte_offset / element_bytes))
    }

    /// The same memory read as elements of another size, both in bytes: PyTorch's `view(dtype)`.
    ///
    /// To smaller elements, the last axis grows by the ratio and must have stride 1. To larger ones it shrinks by the ratio; the
    /// last size, the offset and the strides of the other axes must divide. A last axis of size 1 may have any stride on the
    /// way down (pytorch#159932), and strides of axes that never move are free. Alignment of the memory is the caller's to check:
    /// this crate knows no addresses.
    ///
    /// # Errors
    ///
    /// `Zero` for a size of 0, `ElementTooLarge`; `NotDivisible` where one size does not divide the other or a number does
    /// not divide; `TooFewAxes` for rank 0; `LastStride`; `SizeOverflow`, `OffsetOverflow`, `OffsetTooLarge`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let f32s = Layout::row_major([4, 8])?;
    /// assert_eq!(f32s.recast(4, 16)?.to_string(), "(4,2):(2,1)@0");
    /// assert_eq!(f32s.recast(4, 1)?.to_string(), "(4,32):(32,1)@0");
    /// let refused = f32s.t()?.recast(4, 16).unwrap_err();
    /// assert_eq!(refused.to_string(), "recast: the last axis has stride 8, needed 1");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "view_dtype")]
    pub fn recast(&self, from_bytes: usize, to_bytes: usize) -> Result<Layout> {
        let op = Op::Recast;
        positive(op, from_bytes)?;
        positive(op, to_bytes)?;
        if from_bytes == to_bytes {
            return Ok(self.clone());
        }
        let Some(last) = self.ndim().checked_sub(1) else {
            return Err(LayoutError::new(op, LayoutErrorKind::TooFewAxes { needed: 1, ndim: 0 }));
        };
        if from_bytes.is_multiple_of(to_bytes) {
            self.shrunk(last, from_bytes / to_bytes)
        } else if to_bytes.is_multiple_of(from_bytes) {
            self.grown(last, to_bytes / from_bytes)
        } else {
            let value = isize::try_from(from_bytes).unwrap_or(isize::MAX);
            Err(indivisible(op, "element size", u32::MAX, value, to_bytes))
        }
    }

    /// `ratio` small elements in place of each element.
    fn shrunk(&self, last: usize, ratio: usize) -> Result<Layout> {
        let op = Op::Recast;
        if self.shape[last] != 1 && self.strides[last] != 1 && !self.is_empty() {
            return Err(LayoutError::new(op, LayoutErrorKind::LastStride { stride: self.strides[last] }));
        }
        let mut shape = self.shape.clone();
        let size = &mut shape.as_mut_slice()[last];
        let Some(grown) = size.checked_mul(ratio) else {
            return Err(LayoutError::new(op, LayoutErrorKind::SizeOverflow { axis: small(last), size: *size }));
        };
        *size = grown;
        check_sizes(op, &shape)?;
        let mut strides = self.strides.clone();
        for (axis, stride) in strides.as_mut_slice().iter_mut().enumerate() {
            let scaled = stride.checked_mul(ratio as isize);
            if scaled.is_none() && self.shape[axis] != 1 && !self.is_empty() {
                let (size, stride) = (self.shape[axis], *stride);
                let kind = LayoutErrorKind::OffsetOverflow { axis: small(axis), size, stride };
                return Err(LayoutError::new(op, kind));
            }
            *stride = if axis == last { 1 } else { scaled.unwrap_or(0) };
        }
        let Some(offset) = self.offset.checked_mul(ratio) else {
            return Err(LayoutError::new(op, LayoutErrorKind::OffsetTooLarge { offset: self.offset }));
        };
        Layout::checked(op, &shape, &strides, offset)
    }

    /// One large element in place of `ratio` elements.
    fn grown(&self, last: usize, ratio: usize) -> Result<Layout> {
        let op = Op::Recast;
        let moves = |axis: usize| self.shape[axis] != 1 && !self.is_empty();
        // A last axis of size 1 cannot hold a larger element; the divisibility of the size says so.
        let size = self.shape[last];
        if !size.is_multiple_of(ratio) {
            return Err(indivisible(op, "size", small(last), size as isize, ratio));
        }
        if moves(last) && self.strides[last] != 1 {
            return Err(LayoutError::new(op, LayoutErrorKind::LastStride { stride: self.strides[last] }));
        }
        if !self.is_empty() && !self.offset.is_multiple_of(ratio) {
            return Err(indivisible(op, "offset", u32::MAX, self.offset as isize, ratio));
        }
        let mut layout = self.clone();
        for axis in 0..last {
            let stride = self.strides[axis];
            if moves(axis) && stride % ratio as isize != 0 {
                return Err(indivisible(op, "stride", small(axis), stride, ratio));
            }
            layout.strides.as_mut_slice()[axis] = stride / ratio as isize;
        }
        layout.strides.as_mut_slice()[last] = 1;
        layout.shape.as_mut_slice()[last] = size / ratio;
        layout.offset = self.offset / ratio;
        // An axis that never moves may have had any stride: give it one that later consumers can use.
        Ok(layout.canonical())
    }
}

/// An element size as a factor of strides.
fn positive(op: Op, element_bytes: usize) -> Result<isize> {
    match isize::try_from(element_bytes) {
        Ok(0) => Err(LayoutError::new(op, LayoutErrorKind::Zero { what: "element size", axis: u32::MAX })),
        Ok(bytes) => Ok(bytes),
        Err(_) => Err(LayoutError::new(op, LayoutErrorKind::ElementTooLarge { bytes: element_bytes })),
    }
}

#[cold]
fn indivisible(op: Op, what: &'static str, axis: u32, value: isize, by: usize) -> LayoutError {
    LayoutError::new(op, LayoutErrorKind::NotDivisible { what, axis, value, by })
}
