//! [`Module`] and [`Kernel`]: kernels of the user's own, from PTX.

use core::fmt;
use std::sync::Arc;

use super::present::{Function, Loaded};
use super::{Cuda, KernelArg};
use crate::device::Device as _;
use crate::error::Result;

/// PTX that was compiled for a GPU, from [`Cuda::load_ptx`].
///
/// It is unloaded when it and all kernels from it are gone.
#[derive(Clone)]
pub struct Module {
    loaded: Arc<Loaded>,
    device: Cuda,
}

impl Module {
    pub(super) fn new(device: &Cuda, ptx: &str) -> Result<Module> {
        Ok(Module { loaded: Arc::new(Loaded::new(&device.inner, ptx)?), device: device.clone() })
    }

    /// The kernel of this name. C++ changes names unless they are `extern "C"`.
    ///
    /// # Errors
    ///
    /// `NoSuchKernel`; what the driver says.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        Ok(Kernel { function: self.loaded.function(name)?, module: self.clone(), name: name.into() })
    }
}

/// A kernel that can be launched, from [`Module::kernel`].
pub struct Kernel {
    function: Function,
    module: Module,
    name: Box<str>,
}

/// How many blocks of how many threads run a kernel, and how much shared memory a block gets on top of what the kernel declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub shared_bytes: u32,
}

impl LaunchConfig {
    /// Blocks of 256 threads along x, enough for `n` threads and at least one, at most 2^31 - 1: a kernel that may get more elements
    /// than that walks on by the size of the grid.
    ///
    /// ```
    /// use weft_device::LaunchConfig;
    /// assert_eq!(LaunchConfig::for_elements(1000).grid, [4, 1, 1]);
    /// ```
    #[must_use]
    #[doc(alias = "for_num_elems")]
    pub fn for_elements(n: usize) -> LaunchConfig {
        let blocks = n.div_ceil(256).clamp(1, i32::MAX as usize) as u32;
        LaunchConfig { grid: [blocks, 1, 1], block: [256, 1, 1], shared_bytes: 0 }
    }
}

impl Kernel {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Queues the kernel after everything asked of the device before. It does not wait: what goes wrong inside the kernel is
    /// reported by a later call.
    ///
    /// # Errors
    ///
    /// What the driver says of the configuration.
    ///
    /// # Safety
    ///
    /// * `args` are the kernel's parameters: as many, in its order, each of the size and meaning that the kernel gives it (nothing
    ///   checks this; the driver reads as many bytes from each as the parameter has);
    /// * the memory that the arguments point to is on the kernel's device, the kernel stays inside of it, and it lives until the kernel has run
    ///   (freeing it waits, so it is enough to keep the buffer until the call returns);
    /// * what the kernel writes is the caller's alone, as D5 of [`Device`](crate::Device) says of operations.
    pub unsafe fn launch(&self, config: LaunchConfig, args: &[&dyn KernelArg]) -> Result<()> {
        // SAFETY: the caller's promises.
        unsafe { self.function.launch(&self.module.device.inner, config, args) }
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module(on {})", self.device.name())
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({} on {})", self.name, self.module.device.name())
    }
}
