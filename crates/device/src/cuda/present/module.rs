//! PTX in the driver: [`Loaded`] modules, [`Function`]s in them, and launches.

use core::ffi::{CStr, c_void};
use core::mem::ManuallyDrop;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::CString;
use std::sync::Arc;

use cust::module::Module;
use cust::sys::{self, CUfunction, CUjit_option_enum as JitOption};

use super::Inner;
use super::calls::{UNSUPPORTED_PTX_VERSION, check_raw, code_of, failed};
use super::inner::lock;
use crate::cuda::ops::Launch;
use crate::cuda::{Cuda, KernelArg, LaunchConfig};
use crate::error::{DeviceError, DeviceErrorKind, Result};

/// A module in the driver. What the device loads for itself holds no `Arc` of it, or neither would ever go.
pub(in crate::cuda) struct Loaded {
    module: ManuallyDrop<Module>,
    device: Keeper,
    functions: HashMap<String, Handle>,
}

/// How a module knows its device.
enum Keeper {
    /// A module of the user's: it keeps the context (C1).
    Strong(Arc<Inner>),
    /// A module of the device's own, dropped by it with the context current.
    Within,
}

/// A kernel of a module that somebody keeps loaded.
#[derive(Clone, Copy)]
struct Handle(CUfunction);

// SAFETY: a name for something in the driver, which any thread may use.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

/// A kernel of a user's module.
pub(in crate::cuda) struct Function(Handle);

impl Loaded {
    /// A user's module.
    pub(in crate::cuda) fn new(device: &Arc<Inner>, ptx: &str) -> Result<Loaded> {
        let _current = device.current("load_ptx")?;
        let module = ManuallyDrop::new(load("load_ptx", ptx, device)?);
        Ok(Loaded { module, device: Keeper::Strong(Arc::clone(device)), functions: HashMap::new() })
    }

    /// The kernel `name` of a user's module.
    pub(in crate::cuda) fn function(&self, name: &str) -> Result<Function> {
        let Keeper::Strong(device) = &self.device else {
            unreachable!("only the device itself has modules of its own")
        };
        let _current = device.current("kernel")?;
        look_up("kernel", &self.module, name).map(Function)
    }
}

impl Function {
    /// # Safety
    ///
    /// What [`Kernel::launch`](crate::cuda::Kernel::launch) demands.
    pub(in crate::cuda) unsafe fn launch(
        &self,
        device: &Inner,
        config: LaunchConfig,
        args: &[&dyn KernelArg],
    ) -> Result<()> {
        let mut pointers: Vec<*mut c_void> = args.iter().map(|arg| arg.bytes().cast_mut().cast()).collect();
        let _current = device.current("launch")?;
        // SAFETY: the caller's; the driver only reads the arguments.
        unsafe { queue("launch", device, self.0, config, &mut pointers) }
    }
}

impl Cuda {
    /// Queues a kernel of the crate's own PTX.
    ///
    /// # Safety
    ///
    /// The arguments are the kernel's, and what it does with them is within D2 to D5.
    pub(in crate::cuda) unsafe fn launch(&self, op: &'static str, mut launch: Launch) -> Result<()> {
        let _current = self.inner.current(op)?;
        let function = {
            let mut modules = lock(&self.inner.modules);
            let loaded = match modules.entry((launch.family, launch.index)) {
                Entry::Occupied(loaded) => loaded.into_mut(),
                Entry::Vacant(place) => {
                    let module = load(op, launch.family.ptx(launch.index), &self.inner)?;
                    let module = ManuallyDrop::new(module);
                    place.insert(Loaded { module, device: Keeper::Within, functions: HashMap::new() })
                }
            };
            match loaded.functions.get(&launch.entry) {
                Some(&function) => function,
                None => {
                    let function = look_up(op, &loaded.module, &launch.entry)?;
                    *loaded.functions.entry(launch.entry).or_insert(function)
                }
            }
        };
        let config = LaunchConfig { grid: launch.grid, block: launch.block, shared_bytes: 0 };
        // SAFETY: the caller's; the module stays loaded as long as the device.
        unsafe { queue(op, &self.inner, function, config, &mut launch.args.pointers()) }
    }
}

/// # Safety
///
/// The context is current, `function` is loaded in it, and `args` are its parameters.
unsafe fn queue(
    op: &'static str,
    device: &Inner,
    function: Handle,
    LaunchConfig { grid: [gx, gy, gz], block: [bx, by, bz], shared_bytes }: LaunchConfig,
    args: &mut [*mut c_void],
) -> Result<()> {
    let (stream, args) = (device.stream().as_inner(), args.as_mut_ptr());
    let none = core::ptr::null_mut();
    // SAFETY: the caller's. `cust`'s own macro would demand the arguments as a tuple of its traits, and checks no more.
    let result = unsafe { sys::cuLaunchKernel(function.0, gx, gy, gz, bx, by, bz, shared_bytes, stream, args, none) };
    check_raw(op, "cuLaunchKernel", result)
}

fn look_up(op: &'static str, module: &Module, name: &str) -> Result<Handle> {
    let missing = || DeviceError::new(op, DeviceErrorKind::NoSuchKernel { name: name.into() });
    // `cust` panics on a zero byte inside the name.
    if name.contains('\0') {
        return Err(missing());
    }
    match module.get_function(name) {
        Ok(function) => Ok(Handle(function.to_raw())),
        Err(cust::error::CudaError::NotFound) => Err(missing()),
        Err(error) => Err(failed(op, "cuModuleGetFunction", code_of(error))),
    }
}

/// Compiles PTX. The context is current.
fn load(op: &'static str, text: &str, device: &Inner) -> Result<Module> {
    let Ok(text) = CString::new(text) else {
        let log = "the text has a zero byte in it".into();
        return Err(DeviceError::new(op, DeviceErrorKind::Ptx { log }));
    };
    Module::from_ptx_cstr(&text, &[]).map_err(|error| refused(op, &text, device, code_of(error)))
}

/// Why the driver refused the PTX: it is asked once more, because `cust` does not ask for the log.
#[cold]
fn refused(op: &'static str, text: &CStr, device: &Inner, code: u32) -> DeviceError {
    if code == UNSUPPORTED_PTX_VERSION {
        let needed = version(text);
        let (major, minor) = device.facts().driver_version;
        return DeviceError::new(op, DeviceErrorKind::PtxTooNew { ptx: needed, driver: (major, minor) });
    }
    // What the driver says of PTX that it cannot compile; anything else has no log.
    if !matches!(code, 200 | 209 | 218 | 221 | 300) {
        return failed(op, "cuModuleLoadDataEx", code);
    }
    let mut log = [0u8; 8192];
    let mut options = [JitOption::CU_JIT_ERROR_LOG_BUFFER, JitOption::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The size goes by value, in the place of a pointer.
    let mut values = [log.as_mut_ptr().cast::<c_void>(), core::ptr::without_provenance_mut(log.len())];
    let mut module = core::ptr::null_mut();
    // SAFETY: two options and two values, each of the kind that its option wants; the log and the text outlive the call.
    let again = unsafe {
        sys::cuModuleLoadDataEx(&raw mut module, text.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr())
    };
    if again as u32 == 0 {
        // It was no matter of the text after all; the first answer stands.
        // SAFETY: just loaded, and nobody else has it.
        unsafe { sys::cuModuleUnload(module) };
    }
    let text = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy();
    let log = if text.trim().is_empty() {
        format!("the driver gives no reason ({code})").into_boxed_str()
    } else {
        text.trim().into()
    };
    DeviceError::new(op, DeviceErrorKind::Ptx { log })
}

/// The version of the PTX language in the text's `.version`.
fn version(text: &CStr) -> (u32, u32) {
    let text = text.to_string_lossy();
    let number = text.split(".version").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
    let mut parts = number.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: taken once, here, and never used again.
        let module = unsafe { ManuallyDrop::take(&mut self.module) };
        let unload = |module| {
            Module::drop(module).map_err(|(error, module)| {
                // The driver did not want it back; a second try would be no better.
                core::mem::forget(module);
                failed("drop_module", "cuModuleUnload", code_of(error))
            })
        };
        match &self.device {
            // The device is going, and has made its context current.
            Keeper::Within => drop(unload(module)),
            Keeper::Strong(device) => match device.current("drop_module") {
                Ok(_current) => unload(module).unwrap_or_else(|error| device.defer(error)),
                Err(error) => {
                    core::mem::forget(module);
                    device.defer(error);
                }
            },
        }
    }
}
