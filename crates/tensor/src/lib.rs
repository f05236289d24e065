//! Owned tensors.
#![doc(test(attr(deny(warnings))))]

mod error;
mod tensor;

mod factory;
mod options;
mod sequence;

mod copy;
mod grad;
mod host;

mod print;

pub use error::{Error, InShape, Refused, Result};
pub use factory::Factory;
pub use options::TensorOptions;
pub use print::write_array;
pub use tensor::Tensor;
