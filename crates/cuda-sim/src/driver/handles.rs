//! Handles: numbers that tell their kind and are never given out twice in a process, so that a stale one is always noticed.

use core::fmt;

use super::abi::Handle;

/// What a handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Context,
    Stream,
    Event,
    Module,
    Function,
}

const KINDS: [(Kind, &str); 5] = [
    (Kind::Context, "context"),
    (Kind::Stream, "stream"),
    (Kind::Event, "event"),
    (Kind::Module, "module"),
    (Kind::Function, "function"),
];

/// High enough that nothing is mapped there: a program that dereferences a handle crashes instead of reading something.
const BASE: u64 = 0x6000_0000_0000;
/// Room for as many handles of one kind.
const SPAN: u64 = 1 << 36;
const STEP: u64 = 16;

impl Kind {
    pub(crate) fn handle(self, number: u64) -> Handle {
        Handle((BASE + self as u64 * SPAN + number * STEP) as usize)
    }

    pub(crate) fn with_article(self) -> String {
        format!("{} {self}", if self == Self::Event { "an" } else { "a" })
    }

    /// What a handle says about itself.
    pub(crate) fn of(handle: u64) -> Option<(Self, u64)> {
        let offset = handle.checked_sub(BASE)?;
        let (kind, _) = KINDS.get(usize::try_from(offset / SPAN).ok()?)?;
        (offset % STEP == 0).then_some((*kind, offset % SPAN / STEP))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(KINDS[*self as usize].1)
    }
}
