//! One block: its shared memory, its warps, and the barriers between them.

use super::op::{Const, LaneMask, Lanes, Pred};
use super::races::{Scope, Shadow};
use super::run::{Launch, Run};
use super::warp::{Stop, Warp};
use super::{Fault, FaultCode};
use crate::memory::{Flat, POISON};

/// What an unwritten register holds: poison as in memory, so that it is no small number and no address.
const POISONED: Lanes = [u64::from_ne_bytes([POISON; 8]); 32];

/// Turns that a warp takes before another may, where the order is shuffled: 1 to this many instructions.
const LONGEST_TURN: u64 = 64;

/// A block that runs, and the room that its successors use again.
pub(super) struct Block {
    pub(super) at: [u32; 3],
    /// Its number in the grid.
    pub(super) number: u64,
    pub(super) shared: Flat,
    pub(super) shadow: Shadow,
    /// The first of its eras.
    pub(super) first_era: u32,
    warps: Vec<Warp>,
}

impl Block {
    pub(super) fn new(launch: &Launch<'_>) -> Block {
        let threads: u32 = launch.block.iter().product();
        let shared = shared_bytes(launch);
        Block {
            at: [0; 3],
            number: 0,
            shared: Flat::new(shared),
            shadow: Shadow::new(Scope::Block),
            first_era: 0,
            warps: (0..threads.div_ceil(32))
                .map(|w| Warp::new(launch.kernel, w * 32, threads.min(w * 32 + 32)))
                .collect(),
        }
    }

    pub(super) fn run(&mut self, run: &mut Run<'_>, at: [u32; 3]) -> Result<(), Fault> {
        let launch = run.launch;
        let [x, y, z] = at.map(u64::from);
        self.at = at;
        self.number = x + u64::from(launch.grid[0]) * (y + u64::from(launch.grid[1]) * z);
        run.era = run.era.saturating_add(1);
        self.first_era = run.era;
        if run.races() {
            run.eras.push((run.era, self.number));
        }
        self.shared.clear();
        run.outcome.stats.blocks += 1;
        let mut warps = core::mem::take(&mut self.warps);
        for warp in &mut warps {
            self.start(warp, launch);
        }
        let result = self.run_warps(run, &mut warps);
        self.warps = warps;
        result
    }

    fn run_warps(&mut self, run: &mut Run<'_>, warps: &mut [Warp]) -> Result<(), Fault> {
        let mut order: Vec<usize> = (0..warps.len()).collect();
        loop {
            run.order.shuffle(&mut order);
            let mut all_stopped = true;
            for &w in &order {
                let turn = run.order.below(LONGEST_TURN).map_or(u64::MAX, |n| n + 1);
                all_stopped &= warps[w].run(run, self, turn)? == Stop::Nothing;
            }
            if !all_stopped {
                continue;
            }
            if warps.iter().all(|warp| warp.parked.is_empty()) {
                return Ok(());
            }
            self.open_barrier(run, warps)?;
        }
    }

    /// Every thread has ended or waits: they go on if all of them wait at one barrier.
    fn open_barrier(&mut self, run: &mut Run<'_>, warps: &mut [Warp]) -> Result<(), Fault> {
        let kernel = run.launch.kernel;
        let mut parked =
            warps.iter().flat_map(|warp| warp.parked.iter().map(move |p| (warp.first + p.mask.trailing_zeros(), p)));
        let Some((thread, first)) = parked.next() else { return Ok(()) };
        let line = |pc: u32| kernel.code[pc as usize].line;
        let divergent = |what: String| {
            let [x, y, z] = self.at;
            let what = format!(
                "kernel {}, block [{x}, {y}, {z}]: thread {} waits at the barrier in PTX line {}, and {what}",
                kernel.name,
                thread,
                line(first.pc)
            );
            Err(Fault { code: FaultCode::LaunchFailed, what })
        };
        if let Some((other, p)) = parked.find(|(_, p)| p.pc != first.pc || p.id != first.id) {
            return divergent(format!("thread {other} at the one in line {}", line(p.pc)));
        }
        for warp in warps.iter() {
            let waiting = warp.parked.iter().fold(0, |all, p| all | p.mask);
            let gone = warp.all & !waiting;
            if gone != 0 {
                return divergent(format!("thread {} has ended", warp.first + gone.trailing_zeros()));
            }
        }
        run.era = run.era.saturating_add(1);
        for warp in warps {
            warp.go_on();
        }
        Ok(())
    }

    /// Makes a warp as it is before its first instruction.
    fn start(&self, warp: &mut Warp, launch: &Launch<'_>) {
        let kernel = launch.kernel;
        for slot in &kernel.unset {
            warp.registers[*slot as usize] = POISONED;
        }
        for (slot, constant) in &kernel.constants {
            warp.registers[*slot as usize] = self.constant(warp, launch, *constant);
        }
        // Poison as well, and not all the same.
        warp.predicates.fill(0xa5a5_a5a5);
        warp.start();
    }

    fn constant(&self, warp: &Warp, launch: &Launch<'_>, constant: Const) -> Lanes {
        let [x, y, _] = launch.block;
        let thread = |lane: usize| warp.first + lane as u32;
        let same = |value: u64| [value; 32];
        match constant {
            Const::Value(value) => same(value),
            Const::Global { index, offset } => {
                // A module whose variables were not placed gives an address that is in no allocation.
                same(launch.globals.get(index as usize).map_or(0, |base| base.wrapping_add(offset)))
            }
            Const::Tid(axis) => core::array::from_fn(|lane| {
                let t = thread(lane);
                u64::from([t % x, t / x % y, t / x / y][usize::from(axis)])
            }),
            Const::Ntid(axis) => same(u64::from(launch.block[usize::from(axis)])),
            Const::Ctaid(axis) => same(u64::from(self.at[usize::from(axis)])),
            Const::Nctaid(axis) => same(u64::from(launch.grid[usize::from(axis)])),
            Const::LaneId => core::array::from_fn(|lane| lane as u64),
            Const::WarpId => same(u64::from(warp.first / 32)),
            Const::WarpCount => same(u64::from(launch.block.iter().product::<u32>().div_ceil(32))),
            Const::LaneMask(which) => core::array::from_fn(|lane| {
                let bit = 1u64 << lane;
                let mask = match which {
                    LaneMask::Eq => bit,
                    LaneMask::Le => bit | (bit - 1),
                    LaneMask::Lt => bit - 1,
                    LaneMask::Ge => !(bit - 1),
                    LaneMask::Gt => !(bit | (bit - 1)),
                };
                mask & 0xffff_ffff
            }),
            Const::DynamicSharedSize => same(launch.dynamic_shared as u64),
            Const::TotalSharedSize => same(self.shared.len() as u64),
            Const::DynamicShared { align, offset } => {
                let align = u64::from(align).max(DYNAMIC_ALIGN as u64);
                same((launch.kernel.static_shared as u64).next_multiple_of(align).wrapping_add(offset))
            }
        }
    }
}

/// The static part, and the dynamic part behind it at the strictest alignment.
fn shared_bytes(launch: &Launch<'_>) -> usize {
    if launch.dynamic_shared == 0 {
        return launch.kernel.static_shared;
    }
    launch.kernel.static_shared.next_multiple_of(DYNAMIC_ALIGN) + launch.dynamic_shared
}

/// Where dynamic shared memory begins: a multiple of this, and of what its declaration asks for.
const DYNAMIC_ALIGN: usize = 128;

/// A predicate as a mask of lanes.
pub(super) fn mask_of(predicates: &[u32], pred: Pred, negated: bool) -> u32 {
    let mask = predicates[pred as usize];
    if negated { !mask } else { mask }
}
