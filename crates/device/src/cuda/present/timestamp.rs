//! [`Timestamp`]: an event of the driver, recorded on the stream.

use core::mem::ManuallyDrop;
use core::time::Duration;
use std::sync::Arc;

use cust::event::{Event, EventFlags, EventStatus};

use super::Inner;
use super::calls::{check, code_of, failed};
use crate::error::Result;

/// A recorded event, and a share of the context that it lives in (C1).
pub(in crate::cuda) struct Timestamp {
    event: ManuallyDrop<Event>,
    device: Arc<Inner>,
}

impl Timestamp {
    pub(in crate::cuda) fn record(device: &Arc<Inner>) -> Result<Timestamp> {
        let _current = device.current("record_event")?;
        let event = check("record_event", "cuEventCreate", Event::new(EventFlags::DEFAULT))?;
        // From here on it is destroyed whatever happens.
        let timestamp = Timestamp { event: ManuallyDrop::new(event), device: Arc::clone(device) };
        check("record_event", "cuEventRecord", timestamp.event.record(device.stream()))?;
        Ok(timestamp)
    }

    pub(in crate::cuda) fn is_done(&self) -> Result<bool> {
        let _current = self.device.current("is_done")?;
        Ok(check("is_done", "cuEventQuery", self.event.query())? == EventStatus::Ready)
    }

    pub(in crate::cuda) fn synchronize(&self) -> Result<()> {
        let _current = self.device.current("synchronize")?;
        check("synchronize", "cuEventSynchronize", self.event.synchronize())
    }

    pub(in crate::cuda) fn elapsed_since(&self, start: &Timestamp) -> Result<Duration> {
        let _current = self.device.current("elapsed_since")?;
        let milliseconds = check("elapsed_since", "cuEventElapsedTime", self.event.elapsed_time_f32(&start.event))?;
        // Negative where `start` is the later one.
        Ok(Duration::try_from_secs_f32(milliseconds / 1e3).unwrap_or_default())
    }
}

impl Drop for Timestamp {
    fn drop(&mut self) {
        let destroyed = self.device.current("drop_event").and_then(|_current| {
            // SAFETY: taken once, here, and never used again.
            let event = unsafe { ManuallyDrop::take(&mut self.event) };
            Event::drop(event).map_err(|(error, event)| {
                // The driver did not want it back; a second try would be no better.
                core::mem::forget(event);
                failed("drop_event", "cuEventDestroy_v2", code_of(error))
            })
        });
        if let Err(error) = destroyed {
            self.device.defer(error);
        }
    }
}
