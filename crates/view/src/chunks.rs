//! Views cut into chunks along one axis.

use core::iter::FusedIterator;

use weft_device::{Device, Element, Host};
use weft_layout::{Axis, Layout};
use weft_tensor::{InShape, Result};

use crate::view::View;
use crate::view_mut::ViewMut;

impl<'a, T: Element, D: Device> View<'a, T, D> {
    /// Views of `size` elements along `axis`, the last one of what is left.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`; `Zero` for chunks of no elements.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..5)?;
    /// let sizes: Vec<_> = x.view().chunks(0, 2)?.map(|c| c.numel()).collect();
    /// assert_eq!(sizes, [2, 2, 1]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("split", "tensor_split", "axis_chunks_iter"))]
    pub fn chunks(&self, axis: impl Axis, size: usize) -> Result<Chunks<'a, T, D>> {
        let cut = Cut::new(&self.layout, axis, size)?;
        Ok(Chunks { view: self.clone(), cut })
    }
}

impl<'a, T: Element, D: Device> ViewMut<'a, T, D> {
    /// Views of `size` elements along `axis`, the last one of what is left. They share no element.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`; `Zero` for chunks of no elements.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.zeros::<i32>([2, 5])?;
    /// for (k, mut chunk) in x.view_mut().chunks_mut(1, 2)?.enumerate() {
    ///     chunk.fill(k as i32)?;
    /// }
    /// assert_eq!(x.to_vec()?, [0, 0, 1, 1, 2, 0, 0, 1, 1, 2]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias = "axis_chunks_iter_mut")]
    pub fn chunks_mut(self, axis: impl Axis, size: usize) -> Result<ChunksMut<'a, T, D>> {
        let cut = Cut::new(&self.view.layout, axis, size)?;
        Ok(ChunksMut { view: self, cut })
    }
}

/// Iterator over the parts of a [`View`]: [`View::chunks`].
pub struct Chunks<'a, T: Element, D: Device = Host> {
    view: View<'a, T, D>,
    cut: Cut,
}

/// Iterator over disjoint parts of a [`ViewMut`]: [`ViewMut::chunks_mut`].
pub struct ChunksMut<'a, T: Element, D: Device = Host> {
    view: ViewMut<'a, T, D>,
    cut: Cut,
}

/// Where the next chunk begins.
struct Cut {
    /// What is not yet handed out.
    rest: Layout,
    axis: isize,
    size: usize,
    chunks: usize,
}

impl Cut {
    fn new(layout: &Layout, axis: impl Axis, size: usize) -> Result<Cut> {
        let chunks = layout.chunks(axis, size).in_shape(layout)?.len();
        Ok(Cut { rest: layout.clone(), axis: axis.to_signed(), size, chunks })
    }

    fn next(&mut self) -> Option<Layout> {
        self.chunks = self.chunks.checked_sub(1)?;
        if self.chunks == 0 {
            return Some(self.rest.clone());
        }
        // More than one chunk is left, so there are more than `size` elements, and this cannot refuse.
        let (chunk, rest) = self.rest.split_at(self.axis, self.size).ok()?;
        self.rest = rest;
        Some(chunk)
    }
}

impl<'a, T: Element, D: Device> Iterator for Chunks<'a, T, D> {
    type Item = View<'a, T, D>;

    fn next(&mut self) -> Option<View<'a, T, D>> {
        Some(self.view.with_layout(self.cut.next()?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.cut.chunks, Some(self.cut.chunks))
    }
}

impl<'a, T: Element, D: Device> Iterator for ChunksMut<'a, T, D> {
    type Item = ViewMut<'a, T, D>;

    fn next(&mut self) -> Option<ViewMut<'a, T, D>> {
        // No two chunks meet: each is cut off the rest (V4).
        Some(self.view.piece(self.cut.next()?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.cut.chunks, Some(self.cut.chunks))
    }
}

impl<T: Element, D: Device> ExactSizeIterator for Chunks<'_, T, D> {}
impl<T: Element, D: Device> FusedIterator for Chunks<'_, T, D> {}
impl<T: Element, D: Device> ExactSizeIterator for ChunksMut<'_, T, D> {}
impl<T: Element, D: Device> FusedIterator for ChunksMut<'_, T, D> {}
