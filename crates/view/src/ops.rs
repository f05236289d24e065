//! Every layout operation as a method of the same name: on [`View`] from `&self`, on [`ViewMut`] from `self`.
//!
//! None of them moves a byte. The rules are those of the methods of [`Layout`](weft_layout::Layout); an error tells
//! the shape as well.

use weft_device::{Device, Element};
use weft_layout::{Axis, IntoAxes, IntoShape, IntoTarget, Order, SliceItem};
use weft_tensor::{InShape, Result};

use crate::view::View;
use crate::view_mut::ViewMut;

/// Writes out the methods for both kinds of views from one list.
macro_rules! operations {
    ($(
        $(#[doc = $doc:literal])+
        errors $errors:literal
        example $example:literal
        alias ($($alias:literal),*)
        fn $name:ident($($arg:ident: $type:ty),*);
    )*) => {
        impl<'a, T: Element, D: Device> View<'a, T, D> {$(
            $(#[doc = $doc])+
            ///
            #[doc = concat!("The rule is that of [`Layout::", stringify!($name), "`](weft_layout::Layout::", stringify!($name), ").")]
            ///
            /// # Errors
            ///
            #[doc = $errors]
            ///
            /// ```
            /// use weft_view::prelude::*;
            #[doc = $example]
            /// # Ok::<(), weft_view::Error>(())
            /// ```
            $(#[doc(alias = $alias)])*
            #[inline]
            pub fn $name(&self, $($arg: $type),*) -> Result<View<'a, T, D>> {
                // V1, V4: the operations of `Layout` reach nothing new.
                Ok(self.with_layout(self.layout.$name($($arg),*).in_shape(&self.layout)?))
            }
        )*}

        impl<'a, T: Element, D: Device> ViewMut<'a, T, D> {$(
            #[doc = concat!("[`View::", stringify!($name), "`] of a unique view, which it consumes: [`reborrow`](ViewMut::reborrow) to keep it.")]
            ///
            /// # Errors
            ///
            #[doc = $errors]
            $(#[doc(alias = $alias)])*
            #[inline]
            pub fn $name(self, $($arg: $type),*) -> Result<ViewMut<'a, T, D>> {
                // V2: the operation reaches no element twice where `self` did not.
                self.view.$name($($arg),*).map(ViewMut::unique)
            }
        )*}
    };
}

operations! {
    /// The axes in the order given: axis `k` of the result is axis `axes[k]` of this view.
    errors "`Rank`, `AxisOutOfRange`, `RepeatedAxis`."
    example "let x = Host.arange(0i32..24)?.reshape([2, 3, 4])?;\nassert_eq!(x.view().permute([2, 0, 1])?.layout().to_string(), \"(4,2,3):(1,12,4)@0\");\nlet refused = x.view().permute([0, 1]).unwrap_err();\nassert_eq!(refused.to_string(), \"permute: needs 3 values, one for each axis, got 2 in shape [2, 3, 4]\");"
    alias ("permuted_axes", "transpose")
    fn permute(axes: impl IntoAxes);

    /// Two axes exchanged.
    errors "`AxisOutOfRange`."
    example "let x = Host.arange(0i32..24)?.reshape([2, 3, 4])?;\nassert_eq!(x.view().transpose(0, -1)?.shape(), [4, 3, 2]);"
    alias ("swap_axes", "swapaxes")
    fn transpose(a: impl Axis, b: impl Axis);

    /// The last two axes exchanged: the transpose of a matrix, or of each in a batch.
    errors "`TooFewAxes`."
    example "let x = Host.arange(0i32..6)?.reshape([2, 3])?;\nassert_eq!(x.view().t()?.to_vec()?, [0, 3, 1, 4, 2, 5]);"
    alias ("mT", "matrix_transpose")
    fn t();

    /// One axis moved to another place; the others keep their order.
    errors "`AxisOutOfRange`."
    example "let x = Host.zeros::<f32>([2, 3, 4])?;\nassert_eq!(x.view().move_axis(0, -1)?.shape(), [3, 4, 2]);"
    alias ("moveaxis", "movedim")
    fn move_axis(from: impl Axis, to: impl Axis);

    /// Parts of several axes at once, as written with [`s!`](crate::s).
    errors "`TooManyItems`, `SecondEllipsis`, `IndexOutOfRange`, `Zero` for a step of 0."
    example "let x = Host.arange(0i32..12)?.reshape([3, 4])?;\nassert_eq!(x.view().slice(s![1.., ..;2])?.to_vec()?, [4, 6, 8, 10]);"
    alias ("index", "i", "row_slice")
    fn slice(items: impl AsRef<[SliceItem]>);

    /// Part of one axis: a range, clamped as in Python, or an index, which drops the axis.
    errors "`AxisOutOfRange`, `IndexOutOfRange`, `Zero` for a step of 0."
    example "let x = Host.arange(0i32..12)?.reshape([3, 4])?;\nassert_eq!(x.view().slice_axis(0, -1..)?.to_vec()?, [8, 9, 10, 11]);"
    alias ("slice_each_axis")
    fn slice_axis(axis: impl Axis, range: impl Into<SliceItem>);

    /// `len` elements of one axis, from `start` on; nothing is clamped.
    errors "`AxisOutOfRange`, `RangeOutOfBounds`."
    example "let x = Host.zeros::<f32>([4, 8])?;\nlet refused = x.view().narrow(1, 3, 6).unwrap_err();\nlet why = \"narrow: range 3..9 is past the end of axis 1 (size 8) in shape [4, 8]\";\nassert_eq!(refused.to_string(), why);"
    alias ("slice_move")
    fn narrow(axis: impl Axis, start: usize, len: usize);

    /// Every `step`-th element of one axis; a negative step starts at the last one.
    errors "`AxisOutOfRange`, `Zero` for a step of 0."
    example "let x = Host.arange(0i32..6)?;\nassert_eq!(x.view().step(0, -2)?.to_vec()?, [5, 3, 1]);"
    alias ("step_by")
    fn step(axis: impl Axis, step: isize);

    /// One index of one axis, which goes away; a negative index counts from the end.
    errors "`AxisOutOfRange`, `IndexOutOfRange`."
    example "let x = Host.arange(0i32..12)?.reshape([3, 4])?;\nassert_eq!(x.view().select(1, 2)?.to_vec()?, [2, 6, 10]);"
    alias ("index_axis", "get", "row", "column")
    fn select(axis: impl Axis, index: isize);

    /// The axes named, read backwards.
    errors "`AxisOutOfRange`, `RepeatedAxis`."
    example "let x = Host.arange(0i32..4)?.reshape([2, 2])?;\nassert_eq!(x.view().flip([0, 1])?.to_vec()?, [3, 2, 1, 0]);"
    alias ("invert_axis", "flipud", "fliplr")
    fn flip(axes: impl IntoAxes);

    /// One axis of size 1 dropped.
    errors "`AxisOutOfRange`, `NotUnit`."
    example "let x = Host.zeros::<f32>([2, 1, 3])?;\nassert_eq!(x.view().squeeze(1)?.shape(), [2, 3]);"
    alias ("remove_axis")
    fn squeeze(axis: impl Axis);

    /// A new axis of size 1.
    errors "`AxisOutOfRange`."
    example "let x = Host.zeros::<f32>([2, 3])?;\nassert_eq!(x.view().unsqueeze(-1)?.shape(), [2, 3, 1]);"
    alias ("expand_dims", "insert_axis", "newaxis")
    fn unsqueeze(axis: impl Axis);

    /// Another shape for the same elements in row-major order, where strides can say that; one size may be -1. Never
    /// a copy: [`to_shape`](View::to_shape) copies where it must.
    errors "`Blocked` where only a copy would do, with the axes that block; `Numel`, `InferTwice`, `InferAmbiguous`, `InferIndivisible`, `NegativeSize`, `SizeOverflow`."
    example "let x = Host.arange(0i32..12)?.reshape([3, 4])?;\nassert_eq!(x.view().reshape([2, -1])?.shape(), [2, 6]);\nassert!(x.view().t()?.reshape(12).is_err());"
    alias ("view", "into_shape")
    fn reshape(target: impl IntoTarget);

    /// [`reshape`](View::reshape), counting the elements in the order given.
    errors "As [`reshape`](View::reshape)."
    example "let x = Host.arange(0i32..6)?.reshape([2, 3])?;\nlet v = x.view().t()?.reshape_in(6, Order::ColMajor)?;\nassert_eq!(v.to_vec()?, [0, 1, 2, 3, 4, 5]);"
    alias ("ravel")
    fn reshape_in(target: impl IntoTarget, order: Order);

    /// Axes `first..=last` as one axis.
    errors "`AxisOutOfRange`; `Blocked` where only a copy would do."
    example "let x = Host.zeros::<f32>([2, 3, 4])?;\nassert_eq!(x.view().flatten(1, -1)?.shape(), [2, 12]);"
    alias ("merge_axes")
    fn flatten(first: impl Axis, last: impl Axis);

    /// One axis as several; one size may be -1.
    errors "`AxisOutOfRange` and those of [`reshape`](View::reshape), but for `Blocked`."
    example "let x = Host.zeros::<f32>([2, 12])?;\nassert_eq!(x.view().unflatten(1, [3, -1])?.shape(), [2, 3, 4]);"
    alias ("split_axis")
    fn unflatten(axis: impl Axis, sizes: impl IntoTarget);

    /// The `k`-th diagonal of axes `a` and `b`, as the last axis of the result.
    errors "`AxisOutOfRange`, `RepeatedAxis`."
    example "let mut x = Host.zeros::<i32>([3, 3])?;\nx.view_mut().diagonal(0, 1, 0)?.fill(1)?;\nassert_eq!(x.to_vec()?, [1, 0, 0, 0, 1, 0, 0, 0, 1]);"
    alias ("diag")
    fn diagonal(a: impl Axis, b: impl Axis, k: isize);
}

impl<'a, T: Element, D: Device> View<'a, T, D> {
    /// The axes in reverse order.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.zeros::<f32>([2, 3, 4])?;
    /// assert_eq!(x.view().reverse_axes().shape(), [4, 3, 2]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("T", "reversed_axes"))]
    #[must_use]
    pub fn reverse_axes(&self) -> View<'a, T, D> {
        self.with_layout(self.layout.reverse_axes())
    }

    /// All axes of size 1 dropped.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.zeros::<f32>([1, 3, 1])?;
    /// assert_eq!(x.view().squeeze_all().shape(), [3]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[must_use]
    pub fn squeeze_all(&self) -> View<'a, T, D> {
        self.with_layout(self.layout.squeeze_all())
    }

    /// The shape given, reading elements again along new axes and axes of size 1. Only for reading: it does not
    /// exist on [`ViewMut`].
    ///
    /// # Errors
    ///
    /// `BroadcastRank`, `BroadcastSize`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..3)?;
    /// assert_eq!(x.view().broadcast_to([2, 3])?.to_vec()?, [0, 1, 2, 0, 1, 2]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("expand", "expand_as", "broadcast"))]
    #[inline]
    pub fn broadcast_to(&self, shape: impl IntoShape) -> Result<View<'a, T, D>> {
        Ok(self.with_layout(self.layout.broadcast_to(shape).in_shape(&self.layout)?))
    }

    /// Windows of `size` elements along one axis, as a new last axis; `step` elements apart, their elements
    /// `dilation` apart. Windows share elements, so this does not exist on [`ViewMut`].
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`, `Zero`, `WindowTooLarge`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..4)?;
    /// assert_eq!(x.view().windows(0, 3, 1, 1)?.to_vec()?, [0, 1, 2, 1, 2, 3]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[doc(alias("unfold", "sliding_window_view", "im2col"))]
    pub fn windows(&self, axis: impl Axis, size: usize, step: usize, dilation: usize) -> Result<View<'a, T, D>> {
        Ok(self.with_layout(self.layout.windows(axis, size, step, dilation).in_shape(&self.layout)?))
    }

    /// `0..mid` and `mid..size` of one axis.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`; `RangeOutOfBounds` where `mid` is past the end.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..4)?.reshape([2, 2])?;
    /// let (left, right) = x.view().split_at(1, 1)?;
    /// assert_eq!((left.to_vec()?, right.to_vec()?), (vec![0, 2], vec![1, 3]));
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    pub fn split_at(&self, axis: impl Axis, mid: usize) -> Result<(View<'a, T, D>, View<'a, T, D>)> {
        let (first, second) = self.layout.split_at(axis, mid).in_shape(&self.layout)?;
        Ok((self.with_layout(first), self.with_layout(second)))
    }
}

impl<'a, T: Element, D: Device> ViewMut<'a, T, D> {
    /// [`View::reverse_axes`] of a unique view.
    #[doc(alias("T", "reversed_axes"))]
    #[must_use]
    pub fn reverse_axes(self) -> ViewMut<'a, T, D> {
        ViewMut::unique(self.view.reverse_axes())
    }

    /// [`View::squeeze_all`] of a unique view.
    #[must_use]
    pub fn squeeze_all(self) -> ViewMut<'a, T, D> {
        ViewMut::unique(self.view.squeeze_all())
    }
}
