//! What stands in for the driver where the crate is built without the feature `cuda`: types without values.

use core::time::Duration;
use std::sync::Arc;

use super::{CudaPointer, Facts, KernelArg, LaunchConfig};
use crate::error::{DeviceError, DeviceErrorKind, Result};

/// A device that cannot be.
pub(super) enum Inner {}

impl Inner {
    pub(super) fn new(_ordinal: usize) -> Result<Arc<Inner>> {
        Err(DeviceError::new("cuda", DeviceErrorKind::NotBuiltWithCuda))
    }

    pub(super) fn count() -> Result<usize> {
        Err(DeviceError::new("cuda", DeviceErrorKind::NotBuiltWithCuda))
    }

    pub(super) fn ordinal(&self) -> usize {
        match *self {}
    }

    pub(super) fn facts(&self) -> &Facts {
        match *self {}
    }

    pub(super) fn memory(&self) -> Result<(usize, usize)> {
        match *self {}
    }

    pub(super) fn take_deferred_error(&self) -> Option<DeviceError> {
        match *self {}
    }

    pub(super) fn synchronize(&self) -> Result<()> {
        match *self {}
    }

    pub(super) unsafe fn upload(&self, _: CudaPointer, _: *const u8, _: usize) -> Result<()> {
        match *self {}
    }

    pub(super) unsafe fn download(&self, _: CudaPointer, _: *mut u8, _: usize) -> Result<()> {
        match *self {}
    }

    pub(super) unsafe fn duplicate(&self, _: CudaPointer, _: CudaPointer, _: usize) -> Result<()> {
        match *self {}
    }
}

/// Memory of a device that cannot be.
#[derive(Debug)]
pub enum CudaMemory {}

impl CudaMemory {
    pub(super) fn zeroed(inner: &Arc<Inner>, _: usize) -> Result<CudaMemory> {
        match **inner {}
    }

    pub(super) fn uninit(inner: &Arc<Inner>, _: usize) -> Result<CudaMemory> {
        match **inner {}
    }

    pub(super) fn pointer(&self) -> CudaPointer {
        match *self {}
    }
}

/// A module of a device that cannot be.
pub(super) enum Loaded {}

/// A kernel in it.
pub(super) enum Function {}

impl Loaded {
    pub(super) fn new(inner: &Arc<Inner>, _: &str) -> Result<Loaded> {
        match **inner {}
    }

    pub(super) fn function(&self, _: &str) -> Result<Function> {
        match *self {}
    }
}

impl Function {
    pub(super) unsafe fn launch(&self, _: &Inner, _: LaunchConfig, _: &[&dyn KernelArg]) -> Result<()> {
        match *self {}
    }
}

/// A point in time of a device that cannot be.
pub(super) enum Timestamp {}

impl Timestamp {
    pub(super) fn record(inner: &Arc<Inner>) -> Result<Timestamp> {
        match **inner {}
    }

    pub(super) fn is_done(&self) -> Result<bool> {
        match *self {}
    }

    pub(super) fn synchronize(&self) -> Result<()> {
        match *self {}
    }

    pub(super) fn elapsed_since(&self, _: &Timestamp) -> Result<Duration> {
        match *self {}
    }
}

/// The operations, in the form that the kernels have them.
#[expect(clippy::extra_unused_type_parameters, reason = "the same signatures as those of `cuda::ops`")]
pub(super) mod ops {
    use weft_layout::{Plan, ReducePlan};

    use crate::cuda::{Cuda, CudaPointer};
    use crate::element::{Converts, Element};
    use crate::error::Result;
    use crate::ops::BinaryOp;

    pub(in crate::cuda) unsafe fn fill<T: Element>(on: &Cuda, _: &Plan<1>, _: CudaPointer, _: T) -> Result<()> {
        match *on.inner {}
    }

    pub(in crate::cuda) unsafe fn copy<T: Element>(
        on: &Cuda,
        _: &Plan<2>,
        _: CudaPointer,
        _: CudaPointer,
    ) -> Result<()> {
        match *on.inner {}
    }

    pub(in crate::cuda) unsafe fn accumulate<T: Element>(
        on: &Cuda,
        _: &ReducePlan,
        _: CudaPointer,
        _: CudaPointer,
    ) -> Result<()> {
        match *on.inner {}
    }

    pub(in crate::cuda) unsafe fn binary<T: Element>(
        on: &Cuda,
        _: BinaryOp,
        _: &Plan<3>,
        _: CudaPointer,
        _: CudaPointer,
        _: CudaPointer,
    ) -> Result<()> {
        match *on.inner {}
    }

    pub(in crate::cuda) unsafe fn convert<S: Converts<T>, T: Element>(
        on: &Cuda,
        _: &Plan<2>,
        _: CudaPointer,
        _: CudaPointer,
    ) -> Result<()> {
        match *on.inner {}
    }
}
