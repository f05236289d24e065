//! What a test does with the simulator besides calling the driver: set it up, make calls fail, look at what happened.
//!
//! All of it is about the one simulator of the process, and may be called from any thread at any time. Tests of one process
//! that look at counts take turns, because they share it.
//!
//! ```
//! use weft_cuda_sim::driver::calls::{cuCtxSynchronize, cuInit};
//! use weft_cuda_sim::{Config, Trace, calls_of, configure, fail_call, report, take_trace};
//!
//! configure(Config { trace: Trace::Kept, ..Config::default() });
//! fail_call(1, 100);
//! // SAFETY: these calls take no pointers.
//! let codes = unsafe { [cuInit(0), cuInit(0), cuCtxSynchronize()] };
//! assert_eq!(codes, [100, 0, 201]);
//! assert_eq!((calls_of("cuInit"), report().calls), (2, 3));
//! let trace: Vec<String> = take_trace().iter().map(|event| event.to_string()).collect();
//! assert_eq!(trace, ["cuInit(flags: 0) = 100 [made to fail]", "cuInit(flags: 0) = 0", "cuCtxSynchronize() = 201"]);
//! ```

use super::codes::OUT_OF_MEMORY;
use super::config::{Config, Trace};
use super::report::{Leak, LeakKind, LeakState, Report};
use super::space::Owner;
use super::state::{Role, Sim, lock};
use super::trace::Event;
use crate::exec::Blocks;

/// Starts anew, as in a process that has just begun, with these settings.
///
/// All devices, contexts and memory of before are gone, and every handle of before is unknown: an object that a test left
/// behind can do nothing to the next one. Call it at the beginning of a test, while no other thread calls the driver.
pub fn configure(config: Config) {
    lock().restart(config);
}

/// The settings in use.
#[must_use]
pub fn config() -> Config {
    lock().config.clone()
}

/// What is alive and what went wrong until now. Queued work is not run for it.
#[must_use]
pub fn report() -> Report {
    lock().report()
}

/// What went wrong until now: faults of kernels, findings, refused PTX and misuse of the driver, each in words.
#[must_use]
pub fn faults() -> Vec<String> {
    lock().monitor.faults.clone()
}

/// As [`faults`], and forgets them.
#[must_use]
pub fn take_faults() -> Vec<String> {
    core::mem::take(&mut lock().monitor.faults)
}

/// Driver calls until now. The calls that only give error texts are not counted.
#[must_use]
pub fn calls_made() -> u64 {
    lock().monitor.calls
}

/// How often the call of that C name was made.
#[must_use]
pub fn calls_of(name: &str) -> u64 {
    lock().monitor.counts.get(name).copied().unwrap_or(0)
}

/// Makes the `nth` driver call from now (1 is the next) answer `code`, once, without doing anything.
///
/// A sweep lets a piece of a program run once, takes the difference of [`calls_made`], and then makes each call fail in turn.
/// The calls that only give error texts neither count nor fail.
pub fn fail_call(nth: u64, code: u32) {
    lock().monitor.fail(None, nth, code);
}

/// As [`fail_call`], counting only calls of one C name, such as `cuMemAlloc_v2`.
pub fn fail_call_of(name: &str, nth: u64, code: u32) {
    lock().monitor.fail(Some(name.to_owned()), nth, code);
}

/// Makes the next allocation of device memory fail for want of memory.
pub fn fail_next_allocation() {
    fail_call_of("cuMemAlloc_v2", 1, OUT_OF_MEMORY);
}

/// Takes back the failures that have not happened, and says how many there were.
#[allow(clippy::must_use_candidate, reason = "taking them back is what it is for")]
pub fn fail_none() -> usize {
    lock().monitor.fail_none()
}

/// Changes how much memory a device has, in bytes. What is allocated stays allocated.
pub fn set_total_memory(device: usize, bytes: usize) {
    if let Some(device) = lock().devices.get_mut(device) {
        device.memory = bytes;
    }
}

/// Chooses the blocks that run of every launch from now on, for launches that nobody could run whole.
pub fn choose_blocks(blocks: Blocks) {
    lock().config.blocks = blocks;
}

/// Begins to keep one event a call, or ends it.
pub fn set_trace(trace: Trace) {
    let mut sim = lock();
    sim.config.trace = trace;
    sim.monitor.trace = trace;
}

/// The events kept since the last time, and forgets them.
#[must_use]
pub fn take_trace() -> Vec<Event> {
    core::mem::take(&mut lock().monitor.events)
}

impl Sim {
    pub(crate) fn report(&self) -> Report {
        let mut leaks = self.orphans.clone();
        leaks.extend(self.contexts.keys().flat_map(|context| self.leaks_of(*context)));
        leaks.extend(self.live_contexts());
        leaks.sort_by_key(|leak| leak.call);
        let count = |kind| leaks.iter().filter(|l| l.kind == kind).count();
        Report {
            calls: self.monitor.calls,
            allocations: self.monitor.allocations,
            launches: self.monitor.launches,
            instructions: self.monitor.instructions,
            live_allocations: count(LeakKind::Allocation),
            live_bytes: leaks.iter().filter(|l| l.kind == LeakKind::Allocation).map(|l| l.bytes).sum(),
            live_pinned: count(LeakKind::Pinned),
            live_streams: count(LeakKind::Stream),
            live_events: count(LeakKind::Event),
            live_modules: count(LeakKind::Module),
            live_contexts: count(LeakKind::Context),
            bad_frees: self.monitor.bad_frees,
            bad_handles: self.monitor.bad_handles,
            faults: self.monitor.faults.len(),
            pending: self.streams.values().map(|s| s.queue.len()).sum(),
            leaks,
        }
    }

    /// What is alive in a context.
    pub(crate) fn leaks_of(&self, context: usize) -> Vec<Leak> {
        let leak = |kind, device, address: u64, bytes, call| {
            let state = if self.refused.contains(&address) { LeakState::FreeRefused } else { LeakState::Alive };
            Leak { kind, device, address, bytes, call, state }
        };
        let mut leaks = Vec::new();
        for (index, device) in self.devices.iter().enumerate() {
            let its = device.space.allocations.iter().filter(|(_, a)| a.context == context && !a.freeing);
            let its = its.filter(|(_, a)| a.owner == Owner::Program);
            leaks.extend(its.map(|(address, a)| leak(LeakKind::Allocation, index, *address, a.bytes, a.call)));
        }
        let pinned = self.pinned.iter().filter(|(_, p)| p.context == context);
        leaks.extend(pinned.map(|(address, p)| leak(LeakKind::Pinned, p.device, *address as u64, p.bytes, p.call)));
        let streams = self.streams.iter().filter(|(_, s)| s.context == context && s.role == Role::Own);
        leaks.extend(streams.map(|(handle, s)| leak(LeakKind::Stream, s.device, *handle as u64, 0, s.call)));
        let device = self.contexts.get(&context).map_or(0, |c| c.device);
        let events = self.events.iter().filter(|(_, e)| e.context == context);
        leaks.extend(events.map(|(handle, e)| leak(LeakKind::Event, device, *handle as u64, 0, e.call)));
        let modules = self.modules.iter().filter(|(_, m)| m.context == context);
        leaks.extend(modules.map(|(handle, m)| leak(LeakKind::Module, m.device, *handle as u64, 0, m.call)));
        leaks
    }
}
