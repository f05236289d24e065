//! From the driver's results to the errors of this crate.

use cust::error::{CudaError, CudaResult};
use weft_cuda_shim::{Driver, driver, error_name, error_text, last_raw_code};

use crate::error::{DeviceError, DeviceErrorKind, DriverError, Result};

/// The driver's numbers that this crate treats in a way of their own.
pub(super) const OUT_OF_MEMORY: u32 = 2;
const NO_DEVICE: u32 = 100;
pub(super) const UNSUPPORTED_PTX_VERSION: u32 = 222;

/// The number that the driver answered with. Those that `cust` does not know are all one to it; the shim has kept them.
pub(super) fn code_of(error: CudaError) -> u32 {
    match error {
        CudaError::UnknownError => match last_raw_code() {
            0 => CudaError::UnknownError as u32,
            raw => raw,
        },
        known => known as u32,
    }
}

/// What the operation `op` says when the driver's `call` failed with `code`.
#[cold]
pub(super) fn failed(op: &'static str, call: &'static str, code: u32) -> DeviceError {
    let kind = if code == NO_DEVICE {
        DeviceErrorKind::NoDevice { why: why_none() }
    } else {
        let (name, text) = (error_name(code).unwrap_or("CUDA_ERROR"), error_text(code).unwrap_or("an unknown error"));
        DeviceErrorKind::Driver(Box::new(DriverError { call, code, name, text }))
    };
    DeviceError::new(op, kind)
}

/// The result of `call`, an error as the operation `op` says it.
pub(super) fn check<T>(op: &'static str, call: &'static str, result: CudaResult<T>) -> Result<T> {
    result.map_err(|error| failed(op, call, code_of(error)))
}

/// The same for calls that `cust` has no function for.
pub(super) fn check_raw(op: &'static str, call: &'static str, result: cust::sys::CUresult) -> Result<()> {
    match result as u32 {
        0 => Ok(()),
        _ => Err(failed(op, call, last_raw_code())),
    }
}

/// Why there is no device, where the reason is that no driver was found.
fn why_none() -> Box<str> {
    match driver() {
        Driver::Missing { why } => why.clone().into(),
        _ => "".into(),
    }
}
