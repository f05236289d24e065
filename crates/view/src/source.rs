//! Where views come from: [`TensorView`] for tensors and [`ViewAs`] for everything that owns elements.

use weft_device::{Buffer, BufferRef, Device, Element, Host};
use weft_layout::Layout;
use weft_tensor::{Error, Result, Tensor};

use crate::view::{Extent, View};
use crate::view_mut::ViewMut;

/// The views of a tensor's data and of its gradient.
///
/// A trait, because `Tensor` comes from another crate; the [prelude](crate::prelude) brings it into scope. Each
/// method borrows the whole tensor, so reading one of the two while writing the other takes one of the pair methods.
pub trait TensorView<T: Element, D: Device> {
    /// The data, to read.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let x = Host.arange(0i32..6)?.reshape([2, 3])?;
    /// assert_eq!(x.view().t()?[[2, 1]], 5);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[must_use]
    fn view(&self) -> View<'_, T, D>;

    /// The data, to write. It cannot fail: a tensor's layout reaches each element once.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.zeros::<i32>([2, 2])?;
    /// x.view_mut().t()?[[0, 1]] = 100;
    /// assert_eq!(x[[1, 0]], 100);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    #[must_use]
    fn view_mut(&mut self) -> ViewMut<'_, T, D>;

    /// The gradient, to read.
    ///
    /// # Errors
    ///
    /// `NoGrad`.
    fn grad(&self) -> Result<View<'_, T, D>>;

    /// The gradient, to write.
    ///
    /// # Errors
    ///
    /// `NoGrad`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.zeros::<f32>([3])?;
    /// let upstream = Host.ones::<f32>([4, 3])?;
    /// x.grad_mut()?.accumulate(&upstream)?;
    /// assert_eq!(x.grad()?.to_vec()?, [4.0, 4.0, 4.0]);
    /// let refused = x.without_grad().grad_mut().unwrap_err();
    /// assert_eq!(refused.to_string(), "grad_mut: the tensor has no gradient");
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    fn grad_mut(&mut self) -> Result<ViewMut<'_, T, D>>;

    /// The data to read and the gradient to write: a backward pass.
    ///
    /// # Errors
    ///
    /// `NoGrad`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.tensor(&[1.0f32, 2.0], 2)?;
    /// let (data, mut grad) = x.data_and_grad_mut()?;
    /// grad.copy_from(&data)?;
    /// assert_eq!(x.grad()?.to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    fn data_and_grad_mut(&mut self) -> Result<(View<'_, T, D>, ViewMut<'_, T, D>)>;

    /// The data to write and the gradient to read: a step of an optimiser.
    ///
    /// # Errors
    ///
    /// `NoGrad`.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// let mut x = Host.tensor(&[5.0f32, 6.0], 2)?;
    /// x.grad_mut()?.fill(1.0)?;
    /// let (mut data, grad) = x.data_mut_and_grad()?;
    /// data.sub_assign(&grad)?;
    /// assert_eq!(x.to_vec()?, [4.0, 5.0]);
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    fn data_mut_and_grad(&mut self) -> Result<(ViewMut<'_, T, D>, View<'_, T, D>)>;
}

impl<T: Element, D: Device> TensorView<T, D> for Tensor<T, D> {
    fn view(&self) -> View<'_, T, D> {
        let (data, _, layout) = self.parts();
        dense(data, layout)
    }

    fn view_mut(&mut self) -> ViewMut<'_, T, D> {
        // V4: under the unique borrow of the tensor.
        let (data, _, layout) = self.parts_mut();
        ViewMut::unique(dense(data, layout))
    }

    fn grad(&self) -> Result<View<'_, T, D>> {
        let (_, grad, layout) = self.parts();
        Ok(dense(some("grad", grad)?, layout))
    }

    fn grad_mut(&mut self) -> Result<ViewMut<'_, T, D>> {
        let (_, grad, layout) = self.parts_mut();
        Ok(ViewMut::unique(dense(some("grad_mut", grad)?, layout)))
    }

    fn data_and_grad_mut(&mut self) -> Result<(View<'_, T, D>, ViewMut<'_, T, D>)> {
        // V4: data and gradient are two allocations.
        let (data, grad, layout) = self.parts_mut();
        let grad = some("data_and_grad_mut", grad)?;
        Ok((dense(data, layout), ViewMut::unique(dense(grad, layout))))
    }

    fn data_mut_and_grad(&mut self) -> Result<(ViewMut<'_, T, D>, View<'_, T, D>)> {
        let (data, grad, layout) = self.parts_mut();
        let grad = some("data_mut_and_grad", grad)?;
        Ok((ViewMut::unique(dense(data, layout)), dense(grad, layout)))
    }
}

/// V1 and V2 hold for a tensor's buffers under its layout by T1 and T2 of [`Tensor`].
fn dense<'a, T: Element, D: Device>(buffer: &'a Buffer<T, D>, layout: &Layout) -> View<'a, T, D> {
    View { buffer: buffer.borrowed(), layout: layout.clone(), extent: Extent::Whole }
}

fn some<'a, T: Element, D: Device>(op: &'static str, grad: Option<&'a Buffer<T, D>>) -> Result<&'a Buffer<T, D>> {
    grad.ok_or(Error::NoGrad { op })
}

/// Elements that are kept apart from the rule that reads them: a struct holds a tensor, a buffer or a vector, and a
/// [`Layout`].
///
/// ```
/// use weft_view::prelude::*;
/// let x = Host.arange(0i32..6)?;
/// let layout = Layout::row_major([2, 3])?.t()?;
/// assert_eq!(x.view_as(&layout)?.to_vec()?, [0, 3, 1, 4, 2, 5]);
/// assert_eq!([0u8, 1, 2, 3, 4, 5].view_as(&layout)?.to_vec()?, [0, 3, 1, 4, 2, 5]);
/// # Ok::<(), weft_view::Error>(())
/// ```
pub trait ViewAs<T: Element, D: Device> {
    /// The elements under `layout`, to read; of a tensor, its data. Offsets count from the start of the memory.
    ///
    /// # Errors
    ///
    /// `OutOfBuffer` where the layout reaches past the end.
    #[doc(alias = "as_strided")]
    fn view_as(&self, layout: &Layout) -> Result<View<'_, T, D>>;

    /// The elements under a layout that reaches each of them at most once, to write.
    ///
    /// # Errors
    ///
    /// `OutOfBuffer`; `Overlap` and `OverlapUnknown` as [`ViewMut::as_strided`].
    fn view_as_mut(&mut self, layout: &Layout) -> Result<ViewMut<'_, T, D>>;
}

impl<T: Element, D: Device> ViewAs<T, D> for Tensor<T, D> {
    fn view_as(&self, layout: &Layout) -> Result<View<'_, T, D>> {
        View::over(self.parts().0.borrowed(), layout.clone())
    }

    fn view_as_mut(&mut self, layout: &Layout) -> Result<ViewMut<'_, T, D>> {
        ViewMut::over(self.parts_mut().0.borrowed(), layout.clone())
    }
}

impl<T: Element, D: Device> ViewAs<T, D> for Buffer<T, D> {
    fn view_as(&self, layout: &Layout) -> Result<View<'_, T, D>> {
        View::over(self.borrowed(), layout.clone())
    }

    fn view_as_mut(&mut self, layout: &Layout) -> Result<ViewMut<'_, T, D>> {
        // V4: under the unique borrow of the buffer.
        ViewMut::over(self.borrowed(), layout.clone())
    }
}

impl<T: Element> ViewAs<T, Host> for [T] {
    fn view_as(&self, layout: &Layout) -> Result<View<'_, T, Host>> {
        View::over(BufferRef::from_slice(self), layout.clone())
    }

    fn view_as_mut(&mut self, layout: &Layout) -> Result<ViewMut<'_, T, Host>> {
        ViewMut::over(BufferRef::from_mut_slice(self), layout.clone())
    }
}
