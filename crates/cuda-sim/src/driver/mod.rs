//! The driver: every call that a program makes through `libcuda`, over simulated devices.
//!
//! [`calls`] is the table of calls; a call goes through the `boundary` (one lock, counting, failures on request, no panic that
//! gets out) to the function that serves it, in the file named after what it is about. Work goes through the `queue` of its
//! stream. What a test asks for besides is in [`control`].

pub mod abi;
mod boundary;
pub mod calls;
pub mod codes;
mod config;
mod context;
pub mod control;
mod copy;
mod device;
mod event;
mod exit;
mod function;
mod handles;
mod host;
mod launch;
mod managed;
mod memory;
mod module;
mod monitor;
mod queue;
mod report;
mod space;
mod state;
mod stream;
mod trace;

pub use config::{Config, Streams, Trace, VARIABLES};
pub use report::{Leak, LeakKind, LeakState, Report};
pub use trace::{Event, Value};

/// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
