//! [`Factory`]: every device makes tensors, by the same names.

use core::ops::Range;

use weft_device::{Device, Element, Real};
use weft_layout::IntoShape;

use crate::error::{Refused, Result};
use crate::options::TensorOptions;
use crate::tensor::Tensor;

/// The constructors of tensors, on the device that is to hold them: `dev.zeros::<f32>([2, 3])?` reads the same for all.
///
/// Each allocates the data and a zeroed gradient: two allocations, none where there are no elements. Tensors are row-major;
/// [`options`](Factory::options) says otherwise, and leaves out the gradient where none is wanted. Every device has this trait.
///
/// ```
/// use weft_device::{Device, Host};
/// use weft_tensor::{Factory, Result, Tensor};
///
/// fn board<D: Device>(dev: &D) -> Result<Tensor<f32, D>> {
///     dev.full([8, 8], 0.5)
/// }
/// assert_eq!(board(&Host)?.numel(), 64);
/// # Ok::<(), weft_tensor::Error>(())
/// ```
#[expect(
    clippy::wrong_self_convention,
    reason = "`from_slice` and `from_vec` are the names people look for; `self` says where"
)]
pub trait Factory: Device {
    /// Starts the explicit form: another order of axes in memory, no gradient.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.options().col_major().without_grad().ones::<f32>([2, 3])?;
    /// assert_eq!((x.strides(), x.has_grad()), (&[1, 2][..], false));
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    fn options(&self) -> TensorOptions<'_, Self> {
        TensorOptions::new(self)
    }

    /// Zeros.
    ///
    /// # Errors
    ///
    /// `Layout` where the shape has too many elements; `Device` where the device has no room for them.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.zeros::<f32>([2, 3])?;
    /// assert_eq!(x.to_vec()?, [0.0; 6]);
    /// let refused = Host.zeros::<f32>([1 << 40, 1 << 40]).unwrap_err();
    /// let text = "row_major: the product of the sizes passes 9223372036854775807 at axis 1 (size 1099511627776) \
    ///     in shape [1099511627776, 1099511627776]";
    /// assert_eq!(refused.to_string(), text);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    fn zeros<T: Element>(&self, shape: impl IntoShape) -> Result<Tensor<T, Self>> {
        self.options().zeros(shape)
    }

    /// Ones.
    ///
    /// # Errors
    ///
    /// As [`zeros`](Factory::zeros).
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// assert_eq!(Host.ones::<i32>(3)?.to_vec()?, [1, 1, 1]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    fn ones<T: Element>(&self, shape: impl IntoShape) -> Result<Tensor<T, Self>> {
        self.options().ones(shape)
    }

    /// `value` everywhere.
    ///
    /// # Errors
    ///
    /// As [`zeros`](Factory::zeros).
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// assert_eq!(Host.full([2, 2], 7u8)?.to_vec()?, [7; 4]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    fn full<T: Element>(&self, shape: impl IntoShape, value: T) -> Result<Tensor<T, Self>> {
        self.options().full(shape, value)
    }

    /// `start, start + 1, ..` up to but without `stop`: `ceil(stop - start)` elements, none where `stop` is not above `start`.
    ///
    /// Element `i` is `start + i`, rounded once to the type; errors do not add up along the way. The length of a float range
    /// takes the difference in the type itself, as NumPy does, so that `0.1f32..1.1` has one element. Where floats lie further
    /// apart than 1, rounding repeats some and may reach `stop`.
    ///
    /// # Errors
    ///
    /// `Endless` where the length is no finite number; `Layout`, `Device` as [`zeros`](Factory::zeros).
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// assert_eq!(Host.arange(0.0f32..3.5)?.to_vec()?, [0.0, 1.0, 2.0, 3.0]);
    /// assert_eq!(Host.arange(-2i8..2)?.to_vec()?, [-2, -1, 0, 1]);
    /// let refused = Host.arange(0.0..f64::INFINITY).unwrap_err();
    /// assert_eq!(refused.to_string(), "arange: the range 0.0..inf has no finite length");
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[doc(alias("range", "iota"))]
    fn arange<T: Real>(&self, range: Range<T>) -> Result<Tensor<T, Self>> {
        self.options().arange(range)
    }

    /// `n` points from `start` to `stop`, both included and exact, evenly spaced; `start` alone where `n` is 1.
    ///
    /// Points are computed in `f64` and rounded once as Rust's `as` rounds: integers truncate.
    ///
    /// # Errors
    ///
    /// `Layout`, `Device` as [`zeros`](Factory::zeros).
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// assert_eq!(Host.linspace(0.0f32, 1.0, 5)?.to_vec()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    fn linspace<T: Real>(&self, start: T, stop: T, n: usize) -> Result<Tensor<T, Self>> {
        self.options().linspace(start, stop, n)
    }

    /// The identity matrix of `n` rows and columns.
    ///
    /// # Errors
    ///
    /// As [`zeros`](Factory::zeros).
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// assert_eq!(Host.eye::<i32>(2)?.to_string(), "[[1 0]\n [0 1]]");
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[doc(alias = "identity")]
    fn eye<T: Element>(&self, n: usize) -> Result<Tensor<T, Self>> {
        self.options().eye(n)
    }

    /// A copy of `values`, in row-major order.
    ///
    /// # Errors
    ///
    /// `Length` where there are not as many values as elements; as [`zeros`](Factory::zeros).
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.tensor(&[1.0f32, 2.0, 3.0, 4.0], [2, 2])?;
    /// assert_eq!(x[[1, 0]], 3.0);
    /// let refused = Host.tensor(&[1.0f32, 2.0], [2, 2]).unwrap_err();
    /// assert_eq!(refused.to_string(), "tensor: 2 values for the 4 elements of shape [2, 2]");
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    #[doc(alias("array", "new"))]
    fn tensor<T: Element>(&self, values: &[T], shape: impl IntoShape) -> Result<Tensor<T, Self>> {
        self.options().tensor(values, shape)
    }

    /// The same as [`tensor`](Factory::tensor), named as its neighbour [`from_vec`](Factory::from_vec).
    ///
    /// # Errors
    ///
    /// As [`tensor`](Factory::tensor).
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let values: Vec<i64> = (0..6).collect();
    /// assert_eq!(Host.from_slice(&values[2..], [2, 2])?.to_vec()?, [2, 3, 4, 5]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    fn from_slice<T: Element>(&self, values: &[T], shape: impl IntoShape) -> Result<Tensor<T, Self>> {
        self.options().from_slice(values, shape)
    }

    /// The values of a vector, in row-major order. They are copied, because device memory is aligned otherwise than a vector's.
    ///
    /// # Errors
    ///
    /// As [`tensor`](Factory::tensor); the vector comes back.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// assert_eq!(Host.from_vec(vec![1u8, 2, 3], 3)?.to_vec()?, [1, 2, 3]);
    /// let refused = Host.from_vec(vec![1u8, 2, 3], 4).unwrap_err();
    /// assert_eq!(refused.value, [1, 2, 3]);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    fn from_vec<T: Element>(&self, values: Vec<T>, shape: impl IntoShape) -> Result<Tensor<T, Self>, Refused<Vec<T>>> {
        self.options().from_vec(values, shape)
    }

    /// Zeros in the shape and order of `like`, and with a gradient where it has one. `like` may be on another device.
    ///
    /// # Errors
    ///
    /// `Device` where the device has no room.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.options().col_major().ones::<f32>([2, 3])?;
    /// let zeros = Host.zeros_like(&x)?;
    /// assert_eq!((zeros.layout(), zeros.to_vec()?), (x.layout(), vec![0.0; 6]));
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    fn zeros_like<T: Element, E: Device>(&self, like: &Tensor<T, E>) -> Result<Tensor<T, Self>> {
        TensorOptions::like(self, like).zeros_over(like.layout().clone())
    }

    /// Ones in the shape and order of `like`, and with a gradient where it has one. `like` may be on another device.
    ///
    /// # Errors
    ///
    /// `Device` where the device has no room.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.zeros::<f32>([2, 2])?.without_grad();
    /// let ones = Host.ones_like(&x)?;
    /// assert_eq!((ones.to_vec()?, ones.has_grad()), (vec![1.0; 4], false));
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    fn ones_like<T: Element, E: Device>(&self, like: &Tensor<T, E>) -> Result<Tensor<T, Self>> {
        self.full_like(like, T::ONE)
    }

    /// `value` in the shape and order of `like`, and with a gradient where it has one. `like` may be on another device.
    ///
    /// # Errors
    ///
    /// `Device` where the device has no room.
    ///
    /// ```
    /// use weft_device::Host;
    /// use weft_tensor::Factory;
    /// let x = Host.zeros::<u16>([2, 2])?;
    /// assert_eq!(Host.full_like(&x, 9)?.to_vec()?, [9; 4]);
    /// # Ok::<(), weft_tensor::Error>(())
    /// ```
    fn full_like<T: Element, E: Device>(&self, like: &Tensor<T, E>, value: T) -> Result<Tensor<T, Self>> {
        TensorOptions::like(self, like).full_over(like.layout().clone(), value)
    }
}

impl<D: Device> Factory for D {}
