//! Panels: both sides contiguous, along two different axes.
//!
//! | file | what |
//! |---|---|
//! | `naive.rs` | the formula |
//! | `loops.rs` | tiles, edges and stores: one set of loops for every word and instruction set |
//! | `portable.rs` | tiles that the compiler vectorises as it can |
//! | `avx2.rs`, `avx2/` | tiles in registers, one file for each word size |

#[cfg(target_arch = "x86_64")]
mod avx2;
mod loops;
#[cfg(test)]
mod naive;
mod portable;
#[cfg(test)]
mod tests;

use super::{Panel, Word};
use crate::host::Isa;

/// The panel kernel of a word for an instruction set.
pub(super) trait Panels: Word {
    fn panel(isa: Isa) -> Panel<Self>;
}

macro_rules! panels {
    ($($word:ty),*) => {
        $(impl Panels for $word {
            fn panel(isa: Isa) -> Panel<$word> {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 => avx2::panel::<$word>,
                    _ => portable::panel::<$word>,
                }
            }
        })*
    };
}
panels!(u8, u16, u32, u64, u128);
