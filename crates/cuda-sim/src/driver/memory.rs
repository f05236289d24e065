//! Calls about device memory: allocating, freeing, asking what an address is.

use super::abi::{Address, Handle, HostOut, Out};
use super::codes::{Answer, INVALID_VALUE, NOT_SUPPORTED};
use super::device::PITCH;
use super::queue::Work;
use super::space::{Allocation, Owner};
use super::state::Sim;

pub(crate) fn info(sim: &mut Sim, free: Out<usize>, total: Out<usize>) -> Answer {
    let (_, device) = sim.current_device()?;
    free.given()?;
    let device = &sim.devices[device];
    total.put(device.memory)?;
    free.put(device.memory.saturating_sub(device.space.used))
}

pub(crate) fn alloc(sim: &mut Sim, address: Out<Address>, bytes: usize) -> Answer {
    let (context, device) = sim.current_device()?;
    address.given()?;
    let found = sim.allocate(context, device, bytes, Owner::Program)?;
    address.put(Address(found))
}

pub(crate) fn alloc_pitch(
    sim: &mut Sim,
    address: Out<Address>,
    pitch: Out<usize>,
    width: usize,
    height: usize,
    element: u32,
) -> Answer {
    let (context, device) = sim.current_device()?;
    address.given()?;
    pitch.given()?;
    if !matches!(element, 4 | 8 | 16) {
        return Err(INVALID_VALUE);
    }
    let row = width.checked_next_multiple_of(PITCH).ok_or(INVALID_VALUE)?;
    let bytes = row.checked_mul(height).ok_or(INVALID_VALUE)?;
    let found = sim.allocate(context, device, bytes, Owner::Program)?;
    pitch.put(row)?;
    address.put(Address(found))
}

/// Waits for the device first, as a driver does. Null is no allocation and no mistake.
pub(crate) fn free(sim: &mut Sim, address: Address) -> Answer {
    let (context, device) = sim.current_device()?;
    if address.0 == 0 {
        return Ok(());
    }
    sim.may_free(context, device, address)?;
    sim.finish_device(device);
    sim.current()?;
    let (call, virtual_from) = (sim.call(), sim.config.virtual_from);
    sim.devices[device].space.release(address.0, call, virtual_from);
    sim.managed.remove(&address.0);
    Ok(())
}

pub(crate) fn alloc_async(sim: &mut Sim, address: Out<Address>, bytes: usize, stream: Handle) -> Answer {
    sim.stream(stream)?;
    alloc(sim, address, bytes)
}

/// The memory is gone when the stream gets there.
pub(crate) fn free_async(sim: &mut Sim, address: Address, stream: Handle) -> Answer {
    let stream = sim.stream(stream)?;
    let (context, device) = sim.current_device()?;
    sim.may_free(context, device, address)?;
    if let Some(allocation) = sim.devices[device].space.allocations.get_mut(&address.0) {
        allocation.freeing = true;
    }
    sim.submit(stream, device, Work::Free { address: address.0 }).map(drop)
}

pub(crate) fn address_range(sim: &mut Sim, base: Out<Address>, bytes: Out<usize>, address: Address) -> Answer {
    let (_, device) = sim.current_device()?;
    let (found, allocation) = sim.devices[device].space.find(address.0, 0).ok_or(super::codes::NOT_FOUND)?;
    base.put_if_wanted(Address(found));
    bytes.put_if_wanted(allocation.bytes);
    Ok(())
}

/// `CU_POINTER_ATTRIBUTE_*`, those that say whose memory an address is.
pub(crate) fn pointer_attribute(sim: &mut Sim, value: HostOut, attribute: i32, address: Address) -> Answer {
    sim.current()?;
    if value.is_null() {
        return Err(INVALID_VALUE);
    }
    let found = sim.devices.iter().enumerate().find_map(|(i, d)| d.space.find(address.0, 0).map(|f| (i, f)));
    let pinned = sim.pinned.range(..=address.0 as usize).next_back();
    let pinned = pinned.filter(|(base, p)| address.0 as usize - **base < p.bytes);
    let is_managed = sim.managed_at(address, 1).is_some();
    let (context, device, base, bytes, host) = match (found, pinned) {
        (Some((device, (base, a))), _) => (a.context, device, base, a.bytes, is_managed.then_some(address.0)),
        (None, Some((base, p))) => (p.context, p.device, *base as u64, p.bytes, Some(address.0)),
        (None, None) => return Err(INVALID_VALUE),
    };
    match attribute {
        1 => value.fill(&context.to_ne_bytes()),
        2 => value.fill(&if host.is_some() && !is_managed { 1_u32 } else { 2_u32 }.to_ne_bytes()),
        3 => value.fill(&address.0.to_ne_bytes()),
        4 => value.fill(&host.ok_or(INVALID_VALUE)?.to_ne_bytes()),
        8 => value.fill(&[u8::from(is_managed)]),
        9 => value.fill(&(device as i32).to_ne_bytes()),
        11 => value.fill(&base.to_ne_bytes()),
        12 => value.fill(&bytes.to_ne_bytes()),
        13 => value.fill(&[1]), // mapped
        _ => return Err(NOT_SUPPORTED),
    }
    Ok(())
}

impl Sim {
    pub(crate) fn allocate(&mut self, context: usize, device: usize, bytes: usize, owner: Owner) -> Answer<u64> {
        let call = self.call();
        let virtual_from = self.config.virtual_from;
        let device = &mut self.devices[device];
        let allocation = Allocation { bytes, context, call, owner, freeing: false };
        let address = device.space.alloc(allocation, device.memory, virtual_from)?;
        self.monitor.allocations += u64::from(owner == Owner::Program);
        Ok(address)
    }

    /// Refuses, counts and words the free of what is no live allocation of the program in the current context.
    fn may_free(&mut self, context: usize, device: usize, address: Address) -> Answer {
        let found = self.devices[device].space.allocations.get(&address.0);
        if found.is_some_and(|a| a.context == context && a.owner == Owner::Program && !a.freeing) {
            return Ok(());
        }
        let why = match found {
            Some(a) if a.context != context => "it belongs to another context of the device".to_owned(),
            _ => self.why_not_free(device, address.0),
        };
        self.monitor.bad_frees += 1;
        self.monitor.fault(format!("{}: free of {:#x}: {why}", self.monitor.current, address.0));
        Err(INVALID_VALUE)
    }

    fn why_not_free(&self, device: usize, address: u64) -> String {
        if let Some(orphan) = self.orphans.iter().find(|o| o.address == address) {
            return format!("its context was released first; made by call {}", orphan.call);
        }
        for (index, other) in self.devices.iter().enumerate() {
            if let Some(why) = other.space.why_not_free(address) {
                return if index == device {
                    why
                } else {
                    format!("it is memory of device {index}, and device {device} is current")
                };
            }
        }
        "it was never allocated".to_owned()
    }
}
