//! Races: two threads, one byte, at least one of them writes, not both are atomic, and nothing puts them in order.
//!
//! What puts two accesses of one launch in order:
//!
//! - they are of the same thread;
//! - they are of one block, and a `bar.sync` lies between them;
//! - they are of one warp, and a chain of `bar.warp.sync`, `shfl.sync`, `vote.sync` and the like leads from the one lane to the
//!   other: each of these orders all lanes of its mask. (A shuffle alone promises no such thing on a device, but programs
//!   that rely on it are not what this looks for.)
//!
//! That lanes run the same instruction puts nothing in order. Neither does a fence: blocks that hand data to each other
//! through a flag are reported. Two writes of the same value are a race like any other.
//!
//! Bytes are told apart exactly. Not everything that happened to a byte is remembered: the last plain write, and of the
//! reads and of the atomic updates after it one warp of the running block and one other. That is enough to find a race
//! wherever there is one, except between lanes of one warp that met in different partial masks; and what is reported
//! always happened. Of a group of readers the line is that of the first of them.
use std::collections::HashMap;

/// Which lanes of a warp know of each other's accesses.
#[derive(Debug, Clone)]
pub(super) struct Clock {
    /// How often each lane met others.
    tick: [u32; 32],
    /// `known[a][b]`: what lane `b` did up to this tick of its own lies before what `a` does now.
    known: [[u32; 32]; 32],
}

impl Clock {
    pub(super) fn new() -> Clock {
        Clock { tick: [1; 32], known: [[0; 32]; 32] }
    }

    /// The lanes of `mask` meet.
    pub(super) fn meet(&mut self, mask: u32) {
        let mut all = [0; 32];
        for lane in lanes(mask) {
            for (most, known) in all.iter_mut().zip(self.known[lane]) {
                *most = known.max(*most);
            }
        }
        for lane in lanes(mask) {
            all[lane] = self.tick[lane];
            self.tick[lane] = self.tick[lane].saturating_add(1);
        }
        for lane in lanes(mask) {
            self.known[lane] = all;
        }
    }
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    Read,
    Write,
    /// `atom`, `red`, and loads and stores that are not plain (`.volatile`, `.relaxed`, …): both sides know that others are there.
    Update,
}

impl Does {
    pub(super) fn verb(self) -> &'static str {
        match self {
            Does::Read => "reads",
            Does::Write => "writes",
            Does::Update => "updates",
        }
    }
}

/// Who accesses.
#[derive(Debug, Clone, Copy)]
pub(super) struct By {
    /// Counts barriers and blocks of the launch, from 1: what has another one is in order or in another block.
    pub(super) era: u32,
    /// The first era of the block.
    pub(super) block: u32,
    pub(super) warp: u8,
    pub(super) lane: u8,
    pub(super) line: u32,
}

/// An access that nothing puts before the present one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Conflict {
    /// The first byte that both touch.
    pub(super) address: u64,
    pub(super) does: Does,
    pub(super) line: u32,
    pub(super) era: u32,
    pub(super) warp: u8,
    pub(super) lane: u8,
}

/// Whose memory it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Shared memory: what other blocks did there was elsewhere.
    Block,
    /// Global memory: nothing is in order between blocks.
    Device,
}

/// What happened to a memory during a launch.
#[derive(Debug)]
pub(super) struct Shadow {
    scope: Scope,
    pages: Vec<Page>,
    by_number: HashMap<u64, usize>,
    /// The page of the last access, and its number.
    last: (u64, usize),
    /// Second groups of cells, which few cells have.
    others: Vec<Group>,
}

/// Bytes of a page.
const PAGE: u64 = 1024;

#[derive(Debug)]
struct Page {
    /// Bytes of a cell: 1, 2, 4 … 16; as large as the accesses allow.
    grain: u64,
    cells: Vec<Cell>,
}

/// What happened to a few bytes that were always accessed together.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    /// The last plain write.
    written: Group,
    /// Atomic updates since then, and reads.
    updated: Group,
    read: Group,
    /// Another group of each: 1 more than its place in `others`, 0 for none.
    other_updated: u32,
    other_read: u32,
}

/// Lanes of one warp that did the same.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    /// 0 for nobody.
    era: u32,
    line: u32,
    lanes: u32,
    tick: u32,
    warp: u8,
}

impl Shadow {
    pub(super) fn new(scope: Scope) -> Shadow {
        Shadow { scope, pages: Vec::new(), by_number: HashMap::new(), last: (u64::MAX, 0), others: Vec::new() }
    }

    /// Notes an access to `size` bytes (a power of two up to 16) at `address`, a multiple of `size`.
    pub(super) fn access(&mut self, address: u64, size: u64, does: Does, by: &By, clock: &Clock) -> Option<Conflict> {
        let page = self.page(address / PAGE, size);
        let grain = self.pages[page].grain;
        let first = (address % PAGE / grain) as usize;
        let mut found = None;
        for index in first..first + (size / grain) as usize {
            let mut cell = self.pages[page].cells[index];
            if let Some((earlier, group, lane)) = self.touch(&mut cell, does, by, clock)
                && found.is_none()
            {
                let address = address + (index - first) as u64 * grain;
                let Group { line, era, warp, .. } = group;
                found = Some(Conflict { address, does: earlier, line, era, warp, lane });
            }
            self.pages[page].cells[index] = cell;
        }
        found
    }

    fn page(&mut self, number: u64, size: u64) -> usize {
        if self.last.0 != number {
            let next = self.pages.len();
            let index = *self.by_number.entry(number).or_insert(next);
            if index == next {
                self.pages.push(Page { grain: size, cells: vec![Cell::default(); (PAGE / size) as usize] });
            }
            self.last = (number, index);
        }
        let page = &mut self.pages[self.last.1];
        if page.grain > size {
            let parts = (page.grain / size) as usize;
            page.cells = page.cells.iter().flat_map(|cell| core::iter::repeat_n(*cell, parts)).collect();
            page.grain = size;
        }
        self.last.1
    }

    fn touch(&mut self, cell: &mut Cell, does: Does, by: &By, clock: &Clock) -> Option<(Does, Group, u8)> {
        let earlier = [
            (Does::Write, cell.written),
            (Does::Update, cell.updated),
            (Does::Update, self.other(cell.other_updated)),
            (Does::Read, cell.read),
            (Does::Read, self.other(cell.other_read)),
        ];
        let clashes = |what| what != does || does == Does::Write;
        let found = earlier.into_iter().filter(|(what, _)| clashes(*what)).find_map(|(what, group)| {
            let lane = self.unordered(&group, by, clock)?;
            Some((what, group, lane))
        });
        let (lanes, tick) = (1 << by.lane, clock.tick[usize::from(by.lane)]);
        let new = Group { era: by.era, line: by.line, lanes, tick, warp: by.warp };
        match does {
            // All that was before lies before this, or was just reported.
            Does::Write => *cell = Cell { written: new, ..Cell::default() },
            Does::Update => self.join(&mut cell.updated, &mut cell.other_updated, new, by, clock),
            Does::Read => self.join(&mut cell.read, &mut cell.other_read, new, by, clock),
        }
        found
    }

    fn other(&self, place: u32) -> Group {
        (place as usize).checked_sub(1).and_then(|at| self.others.get(at)).copied().unwrap_or_default()
    }

    /// A lane of `group` whose access is not in order with one by `by`.
    fn unordered(&self, group: &Group, by: &By, clock: &Clock) -> Option<u8> {
        let any = group.lanes.trailing_zeros() as u8;
        if group.era == 0 {
            None
        } else if group.era < by.block {
            (self.scope == Scope::Device).then_some(any)
        } else if group.era < by.era {
            None
        } else if group.warp != by.warp {
            Some(any)
        } else {
            lanes(group.lanes & !(1 << by.lane))
                .find(|lane| clock.known[usize::from(by.lane)][*lane] < group.tick)
                .map(|lane| lane as u8)
        }
    }

    /// Adds an access to a group, or makes it the group, so that whoever is not in order with one of all that were added
    /// is not in order with one that is kept.
    fn join(&mut self, group: &mut Group, other: &mut u32, new: Group, by: &By, clock: &Clock) {
        if group.era == by.era && group.warp == by.warp {
            if group.tick != new.tick {
                let known = &clock.known[usize::from(by.lane)];
                let stay = lanes(group.lanes & !new.lanes).filter(|lane| known[*lane] < group.tick);
                let stay = stay.fold(0, |mask, lane| mask | 1 << lane);
                if stay == 0 {
                    *group = new;
                    return;
                }
                (group.lanes, group.tick) = (stay, group.tick.min(new.tick));
            }
            group.lanes |= new.lanes;
        } else if group.era == by.era {
            if self.is_stale(other, by) {
                self.keep(other, new);
            }
        } else {
            if group.era != 0 && group.era < by.block && self.scope == Scope::Device && self.is_stale(other, by) {
                self.keep(other, *group);
            }
            *group = new;
        }
    }

    /// Whether the second group can race with nobody any more.
    fn is_stale(&self, other: &u32, by: &By) -> bool {
        let era = self.other(*other).era;
        era == 0 || (era < by.era && (era >= by.block || self.scope == Scope::Block))
    }

    fn keep(&mut self, other: &mut u32, group: Group) {
        if *other == 0 {
            self.others.push(group);
            *other = u32::try_from(self.others.len()).unwrap_or(0);
        } else if let Some(place) = self.others.get_mut(*other as usize - 1) {
            *place = group;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs accesses `(era, thread, address, size, what)` of one block, with meetings of whole warps where `size` is 0;
    /// gives the line (place in the list) of each access that races, with that of the earlier one.
    fn races(scope: Scope, accesses: &[(u32, u32, u64, u64, Does)]) -> Vec<(usize, u32)> {
        let mut shadow = Shadow::new(scope);
        let mut clocks = vec![Clock::new(); 4];
        let mut found = Vec::new();
        for (i, (era, thread, address, size, does)) in accesses.iter().enumerate() {
            let (warp, lane) = ((thread / 32 % 4) as u8, (thread % 32) as u8);
            if *size == 0 {
                clocks[usize::from(warp)].meet(*address as u32);
                continue;
            }
            // Eras from 10 on are of a second block, from 20 on of a third.
            let block = (*era / 10 * 10).max(1);
            let by = By { era: *era, block, warp, lane, line: i as u32 };
            found.extend(shadow.access(*address, *size, *does, &by, &clocks[usize::from(warp)]).map(|c| (i, c.line)));
        }
        found
    }

    use Does::{Read as R, Update as U, Write as W};

    #[test]
    fn inside_a_block() {
        let block = |list: &[_]| races(Scope::Block, list);
        assert_eq!(block(&[(1, 0, 0, 4, W), (1, 1, 0, 4, R)]), [(1, 0)], "no order between lanes");
        assert_eq!(block(&[(1, 0, 0, 4, R), (1, 1, 0, 4, W)]), [(1, 0)]);
        assert_eq!(block(&[(1, 0, 0, 4, W), (1, 33, 0, 4, W)]), [(1, 0)]);
        assert_eq!(block(&[(1, 0, 0, 4, W), (2, 33, 0, 4, W)]), [], "a barrier");
        assert_eq!(block(&[(1, 0, 0, 4, R), (1, 33, 0, 4, R)]), []);
        assert_eq!(block(&[(1, 0, 0, 4, W), (1, 0, 0, 4, R), (1, 0, 0, 4, W)]), [], "one thread");
        assert_eq!(block(&[(1, 0, 0, 4, U), (1, 1, 0, 4, U), (1, 40, 0, 4, U)]), []);
        assert_eq!(block(&[(1, 0, 0, 4, U), (1, 40, 0, 4, R)]), [(1, 0)]);
        assert_eq!(block(&[(1, 0, 0, 4, U), (1, 40, 0, 4, U), (1, 0, 0, 4, R)]), [(2, 1)], "the other group");
        assert_eq!(block(&[(1, 0, 0, 4, R), (1, 40, 0, 4, R), (1, 0, 0, 4, W)]), [(2, 1)], "the other group");
        assert_eq!(block(&[(1, 0, 0, 4, W), (11, 1, 0, 4, W)]), [], "shared memory of another block");
    }

    #[test]
    fn inside_a_warp() {
        let block = |list: &[_]| races(Scope::Block, list);
        let all = u64::from(u32::MAX);
        assert_eq!(block(&[(1, 0, 0, 4, W), (1, 0, all, 0, W), (1, 1, 0, 4, R)]), [], "they met");
        assert_eq!(block(&[(1, 0, 0, 4, W), (1, 0, 0b101, 0, W), (1, 1, 0, 4, R)]), [(2, 0)], "without lane 1");
        let chain = [(1, 0, 0, 4, W), (1, 0, 0b101, 0, W), (1, 0, 0b110, 0, W), (1, 1, 0, 4, R)];
        assert_eq!(block(&chain), [], "through lane 2");
        let back = [(1, 0, 0b110, 0, W), (1, 0, 0, 4, W), (1, 0, 0b101, 0, W), (1, 1, 0, 4, R)];
        assert_eq!(block(&back), [(3, 1)], "lane 2 knew too late");
        let after = [(1, 0, all, 0, W), (1, 0, 0, 4, W), (1, 1, 0, 4, R)];
        assert_eq!(block(&after), [(2, 1)], "they met before");
        let readers = [(1, 0, 0, 4, R), (1, 1, 0, 4, R), (1, 0, 0b110, 0, W), (1, 2, 0, 4, W)];
        assert_eq!(block(&readers), [(3, 0)], "only one of the readers met the writer");
        let mixed = [(1, 0, 0, 4, R), (1, 33, 0, 4, R), (1, 0, all, 0, W), (1, 2, 0, 4, W)];
        assert_eq!(block(&mixed), [(3, 1)], "the reader of the other warp met nobody");
    }

    #[test]
    fn between_blocks() {
        let device = |list: &[_]| races(Scope::Device, list);
        assert_eq!(device(&[(1, 0, 0, 4, W), (10, 0, 0, 4, R)]), [(1, 0)], "the same thread number, another block");
        assert_eq!(device(&[(1, 0, 0, 4, R), (10, 0, 0, 4, R), (11, 0, 0, 4, W)]), [(2, 0)]);
        assert_eq!(device(&[(1, 0, 0, 4, R), (10, 40, 0, 4, R), (11, 0, 0, 4, R), (21, 0, 0, 4, W)]), [(3, 2)]);
        let later = [(1, 0, 0, 4, R), (10, 0, 0, 4, R), (10, 40, 0, 4, R), (12, 0, 0, 4, R), (13, 0, 0, 4, W)];
        assert_eq!(device(&later), [(4, 0)], "the first block is not forgotten");
        assert_eq!(device(&[(1, 0, 0, 4, U), (10, 0, 0, 4, U), (20, 0, 0, 4, U)]), []);
        assert_eq!(device(&[(1, 0, 0, 4, U), (10, 0, 0, 4, U), (10, 0, 0, 4, R)]), [(2, 0)]);
        assert_eq!(device(&[(1, 0, 0, 4, W), (2, 9, 0, 4, R), (3, 9, 0, 4, W)]), []);
    }

    #[test]
    fn bytes_are_told_apart() {
        let device = |list: &[_]| races(Scope::Device, list);
        assert_eq!(device(&[(1, 0, 0, 16, W), (1, 1, 15, 1, R)]), [(1, 0)]);
        assert_eq!(device(&[(1, 0, 0, 1, W), (1, 1, 1, 1, W), (1, 2, 2, 2, W), (1, 3, 4, 4, W)]), []);
        assert_eq!(device(&[(1, 0, 3, 1, W), (1, 1, 0, 4, R)]), [(1, 0)]);
        assert_eq!(device(&[(1, 0, 0, 8, W), (1, 1, 8, 2, R), (1, 2, 6, 2, R)]), [(2, 0)]);
        assert_eq!(device(&[(1, 0, 1020, 4, W), (1, 1, 1024, 4, W)]), []);
    }

    /// What all this does, done slowly: every access is kept, and order is reachability.
    #[test]
    fn agrees_with_remembering_everything() {
        let mut state = 1u64;
        let mut random = |below: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % u64::from(below)) as u32
        };
        let (mut with, mut without) = (0, 0);
        for _ in 0..20_000 {
            let mut shadow = Shadow::new(Scope::Device);
            let mut clocks = [Clock::new(), Clock::new()];
            // Block, era, warp, lane and what it does.
            let mut past: Vec<(u32, u32, usize, usize, Does)> = Vec::new();
            // One bit for each earlier access of the block that the lane knows of.
            let mut seen = [[0u128; 32]; 2];
            let (mut era, mut block) = (1, 1);
            let (mut expected, mut got) = (false, false);
            for _ in 0..random(12) + 2 {
                match random(10) {
                    0 => era += 1,
                    1 => {
                        era += 1;
                        block = era;
                        (clocks, seen) = ([Clock::new(), Clock::new()], [[0; 32]; 2]);
                    }
                    2 | 3 => {
                        let warp = random(2) as usize;
                        clocks[warp].meet(u32::MAX);
                        let all = (0..4).fold(0, |m, lane| m | seen[warp][lane]);
                        seen[warp] = [all; 32];
                    }
                    _ => {
                        let (warp, lane) = (random(2) as usize, random(4) as usize);
                        let does = [Does::Read, Does::Write, Does::Update][random(3) as usize];
                        let by = By { era, block, warp: warp as u8, lane: lane as u8, line: 0 };
                        let conflict = shadow.access(8, 4, does, &by, &clocks[warp]).is_some();
                        let races = past.iter().enumerate().any(|(i, p)| {
                            let harmless = (p.4 == Does::Read && does == Does::Read) || (p.4 == U && does == U);
                            let ordered = p.0 == block && (p.1 < era || seen[warp][lane] >> i & 1 == 1);
                            !harmless && !ordered
                        });
                        // After the first race what is remembered may differ.
                        if !expected && !got {
                            assert_eq!(conflict, races, "{past:?} then {:?}", (block, era, warp, lane, does));
                        }
                        (expected, got) = (expected || races, got || conflict);
                        seen[warp][lane] |= 1 << past.len();
                        past.push((block, era, warp, lane, does));
                    }
                }
            }
            if expected { with += 1 } else { without += 1 }
        }
        assert!(with > 1000 && without > 1000, "{with} {without}");
    }
}
