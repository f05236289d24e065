//! Running a kernel: blocks, warps, lanes, and everything that can go wrong in them.
//!
//! Blocks run one after another. Inside a block every warp runs until it waits at a barrier, ends, or has had its turn;
//! inside a warp the lanes that are at the same instruction run it together, lowest instruction first, so that lanes which
//! parted meet again where their ways join. With a [`Settings::seed`] the order of blocks and warps is shuffled, the same
//! way for the same seed.
#![forbid(unsafe_code)]

// mod alu;
mod fault;
pub(crate) mod op;
mod run;
mod settings;

pub use fault::{Accessor, Fault, FaultCode, Finding, FindingKind};
pub use run::{Launch, Outcome, Stats, run};
pub use settings::{Blocks, Check, Settings};
