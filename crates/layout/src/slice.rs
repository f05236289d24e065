//! Views that read part of an axis: NumPy's slices, `narrow`, `step`, `select`, `flip`, and the `s![]` macro.
//!
//! Slices follow NumPy: start and stop may be absent or negative and are clamped, the step may be negative, and an empty
//! slice keeps the offset where it was, so that no offset past the end is ever formed (rust-ndarray/ndarray PR#636).

use core::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::args::{Axis, IntoAxes, resolve_axis, small};
use crate::dims::{Shape, Strides};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::Layout;
use crate::order::{continuation, distinct};

/// One item of a slice over several axes, as written in `s![]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SliceItem {
    /// One index; the axis goes away. Negative counts from the end.
    Index(isize),
    /// Part of an axis: NumPy's `start:stop:step`. `None` is NumPy's empty place, negative counts from the end.
    Range {
        /// First index read.
        start: Option<isize>,
        /// The index before which the walk ends.
        stop: Option<isize>,
        /// How far one step goes; not 0.
        step: isize,
    },
    /// Part of an axis up to an index that is read too: Rust's `start..=last`, with a step.
    Inclusive {
        /// First index read.
        start: Option<isize>,
        /// The index with which the walk ends, in either direction.
        last: isize,
        /// How far one step goes; not 0.
        step: isize,
    },
    /// A new axis of size 1.
    NewAxis,
    /// All axes that the other items leave over, whole. At most once; a slice without one has it at its end.
    Ellipsis,
}

/// Writes [`SliceItem::NewAxis`] in `s![]`.
#[derive(Clone, Copy, Debug)]
pub struct NewAxis;

/// Writes [`SliceItem::Ellipsis`] in `s![]`.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsis;

impl SliceItem {
    /// The same range with `step` in place of its own; an index or a new axis stays what it is.
    ///
    /// What `..;2` means in `s![]`.
    ///
    /// ```
    /// use weft_layout::{Layout, SliceItem};
    /// let odd = SliceItem::from(1..).step_by(2);
    /// assert_eq!(Layout::row_major([6])?.slice([odd])?.to_string(), "(3):(2)@1");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn step_by(self, step: impl Axis) -> SliceItem {
        match self {
            SliceItem::Range { start, stop, .. } => SliceItem::Range { start, stop, step: step.to_signed() },
            SliceItem::Inclusive { start, last, .. } => SliceItem::Inclusive { start, last, step: step.to_signed() },
            other => other,
        }
    }

    /// Start, stop and step as NumPy writes them; for an item that is no range, those of the whole axis.
    ///
    /// The stop lies one step of 1 behind `last`. Behind the last element forwards, and before the first one backwards,
    /// NumPy has no index and leaves the place empty.
    fn bounds(self) -> (Option<isize>, Option<isize>, isize) {
        match self {
            SliceItem::Range { start, stop, step } => (start, stop, step),
            SliceItem::Inclusive { start, last, step } => {
                let (end, next) = if step < 0 { (0, -1) } else { (-1, 1) };
                (start, (last != end).then(|| last.saturating_add(next)), step)
            }
            SliceItem::Index(_) | SliceItem::NewAxis | SliceItem::Ellipsis => (None, None, 1),
        }
    }

    /// Whether the item reads an axis of its own.
    pub(crate) fn consumes_axis(self) -> bool {
        !matches!(self, SliceItem::NewAxis | SliceItem::Ellipsis)
    }
}

impl From<NewAxis> for SliceItem {
    fn from(_: NewAxis) -> SliceItem {
        SliceItem::NewAxis
    }
}

impl From<Ellipsis> for SliceItem {
    fn from(_: Ellipsis) -> SliceItem {
        SliceItem::Ellipsis
    }
}

impl From<RangeFull> for SliceItem {
    fn from(_: RangeFull) -> SliceItem {
        SliceItem::Range { start: None, stop: None, step: 1 }
    }
}

/// Ranges and indices over every integer that axes are written in.
macro_rules! items {
    ($($t:ty),*) => {$(
        impl From<$t> for SliceItem {
            #[inline]
            fn from(index: $t) -> SliceItem {
                SliceItem::Index(index.to_signed())
            }
        }
        impl From<Range<$t>> for SliceItem {
            #[inline]
            fn from(r: Range<$t>) -> SliceItem {
                SliceItem::Range { start: Some(r.start.to_signed()), stop: Some(r.end.to_signed()), step: 1 }
            }
        }
        impl From<RangeFrom<$t>> for SliceItem {
            #[inline]
            fn from(r: RangeFrom<$t>) -> SliceItem {
                SliceItem::Range { start: Some(r.start.to_signed()), stop: None, step: 1 }
            }
        }
        impl From<RangeTo<$t>> for SliceItem {
            #[inline]
            fn from(r: RangeTo<$t>) -> SliceItem {
                SliceItem::Range { start: None, stop: Some(r.end.to_signed()), step: 1 }
            }
        }
        impl From<RangeInclusive<$t>> for SliceItem {
            #[inline]
            fn from(r: RangeInclusive<$t>) -> SliceItem {
                SliceItem::Inclusive { start: Some(r.start().to_signed()), last: r.end().to_signed(), step: 1 }
            }
        }
        impl From<RangeToInclusive<$t>> for SliceItem {
            #[inline]
            fn from(r: RangeToInclusive<$t>) -> SliceItem {
                SliceItem::Inclusive { start: None, last: r.end.to_signed(), step: 1 }
            }
        }
    )*};
}
items!(usize, isize, i32);

/// Slices several axes at once: `s![1.., ..;2, -1, NewAxis, Ellipsis]`.
///
/// Each item is an index, a range with an optional `;step`, [`NewAxis`] or [`Ellipsis`]; `..` is one full axis. The result is
/// an array of [`SliceItem`]s. Ranges clamp as in Python. `3..1;-1` reads 3 and 2, `3..=1;-1` reads 1 as well, `..=-1` runs
/// to the end of the axis.
///
/// ```
/// use weft_layout::{Ellipsis, Layout, NewAxis, s};
/// let l = Layout::row_major([3, 4])?;
/// assert_eq!(l.slice(s![.., ..;2])?.to_string(), "(3,2):(4,2)@0");
/// assert_eq!(l.slice(s![1..3, 1..3])?.to_string(), "(2,2):(4,1)@5");
/// assert_eq!(l.slice(s![..;-1, -1])?.to_string(), "(3):(-4)@11");
/// assert_eq!(l.slice(s![0, 3..1;-1])?.to_string(), "(2):(-1)@3");
/// assert_eq!(l.slice(s![0, 3..=1;-1])?.to_string(), "(3):(-1)@3");
/// assert_eq!(l.slice(s![Ellipsis, NewAxis, 0])?.to_string(), "(3,1):(4,1)@0");
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
#[macro_export]
macro_rules! s {
    ($($item:expr $(; $step:expr)?),* $(,)?) => {
        [$({
            #[allow(clippy::reversed_empty_ranges, reason = "`5..1;-1` walks backwards from 5")]
            let item = $crate::SliceItem::from($item) $(.step_by($step))?;
            item
        }),*]
    };
}

/// What a slice reads of one axis: the index of the first element, how many, and how far apart.
#[derive(Clone, Copy)]
struct Part {
    first: usize,
    len: usize,
    step: isize,
}

impl Part {
    /// NumPy's rule (`slice.indices`) for an axis of `size` elements. `step` is not 0.
    #[inline]
    fn of(size: usize, start: Option<isize>, stop: Option<isize>, step: isize) -> Part {
        // L2: a size fits isize.
        let size = size as isize;
        // Forwards the walk lives in 0..=size, backwards in -1..=size-1.
        let (low, high) = if step > 0 { (0, size) } else { (-1, size - 1) };
        let clamp = |at: isize| (if at < 0 { at.saturating_add(size) } else { at }).clamp(low, high);
        let (from_start, from_stop) = if step > 0 { (low, high) } else { (high, low) };
        let (start, stop) = (start.map_or(from_start, clamp), stop.map_or(from_stop, clamp));
        let distance = if step > 0 { stop - start } else { start - stop };
        if distance <= 0 {
            return Part { first: 0, len: 0, step };
        }
        // Not empty, so `start` is an index of the axis.
        let len = (distance.unsigned_abs() - 1) / step.unsigned_abs() + 1;
        Part { first: start.unsigned_abs(), len, step }
    }
}

impl Layout {
    /// Part of several axes at once: [`s!`](crate::s) writes the items.
    ///
    /// Axes without an item are read whole. The full slice of an axis changes nothing.
    ///
    /// # Errors
    ///
    /// `IndexOutOfRange` for an index (ranges clamp), `Zero` for a step of 0, `TooManyItems`, `SecondEllipsis`.
    ///
    /// ```
    /// use weft_layout::{Layout, s};
    /// let l = Layout::row_major([3, 4])?;
    /// assert_eq!(l.slice(s![1.., 1..])?.to_string(), "(2,3):(4,1)@5");
    /// let refused = l.slice(s![3]).unwrap_err();
    /// assert_eq!(refused.to_string(), "slice: index 3 is out of range for axis 0 (size 3)");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "index")]
    #[doc(alias = "submdspan")]
    pub fn slice(&self, items: impl AsRef<[SliceItem]>) -> Result<Layout> {
        let items = items.as_ref();
        let consumed = items.iter().filter(|item| item.consumes_axis()).count();
        let ndim = self.ndim();
        if consumed > ndim {
            let kind = LayoutErrorKind::TooManyItems { items: small(consumed), ndim: small(ndim) };
            return Err(LayoutError::new(Op::Slice, kind));
        }
        let mut parts =
            Parts { layout: self, shape: Shape::from_slice(&[]), strides: Strides::from_slice(&[]), axis: 0 };
        // An empty layout reaches nothing: its offset stays where it is. Otherwise every offset formed here is reachable.
        let (mut offset, empty) = (self.offset, self.is_empty());
        let (mut rest, mut fresh) = (Some(ndim - consumed), Shape::from_slice(&[]));
        for &item in items {
            let (axis, first) = match item {
                SliceItem::NewAxis => {
                    fresh.push(parts.shape.len());
                    parts.push(1, 0);
                    continue;
                }
                SliceItem::Ellipsis => {
                    let Some(rest) = rest.take() else {
                        return Err(LayoutError::new(Op::Slice, LayoutErrorKind::SecondEllipsis));
                    };
                    parts.keep(rest);
                    continue;
                }
                SliceItem::Index(index) => {
                    let index = resolve_index(Op::Slice, parts.axis, index, self.shape[parts.axis])?;
                    parts.axis += 1;
                    (parts.axis - 1, index)
                }
                SliceItem::Range { .. } | SliceItem::Inclusive { .. } => {
                    let axis = parts.axis;
                    let part = self.part(Op::Slice, axis, item.bounds())?;
                    parts.push(part.len, self.strides[axis].wrapping_mul(part.step));
                    parts.axis += 1;
                    (axis, part.first)
                }
            };
            if !empty {
                offset = self.moved(offset, axis, first);
            }
        }
        parts.keep(ndim - parts.axis);
        let Parts { shape, mut strides, .. } = parts;
        for &at in fresh.iter().rev() {
            strides.as_mut_slice()[at] = continuation(&shape[at + 1..], &strides[at + 1..]);
        }
        Ok(Layout { shape, strides, offset })
    }

    /// Part of one axis, as a range of indices, or one index of it: [`slice`](Layout::slice) with one item.
    ///
    /// A range keeps the axis, an index drops it.
    ///
    /// # Errors
    ///
    /// As [`slice`](Layout::slice), and `AxisOutOfRange`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([3, 4])?;
    /// assert_eq!(l.slice_axis(1, 1..)?.to_string(), "(3,3):(4,1)@1");
    /// assert_eq!(l.slice_axis(0, -1)?.to_string(), "(4):(1)@8");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn slice_axis(&self, axis: impl Axis, range: impl Into<SliceItem>) -> Result<Layout> {
        let axis = resolve_axis(Op::Slice, axis.to_signed(), self.ndim())?;
        let item = range.into();
        match item {
            SliceItem::Index(index) => self.selected(Op::Slice, axis, index),
            SliceItem::Range { .. } | SliceItem::Inclusive { .. } => {
                let part = self.part(Op::Slice, axis, item.bounds())?;
                Ok(self.with_part(axis, part))
            }
            SliceItem::NewAxis => Ok(self.inserted(axis)),
            SliceItem::Ellipsis => Ok(self.clone()),
        }
    }

    /// `len` elements of one axis, from `start` on. Unlike a slice, nothing is clamped.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`, `RangeOutOfBounds`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([4, 8])?;
    /// assert_eq!(l.narrow(1, 3, 2)?.to_string(), "(4,2):(8,1)@3");
    /// let refused = l.narrow(1, 3, 6).unwrap_err();
    /// assert_eq!(refused.to_string(), "narrow: range 3..9 is past the end of axis 1 (size 8)");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "row_slice")]
    #[inline]
    pub fn narrow(&self, axis: impl Axis, start: usize, len: usize) -> Result<Layout> {
        let axis = resolve_axis(Op::Narrow, axis.to_signed(), self.ndim())?;
        let size = self.shape[axis];
        let end = start.saturating_add(len);
        if end > size {
            let kind = LayoutErrorKind::RangeOutOfBounds { axis: small(axis), start, end, size };
            return Err(LayoutError::new(Op::Narrow, kind));
        }
        Ok(self.with_part(axis, Part { first: if len == 0 { 0 } else { start }, len, step: 1 }))
    }

    /// Every `step`-th element of one axis; a negative step starts at the last element and walks back.
    ///
    /// The same as `slice_axis(axis, (..).step_by(step))`, NumPy's `x[::step]`.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`, `Zero` for a step of 0.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([10])?;
    /// assert_eq!(l.step(0, 3)?.to_string(), "(4):(3)@0");
    /// assert_eq!(l.step(0, -2)?.to_string(), "(5):(-2)@9");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "step_by")]
    pub fn step(&self, axis: impl Axis, step: isize) -> Result<Layout> {
        let axis = resolve_axis(Op::Step, axis.to_signed(), self.ndim())?;
        let part = self.part(Op::Step, axis, (None, None, step))?;
        Ok(self.with_part(axis, part))
    }

    /// One index of one axis; the axis goes away. A negative index counts from the end.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`, `IndexOutOfRange`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([3, 4])?;
    /// assert_eq!(l.select(1, 2)?.to_string(), "(3):(4)@2");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "index_axis")]
    pub fn select(&self, axis: impl Axis, index: isize) -> Result<Layout> {
        let axis = resolve_axis(Op::Select, axis.to_signed(), self.ndim())?;
        self.selected(Op::Select, axis, index)
    }

    /// The axes named read backwards: strides change sign, the offset moves to the other end.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`, `RepeatedAxis`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// assert_eq!(Layout::row_major([3, 4])?.flip([1])?.to_string(), "(3,4):(4,-1)@3");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "invert_axis")]
    pub fn flip(&self, axes: impl IntoAxes) -> Result<Layout> {
        axes.with_axes(|axes| {
            let axes = distinct(Op::Flip, axes, self.ndim())?;
            let mut layout = self.clone();
            for &axis in axes.iter() {
                if !self.is_empty() {
                    layout.offset = self.moved(layout.offset, axis, self.shape[axis] - 1);
                }
                // Only a stride that never moves can be isize::MIN (L3): it stays.
                let stride = &mut layout.strides.as_mut_slice()[axis];
                *stride = stride.wrapping_neg();
            }
            Ok(layout)
        })
    }

    /// `offset` moved to `index` of `axis`. `index` is inside the axis and the layout not empty: L3 holds for the result.
    #[inline]
    fn moved(&self, offset: usize, axis: usize, index: usize) -> usize {
        offset.wrapping_add_signed((index as isize).wrapping_mul(self.strides[axis]))
    }

    /// What NumPy's `start:stop:step` reads of one axis.
    #[inline]
    fn part(&self, op: Op, axis: usize, (start, stop, step): (Option<isize>, Option<isize>, isize)) -> Result<Part> {
        if step == 0 {
            return Err(LayoutError::new(op, LayoutErrorKind::Zero { what: "step", axis: small(axis) }));
        }
        Ok(Part::of(self.shape[axis], start, stop, step))
    }

    /// `self` with `part` of one axis in place of the axis.
    #[inline]
    fn with_part(&self, axis: usize, part: Part) -> Layout {
        Layout {
            shape: Shape::from_fn(self.ndim(), |i| if i == axis { part.len } else { self.shape[i] }),
            // Wraps only where the axis can no longer move (L3).
            strides: Strides::from_fn(self.ndim(), |i| {
                let stride = self.strides[i];
                if i == axis { stride.wrapping_mul(part.step) } else { stride }
            }),
            offset: if self.is_empty() { self.offset } else { self.moved(self.offset, axis, part.first) },
        }
    }

    fn selected(&self, op: Op, axis: usize, index: isize) -> Result<Layout> {
        let index = resolve_index(op, axis, index, self.shape[axis])?;
        let mut layout = self.picked(self.ndim() - 1, |i| if i < axis { i } else { i + 1 });
        if !self.is_empty() {
            layout.offset = self.moved(self.offset, axis, index);
        }
        Ok(layout)
    }
}

/// The axes of a slice's result, as far as they are known.
struct Parts<'a> {
    layout: &'a Layout,
    shape: Shape,
    strides: Strides,
    /// The next axis of `layout`.
    axis: usize,
}

impl Parts<'_> {
    #[inline]
    fn push(&mut self, size: usize, stride: isize) {
        self.shape.push(size);
        self.strides.push(stride);
    }

    #[inline]
    fn keep(&mut self, axes: usize) {
        for _ in 0..axes {
            self.push(self.layout.shape[self.axis], self.layout.strides[self.axis]);
            self.axis += 1;
        }
    }
}

/// `index` counted from the front.
#[inline]
fn resolve_index(op: Op, axis: usize, index: isize, size: usize) -> Result<usize> {
    let signed = if index < 0 { index.wrapping_add_unsigned(size) } else { index };
    match usize::try_from(signed) {
        Ok(found) if found < size => Ok(found),
        _ => Err(LayoutError::new(op, LayoutErrorKind::IndexOutOfRange { axis: small(axis), index, size })),
    }
}
