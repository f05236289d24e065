//! Why a PTX text was refused, and where.

use core::fmt;

/// A PTX text that is not run, with the place of the first thing wrong with it.
///
/// ```
/// use weft_cuda_sim::ptx::{self, ErrorKind};
///
/// let error = ptx::parse(".version 9.9\n.target sm_70\n", &ptx::Options::default()).unwrap_err();
/// assert_eq!(error.kind, ErrorKind::Version);
/// assert_eq!(error.to_string(), "ptx: line 1, column 10: version 9.9 is newer than 8.4, the newest that this driver knows");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What sort of thing is wrong; a driver has a result code for each.
    pub kind: ErrorKind,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub what: String,
}

/// The sorts of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is no PTX (218, `CUDA_ERROR_INVALID_PTX`).
    Syntax,
    /// It may be PTX, but this simulator does not know the instruction or the directive (218).
    Unsupported,
    /// It is larger than the simulator takes (218).
    Limit,
    /// Its `.version` is newer than the driver (222, `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`).
    Version,
    /// Its `.target` is not what the device can run (209, `CUDA_ERROR_NO_BINARY_FOR_GPU`).
    Target,
    /// Its `.address_size` is not 64 (218).
    AddressSize,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ptx: line {}, column {}: {}", self.line, self.column, self.what)
    }
}

impl core::error::Error for Error {}
