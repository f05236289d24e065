//! Walking a map: every position in row-major order, with its offset or without.

use core::iter::FusedIterator;

use crate::dims::Shape;
use crate::map::{OffsetMap, Window};

impl OffsetMap {
    /// Every position in row-major order: its offset, or `None` where it has no memory. Carries cost amortised constant time.
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([2])?).pad(&[(1, 2)])?;
    /// assert_eq!(map.offsets().collect::<Vec<_>>(), [None, Some(0), Some(1), None, None]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn offsets(&self) -> MapOffsets<'_> {
        let coord = Shape::from_fn(self.ndim(), |_| 0);
        let (mut next, mut outside) = (0, 0);
        if let Some(window) = &self.window {
            // From the first corner back to the coordinate of all zeros. That offset may not exist; it wraps, and wraps
            // back before a coordinate inside the window is reached.
            next = window.layout.offset;
            for (&before, &stride) in window.before.iter().zip(window.layout.strides.iter()) {
                next = next.wrapping_sub(before.wrapping_mul(stride as usize));
                outside += usize::from(before > 0);
            }
        }
        MapOffsets { map: self, coord, next, outside, left: self.numel() }
    }
}

/// Iterator over the positions of a map: [`OffsetMap::offsets`].
#[derive(Clone, Debug)]
pub struct MapOffsets<'a> {
    map: &'a OffsetMap,
    /// The coordinate of the next position.
    coord: Shape,
    /// Its offset, where it has one.
    next: usize,
    /// On how many axes it lies outside the window.
    outside: usize,
    /// How many positions are left.
    left: usize,
}

impl MapOffsets<'_> {
    /// Moves to the next position.
    fn advance(&mut self, window: &Window) {
        for axis in (0..self.coord.len()).rev() {
            let at = &mut self.coord.as_mut_slice()[axis];
            let (valid, stride) = (window.range(axis), window.layout.strides[axis]);
            self.outside -= usize::from(!valid.contains(at));
            *at += 1;
            if *at < self.map.shape[axis] {
                self.outside += usize::from(!valid.contains(at));
                self.next = self.next.wrapping_add_signed(stride);
                return;
            }
            let back = (*at - 1).wrapping_mul(stride as usize);
            *at = 0;
            self.outside += usize::from(!valid.contains(at));
            self.next = self.next.wrapping_sub(back);
        }
    }
}

impl Iterator for MapOffsets<'_> {
    type Item = Option<usize>;

    #[inline]
    fn next(&mut self) -> Option<Option<usize>> {
        self.left = self.left.checked_sub(1)?;
        let Some(window) = &self.map.window else {
            return Some(None);
        };
        let offset = (self.outside == 0).then_some(self.next);
        self.advance(window);
        Some(offset)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for MapOffsets<'_> {}
impl FusedIterator for MapOffsets<'_> {}
