//! [`OffsetMap`]: a layout with a mask, so that some positions hold no memory. Padding never copies.
//!
//! A map sends each coordinate of its shape to an offset, or to nothing. It is kept as the window of coordinates that do
//! have memory, a [`Layout`] of that window, and how far the window lies from the start of each axis. So the invariants of
//! `Layout` carry over, whatever the padding: offsets of coordinates outside are never formed.
//!
//! One such stage is all there is now. What one stage cannot say is refused with the reason, never approximated.

mod expr;
mod reshape;
mod views;
mod walk;

use core::fmt;
use core::ops::Range;

use crate::dims::{Shape, Strides};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::Layout;
use crate::order::row_major_strides;

pub use expr::{IndexExpr, Language};
pub use walk::MapOffsets;

/// A map from coordinates to offsets, or to nothing: a strided layout with padding.
///
/// Positions without memory read as a fill value that the reader names. The mask is part of the map, so no caller can
/// forget it. Printed, a map is `shape:strides@offset[valid ranges]`; there the offset is where the coordinate of all zeros
/// would live, which may be below 0.
///
/// # Invariants
///
/// * **M1** the product of the non-zero sizes of the shape fits `isize` (L2);
/// * **M2** the window, where there is one, is a layout with at least one element and of the rank of the shape, and on each
///   axis it ends inside the shape; where there is none, no coordinate has memory.
///
/// ```
/// use weft_layout::{Layout, OffsetMap};
/// let padded = OffsetMap::from(Layout::row_major([3, 4])?).pad(&[(0, 0), (1, 1)])?;
/// assert_eq!(padded.to_string(), "(3,6):(4,1)@-1[0..3,1..5]");
///
/// let memory: Vec<i32> = (0..12).collect();
/// let read: Vec<i32> = padded.offsets().map(|offset| offset.map_or(0, |at| memory[at])).collect();
/// assert_eq!(read[..6], [0, 0, 1, 2, 3, 0]);
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
// Equality is literal and derived; `same_map` is equality as functions.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct OffsetMap {
    shape: Shape,
    window: Option<Window>,
}

/// The coordinates that have memory: a box, and the layout of it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Window {
    /// Where the box starts on each axis of the map.
    before: Shape,
    /// Its sizes, strides, and the offset of its first corner.
    layout: Layout,
}

impl From<Layout> for OffsetMap {
    /// The same map, with memory everywhere.
    fn from(layout: Layout) -> OffsetMap {
        let shape = layout.shape.clone();
        let before = Shape::from_fn(shape.len(), |_| 0);
        OffsetMap { shape, window: (!layout.is_empty()).then_some(Window { before, layout }) }
    }
}

impl From<&Layout> for OffsetMap {
    fn from(layout: &Layout) -> OffsetMap {
        OffsetMap::from(layout.clone())
    }
}

impl OffsetMap {
    /// Sizes of the axes, padding included, outermost first.
    #[inline]
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// How many axes there are.
    #[doc(alias = "rank")]
    #[inline]
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// How many positions there are to read, with memory or without.
    #[doc(alias = "size")]
    #[doc(alias = "len")]
    #[inline]
    #[must_use]
    pub fn numel(&self) -> usize {
        // M1: no wrap.
        self.shape.iter().product()
    }

    /// Whether there is no position at all: some axis has size 0.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// How many positions have memory.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([3, 4])?).pad(&[(0, 0), (1, 1)])?;
    /// assert_eq!((map.numel(), map.valid_count()), (18, 12));
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn valid_count(&self) -> usize {
        self.window.as_ref().map_or(0, |window| window.layout.numel())
    }

    /// The indices of one axis outside which nothing has memory; empty where nothing has. `None` where there is no such axis.
    ///
    /// A position has memory exactly where each of its indices lies in the range of its axis.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([3, 4])?).pad(&[(0, 0), (1, 1)])?;
    /// assert_eq!((map.valid(0), map.valid(1), map.valid(2)), (Some(0..3), Some(1..5), None));
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "mask")]
    #[must_use]
    pub fn valid(&self, axis: usize) -> Option<Range<usize>> {
        let &size = self.shape.get(axis)?;
        debug_assert!(self.window.as_ref().is_none_or(|window| window.range(axis).end <= size), "M2 fails: {self:?}");
        Some(self.window.as_ref().map_or(0..0, |window| window.range(axis)))
    }

    /// The reachable offsets: first .. one past the last. Empty where nothing has memory.
    ///
    /// As with [`Layout::span`], this is what is checked against a buffer.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([3, 4])?).pad(&[(9, 9), (9, 9)])?;
    /// assert_eq!(map.span(), 0..12);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.window.as_ref().map_or(0..0, |window| window.layout.span())
    }

    /// The offset at the `index`-th position in row-major order, `None` where it has no memory.
    ///
    /// # Errors
    ///
    /// `LinearOutOfRange` past the last position.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([3, 4])?).pad(&[(0, 0), (1, 1)])?;
    /// assert_eq!((map.get(6)?, map.get(7)?), (None, Some(4)));
    /// let refused = map.get(18).unwrap_err();
    /// assert_eq!(refused.to_string(), "get: element 18 is out of range for 18 elements");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn get(&self, index: usize) -> Result<Option<usize>> {
        let numel = self.numel();
        if index >= numel {
            return Err(LayoutError::new(Op::Get, LayoutErrorKind::LinearOutOfRange { index, numel }));
        }
        let Some(window) = &self.window else {
            return Ok(None);
        };
        let (mut rest, mut offset) = (index, window.layout.offset);
        for axis in (0..self.ndim()).rev() {
            let at = rest % self.shape[axis];
            rest /= self.shape[axis];
            match window.step(axis, at) {
                Some(step) => offset = offset.wrapping_add_signed(step),
                None => return Ok(None),
            }
        }
        Ok(Some(offset))
    }

    /// The offset at a coordinate, `None` where it has no memory or lies outside: negative indices are outside.
    ///
    /// A coordinate of another rank lies outside, too.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([4])?).pad(&[(1, 1)])?;
    /// assert_eq!([-1, 0, 1, 4, 5, 6].map(|at| map.get_at(&[at])), [None, None, Some(0), Some(3), None, None]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn get_at(&self, coord: &[isize]) -> Option<usize> {
        let window = self.window.as_ref()?;
        if coord.len() != self.ndim() {
            return None;
        }
        let mut offset = window.layout.offset;
        for (axis, &at) in coord.iter().enumerate() {
            offset = offset.wrapping_add_signed(window.step(axis, usize::try_from(at).ok()?)?);
        }
        Some(offset)
    }

    /// The map as a plain layout, where every position has memory.
    ///
    /// An empty map is a layout with fresh row-major strides.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let l = Layout::row_major([3, 4])?.t()?;
    /// let map = OffsetMap::from(&l).pad(&[(2, 0), (0, 1)])?;
    /// assert_eq!(map.as_layout(), None);
    /// assert_eq!(map.shrink(&[2..6, 0..3])?.as_layout(), Some(l));
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn as_layout(&self) -> Option<Layout> {
        match &self.window {
            Some(window) if window.layout.shape == self.shape => Some(window.layout.clone()),
            None if self.is_empty() => Some(self.domain()),
            _ => None,
        }
    }

    /// Whether both send every coordinate to the same offset, or to nothing: equality as functions.
    ///
    /// `==` is literal: it also compares strides along which nothing moves.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let [a, b] = [[5, 1], [9, 1]].map(|strides| Layout::from_parts(&[1, 4], &strides, 0).map(OffsetMap::from));
    /// let (a, b) = (a?, b?);
    /// assert!(a != b && a.same_map(&b) && !a.same_map(&a.pad(&[(0, 0), (0, 1)])?));
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn same_map(&self, other: &OffsetMap) -> bool {
        self.shape == other.shape
            && match (&self.window, &other.window) {
                // A box that is not empty has one first corner, and at it the offset; steps from it are the strides.
                (Some(a), Some(b)) => a.before == b.before && a.layout.same_map(&b.layout),
                (None, None) => true,
                _ => false,
            }
    }

    /// The same map with stride 0 along every axis on which at most one index has memory: two maps are the same function
    /// exactly where their canonical forms are equal.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::from_parts(&[1, 4], &[9, 1], 0)?).pad(&[(2, 0), (0, 0)])?;
    /// assert_eq!(map.to_string(), "(3,4):(9,1)@-18[2..3,0..4]");
    /// assert_eq!(map.canonical().to_string(), "(3,4):(0,1)@0[2..3,0..4]");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn canonical(&self) -> OffsetMap {
        let mut map = self.clone();
        if let Some(window) = &mut map.window {
            let layout = &mut window.layout;
            for (stride, &size) in layout.strides.as_mut_slice().iter_mut().zip(layout.shape.iter()) {
                if size == 1 {
                    *stride = 0;
                }
            }
        }
        map
    }

    /// A map of this shape that has no memory anywhere; M1 is the caller's.
    fn nowhere(shape: Shape) -> OffsetMap {
        OffsetMap { shape, window: None }
    }

    /// The positions themselves, as a row-major layout: what views are checked against, and whose errors they give.
    fn domain(&self) -> Layout {
        Layout { shape: self.shape.clone(), strides: row_major_strides(&self.shape), offset: 0 }
    }
}

impl Window {
    /// The indices of an axis that have memory.
    #[inline]
    fn range(&self, axis: usize) -> Range<usize> {
        self.before[axis]..self.before[axis] + self.layout.shape[axis]
    }

    /// How far index `at` of an axis lies from the first corner, in elements; `None` outside.
    #[inline]
    fn step(&self, axis: usize, at: usize) -> Option<isize> {
        let inside = at.checked_sub(self.before[axis]).filter(|&inside| inside < self.layout.shape[axis])?;
        // L3: one axis alone reaches no further than all of them do.
        Some(inside as isize * self.layout.strides[axis])
    }
}

impl fmt::Display for OffsetMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(window) = &self.window else {
            let strides = Strides::from_fn(self.ndim(), |_| 0);
            return write!(f, "{}:{strides}@0[nowhere]", self.shape);
        };
        let Window { before, layout } = window;
        // Where the coordinate of all zeros would live. The padding of one axis is below 2^63, so is a stride.
        let back: i128 = before.iter().zip(layout.strides.iter()).map(|(&n, &stride)| n as i128 * stride as i128).sum();
        write!(f, "{}:{}@{}", self.shape, layout.strides, layout.offset as i128 - back)?;
        if self.shape == layout.shape {
            return Ok(());
        }
        f.write_str("[")?;
        for axis in 0..self.ndim() {
            let Range { start, end } = window.range(axis);
            write!(f, "{}{start}..{end}", if axis > 0 { "," } else { "" })?;
        }
        f.write_str("]")
    }
}

/// The same as `Display`: snapshots and assertion messages stay on one line.
impl fmt::Debug for OffsetMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
