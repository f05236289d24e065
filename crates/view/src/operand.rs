//! [`AsView`]: what an operand may be.

use weft_device::{Device, Element};
use weft_tensor::Tensor;

use crate::source::TensorView;
use crate::view::View;
use crate::view_mut::ViewMut;

/// Something that can be read as a view: [`Tensor`], [`View`], [`ViewMut`], [`MaybeOwned`](crate::MaybeOwned), and
/// references to them.
///
/// ```
/// use weft_view::prelude::*;
/// let (x, y) = (Host.arange(0i32..3)?, Host.ones::<i32>([3])?);
/// let (a, b) = (x.view().try_add(&y)?, x.view().try_add(y.view())?);
/// assert_eq!((a.to_vec()?, b.to_vec()?), (vec![1, 2, 3], vec![1, 2, 3]));
/// # Ok::<(), weft_view::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tensor or view of `{T}` on `{D}`",
    label = "an operand of another element type or on another device",
    note = "`x.to_device(&dev)?` moves a tensor between devices",
    note = "`x.view().to_dtype::<T>()?` converts the elements"
)]
pub trait AsView<T: Element, D: Device> {
    /// The elements, to read.
    fn as_view(&self) -> View<'_, T, D>;
}

impl<T: Element, D: Device> AsView<T, D> for Tensor<T, D> {
    fn as_view(&self) -> View<'_, T, D> {
        self.view()
    }
}

impl<T: Element, D: Device> AsView<T, D> for View<'_, T, D> {
    fn as_view(&self) -> View<'_, T, D> {
        self.clone()
    }
}

impl<T: Element, D: Device> AsView<T, D> for ViewMut<'_, T, D> {
    fn as_view(&self) -> View<'_, T, D> {
        self.view.clone()
    }
}

impl<T: Element, D: Device, V: AsView<T, D> + ?Sized> AsView<T, D> for &V {
    fn as_view(&self) -> View<'_, T, D> {
        (**self).as_view()
    }
}

impl<T: Element, D: Device, V: AsView<T, D> + ?Sized> AsView<T, D> for &mut V {
    fn as_view(&self) -> View<'_, T, D> {
        (**self).as_view()
    }
}
