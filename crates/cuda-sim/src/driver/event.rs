//! Calls about events. An event is recorded when its stream gets there; its time is that of the simulation, not of a device.

use super::abi::{Handle, Out};
use super::codes::{Answer, INVALID_HANDLE, INVALID_VALUE, NOT_READY};
use super::handles::Kind;
use super::queue::Work;
use super::state::{Event, Sim};

/// `BLOCKING_SYNC`, `DISABLE_TIMING`, `INTERPROCESS`.
const FLAGS: u32 = 7;
const DISABLE_TIMING: u32 = 2;

pub(crate) fn create(sim: &mut Sim, event: Out<Handle>, flags: u32) -> Answer {
    let context = sim.current()?;
    event.given()?;
    // An event for other processes cannot have a time.
    if flags & !FLAGS != 0 || (flags & 4 != 0 && flags & DISABLE_TIMING == 0) {
        return Err(INVALID_VALUE);
    }
    let handle = sim.new_handle(Kind::Event);
    let call = sim.call();
    sim.events.insert(handle, Event { context, flags, record: None, time: None, call });
    event.put(Handle(handle))
}

pub(crate) fn destroy(sim: &mut Sim, event: Handle) -> Answer {
    sim.current()?;
    sim.event(event)?;
    sim.events.remove(&event.0);
    Ok(())
}

/// The event and the stream have to be of one context.
pub(crate) fn record(sim: &mut Sim, event: Handle, stream: Handle) -> Answer {
    let stream = sim.stream(stream)?;
    let of_event = sim.event(event)?.context;
    let (of_stream, device) = sim.streams.get(&stream).map(|s| (s.context, s.device)).ok_or(INVALID_HANDLE)?;
    if of_event != of_stream {
        return Err(INVALID_HANDLE);
    }
    let found = sim.event(event)?;
    found.time = None;
    // The number that the work is about to get; it may run at once.
    let number = sim.last_work + 1;
    sim.event(event)?.record = Some((stream, number));
    sim.submit(stream, device, Work::Record { event: event.0 }).map(drop)
}

/// While there is work before the event, every query lets one piece of it run, so that a program that polls gets on.
pub(crate) fn query(sim: &mut Sim, event: Handle) -> Answer {
    sim.current()?;
    if let Some((stream, number)) = sim.event(event)?.record
        && sim.is_pending(stream, number)
    {
        sim.advance(stream);
        return Err(NOT_READY);
    }
    Ok(())
}

pub(crate) fn synchronize(sim: &mut Sim, event: Handle) -> Answer {
    sim.current()?;
    if let Some((stream, number)) = sim.event(event)?.record {
        sim.finish(stream, number);
    }
    sim.current().map(drop)
}

pub(crate) fn elapsed(sim: &mut Sim, milliseconds: Out<f32>, start: Handle, end: Handle) -> Answer {
    sim.current()?;
    milliseconds.given()?;
    let mut times = [None; 2];
    let mut contexts = [0; 2];
    for (i, handle) in [start, end].into_iter().enumerate() {
        let event = sim.event(handle)?;
        if event.flags & DISABLE_TIMING != 0 || event.record.is_none() {
            return Err(INVALID_HANDLE);
        }
        (times[i], contexts[i]) = (event.time, event.context);
    }
    if contexts[0] != contexts[1] {
        return Err(INVALID_HANDLE);
    }
    let [Some(start), Some(end)] = times else { return Err(NOT_READY) };
    let (forwards, backwards) = (end.saturating_duration_since(start), start.saturating_duration_since(end));
    milliseconds.put((forwards.as_secs_f32() - backwards.as_secs_f32()) * 1e3)
}

impl Sim {
    pub(crate) fn event(&mut self, handle: Handle) -> Answer<&mut Event> {
        if !self.events.contains_key(&handle.0) {
            return Err(self.bad_handle(Kind::Event, handle));
        }
        self.events.get_mut(&handle.0).ok_or(INVALID_HANDLE)
    }
}
