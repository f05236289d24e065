//! Chooses the driver of this process, once, and finds entry points in it.

use core::error::Error;
use core::ffi::{CStr, c_void};
use core::fmt;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The environment variable that names the library to open instead of `libcuda.so.1`; `none` opens nothing.
pub const DRIVER_ENV: &str = "WEFT_CUDA_DRIVER";

/// Finds a driver call by its exported name, such as `cuMemAlloc_v2`; null where there is none of that name.
///
/// Mark yours `#[inline(never)]`: [`install`] recognises it by its address, and an inlined function may have several.
pub type Lookup = fn(&CStr) -> *const c_void;

/// What serves the driver calls of this process.
///
/// ```
/// fn is_there(driver: &weft_cuda_shim::Driver) -> bool {
///     !matches!(driver, weft_cuda_shim::Driver::Missing { .. })
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Driver {
    /// Functions of this process, given to [`install`].
    Installed(Lookup),
    /// A library that was opened, under the name that it was asked for.
    Library {
        /// A path, or a bare name that the loader has searched for.
        path: PathBuf,
    },
    /// Nothing: every call answers 100.
    Missing {
        /// What was tried and what came of it, in one line.
        why: String,
    },
}

/// The error of [`install`]: the process has a driver already, or has decided that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AlreadyOpen;

struct Open {
    driver: Driver,
    #[cfg(target_os = "linux")]
    library: Option<libloading::os::unix::Library>,
}

static OPEN: OnceLock<Open> = OnceLock::new();

/// Serves the driver calls of this process from `lookup`, if none has been made yet.
///
/// Installing the same function again is no error, so that each of several tests in one process may do it.
///
/// # Safety
///
/// Whatever `lookup` returns for a name is null or the address of an `extern "C"` function that has the arguments of the
/// driver call of that name and returns a `u32` result code, and it stays callable as long as the process runs.
///
/// # Errors
///
/// [`AlreadyOpen`] when a call, [`driver`] or another `install` has decided the matter before; then nothing is changed.
///
/// ```
/// use core::ffi::{CStr, c_void};
///
/// extern "C" fn init(_flags: u32) -> u32 {
///     0
/// }
///
/// #[inline(never)]
/// fn lookup(name: &CStr) -> *const c_void {
///     if name == c"cuInit" { init as extern "C" fn(u32) -> u32 as *const c_void } else { core::ptr::null() }
/// }
///
/// // SAFETY: cuInit takes a u32 and returns a code, and so does `init`.
/// unsafe { weft_cuda_shim::install(lookup) }?;
/// # Ok::<(), weft_cuda_shim::AlreadyOpen>(())
/// ```
pub unsafe fn install(lookup: Lookup) -> Result<(), AlreadyOpen> {
    match OPEN.get_or_init(|| Open::without_library(Driver::Installed(lookup))).driver {
        Driver::Installed(installed) if core::ptr::fn_addr_eq(installed, lookup) => Ok(()),
        _ => Err(AlreadyOpen),
    }
}

/// The driver that this process uses, and why there is none where there is none. Opens it, if nothing has before.
///
/// ```
/// println!("{}", weft_cuda_shim::driver());
/// ```
#[must_use]
pub fn driver() -> &'static Driver {
    &open().driver
}

/// The address of the call `name` in the driver; null where the driver has none, or where there is no driver.
pub(crate) fn find(name: &CStr) -> *const c_void {
    let open = open();
    if let Driver::Installed(lookup) = open.driver {
        return lookup(name);
    }
    open.symbol(name)
}

fn open() -> &'static Open {
    OPEN.get_or_init(|| match std::env::var_os(DRIVER_ENV) {
        Some(value) if value == "none" => Open::missing(format!("{DRIVER_ENV} is `none`")),
        Some(value) if !value.is_empty() => Open::first_of(&[value.as_os_str()], &format!("{DRIVER_ENV}: ")),
        _ => Open::first_of(&DEFAULTS.map(OsStr::new), ""),
    })
}

/// Where the driver of a GPU is: on the loader's path, and under WSL in a folder that may not be on it.
const DEFAULTS: [&str; 2] = ["libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"];

impl Open {
    fn missing(why: String) -> Open {
        Open::without_library(Driver::Missing { why })
    }
}

#[cfg(target_os = "linux")]
impl Open {
    fn without_library(driver: Driver) -> Open {
        Open { driver, library: None }
    }

    fn first_of(names: &[&OsStr], context: &str) -> Open {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

        let mut reasons = Vec::new();
        for name in names {
            // SAFETY: opening a library runs its initialisers; to run this one is what the user, or the system, wants.
            match unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) } {
                Ok(library) => return Open { driver: Driver::Library { path: name.into() }, library: Some(library) },
                Err(error) => reasons.push(reason(&error)),
            }
        }
        Open::missing(format!("{context}{}", reasons.join("; ")))
    }

    fn symbol(&self, name: &CStr) -> *const c_void {
        let Some(library) = &self.library else { return core::ptr::null() };
        // SAFETY: the symbol is only looked up here. The library stays open, because `OPEN` is never dropped.
        unsafe { library.get::<*const c_void>(name.to_bytes_with_nul()) }
            .map_or(core::ptr::null(), |symbol| symbol.into_raw().cast_const())
    }
}

#[cfg(not(target_os = "linux"))]
impl Open {
    fn without_library(driver: Driver) -> Open {
        Open { driver }
    }

    fn first_of(_: &[&OsStr], context: &str) -> Open {
        Open::missing(format!("{context}a CUDA driver library is opened on Linux only"))
    }

    fn symbol(&self, _: &CStr) -> *const c_void {
        core::ptr::null()
    }
}

/// The loader's own words, without libloading's prefix.
#[cfg(target_os = "linux")]
fn reason(error: &libloading::Error) -> String {
    match error {
        libloading::Error::DlOpen { desc } => format!("{desc:?}").trim_matches('"').to_owned(),
        other => other.to_string(),
    }
}

/// One line: `installed`, `library libcuda.so.1`, or `none: ` and the reason.
impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Driver::Installed(_) => f.write_str("installed"),
            Driver::Library { path } => write!(f, "library {}", path.display()),
            Driver::Missing { why } => write!(f, "none: {why}"),
        }
    }
}

impl fmt::Display for AlreadyOpen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "install: the CUDA driver of this process is chosen already ({})", driver())
    }
}

impl Error for AlreadyOpen {}
