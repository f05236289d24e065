//! Elements of host views: `get`, indexing, and slices where the elements lie side by side.

use core::ops::{Index, IndexMut};

use weft_device::{Element, Host};

use crate::view::View;
use crate::view_mut::ViewMut;

impl<'a, T: Element> View<'a, T, Host> {
    /// The element at a coordinate; `None` where there is none, or where the number of indices is not the rank.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..6)?.reshape([2, 3])?;
    /// let y = x.view().t()?;
    /// assert_eq!((y.get(&[2, 1]), y.get(&[1, 2]), y.get(&[2])), (Some(&5), None, None));
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn get(&self, at: &[usize]) -> Option<&'a T> {
        let offset = self.layout.offset_of(at).ok()?;
        // SAFETY: V1: the offset is inside the buffer; V4: nobody writes it during 'a.
        Some(unsafe { &*self.buffer.as_ptr().add(offset) })
    }

    /// All elements in row-major order, where they lie side by side.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..6)?.reshape([2, 3])?;
    /// assert_eq!(x.view().select(0, 1)?.as_slice(), Some(&[3, 4, 5][..]));
    /// assert_eq!(x.view().select(1, 1)?.as_slice(), None);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> Option<&'a [T]> {
        if !self.is_contiguous() {
            return None;
        }
        if self.is_empty() {
            return Some(&[]);
        }
        // SAFETY: V5: contiguous, so exactly the elements from `offset` on, all inside the buffer (V1) and not
        // written (V4).
        Some(unsafe { core::slice::from_raw_parts(self.buffer.as_ptr().add(self.offset()), self.numel()) })
    }
}

impl<T: Element> ViewMut<'_, T, Host> {
    /// The element at a coordinate; `None` where there is none, or where the number of indices is not the rank.
    #[inline]
    #[must_use]
    pub fn get(&self, at: &[usize]) -> Option<&T> {
        self.view.get(at)
    }

    /// The element at a coordinate, to write; `None` as for [`get`](ViewMut::get).
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.zeros::<i32>([2, 2])?;
    /// if let Some(corner) = x.view_mut().get_mut(&[0, 1]) {
    ///     *corner = 5;
    /// }
    /// assert_eq!(x.to_vec()?, [0, 5, 0, 0]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, at: &[usize]) -> Option<&mut T> {
        let offset = self.view.layout.offset_of(at).ok()?;
        // SAFETY: V1: the offset is inside the buffer; V4: nobody else touches it while `self` is borrowed.
        Some(unsafe { &mut *self.view.buffer.as_ptr().add(offset) })
    }

    /// All elements in row-major order, where they lie side by side.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> Option<&[T]> {
        self.view.as_slice()
    }

    /// All elements in row-major order, to write, where they lie side by side.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.arange(0i32..6)?.reshape([2, 3])?;
    /// let mut w = x.view_mut();
    /// w.reborrow().select(0, 1)?.as_mut_slice().unwrap().reverse();
    /// assert!(w.select(1, 0)?.as_mut_slice().is_none());
    /// assert_eq!(x.to_vec()?, [0, 1, 2, 5, 4, 3]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        if !self.is_contiguous() {
            return None;
        }
        if self.is_empty() {
            return Some(&mut []);
        }
        let (offset, numel) = (self.offset(), self.numel());
        // SAFETY: V5: contiguous, so exactly the elements from `offset` on, all inside the buffer (V1) and ours alone
        // (V4).
        Some(unsafe { core::slice::from_raw_parts_mut(self.view.buffer.as_ptr().add(offset), numel) })
    }
}

/// Panics where there is no such element; [`View::get`] does not.
///
/// ```should_panic
/// use weft_view::prelude::*;
/// let x = Host.zeros::<f32>([2, 3])?;
/// let _ = x.view()[[2, 0]]; // index: there is no element [2, 0] in shape [2, 3]
/// # Ok::<(), weft_view::Error>(())
/// ```
impl<T: Element, const N: usize> Index<[usize; N]> for View<'_, T, Host> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, at: [usize; N]) -> &T {
        match self.layout.offset_of(&at) {
            // SAFETY: V1: the offset is inside the buffer; V4: nobody writes it while the view lives.
            Ok(offset) => unsafe { &*self.buffer.as_ptr().add(offset) },
            Err(_) => no_such_element(&at, self.shape()),
        }
    }
}

/// Panics where there is no such element; [`ViewMut::get`] does not.
impl<T: Element, const N: usize> Index<[usize; N]> for ViewMut<'_, T, Host> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, at: [usize; N]) -> &T {
        &self.view[at]
    }
}

/// Panics where there is no such element; [`ViewMut::get_mut`] does not.
impl<T: Element, const N: usize> IndexMut<[usize; N]> for ViewMut<'_, T, Host> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, at: [usize; N]) -> &mut T {
        match self.view.layout.offset_of(&at) {
            // SAFETY: V1: the offset is inside the buffer; V4: nobody else touches it while `self` is borrowed.
            Ok(offset) => unsafe { &mut *self.view.buffer.as_ptr().add(offset) },
            Err(_) => no_such_element(&at, self.shape()),
        }
    }
}

/// The same shape, and equal elements at equal coordinates. The order in memory does not matter.
///
/// ```
/// use weft_view::prelude::*;
/// let x = Host.arange(0i32..6)?.reshape([2, 3])?;
/// assert_eq!(x.view().t()?, x.view().t()?.to_contiguous()?.view());
/// assert_ne!(x.view(), x.view().t()?);
/// # Ok::<(), weft_view::Error>(())
/// ```
impl<'b, T: Element> PartialEq<View<'b, T, Host>> for View<'_, T, Host> {
    fn eq(&self, other: &View<'b, T, Host>) -> bool {
        self.shape() == other.shape() && self.iter().eq(other)
    }
}

#[cold]
#[track_caller]
fn no_such_element(at: &[usize], shape: &[usize]) -> ! {
    panic!("index: there is no element {at:?} in shape {shape:?}")
}
