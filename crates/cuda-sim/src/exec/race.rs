//! Races: two uses of one byte by two threads, at least one a write, not both atomic or strong (`.volatile`, `.relaxed`, …), and
//! nothing between that orders them.
//!
//! What orders two uses: `bar.sync` for the threads of a block, `bar.warp.sync` and `shfl.sync` for the lanes of a warp, and
//! the end of the launch for everybody. Fences do not: they order a thread's own uses, and another thread learns of that only
//! through something else. Values do not matter: two threads that write the same one race too.
//!
//! Of each byte the last write and the last two reads by different threads are remembered, so a race that is told is
//! one; of several readers that all race with one write two are told at most.

use std::collections::HashMap;

/// One use of a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Use {
    /// The line in the PTX; 0 where there was no use.
    pub(super) line: u32,
    pub(super) kind: Kind,
    /// The thread in its block, and the block in the grid.
    pub(super) thread: u32,
    pub(super) block: u64,
    /// How many barriers the block, and how many meetings the warp had had.
    pub(super) barriers: u32,
    pub(super) meetings: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    #[default]
    Read,
    Write,
    /// `.volatile`, `.relaxed` and stronger: both sides know that others are there.
    StrongRead,
    StrongWrite,
    Atomic,
}

impl Kind {
    pub(super) fn reads_only(self) -> bool {
        matches!(self, Kind::Read | Kind::StrongRead)
    }

    pub(super) fn writes_only(self) -> bool {
        matches!(self, Kind::Write | Kind::StrongWrite)
    }

    fn is_strong(self) -> bool {
        !matches!(self, Kind::Read | Kind::Write)
    }

    pub(super) fn verb(self) -> &'static str {
        match self {
            Kind::Read | Kind::StrongRead => "reads",
            Kind::Write | Kind::StrongWrite => "writes",
            Kind::Atomic => "updates",
        }
    }
}

impl Use {
    fn is(&self) -> bool {
        self.line != 0
    }

    fn same_thread(&self, other: &Use) -> bool {
        self.block == other.block && self.thread == other.thread
    }

    /// Whether this use comes before the later one for everybody to see.
    fn is_before(&self, later: &Use) -> bool {
        if self.block != later.block {
            return false;
        }
        self.barriers != later.barriers || (self.thread / 32 == later.thread / 32 && self.meetings != later.meetings)
    }

    fn races_with(&self, later: &Use) -> bool {
        let harmless =
            self.kind.reads_only() && later.kind.reads_only() || self.kind.is_strong() && later.kind.is_strong();
        self.is() && !harmless && !self.same_thread(later) && !self.is_before(later)
    }
}

/// What is remembered of a byte.
#[derive(Debug, Clone, Copy, Default)]
struct Byte {
    write: Use,
    reads: [Use; 2],
}

impl Byte {
    /// Remembers a use; gives the earlier one that it races with.
    fn note(&mut self, now: Use) -> Option<Use> {
        let race = [self.write, self.reads[0], self.reads[1]].into_iter().find(|earlier| earlier.races_with(&now));
        if now.kind.reads_only() {
            if self.reads[0].is() && !self.reads[0].same_thread(&now) {
                self.reads[1] = self.reads[0];
            }
            self.reads[0] = now;
        } else {
            self.write = now;
        }
        race
    }
}

/// Bytes that lie together.
const PAGE: u64 = 64;

/// The bytes of a memory that anybody used.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pages: HashMap<u64, Box<[Byte; PAGE as usize]>>,
}

impl Uses {
    /// Remembers a use of `len` bytes; gives the first byte that is raced for, and the earlier use.
    pub(super) fn note(&mut self, address: u64, len: u64, now: Use) -> Option<(u64, Use)> {
        let mut race = None;
        for at in address..address + len {
            let page = self.pages.entry(at / PAGE).or_insert_with(|| Box::new([Byte::default(); PAGE as usize]));
            let found = page[(at % PAGE) as usize].note(now);
            race = race.or(found.map(|earlier| (at, earlier)));
        }
        race
    }

    pub(super) fn clear(&mut self) {
        self.pages.clear();
    }
}
