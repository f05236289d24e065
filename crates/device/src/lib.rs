//! Memory on one device, the types of its elements, and the strided operations a device offers.
//!
//! | here | std |
//! |---|---|
//! | [`Buffer<T, D>`](Buffer) | `Box<[T]>`: owns, frees once, never grows |
//! | [`BufferRef<'a, T, D>`](BufferRef) | `*mut [T]` with a lifetime: where the elements are, and how many |
//! | [`Device`] | `Allocator`, and the operations that run where the memory is |
//! | [`Host`](struct@Host) | the CPU |
//! | [`Cuda`] | an NVIDIA GPU, with the feature `cuda` |
//!
//! The crate knows layouts only as the [plans](weft_layout::Plan) of `weft-layout`: a plan says which elements an operation
//! visits, [`ops`] checks it against the buffers and runs it. Users of tensors meet this crate through `weft-view`.
//!
//! ```
//! use weft_device::{Buffer, Host};
//! let dev = Host;
//! let mut row = Buffer::from_slice(&dev, &[1.0f32, 2.0, 3.0])?;
//! let copy = row.try_clone()?;
//! row.as_mut_slice()[0] = 99.0;
//! assert_eq!(copy.to_vec()?, [1.0, 2.0, 3.0]);
//! # Ok::<(), weft_device::DeviceError>(())
//! ```
#![deny(unsafe_op_in_unsafe_fn)]
#![doc(test(attr(deny(warnings))))]

mod error;

mod element;

mod device;

mod buffer;
mod cuda;
mod host;
pub mod ops;

#[cfg(feature = "trace")]
pub mod trace;

pub use buffer::{Buffer, BufferRef};
pub use cuda::{Cuda, Event, Facts, Kernel, KernelArg, KernelView, LaunchConfig, Module};
pub use device::Device;
pub use element::{Bf16, C32, C64, Converts, DType, Element, F16, F32x4, Number, Real};
pub use error::{DeviceError, DeviceErrorKind, DriverError, Result};
pub use host::{Host, Isa};
pub use ops::BinaryOp;
