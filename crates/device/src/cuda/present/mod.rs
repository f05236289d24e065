//! The driver, through `cust`: everything in here happens on a GPU.

mod calls;
mod inner;
mod memory;
mod module;
mod staging;
mod timestamp;
mod transfer;

/// The operations over plans, as launches of the kernels in `kernels/`.
#[path = "../ops/mod.rs"]
pub(super) mod ops;

pub(super) use inner::Inner;
pub use memory::CudaMemory;
pub(super) use module::{Function, Loaded, Ptx};
pub(super) use timestamp::Timestamp;
