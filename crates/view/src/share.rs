//! Whether views share elements: exact, by address.

use weft_device::{Device, Element};
use weft_layout::{Layout, LayoutError, Overlap};

use crate::operand::AsView;
use crate::view::View;

impl<T: Element, D: Device> View<'_, T, D> {
    /// Whether this view and `other` read a byte in common. Exact: two interleaved halves do not. `None` where the
    /// answer would take more than a bounded search, as only layouts that nobody writes by hand do.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.zeros::<f32>([4, 6])?;
    /// let (even, odd) = (x.view().step(1, 2)?, x.view().narrow(1, 1, 5)?.step(1, 2)?);
    /// assert_eq!(even.shares_memory(&odd), Some(false));
    /// assert_eq!(even.shares_memory(x.view().select(1, 2)?), Some(true));
    /// assert_eq!(even.shares_memory(x.try_clone()?), Some(false));
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("may_share_memory", "overlaps"))]
    #[must_use]
    pub fn shares_memory(&self, other: impl AsView<T, D>) -> Option<bool> {
        let other = other.as_view();
        if !self.device().same(other.device()) || !self.bytes().meets(&other.bytes()) {
            return Some(false);
        }
        // The spans meet, so both lie within one address space from the lower start: nothing overflows below.
        let base = self.buffer.address().min(other.buffer.address());
        let unit = match (self.buffer.address() - base) | (other.buffer.address() - base) {
            apart if apart.is_multiple_of(size_of::<T>()) => size_of::<T>(),
            _ => 1,
        };
        let (a, b) = (self.placed(base, unit).ok()?, other.placed(base, unit).ok()?);
        match a.overlap_with(&b, Layout::DEFAULT_BUDGET) {
            Overlap::Disjoint => Some(false),
            Overlap::Overlapping { .. } | Overlap::Identical => Some(true),
            Overlap::Unknown { .. } => None,
        }
    }

    /// Whether two coordinates of this view are one element, and which.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.zeros::<f32>([4])?;
    /// assert_eq!(x.view().self_overlap(), Overlap::Disjoint);
    /// let windows = x.view().windows(0, 3, 1, 1)?;
    /// let (a, b) = (Shape::from_slice(&[0, 1]), Shape::from_slice(&[1, 0]));
    /// assert_eq!(windows.self_overlap(), Overlap::Overlapping { a, b });
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias = "has_internal_overlap")]
    pub fn self_overlap(&self) -> Overlap {
        self.layout.self_overlap(Layout::DEFAULT_BUDGET)
    }

    /// The addresses between the first and the last byte read.
    fn bytes(&self) -> Addresses {
        // An empty view may have its offset anywhere, past every address too.
        let span = if self.is_empty() { 0..0 } else { self.layout.span() };
        let at = |offset: usize| self.buffer.address() + offset * size_of::<T>();
        Addresses { start: at(span.start), end: at(span.end) }
    }

    /// The layout as it reads memory from the address `base` on, in units of the element or, where the distance is no
    /// multiple of it, of bytes.
    fn placed(&self, base: usize, unit: usize) -> Result<Layout, LayoutError> {
        let per = size_of::<T>() / unit;
        let offset = (self.buffer.address() - base) / unit + self.offset() * per;
        let mut shape = self.shape().to_vec();
        // An axis that never moves may have any stride.
        let mut strides: Vec<_> = self.strides().iter().map(|stride| stride.wrapping_mul(per as isize)).collect();
        shape.push(per);
        strides.push(1);
        Layout::from_parts(&shape, &strides, offset)
    }
}

struct Addresses {
    start: usize,
    end: usize,
}

impl Addresses {
    fn meets(&self, other: &Addresses) -> bool {
        self.start < self.end && other.start < other.end && self.start < other.end && other.start < self.end
    }
}
