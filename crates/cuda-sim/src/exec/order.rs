//! In which order things run that have no order: in their own, or shuffled by a seed.

/// A source of small random numbers, the same ones for the same seed (SplitMix64).
#[derive(Debug, Clone)]
pub(super) struct Order {
    state: Option<u64>,
}

impl Order {
    pub(super) fn new(seed: Option<u64>) -> Order {
        Order { state: seed }
    }

    /// A number below `n`, or `None` where nothing is shuffled. `n` is not 0.
    pub(super) fn below(&mut self, n: u64) -> Option<u64> {
        let state = self.state.as_mut()?;
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some((z ^ z >> 31) % n)
    }

    /// Shuffles a short list.
    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            if let Some(j) = self.below(i as u64 + 1) {
                list.swap(i, j as usize);
            }
        }
    }

    /// An order of `n` things without a list of them.
    pub(super) fn permutation(&mut self, n: u64) -> Permutation {
        match (self.below(u64::MAX), self.below(n)) {
            (Some(any), Some(start)) => Permutation { n, step: coprime(n, any % n.max(1)), start },
            _ => Permutation { n, step: 1, start: 0 },
        }
    }
}

/// `start + i * step`, around and around: every number once, because `step` shares no factor with `n`.
pub(super) struct Permutation {
    n: u64,
    step: u64,
    start: u64,
}

impl Permutation {
    pub(super) fn place(&mut self, i: u64) -> u64 {
        ((u128::from(i) * u128::from(self.step) + u128::from(self.start)) % u128::from(self.n)) as u64
    }
}

/// The first number from `from` on that shares no factor with `n`.
fn coprime(n: u64, from: u64) -> u64 {
    let shares = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a != 1
    };
    let mut step = from.max(1);
    while shares(step, n) {
        step += 1;
    }
    step
}
