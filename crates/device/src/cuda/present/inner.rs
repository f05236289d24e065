//! [`Inner`]: the context of a GPU, its stream, and what is loaded; one for each GPU of the process.

use core::mem::ManuallyDrop;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use cust::context::Context;
use cust::context::legacy::ContextStack;
use cust::device::{Device, DeviceAttribute};
use cust::stream::{Stream, StreamFlags};
use cust::{CudaApiVersion, CudaFlags};

use weft_layout::IndexWidth;

use super::calls::{check, check_raw};
use super::module::Loaded;
use super::staging::Staging;
use crate::cuda::Facts;
use crate::cuda::ops::Family;
use crate::error::{DeviceError, DeviceErrorKind, Result};

/// The name of everything that concerns the device as a whole, as its errors begin.
const OP: &str = "cuda";

/// One GPU: a share in its primary context, and everything that lives in it (C1).
pub(in crate::cuda) struct Inner {
    ordinal: usize,
    facts: Facts,
    deferred: Mutex<Option<DeviceError>>,
    /// Our own kernels, by their PTX; loaded when they are first asked for.
    pub(super) modules: Mutex<HashMap<(Family, IndexWidth), Loaded>>,
    pub(super) staging: Mutex<Option<Staging>>,
    stream: ManuallyDrop<Stream>,
    context: ManuallyDrop<Context>,
}

/// One `Inner` for each ordinal, for as long as anybody has it: two of them would have two streams without an order.
static DEVICES: Mutex<Vec<(usize, Weak<Inner>)>> = Mutex::new(Vec::new());

impl Inner {
    pub(in crate::cuda) fn new(ordinal: usize) -> Result<Arc<Inner>> {
        let mut devices = lock(&DEVICES);
        if let Some(inner) = devices.iter().filter(|(at, _)| *at == ordinal).find_map(|(_, inner)| inner.upgrade()) {
            return Ok(inner);
        }
        let inner = Arc::new(Inner::open(ordinal)?);
        devices.retain(|(at, _)| *at != ordinal);
        devices.push((ordinal, Arc::downgrade(&inner)));
        Ok(inner)
    }

    pub(in crate::cuda) fn count() -> Result<usize> {
        check(OP, "cuInit", cust::init(CudaFlags::empty()))?;
        Ok(check(OP, "cuDeviceGetCount", Device::num_devices())? as usize)
    }

    fn open(ordinal: usize) -> Result<Inner> {
        let count = Inner::count()?;
        if ordinal >= count {
            return Err(DeviceError::new(OP, DeviceErrorKind::NoSuchDevice { ordinal, count }));
        }
        // Below a count that the driver gives as an `i32`.
        let device = check(OP, "cuDeviceGet", Device::get_device(ordinal as u32))?;
        let attribute = |which| -> Result<u32> {
            Ok(check(OP, "cuDeviceGetAttribute", device.get_attribute(which))?.unsigned_abs())
        };
        let version = check(OP, "cuDriverGetVersion", CudaApiVersion::get())?;
        let facts = Facts {
            name: check(OP, "cuDeviceGetName", device.name())?,
            total_memory: check(OP, "cuDeviceTotalMem_v2", device.total_memory())?,
            compute_capability: (
                attribute(DeviceAttribute::ComputeCapabilityMajor)?,
                attribute(DeviceAttribute::ComputeCapabilityMinor)?,
            ),
            multiprocessors: attribute(DeviceAttribute::MultiprocessorCount)?,
            driver_version: (version.major().unsigned_abs(), version.minor().unsigned_abs()),
        };
        let context = Retained::new(device)?;
        let current = Current::of(OP, &context.0)?;
        let stream = check(OP, "cuStreamCreateWithPriority", Stream::new(StreamFlags::DEFAULT, None))?;
        current.end()?;
        Ok(Inner {
            ordinal,
            facts,
            deferred: Mutex::new(None),
            modules: Mutex::default(),
            staging: Mutex::new(None),
            stream: ManuallyDrop::new(stream),
            context: context.keep(),
        })
    }

    pub(in crate::cuda) fn ordinal(&self) -> usize {
        self.ordinal
    }

    pub(in crate::cuda) fn facts(&self) -> &Facts {
        &self.facts
    }

    pub(in crate::cuda) fn memory(&self) -> Result<(usize, usize)> {
        let _current = self.current("memory")?;
        check("memory", "cuMemGetInfo_v2", cust::memory::mem_get_info())
    }

    pub(in crate::cuda) fn synchronize(&self) -> Result<()> {
        let _current = self.current("synchronize")?;
        check("synchronize", "cuStreamSynchronize", self.stream.synchronize())
    }

    pub(in crate::cuda) fn take_deferred_error(&self) -> Option<DeviceError> {
        lock(&self.deferred).take()
    }

    /// Keeps an error that nobody can be told now (C4). The oldest stays: it is the cause, where there are several.
    pub(super) fn defer(&self, error: DeviceError) {
        lock(&self.deferred).get_or_insert(error);
    }

    /// The stream on which everything happens (C3).
    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Makes the context current until the result goes (C2).
    pub(super) fn current(&self, op: &'static str) -> Result<Current<'_>> {
        let mut current = Current::of(op, &self.context)?;
        current.owner = Some(self);
        Ok(current)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Nobody has the device any more, so nobody can be told of an error.
        let (modules, staging) = (core::mem::take(&mut *lock(&self.modules)), lock(&self.staging).take());
        match Current::of(OP, &self.context) {
            Ok(_current) => {
                drop((modules, staging));
                // SAFETY: dropped once, here, and never used again.
                unsafe { ManuallyDrop::drop(&mut self.stream) };
            }
            // Nothing can be given back by itself; the driver ends it with the context.
            Err(_) => core::mem::forget((modules, staging)),
        }
        // SAFETY: dropped once, here, and never used again; after everything that lives in it (C1).
        unsafe { ManuallyDrop::drop(&mut self.context) };
    }
}

/// A share in the primary context that is not yet somebody's.
struct Retained(ManuallyDrop<Context>);

impl Retained {
    /// Retaining through `cust` makes the context current in place of the caller's own, which comes back at once.
    fn new(device: Device) -> Result<Retained> {
        let mut before = core::ptr::null_mut();
        // SAFETY: the out-pointer is good for one handle.
        check_raw(OP, "cuCtxGetCurrent", unsafe { cust::sys::cuCtxGetCurrent(&raw mut before) })?;
        let context = Retained(ManuallyDrop::new(check(OP, "cuDevicePrimaryCtxRetain", Context::new(device))?));
        // SAFETY: null, or a handle that was current a moment ago.
        check_raw(OP, "cuCtxSetCurrent", unsafe { cust::sys::cuCtxSetCurrent(before) })?;
        Ok(context)
    }

    fn keep(self) -> ManuallyDrop<Context> {
        let mut kept = ManuallyDrop::new(self);
        // SAFETY: taken once; `kept` is never used or dropped again.
        ManuallyDrop::new(unsafe { ManuallyDrop::take(&mut kept.0) })
    }
}

impl Drop for Retained {
    fn drop(&mut self) {
        // SAFETY: dropped once, here: `keep` does not come by.
        unsafe { ManuallyDrop::drop(&mut self.0) };
    }
}

/// A context on top of this thread's stack, until this goes (C2).
pub(super) struct Current<'a> {
    owner: Option<&'a Inner>,
    /// It belongs to the thread on which it was made.
    thread: core::marker::PhantomData<*const ()>,
}

impl Current<'_> {
    fn of(op: &'static str, context: &Context) -> Result<Current<'static>> {
        // `cust` offers the stack for contexts of its older kind; the driver makes no difference between them.
        // SAFETY: a handle that is retained (C1).
        check_raw(op, "cuCtxPushCurrent_v2", unsafe { cust::sys::cuCtxPushCurrent_v2(context.as_raw()) })?;
        Ok(Current { owner: None, thread: core::marker::PhantomData })
    }

    /// Takes the context down, for whoever has no owner that could be told later.
    fn end(self) -> Result<()> {
        core::mem::forget(self);
        Current::pop()
    }

    fn pop() -> Result<()> {
        check("context", "cuCtxPopCurrent_v2", ContextStack::pop()).map(drop)
    }
}

impl Drop for Current<'_> {
    fn drop(&mut self) {
        if let Err(error) = Current::pop()
            && let Some(owner) = self.owner
        {
            owner.defer(error);
        }
    }
}

/// No lock is held where a panic could come from, and what it guards is whole at every moment.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
