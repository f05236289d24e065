//! Calls that move bytes or fill them.
//!
//! Which of them wait is what a driver documents: a transfer between host and device without `Async` in its name is done when
//! it returns; one between two places of the device, and a fill, is only queued on the default stream. Of the asynchronous
//! ones, an upload from pageable memory takes its bytes during the call, a download to pageable memory waits, and with
//! page-locked memory both happen when the stream gets there.

use super::abi::{Address, Handle, HostIn, HostOut};
use super::codes::{Answer, INVALID_VALUE};
use super::queue::Work;
use super::state::Sim;

/// The legacy default stream, where calls without a stream go.
const LEGACY: Handle = Handle(1);

pub(crate) fn upload(sim: &mut Sim, to: Address, from: HostIn, bytes: usize) -> Answer {
    let Some(device) = checked(sim, &[to], from.is_null(), bytes)? else { return Ok(()) };
    let stream = sim.stream(LEGACY)?;
    sim.submit_and_wait(stream, device, Work::Upload { to: to.0, bytes: from.bytes(bytes) })
}

pub(crate) fn download(sim: &mut Sim, to: HostOut, from: Address, bytes: usize) -> Answer {
    let Some(device) = checked(sim, &[from], to.is_null(), bytes)? else { return Ok(()) };
    let stream = sim.stream(LEGACY)?;
    sim.submit_and_wait(stream, device, Work::Download { to: to.address(), from: from.0, bytes })
}

pub(crate) fn duplicate(sim: &mut Sim, to: Address, from: Address, bytes: usize) -> Answer {
    duplicate_async(sim, to, from, bytes, LEGACY)
}

pub(crate) fn upload_async(sim: &mut Sim, to: Address, from: HostIn, bytes: usize, stream: Handle) -> Answer {
    let stream = sim.stream(stream)?;
    let Some(device) = checked(sim, &[to], from.is_null(), bytes)? else { return Ok(()) };
    let is_pinned = sim.pinned_at(from.address(), bytes).is_some();
    let work = if is_pinned {
        Work::UploadPinned { to: to.0, from: from.address(), bytes }
    } else {
        Work::Upload { to: to.0, bytes: from.bytes(bytes) }
    };
    sim.submit(stream, device, work).map(drop)
}

pub(crate) fn download_async(sim: &mut Sim, to: HostOut, from: Address, bytes: usize, stream: Handle) -> Answer {
    let stream = sim.stream(stream)?;
    let Some(device) = checked(sim, &[from], to.is_null(), bytes)? else { return Ok(()) };
    let is_pinned = sim.pinned_at(to.address(), bytes).is_some();
    let work = Work::Download { to: to.address(), from: from.0, bytes };
    if is_pinned { sim.submit(stream, device, work).map(drop) } else { sim.submit_and_wait(stream, device, work) }
}

pub(crate) fn duplicate_async(sim: &mut Sim, to: Address, from: Address, bytes: usize, stream: Handle) -> Answer {
    let stream = sim.stream(stream)?;
    let Some(device) = checked(sim, &[to, from], false, bytes)? else { return Ok(()) };
    sim.submit(stream, device, Work::Copy { to: to.0, from: from.0, bytes }).map(drop)
}

/// A copy between any two places, which tells host from device by the address.
pub(crate) fn any(sim: &mut Sim, to: Address, from: Address, bytes: usize) -> Answer {
    let place = |a: Address| usize::try_from(a.0).map_err(|_| INVALID_VALUE);
    match (sim.is_device_address(to), sim.is_device_address(from)) {
        (true, true) => duplicate(sim, to, from, bytes),
        (true, false) => upload(sim, to, HostIn::at(place(from)?), bytes),
        (false, true) => download(sim, HostOut::at(place(to)?), from, bytes),
        (false, false) => sim.current().and(Err(INVALID_VALUE)),
    }
}

pub(crate) fn any_async(sim: &mut Sim, to: Address, from: Address, bytes: usize, stream: Handle) -> Answer {
    let place = |a: Address| usize::try_from(a.0).map_err(|_| INVALID_VALUE);
    match (sim.is_device_address(to), sim.is_device_address(from)) {
        (true, true) => duplicate_async(sim, to, from, bytes, stream),
        (true, false) => upload_async(sim, to, HostIn::at(place(from)?), bytes, stream),
        (false, true) => download_async(sim, HostOut::at(place(to)?), from, bytes, stream),
        (false, false) => sim.current().and(Err(INVALID_VALUE)),
    }
}

pub(crate) fn fill8(sim: &mut Sim, to: Address, value: u8, count: usize) -> Answer {
    fill(sim, to, &value.to_le_bytes(), count, LEGACY)
}

pub(crate) fn fill16(sim: &mut Sim, to: Address, value: u16, count: usize) -> Answer {
    fill(sim, to, &value.to_le_bytes(), count, LEGACY)
}

pub(crate) fn fill32(sim: &mut Sim, to: Address, value: u32, count: usize) -> Answer {
    fill(sim, to, &value.to_le_bytes(), count, LEGACY)
}

pub(crate) fn fill8_async(sim: &mut Sim, to: Address, value: u8, count: usize, stream: Handle) -> Answer {
    fill(sim, to, &value.to_le_bytes(), count, stream)
}

pub(crate) fn fill16_async(sim: &mut Sim, to: Address, value: u16, count: usize, stream: Handle) -> Answer {
    fill(sim, to, &value.to_le_bytes(), count, stream)
}

pub(crate) fn fill32_async(sim: &mut Sim, to: Address, value: u32, count: usize, stream: Handle) -> Answer {
    fill(sim, to, &value.to_le_bytes(), count, stream)
}

fn fill(sim: &mut Sim, to: Address, unit: &[u8], count: usize, stream: Handle) -> Answer {
    let stream = sim.stream(stream)?;
    if !to.0.is_multiple_of(unit.len() as u64) {
        return Err(INVALID_VALUE);
    }
    let bytes = count.checked_mul(unit.len()).ok_or(INVALID_VALUE)?;
    let Some(device) = checked(sim, &[to], false, bytes)? else { return Ok(()) };
    sim.submit(stream, device, Work::Fill { to: to.0, unit: unit.to_vec(), count }).map(drop)
}

/// The device of ranges that lie in live allocations of the current device, each in one; `None` when there is nothing to do.
fn checked(sim: &mut Sim, ranges: &[Address], host_is_null: bool, bytes: usize) -> Answer<Option<usize>> {
    let (_, device) = sim.current_device()?;
    if bytes == 0 {
        return Ok(None);
    }
    if host_is_null {
        return Err(INVALID_VALUE);
    }
    for range in ranges {
        if sim.devices[device].space.find(range.0, bytes).is_none() {
            let why = sim.why_not_there(device, range.0, bytes);
            sim.monitor.fault(format!("{}: {why}", sim.monitor.current));
            return Err(INVALID_VALUE);
        }
    }
    Ok(Some(device))
}

impl Sim {
    fn is_device_address(&self, address: Address) -> bool {
        self.devices.iter().any(|d| d.space.owns(address.0))
    }

    fn why_not_there(&self, device: usize, address: u64, bytes: usize) -> String {
        let other = self.devices.iter().position(|d| d.space.find(address, 0).is_some());
        match other.filter(|other| *other != device) {
            Some(other) => format!("{address:#x} is memory of device {other}, and device {device} is current"),
            None => self.devices[device].space.why_not_range(address, bytes),
        }
    }
}
