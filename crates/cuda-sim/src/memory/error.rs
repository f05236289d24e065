//! What is wrong with an address, in words.

use core::fmt;

use super::Allocation;

/// An address that cannot be used as it was meant to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccessError {
    /// A range that does not lie in one live allocation.
    Address {
        /// Where the range starts.
        address: u64,
        /// Its length.
        bytes: u64,
        /// What is there instead.
        place: Place,
    },
    /// An allocation of 0 bytes, or of more than there are addresses.
    Size {
        /// The length that was asked for.
        size: u64,
    },
}

/// What an address points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// Into a live allocation.
    Inside(Allocation),
    /// Into an allocation that was freed.
    Freed(Allocation),
    /// Past the end of the nearest live allocation.
    After(Allocation),
    /// Before the start of the nearest live allocation.
    Before(Allocation),
    /// At nothing: there is no live allocation.
    Nowhere,
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AccessError::Address { address, bytes: 0, place } => write!(f, "free: {}", Pointed(*address, 0, place)),
            AccessError::Address { address, bytes, place } => {
                write!(f, "memory: {}", Pointed(*address, *bytes, place))
            }
            AccessError::Size { size } => write!(f, "alloc: {size} bytes cannot be allocated"),
        }
    }
}

impl core::error::Error for AccessError {}

/// `address`, how many bytes are wanted there, and the place that it is.
pub(crate) struct Pointed<'a>(pub(crate) u64, pub(crate) u64, pub(crate) &'a Place);

impl fmt::Display for Pointed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pointed(address, bytes, place) = self;
        match place {
            Place::Inside(a) if *bytes == 0 => {
                write!(
                    f,
                    "{address:#x} is {} bytes into the {}-byte allocation at {:#x}",
                    address - a.base,
                    a.size,
                    a.base
                )
            }
            Place::Inside(a) => write!(
                f,
                "{bytes} bytes at {address:#x} run past the {}-byte allocation at {:#x} (they start at its byte {})",
                a.size,
                a.base,
                address - a.base
            ),
            Place::Freed(a) => {
                write!(
                    f,
                    "{address:#x} was freed: it is byte {} of a {}-byte allocation at {:#x}",
                    address - a.base,
                    a.size,
                    a.base
                )
            }
            Place::After(a) => write!(
                f,
                "{address:#x} is in no allocation; the nearest is {} bytes at {:#x}, which ends {} bytes before it",
                a.size,
                a.base,
                address - a.base - a.size
            ),
            Place::Before(a) => write!(
                f,
                "{address:#x} is in no allocation; the nearest is {} bytes at {:#x}, which starts {} bytes after it",
                a.size,
                a.base,
                a.base - address
            ),
            Place::Nowhere => write!(f, "{address:#x} is in no allocation, and there is none"),
        }
    }
}
