//! [`Facts`]: what a GPU says of itself.

/// What a GPU says of itself, read once when [`Cuda::new`](super::Cuda::new) finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// The marketing name.
    pub name: String,
    /// All memory of the device, in bytes.
    pub total_memory: usize,
    /// Major and minor number of the compute capability: `(8, 0)` is sm_80.
    pub compute_capability: (u32, u32),
    /// How many multiprocessors there are.
    pub multiprocessors: u32,
    /// The newest version of CUDA that the driver knows: `(12, 4)`.
    pub driver_version: (u32, u32),
}
