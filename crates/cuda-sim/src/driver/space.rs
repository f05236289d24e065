//! The memory of one device as the driver sees it: who allocated what, and which frees and ranges are right.

use std::collections::BTreeMap;

use super::codes::{Answer, ILLEGAL_ADDRESS, INVALID_VALUE, OUT_OF_MEMORY};
use crate::memory::{FIRST_ADDRESS, Memory};

/// Addresses of one device, 1 TiB; those of the next begin behind them.
const SPAN: u64 = 1 << 40;

/// The most devices: with more of them, addresses would come near those that an operating system gives to programs.
pub(crate) const MOST_DEVICES: u32 = 8;

/// The fault of a piece of work: its code, and what happened.
pub(crate) type Broken = (u32, String);

/// The memory of a device.
pub(crate) struct Space {
    pub(crate) memory: Memory,
    /// Live allocations by their address.
    pub(crate) allocations: BTreeMap<u64, Allocation>,
    /// Allocations of before: address, the call that made and the call that freed them.
    freed: BTreeMap<u64, (Allocation, u64)>,
    /// Bytes of live allocations.
    pub(crate) used: usize,
    device: u64,
}

/// An allocation.
#[derive(Clone, Copy)]
pub(crate) struct Allocation {
    pub(crate) bytes: usize,
    pub(crate) context: usize,
    pub(crate) call: u64,
    pub(crate) owner: Owner,
    /// Whether `cuMemFreeAsync` was called for it, which may not have run.
    pub(crate) freeing: bool,
}

/// Who frees an allocation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The program.
    Program,
    /// The module that it is a global of.
    Module,
}

/// The most freed allocations that are remembered.
const REMEMBERED: usize = 1 << 16;

impl Space {
    pub(crate) fn new(device: usize) -> Self {
        Self {
            memory: Memory::starting_at(FIRST_ADDRESS + device as u64 * SPAN),
            allocations: BTreeMap::new(),
            freed: BTreeMap::new(),
            used: 0,
            device: device as u64,
        }
    }

    /// Allocates; `limit` is the memory of the device. Virtual memory has bounds and takes no room.
    pub(crate) fn alloc(&mut self, allocation: Allocation, limit: usize, virtual_from: usize) -> Answer<u64> {
        let bytes = allocation.bytes;
        if bytes == 0 {
            return Err(INVALID_VALUE);
        }
        let is_virtual = bytes >= virtual_from;
        if !is_virtual && limit.checked_sub(self.used).is_none_or(|free| bytes > free) {
            return Err(OUT_OF_MEMORY);
        }
        let size = bytes as u64;
        let address = if is_virtual { self.memory.alloc_virtual(size) } else { self.memory.alloc(size) };
        let address = address.map_err(|_| OUT_OF_MEMORY)?;
        if !self.owns(address + size) {
            // No address of one device may be one of the next.
            let _ = self.memory.free(address);
            return Err(OUT_OF_MEMORY);
        }
        self.used += if is_virtual { 0 } else { bytes };
        self.allocations.insert(address, allocation);
        Ok(address)
    }

    /// Allocates where the host has memory already.
    pub(crate) fn alloc_at(&mut self, address: u64, allocation: Allocation, limit: usize) -> Answer {
        if limit.checked_sub(self.used).is_none_or(|free| allocation.bytes > free) {
            return Err(OUT_OF_MEMORY);
        }
        self.memory.alloc_at(address, allocation.bytes as u64).map_err(|_| OUT_OF_MEMORY)?;
        self.freed.remove(&address);
        self.used += allocation.bytes;
        self.allocations.insert(address, allocation);
        Ok(())
    }

    /// Frees what was found to be a live allocation; `call` is the number of the call that frees.
    pub(crate) fn release(&mut self, address: u64, call: u64, virtual_from: usize) {
        if let Some(allocation) = self.allocations.remove(&address) {
            let _ = self.memory.free(address);
            self.used -= if allocation.bytes >= virtual_from { 0 } else { allocation.bytes };
            if self.freed.len() == REMEMBERED {
                self.freed.pop_first();
            }
            self.freed.insert(address, (allocation, call));
        }
    }

    /// Frees everything of a context.
    pub(crate) fn release_context(&mut self, context: usize, call: u64, virtual_from: usize) {
        let its: Vec<u64> =
            self.allocations.iter().filter(|(_, a)| a.context == context).map(|(address, _)| *address).collect();
        its.into_iter().for_each(|address| self.release(address, call, virtual_from));
    }

    /// The live allocation that holds the whole range.
    pub(crate) fn find(&self, address: u64, bytes: usize) -> Option<(u64, &Allocation)> {
        let (base, allocation) = self.allocations.range(..=address).next_back()?;
        let offset = usize::try_from(address - base).ok()?;
        let fits = offset < allocation.bytes && bytes <= allocation.bytes - offset;
        fits.then_some((*base, allocation))
    }

    /// What is wrong with freeing that address, if it is one of this device.
    pub(crate) fn why_not_free(&self, address: u64) -> Option<String> {
        if let Some((base, a)) = self.find(address, 0) {
            let (bytes, call) = (a.bytes, a.call);
            return Some(if base != address {
                let offset = address - base;
                format!("it lies {offset} bytes inside the {bytes} bytes at {base:#x}, made by call {call}")
            } else if a.owner == Owner::Module {
                format!("it is a global of the module loaded by call {call}")
            } else {
                format!("it was freed before, by cuMemFreeAsync; made by call {call}")
            });
        }
        let (base, (a, freed)) = self.freed.range(..=address).next_back()?;
        let (bytes, call) = (a.bytes, a.call);
        let inside = address - base < bytes as u64;
        inside.then(|| format!("{bytes} bytes at {base:#x}, made by call {call}, were freed before, by call {freed}"))
    }

    /// What is wrong with a range that does not lie in one live allocation.
    pub(crate) fn why_not_range(&self, address: u64, bytes: usize) -> String {
        let mut byte = [0];
        let tried = match self.find(address, 0) {
            Some((base, a)) => {
                let offset = address - base;
                let call = a.call;
                return format!(
                    "{bytes} bytes at {address:#x} run past the {} bytes at {base:#x}, made by call {call} (they start at byte {offset})",
                    a.bytes
                );
            }
            None => self.memory.read(address, &mut byte),
        };
        let why = tried.err().map_or_else(|| "no allocation".to_owned(), |e| e.to_string());
        let why = why.trim_start_matches("memory: ");
        match self.freed.range(..=address).next_back() {
            Some((base, (a, by))) if address - base < a.bytes as u64 => format!("{why}; freed by call {by}"),
            _ => why.to_owned(),
        }
    }

    /// Whether the address is one of this device, live or not.
    pub(crate) fn owns(&self, address: u64) -> bool {
        address.checked_sub(FIRST_ADDRESS).is_some_and(|offset| offset / SPAN == self.device)
    }

    pub(crate) fn read(&self, from: u64, bytes: usize) -> Result<Vec<u8>, Broken> {
        let mut held = vec![0; bytes];
        self.memory.read(from, &mut held).map_err(broken)?;
        Ok(held)
    }

    pub(crate) fn write(&mut self, to: u64, bytes: &[u8]) -> Result<(), Broken> {
        self.memory.write(to, bytes).map_err(broken)
    }

    pub(crate) fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), Broken> {
        self.memory.copy(to, from, bytes as u64).map_err(broken)
    }

    pub(crate) fn fill(&mut self, to: u64, unit: &[u8], count: usize) -> Result<(), Broken> {
        self.memory.fill(to, unit, count as u64).map_err(broken)
    }
}

fn broken(error: crate::memory::AccessError) -> Broken {
    (ILLEGAL_ADDRESS, error.to_string())
}
