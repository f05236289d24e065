//! The one error of tensors and views, [`Error`], and [`Refused`], which gives back what a refused call was handed.
//!
//! The grammar of every text is `op: what is wrong, with every number`, in lower case and without a full stop. What
//! `weft-layout` refuses gets the shape added here, because here it is known.

use core::fmt;

use weft_device::DeviceError;
use weft_layout::{Layout, LayoutError, Shape};

/// A shorthand for results of tensors and views.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why an operation on a tensor or a view was refused.
///
/// A call that fails has changed nothing; one that consumes its argument gives it back in a [`Refused`].
///
/// ```
/// use weft_device::Host;
/// use weft_tensor::{Error, Factory};
/// let refused = Host.zeros::<f32>([2, 3])?.reshape([4]).unwrap_err();
/// assert_eq!(refused.to_string(), "reshape: 6 elements do not make a shape of 4 in shape [2, 3]");
/// assert!(matches!(refused.error, Error::Layout { .. }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The shape and strides do not allow it.
    Layout {
        /// What `weft-layout` said.
        error: LayoutError,
        /// The shape it was asked of, where there was one.
        shape: Option<Shape>,
    },
    /// The device or its memory do not allow it.
    Device(DeviceError),
    /// The gradient of a tensor that has none was asked for.
    NoGrad {
        /// The operation that needs it.
        op: &'static str,
    },
    /// As many values as elements were needed.
    Length {
        /// The operation.
        op: &'static str,
        /// How many values were given.
        given: usize,
        /// The shape they were given for.
        shape: Shape,
    },
    /// Exactly one element was needed.
    NotOneElement {
        /// The operation.
        op: &'static str,
        /// The shape there is.
        shape: Shape,
    },
    /// The strides do not read each element of a buffer exactly once, from its first on.
    NotDense {
        /// The operation.
        op: &'static str,
        /// The shape.
        shape: Shape,
    },
    /// A range without a finite number of steps.
    Endless {
        /// The operation.
        op: &'static str,
        /// Where the range starts.
        start: f64,
        /// Where it stops.
        stop: f64,
    },
    /// A view that is a piece of a split was asked for elements around it.
    Piece {
        /// The operation.
        op: &'static str,
    },
    /// A plan that was made from another view.
    OtherPlan {
        /// The operation.
        op: &'static str,
        /// The shape of the view that was asked to run it.
        shape: Shape,
    },
}

impl Error {
    /// What `weft-layout` refused, with the shape it was asked of.
    #[doc(hidden)]
    #[cold]
    #[must_use]
    pub fn in_shape(error: LayoutError, shape: &[usize]) -> Error {
        Error::Layout { error, shape: Some(Shape::from_slice(shape)) }
    }
}

impl core::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Layout { error, shape: Some(shape) } => write!(f, "{error} in shape {shape:?}"),
            Error::Layout { error, shape: None } => error.fmt(f),
            Error::Device(error) => error.fmt(f),
            Error::NoGrad { op } => write!(f, "{op}: the tensor has no gradient"),
            Error::Length { op, given, shape } => {
                let numel: usize = shape.iter().product();
                write!(f, "{op}: {given} values for the {numel} elements of shape {shape:?}")
            }
            Error::NotOneElement { op, shape } => {
                let numel: usize = shape.iter().product();
                write!(f, "{op}: needs exactly one element, there are {numel} in shape {shape:?}")
            }
            Error::NotDense { op, shape } => {
                write!(f, "{op}: the strides do not read each element of a buffer once in shape {shape:?}")
            }
            Error::Endless { op, start, stop } => {
                write!(f, "{op}: the range {start:?}..{stop:?} has no finite length")
            }
            Error::Piece { op } => {
                write!(f, "{op}: the view is a piece of a split, the elements around it belong to others")
            }
            Error::OtherPlan { op, shape } => {
                write!(f, "{op}: the plan was made from another view, not from this one of shape {shape:?}")
            }
        }
    }
}

impl From<LayoutError> for Error {
    fn from(error: LayoutError) -> Error {
        Error::Layout { error, shape: None }
    }
}

impl From<DeviceError> for Error {
    fn from(error: DeviceError) -> Error {
        Error::Device(error)
    }
}

impl<T> From<Refused<T>> for Error {
    fn from(refused: Refused<T>) -> Error {
        refused.error
    }
}

/// Adds the shape to what `weft-layout` refused: `layout.permute(axes).in_shape(&layout)?`.
#[doc(hidden)]
pub trait InShape<T> {
    /// The same result, whose error tells the shape of `layout`.
    fn in_shape(self, layout: &Layout) -> Result<T>;
}

impl<T> InShape<T> for Result<T, LayoutError> {
    #[inline]
    fn in_shape(self, layout: &Layout) -> Result<T> {
        self.map_err(|error| Error::in_shape(error, layout.shape()))
    }
}

/// A refusal of a call that consumes its argument: the reason, and the argument, untouched.
///
/// `?` drops the argument and turns the reason into an [`Error`], or the whole into a `Box<dyn Error + Send + Sync>`.
///
/// ```
/// use weft_device::Host;
/// use weft_tensor::Factory;
/// let x = Host.arange(0i32..6)?;
/// let x = match x.reshape([4, 2]) {
///     Ok(_) => unreachable!("6 elements"),
///     Err(refused) => refused.value,
/// };
/// assert_eq!(x.to_vec()?, [0, 1, 2, 3, 4, 5]);
/// # Ok::<(), weft_tensor::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Refused<T> {
    /// Why.
    pub error: Error,
    /// What the call was handed.
    pub value: T,
}

impl<T> Refused<T> {
    /// `value`, handed back because of `error`.
    #[cold]
    pub(crate) fn new(error: impl Into<Error>, value: T) -> Refused<T> {
        Refused { error: error.into(), value }
    }
}

impl<T> fmt::Display for Refused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

/// The reason and the type of the value: a refused tensor may be large.
impl<T> fmt::Debug for Refused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Refused {{ error: {:?}, value: {} }}", self.error, core::any::type_name::<T>())
    }
}

impl<T> core::error::Error for Refused<T> {}
