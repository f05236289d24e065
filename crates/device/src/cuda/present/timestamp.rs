//! [`Timestamp`]: an event of the driver, recorded on the stream.

use core::time::Duration;
use std::sync::Arc;

use cust::sys::{self, CUevent, cudaError_enum as Code};

use super::Inner;
use super::calls::check_raw;
use crate::error::Result;

/// A recorded event, and a share of the context that it lives in (C1).
///
/// It is the driver's own and not one of `cust`, which either forgets why an event could not be destroyed, or destroys null
/// after that.
pub(in crate::cuda) struct Timestamp {
    event: CUevent,
    device: Arc<Inner>,
}

// SAFETY: the event is a name for something in the driver, which any thread may use (C2).
unsafe impl Send for Timestamp {}
// SAFETY: as above.
unsafe impl Sync for Timestamp {}

impl Timestamp {
    pub(in crate::cuda) fn record(device: &Arc<Inner>) -> Result<Timestamp> {
        const OP: &str = "record_event";
        let _current = device.current(OP)?;
        let mut event = core::ptr::null_mut();
        // SAFETY: the out-pointer is good for one handle; 0 asks for an event that takes the time.
        check_raw(OP, "cuEventCreate", unsafe { sys::cuEventCreate(&raw mut event, 0) })?;
        // From here on it is destroyed whatever happens.
        let timestamp = Timestamp { event, device: Arc::clone(device) };
        // SAFETY: both live in the context that is current.
        check_raw(OP, "cuEventRecord", unsafe { sys::cuEventRecord(event, device.stream().as_inner()) })?;
        Ok(timestamp)
    }

    pub(in crate::cuda) fn is_done(&self) -> Result<bool> {
        let _current = self.device.current("is_done")?;
        // SAFETY: the event is alive.
        match unsafe { sys::cuEventQuery(self.event) } {
            Code::CUDA_ERROR_NOT_READY => Ok(false),
            answer => check_raw("is_done", "cuEventQuery", answer).map(|()| true),
        }
    }

    pub(in crate::cuda) fn synchronize(&self) -> Result<()> {
        let _current = self.device.current("synchronize")?;
        // SAFETY: the event is alive.
        check_raw("synchronize", "cuEventSynchronize", unsafe { sys::cuEventSynchronize(self.event) })
    }

    pub(in crate::cuda) fn elapsed_since(&self, start: &Timestamp) -> Result<Duration> {
        const OP: &str = "elapsed_since";
        let _current = self.device.current(OP)?;
        let mut milliseconds = 0.0;
        // SAFETY: the out-pointer is good for one number, and both events are alive.
        let answer = unsafe { sys::cuEventElapsedTime(&raw mut milliseconds, start.event, self.event) };
        check_raw(OP, "cuEventElapsedTime", answer)?;
        // Negative where `start` is the later one.
        Ok(Duration::try_from_secs_f32(milliseconds / 1e3).unwrap_or_default())
    }
}

impl Drop for Timestamp {
    fn drop(&mut self) {
        let destroyed = self.device.current("drop_event").and_then(|_current| {
            // SAFETY: alive until here, and never used again.
            check_raw("drop_event", "cuEventDestroy_v2", unsafe { sys::cuEventDestroy_v2(self.event) })
        });
        if let Err(error) = destroyed {
            self.device.defer(error);
        }
    }
}
