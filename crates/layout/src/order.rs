//! Fresh strides: row-major, column-major, any order of the axes; and canonical strides for axes that never move.

use crate::args::{IntoAxes, IntoShape, resolve_axis, small};
use crate::dims::{Shape, Strides};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::{Layout, check_sizes};

/// The order in which a walk over all elements moves: which axis is the fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last axis moves fastest: C, NumPy's `order='C'`.
    RowMajor,
    /// The first axis moves fastest: Fortran, BLAS, NumPy's `order='F'`.
    ColMajor,
}

impl Layout {
    /// The layout of a fresh row-major array: the last axis has stride 1.
    ///
    /// The stride of an axis is the product of `max(size, 1)` over the later axes (PyTorch's rule), so that `(2,0,3)` has
    /// strides `(3,3,1)`.
    ///
    /// # Errors
    ///
    /// `SizeOverflow` where the product of the non-zero sizes passes `isize::MAX`, even when some size is 0.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert_eq!(Layout::row_major([2, 3, 4])?.strides(), [12, 4, 1]);
    /// assert_eq!(Layout::row_major([2, 0, 3])?.strides(), [3, 3, 1]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "contiguous")]
    #[doc(alias = "c_contiguous")]
    #[inline]
    pub fn row_major(shape: impl IntoShape) -> Result<Layout> {
        shape.with_shape(|shape| {
            check_sizes(Op::RowMajor, shape)?;
            Ok(Layout { shape: Shape::from_slice(shape), strides: row_major_strides(shape), offset: 0 })
        })
    }

    /// The layout of a fresh column-major array: the first axis has stride 1.
    ///
    /// # Errors
    ///
    /// As [`row_major`](Layout::row_major).
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert_eq!(Layout::col_major([2, 3, 4])?.strides(), [1, 2, 6]);
    /// assert_eq!(Layout::row_major([5, 2])?.t()?, Layout::col_major([2, 5])?);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "fortran")]
    #[doc(alias = "f_contiguous")]
    pub fn col_major(shape: impl IntoShape) -> Result<Layout> {
        shape.with_shape(|shape| {
            check_sizes(Op::ColMajor, shape)?;
            Ok(Layout { shape: Shape::from_slice(shape), strides: col_major_strides(shape), offset: 0 })
        })
    }

    /// A fresh dense layout whose axes lie in memory in the order `order`, slowest first.
    ///
    /// `[0, 1, 2]` is row-major, `[2, 1, 0]` column-major, `[0, 2, 3, 1]` on `(n,c,h,w)` channels-last.
    ///
    /// # Errors
    ///
    /// `SizeOverflow`; `Rank`, `AxisOutOfRange` and `RepeatedAxis` where `order` is not a permutation of the axes.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let nchw_as_nhwc = Layout::with_order([2, 3, 4, 5], [0, 2, 3, 1])?;
    /// assert_eq!(nchw_as_nhwc.strides(), [60, 1, 15, 3]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "channels_last")]
    #[doc(alias = "memory_format")]
    pub fn with_order(shape: impl IntoShape, order: impl IntoAxes) -> Result<Layout> {
        shape.with_shape(|shape| {
            order.with_axes(|order| {
                check_sizes(Op::WithOrder, shape)?;
                let order = permutation(Op::WithOrder, order, shape.len())?;
                let mut strides = Strides::from_fn(shape.len(), |_| 0);
                let mut next = 1;
                for &axis in order.iter().rev() {
                    strides.as_mut_slice()[axis] = next;
                    next *= extent(shape[axis]);
                }
                Ok(Layout { shape: Shape::from_slice(shape), strides, offset: 0 })
            })
        })
    }

    /// The same map with strides that every consumer can use: axes that never move get the value a dense array would have.
    ///
    /// The stride of an insignificant axis (size 1; every axis of an empty layout) becomes |stride| times size of the
    /// nearest significant axis to its right that has a non-zero stride, and 1 where there is none; an empty layout gets
    /// fresh row-major strides. So the new value is always positive. Offsets do not change.
    /// Kernels, DLPack, BLAS and TMA only ever see canonical strides.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let odd = Layout::from_parts(&[8, 1, 16, 64], &[1024, 1, 64, 1], 0)?;
    /// assert_eq!(odd.canonical().strides(), [1024, 1024, 64, 1]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn canonical(&self) -> Layout {
        if self.is_empty() {
            let strides = row_major_strides(&self.shape);
            return Layout { shape: self.shape.clone(), strides, offset: self.offset };
        }
        let mut strides = self.strides.clone();
        let mut next = 1;
        for (axis, &size) in self.shape.iter().enumerate().rev() {
            let stride = &mut strides.as_mut_slice()[axis];
            if size == 1 {
                *stride = next;
            } else if *stride != 0 {
                // L3: (size - 1) * |stride| fits; one stride more may not, and then no larger axis can follow.
                next = stride.saturating_abs().saturating_mul(extent(size));
            }
        }
        Layout { shape: self.shape.clone(), strides, offset: self.offset }
    }

    /// Whether both map every coordinate to the same offset: equality up to strides that never matter.
    ///
    /// `==` is literal. Two empty layouts of one shape are the same map, whatever their offsets.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let a = Layout::from_parts(&[1, 4], &[4, 1], 0)?;
    /// let b = Layout::from_parts(&[1, 4], &[99, 1], 0)?;
    /// assert!(a != b && a.same_map(&b));
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn same_map(&self, other: &Layout) -> bool {
        self.shape == other.shape
            && (self.is_empty()
                || self.offset == other.offset
                    && self
                        .shape
                        .iter()
                        .zip(self.strides.iter().zip(other.strides.iter()))
                        .all(|(&size, (a, b))| size == 1 || a == b))
    }
}

/// The stride of an axis of size 1 to the left of the given axes: what a dense array would have there (`canonical`'s rule).
pub(crate) fn continuation(shape: &[usize], strides: &[isize]) -> isize {
    let moving = shape.iter().zip(strides).find(|&(&size, &stride)| size != 1 && stride != 0);
    // L3 bounds (size - 1) * |stride|; one stride more may not fit, and then nothing larger can follow.
    moving.map_or(1, |(&size, &stride)| stride.saturating_abs().saturating_mul(extent(size)))
}

/// A size as the factor it contributes to the strides of slower axes. L2: fits.
#[inline]
pub(crate) fn extent(size: usize) -> isize {
    size.max(1) as isize
}

/// Row-major strides of a shape that upholds L2.
#[inline]
pub(crate) fn row_major_strides(shape: &[usize]) -> Strides {
    Strides::filled(shape.len(), |strides| write_row_major(shape, strides))
}

/// Row-major strides of a shape that upholds L2, in place.
#[inline]
pub(crate) fn write_row_major(shape: &[usize], strides: &mut [isize]) {
    let mut next = 1;
    for (stride, &size) in strides.iter_mut().zip(shape).rev() {
        *stride = next;
        next *= extent(size);
    }
}

/// Column-major strides of a shape that upholds L2.
pub(crate) fn col_major_strides(shape: &[usize]) -> Strides {
    let mut next = 1;
    Strides::from_fn(shape.len(), |axis| {
        let stride = next;
        next *= extent(shape[axis]);
        stride
    })
}

/// `axes` counted from the front, each of `0..ndim` exactly once.
#[inline]
pub(crate) fn permutation(op: Op, axes: &[isize], ndim: usize) -> Result<Shape> {
    if axes.len() != ndim {
        let kind = LayoutErrorKind::Rank { needed: small(ndim), given: small(axes.len()) };
        return Err(LayoutError::new(op, kind));
    }
    distinct(op, axes, ndim)
}

/// `axes` counted from the front, none twice.
#[inline]
pub(crate) fn distinct(op: Op, axes: &[isize], ndim: usize) -> Result<Shape> {
    let mut found = Shape::from_fn(axes.len(), |_| 0);
    for (i, &axis) in axes.iter().enumerate() {
        let axis = resolve_axis(op, axis, ndim)?;
        if found[..i].contains(&axis) {
            return Err(LayoutError::new(op, LayoutErrorKind::RepeatedAxis { axis: small(axis) }));
        }
        found.as_mut_slice()[i] = axis;
    }
    Ok(found)
}
