//! A warp: 32 lanes that run in groups, each group the lanes that are at one instruction.

use super::block::{Block, mask_of};
use super::fault::{Fault, FaultCode};
use super::op::{Instr, Lanes, Op, Slot};
use super::races::Clock;
use super::run::Run;
use super::{access, talk};
use crate::memory::Flat;
use crate::ptx::Kernel;

/// Lanes that are at one instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) pc: u32,
    pub(super) mask: u32,
}

/// Lanes that wait at a barrier.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parked {
    pub(super) pc: u32,
    pub(super) mask: u32,
    pub(super) id: u64,
}

/// Why a warp gave its turn up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// All its lanes have ended or wait at a barrier.
    Nothing,
    /// Others may have a turn.
    Turn,
}

#[derive(Debug)]
pub(super) struct Warp {
    /// The thread of lane 0.
    pub(super) first: u32,
    /// The lanes that have a thread.
    pub(super) all: u32,
    pub(super) registers: Vec<Lanes>,
    pub(super) predicates: Vec<u32>,
    groups: Vec<Group>,
    /// Lanes that wait, at a `shfl.sync` or the like, for others of its mask.
    held: u32,
    pub(super) parked: Vec<Parked>,
    /// Local memory, one piece a lane.
    pub(super) local: Vec<Flat>,
    /// Which lanes know of each other, where races are looked for.
    pub(super) clock: Option<Box<Clock>>,
    pub(super) cache: access::Cache,
}

/// Where a group goes after an instruction.
pub(super) enum Next {
    /// All of it to the next instruction.
    Step,
    /// It waits until other lanes come to the same instruction.
    Hold,
}

impl Warp {
    pub(super) fn new(kernel: &Kernel, first: u32, end: u32) -> Warp {
        Warp {
            first,
            all: u32::MAX >> (32 - (end - first)),
            registers: vec![[0; 32]; kernel.slots],
            predicates: vec![0; kernel.predicates],
            groups: Vec::new(),
            held: 0,
            parked: Vec::new(),
            local: if kernel.local == 0 { Vec::new() } else { vec![Flat::new(kernel.local); 32] },
            clock: None,
            cache: access::Cache::default(),
        }
    }

    /// Puts all lanes at the first instruction.
    pub(super) fn start(&mut self) {
        self.groups.clear();
        self.groups.push(Group { pc: 0, mask: self.all });
        self.parked.clear();
        self.held = 0;
        self.clock = None;
        self.local.iter_mut().for_each(Flat::clear);
    }

    /// The barrier is open.
    pub(super) fn go_on(&mut self) {
        self.groups.extend(self.parked.drain(..).map(|p| Group { pc: p.pc + 1, mask: p.mask }));
        self.merge();
    }

    /// The lanes that run or wait.
    pub(super) fn live(&self) -> u32 {
        let waiting = self.parked.iter().fold(0, |all, p| all | p.mask);
        self.groups.iter().fold(waiting, |all, group| all | group.mask)
    }

    /// Runs up to so many instructions.
    pub(super) fn run(&mut self, run: &mut Run<'_>, block: &mut Block, turn: u64) -> Result<Stop, Fault> {
        let kernel = run.launch.kernel;
        let mut left = turn;
        while !self.groups.is_empty() {
            if left == 0 {
                return Ok(Stop::Turn);
            }
            left -= 1;
            let at = self.lowest(run, block)?;
            let Group { pc, mask } = self.groups[at];
            let ins = &kernel.code[pc as usize];
            let stats = &mut run.outcome.stats;
            stats.warp_instructions += 1;
            stats.lane_instructions += u64::from(mask.count_ones());
            if stats.warp_instructions > run.settings.step_limit {
                let what = format!("it does not end: {} instructions of warps", run.settings.step_limit);
                return Err(self.fault(run, block, ins, mask, FaultCode::LaunchFailed, &what));
            }
            let active = match ins.guard {
                None => mask,
                Some(guard) => mask & mask_of(&self.predicates, guard.pred, guard.negated),
            };
            match &ins.op {
                Op::Branch { target } => self.part(at, active, &[(*target, active)]),
                Op::BranchIndex { index, targets } => {
                    let lanes = self.registers[*index as usize];
                    let mut ways: Vec<(u32, u32)> = Vec::new();
                    for lane in each(active) {
                        let Some(target) = usize::try_from(lanes[lane]).ok().and_then(|i| targets.get(i)) else {
                            let what = format!("jump {} of a table of {}", lanes[lane], targets.len());
                            return Err(self.fault(run, block, ins, 1 << lane, FaultCode::LaunchFailed, &what));
                        };
                        ways.push((*target, 1 << lane));
                    }
                    self.part(at, active, &ways);
                }
                Op::Exit => {
                    self.part(at, active, &[]);
                    // Who waited for these lanes looks again.
                    self.held = 0;
                }
                Op::Barrier { id } if active != 0 => {
                    let id = self.registers[*id as usize][active.trailing_zeros() as usize];
                    self.part(at, active, &[]);
                    self.parked.push(Parked { pc, mask: active, id });
                }
                Op::Trap if active != 0 => {
                    return Err(self.fault(run, block, ins, active, FaultCode::LaunchFailed, "trap"));
                }
                _ if active == 0 => self.groups[at].pc += 1,
                op => match self.step(run, block, ins, op, active)? {
                    Next::Step => {
                        self.held &= !mask;
                        self.groups[at].pc += 1;
                    }
                    Next::Hold => {
                        // Lanes whose guard keeps them out go on alone.
                        let out = mask & !active;
                        if out != 0 {
                            self.groups[at].mask = active;
                            self.groups.push(Group { pc: pc + 1, mask: out });
                        }
                        self.held |= active;
                        continue;
                    }
                },
            }
            if self.groups.len() > 1 {
                self.merge();
            }
        }
        Ok(Stop::Nothing)
    }

    /// The group that runs next: the one that is furthest behind and does not wait for another.
    fn lowest(&self, run: &Run<'_>, block: &Block) -> Result<usize, Fault> {
        if self.groups.len() == 1 && self.held == 0 {
            return Ok(0);
        }
        let free = (0..self.groups.len()).filter(|&i| self.groups[i].mask & !self.held != 0);
        if let Some(at) = free.min_by_key(|&i| self.groups[i].pc) {
            return Ok(at);
        }
        let group = self.groups[0];
        let ins = &run.launch.kernel.code[group.pc as usize];
        let what = "it waits for lanes of its mask that have ended or wait elsewhere";
        Err(self.fault(run, block, ins, group.mask, FaultCode::LaunchFailed, what))
    }

    /// Takes the lanes of `active` out of a group and sends them on their ways; the others go to the next instruction.
    fn part(&mut self, at: usize, active: u32, ways: &[(u32, u32)]) {
        let Group { pc, mask } = self.groups.swap_remove(at);
        // A branch that all lanes take is the most frequent one.
        self.groups.extend(ways.iter().filter(|(_, mask)| *mask != 0).map(|&(pc, mask)| Group { pc, mask }));
        if mask & !active != 0 {
            self.groups.push(Group { pc: pc + 1, mask: mask & !active });
        }
    }

    /// Groups that are at one instruction become one.
    fn merge(&mut self) {
        let mut i = 0;
        while i < self.groups.len() {
            let mut j = i + 1;
            while j < self.groups.len() {
                if self.groups[i].pc == self.groups[j].pc {
                    self.groups[i].mask |= self.groups[j].mask;
                    // Who waited looks again whether everybody is there.
                    self.held &= !self.groups[i].mask;
                    self.groups.swap_remove(j);
                } else {
                    j += 1;
                }
            }
            i += 1;
        }
    }

    /// Instructions that do not change where lanes are.
    fn step(&mut self, run: &mut Run<'_>, block: &mut Block, ins: &Instr, op: &Op, active: u32) -> Result<Next, Fault> {
        match op {
            Op::Mov { d, a } => self.set(*d, active, |r| r[*a as usize]),
            Op::Map1 { f, d, a } => self.set(*d, active, |r| f(&r[*a as usize])),
            Op::Map2 { f, d, a, b } => self.set(*d, active, |r| f(&r[*a as usize], &r[*b as usize])),
            Op::Map3 { f, d, a, b, c } => {
                self.set(*d, active, |r| f(&r[*a as usize], &r[*b as usize], &r[*c as usize]));
            }
            Op::BitInsert { bits, d, a, b, c, e } => self.set(*d, active, |r| {
                let [a, b, c, e] = [a, b, c, e].map(|s| &r[*s as usize]);
                core::array::from_fn(|i| insert(u32::from(*bits), a[i], b[i], c[i], e[i]))
            }),
            Op::Lop3 { table, d, a, b, c } => self.set(*d, active, |r| {
                let [a, b, c] = [a, b, c].map(|s| &r[*s as usize]);
                core::array::from_fn(|i| lop3(*table, a[i], b[i], c[i]))
            }),
            Op::SetPred(set) => {
                let raw = (set.compare)(&self.registers[set.a as usize], &self.registers[set.b as usize]);
                let (mut p, mut q) = (raw, !raw);
                if let Some((logic, with)) = set.combine {
                    let with = mask_of(&self.predicates, with.pred, with.negated);
                    (p, q) = (logic.apply(p, with), logic.apply(q, with));
                }
                self.set_predicate(set.p, active, p);
                if let Some(other) = set.q {
                    self.set_predicate(other, active, q);
                }
            }
            Op::Select { d, a, b, p } => {
                let chosen = self.predicates[*p as usize];
                self.set(*d, active, |r| {
                    let (a, b) = (&r[*a as usize], &r[*b as usize]);
                    core::array::from_fn(|i| if chosen >> i & 1 == 1 { a[i] } else { b[i] })
                });
            }
            Op::PredConst { p, value } => self.set_predicate(*p, active, *value),
            Op::PredNot { p, a } => self.set_predicate(*p, active, !self.predicates[*a as usize]),
            Op::PredLogic { logic, p, a, b } => {
                let value = logic.apply(self.predicates[*a as usize], self.predicates[*b as usize]);
                self.set_predicate(*p, active, value);
            }
            Op::Pack { d, bits, parts } => self.set(*d, active, |r| {
                let mut packed = [0; 32];
                for (k, part) in parts.iter().enumerate() {
                    let part = &r[*part as usize];
                    packed = core::array::from_fn(|i| packed[i] | part[i] << (k as u32 * u32::from(*bits)));
                }
                packed
            }),
            Op::Unpack { bits, parts, a } => {
                // The source may be one of the targets.
                let whole = self.registers[*a as usize];
                for (k, part) in parts.iter().enumerate().filter(|(_, part)| **part != Slot::MAX) {
                    let shift = k as u32 * u32::from(*bits);
                    let mask = (1u64 << bits) - 1;
                    self.set(*part, active, |_| core::array::from_fn(|i| whole[i] >> shift & mask));
                }
            }
            Op::Load(access) => self.load(run, block, ins, access, active)?,
            Op::Store(access) => self.store(run, block, ins, access, active)?,
            Op::Atomic(atomic) => self.atomic(run, block, ins, atomic, active)?,
            Op::Shfl(shuffle) => {
                if !self.together(run, block, ins, shuffle.mask, active)? {
                    return Ok(Next::Hold);
                }
                talk::shuffle(self, run, block, ins, shuffle, active)?;
            }
            Op::Vote(vote) => {
                if !self.together(run, block, ins, vote.mask, active)? {
                    return Ok(Next::Hold);
                }
                talk::vote(self, vote, active);
            }
            Op::WarpSync { mask } => {
                if !self.together(run, block, ins, *mask, active)? {
                    return Ok(Next::Hold);
                }
            }
            Op::ActiveMask { d } => self.set(*d, active, |_| [u64::from(active); 32]),
            Op::Fence => {}
            Op::Branch { .. } | Op::BranchIndex { .. } | Op::Exit | Op::Barrier { .. } | Op::Trap => {}
        }
        Ok(Next::Step)
    }

    /// Whether all lanes that the mask names are here; if not, those that are wait for them.
    fn together(&mut self, run: &Run<'_>, block: &Block, ins: &Instr, mask: Slot, active: u32) -> Result<bool, Fault> {
        let masks = self.registers[mask as usize];
        let mask = masks[active.trailing_zeros() as usize] as u32;
        if let Some(lane) = each(active).find(|&lane| masks[lane] as u32 != mask) {
            let what = format!("its mask is {:#x}, and that of other lanes {mask:#x}", masks[lane]);
            return Err(self.fault(run, block, ins, 1 << lane, FaultCode::LaunchFailed, &what));
        }
        if active & !mask != 0 {
            let what = format!("it is not in its own mask {mask:#x}");
            return Err(self.fault(run, block, ins, active & !mask, FaultCode::LaunchFailed, &what));
        }
        // Lanes that have ended or never were are not waited for.
        let mask = mask & self.live();
        if mask & !active != 0 {
            return Ok(false);
        }
        if run.races() {
            self.clock().meet(mask);
        }
        Ok(true)
    }

    /// The clock of this block; it starts with the first access or meeting.
    pub(super) fn clock(&mut self) -> &mut Clock {
        self.clock.get_or_insert_with(|| Box::new(Clock::new()))
    }

    /// Writes a register in the active lanes.
    #[inline(always)]
    pub(super) fn set(&mut self, slot: Slot, active: u32, value: impl FnOnce(&[Lanes]) -> Lanes) {
        let value = value(&self.registers);
        let register = &mut self.registers[slot as usize];
        if active == u32::MAX {
            *register = value;
        } else {
            for (i, (to, from)) in register.iter_mut().zip(value).enumerate() {
                if active >> i & 1 == 1 {
                    *to = from;
                }
            }
        }
    }

    pub(super) fn set_predicate(&mut self, predicate: u32, active: u32, value: u32) {
        let to = &mut self.predicates[predicate as usize];
        *to = *to & !active | value & active;
    }

    /// A fault at an instruction, by the first of some lanes.
    #[cold]
    pub(super) fn fault(
        &self,
        run: &Run<'_>,
        block: &Block,
        ins: &Instr,
        lanes: u32,
        code: FaultCode,
        what: &str,
    ) -> Fault {
        let kernel = &run.launch.kernel.name;
        let thread = access::thread(run.launch, self.first + lanes.trailing_zeros());
        let what = format!("kernel {kernel}, PTX line {}, block {:?}, thread {thread:?}: {what}", ins.line, block.at);
        Fault { code, what }
    }
}

/// The numbers of the bits that are set.
pub(super) fn each(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    core::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        Some(lane)
    })
}

/// `bfi`: the lowest `len` bits of `a` at bit `at` of `b`.
fn insert(bits: u32, a: u64, b: u64, at: u64, len: u64) -> u64 {
    let (at, len) = ((at & 255) as u32, (len & 255) as u32);
    let ones = 1u64.checked_shl(len).map_or(u64::MAX, |bit| bit - 1);
    let field = ones.checked_shl(at).unwrap_or(0);
    let all = u64::MAX >> (64 - bits);
    (b & !field | a.checked_shl(at).unwrap_or(0) & field) & all
}

/// `lop3`: bit `4a + 2b + c` of the table, for every bit.
fn lop3(table: u8, a: u64, b: u64, c: u64) -> u64 {
    let mut result = 0;
    for row in (0..8u8).filter(|row| table >> row & 1 == 1) {
        let side = |bit: u8, value: u64| if row >> bit & 1 == 1 { value } else { !value };
        result |= side(2, a) & side(1, b) & side(0, c);
    }
    result & 0xffff_ffff
}
