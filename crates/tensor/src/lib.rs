//! Tensors that own their elements and a gradient, on one device.
//!
//! | here | std |
//! |---|---|
//! | [`Tensor<T, D>`](Tensor) | `Box<[T]>` with a shape, and a second one of the same length for the gradient |
//! | [`Factory`] | `vec![..]`, as methods of the device that is to hold the elements |
//! | [`Refused<T>`](Refused) | `std::sync::mpsc::SendError<T>`: why a call failed, and what it was handed |
//!
//! ```
//! use weft_device::Host;
//! use weft_tensor::Factory;
//!
//! let dev = Host;
//! let x = dev.arange(0.0f32..12.0)?.reshape([3, 4])?; // moves; or an error, with the tensor in it
//! let copy = x.try_clone()?; // copies, and says so
//! assert_eq!(copy[[2, 1]], 9.0);
//! assert_eq!(
//!     copy.to_string(),
//!     "\
//! [[ 0.  1.  2.  3.]
//!  [ 4.  5.  6.  7.]
//!  [ 8.  9. 10. 11.]]"
//! );
//! # Ok::<(), weft_tensor::Error>(())
//! ```
//!
//! Reading a tensor in another shape, order or part is the work of `weft-view`, which most users name instead of this crate.
//!
//! # Why every tensor has a gradient
//!
//! One type serves training and inference alike, and a function that takes a tensor can count on finding its gradient. A tensor that
//! grows a gradient at some point of its life would need a lock or an allocation at the point where it is first written, and
//! a failure there comes when half of a backward pass is done. So the gradient is allocated, zeroed, where the data are:
//! construction is the one place that can run out of memory. Whoever has no use for it says so by
//! [`without_grad`](Tensor::without_grad) or [`TensorOptions::without_grad`]; asking for it then is an [error](Error::NoGrad)
//! and [`with_grad`](Tensor::with_grad) is the way back. What is copied out of a view is a value and not a parameter: it
//! comes without a gradient.
//!
//! # Why there is no `Clone`
//!
//! A copy of a tensor costs two allocations that may fail and two passes over memory. `Clone` cannot report the failure and does not
//! look like work: `.clone()` is what one writes to please the borrow checker. [`try_clone`](Tensor::try_clone) is the same
//! copy under a name that shows the cost and with a result that shows the failure. Moves are free, views share, and all that
//! copies is called `to_…`, `into_…` or `try_…`.
//!
//! # Failures
//!
//! Every call that can fail returns a `Result` and, where it fails, has changed nothing; one that consumes the tensor gives it
//! back in a [`Refused`]. Only indexing by `x[[i, j]]` panics.
#![forbid(unsafe_op_in_unsafe_fn)]
#![doc(test(attr(deny(warnings))))]

mod error;
mod tensor;

mod factory;
mod options;
mod sequence;

mod copy;
mod grad;
mod host;
mod order;

mod print;

#[cfg(feature = "approx")]
mod approximate;

pub use error::{Error, InShape, Refused, Result};
pub use factory::Factory;
pub use options::TensorOptions;
pub use print::write_array;
pub use tensor::Tensor;
