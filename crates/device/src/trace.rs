//! [`Traced`]: a device for tests that records what another one is asked to do, and runs out of memory on request.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weft_layout::{Plan, ReducePlan};

use crate::device::{Device, sealed};
use crate::element::{Converts, Element};
use crate::error::{DeviceError, DeviceErrorKind, Result};
use crate::ops::BinaryOp;

/// Something that was asked of a [`Traced`] device. Allocations are numbered from 1 in the order in which they were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Memory was given out.
    Alloc {
        /// The number of the allocation.
        id: u64,
        /// Its size.
        bytes: usize,
        /// Whether the device had to fill it with zeros.
        zeroed: bool,
    },
    /// An allocation failed, on request or for want of memory.
    AllocFailed {
        /// The size asked for.
        bytes: usize,
    },
    /// Memory was given back.
    Free {
        /// The number of the allocation.
        id: u64,
    },
    /// Host to device.
    Upload {
        /// The allocation written.
        to: u64,
        /// How much of it.
        bytes: usize,
    },
    /// Device to host.
    Download {
        /// The allocation read.
        from: u64,
        /// How much of it.
        bytes: usize,
    },
    /// Device to device.
    Duplicate {
        /// The allocation written.
        to: u64,
        /// The allocation read.
        from: u64,
        /// How much of it.
        bytes: usize,
    },
    /// An operation over a plan.
    Run {
        /// Its name.
        op: &'static str,
        /// The allocation written.
        to: u64,
    },
}

/// How often what happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Memory given out.
    pub allocs: usize,
    /// Memory given back.
    pub frees: usize,
    /// Copies within the device: allocation to allocation.
    pub copies: usize,
    /// Host to device.
    pub uploads: usize,
    /// Device to host.
    pub downloads: usize,
    /// Operations over plans.
    pub runs: usize,
}

/// The device `D`, watched. Clones of one `Traced` are one device; two that were made separately are two.
///
/// ```
/// use weft_device::{Buffer, Host, trace::Traced};
/// let dev = Traced::new(Host);
/// let a = Buffer::<f32, _>::new_zeroed(&dev, 24)?;
/// let b = a.try_clone()?;
/// drop((a, b));
/// let counts = dev.counts();
/// assert_eq!((counts.allocs, counts.copies, counts.frees), (2, 1, 2));
/// # Ok::<(), weft_device::DeviceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Traced<D: Device> {
    inner: D,
    log: Arc<Mutex<Log>>,
}

#[derive(Debug, Default)]
struct Log {
    events: Vec<Event>,
    allocations: u64,
    /// Allocations that still succeed before one fails.
    until_failure: Option<usize>,
}

impl<D: Device> Traced<D> {
    /// Watches `inner`.
    #[must_use]
    pub fn new(inner: D) -> Traced<D> {
        Traced { inner, log: Arc::default() }
    }

    /// Everything that happened, in order.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.log().events.clone()
    }

    /// Everything that happened since the last call, in order.
    pub fn take_events(&self) -> Vec<Event> {
        core::mem::take(&mut self.log().events)
    }

    /// How often what happened since the last [`take_events`](Traced::take_events).
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for event in &self.log().events {
            *match event {
                Event::Alloc { .. } => &mut counts.allocs,
                Event::Free { .. } => &mut counts.frees,
                Event::Duplicate { .. } => &mut counts.copies,
                Event::Upload { .. } => &mut counts.uploads,
                Event::Download { .. } => &mut counts.downloads,
                Event::Run { .. } => &mut counts.runs,
                Event::AllocFailed { .. } => continue,
            } += 1;
        }
        counts
    }

    /// Lets `n` more allocations succeed and the one after them fail with `OutOfMemory`; later ones succeed again.
    pub fn fail_allocation_after(&self, n: usize) {
        self.log().until_failure = Some(n);
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        lock(&self.log)
    }

    fn record(&self, event: Event) {
        self.log().events.push(event);
    }

    fn alloc(&self, bytes: usize, zeroed: bool, call: impl FnOnce(&D) -> Result<D::Memory>) -> Result<TracedMemory<D>> {
        if bytes == 0 {
            return Ok(TracedMemory { memory: call(&self.inner)?, id: 0, log: Arc::clone(&self.log) });
        }
        let mut log = self.log();
        let refused = log.until_failure == Some(0);
        log.until_failure = log.until_failure.and_then(|n| n.checked_sub(1));
        let memory = if refused {
            Err(DeviceError::new("alloc", DeviceErrorKind::OutOfMemory { requested: bytes, room: None }))
        } else {
            call(&self.inner)
        };
        match memory {
            Ok(memory) => {
                log.allocations += 1;
                let id = log.allocations;
                log.events.push(Event::Alloc { id, bytes, zeroed });
                Ok(TracedMemory { memory, id, log: Arc::clone(&self.log) })
            }
            Err(error) => {
                log.events.push(Event::AllocFailed { bytes });
                Err(error)
            }
        }
    }
}

/// A test that panicked while it held the log has its own message; the others still want theirs.
fn lock(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Memory of a [`Traced`] device: number 0 means that there is none.
#[derive(Debug)]
pub struct TracedMemory<D: Device> {
    memory: D::Memory,
    id: u64,
    log: Arc<Mutex<Log>>,
}

impl<D: Device> Drop for TracedMemory<D> {
    fn drop(&mut self) {
        if self.id != 0 {
            lock(&self.log).events.push(Event::Free { id: self.id });
        }
    }
}

/// Where bytes of a [`Traced`] device are, and of which allocation.
#[derive(Debug)]
pub struct TracedPointer<D: Device> {
    pointer: D::Pointer,
    id: u64,
}

impl<D: Device> Clone for TracedPointer<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Device> Copy for TracedPointer<D> {}

impl<D: Device> sealed::Sealed for Traced<D> {}

// SAFETY: everything is done by `inner`, which upholds the contract; its memory lives as long as `TracedMemory`.
unsafe impl<D: Device> Device for Traced<D> {
    type Memory = TracedMemory<D>;
    type Pointer = TracedPointer<D>;

    fn name(&self) -> String {
        format!("traced {}", self.inner.name())
    }

    fn same(&self, other: &Traced<D>) -> bool {
        Arc::ptr_eq(&self.log, &other.log)
    }

    fn synchronize(&self) -> Result<()> {
        self.inner.synchronize()
    }

    fn alloc_zeroed(&self, bytes: usize) -> Result<TracedMemory<D>> {
        self.alloc(bytes, true, |inner| inner.alloc_zeroed(bytes))
    }

    unsafe fn alloc_uninit(&self, bytes: usize) -> Result<TracedMemory<D>> {
        // SAFETY: the caller's promise.
        self.alloc(bytes, false, |inner| unsafe { inner.alloc_uninit(bytes) })
    }

    fn pointer(memory: &TracedMemory<D>) -> TracedPointer<D> {
        TracedPointer { pointer: D::pointer(&memory.memory), id: memory.id }
    }

    fn address(pointer: TracedPointer<D>) -> usize {
        D::address(pointer.pointer)
    }

    /// None, so that every transfer is seen.
    fn host_pointer(_pointer: TracedPointer<D>) -> Option<*mut u8> {
        None
    }

    unsafe fn upload(&self, dst: TracedPointer<D>, at: usize, src: *const u8, bytes: usize) -> Result<()> {
        self.record(Event::Upload { to: dst.id, bytes });
        // SAFETY: the caller's contract is that of the inner call.
        unsafe { self.inner.upload(dst.pointer, at, src, bytes) }
    }

    unsafe fn download(&self, src: TracedPointer<D>, at: usize, dst: *mut u8, bytes: usize) -> Result<()> {
        self.record(Event::Download { from: src.id, bytes });
        // SAFETY: the caller's contract is that of the inner call.
        unsafe { self.inner.download(src.pointer, at, dst, bytes) }
    }

    unsafe fn duplicate(&self, dst: TracedPointer<D>, src: TracedPointer<D>, bytes: usize) -> Result<()> {
        self.record(Event::Duplicate { to: dst.id, from: src.id, bytes });
        // SAFETY: the caller's contract is that of the inner call.
        unsafe { self.inner.duplicate(dst.pointer, src.pointer, bytes) }
    }

    unsafe fn fill<T: Element>(&self, plan: &Plan<1>, dst: TracedPointer<D>, value: T) -> Result<()> {
        self.record(Event::Run { op: "fill", to: dst.id });
        // SAFETY: the caller's contract is that of the inner call.
        unsafe { self.inner.fill(plan, dst.pointer, value) }
    }

    unsafe fn copy<T: Element>(&self, plan: &Plan<2>, dst: TracedPointer<D>, src: TracedPointer<D>) -> Result<()> {
        self.record(Event::Run { op: "copy", to: dst.id });
        // SAFETY: the caller's contract is that of the inner call.
        unsafe { self.inner.copy::<T>(plan, dst.pointer, src.pointer) }
    }

    unsafe fn accumulate<T: Element>(
        &self,
        plan: &ReducePlan,
        dst: TracedPointer<D>,
        src: TracedPointer<D>,
    ) -> Result<()> {
        self.record(Event::Run { op: "accumulate", to: dst.id });
        // SAFETY: the caller's contract is that of the inner call.
        unsafe { self.inner.accumulate::<T>(plan, dst.pointer, src.pointer) }
    }

    unsafe fn binary<T: Element>(
        &self,
        op: BinaryOp,
        plan: &Plan<3>,
        dst: TracedPointer<D>,
        a: TracedPointer<D>,
        b: TracedPointer<D>,
    ) -> Result<()> {
        self.record(Event::Run { op: op.name(), to: dst.id });
        // SAFETY: the caller's contract is that of the inner call.
        unsafe { self.inner.binary::<T>(op, plan, dst.pointer, a.pointer, b.pointer) }
    }

    unsafe fn convert<S: Converts<T>, T: Element>(
        &self,
        plan: &Plan<2>,
        dst: TracedPointer<D>,
        src: TracedPointer<D>,
    ) -> Result<()> {
        self.record(Event::Run { op: "convert", to: dst.id });
        // SAFETY: the caller's contract is that of the inner call.
        unsafe { self.inner.convert::<S, T>(plan, dst.pointer, src.pointer) }
    }
}
