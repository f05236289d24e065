//! Rows: the destination is contiguous.
//!
//! | file | what |
//! |---|---|
//! | `naive.rs` | the formulas |
//! | `portable.rs` | loops that the compiler vectorises as it can |
//! | `avx2/` | loops over vectors, one file for each kernel; `stage.rs` streams what does not begin on a line |
//! | `short.rs` | moves of less than a line, for both |

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(test)]
pub(super) mod naive;
pub(super) mod portable;
mod short;
#[cfg(test)]
mod tests;

/// Bytes of a line of cache.
const LINE: usize = 64;

/// The row kernels of a word for an instruction set.
macro_rules! table {
    ($word:ty, $isa:expr) => {
        match $isa {
            #[cfg(target_arch = "x86_64")]
            $crate::host::Isa::Avx2 => $crate::host::kernel::rows::avx2::table::<$word>(),
            _ => $crate::host::kernel::rows::portable::table::<$word>(),
        }
    };
}
pub(super) use table;
