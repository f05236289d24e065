//! Inputs that the benchmarks share, so that every library measures the same thing.

use std::hint::black_box;

/// A rank-4 shape as an attention layer has it: batch, heads, positions, features.
pub const SHAPE: [usize; 4] = [2, 4, 10, 16];

/// A value the optimiser cannot see through.
#[inline(always)]
pub fn opaque<T>(value: T) -> T {
    black_box(value)
}
