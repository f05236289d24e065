//! What a test looks at when the program is done: counts, leaks, faults.

use core::fmt;
use std::collections::BTreeMap;

use super::handles::Kind as Handle;

/// What is alive and what went wrong, at the moment of [`report`](crate::report).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Driver calls since the last [`configure`](crate::configure); the calls that only give error texts are not counted.
    pub calls: u64,
    /// Device allocations made so far.
    pub allocations: u64,
    /// Kernels launched so far, whether they have run or wait in a stream.
    pub launches: u64,
    /// Instructions that threads of kernels ran so far.
    pub instructions: u64,
    /// Device allocations alive, those among them whose context is gone, too.
    pub live_allocations: usize,
    /// Their bytes.
    pub live_bytes: usize,
    /// Allocations of page-locked host memory alive.
    pub live_pinned: usize,
    /// Streams alive.
    pub live_streams: usize,
    /// Events alive.
    pub live_events: usize,
    /// Modules alive.
    pub live_modules: usize,
    /// Contexts alive: retained primary contexts, each as often as it is retained, and created ones.
    pub live_contexts: usize,
    /// Frees of what was no allocation: freed before, never allocated, inside an allocation, or of another context.
    pub bad_frees: u64,
    /// Uses of handles that were destroyed or never existed.
    pub bad_handles: u64,
    /// Faults, misuse among them: the length of [`faults`](crate::faults).
    pub faults: usize,
    /// Work that is queued and has not run.
    pub pending: usize,
    /// Everything that is alive, in the order of its making.
    pub leaks: Vec<Leak>,
}

/// Something that is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leak {
    /// What it is.
    pub kind: LeakKind,
    /// The device that it belongs to.
    pub device: usize,
    /// Device address, host address or handle.
    pub address: u64,
    /// Its size in bytes; 0 for what has none.
    pub bytes: usize,
    /// The number of the call that made it.
    pub call: u64,
    /// Whether the program is to blame.
    pub state: LeakState,
}

/// What can leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeakKind {
    /// Device memory.
    Allocation,
    /// Page-locked host memory.
    Pinned,
    /// A stream.
    Stream,
    /// An event.
    Event,
    /// A module.
    Module,
    /// A context, or one retain of a primary context.
    Context,
}

/// How it came to be still alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeakState {
    /// Nobody has asked to free it.
    Alive,
    /// Its context was released first; a driver frees it with the context, but the program never did.
    Orphaned,
    /// The program did ask, and the call was made to fail by [`fail_call`](crate::fail_call), or a fault had broken the context.
    FreeRefused,
}

impl Report {
    /// The leaks that are the program's fault: all but those whose free was made to fail.
    pub fn own_leaks(&self) -> impl Iterator<Item = &Leak> {
        self.leaks.iter().filter(|l| l.state != LeakState::FreeRefused)
    }

    /// Whether nothing is alive by the program's fault and nothing went wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.own_leaks().next().is_none() && self.faults == 0
    }
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, Handle::of(self.address)) {
            (LeakKind::Allocation, _) => write!(f, "device memory {:#x}", self.address)?,
            (LeakKind::Pinned, _) => write!(f, "pinned memory {:#x}", self.address)?,
            (_, Some((kind, number))) => write!(f, "{kind}#{number}")?,
            (_, None) => write!(f, "{:#x}", self.address)?,
        }
        if self.bytes > 0 {
            write!(f, " of {} bytes", self.bytes)?;
        }
        write!(f, " on device {}, made by call {}", self.device, self.call)?;
        match self.state {
            LeakState::Alive => Ok(()),
            LeakState::Orphaned => f.write_str(", whose context was released first"),
            LeakState::FreeRefused => f.write_str(", whose free was refused"),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} calls, {} allocations, {} launches", self.calls, self.allocations, self.launches)?;
        writeln!(
            f,
            "alive: {} allocations of {} bytes, {} pinned, {} streams, {} events, {} modules, {} contexts; {} pieces of work pending",
            self.live_allocations,
            self.live_bytes,
            self.live_pinned,
            self.live_streams,
            self.live_events,
            self.live_modules,
            self.live_contexts,
            self.pending
        )?;
        write!(f, "{} bad frees, {} bad handles, {} faults", self.bad_frees, self.bad_handles, self.faults)?;
        self.leaks.iter().try_for_each(|leak| write!(f, "\nleak: {leak}"))
    }
}

/// How often each call was made.
pub(crate) type Counts = BTreeMap<&'static str, u64>;
