//! Walking the elements of host views in row-major order.

use core::iter::FusedIterator;
use core::marker::PhantomData;

use weft_device::{Element, Host};
use weft_layout::{Layout, Offsets, Shape};

use crate::view::View;
use crate::view_mut::ViewMut;

/// Iterator over the elements of a [`View`] in row-major order: [`View::iter`].
#[derive(Clone, Debug)]
pub struct Iter<'a, T> {
    start: *const T,
    offsets: Offsets<Layout>,
    elements: PhantomData<&'a T>,
}

/// Iterator over the elements of a [`ViewMut`] in row-major order: [`ViewMut::iter_mut`].
#[derive(Debug)]
pub struct IterMut<'a, T> {
    start: *mut T,
    offsets: Offsets<Layout>,
    elements: PhantomData<&'a mut T>,
}

// SAFETY: it is a `&'a T` for each element that is left.
unsafe impl<T: Sync> Send for Iter<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Iter<'_, T> {}
// SAFETY: it is a `&'a mut T` for each element that is left.
unsafe impl<T: Send> Send for IterMut<'_, T> {}
// SAFETY: shared, it gives nothing away.
unsafe impl<T: Sync> Sync for IterMut<'_, T> {}

/// Walks offsets and makes references of them; `fold` keeps the plain inner loop of [`Offsets`].
macro_rules! iterator {
    ($name:ident, $item:ty, |$start:ident, $offset:ident| $element:expr) => {
        impl<'a, T> Iterator for $name<'a, T> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                let ($start, $offset) = (self.start, self.offsets.next()?);
                Some($element)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.offsets.size_hint()
            }

            #[inline]
            fn fold<B, F: FnMut(B, $item) -> B>(self, init: B, mut f: F) -> B {
                let $start = self.start;
                self.offsets.fold(init, |acc, $offset| f(acc, $element))
            }
        }

        impl<T> ExactSizeIterator for $name<'_, T> {}
        impl<T> FusedIterator for $name<'_, T> {}
    };
}

iterator!(Iter, &'a T, |start, offset| {
    // SAFETY: V1: the offset is inside the buffer; V4: nobody writes it during 'a.
    unsafe { &*start.add(offset) }
});
iterator!(IterMut, &'a mut T, |start, offset| {
    // SAFETY: V1: the offset is inside the buffer; V4: nobody else touches it during 'a; V2: the walk comes to it once.
    unsafe { &mut *start.add(offset) }
});

/// Iterator over coordinates and elements of a [`View`] in row-major order: [`View::indexed_iter`].
#[derive(Clone, Debug)]
pub struct IndexedIter<'a, T> {
    elements: Iter<'a, T>,
    shape: Shape,
    /// The coordinate of the next element.
    next: Vec<usize>,
}

impl<'a, T> Iterator for IndexedIter<'a, T> {
    type Item = (Shape, &'a T);

    fn next(&mut self) -> Option<(Shape, &'a T)> {
        let element = self.elements.next()?;
        let at = Shape::from_slice(&self.next);
        for (index, &size) in self.next.iter_mut().zip(self.shape.iter()).rev() {
            *index += 1;
            if *index < size {
                break;
            }
            *index = 0;
        }
        Some((at, element))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.elements.size_hint()
    }
}

impl<T> ExactSizeIterator for IndexedIter<'_, T> {}
impl<T> FusedIterator for IndexedIter<'_, T> {}

impl<'a, T: Element> View<'a, T, Host> {
    /// The elements in row-major order; one that is read twice comes twice.
    ///
    /// `fold`, `for_each`, `sum` and the like run the innermost axis as a plain loop.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..6)?.reshape([2, 3])?;
    /// assert!(x.view().t()?.iter().eq(&[0, 3, 1, 4, 2, 5]));
    /// assert_eq!(x.view().iter().sum::<i32>(), 15);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[must_use]
    pub fn iter(&self) -> Iter<'a, T> {
        let offsets = self.layout.clone().into_offsets();
        Iter { start: self.buffer.as_ptr(), offsets, elements: PhantomData }
    }

    /// Coordinates and elements, in row-major order.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..4)?.reshape([2, 2])?;
    /// for (at, &value) in x.view().t()?.indexed_iter() {
    ///     assert_eq!(x[[at[1], at[0]]], value);
    /// }
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("ndenumerate", "enumerate"))]
    #[must_use]
    pub fn indexed_iter(&self) -> IndexedIter<'a, T> {
        let shape = Shape::from_slice(self.shape());
        IndexedIter { elements: self.iter(), next: vec![0; shape.len()], shape }
    }
}

impl<T: Element> ViewMut<'_, T, Host> {
    /// The elements in row-major order, to read.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, T> {
        self.view.iter()
    }

    /// The elements in row-major order, to write.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.zeros::<i32>([2, 3])?;
    /// for (k, element) in x.view_mut().t()?.iter_mut().enumerate() {
    ///     *element = k as i32;
    /// }
    /// assert_eq!(x.to_vec()?, [0, 2, 4, 1, 3, 5]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[must_use]
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        self.reborrow().into_iter()
    }
}

impl<'a, T: Element> IntoIterator for View<'a, T, Host> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T: Element> IntoIterator for &View<'a, T, Host> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T: Element> IntoIterator for ViewMut<'a, T, Host> {
    type Item = &'a mut T;
    type IntoIter = IterMut<'a, T>;

    fn into_iter(self) -> IterMut<'a, T> {
        IterMut { start: self.view.buffer.as_ptr(), offsets: self.view.layout.into_offsets(), elements: PhantomData }
    }
}

impl<'a, T: Element> IntoIterator for &'a mut ViewMut<'_, T, Host> {
    type Item = &'a mut T;
    type IntoIter = IterMut<'a, T>;

    fn into_iter(self) -> IterMut<'a, T> {
        self.iter_mut()
    }
}
