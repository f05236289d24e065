//! Rows: the destination is contiguous.

pub(super) mod naive;

/// The row kernels of a word for an instruction set.
macro_rules! table {
    ($word:ty, $isa:expr) => {
        match $isa {
            $crate::host::Isa::Portable | $crate::host::Isa::Avx2 => {
                $crate::host::kernel::rows::naive::table::<$word>()
            }
        }
    };
}
pub(super) use table;
