//! Views of strided tensors: every reinterpretation without a copy, and the copies that end it, by name.
//!
//! This is the crate to depend on: it re-exports `weft-layout`, `weft-device` and `weft-tensor`, and its [`prelude`]
//! brings everything that a program needs.
//!
//! ```
//! use weft_view::prelude::*;
//!
//! let dev = Host;
//! let x = dev.arange(0.0f32..12.0)?.reshape([3, 4])?; // the owner: consumes and returns
//! let y = x.view().t()?; // a view: no byte moves
//! assert_eq!(y.layout().to_string(), "(4,3):(1,4)@0");
//! let z = y.slice_axis(0, 1..)?.to_contiguous()?; // here the copy happens, and the name says so
//! assert_eq!(z.shape(), [3, 3]);
//! # Ok::<(), weft_view::Error>(())
//! ```
//!
//! | to | method |
//! |---|---|
//! | read or write a tensor | [`view`](TensorView::view), [`view_mut`](TensorView::view_mut), [`grad`](TensorView::grad), … |
//! | read or write plain memory | [`View::from_slice`], [`ViewMut::from_slice`], [`view_as`](ViewAs::view_as) |
//! | reinterpret | [`permute`](View::permute), [`slice`](View::slice), [`reshape`](View::reshape), [`broadcast_to`](View::broadcast_to), … |
//! | copy out | [`to_contiguous`](View::to_contiguous), [`to_vec`](View::to_vec), [`to_shape`](View::to_shape), … |
//! | write | [`fill`](ViewMut::fill), [`copy_from`](ViewMut::copy_from), [`accumulate`](ViewMut::accumulate), [`add_assign`](ViewMut::add_assign), … |
//! | divide work | [`split_at_mut`](ViewMut::split_at_mut), [`chunks_mut`](ViewMut::chunks_mut) |
//!
//! Features: `threads`, on by default (large operations of the host on several threads); off by default `approx` (approximate comparison of host views and tensors), `half` and `num-complex`
//! (conversions from and to the types of those crates), `trace` (a device that keeps a log, for tests).
//!
//! A write through any view is seen by the owner:
//!
//! ```
//! use weft_view::prelude::*;
//! let mut x = Host.zeros::<i32>([2, 2])?;
//! x.view_mut().t()?[[0, 1]] = 100;
//! assert_eq!(x[[1, 0]], 100);
//! # Ok::<(), weft_view::Error>(())
//! ```
#![deny(unsafe_op_in_unsafe_fn)]
#![doc(test(attr(deny(warnings))))]

mod view;
mod view_mut;

mod chunks;
mod ops;
mod source;

mod operand;

mod binary;
mod maybe_owned;
mod read;
mod recast;
mod share;
mod write;

mod lazy;

#[cfg(feature = "approx")]
mod approx;
mod fmt;
mod host;
mod iter;
mod kernel;

pub mod prelude;

pub use chunks::{Chunks, ChunksMut};
pub use iter::{IndexedIter, Iter, IterMut};
pub use lazy::LazyView;
pub use maybe_owned::MaybeOwned;
pub use operand::AsView;
pub use source::{TensorView, ViewAs};
pub use view::View;
pub use view_mut::ViewMut;

pub use weft_device::{
    Bf16, BinaryOp, Buffer, C32, C64, Converts, Cuda, DType, Device, DeviceError, DeviceErrorKind, DriverError,
    Element, Event, F16, F32x4, Facts, Host, Isa, Kernel, KernelArg, KernelView, LaunchConfig, Module, Number, Real,
};
#[doc(no_inline)]
pub use weft_layout::*;
pub use weft_tensor::{Error, Factory, Refused, Result, Tensor, TensorOptions};

#[cfg(feature = "trace")]
pub use weft_device::trace;

#[cfg(doctest)]
mod documents;
