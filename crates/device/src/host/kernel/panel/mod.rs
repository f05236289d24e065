//! Panels: both sides contiguous, along two different axes.

pub(super) mod naive;

/// The panel kernel of a word for an instruction set.
macro_rules! table {
    ($word:ty, $isa:expr) => {
        match $isa {
            $crate::host::Isa::Portable | $crate::host::Isa::Avx2 => $crate::host::kernel::panel::naive::panel::<$word>,
        }
    };
}
pub(super) use table;
