//! Managed memory: one address for the host and for the device.
//!
//! The host has real pages, the device's memory has an allocation at the same address, and bytes are carried over before
//! and after each piece of work of the device. So the host sees what a kernel wrote when the kernel has run, and
//! what the host writes while work is queued reaches that work: attribute 89 says that the two may not use it at one time.

use super::abi::{Address, Handle, HostIn, HostOut, Out};
use super::codes::{Answer, INVALID_VALUE, OUT_OF_MEMORY};
use super::queue::Work;
use super::space::{Allocation, Owner};
use super::state::{Page, Sim};

/// The host's side of a managed allocation.
pub(crate) struct Managed {
    pub(crate) device: usize,
    bytes: usize,
    /// Kept for the program's pointers.
    _pages: Box<[Page]>,
}

/// `CU_MEM_ATTACH_GLOBAL` and `CU_MEM_ATTACH_HOST`.
const ATTACH: [u32; 2] = [1, 2];

pub(crate) fn alloc(sim: &mut Sim, address: Out<Address>, bytes: usize, flags: u32) -> Answer {
    let (context, device) = sim.current_device()?;
    address.given()?;
    if bytes == 0 || !ATTACH.contains(&flags) {
        return Err(INVALID_VALUE);
    }
    let pages = Page::allocate(bytes).ok_or(OUT_OF_MEMORY)?;
    let at = pages.as_ptr() as u64;
    let call = sim.call();
    let owner = &mut sim.devices[device];
    let allocation = Allocation { bytes, context, call, owner: Owner::Program, freeing: false };
    owner.space.alloc_at(at, allocation, owner.memory)?;
    sim.monitor.allocations += 1;
    sim.managed.insert(at, Managed { device, bytes, _pages: pages });
    address.put(Address(at))
}

/// Advice changes nothing here, but has to be about managed memory.
pub(crate) fn advise(sim: &mut Sim, address: Address, bytes: usize, _advice: i32, _device: i32) -> Answer {
    sim.current()?;
    sim.managed_at(address, bytes).map(drop).ok_or(INVALID_VALUE)
}

/// There is nothing to move, but the range has to be managed memory.
pub(crate) fn prefetch(sim: &mut Sim, address: Address, bytes: usize, device: i32, stream: Handle) -> Answer {
    sim.stream(stream)?;
    // -1 is the host.
    if device != -1 {
        sim.device_index(device)?;
    }
    sim.managed_at(address, bytes).map(drop).ok_or(INVALID_VALUE)
}

impl Sim {
    /// The managed allocation that holds the whole range.
    pub(crate) fn managed_at(&self, address: Address, bytes: usize) -> Option<&Managed> {
        let (base, managed) = self.managed.range(..=address.0).next_back()?;
        let offset = usize::try_from(address.0 - base).ok()?;
        (offset < managed.bytes && bytes <= managed.bytes - offset).then_some(managed)
    }

    /// Carries what the host wrote to the device, before work that may read it there.
    pub(crate) fn managed_to_device(&mut self, device: usize) {
        for (address, managed) in self.managed.iter().filter(|(_, m)| m.device == device) {
            let bytes = HostIn::at(*address as usize).bytes(managed.bytes);
            // The allocation lives as long as the entry.
            let _ = self.devices[device].space.write(*address, &bytes);
        }
    }

    /// Carries what the device wrote to the host, after work that may have written there.
    pub(crate) fn managed_to_host(&mut self, device: usize, written: Written) {
        if written == Written::Nothing {
            return;
        }
        for (address, managed) in self.managed.iter().filter(|(_, m)| m.device == device) {
            if let Ok(bytes) = self.devices[device].space.read(*address, managed.bytes) {
                HostOut::at(*address as usize).fill(&bytes);
            }
        }
    }
}

/// Whether work writes to the device's memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    Nothing,
    Memory,
}

impl Work {
    pub(crate) fn writes(&self) -> Written {
        match self {
            Self::Upload { .. }
            | Self::UploadPinned { .. }
            | Self::Copy { .. }
            | Self::Fill { .. }
            | Self::Launch(_) => Written::Memory,
            Self::Download { .. } | Self::Record { .. } | Self::Wait { .. } | Self::Host { .. } | Self::Free { .. } => {
                Written::Nothing
            }
        }
    }
}
