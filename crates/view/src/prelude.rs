//! What a program that uses tensors needs in scope: `use weft_view::prelude::*`.
//!
//! Not `Error` and `Result`, which would hide those of std: name them as `weft_view::Error`.

pub use crate::{AsView, LazyView, MaybeOwned, TensorView, View, ViewAs, ViewMut};

pub use weft_device::{Bf16, Buffer, C32, C64, Cuda, DType, Device, Element, F16, F32x4, Host};
pub use weft_layout::{Ellipsis, Layout, NewAxis, Order, Overlap, Shape, SliceItem, s};
pub use weft_tensor::{Factory, Refused, Tensor, TensorOptions};
