//! What can go wrong with memory and with operations on it: [`DeviceError`], an operation and a kind with its numbers.
//!
//! The grammar of every text is `op: what is wrong, with every number`, in lower case and without a full stop.

use core::fmt;

use crate::element::DType;

/// A shorthand for results of this crate.
pub type Result<T> = core::result::Result<T, DeviceError>;

/// Why a device refused: the operation, and what was wrong with what numbers.
///
/// [`kind`](DeviceError::kind) is for programs, `Display` for people. A call that is refused has changed nothing. Where a GPU
/// fails in the middle of its work (`Driver`), what it was writing to is in an unknown state, and nothing else is.
///
/// ```
/// use weft_device::{Buffer, DeviceErrorKind, Host};
/// let refused = Buffer::<f64>::new_zeroed(&Host, usize::MAX).unwrap_err();
/// assert!(matches!(refused.kind(), DeviceErrorKind::TooLarge { element_bytes: 8, .. }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceError {
    op: &'static str,
    kind: DeviceErrorKind,
}

impl DeviceError {
    /// Errors are made out of line: the paths that succeed stay short.
    #[cold]
    #[inline(never)]
    pub(crate) fn new(op: &'static str, kind: DeviceErrorKind) -> DeviceError {
        DeviceError { op, kind }
    }

    /// The name of the operation that refused, as it begins the text.
    #[must_use]
    pub fn op(&self) -> &'static str {
        self.op
    }

    /// What was wrong, as data.
    #[must_use]
    pub fn kind(&self) -> &DeviceErrorKind {
        &self.kind
    }
}

impl core::error::Error for DeviceError {}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.op, self.kind)
    }
}

/// What was wrong, as data; lengths and offsets count elements unless the name says bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceErrorKind {
    /// Two operands live on different devices (GPU 0 and GPU 1 are of one type, so this is found at run time).
    DeviceMismatch {
        /// The name of the device of the destination.
        left: Box<str>,
        /// The name of the device of the operand that differs.
        right: Box<str>,
    },
    /// An integer division by zero. Nothing was written.
    DivisionByZero {
        /// Where the zero lies in the divisor's buffer; the lowest such offset where there are several.
        offset: usize,
    },
    /// An integer division of the least value by minus one, whose quotient the type cannot hold. Nothing was written.
    DivisionOverflow {
        /// Where the dividend lies in its buffer; the lowest such offset where there are several.
        offset: usize,
    },
    /// The CUDA driver refused a call, or reported what an earlier one did.
    Driver(Box<DriverError>),
    /// A slice and a buffer that must be of one length are not.
    LengthMismatch {
        /// Elements in the buffer.
        buffer: usize,
        /// Elements in the slice.
        slice: usize,
    },
    /// The memory of a buffer does not lie on the boundary that another element type needs.
    Misaligned {
        /// The address of the first element, in bytes.
        address: usize,
        /// The alignment that is needed, in bytes.
        needed: usize,
    },
    /// There is no GPU: no driver, or one that finds none.
    NoDevice {
        /// Why there is no driver, where there is none: what was tried, and what came of it.
        why: Box<str>,
    },
    /// There is no GPU of this number.
    NoSuchDevice {
        /// The number asked for, from 0.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },
    /// A module has no kernel of this name.
    NoSuchKernel {
        /// The name.
        name: Box<str>,
    },
    /// The crate was built without the feature `cuda`.
    NotBuiltWithCuda,
    /// `max` or `min` of a type whose values have no order.
    NotOrdered {
        /// The element type.
        dtype: DType,
    },
    /// A plan reaches past the end of a buffer.
    OutOfBuffer {
        /// Which operand: 0 is the destination.
        operand: usize,
        /// How many elements the buffer would need.
        required: usize,
        /// How many it has.
        len: usize,
    },
    /// The device has no room for the allocation.
    #[non_exhaustive]
    OutOfMemory {
        /// What was asked for, in bytes.
        requested: usize,
        /// Free memory and all memory of the device, in bytes, where the device tells.
        room: Option<Box<(usize, usize)>>,
    },
    /// The driver's compiler refused PTX.
    Ptx {
        /// What it said.
        log: Box<str>,
    },
    /// PTX of a newer version than the driver knows.
    PtxTooNew {
        /// The version of the PTX: `(8, 4)`.
        ptx: (u32, u32),
        /// The newest version of CUDA that the driver knows: `(12, 2)`.
        driver: (u32, u32),
    },
    /// A length whose size in bytes no allocation can have: more than `isize::MAX`.
    TooLarge {
        /// The length asked for.
        len: usize,
        /// The size of one element, in bytes.
        element_bytes: usize,
    },
    /// A layout of more axes than a kernel's parameter can have.
    TooManyAxes {
        /// How many there are.
        axes: usize,
        /// How many there may be.
        most: usize,
    },
}

/// A call that the CUDA driver refused, and the number that it answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriverError {
    /// The call: `cuMemcpyHtoD_v2`.
    pub call: &'static str,
    /// The driver's number: 700.
    pub code: u32,
    /// Its name: `CUDA_ERROR_ILLEGAL_ADDRESS`.
    pub name: &'static str,
    /// What it means, in a few words.
    pub text: &'static str,
}

impl fmt::Display for DeviceErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DeviceErrorKind as Kind;
        match self {
            Kind::DeviceMismatch { left, right } => {
                write!(f, "the destination is on {left}, an operand on {right}")
            }
            Kind::DivisionByZero { offset } => write!(f, "the divisor at offset {offset} is zero"),
            Kind::DivisionOverflow { offset } => {
                write!(f, "the least value of its type, at offset {offset}, divided by -1 has no quotient")
            }
            Kind::Driver(error) => {
                let DriverError { call, code, name, text } = **error;
                write!(f, "{text} ({call}: {code}, {name})")
            }
            Kind::LengthMismatch { buffer, slice } => {
                write!(f, "the buffer has {buffer} elements, the slice {slice}")
            }
            Kind::Misaligned { address, needed } => {
                write!(f, "address {address:#x} is not a multiple of {needed} bytes")
            }
            Kind::NoDevice { why } if why.is_empty() => write!(f, "no CUDA-capable device is detected (100)"),
            Kind::NoDevice { why } => write!(f, "no CUDA-capable device is detected (100): {why}"),
            Kind::NoSuchDevice { ordinal, count } => write!(f, "there is no device {ordinal}, there are {count}"),
            Kind::NoSuchKernel { name } => write!(f, "the module has no kernel {name:?}"),
            Kind::NotBuiltWithCuda => write!(f, "this program was built without the feature `cuda`"),
            Kind::NotOrdered { dtype } => write!(f, "values of type {dtype} have no order"),
            Kind::OutOfBuffer { operand, required, len } => {
                write!(f, "operand {operand} needs a buffer of {required} elements, there are {len}")
            }
            Kind::OutOfMemory { requested, room: None } => write!(f, "out of memory, {requested} bytes were requested"),
            Kind::OutOfMemory { requested, room: Some(room) } => {
                let (free, total) = **room;
                write!(f, "out of memory, {requested} bytes were requested, {free} of {total} are free")
            }
            Kind::Ptx { log } => write!(f, "the driver's compiler refused the PTX: {log}"),
            Kind::PtxTooNew { ptx, driver } => write!(
                f,
                "the PTX is of version {}.{}, which the driver (CUDA {}.{}) does not know; a newer driver does",
                ptx.0, ptx.1, driver.0, driver.1
            ),
            Kind::TooLarge { len, element_bytes } => {
                write!(f, "{len} elements of {element_bytes} bytes are more than {} bytes", isize::MAX)
            }
            Kind::TooManyAxes { axes, most } => write!(f, "{axes} axes are more than {most}"),
        }
    }
}

const _: () = assert!(size_of::<DeviceError>() <= 56);
