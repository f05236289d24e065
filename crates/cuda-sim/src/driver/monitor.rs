//! The watcher of calls: counts, the log of faults, calls that are made to fail, and the trace.

use std::io::Write as _;

use super::config::Trace;
use super::report::Counts;
use super::trace::{Event, Value};

/// Counts and records, and decides which call fails.
pub(crate) struct Monitor {
    /// Calls so far; while one is served, its number.
    pub(crate) calls: u64,
    pub(crate) counts: Counts,
    /// The name of the call that is served, for texts.
    pub(crate) current: &'static str,
    pub(crate) faults: Vec<String>,
    pub(crate) bad_frees: u64,
    pub(crate) bad_handles: u64,
    pub(crate) allocations: u64,
    pub(crate) launches: u64,
    /// Instructions of threads that all launches ran.
    pub(crate) instructions: u64,
    /// What the call that is served wants to be said of it in the trace.
    pub(crate) note: Option<String>,
    pub(crate) trace: Trace,
    pub(crate) events: Vec<Event>,
    injections: Vec<Injection>,
}

/// One call that is to fail.
struct Injection {
    name: Option<String>,
    /// How many matching calls are still let through, plus one.
    left: u64,
    code: u32,
}

/// More faults than anybody reads; a loop that makes them must not fill the memory.
const MOST_FAULTS: usize = 1000;

/// Prints a line on stderr. A closed stderr is no reason to fail a driver call.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "weft-cuda-sim: {line}");
}

impl Monitor {
    pub(crate) fn new(trace: Trace) -> Self {
        Self {
            calls: 0,
            counts: Counts::new(),
            current: "",
            faults: Vec::new(),
            bad_frees: 0,
            bad_handles: 0,
            allocations: 0,
            launches: 0,
            instructions: 0,
            note: None,
            trace,
            events: Vec::new(),
            injections: Vec::new(),
        }
    }

    /// Counts a call. The answer is the code with which it shall fail, if it shall.
    pub(crate) fn begin(&mut self, name: &'static str) -> Option<u32> {
        self.calls += 1;
        *self.counts.entry(name).or_default() += 1;
        self.current = name;
        self.note = None;
        let mut code = None;
        self.injections.retain_mut(|injection| {
            if injection.name.as_deref().is_some_and(|n| n != name) {
                return true;
            }
            injection.left -= 1;
            if injection.left == 0 {
                code = code.or(Some(injection.code));
            }
            injection.left > 0
        });
        code
    }

    /// Makes the `nth` matching call from now fail once.
    pub(crate) fn fail(&mut self, name: Option<String>, nth: u64, code: u32) {
        self.injections.push(Injection { name, left: nth.max(1), code });
    }

    /// Forgets the calls that were to fail and have not.
    pub(crate) fn fail_none(&mut self) -> usize {
        core::mem::take(&mut self.injections).len()
    }

    pub(crate) fn fault(&mut self, what: String) {
        if self.faults.len() < MOST_FAULTS {
            if self.trace == Trace::Printed {
                say(&format!("fault: {what}"));
            }
            self.faults.push(what);
        }
    }

    pub(crate) fn ran(&mut self, stats: &crate::exec::Stats) {
        self.instructions += stats.lane_instructions;
    }

    pub(crate) fn wants_events(&self) -> bool {
        self.trace != Trace::Off
    }

    pub(crate) fn end(&mut self, arguments: Vec<(&'static str, Value)>, code: u32) {
        let event = Event { number: self.calls, call: self.current, arguments, code, note: self.note.take() };
        match self.trace {
            Trace::Off => {}
            Trace::Kept => self.events.push(event),
            Trace::Printed => say(&format!("{} {event}", event.number)),
        }
    }
}
