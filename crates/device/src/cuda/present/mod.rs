//! The driver, through `cust`: everything in here happens on a GPU.

mod calls;
mod inner;
mod memory;
mod module;
mod staging;
mod timestamp;
mod transfer;

/// The operations over plans, as launches of the kernels in `kernels/`.
pub(super) use super::ops;
pub(super) use inner::Inner;
pub(super) use memory::CudaMemory;
pub(super) use module::{Function, Loaded};
pub(super) use timestamp::Timestamp;
