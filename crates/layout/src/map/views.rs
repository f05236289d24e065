//! Views of maps: padding and shrinking, and the strided views that a mask lets through unchanged.
//!
//! Every view is checked against the positions (as a plain layout, whose errors it gives), then applied to the window.

use core::ops::Range;

use crate::args::{Axis, IntoAxes, IntoShape, resolve_axis, small};
use crate::dims::{Shape, Strides};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::{Layout, check_sizes};
use crate::map::{OffsetMap, Window};
use crate::order::{distinct, permutation};
use crate::slice::SliceItem;

impl OffsetMap {
    /// Positions without memory around every axis: so many before it and so many after, one pair for each axis.
    ///
    /// # Errors
    ///
    /// `Rank` where there is not one pair for each axis, `SizeOverflow` where the padded shape is too large.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([2, 2])?).pad(&[(1, 0), (0, 1)])?;
    /// assert_eq!(map.to_string(), "(3,3):(2,1)@-2[1..3,0..2]");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn pad(&self, padding: &[(usize, usize)]) -> Result<OffsetMap> {
        self.check_rank(Op::Pad, padding.len())?;
        let shape = Shape::from_fn(self.ndim(), |axis| {
            let (before, after) = padding[axis];
            self.shape[axis].saturating_add(before).saturating_add(after)
        });
        // A saturated size is past every limit: it is refused here.
        check_sizes(Op::Pad, &shape)?;
        let mut window = self.window.clone();
        if let Some(window) = &mut window {
            for (start, &(before, _)) in window.before.as_mut_slice().iter_mut().zip(padding) {
                // Inside `shape` now, so no wrap.
                *start += before;
            }
        }
        Ok(OffsetMap { shape, window })
    }

    /// Part of every axis: one range of indices for each. What was padded may go again.
    ///
    /// # Errors
    ///
    /// `Rank` where there is not one range for each axis, `RangeOutOfBounds` for one that ends past its axis,
    /// `RangeReversed` for one that ends before it starts.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let l = Layout::row_major([3, 4])?;
    /// let map = OffsetMap::from(&l).pad(&[(0, 0), (1, 1)])?;
    /// assert_eq!(map.shrink(&[1..3, 0..3])?.to_string(), "(2,3):(4,1)@3[0..2,1..3]");
    /// let refused = map.shrink(&[0..3, 4..7]).unwrap_err();
    /// assert_eq!(refused.to_string(), "shrink: range 4..7 is past the end of axis 1 (size 6)");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn shrink(&self, ranges: &[Range<usize>]) -> Result<OffsetMap> {
        self.check_rank(Op::Shrink, ranges.len())?;
        for (axis, (&Range { start, end }, &size)) in ranges.iter().zip(self.shape.iter()).enumerate() {
            let axis = small(axis);
            if end > size {
                return Err(LayoutError::new(Op::Shrink, LayoutErrorKind::RangeOutOfBounds { axis, start, end, size }));
            }
            if start > end {
                return Err(LayoutError::new(Op::Shrink, LayoutErrorKind::RangeReversed { axis, start, end }));
            }
        }
        let mut map = self.clone();
        for (axis, range) in ranges.iter().enumerate() {
            map = map.strided_part(axis, range.start, range.len(), 1);
        }
        Ok(map)
    }

    /// The axes in the order `axes`: axis `i` of the result is axis `axes[i]` of `self`.
    ///
    /// # Errors
    ///
    /// `Rank`, `AxisOutOfRange` and `RepeatedAxis` where `axes` is not a permutation of the axes.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([3, 4])?).pad(&[(0, 0), (1, 1)])?;
    /// assert_eq!(map.permute([1, 0])?.to_string(), "(6,3):(1,4)@-1[1..5,0..3]");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "transpose")]
    pub fn permute(&self, axes: impl IntoAxes) -> Result<OffsetMap> {
        axes.with_axes(|axes| {
            let order = permutation(Op::Permute, axes, self.ndim())?;
            let pick = |from: &Shape| Shape::from_fn(order.len(), |i| from[order[i]]);
            let window = self.window.as_ref().map(|window| Window {
                before: pick(&window.before),
                layout: Layout {
                    shape: pick(&window.layout.shape),
                    strides: Strides::from_fn(order.len(), |i| window.layout.strides[order[i]]),
                    offset: window.layout.offset,
                },
            });
            Ok(OffsetMap { shape: pick(&self.shape), window })
        })
    }

    /// Some axes backwards: what was padded before is padded after.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`, `RepeatedAxis`.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([4])?).pad(&[(1, 2)])?;
    /// assert_eq!(map.flip([0])?.to_string(), "(7):(-1)@5[2..6]");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn flip(&self, axes: impl IntoAxes) -> Result<OffsetMap> {
        axes.with_axes(|axes| {
            let axes = distinct(Op::Flip, axes, self.ndim())?;
            let mut map = self.clone();
            if let Some(window) = &mut map.window {
                for &axis in axes.iter() {
                    window.before.as_mut_slice()[axis] = self.shape[axis] - window.range(axis).end;
                }
                window.layout = window.layout.flip(axes.as_slice())?;
            }
            Ok(map)
        })
    }

    /// A new axis of size 1 before axis `axis` of the result; -1 puts it last.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([4])?).pad(&[(1, 1)])?;
    /// assert_eq!(map.unsqueeze(-1)?.shape(), [6, 1]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "expand_dims")]
    #[doc(alias = "insert_axis")]
    pub fn unsqueeze(&self, axis: impl Axis) -> Result<OffsetMap> {
        let axis = resolve_axis(Op::Unsqueeze, axis.to_signed(), self.ndim() + 1)?;
        let mut map = self.clone();
        map.shape.insert(axis, 1);
        if let Some(window) = &mut map.window {
            window.before.insert(axis, 0);
            window.layout = window.layout.unsqueeze(axis)?;
        }
        Ok(map)
    }

    /// One axis of size 1 dropped.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`, `NotUnit`.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([1, 4])?).pad(&[(0, 0), (1, 1)])?;
    /// assert_eq!(map.squeeze(0)?.to_string(), "(6):(1)@-1[1..5]");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn squeeze(&self, axis: impl Axis) -> Result<OffsetMap> {
        let axis = resolve_axis(Op::Squeeze, axis.to_signed(), self.ndim())?;
        let size = self.shape[axis];
        if size != 1 {
            return Err(LayoutError::new(Op::Squeeze, LayoutErrorKind::NotUnit { axis: small(axis), size }));
        }
        Ok(self.selected(axis, 0))
    }

    /// Stretched to `shape`, as [`Layout::broadcast_to`]: an axis whose one index has no memory stays without.
    ///
    /// # Errors
    ///
    /// `BroadcastSize`, `BroadcastRank`, `SizeOverflow`.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([4])?).pad(&[(1, 0)])?;
    /// assert_eq!(map.broadcast_to([3, 5])?.to_string(), "(3,5):(0,1)@-1[0..3,1..5]");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "expand")]
    pub fn broadcast_to(&self, shape: impl IntoShape) -> Result<OffsetMap> {
        let shape = self.domain().broadcast_to(shape)?.shape;
        let Some(Window { before, layout }) = self.window.as_ref().filter(|_| !shape.contains(&0)) else {
            return Ok(OffsetMap::nowhere(shape));
        };
        let added = shape.len() - self.ndim();
        // M2: an axis of size 1 is all window, so a stretched one is, too.
        let kept = |axis: usize| axis.checked_sub(added).filter(|&old| self.shape[old] == shape[axis]);
        let window = Window {
            before: Shape::from_fn(shape.len(), |axis| kept(axis).map_or(0, |old| before[old])),
            layout: Layout {
                shape: Shape::from_fn(shape.len(), |axis| kept(axis).map_or(shape[axis], |old| layout.shape[old])),
                strides: Strides::from_fn(shape.len(), |axis| kept(axis).map_or(0, |old| layout.strides[old])),
                offset: layout.offset,
            },
        };
        Ok(OffsetMap { shape, window: Some(window) })
    }

    /// Part of several axes at once, by [`Layout::slice`]'s rules: [`s!`](crate::s) writes the items.
    ///
    /// # Errors
    ///
    /// As [`Layout::slice`].
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap, s};
    /// let map = OffsetMap::from(Layout::row_major([3, 4])?).pad(&[(0, 0), (1, 1)])?;
    /// assert_eq!(map.slice(s![0, ..;-2])?.to_string(), "(3):(-2)@4[1..3]");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn slice(&self, items: impl AsRef<[SliceItem]>) -> Result<OffsetMap> {
        let items = items.as_ref();
        // The errors, and how many axes an ellipsis stands for, are those of the positions.
        self.domain().slice(items)?;
        let consumed = items.iter().filter(|item| item.consumes_axis()).count();
        let (mut map, mut axis) = (self.clone(), 0);
        for &item in items {
            map = match item {
                SliceItem::NewAxis => map.unsqueeze(axis)?,
                SliceItem::Ellipsis => map,
                SliceItem::Index(_) | SliceItem::Range { .. } | SliceItem::Inclusive { .. } => {
                    map.slice_axis(axis, item)?
                }
            };
            axis += match item {
                SliceItem::NewAxis | SliceItem::Range { .. } | SliceItem::Inclusive { .. } => 1,
                SliceItem::Ellipsis => self.ndim() - consumed,
                SliceItem::Index(_) => 0,
            };
        }
        Ok(map)
    }

    /// Part of one axis, as a range of indices, or one index of it: [`slice`](OffsetMap::slice) with one item.
    ///
    /// # Errors
    ///
    /// As [`Layout::slice_axis`].
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([4])?).pad(&[(1, 1)])?;
    /// assert_eq!(map.slice_axis(0, ..3)?.to_string(), "(3):(1)@-1[1..3]");
    /// assert_eq!(map.slice_axis(0, -1)?.offsets().collect::<Vec<_>>(), [None]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn slice_axis(&self, axis: impl Axis, item: impl Into<SliceItem>) -> Result<OffsetMap> {
        // A layout that moves by 1 along this axis alone tells what is read of it: where, how far apart, how many.
        let at = resolve_axis(Op::Slice, axis.to_signed(), self.ndim())?;
        let strides = Strides::from_fn(self.ndim(), |other| isize::from(other == at));
        let read = Layout { shape: self.shape.clone(), strides, offset: 0 }.slice_axis(axis, item)?;
        if read.ndim() < self.ndim() {
            return Ok(self.selected(at, read.offset));
        }
        Ok(self.strided_part(at, read.offset, read.shape[at], read.strides[at]))
    }

    /// Indices `first`, `first + step`, ... of an axis, `len` of them, all inside it.
    fn strided_part(&self, axis: usize, first: usize, len: usize, step: isize) -> OffsetMap {
        let mut map = self.clone();
        map.shape.as_mut_slice()[axis] = len;
        let Some(window) = &mut map.window else {
            return map;
        };
        // Those from `start` to before `end` fall into the window: `low <= first + k * step <= high`.
        let (low, high) = (window.range(axis).start as i128, window.range(axis).end as i128 - 1);
        let (first, by) = (first as i128, step as i128);
        let (near, far) = if by > 0 { (low - first, high - first) } else { (first - high, first - low) };
        let start = (-(-near).div_euclid(by.abs())).max(0);
        let end = (far.div_euclid(by.abs()) + 1).min(len as i128);
        if start >= end {
            map.window = None;
            return map;
        }
        // All three are indices of the axis, or counts of them.
        let (start, end, from) = (start as usize, end as usize, (first + start * by - low) as usize);
        let stride = window.layout.strides[axis];
        window.before.as_mut_slice()[axis] = start;
        window.layout.offset = window.layout.offset.wrapping_add_signed(from as isize * stride);
        window.layout.shape.as_mut_slice()[axis] = end - start;
        // With two elements or more both factors are reached, so is the product (L3); a lone one never moves.
        window.layout.strides.as_mut_slice()[axis] = if end - start > 1 { stride * step } else { stride };
        map
    }

    /// One index of an axis, which goes away.
    fn selected(&self, axis: usize, index: usize) -> OffsetMap {
        let mut map = self.clone();
        map.shape.remove(axis);
        let Some(window) = &mut map.window else {
            return map;
        };
        let Some(step) = window.step(axis, index) else {
            map.window = None;
            return map;
        };
        window.before.remove(axis);
        window.layout.shape.remove(axis);
        window.layout.strides.remove(axis);
        window.layout.offset = window.layout.offset.wrapping_add_signed(step);
        map
    }

    fn check_rank(&self, op: Op, given: usize) -> Result<()> {
        if given != self.ndim() {
            return Err(LayoutError::new(
                op,
                LayoutErrorKind::Rank { needed: small(self.ndim()), given: small(given) },
            ));
        }
        Ok(())
    }
}
