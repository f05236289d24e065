//! Work on streams: queued by calls, run at once or as late as the driver may, always in an order that the streams allow.
//!
//! A piece of work has a number, given in the order of the calls. It can run when the work before it in its stream has run and
//!
//! - an event that it waits for has been recorded,
//! - on the legacy default stream: all earlier work of the context's blocking streams has run,
//! - on a blocking stream: all earlier work of the legacy default stream has run.
//!
//! Whatever it waits for has a smaller number, so there is always something that can run.

use core::cell::Cell;
use std::collections::VecDeque;

use super::abi::{HostIn, HostOut, UserData};
use super::codes::{Answer, INVALID_HANDLE};
use super::config::Streams;
use super::launch::Task;
use super::space::Broken;
use super::state::{Role, Sim, Stream};

/// The work of one stream that has not run.
pub(crate) type Queue = VecDeque<Item>;

/// A piece of queued work.
pub(crate) struct Item {
    pub(crate) number: u64,
    /// The context that was current at the call: a fault breaks it.
    pub(crate) context: usize,
    /// The device whose addresses the work names.
    pub(crate) device: usize,
    /// The number and the name of the call.
    pub(crate) call: (u64, &'static str),
    pub(crate) work: Work,
}

/// What there is to do.
pub(crate) enum Work {
    Upload { to: u64, bytes: Vec<u8> },
    UploadPinned { to: u64, from: usize, bytes: usize },
    Download { to: usize, from: u64, bytes: usize },
    Copy { to: u64, from: u64, bytes: usize },
    Fill { to: u64, unit: Vec<u8>, count: usize },
    Launch(Box<Task>),
    Record { event: usize },
    Wait { stream: usize, number: u64 },
    Host { function: unsafe extern "C" fn(UserData), data: usize },
    Free { address: u64 },
}

/// `CU_STREAM_NON_BLOCKING`: independent of the legacy default stream.
pub(crate) const NON_BLOCKING: u32 = 1;

thread_local! {
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread is inside a host function, where no driver call is permitted.
pub(crate) fn in_host_function() -> bool {
    IN_HOST_FUNCTION.try_with(Cell::get).unwrap_or(false)
}

/// The generator's first state.
pub(crate) fn seed_of(streams: Streams) -> u64 {
    if let Streams::Shuffled(seed) = streams { seed } else { 0 }
}

impl Stream {
    fn is_blocking(&self) -> bool {
        self.role != Role::Legacy && self.flags & NON_BLOCKING == 0
    }

    fn front(&self) -> Option<u64> {
        self.queue.front().map(|item| item.number)
    }
}

impl Sim {
    /// Queues work on a stream and, unless streams are deferred, runs it. The answer is its number.
    pub(crate) fn submit(&mut self, stream: usize, device: usize, work: Work) -> Answer<u64> {
        let context = self.current()?;
        let call = (self.call(), self.monitor.current);
        self.last_work += 1;
        let number = self.last_work;
        let item = Item { number, context, device, call, work };
        self.streams.get_mut(&stream).ok_or(INVALID_HANDLE)?.queue.push_back(item);
        if self.config.streams == Streams::Immediate {
            self.finish(stream, number);
        }
        Ok(number)
    }

    /// Queues work and waits for it. The answer is that of a synchronising call.
    pub(crate) fn submit_and_wait(&mut self, stream: usize, device: usize, work: Work) -> Answer {
        let number = self.submit(stream, device, work)?;
        self.finish(stream, number);
        self.current().map(drop)
    }

    /// Whether this piece of work has not run.
    pub(crate) fn is_pending(&self, stream: usize, number: u64) -> bool {
        self.streams.get(&stream).and_then(Stream::front).is_some_and(|front| front <= number)
    }

    /// Runs work until the given piece has run.
    pub(crate) fn finish(&mut self, stream: usize, number: u64) {
        while self.is_pending(stream, number) {
            let next = match self.config.streams {
                Streams::Shuffled(_) => self.some_ready_stream(stream),
                Streams::Immediate | Streams::Deferred => self.ready_stream(stream),
            };
            self.run_front(next);
        }
    }

    /// Runs one piece of work that the stream needs, if it has any left: what happens while a program polls.
    pub(crate) fn advance(&mut self, stream: usize) {
        if self.is_pending(stream, u64::MAX) {
            let next = self.ready_stream(stream);
            self.run_front(next);
        }
    }

    /// Runs everything that was queued on a stream, and on the streams that it is in order with.
    pub(crate) fn finish_stream(&mut self, stream: usize) {
        while let Some(unfinished) = self.unfinished(stream) {
            self.finish(unfinished, u64::MAX);
        }
    }

    /// A stream with work left that the given one is in order with: itself, or for the legacy default stream any blocking one.
    pub(crate) fn unfinished(&self, handle: usize) -> Option<usize> {
        let stream = self.streams.get(&handle)?;
        let counts = |(other, s): &(&usize, &Stream)| {
            let in_order = stream.role == Role::Legacy && s.context == stream.context && s.is_blocking();
            (**other == handle || in_order) && !s.queue.is_empty()
        };
        self.streams.iter().find(counts).map(|(other, _)| *other)
    }

    /// Runs everything that was queued in a context.
    pub(crate) fn finish_context(&mut self, context: usize) {
        let streams: Vec<usize> =
            self.streams.iter().filter(|(_, s)| s.context == context && !s.queue.is_empty()).map(|(h, _)| *h).collect();
        for stream in streams {
            self.finish(stream, u64::MAX);
        }
    }

    /// Runs everything that was queued on streams of a device.
    pub(crate) fn finish_device(&mut self, device: usize) {
        let contexts: Vec<usize> =
            self.contexts.iter().filter(|(_, c)| c.device == device).map(|(handle, _)| *handle).collect();
        for context in contexts {
            self.finish_context(context);
        }
    }

    /// The stream whose first piece has to run next so that the given stream gets on.
    fn ready_stream(&self, stream: usize) -> usize {
        let mut stream = stream;
        while let Some(other) = self.waits_for(stream) {
            stream = other;
        }
        stream
    }

    /// The stream that has to get on before the first piece of this one can run.
    fn waits_for(&self, handle: usize) -> Option<usize> {
        let stream = self.streams.get(&handle)?;
        let item = stream.queue.front()?;
        if let Work::Wait { stream, number } = item.work
            && self.is_pending(stream, number)
        {
            return Some(stream);
        }
        let earlier = |s: &Stream| s.context == stream.context && s.front().is_some_and(|front| front < item.number);
        let holds_back = |s: &Stream| match stream.role {
            Role::Legacy => s.is_blocking() && earlier(s),
            _ => stream.is_blocking() && s.role == Role::Legacy && earlier(s),
        };
        self.streams.iter().find(|(_, s)| holds_back(s)).map(|(h, _)| *h)
    }

    /// Any stream of any context whose first piece can run, by the seed.
    fn some_ready_stream(&mut self, wanted: usize) -> usize {
        let waiting = self.streams.iter().filter(|(_, s)| !s.queue.is_empty());
        let ready: Vec<usize> = waiting.map(|(h, _)| *h).filter(|h| self.waits_for(*h).is_none()).collect();
        let choice = self.next_random() as usize % ready.len().max(1);
        ready.get(choice).copied().unwrap_or(wanted)
    }

    /// SplitMix64.
    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Runs the first piece of a stream. A fault breaks the context, and drops what it had queued.
    fn run_front(&mut self, stream: usize) {
        let Some(item) = self.streams.get_mut(&stream).and_then(|s| s.queue.pop_front()) else { return };
        let (context, call) = (item.context, item.call);
        if let Err((code, what)) = self.run(item) {
            self.monitor.fault(format!("{} (call {}): {what}", call.1, call.0));
            if let Some(context) = self.contexts.get_mut(&context) {
                context.sticky.get_or_insert(code);
            }
            self.streams.values_mut().filter(|s| s.context == context).for_each(|s| s.queue.clear());
        }
        self.streams.retain(|_, s| s.role != Role::Dying || !s.queue.is_empty());
    }

    fn run(&mut self, item: Item) -> Result<(), Broken> {
        let device = item.device;
        if self.managed.is_empty() {
            return self.run_plain(item);
        }
        let written = item.work.writes();
        self.managed_to_device(device);
        let result = self.run_plain(item);
        self.managed_to_host(device, written);
        result
    }

    fn run_plain(&mut self, item: Item) -> Result<(), Broken> {
        let gone = |()| (super::codes::INVALID_DEVICE, "the device is gone".to_owned());
        let (device, virtual_from) = (item.device, self.config.virtual_from);
        if let Work::Launch(task) = item.work {
            return self.run_kernel(device, &task, item.call);
        }
        let space = &mut self.devices.get_mut(device).ok_or(()).map_err(gone)?.space;
        match item.work {
            Work::Upload { to, bytes } => space.write(to, &bytes),
            Work::UploadPinned { to, from, bytes } => space.write(to, &HostIn::at(from).bytes(bytes)),
            Work::Download { to, from, bytes } => {
                HostOut::at(to).fill(&space.read(from, bytes)?);
                Ok(())
            }
            Work::Copy { to, from, bytes } => space.copy(to, from, bytes),
            Work::Fill { to, unit, count } => space.fill(to, &unit, count),
            Work::Free { address } => {
                space.release(address, item.call.0, virtual_from);
                self.managed.remove(&address);
                Ok(())
            }
            Work::Record { event } => {
                if let Some(event) = self.events.get_mut(&event)
                    && event.record.is_some_and(|(_, number)| number == item.number)
                {
                    event.time = Some(std::time::Instant::now());
                }
                Ok(())
            }
            Work::Wait { .. } | Work::Launch(_) => Ok(()),
            Work::Host { function, data } => {
                let _ = IN_HOST_FUNCTION.try_with(|inside| inside.set(true));
                // SAFETY: S1: the caller of cuLaunchHostFunc gave a function that may be called with this data.
                unsafe { function(UserData(data as *mut core::ffi::c_void)) };
                let _ = IN_HOST_FUNCTION.try_with(|inside| inside.set(false));
                Ok(())
            }
        }
    }
}
