//! What an operation of the host runs with: an instruction set and a number of threads.

use core::num::NonZero;

/// The instructions that the loops of [`Host`](struct@crate::Host) are compiled for. Every kernel exists for each of them,
/// and the results are the same bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Isa {
    /// What every CPU of the target has; the compiler vectorises what it can.
    Portable,
    /// AVX2 of x86-64, with F16C: found at run time.
    Avx2,
}

impl Isa {
    /// The best of them that this CPU runs.
    ///
    /// ```
    /// use weft_device::{Host, Isa};
    /// assert_eq!(Isa::best(), Host.isa());
    /// ```
    #[must_use]
    pub fn best() -> Isa {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("f16c") {
            return Isa::Avx2;
        }
        Isa::Portable
    }
}

/// How one operation runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exec {
    /// Never more than the CPU has: whoever matches on it may call what it names.
    pub(crate) isa: Isa,
    /// At most this many at once.
    pub(crate) threads: NonZero<usize>,
}

impl Exec {
    /// How many threads work of `bytes` bytes, written or read, whichever is more, deserves: one more for each `grain`, as
    /// far as there are some. Waking a thread costs about as much as copying 256 KiB.
    pub(crate) fn threads_for(self, bytes: usize, grain: usize) -> usize {
        self.threads.get().min(1 + bytes / grain.max(1))
    }
}
