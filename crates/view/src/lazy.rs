//! [`LazyView`]: a view through an offset map, so that padding is a view too.

use core::ops::Range;

use weft_device::{Device, Element, Host, ops};
use weft_layout::{Axis, IntoAxes, IntoShape, IntoTarget, Layout, LayoutError, OffsetMap, Plan, SliceItem};
use weft_tensor::{Error, Result, Tensor};

use crate::read::written;
use crate::view::View;

/// A view in which some positions hold no memory: what [`pad`](LazyView::pad) adds, a copy writes as a value of the
/// caller's choice.
///
/// The mask is part of the map, so no reader can forget it; nothing around the elements is ever read.
///
/// ```
/// use weft_view::prelude::*;
/// let x = Host.arange(0i32..12)?.reshape([3, 4])?;
/// let padded = x.view().lazy().pad(&[(0, 0), (1, 1)])?;
/// assert_eq!(padded.map().to_string(), "(3,6):(4,1)@-1[0..3,1..5]");
/// assert_eq!((padded.get(&[0, 0]), padded.get(&[1, 1])), (None, Some(&4)));
/// let copy = padded.to_contiguous(0)?;
/// assert_eq!(copy.to_vec()?[..6], [0, 0, 1, 2, 3, 0]);
/// # Ok::<(), weft_view::Error>(())
/// ```
#[doc(alias("pad", "ShapeTracker"))]
pub struct LazyView<'a, T: Element, D: Device = Host> {
    /// Whose elements they are. Every offset of `map` is one that the layout of `view` reaches (V1, V4): the
    /// operations of a map never reach anything new.
    view: View<'a, T, D>,
    map: OffsetMap,
}

impl<'a, T: Element, D: Device> View<'a, T, D> {
    /// The same elements as a view that can be padded.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.tensor(&[5u8, 6, 7, 8], 4)?;
    /// let padded = x.view().lazy().pad(&[(1, 1)])?;
    /// let read = [-1, 0, 1, 4, 5, 6].map(|i| padded.get(&[i]).copied().unwrap_or(0));
    /// assert_eq!(read, [0, 0, 5, 8, 0, 0]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[must_use]
    pub fn lazy(&self) -> LazyView<'a, T, D> {
        LazyView { map: OffsetMap::from(&self.layout), view: self.clone() }
    }
}

/// Writes out the operations of a map as methods of the same name.
macro_rules! operations {
    ($(
        $(#[doc = $doc:literal])+
        errors $errors:literal
        example $example:literal
        fn $name:ident($($arg:ident: $type:ty),*);
    )*) => {
        impl<'a, T: Element, D: Device> LazyView<'a, T, D> {$(
            $(#[doc = $doc])+
            ///
            #[doc = concat!("The rule is that of [`OffsetMap::", stringify!($name), "`].")]
            ///
            /// # Errors
            ///
            #[doc = $errors]
            ///
            /// ```
            /// use weft_view::prelude::*;
            /// let x = Host.arange(1i32..5)?.reshape([2, 2])?;
            #[doc = $example]
            /// # Ok::<(), weft_view::Error>(())
            /// ```
            pub fn $name(&self, $($arg: $type),*) -> Result<LazyView<'a, T, D>> {
                let map = self.map.$name($($arg),*).map_err(|error| self.refused(error))?;
                Ok(LazyView { view: self.view.clone(), map })
            }
        )*}
    };
}

operations! {
    /// Positions without memory around every axis: so many before and so many after, one pair for each axis.
    errors "`Rank`, `SizeOverflow`."
    example "let padded = x.view().lazy().pad(&[(1, 0), (0, 1)])?;\nassert_eq!(padded.to_vec(0)?, [0, 0, 0, 1, 2, 0, 3, 4, 0]);"
    fn pad(padding: &[(usize, usize)]);

    /// A range of every axis; what was padded may go again.
    errors "`Rank`, `RangeOutOfBounds`, `RangeReversed`."
    example "let back = x.view().lazy().pad(&[(1, 1), (1, 1)])?.shrink(&[1..3, 1..3])?;\nassert_eq!(back.as_view().unwrap().layout(), x.layout());"
    fn shrink(ranges: &[Range<usize>]);

    /// The axes in the order given.
    errors "`Rank`, `AxisOutOfRange`, `RepeatedAxis`."
    example "let padded = x.view().lazy().pad(&[(0, 0), (1, 0)])?.permute([1, 0])?;\nassert_eq!(padded.to_vec(0)?, [0, 0, 1, 3, 2, 4]);"
    fn permute(axes: impl IntoAxes);

    /// The axes named, read backwards.
    errors "`AxisOutOfRange`, `RepeatedAxis`."
    example "let padded = x.view().lazy().pad(&[(0, 0), (1, 0)])?.flip([1])?;\nassert_eq!(padded.to_vec(0)?, [2, 1, 0, 4, 3, 0]);"
    fn flip(axes: impl IntoAxes);

    /// One axis of size 1 dropped.
    errors "`AxisOutOfRange`, `NotUnit`."
    example "let row = x.view().narrow(0, 0, 1)?.lazy().pad(&[(0, 0), (1, 0)])?.squeeze(0)?;\nassert_eq!(row.to_vec(0)?, [0, 1, 2]);"
    fn squeeze(axis: impl Axis);

    /// A new axis of size 1.
    errors "`AxisOutOfRange`."
    example "assert_eq!(x.view().lazy().unsqueeze(0)?.shape(), [1, 2, 2]);"
    fn unsqueeze(axis: impl Axis);

    /// The shape given, reading positions again along new axes and axes of size 1.
    errors "`BroadcastRank`, `BroadcastSize`."
    example "let padded = x.view().select(0, 0)?.lazy().pad(&[(1, 0)])?;\nassert_eq!(padded.broadcast_to([2, 3])?.to_vec(0)?, [0, 1, 2, 0, 1, 2]);"
    fn broadcast_to(shape: impl IntoShape);

    /// Parts of several axes at once, as written with [`s!`](crate::s).
    errors "`TooManyItems`, `SecondEllipsis`, `IndexOutOfRange`, `Zero` for a step of 0."
    example "let padded = x.view().lazy().pad(&[(0, 0), (1, 1)])?;\nassert_eq!(padded.slice(s![1, ..3])?.to_vec(0)?, [0, 3, 4]);"
    fn slice(items: impl AsRef<[SliceItem]>);

    /// Part of one axis: a range, clamped as in Python, or an index, which drops the axis.
    errors "`AxisOutOfRange`, `IndexOutOfRange`, `Zero` for a step of 0."
    example "let padded = x.view().lazy().pad(&[(0, 0), (1, 1)])?;\nassert_eq!(padded.slice_axis(1, ..2)?.to_vec(0)?, [0, 1, 0, 3]);"
    fn slice_axis(axis: impl Axis, range: impl Into<SliceItem>);

    /// Another shape for the same positions in row-major order, where one masked stage can say that. Never a copy.
    errors "`Blocked`, `PaddedInside`, `ValidNotBox` where it cannot; those of [`View::reshape`]."
    example "let padded = x.view().lazy().pad(&[(1, 0), (0, 0)])?;\nassert_eq!(padded.reshape(-1)?.to_vec(9)?, [9, 9, 1, 2, 3, 4]);"
    fn reshape(target: impl IntoTarget);
}

impl<'a, T: Element, D: Device> LazyView<'a, T, D> {
    /// Which positions have memory, and where.
    #[must_use]
    pub fn map(&self) -> &OffsetMap {
        &self.map
    }

    /// Sizes of the axes in elements, padding included, outermost first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.map.shape()
    }

    /// How many axes there are: the rank.
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.map.ndim()
    }

    /// How many positions there are, with memory or without.
    #[must_use]
    pub fn numel(&self) -> usize {
        self.map.numel()
    }

    /// The device on which the elements are.
    #[must_use]
    pub fn device(&self) -> &D {
        self.view.device()
    }

    /// The plain view, where every position has memory.
    #[must_use]
    pub fn as_view(&self) -> Option<View<'a, T, D>> {
        Some(self.view.with_layout(self.map.as_layout()?))
    }

    /// A copy in row-major order, `fill` where there is no memory, as a tensor without a gradient.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    #[doc(alias("contiguous", "realize"))]
    pub fn to_contiguous(&self, fill: T) -> Result<Tensor<T, D>> {
        let layout = Layout::row_major(self.shape())?;
        // The positions that have memory are a box, which is `valid` on each axis.
        let valid: Vec<_> = (0..self.ndim()).map_while(|axis| self.map.valid(axis)).collect();
        let source = self.map.shrink(&valid)?.as_layout();
        // SAFETY: row-major; the fill writes every element where the copy does not.
        unsafe {
            written(self.device(), layout, |layout, dst| {
                let mut target = layout.clone();
                for (axis, range) in valid.iter().enumerate() {
                    target = target.narrow(axis, range.start, range.len())?;
                }
                // Counted by the map: of rank 0 there is no range that could be empty.
                if self.map.valid_count() < layout.numel() {
                    // SAFETY: D5: the destination is new.
                    ops::fill(&Plan::new([layout])?, dst, fill)?;
                }
                if let Some(source) = source {
                    // SAFETY: D5: the destination is new; V4 for the source.
                    ops::copy(&Plan::new([&target, &source])?, dst, self.view.buffer)?;
                }
                Ok(())
            })
        }
    }

    /// The elements in row-major order, on the host, `fill` where there is no memory.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`; what the device says.
    pub fn to_vec(&self, fill: T) -> Result<Vec<T>> {
        self.to_contiguous(fill)?.to_vec()
    }

    #[cold]
    fn refused(&self, error: LayoutError) -> Error {
        Error::in_shape(error, self.shape())
    }
}

// By hand: the derived one would ask for `T: Clone` and `D: Clone`.
impl<T: Element, D: Device> Clone for LazyView<'_, T, D> {
    fn clone(&self) -> Self {
        LazyView { view: self.view.clone(), map: self.map.clone() }
    }
}

impl<'a, T: Element> LazyView<'a, T, Host> {
    /// The element at a coordinate; `None` where there is no memory: in the padding, or outside, before the first
    /// index too.
    #[must_use]
    pub fn get(&self, at: &[isize]) -> Option<&'a T> {
        self.element(self.map.get_at(at)?)
    }

    /// The elements in row-major order, `None` where there is no memory.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(1i32..3)?;
    /// let padded = x.view().lazy().pad(&[(1, 0)])?;
    /// assert!(padded.iter().eq([None, Some(&1), Some(&2)]));
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&'a T>> {
        self.map.offsets().map(|offset| self.element(offset?))
    }

    /// `offset` is one that `map` gave.
    fn element(&self, offset: usize) -> Option<&'a T> {
        // SAFETY: V1 and V4: an offset of the map is one that the layout of `view` reaches.
        Some(unsafe { &*self.view.buffer.as_ptr().add(offset) })
    }
}
