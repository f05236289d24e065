//! What callers may write for a shape, a target of a reshape, axes, or one axis: arrays, slices, vectors and tuples of
//! plain integers. The traits are sealed and carry no logic but the conversion.

use alloc::vec::Vec;

use crate::error::{LayoutError, LayoutErrorKind, Op, Result};

/// Ranks up to this many axes never touch the heap.
pub(crate) const INLINE: usize = 6;

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

/// Something that is a shape: sizes in elements, outermost axis first.
///
/// Arrays (`[2, 3]`, `&[2, 3]`), slices, `Vec`, tuples up to 8, a bare `usize` for one axis, `()` for none.
/// `usize` only, so that literals need no suffix.
///
/// ```
/// use weft_layout::Layout;
/// let (rows, sizes) = (2, vec![2, 3]);
/// assert_eq!(Layout::row_major([rows, 3])?, Layout::row_major(&sizes)?);
/// assert_eq!(Layout::row_major((2, 3))?, Layout::row_major(&sizes[..])?);
/// assert_eq!(Layout::row_major(6)?.shape(), [6]);
/// assert_eq!(Layout::row_major(())?.shape(), []);
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
pub trait IntoShape: Sealed {
    /// Calls `f` with the sizes.
    #[doc(hidden)]
    fn with_shape<R>(self, f: impl FnOnce(&[usize]) -> R) -> R;
}

/// A target shape of a reshape: as [`IntoShape`], over `usize`, `isize` or `i32`, and one size may be -1.
///
/// A mixed list needs one type: `[n as isize, -1]`. A `usize` beyond `isize::MAX` is refused, never wrapped.
///
/// ```
/// use weft_layout::Layout;
/// let l = Layout::row_major([3, 4])?;
/// assert_eq!(l.reshape([2, -1])?.shape(), [2, 6]);
/// assert_eq!(l.reshape(-1)?.shape(), [12]);
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
pub trait IntoTarget: Sealed {
    /// Calls `f` with the sizes, or refuses a size that no `isize` holds.
    #[doc(hidden)]
    fn with_target<R>(self, f: impl FnOnce(&[isize]) -> Result<R>) -> Result<R>;
}

/// A list of axes over `usize`, `isize` or `i32`; a negative axis counts from the end.
///
/// ```
/// use weft_layout::Layout;
/// let l = Layout::row_major([2, 3, 4])?;
/// assert_eq!(l.permute([0, -1, 1])?, l.permute(&[0usize, 2, 1])?);
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
pub trait IntoAxes: Sealed {
    /// Calls `f` with the axes as written.
    #[doc(hidden)]
    fn with_axes<R>(self, f: impl FnOnce(&[isize]) -> R) -> R;
}

/// One axis: `usize`, `isize` or `i32`; negative counts from the end.
pub trait Axis: Sealed + Copy {
    /// The axis as written. A `usize` beyond `isize::MAX` becomes `isize::MAX`, which no layout has.
    #[doc(hidden)]
    fn to_signed(self) -> isize;
}

/// `axis` counted from the front, or the reason why there is none.
#[inline]
pub(crate) fn resolve_axis(op: Op, axis: isize, ndim: usize) -> Result<usize> {
    let signed = if axis < 0 { axis.wrapping_add_unsigned(ndim) } else { axis };
    match usize::try_from(signed) {
        Ok(found) if found < ndim => Ok(found),
        _ => Err(LayoutError::new(op, LayoutErrorKind::AxisOutOfRange { axis, ndim: small(ndim) })),
    }
}

/// A rank, an axis or an operand number as errors hold it.
#[inline]
pub(crate) fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Forwards every way of writing a list of `$t` to one body over a slice.
macro_rules! lists {
    ($trait:ident, $method:ident, $t:ty, $ret:ty, $arg:ty, |$slice:ident, $f:ident| $body:expr) => {
        impl<const N: usize> $trait for [$t; N] {
            #[inline]
            fn $method<R>(self, $f: impl FnOnce($arg) -> $ret) -> $ret {
                let $slice: &[$t] = &self;
                $body
            }
        }
        impl<const N: usize> $trait for &[$t; N] {
            #[inline]
            fn $method<R>(self, $f: impl FnOnce($arg) -> $ret) -> $ret {
                let $slice: &[$t] = self;
                $body
            }
        }
        impl $trait for &[$t] {
            #[inline]
            fn $method<R>(self, $f: impl FnOnce($arg) -> $ret) -> $ret {
                let $slice = self;
                $body
            }
        }
        impl $trait for Vec<$t> {
            #[inline]
            fn $method<R>(self, $f: impl FnOnce($arg) -> $ret) -> $ret {
                let $slice: &[$t] = &self;
                $body
            }
        }
        impl $trait for &Vec<$t> {
            #[inline]
            fn $method<R>(self, $f: impl FnOnce($arg) -> $ret) -> $ret {
                let $slice: &[$t] = self;
                $body
            }
        }
    };
}

/// The integers that lists and axes are written in.
macro_rules! integers {
    ($($t:ty),*) => {$(
        impl<const N: usize> Sealed for [$t; N] {}
        impl<const N: usize> Sealed for &[$t; N] {}
        impl Sealed for &[$t] {}
        impl Sealed for Vec<$t> {}
        impl Sealed for &Vec<$t> {}
        impl Sealed for $t {}
        lists!(IntoTarget, with_target, $t, Result<R>, &[isize], |slice, f| with_signed_target(slice, f));
        lists!(IntoAxes, with_axes, $t, R, &[isize], |slice, f| with_signed(slice, f));
        impl IntoTarget for $t {
            #[inline]
            fn with_target<R>(self, f: impl FnOnce(&[isize]) -> Result<R>) -> Result<R> {
                [self].with_target(f)
            }
        }
        impl Axis for $t {
            #[inline]
            #[allow(irrefutable_let_patterns, reason = "infallible for two of the three types")]
            fn to_signed(self) -> isize {
                if let Ok(axis) = isize::try_from(self) { axis } else { isize::MAX }
            }
        }
    )*};
}
integers!(usize, isize, i32);

lists!(IntoShape, with_shape, usize, R, &[usize], |slice, f| f(slice));

impl IntoShape for usize {
    #[inline]
    fn with_shape<R>(self, f: impl FnOnce(&[usize]) -> R) -> R {
        f(&[self])
    }
}

impl Sealed for () {}
impl IntoShape for () {
    #[inline]
    fn with_shape<R>(self, f: impl FnOnce(&[usize]) -> R) -> R {
        f(&[])
    }
}
impl IntoTarget for () {
    #[inline]
    fn with_target<R>(self, f: impl FnOnce(&[isize]) -> Result<R>) -> Result<R> {
        f(&[])
    }
}
impl IntoAxes for () {
    #[inline]
    fn with_axes<R>(self, f: impl FnOnce(&[isize]) -> R) -> R {
        f(&[])
    }
}

/// Tuples of one type are arrays in other brackets.
macro_rules! tuples {
    ($(($($name:ident $t:ident),+))*) => {$(
        impl Sealed for ($($t,)+) {}
        impl IntoShape for ($($t,)+) {
            #[inline]
            fn with_shape<R>(self, f: impl FnOnce(&[usize]) -> R) -> R {
                let ($($name,)+) = self;
                f(&[$($name),+])
            }
        }
        impl IntoTarget for ($($t,)+) {
            #[inline]
            fn with_target<R>(self, f: impl FnOnce(&[isize]) -> Result<R>) -> Result<R> {
                let ($($name,)+) = self;
                [$($name),+].with_target(f)
            }
        }
    )*};
}
tuples! {
    (a usize)
    (a usize, b usize)
    (a usize, b usize, c usize)
    (a usize, b usize, c usize, d usize)
    (a usize, b usize, c usize, d usize, e usize)
    (a usize, b usize, c usize, d usize, e usize, g usize)
    (a usize, b usize, c usize, d usize, e usize, g usize, h usize)
    (a usize, b usize, c usize, d usize, e usize, g usize, h usize, i usize)
}

#[inline]
fn with_signed<T: Axis, R>(slice: &[T], f: impl FnOnce(&[isize]) -> R) -> R {
    if slice.len() <= INLINE {
        let mut buf = [0; INLINE];
        for (to, from) in buf.iter_mut().zip(slice) {
            *to = from.to_signed();
        }
        f(&buf[..slice.len()])
    } else {
        f(&slice.iter().map(|axis| axis.to_signed()).collect::<Vec<_>>())
    }
}

#[inline]
fn with_signed_target<T, R>(sizes: &[T], f: impl FnOnce(&[isize]) -> Result<R>) -> Result<R>
where
    T: TryInto<isize> + TryInto<usize> + Copy,
{
    let mut buf = [0; INLINE];
    let mut spilled = Vec::new();
    let signed = if sizes.len() <= INLINE {
        &mut buf[..sizes.len()]
    } else {
        spilled.resize(sizes.len(), 0);
        &mut spilled[..]
    };
    for (axis, (to, &size)) in signed.iter_mut().zip(sizes).enumerate() {
        match size.try_into() {
            Ok(size) => *to = size,
            Err(_) => {
                let size = size.try_into().unwrap_or(usize::MAX);
                return Err(LayoutError::new(Op::Reshape, LayoutErrorKind::SizeOverflow { axis: small(axis), size }));
            }
        }
    }
    f(signed)
}
