//! The address space of one device: where allocations are, what they hold, and what is wrong with an address.
//!
//! Addresses are made up: they start far from anything a host pointer can be, are multiples of 512, are never given
//! twice, and have a hole of at least 4 KiB after each allocation, so that an overrun never lands in a neighbour. Fresh
//! memory is poison (`0xa5` in every byte), and a bit for every byte remembers whether it was ever written.
#![forbid(unsafe_code)]

mod error;
mod store;

use std::collections::BTreeMap;

pub(crate) use error::Pointed;
pub use error::{AccessError, Place};
pub(crate) use store::{Flat, POISON, Store};

/// Where the addresses of [`Memory::new`] begin.
pub const FIRST_ADDRESS: u64 = 0x7000_0000_0000;
/// Every allocation starts at a multiple of this.
pub const ALIGNMENT: u64 = 512;
/// Bytes that belong to nobody after every allocation, at the least.
const HOLE: u64 = 4096;
/// Allocations above this many bytes are backed page by page, when they are written.
const FLAT_LIMIT: u64 = 256 << 20;
/// How many freed ranges are remembered, to tell a use after free from a wild address.
const REMEMBERED: usize = 1 << 16;

/// One live allocation, or one that was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocation {
    /// Its first address.
    pub base: u64,
    /// Its length in bytes.
    pub size: u64,
    /// Counts allocations of this memory from 0, in order.
    pub serial: u64,
}

/// The memory of one device.
///
/// ```
/// use weft_cuda_sim::memory::Memory;
///
/// let mut memory = Memory::new();
/// let a = memory.alloc(12)?;
/// memory.write(a, &[1; 8])?;
/// assert_eq!(memory.first_unwritten(a, 12)?, Some(a + 8));
/// assert!(memory.read(a + 8, &mut [0; 5]).unwrap_err().to_string().contains("run past the 12-byte allocation"));
/// memory.free(a)?;
/// assert!(memory.read(a, &mut [0]).unwrap_err().to_string().contains("was freed"));
/// # Ok::<(), weft_cuda_sim::memory::AccessError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Memory {
    next: u64,
    serial: u64,
    slots: Vec<Option<Slot>>,
    vacant: Vec<usize>,
    /// From the first address of an allocation to its slot.
    by_base: BTreeMap<u64, usize>,
    freed: BTreeMap<u64, Allocation>,
    live_bytes: u64,
}

/// An allocation and its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) allocation: Allocation,
    pub(crate) store: Store,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

impl Memory {
    /// An empty memory whose addresses begin at [`FIRST_ADDRESS`].
    #[must_use]
    pub fn new() -> Memory {
        Memory::starting_at(FIRST_ADDRESS)
    }

    /// An empty memory whose addresses begin at `address`, rounded up to [`ALIGNMENT`]: give every device its own.
    #[must_use]
    pub fn starting_at(address: u64) -> Memory {
        Memory {
            next: address.next_multiple_of(ALIGNMENT),
            serial: 0,
            slots: Vec::new(),
            vacant: Vec::new(),
            by_base: BTreeMap::new(),
            freed: BTreeMap::new(),
            live_bytes: 0,
        }
    }

    /// `size` bytes of poison. Above 256 MiB as [`Memory::alloc_virtual`].
    ///
    /// # Errors
    ///
    /// [`AccessError::Size`] for 0 bytes, and when the addresses run out.
    pub fn alloc(&mut self, size: u64) -> Result<u64, AccessError> {
        if size > FLAT_LIMIT {
            return self.alloc_virtual(size);
        }
        self.place(size, |size| Store::Flat(Flat::new(size as usize)))
    }

    /// `size` bytes of which only the pages that are written come to exist: bounds are checked all the same.
    ///
    /// # Errors
    ///
    /// [`AccessError::Size`] for 0 bytes, and when the addresses run out.
    pub fn alloc_virtual(&mut self, size: u64) -> Result<u64, AccessError> {
        self.place(size, |_| Store::Sparse(store::Sparse::default()))
    }

    /// `size` bytes of poison at an address that is not of this memory's choosing, such as one that the host uses too.
    ///
    /// # Errors
    ///
    /// [`AccessError::Size`] for 0 bytes, when the range does not end, or when it meets a live allocation.
    pub fn alloc_at(&mut self, base: u64, size: u64) -> Result<u64, AccessError> {
        let refused = AccessError::Size { size };
        let last = size.checked_sub(1).and_then(|s| base.checked_add(s)).ok_or(refused)?;
        if self.find(base).is_some() || self.by_base.range(base..=last).next().is_some() {
            return Err(refused);
        }
        let next = core::mem::replace(&mut self.next, base);
        let placed = self.alloc(size);
        self.next = next;
        placed
    }

    fn place(&mut self, size: u64, store: impl FnOnce(u64) -> Store) -> Result<u64, AccessError> {
        let base = self.next;
        let end = base.checked_add(size).and_then(|e| e.checked_add(HOLE + ALIGNMENT));
        let (Some(end), 1..) = (end, size) else { return Err(AccessError::Size { size }) };
        let allocation = Allocation { base, size, serial: self.serial };
        let slot = Some(Slot { allocation, store: store(size) });
        let index = match self.vacant.pop() {
            Some(index) => {
                self.slots[index] = slot;
                index
            }
            None => {
                self.slots.push(slot);
                self.slots.len() - 1
            }
        };
        self.by_base.insert(base, index);
        self.next = end / ALIGNMENT * ALIGNMENT;
        self.serial += 1;
        self.live_bytes += size;
        Ok(base)
    }

    /// Gives an allocation back, by its first address.
    ///
    /// # Errors
    ///
    /// [`AccessError::Address`] when no live allocation starts there, saying what is there.
    pub fn free(&mut self, base: u64) -> Result<Allocation, AccessError> {
        let slot = self.by_base.remove(&base).and_then(|index| {
            self.vacant.push(index);
            self.slots[index].take()
        });
        let Some(slot) = slot else {
            return Err(AccessError::Address { address: base, bytes: 0, place: self.describe(base) });
        };
        self.live_bytes -= slot.allocation.size;
        if self.freed.len() == REMEMBERED {
            self.freed.pop_first();
        }
        self.freed.insert(base, slot.allocation);
        Ok(slot.allocation)
    }

    /// The live allocation that `address` points into.
    #[must_use]
    pub fn allocation(&self, address: u64) -> Option<Allocation> {
        self.find(address).map(|(_, slot)| slot.allocation)
    }

    /// All live allocations, by address.
    pub fn allocations(&self) -> impl Iterator<Item = Allocation> {
        self.by_base.values().filter_map(|i| self.slots[*i].as_ref()).map(|slot| slot.allocation)
    }

    /// How many bytes are allocated.
    #[must_use]
    pub fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// Copies bytes out.
    ///
    /// # Errors
    ///
    /// [`AccessError::Address`] unless all of them lie in one live allocation.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), AccessError> {
        if let Some((slot, at)) = self.range(address, to.len() as u64)? {
            slot.store.read(at, to);
        }
        Ok(())
    }

    /// Copies bytes in.
    ///
    /// # Errors
    ///
    /// [`AccessError::Address`] unless all of them lie in one live allocation; nothing is written then.
    pub fn write(&mut self, address: u64, from: &[u8]) -> Result<(), AccessError> {
        if let Some((slot, at)) = self.range_mut(address, from.len() as u64)? {
            slot.store.write(at, from);
        }
        Ok(())
    }

    /// Writes `pattern` over and over, `count` times.
    ///
    /// # Errors
    ///
    /// [`AccessError::Address`] unless the range lies in one live allocation; nothing is written then.
    /// [`AccessError::Size`] when its length is no `u64`.
    pub fn fill(&mut self, address: u64, pattern: &[u8], count: u64) -> Result<(), AccessError> {
        let bytes = (pattern.len() as u64).checked_mul(count).ok_or(AccessError::Size { size: count })?;
        let Some((slot, at)) = self.range_mut(address, bytes)? else { return Ok(()) };
        if bytes == slot.allocation.size && pattern.iter().all(|b| *b == pattern[0]) {
            slot.store.fill_all(pattern[0]);
            return Ok(());
        }
        let chunk = pattern.repeat((4096 / pattern.len()).clamp(1, count as usize));
        let mut done = 0;
        while done < bytes {
            let step = (bytes - done).min(chunk.len() as u64);
            slot.store.write(at + done, &chunk[..step as usize]);
            done += step;
        }
        Ok(())
    }

    /// Copies within this memory, and which bytes were never written with them. The ranges may overlap.
    ///
    /// # Errors
    ///
    /// [`AccessError::Address`] unless each range lies in one live allocation; nothing is written then.
    pub fn copy(&mut self, to: u64, from: u64, bytes: u64) -> Result<(), AccessError> {
        self.range(to, bytes)?;
        self.range(from, bytes)?;
        let mut held = Piece::default();
        let backwards = to > from;
        let mut done = 0;
        while done < bytes {
            let step = (bytes - done).min(1 << 16);
            let at = if backwards { bytes - done - step } else { done };
            self.take(from + at, step, &mut held)?;
            self.put(to + at, &held)?;
            done += step;
        }
        Ok(())
    }

    /// Copies from the memory of another device, and which bytes were never written with them.
    ///
    /// # Errors
    ///
    /// [`AccessError::Address`] unless each range lies in one live allocation; nothing is written then.
    pub fn copy_from(&mut self, to: u64, other: &Memory, from: u64, bytes: u64) -> Result<(), AccessError> {
        self.range(to, bytes)?;
        other.range(from, bytes)?;
        let mut held = Piece::default();
        let mut done = 0;
        while done < bytes {
            let step = (bytes - done).min(1 << 16);
            other.take(from + done, step, &mut held)?;
            self.put(to + done, &held)?;
            done += step;
        }
        Ok(())
    }

    /// The address of the first byte of a range that nobody ever wrote.
    ///
    /// # Errors
    ///
    /// [`AccessError::Address`] unless the range lies in one live allocation.
    pub fn first_unwritten(&self, address: u64, bytes: u64) -> Result<Option<u64>, AccessError> {
        let Some((slot, at)) = self.range(address, bytes)? else { return Ok(None) };
        Ok(slot.store.first_unwritten(at, bytes).map(|at| slot.allocation.base + at))
    }

    /// Says in words what `address` points at, for a report.
    #[must_use]
    pub fn describe(&self, address: u64) -> Place {
        if let Some((_, slot)) = self.find(address) {
            return Place::Inside(slot.allocation);
        }
        let freed = self.freed.range(..=address).next_back().map(|(_, f)| *f);
        if let Some(freed) = freed.filter(|f| address - f.base < f.size) {
            return Place::Freed(freed);
        }
        let before = self.by_base.range(..=address).next_back();
        let after = self.by_base.range(address..).next();
        let live = |found: Option<(&u64, &usize)>| {
            found.and_then(|(_, index)| self.slots[*index].as_ref()).map(|slot| slot.allocation)
        };
        match (live(before), live(after)) {
            (Some(b), Some(a)) if a.base - address < address - (b.base + b.size) => Place::Before(a),
            (Some(b), _) => Place::After(b),
            (None, Some(a)) => Place::Before(a),
            (None, None) => Place::Nowhere,
        }
    }

    /// The slot that holds `address`.
    pub(crate) fn find(&self, address: u64) -> Option<(usize, &Slot)> {
        let (_, index) = self.by_base.range(..=address).next_back()?;
        let slot = self.slots[*index].as_ref()?;
        (address - slot.allocation.base < slot.allocation.size).then_some((*index, slot))
    }

    pub(crate) fn slot(&self, index: usize) -> Option<&Slot> {
        self.slots.get(index)?.as_ref()
    }

    pub(crate) fn slot_mut(&mut self, index: usize) -> Option<&mut Slot> {
        self.slots.get_mut(index)?.as_mut()
    }

    /// The slot and the offset in it of a range; `None` when it is empty.
    fn range(&self, address: u64, bytes: u64) -> Result<Option<(&Slot, u64)>, AccessError> {
        if bytes == 0 {
            return Ok(None);
        }
        match self.find(address) {
            Some((_, slot)) if bytes <= slot.allocation.size - (address - slot.allocation.base) => {
                Ok(Some((slot, address - slot.allocation.base)))
            }
            _ => Err(AccessError::Address { address, bytes, place: self.describe(address) }),
        }
    }

    fn range_mut(&mut self, address: u64, bytes: u64) -> Result<Option<(&mut Slot, u64)>, AccessError> {
        let Some((slot, at)) = self.range(address, bytes)? else { return Ok(None) };
        let base = slot.allocation.base;
        let index = self.by_base[&base];
        Ok(self.slots[index].as_mut().map(|slot| (slot, at)))
    }

    fn take(&self, address: u64, bytes: u64, held: &mut Piece) -> Result<(), AccessError> {
        held.bytes.clear();
        held.unwritten.clear();
        held.bytes.resize(bytes as usize, 0);
        let Some((slot, start)) = self.range(address, bytes)? else { return Ok(()) };
        slot.store.read(start, &mut held.bytes);
        let mut at = start;
        while let Some(first) = slot.store.first_unwritten(at, start + bytes - at) {
            let end = slot.store.first_written(first, start + bytes - first).unwrap_or(start + bytes);
            held.unwritten.push((first - start, (end - first) as usize));
            at = end;
        }
        Ok(())
    }

    fn put(&mut self, address: u64, held: &Piece) -> Result<(), AccessError> {
        let Some((slot, at)) = self.range_mut(address, held.bytes.len() as u64)? else { return Ok(()) };
        slot.store.write(at, &held.bytes);
        for (from, len) in &held.unwritten {
            slot.store.forget(at + from, *len);
        }
        Ok(())
    }
}

/// Bytes on their way from one place to another, and the runs of them that nobody wrote.
#[derive(Debug, Default)]
struct Piece {
    bytes: Vec<u8>,
    unwritten: Vec<(u64, usize)>,
}

#[cfg(test)]
mod tests;
