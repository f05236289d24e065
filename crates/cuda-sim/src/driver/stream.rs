//! Calls about streams.

use super::abi::{Handle, HostFunction, Out, UserData};
use super::codes::{Answer, INVALID_HANDLE, INVALID_VALUE, NOT_READY};
use super::context::GREATEST_PRIORITY;
use super::handles::Kind;
use super::queue::{NON_BLOCKING, Work};
use super::state::{Role, Sim, Stream};

pub(crate) fn create(sim: &mut Sim, stream: Out<Handle>, flags: u32) -> Answer {
    create_with_priority(sim, stream, flags, 0)
}

/// A priority out of range is brought into it, as by a driver.
pub(crate) fn create_with_priority(sim: &mut Sim, stream: Out<Handle>, flags: u32, priority: i32) -> Answer {
    let context = sim.current()?;
    stream.given()?;
    if flags & !NON_BLOCKING != 0 {
        return Err(INVALID_VALUE);
    }
    let handle = sim.add_stream(context, Role::Own, flags, priority.clamp(GREATEST_PRIORITY, 0));
    stream.put(Handle(handle))
}

/// Work that is left runs all the same, later.
pub(crate) fn destroy(sim: &mut Sim, stream: Handle) -> Answer {
    sim.current()?;
    match sim.streams.get_mut(&stream.0) {
        Some(found) if found.role == Role::Own => {
            found.role = Role::Dying;
            if found.queue.is_empty() {
                sim.streams.remove(&stream.0);
            }
            Ok(())
        }
        _ => Err(sim.bad_handle(Kind::Stream, stream)),
    }
}

pub(crate) fn synchronize(sim: &mut Sim, stream: Handle) -> Answer {
    let stream = sim.stream(stream)?;
    sim.finish_stream(stream);
    sim.current().map(drop)
}

/// While there is work left, every query lets one piece of it run, so that a program that polls gets on.
pub(crate) fn query(sim: &mut Sim, stream: Handle) -> Answer {
    let stream = sim.stream(stream)?;
    match sim.unfinished(stream) {
        Some(unfinished) => {
            sim.advance(unfinished);
            Err(NOT_READY)
        }
        None => Ok(()),
    }
}

/// The event may be of another context or device.
pub(crate) fn wait_event(sim: &mut Sim, stream: Handle, event: Handle, flags: u32) -> Answer {
    let stream = sim.stream(stream)?;
    if flags > 1 {
        return Err(INVALID_VALUE);
    }
    let record = sim.event(event)?.record;
    let device = sim.streams.get(&stream).ok_or(INVALID_HANDLE)?.device;
    match record {
        Some((on, number)) => sim.submit(stream, device, Work::Wait { stream: on, number }).map(drop),
        // An event that was never recorded is over.
        None => Ok(()),
    }
}

pub(crate) fn get_flags(sim: &mut Sim, stream: Handle, flags: Out<u32>) -> Answer {
    let found = found(sim, stream)?.flags;
    flags.put(found)
}

pub(crate) fn get_priority(sim: &mut Sim, stream: Handle, priority: Out<i32>) -> Answer {
    let found = found(sim, stream)?.priority;
    priority.put(found)
}

pub(crate) fn get_context(sim: &mut Sim, stream: Handle, context: Out<Handle>) -> Answer {
    let found = found(sim, stream)?.context;
    context.put(Handle(found))
}

fn found(sim: &mut Sim, stream: Handle) -> Answer<&Stream> {
    let stream = sim.stream(stream)?;
    sim.streams.get(&stream).ok_or(INVALID_HANDLE)
}

pub(crate) fn launch_host_function(sim: &mut Sim, stream: Handle, function: HostFunction, data: UserData) -> Answer {
    let stream = sim.stream(stream)?;
    let function = function.ok_or(INVALID_VALUE)?;
    let device = sim.streams.get(&stream).ok_or(INVALID_HANDLE)?.device;
    sim.submit(stream, device, Work::Host { function, data: data.0 as usize }).map(drop)
}
