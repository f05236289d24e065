//! Elements of tensors on the host: by coordinate, or all of them as a slice.

use core::ops::{Index, IndexMut};

use weft_device::{Element, Host};

use crate::tensor::Tensor;

impl<T: Element> Tensor<T, Host> {
    /// The element at `index`, or `None` where there is none: a coordinate too large, or not one for each axis.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.arange(0..6)?.reshape([2, 3])?;
    /// assert_eq!((x.get(&[1, 2]), x.get(&[2, 0]), x.get(&[0])), (Some(&5), None, None));
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self, index: &[usize]) -> Option<&T> {
        // T2: every offset of the layout is one of the buffer.
        self.data.as_slice().get(self.layout.offset_of(index).ok()?)
    }

    /// The element at `index`, to change, or `None` where there is none.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let mut x = Host.zeros::<i32>([2, 2])?;
    /// if let Some(element) = x.get_mut(&[0, 1]) {
    ///     *element = 5;
    /// }
    /// assert_eq!(x.to_vec()?, [0, 5, 0, 0]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[must_use]
    pub fn get_mut(&mut self, index: &[usize]) -> Option<&mut T> {
        let offset = self.layout.offset_of(index).ok()?;
        self.data.as_mut_slice().get_mut(offset)
    }

    /// All elements as they lie in memory: in row-major order only where the layout is.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// assert_eq!(Host.arange(0..4)?.as_slice(), [0, 1, 2, 3]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[must_use]
    #[doc(alias = "as_slice_memory_order")]
    pub fn as_slice(&self) -> &[T] {
        self.data.as_slice()
    }

    /// All elements as they lie in memory, to change.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let mut x = Host.arange(0..4)?;
    /// x.as_mut_slice().reverse();
    /// assert_eq!(x.to_vec()?, [3, 2, 1, 0]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[must_use]
    #[doc(alias = "as_slice_memory_order_mut")]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.data.as_mut_slice()
    }

    /// Elements in row-major order of their coordinates.
    pub(crate) fn elements(&self) -> impl ExactSizeIterator<Item = &T> {
        let memory = self.data.as_slice();
        // T2: every offset of the layout is one of the buffer.
        self.layout.offsets().map(move |offset| &memory[offset])
    }
}

/// `x[[1, 2]]`. [`get`](Tensor::get) does not panic.
///
/// # Panics
///
/// Where there is no such element.
impl<T: Element, const N: usize> Index<[usize; N]> for Tensor<T, Host> {
    type Output = T;

    #[inline]
    fn index(&self, index: [usize; N]) -> &T {
        match self.get(&index) {
            Some(element) => element,
            None => out_of_range(&index, self.shape()),
        }
    }
}

/// `x[[1, 2]] = 5`. [`get_mut`](Tensor::get_mut) does not panic.
///
/// # Panics
///
/// Where there is no such element.
impl<T: Element, const N: usize> IndexMut<[usize; N]> for Tensor<T, Host> {
    #[inline]
    fn index_mut(&mut self, index: [usize; N]) -> &mut T {
        match self.layout.offset_of(&index) {
            Ok(offset) => &mut self.data.as_mut_slice()[offset],
            Err(_) => out_of_range(&index, self.shape()),
        }
    }
}

#[cold]
#[inline(never)]
fn out_of_range(index: &[usize], shape: &[usize]) -> ! {
    panic!("index: there is no element {index:?} in shape {shape:?}")
}

/// The same shape, and equal elements at equal coordinates. The order in memory and the gradient do not matter.
///
/// ```
/// use weft_device::Host;
/// use weft_tensor::Factory;
/// let x = Host.arange(0..6)?.reshape([2, 3])?;
/// assert!(x == x.try_clone()?.into_order([1, 0])?);
/// assert!(x != Host.arange(0..6)?);
/// # Ok::<(), weft_tensor::Error>(())
/// ```
impl<T: Element> PartialEq for Tensor<T, Host> {
    fn eq(&self, other: &Tensor<T, Host>) -> bool {
        self.shape() == other.shape() && self.elements().eq(other.elements())
    }
}
