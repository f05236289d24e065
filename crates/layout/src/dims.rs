//! [`Shape`] and [`Strides`]: short lists of integers that live inline up to rank 6 and on the heap above.
//!
//! smallvec is an implementation detail: signatures take and give slices. Both are filled from stack arrays, because a
//! list that grows by pushes costs three times as much.

use core::fmt;
use core::ops::Deref;

use smallvec::SmallVec;

use crate::args::INLINE;

/// Shape and strides of `len` axes, filled together on the stack where they fit.
#[inline]
pub(crate) fn filled<E>(
    len: usize,
    fill: impl FnOnce(&mut [usize], &mut [isize]) -> Result<(), E>,
) -> Result<(Shape, Strides), E> {
    if len <= INLINE {
        let (mut sizes, mut strides) = ([0; INLINE], [0; INLINE]);
        fill(&mut sizes[..len], &mut strides[..len])?;
        // One by one: a block move would wait for the values that were just written one by one.
        Ok((Shape::from_fn(len, |axis| sizes[axis]), Strides::from_fn(len, |axis| strides[axis])))
    } else {
        let (mut sizes, mut strides) = (SmallVec::from_elem(0, len), SmallVec::from_elem(0, len));
        fill(&mut sizes, &mut strides)?;
        Ok((Shape(sizes), Strides(strides)))
    }
}

/// Declares one list type.
macro_rules! list {
    ($(#[$doc:meta])* $name:ident, $t:ty) => {
        $(#[$doc])*
        #[derive(PartialEq, Eq, Hash)]
        pub struct $name(SmallVec<[$t; INLINE]>);

        impl $name {
            #[doc = concat!("A copy of `values`, as a `", stringify!($name), "`.")]
            #[inline]
            #[must_use]
            pub fn from_slice(values: &[$t]) -> $name {
                $name(SmallVec::from_slice(values))
            }

            /// `len` zeros, then `fill`ed in place on the stack where they fit: pushes and later writes cost more.
            #[inline]
            pub(crate) fn filled(len: usize, fill: impl FnOnce(&mut [$t])) -> $name {
                if len <= INLINE {
                    let mut buf = [0; INLINE];
                    fill(&mut buf[..len]);
                    // One by one: a block move would wait for the values that were just written one by one.
                    $name::from_fn(len, |axis| buf[axis])
                } else {
                    let mut list = SmallVec::from_elem(0, len);
                    fill(&mut list);
                    $name(list)
                }
            }

            /// `len` values, the one at `axis` being `f(axis)`.
            ///
            /// The loop has a fixed number of rounds, so that it unrolls and the values stay in registers: written one by
            /// one and then moved as a block they would stall on their way through memory.
            #[inline]
            pub(crate) fn from_fn(len: usize, mut f: impl FnMut(usize) -> $t) -> $name {
                if len <= INLINE {
                    let mut buf = [0; INLINE];
                    for (axis, value) in buf.iter_mut().enumerate() {
                        if axis < len {
                            *value = f(axis);
                        }
                    }
                    $name(SmallVec::from_buf_and_len(buf, len))
                } else {
                    $name((0..len).map(f).collect())
                }
            }

            /// The values, outermost axis first.
            #[inline]
            #[must_use]
            pub fn as_slice(&self) -> &[$t] {
                &self.0
            }

            #[inline]
            pub(crate) fn as_mut_slice(&mut self) -> &mut [$t] {
                &mut self.0
            }

            #[inline]
            pub(crate) fn remove(&mut self, at: usize) -> $t {
                self.0.remove(at)
            }

            #[inline]
            pub(crate) fn push(&mut self, value: $t) {
                self.0.push(value);
            }
        }

        // By hand: the derived clone goes value by value.
        impl Clone for $name {
            #[inline]
            fn clone(&self) -> $name {
                $name::from_slice(&self.0)
            }
        }

        impl Deref for $name {
            type Target = [$t];
            #[inline]
            fn deref(&self) -> &[$t] {
                &self.0
            }
        }

        impl AsRef<[$t]> for $name {
            fn as_ref(&self) -> &[$t] {
                &self.0
            }
        }

        impl FromIterator<$t> for $name {
            fn from_iter<I: IntoIterator<Item = $t>>(values: I) -> $name {
                $name(values.into_iter().collect())
            }
        }

        impl<const N: usize> PartialEq<[$t; N]> for $name {
            fn eq(&self, other: &[$t; N]) -> bool {
                self.as_slice() == other
            }
        }

        impl PartialEq<[$t]> for $name {
            fn eq(&self, other: &[$t]) -> bool {
                self.as_slice() == other
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.as_slice().fmt(f)
            }
        }

        /// `(2,3,4)`: the short form of tables.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("(")?;
                for (axis, value) in self.iter().enumerate() {
                    if axis > 0 {
                        f.write_str(",")?;
                    }
                    write!(f, "{value}")?;
                }
                f.write_str(")")
            }
        }
    };
}

list! {
    /// Sizes of the axes in elements, outermost first. Reads as a slice.
    ///
    /// ```
    /// let shape = weft_layout::broadcast_shapes(&[&[3, 1], &[4]])?;
    /// assert_eq!(shape, [3, 4]);
    /// assert_eq!(shape.to_string(), "(3,4)");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    Shape, usize
}

impl Shape {
    pub(crate) fn insert(&mut self, at: usize, value: usize) {
        self.0.insert(at, value);
    }
}

list! {
    /// Strides of the axes in elements, outermost first; negative ones walk backwards. Reads as a slice.
    ///
    /// ```
    /// use weft_layout::Strides;
    /// assert_eq!(Strides::from_slice(&[4, -1]).to_string(), "(4,-1)");
    /// ```
    Strides, isize
}
