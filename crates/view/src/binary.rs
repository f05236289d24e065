//! Elementwise operations on two operands, broadcast against each other: into a new tensor, in place, or into a
//! destination.

use weft_device::{BinaryOp, Device, Element, ops};
use weft_layout::{Layout, Plan, broadcast_shapes};
use weft_tensor::{Result, Tensor};

use crate::operand::AsView;
use crate::read::written;
use crate::view::View;
use crate::view_mut::ViewMut;

impl<T: Element, D: Device> View<'_, T, D> {
    fn try_binary(&self, op: BinaryOp, rhs: &View<'_, T, D>) -> Result<Tensor<T, D>> {
        let shape = broadcast_shapes(&[self.shape(), rhs.shape()])?;
        let (a, b) = (self.broadcast_to(&*shape)?, rhs.broadcast_to(&*shape)?);
        // SAFETY: row-major; the plan reaches every element of the destination.
        unsafe {
            written(self.device(), Layout::row_major(&*shape)?, |layout, dst| {
                let plan = Plan::new([layout, &a.layout, &b.layout])?;
                // SAFETY: D5: the destination is new; V4 for the sources.
                ops::binary(op, &plan, dst, a.buffer, b.buffer)?;
                Ok(())
            })
        }
    }

    fn binary_into(&self, op: BinaryOp, rhs: &View<'_, T, D>, dst: &mut ViewMut<'_, T, D>) -> Result<()> {
        let (a, b) = (self.broadcast_to(dst.shape())?, rhs.broadcast_to(dst.shape())?);
        let plan = Plan::new([&dst.view.layout, &a.layout, &b.layout])?;
        // SAFETY: D5 by V2 and V4: each element of the destination is reached once and is ours alone; the sources are
        // borrowed beside this unique borrow, so they read none of them.
        unsafe { ops::binary(op, &plan, dst.view.buffer, a.buffer, b.buffer)? };
        Ok(())
    }
}

impl<T: Element, D: Device> ViewMut<'_, T, D> {
    fn assign(&mut self, op: BinaryOp, rhs: &View<'_, T, D>) -> Result<()> {
        let rhs = rhs.broadcast_to(self.shape())?;
        let plan = Plan::new([&self.view.layout, &self.view.layout, &rhs.layout])?;
        // SAFETY: D5 by V2 and V4: the destination is read by the step that writes it, under the same layout; `rhs` is
        // borrowed beside this unique borrow, so it reads none of it.
        unsafe { ops::binary(op, &plan, self.view.buffer, self.view.buffer, rhs.buffer)? };
        Ok(())
    }
}

/// Writes out the three forms of each operation.
macro_rules! elementwise {
    ($(
        $op:ident $sign:literal, $errors:literal,
        $try:ident $try_example:literal alias ($($alias:literal),*),
        $assign:ident $assign_example:literal,
        $into:ident $into_example:literal;
    )*) => {
        impl<T: Element, D: Device> View<'_, T, D> {$(
            #[doc = concat!("A new tensor: ", $sign, ", element by element, both broadcast to their common shape.")]
            ///
            /// The result is row-major and has no gradient. The arithmetic is that of
            #[doc = concat!("[`BinaryOp::", stringify!($op), "`].")]
            ///
            /// # Errors
            ///
            #[doc = concat!("`BroadcastShapes`; `DeviceMismatch`; `OutOfMemory`", $errors, ".")]
            ///
            /// ```
            /// use weft_view::prelude::*;
            #[doc = $try_example]
            /// # Ok::<(), weft_view::Error>(())
            /// ```
            $(#[doc(alias = $alias)])*
            pub fn $try(&self, rhs: impl AsView<T, D>) -> Result<Tensor<T, D>> {
                self.try_binary(BinaryOp::$op, &rhs.as_view())
            }

            #[doc = concat!("[`", stringify!($try), "`](View::", stringify!($try), ") into a destination, to whose shape both are broadcast.")]
            ///
            /// # Errors
            ///
            #[doc = concat!("`BroadcastRank`, `BroadcastSize`; `DeviceMismatch`", $errors, ". Nothing is written then.")]
            ///
            /// ```
            /// use weft_view::prelude::*;
            #[doc = $into_example]
            /// # Ok::<(), weft_view::Error>(())
            /// ```
            pub fn $into(&self, rhs: impl AsView<T, D>, dst: &mut ViewMut<'_, T, D>) -> Result<()> {
                self.binary_into(BinaryOp::$op, &rhs.as_view(), dst)
            }
        )*}

        impl<T: Element, D: Device> ViewMut<'_, T, D> {$(
            #[doc = concat!("In place: [`", stringify!($try), "`](View::", stringify!($try), ") of this and `rhs`, which is broadcast to this shape.")]
            ///
            /// # Errors
            ///
            #[doc = concat!("`BroadcastRank`, `BroadcastSize`; `DeviceMismatch`", $errors, ". Nothing is written then.")]
            ///
            /// ```
            /// use weft_view::prelude::*;
            #[doc = $assign_example]
            /// # Ok::<(), weft_view::Error>(())
            /// ```
            pub fn $assign(&mut self, rhs: impl AsView<T, D>) -> Result<()> {
                self.assign(BinaryOp::$op, &rhs.as_view())
            }
        )*}
    };
}

elementwise! {
    Add "`self + rhs`", "",
    try_add "let (x, y) = (Host.tensor(&[1, 2], [2, 1])?, Host.tensor(&[10, 20], 2)?);\nassert_eq!(x.view().try_add(&y)?.to_vec()?, [11, 21, 12, 22]);" alias ("add", "+"),
    add_assign "let mut x = Host.tensor(&[1, 2], 2)?;\nx.view_mut().add_assign(Host.tensor(&[10], 1)?)?;\nassert_eq!(x.to_vec()?, [11, 12]);",
    add_into "let (x, mut y) = (Host.tensor(&[1, 2], 2)?, Host.zeros::<i32>([2, 2])?);\nx.view().add_into(&x, &mut y.view_mut().t()?)?;\nassert_eq!(y.to_vec()?, [2, 2, 4, 4]);";

    Sub "`self - rhs`", "",
    try_sub "let x = Host.tensor(&[5u8, 6], 2)?;\nassert_eq!(x.view().try_sub(x.view().flip([0])?)?.to_vec()?, [255, 1]);" alias ("sub", "subtract"),
    sub_assign "let (mut w, g) = (Host.tensor(&[5.0f32, 6.0], 2)?, Host.ones::<f32>([2])?);\nw.view_mut().sub_assign(&g)?;\nassert_eq!(w.to_vec()?, [4.0, 5.0]);",
    sub_into "let (x, mut y) = (Host.tensor(&[5, 6], 2)?, Host.zeros::<i32>([2])?);\nx.view().sub_into(&x, &mut y.view_mut())?;\nassert_eq!(y.to_vec()?, [0, 0]);";

    Mul "`self * rhs`", "",
    try_mul "let x = Host.tensor(&[2, 3], 2)?;\nassert_eq!(x.view().try_mul(x.view().unsqueeze(1)?)?.to_vec()?, [4, 6, 6, 9]);" alias ("mul", "multiply", "hadamard"),
    mul_assign "let mut x = Host.tensor(&[2, 3], 2)?;\nx.view_mut().mul_assign(Host.tensor(&[10], 1)?)?;\nassert_eq!(x.to_vec()?, [20, 30]);",
    mul_into "let (x, mut y) = (Host.tensor(&[2, 3], 2)?, Host.zeros::<i32>([2])?);\nx.view().mul_into(&x, &mut y.view_mut())?;\nassert_eq!(y.to_vec()?, [4, 9]);";

    Div "`self / rhs`", "; of integers `DivisionByZero` and `DivisionOverflow`",
    try_div "let x = Host.tensor(&[7, -7], 2)?;\nassert_eq!(x.view().try_div(Host.tensor(&[2], 1)?)?.to_vec()?, [3, -3]);\nlet refused = x.view().try_div(Host.tensor(&[1, 0], 2)?).unwrap_err();\nassert_eq!(refused.to_string(), \"div: the divisor at offset 1 is zero\");" alias ("div", "divide"),
    div_assign "let mut x = Host.tensor(&[1.0f32, 3.0], 2)?;\nx.view_mut().div_assign(Host.tensor(&[2.0], 1)?)?;\nassert_eq!(x.to_vec()?, [0.5, 1.5]);",
    div_into "let (x, mut y) = (Host.tensor(&[2, 3], 2)?, Host.zeros::<i32>([2])?);\nx.view().div_into(&x, &mut y.view_mut())?;\nassert_eq!(y.to_vec()?, [1, 1]);";

    Max "the greater of `self` and `rhs`", "; of complex numbers and lanes `NotOrdered`",
    try_maximum "let x = Host.tensor(&[1.0f32, f32::NAN, 3.0], 3)?;\nlet y = x.view().try_maximum(Host.tensor(&[2.0], 1)?)?.to_vec()?;\nassert!(y[0] == 2.0 && y[1].is_nan() && y[2] == 3.0);" alias ("maximum", "max"),
    maximum_assign "let mut x = Host.tensor(&[-1, 3], 2)?;\nx.view_mut().maximum_assign(Host.tensor(&[0], 1)?)?;\nassert_eq!(x.to_vec()?, [0, 3]);",
    maximum_into "let (x, mut y) = (Host.tensor(&[-1, 3], 2)?, Host.zeros::<i32>([2])?);\nx.view().maximum_into(Host.tensor(&[0], 1)?, &mut y.view_mut())?;\nassert_eq!(y.to_vec()?, [0, 3]);";

    Min "the lesser of `self` and `rhs`", "; of complex numbers and lanes `NotOrdered`",
    try_minimum "let x = Host.tensor(&[1, 2, 3], 3)?;\nassert_eq!(x.view().try_minimum(Host.tensor(&[2], 1)?)?.to_vec()?, [1, 2, 2]);" alias ("minimum", "min"),
    minimum_assign "let mut x = Host.tensor(&[1, 9], 2)?;\nx.view_mut().minimum_assign(Host.tensor(&[5], 1)?)?;\nassert_eq!(x.to_vec()?, [1, 5]);",
    minimum_into "let (x, mut y) = (Host.tensor(&[1, 9], 2)?, Host.zeros::<i32>([2])?);\nx.view().minimum_into(Host.tensor(&[5], 1)?, &mut y.view_mut())?;\nassert_eq!(y.to_vec()?, [1, 5]);";
}
