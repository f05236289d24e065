//! Running a kernel: blocks, warps, lanes, and everything that can go wrong in them.
//!
//! Blocks run one after another. Inside a block every warp runs until it waits at a barrier, ends, or has had its turn;
//! inside a warp the lanes that are at the same instruction run it together, lowest instruction first, so that lanes which
//! parted meet again where their ways join. With a [`Settings::seed`] the order of blocks and warps is shuffled, the same
//! way for the same seed.
#![forbid(unsafe_code)]

mod access;
pub(crate) mod alu;
mod block;
mod fault;
pub(crate) mod op;
mod order;
mod races;
mod run;
mod settings;
mod talk;
mod warp;

pub use fault::{Accessor, Fault, FaultCode, Finding, FindingKind};
pub use run::{Launch, Outcome, Stats, run};
pub use settings::{Blocks, Check, Settings};
