//! [`Launch`]: a kernel, its grid and its arguments as plain data, so that choices can be tested without a driver.

use core::ffi::c_void;
use core::fmt;

use cust::memory::DeviceCopy;
use weft_layout::IndexWidth;

/// Threads of a block that counts along x: `BLOCK` of `kernels/prelude.cuh`.
pub(crate) const BLOCK: u32 = 256;

/// More blocks than any GPU runs at once. The rest of the work is done by further rounds of the same threads, so a count of
/// steps past 2^31 is nothing special; and all threads together stay far below the 2^31 that a 32-bit step may grow by.
const MOST_BLOCKS: usize = 1 << 16;

/// One `.cu` file, which is one module for each index width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Family {
    Fill,
    Copy,
    Transpose,
    Accumulate,
    Binary,
    Convert,
}

impl Family {
    /// Every family.
    #[cfg(test)]
    pub(crate) const ALL: [Family; 6] =
        [Family::Fill, Family::Copy, Family::Transpose, Family::Accumulate, Family::Binary, Family::Convert];

    /// What the driver loads.
    pub(crate) const fn ptx(self, index: IndexWidth) -> &'static str {
        macro_rules! ptx {
            ($name:literal) => {
                match index {
                    IndexWidth::U32 => include_str!(concat!("../../../ptx/", $name, "_i32.ptx")),
                    IndexWidth::U64 => include_str!(concat!("../../../ptx/", $name, "_i64.ptx")),
                }
            };
        }
        match self {
            Family::Fill => ptx!("fill"),
            Family::Copy => ptx!("copy"),
            Family::Transpose => ptx!("transpose"),
            Family::Accumulate => ptx!("accumulate"),
            Family::Binary => ptx!("binary"),
            Family::Convert => ptx!("convert"),
        }
    }
}

/// The end of a kernel's name.
const fn suffix(index: IndexWidth) -> &'static str {
    match index {
        IndexWidth::U32 => "i32",
        IndexWidth::U64 => "i64",
    }
}

/// The size and the alignment of a parameter, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) size: usize,
    pub(crate) align: usize,
}

/// Arguments in the order of the kernel's parameters, each as its bytes.
#[derive(Debug, Default)]
pub(crate) struct Args {
    bytes: Vec<u8>,
    parameters: Vec<(usize, Parameter)>,
}

impl Args {
    /// One more argument. `T` has no padding: the descriptors are pinned to that, and numbers have none.
    pub(crate) fn with<T: DeviceCopy>(self, value: T) -> Args {
        // SAFETY: a live value of so many initialised bytes, which are copied before it goes.
        let bytes = unsafe { core::slice::from_raw_parts((&raw const value).cast::<u8>(), size_of::<T>()) };
        self.with_bytes(bytes, align_of::<T>())
    }

    /// One more argument that is only bytes.
    pub(crate) fn with_bytes(mut self, bytes: &[u8], align: usize) -> Args {
        self.parameters.push((self.bytes.len(), Parameter { size: bytes.len(), align }));
        self.bytes.extend_from_slice(bytes);
        self
    }

    #[cfg(test)]
    pub(crate) fn parameters(&self) -> impl Iterator<Item = Parameter> {
        self.parameters.iter().map(|&(_, parameter)| parameter)
    }

    /// What `cuLaunchKernel` takes: a pointer to each argument. They point into `self`; the driver copies at the launch.
    pub(crate) fn pointers(&mut self) -> Vec<*mut c_void> {
        let base = self.bytes.as_mut_ptr();
        // An argument begins inside of the bytes.
        self.parameters.iter().map(|&(at, _)| base.wrapping_add(at).cast()).collect()
    }
}

/// A kernel on its way to the driver.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) family: Family,
    pub(crate) index: IndexWidth,
    /// The kernel's name in the module.
    pub(crate) entry: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) args: Args,
}

impl Launch {
    /// A launch of `weft_<kernel>_<i32|i64>` in which every thread takes a step.
    pub(super) fn of_threads(
        family: Family,
        index: IndexWidth,
        kernel: impl fmt::Display,
        steps: usize,
        args: Args,
    ) -> Launch {
        Launch::of_blocks(family, index, kernel, steps.div_ceil(BLOCK as usize), [BLOCK, 1], args)
    }

    /// A launch in which every block takes a part of the work.
    pub(super) fn of_blocks(
        family: Family,
        index: IndexWidth,
        kernel: impl fmt::Display,
        parts: usize,
        [x, y]: [u32; 2],
        args: Args,
    ) -> Launch {
        let entry = format!("weft_{kernel}_{}", suffix(index));
        let blocks = parts.clamp(1, MOST_BLOCKS) as u32;
        Launch { family, index, entry, grid: [blocks, 1, 1], block: [x, y, 1], args }
    }
}

/// As it would be written in CUDA C++: `weft_copy_b4_i32<<<2, 256>>>`.
impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, _] = self.block;
        write!(f, "{}<<<{}, {x}", self.entry, self.grid[0])?;
        if y > 1 {
            write!(f, "x{y}")?;
        }
        f.write_str(">>>")
    }
}
