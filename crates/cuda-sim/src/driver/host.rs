//! Calls about page-locked host memory: what an asynchronous transfer reads or writes at the time when it runs.

use super::abi::{Address, HostOut, Out};
use super::codes::{
    Answer, HOST_MEMORY_ALREADY_REGISTERED, HOST_MEMORY_NOT_REGISTERED, INVALID_VALUE, NOT_SUPPORTED, OUT_OF_MEMORY,
};
use super::state::{Page, Pinned, Sim};

/// `PORTABLE`, `DEVICEMAP`, `WRITECOMBINED`.
const ALLOC_FLAGS: u32 = 7;
/// `PORTABLE`, `DEVICEMAP`, `IOMEMORY`, `READ_ONLY`.
const REGISTER_FLAGS: u32 = 15;

pub(crate) fn alloc(sim: &mut Sim, host: Out<HostOut>, bytes: usize) -> Answer {
    alloc_with_flags(sim, host, bytes, 0)
}

pub(crate) fn alloc_with_flags(sim: &mut Sim, host: Out<HostOut>, bytes: usize, flags: u32) -> Answer {
    let (context, device) = sim.current_device()?;
    host.given()?;
    if bytes == 0 || flags & !ALLOC_FLAGS != 0 {
        return Err(INVALID_VALUE);
    }
    let pages = Page::allocate(bytes).ok_or(OUT_OF_MEMORY)?;
    let address = pages.as_ptr() as usize;
    let call = sim.call();
    sim.pinned.insert(address, Pinned { context, device, bytes, pages: Some(pages), flags, call });
    host.put(HostOut::at(address))
}

/// Waits for the device first, as a driver does: queued transfers may still use the memory.
pub(crate) fn free(sim: &mut Sim, host: HostOut) -> Answer {
    let (_, device) = sim.current_device()?;
    match sim.pinned.get(&host.address()) {
        Some(pinned) if pinned.pages.is_some() => {
            sim.finish_device(device);
            let code = sim.current();
            if code.is_ok() {
                sim.pinned.remove(&host.address());
            }
            code.map(drop)
        }
        _ => {
            sim.monitor.bad_frees += 1;
            let text = "cuMemFreeHost: the pointer is no live page-locked allocation".to_owned();
            sim.monitor.fault(text);
            Err(INVALID_VALUE)
        }
    }
}

pub(crate) fn register(sim: &mut Sim, host: HostOut, bytes: usize, flags: u32) -> Answer {
    let (context, device) = sim.current_device()?;
    if host.is_null() || bytes == 0 || flags & !REGISTER_FLAGS != 0 {
        return Err(INVALID_VALUE);
    }
    let end = host.address().checked_add(bytes).ok_or(INVALID_VALUE)?;
    let overlaps = sim.pinned.iter().any(|(base, p)| *base < end && host.address() < base + p.bytes);
    if overlaps {
        return Err(HOST_MEMORY_ALREADY_REGISTERED);
    }
    let call = sim.call();
    sim.pinned.insert(host.address(), Pinned { context, device, bytes, pages: None, flags, call });
    Ok(())
}

pub(crate) fn unregister(sim: &mut Sim, host: HostOut) -> Answer {
    let (_, device) = sim.current_device()?;
    if sim.pinned.get(&host.address()).is_none_or(|p| p.pages.is_some()) {
        return Err(HOST_MEMORY_NOT_REGISTERED);
    }
    sim.finish_device(device);
    sim.current()?;
    sim.pinned.remove(&host.address());
    Ok(())
}

pub(crate) fn get_flags(sim: &mut Sim, flags: Out<u32>, host: HostOut) -> Answer {
    sim.current()?;
    let found = sim.pinned_at(host.address(), 1).ok_or(INVALID_VALUE)?.flags;
    flags.put(found)
}

/// Mapped host memory is not modelled, and attribute 19 says so.
pub(crate) fn device_pointer(sim: &mut Sim, _: Out<Address>, _: HostOut, _: u32) -> Answer {
    sim.current()?;
    Err(NOT_SUPPORTED)
}

impl Sim {
    /// The page-locked memory that holds the whole range.
    pub(crate) fn pinned_at(&self, address: usize, bytes: usize) -> Option<&Pinned> {
        let (base, pinned) = self.pinned.range(..=address).next_back()?;
        (address - base <= pinned.bytes && bytes <= pinned.bytes - (address - base)).then_some(pinned)
    }
}
