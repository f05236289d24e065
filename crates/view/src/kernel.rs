//! Views as parameters of kernels of the user's own.

use weft_device::{Cuda, Element, KernelView};
use weft_tensor::Result;

use crate::{View, ViewMut};

impl<'a, T: Element> View<'a, T, Cuda> {
    /// The view as a kernel takes it: an address, sizes and strides, by value. Nothing is copied.
    ///
    /// # Errors
    ///
    /// `TooManyAxes`: more than 8.
    ///
    /// ```
    /// use weft_view::prelude::*;
    /// if let Ok(gpu) = Cuda::new(0) {
    ///     let x = gpu.arange(0.0f32..12.0)?.reshape([3, 4])?;
    ///     let argument = x.view().t()?.kernel_view()?; // columns as rows; the kernel does not notice
    ///     println!("{argument:?}");
    /// }
    /// # Ok::<(), weft_view::Error>(())
    /// ```
    pub fn kernel_view(&self) -> Result<KernelView<'a>> {
        Ok(KernelView::new(self.buffer, &self.layout)?)
    }
}

impl<T: Element> ViewMut<'_, T, Cuda> {
    /// The view as a kernel that writes takes it. No other view of these elements exists while the result does.
    ///
    /// # Errors
    ///
    /// `TooManyAxes`: more than 8.
    pub fn kernel_view(&mut self) -> Result<KernelView<'_>> {
        Ok(KernelView::new(self.view.buffer, &self.view.layout)?)
    }
}
