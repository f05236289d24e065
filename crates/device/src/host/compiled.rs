//! Loops written once and compiled for every instruction set.

use super::Isa;

/// A loop that the compiler vectorises. Its `run` and what that calls are `#[inline(always)]` or small, so that all of it
/// lands in a function that is compiled for one instruction set.
pub(super) trait Loop {
    type Output;

    /// # Safety
    ///
    /// What the loop reads and writes is given in its fields: whoever makes it answers for them. K4.
    unsafe fn run(self) -> Self::Output;
}

/// Runs `work` as it was compiled for `isa`. No result depends on it: there is no fused multiply-add in any of them, and
/// the compiler keeps the order of floating-point operations.
///
/// # Safety
///
/// That of the loop.
#[inline]
pub(super) unsafe fn run<L: Loop>(isa: Isa, work: L) -> L::Output {
    // SAFETY: the caller's; K4: the CPU has what the `Isa` of an `Exec` names.
    unsafe {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => avx2(work),
            _ => portable(work),
        }
    }
}

/// # Safety
///
/// That of the loop.
#[inline(never)]
unsafe fn portable<L: Loop>(work: L) -> L::Output {
    // SAFETY: the caller's.
    unsafe { work.run() }
}

/// # Safety
///
/// That of the loop, and K4.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
#[inline(never)]
unsafe fn avx2<L: Loop>(work: L) -> L::Output {
    // SAFETY: the caller's.
    unsafe { work.run() }
}
