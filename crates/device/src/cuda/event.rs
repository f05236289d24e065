//! [`Event`]: points in the work of a GPU, to wait for and to measure between.

use core::fmt;
use core::time::Duration;

use super::Cuda;
use super::present::Timestamp;
use crate::device::Device as _;
use crate::error::{DeviceError, DeviceErrorKind, Result};

/// A point in the work of a GPU, from [`Cuda::record_event`].
///
/// ```
/// use weft_device::{Buffer, Cuda};
/// if let Ok(gpu) = Cuda::new(0) {
///     let start = gpu.record_event()?;
///     let _zeros = Buffer::<f32, _>::new_zeroed(&gpu, 1 << 20)?;
///     println!("{:?}", gpu.record_event()?.elapsed_since(&start)?);
/// }
/// # Ok::<(), weft_device::DeviceError>(())
/// ```
pub struct Event {
    point: Timestamp,
    device: Cuda,
}

impl Event {
    pub(super) fn record(device: &Cuda) -> Result<Event> {
        Ok(Event { point: Timestamp::record(&device.inner)?, device: device.clone() })
    }

    /// Whether the GPU has got this far.
    ///
    /// # Errors
    ///
    /// What went wrong on the device.
    pub fn is_done(&self) -> Result<bool> {
        self.point.is_done()
    }

    /// Waits until the GPU has got this far.
    ///
    /// # Errors
    ///
    /// What went wrong on the device.
    pub fn synchronize(&self) -> Result<()> {
        self.point.synchronize()
    }

    /// Waits for this point, and says how long before the GPU was at `start`; to about half a microsecond.
    ///
    /// # Errors
    ///
    /// `DeviceMismatch`; what went wrong on the device.
    pub fn elapsed_since(&self, start: &Event) -> Result<Duration> {
        if !self.device.same(&start.device) {
            let (left, right) = (self.device.name().into_boxed_str(), start.device.name().into_boxed_str());
            return Err(DeviceError::new("elapsed_since", DeviceErrorKind::DeviceMismatch { left, right }));
        }
        self.point.synchronize()?;
        self.point.elapsed_since(&start.point)
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event(on {})", self.device.name())
    }
}
