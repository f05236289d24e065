//! One launch: what it is, what comes of it, and the loop over its blocks.

use super::{Fault, FaultCode, Finding, Settings};
use crate::memory::Memory;
use crate::ptx::Kernel;

/// What is launched.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its parameters, at the offsets of [`Kernel::params`]; [`Kernel::param_bytes`] of them.
    pub params: &'a [u8],
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of shared memory on top of those that the kernel declares.
    pub dynamic_shared: usize,
    /// The addresses of [`crate::ptx::Module::globals`], in that order.
    pub globals: &'a [u64],
}

impl<'a> Launch<'a> {
    /// A launch without dynamic shared memory and without module variables.
    #[must_use]
    pub fn new(kernel: &'a Kernel, grid: [u32; 3], block: [u32; 3], params: &'a [u8]) -> Launch<'a> {
        Launch { kernel, params, grid, block, dynamic_shared: 0, globals: &[] }
    }
}

/// How much a launch did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Blocks that ran.
    pub blocks: u64,
    /// Instructions, counted once a warp.
    pub warp_instructions: u64,
    /// Instructions, counted once a thread.
    pub lane_instructions: u64,
    /// Findings beyond [`Settings::finding_limit`].
    pub findings_left_out: u64,
}

/// What came of a launch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// How much it did.
    pub stats: Stats,
    /// What a device would not have noticed.
    pub findings: Vec<Finding>,
    /// Why it ended early, if it did. What it wrote until then stays written.
    pub fault: Option<Fault>,
}

/// Runs a kernel over a memory.
///
/// What does not fit together (a parameter list of the wrong length, a grid without blocks) is a fault too.
#[must_use]
pub fn run(launch: &Launch<'_>, memory: &mut Memory, settings: &Settings) -> Outcome {
    let _ = (memory, settings);
    let what = format!("kernel {}: not run", launch.kernel.name());
    Outcome { fault: Some(Fault { code: FaultCode::LaunchFailed, what }), ..Outcome::default() }
}
