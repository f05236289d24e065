//! What goes wrong while a kernel runs: faults that end the launch, and findings that do not.

use core::fmt;

/// Why a launch ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The result code that a driver gives from then on.
    pub code: FaultCode,
    /// Kernel, line, block, thread, address: everything, in words.
    pub what: String,
}

/// The result codes of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultCode {
    /// 700: an address outside of every allocation.
    IllegalAddress = 700,
    /// 716: an address that is no multiple of the size of the access.
    MisalignedAddress = 716,
    /// 719: a trap, a barrier or a shuffle that cannot complete, or a kernel that does not end.
    LaunchFailed = 719,
}

impl FaultCode {
    /// The number.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "launch: {} ({})", self.what, self.code.code())
    }
}

impl core::error::Error for Fault {}

/// Something wrong that a device would not notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// The kernel.
    pub kernel: String,
    /// Where in memory: an address of the device, or an offset in the shared memory of a block.
    pub address: u64,
    /// Whether `address` is in shared memory.
    pub memory: &'static str,
    /// Who noticed: the later of two accesses, or the load.
    pub at: Accessor,
}

/// The sorts of [`Finding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingKind {
    /// Two threads used one byte, at least one wrote it, not both atomically, and nothing put them in order.
    Race {
        /// The earlier of the two accesses.
        with: Accessor,
    },
    /// A load of memory that nobody wrote.
    Unwritten,
}

/// One access to memory by one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accessor {
    /// `reads`, `writes` or `updates`.
    pub does: &'static str,
    /// The line in the PTX.
    pub line: u32,
    /// The block of the thread.
    pub block: [u32; 3],
    /// The thread in its block.
    pub thread: [u32; 3],
}

impl fmt::Display for Accessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Accessor { does, line, block, thread } = self;
        write!(f, "thread {thread:?} of block {block:?} {does} it at PTX line {line}")
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { kind, kernel, address, memory, at } = self;
        match kind {
            FindingKind::Race { with } => write!(f, "race: kernel {kernel}, {memory} {address:#x}: {with}, and {at}"),
            FindingKind::Unwritten => {
                write!(f, "unwritten: kernel {kernel}, {memory} {address:#x}: {at}, and nobody wrote it")
            }
        }
    }
}
