//! [`MaybeOwned`]: a view where one was possible, a copy otherwise.

use weft_device::{Device, Element, Host};
use weft_tensor::{Result, Tensor};

use crate::operand::AsView;
use crate::source::TensorView;
use crate::view::View;

/// What [`View::to_shape`] and [`View::to_contiguous_cow`] give: the elements that were there, or a copy of them.
///
/// ```
/// use weft_view::prelude::*;
/// let x = Host.arange(0i32..6)?.reshape([2, 3])?;
/// match x.view().t()?.to_shape(6)? {
///     MaybeOwned::View(_) => unreachable!("the transpose has no strides for this"),
///     MaybeOwned::Tensor(copy) => assert_eq!(copy.to_vec()?, [0, 3, 1, 4, 2, 5]),
/// }
/// # Ok::<(), weft_view::Error>(())
/// ```
#[derive(Debug)]
#[doc(alias("Cow", "CowArray"))]
pub enum MaybeOwned<'a, T: Element, D: Device = Host> {
    /// No byte was copied.
    View(View<'a, T, D>),
    /// A copy, row-major and without a gradient.
    Tensor(Tensor<T, D>),
}

impl<T: Element, D: Device> MaybeOwned<'_, T, D> {
    /// Whether nothing was copied.
    #[must_use]
    #[doc(alias = "is_borrowed")]
    pub fn is_view(&self) -> bool {
        matches!(self, MaybeOwned::View(_))
    }

    /// The elements, to read.
    #[must_use]
    pub fn as_view(&self) -> View<'_, T, D> {
        match self {
            MaybeOwned::View(view) => view.clone(),
            MaybeOwned::Tensor(tensor) => tensor.view(),
        }
    }

    /// The copy; copies the view now where there is none yet.
    ///
    /// # Errors
    ///
    /// `OutOfMemory`.
    #[doc(alias = "into_owned")]
    pub fn try_into_tensor(self) -> Result<Tensor<T, D>> {
        match self {
            MaybeOwned::View(view) => view.to_contiguous(),
            MaybeOwned::Tensor(tensor) => Ok(tensor),
        }
    }
}

impl<T: Element, D: Device> AsView<T, D> for MaybeOwned<'_, T, D> {
    fn as_view(&self) -> View<'_, T, D> {
        self.as_view()
    }
}
