//! Memory as lanes see it: state spaces, bounds, alignment, and who used what.

use super::block::Block;
use super::fault::{Accessor, Fault, FaultCode, Finding, FindingKind};
use super::op::{Access, Address, AtomOp, Atomic, Instr, LOCAL_WINDOW, SHARED_WINDOW, Slot, Space, WINDOW};
use super::races::{By, Does};
use super::run::{Launch, Run};
use super::settings::Check;
use super::warp::{Warp, each};
use crate::memory::{Memory, Place, Pointed};

/// The allocations that a warp used last: most kernels go to and fro between two or three.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cache {
    entries: [Entry; 4],
    next: usize,
}

/// `base <= address < base + size` is in slot `index`. Nothing is freed while a launch runs.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    base: u64,
    size: u64,
    index: usize,
}

impl Cache {
    #[inline(always)]
    fn find(&mut self, memory: &Memory, address: u64) -> Option<Entry> {
        for entry in &self.entries {
            if address.wrapping_sub(entry.base) < entry.size {
                return Some(*entry);
            }
        }
        let (index, slot) = memory.find(address)?;
        let entry = Entry { base: slot.allocation.base, size: slot.allocation.size, index };
        self.entries[self.next] = entry;
        self.next = (self.next + 1) % self.entries.len();
        Some(entry)
    }
}

/// A piece of one memory.
#[derive(Debug, Clone, Copy)]
enum Piece {
    Global { index: usize, at: u64 },
    Shared { at: usize },
    Local { at: usize },
    Param { at: usize },
}

impl Warp {
    /// The piece of memory that a lane means, checked.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "an access is all of this")]
    fn piece(
        &mut self,
        run: &Run<'_>,
        block: &Block,
        ins: &Instr,
        space: Space,
        address: u64,
        bytes: u64,
        lane: usize,
    ) -> Result<Piece, Fault> {
        if !address.is_multiple_of(bytes) {
            let what = format!("{bytes} bytes at {address:#x}, which is no multiple of {bytes}");
            return Err(self.fault(run, block, ins, 1 << lane, FaultCode::MisalignedAddress, &what));
        }
        let (space, address) = match space {
            Space::Generic if address.wrapping_sub(SHARED_WINDOW) < WINDOW => (Space::Shared, address - SHARED_WINDOW),
            Space::Generic if address.wrapping_sub(LOCAL_WINDOW) < WINDOW => (Space::Local, address - LOCAL_WINDOW),
            Space::Generic => (Space::Global, address),
            other => (other, address),
        };
        let within = |size: usize| address.checked_add(bytes).is_some_and(|end| end <= size as u64);
        let (name, size) = match space {
            Space::Global | Space::Generic => {
                if let Some(entry) = self.cache.find(run.memory, address)
                    && bytes <= entry.size - (address - entry.base)
                {
                    return Ok(Piece::Global { index: entry.index, at: address - entry.base });
                }
                let place: Place = run.memory.describe(address);
                let what = Pointed(address, bytes, &place).to_string();
                return Err(self.fault(run, block, ins, 1 << lane, FaultCode::IllegalAddress, &what));
            }
            Space::Shared if within(block.shared.len()) => return Ok(Piece::Shared { at: address as usize }),
            Space::Local if within(run.launch.kernel.local) => return Ok(Piece::Local { at: address as usize }),
            Space::Param if within(run.launch.params.len()) => return Ok(Piece::Param { at: address as usize }),
            Space::Shared => ("shared memory of the block", block.shared.len()),
            Space::Local => ("local memory of the thread", run.launch.kernel.local),
            Space::Param => ("parameters", run.launch.params.len()),
        };
        let what = format!("{bytes} bytes at {address:#x} run past the {size} bytes of {name}");
        Err(self.fault(run, block, ins, 1 << lane, FaultCode::IllegalAddress, &what))
    }

    pub(super) fn load(
        &mut self,
        run: &mut Run<'_>,
        block: &mut Block,
        ins: &Instr,
        access: &Access,
        active: u32,
    ) -> Result<(), Fault> {
        match access.size {
            1 => self.load_as::<1>(run, block, ins, access, active),
            2 => self.load_as::<2>(run, block, ins, access, active),
            4 => self.load_as::<4>(run, block, ins, access, active),
            _ => self.load_as::<8>(run, block, ins, access, active),
        }
    }

    fn load_as<const N: usize>(
        &mut self,
        run: &mut Run<'_>,
        block: &mut Block,
        ins: &Instr,
        access: &Access,
        active: u32,
    ) -> Result<(), Fault> {
        let bases = self.addresses(access.address);
        let bytes = u64::from(access.size) * u64::from(access.count);
        for lane in each(active) {
            let address = bases[lane];
            let piece = self.piece(run, block, ins, access.space, address, bytes, lane)?;
            let does = if access.strong { Does::Update } else { Does::Read };
            if run.settings.unwritten == Check::Report {
                self.look_for_unwritten(run, block, ins, piece, address, bytes, lane, does);
            }
            if run.races() {
                self.look_for_races(run, block, ins, piece, address, bytes, lane, does);
            }
            for k in 0..usize::from(access.count) {
                let value = self.get::<N>(run, block, piece, k * N, lane);
                let slot = access.slots[k];
                if slot == Slot::MAX {
                    continue;
                }
                let mut wide = [0; 8];
                wide[..N].copy_from_slice(&value);
                let mut value = u64::from_le_bytes(wide);
                if access.signed {
                    let shift = 64 - 8 * N as u32;
                    value = ((value << shift) as i64 >> shift) as u64;
                }
                self.registers[slot as usize][lane] = value & access.masks[k];
            }
        }
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        run: &mut Run<'_>,
        block: &mut Block,
        ins: &Instr,
        access: &Access,
        active: u32,
    ) -> Result<(), Fault> {
        match access.size {
            1 => self.store_as::<1>(run, block, ins, access, active),
            2 => self.store_as::<2>(run, block, ins, access, active),
            4 => self.store_as::<4>(run, block, ins, access, active),
            _ => self.store_as::<8>(run, block, ins, access, active),
        }
    }

    fn store_as<const N: usize>(
        &mut self,
        run: &mut Run<'_>,
        block: &mut Block,
        ins: &Instr,
        access: &Access,
        active: u32,
    ) -> Result<(), Fault> {
        let bases = self.addresses(access.address);
        let bytes = u64::from(access.size) * u64::from(access.count);
        for lane in each(active) {
            let address = bases[lane];
            let piece = self.piece(run, block, ins, access.space, address, bytes, lane)?;
            if run.races() {
                let does = if access.strong { Does::Update } else { Does::Write };
                self.look_for_races(run, block, ins, piece, address, bytes, lane, does);
            }
            for k in 0..usize::from(access.count) {
                let wide = self.registers[access.slots[k] as usize][lane].to_le_bytes();
                let mut value = [0; N];
                value.copy_from_slice(&wide[..N]);
                self.put::<N>(run, block, piece, k * N, lane, value);
            }
        }
        Ok(())
    }

    pub(super) fn atomic(
        &mut self,
        run: &mut Run<'_>,
        block: &mut Block,
        ins: &Instr,
        atomic: &Atomic,
        active: u32,
    ) -> Result<(), Fault> {
        let bases = self.addresses(atomic.address);
        let bytes = u64::from(atomic.size);
        for lane in each(active) {
            let address = bases[lane];
            let piece = self.piece(run, block, ins, atomic.space, address, bytes, lane)?;
            if matches!(piece, Piece::Local { .. } | Piece::Param { .. }) {
                let what = "an atomic access to local memory";
                return Err(self.fault(run, block, ins, 1 << lane, FaultCode::IllegalAddress, what));
            }
            if run.settings.unwritten == Check::Report {
                self.look_for_unwritten(run, block, ins, piece, address, bytes, lane, Does::Update);
            }
            if run.races() {
                self.look_for_races(run, block, ins, piece, address, bytes, lane, Does::Update);
            }
            let (x, y) = (self.registers[atomic.x as usize][lane], self.registers[atomic.y as usize][lane]);
            let is_global = matches!(piece, Piece::Global { .. });
            let old = if atomic.size == 4 {
                let old = u64::from(u32::from_le_bytes(self.get::<4>(run, block, piece, 0, lane)));
                let new = update(atomic.op, 4, old, x, y, is_global) as u32;
                self.put(run, block, piece, 0, lane, new.to_le_bytes());
                old
            } else {
                let old = u64::from_le_bytes(self.get::<8>(run, block, piece, 0, lane));
                self.put(run, block, piece, 0, lane, update(atomic.op, 8, old, x, y, is_global).to_le_bytes());
                old
            };
            if let Some(d) = atomic.d {
                self.registers[d as usize][lane] = old;
            }
        }
        Ok(())
    }

    /// The address in every lane.
    #[inline(always)]
    fn addresses(&self, address: Address) -> [u64; 32] {
        self.registers[address.base as usize].map(|base| base.wrapping_add_signed(address.offset))
    }

    /// `N` bytes of a piece; a checked piece has them.
    #[inline(always)]
    fn get<const N: usize>(&self, run: &Run<'_>, block: &Block, piece: Piece, add: usize, lane: usize) -> [u8; N] {
        let found = match piece {
            Piece::Global { index, at } => run.memory.slot(index).and_then(|slot| slot.store.load(at + add as u64)),
            Piece::Shared { at } => block.shared.load(at + add),
            Piece::Local { at } => self.local[lane].load(at + add),
            Piece::Param { at } => run.launch.params.get(at + add..).and_then(|p| p.first_chunk().copied()),
        };
        found.unwrap_or([0; N])
    }

    #[inline(always)]
    fn put<const N: usize>(
        &mut self,
        run: &mut Run<'_>,
        block: &mut Block,
        piece: Piece,
        add: usize,
        lane: usize,
        value: [u8; N],
    ) {
        let done = match piece {
            Piece::Global { index, at } => {
                run.memory.slot_mut(index).and_then(|slot| slot.store.store(at + add as u64, value))
            }
            Piece::Shared { at } => block.shared.store(at + add, value),
            Piece::Local { at } => self.local[lane].store(at + add, value),
            Piece::Param { .. } => None,
        };
        debug_assert!(done.is_some(), "a checked piece");
    }

    #[expect(clippy::too_many_arguments, reason = "an access is all of this")]
    fn look_for_unwritten(
        &mut self,
        run: &mut Run<'_>,
        block: &Block,
        ins: &Instr,
        piece: Piece,
        address: u64,
        bytes: u64,
        lane: usize,
        does: Does,
    ) {
        let written = match piece {
            Piece::Global { index, at } => {
                run.memory.slot(index).is_none_or(|slot| slot.store.is_written(at, bytes as usize))
            }
            Piece::Shared { at } => block.shared.is_written(at, bytes as usize),
            Piece::Local { at } => self.local[lane].is_written(at, bytes as usize),
            Piece::Param { .. } => true,
        };
        if !written {
            let at = accessor(run.launch, block, self.first + lane as u32, ins.line, does);
            let (address, memory) = named(piece, address);
            let kernel = run.launch.kernel.name.clone();
            run.find(Finding { kind: FindingKind::Unwritten, kernel, address, memory, at });
        }
    }

    #[expect(clippy::too_many_arguments, reason = "an access is all of this")]
    fn look_for_races(
        &mut self,
        run: &mut Run<'_>,
        block: &mut Block,
        ins: &Instr,
        piece: Piece,
        address: u64,
        bytes: u64,
        lane: usize,
        does: Does,
    ) {
        let thread = self.first + lane as u32;
        let (era, first, warp) = (run.era, block.first_era, (self.first / 32) as u8);
        let by = By { era, block: first, warp, lane: lane as u8, line: ins.line };
        let clock = self.clock();
        let race = match piece {
            Piece::Global { .. } => run.shadow.access(address, bytes, does, &by, clock),
            Piece::Shared { at } => block.shadow.access(at as u64, bytes, does, &by, clock),
            Piece::Local { .. } | Piece::Param { .. } => None,
        };
        if let Some(earlier) = race {
            let place = run.eras.partition_point(|(first, _)| *first <= earlier.era);
            let number = place.checked_sub(1).map_or(0, |at| run.eras[at].1);
            let with = Accessor {
                does: earlier.does.verb(),
                line: earlier.line,
                block: coordinates(run.launch.grid, number),
                thread: self::thread(run.launch, u32::from(earlier.warp) * 32 + u32::from(earlier.lane)),
            };
            let at = accessor(run.launch, block, thread, ins.line, does);
            let (_, memory) = named(piece, address);
            let kernel = run.launch.kernel.name.clone();
            run.find(Finding { kind: FindingKind::Race { with }, kernel, address: earlier.address, memory, at });
        }
    }
}

fn named(piece: Piece, address: u64) -> (u64, &'static str) {
    match piece {
        Piece::Global { .. } => (address, "global memory"),
        Piece::Shared { at } => (at as u64, "shared memory"),
        Piece::Local { at } => (at as u64, "local memory"),
        Piece::Param { at } => (at as u64, "parameters"),
    }
}

fn accessor(launch: &Launch<'_>, block: &Block, thread: u32, line: u32, does: Does) -> Accessor {
    Accessor { does: does.verb(), line, block: block.at, thread: self::thread(launch, thread) }
}

/// The coordinates of a thread in its block.
pub(super) fn thread(launch: &Launch<'_>, number: u32) -> [u32; 3] {
    coordinates(launch.block, u64::from(number))
}

fn coordinates([x, y, _]: [u32; 3], number: u64) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [number % x, number / x % y, number / x / y].map(|n| n as u32)
}

/// What an atomic instruction leaves in memory.
fn update(op: AtomOp, bytes: u8, old: u64, x: u64, y: u64, is_global: bool) -> u64 {
    let signed = |v: u64| if bytes == 4 { i64::from(v as i32) } else { v as i64 };
    match op {
        AtomOp::AddInt => old.wrapping_add(x),
        // The hardware's unit for global memory flushes subnormal numbers to zero; shared memory is added to by the cores.
        AtomOp::AddF32 => {
            let flush = |v: f32| if is_global && v.is_subnormal() { 0f32.copysign(v) } else { v };
            let sum = flush(flush(f32::from_bits(old as u32)) + flush(f32::from_bits(x as u32)));
            u64::from(if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() })
        }
        AtomOp::AddF64 => (f64::from_bits(old) + f64::from_bits(x)).to_bits(),
        AtomOp::MinSigned => signed(old).min(signed(x)) as u64,
        AtomOp::MaxSigned => signed(old).max(signed(x)) as u64,
        AtomOp::MinUnsigned => old.min(x),
        AtomOp::MaxUnsigned => old.max(x),
        AtomOp::And => old & x,
        AtomOp::Or => old | x,
        AtomOp::Xor => old ^ x,
        AtomOp::Inc => {
            if old >= x {
                0
            } else {
                old + 1
            }
        }
        AtomOp::Dec => {
            if old == 0 || old > x {
                x
            } else {
                old - 1
            }
        }
        AtomOp::Exch => x,
        AtomOp::Cas => {
            if old == x {
                y
            } else {
                old
            }
        }
    }
}
