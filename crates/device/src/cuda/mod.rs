//! [`Cuda`]: an NVIDIA GPU, its memory, and kernels of the user's own.
//!
//! What is public stands in this folder once, with the feature `cuda` and without. Everything it says goes to an `Inner`: in
//! `present` the one that talks to the driver, in `absent` a type without values, so that programs need no `cfg`.
//!
//! # Invariants
//!
//! * **C1** whoever holds an `Arc<Inner>` keeps the primary context of its device retained; memory, modules, events and staging
//!   buffers hold one and so are never older than their context;
//! * **C2** every call to the driver is made with that context on top of the thread's stack, by a `Current` that takes it
//!   down again: the caller's own context is never disturbed, on whatever thread a call or a drop happens;
//! * **C3** everything a device does goes through one stream of it, or through calls that the driver orders after that
//!   stream (it is a blocking stream, and those are calls on the default stream): so what is asked first is done first;
//! * **C4** no drop panics, and none forgets an error: it goes to [`Cuda::take_deferred_error`].

#[cfg(not(feature = "cuda"))]
mod absent;
mod arg;
#[cfg(feature = "cuda")]
mod desc;
mod device;
mod event;
mod facts;
mod kernel;
#[cfg(feature = "cuda")]
mod ops;
#[cfg(feature = "cuda")]
mod present;

#[cfg(not(feature = "cuda"))]
use absent as present;

pub use arg::{KernelArg, KernelView};
pub use device::Cuda;
pub use event::Event;
pub use facts::Facts;
pub use kernel::{Kernel, LaunchConfig, Module};

/// Where bytes of a GPU are: an address that only the GPU can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaPointer(pub(crate) u64);
