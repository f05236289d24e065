//! PTX: from text to kernels that can be run.
//!
//! [`parse`] checks everything that can be checked without running: names, register widths, types, operand counts, sizes.
//! An instruction, a modifier or a directive that it does not know is an error with its place, never a guess; text that is
//! not PTX at all is an error too, and never a panic.
#![forbid(unsafe_code)]

mod body;
mod decl;
mod error;
mod flow;
mod lex;
mod lower;
mod memory;
mod module;
mod moves;
mod operand;
mod special;
pub(crate) mod types;

pub use error::{Error, ErrorKind};

use crate::exec::op::{Const, Instr, Slot};

/// What the device and its driver accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The newest `.version`, as major and minor number.
    pub newest_version: (u32, u32),
    /// The compute capability of the device times ten: 80 for 8.0.
    pub compute_capability: u32,
}

impl Default for Options {
    /// A driver for PTX 8.4 (CUDA 12.4) and a device of compute capability 8.0.
    fn default() -> Options {
        Options { newest_version: (8, 4), compute_capability: 80 }
    }
}

/// A PTX text, ready to run.
#[derive(Debug, Clone)]
pub struct Module {
    kernels: Vec<Kernel>,
    globals: Vec<Global>,
}

/// One `.entry`.
#[derive(Debug, Clone)]
pub struct Kernel {
    pub(crate) name: String,
    pub(crate) params: Vec<Param>,
    pub(crate) param_bytes: usize,
    pub(crate) static_shared: usize,
    pub(crate) uses_dynamic_shared: bool,
    pub(crate) local: usize,
    pub(crate) max_threads: u32,
    pub(crate) code: Vec<Instr>,
    /// Registers and constants of a thread.
    pub(crate) slots: usize,
    pub(crate) predicates: usize,
    /// The slots that are no registers, and what they hold.
    pub(crate) constants: Vec<(Slot, Const)>,
    /// Slots that some path may read before it writes them.
    pub(crate) unset: Vec<Slot>,
    pub(crate) line: u32,
}

/// One parameter of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Where it starts in the parameter bytes.
    pub offset: usize,
    /// Its length in bytes.
    pub size: usize,
    /// Its alignment in bytes.
    pub align: usize,
}

/// A `.global` or `.const` variable of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its length in bytes.
    pub size: u64,
    /// Its alignment in bytes.
    pub align: u64,
    /// What it holds when the module is loaded, `size` bytes; a variable without an initialiser holds zeros.
    pub initial: Vec<u8>,
}

/// Parses a PTX text.
///
/// # Errors
///
/// [`Error`] with the line and the column of the first thing that is wrong, or that this simulator does not know.
pub fn parse(text: &str, options: &Options) -> Result<Module, Error> {
    module::parse(text, options)
}

impl Module {
    /// The kernel of that name.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// All kernels, in the order of the text.
    #[must_use]
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// All `.global` and `.const` variables; [`crate::exec::Launch::globals`] wants their addresses in this order.
    #[must_use]
    pub fn globals(&self) -> &[Global] {
        &self.globals
    }
}

impl Kernel {
    /// Its name, as in the text.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its parameters, in order.
    #[must_use]
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// The length of all parameters with the padding between them, in bytes.
    #[must_use]
    pub fn param_bytes(&self) -> usize {
        self.param_bytes
    }

    /// Bytes of shared memory that every block has, without what a launch adds.
    #[must_use]
    pub fn static_shared(&self) -> usize {
        self.static_shared
    }

    /// Bytes of local memory that every thread has.
    #[must_use]
    pub fn local(&self) -> usize {
        self.local
    }

    /// Threads a block may have: `.maxntid` or `.reqntid`, or 1024.
    #[must_use]
    pub fn max_threads(&self) -> u32 {
        self.max_threads
    }

    /// Registers of a thread as the text names them; a real compiler would need fewer.
    #[must_use]
    pub fn registers(&self) -> usize {
        self.slots - self.constants.len() + self.predicates
    }

    /// The line of its `.entry`.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }
}
