//! Several threads at one operation: rayon's pool, or one after another without the feature `threads`.

/// Calls `work` with each of `0..parts`, each on a thread of its own as far as there are some; returns when all have.
///
/// Within a rayon pool the work stays in that pool, so nested parallelism makes no more threads. A single part runs on the
/// caller.
pub(super) fn split(parts: usize, work: impl Fn(usize) + Sync) {
    #[cfg(feature = "threads")]
    if parts > 1 {
        return halves(0, parts, &work);
    }
    (0..parts).for_each(work);
}

#[cfg(feature = "threads")]
fn halves(from: usize, to: usize, work: &(impl Fn(usize) + Sync)) {
    if to - from == 1 {
        return work(from);
    }
    let middle = usize::midpoint(from, to);
    rayon::join(|| halves(from, middle, work), || halves(middle, to, work));
}

/// How many threads there are when nobody says.
pub(super) fn available() -> usize {
    #[cfg(feature = "threads")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "threads"))]
    1
}

/// The `part`-th of `parts` nearly equal ranges of `0..units`.
pub(super) fn share(units: usize, part: usize, parts: usize) -> core::ops::Range<usize> {
    let cut = |part: usize| (units as u128 * part as u128 / parts as u128) as usize;
    cut(part)..cut(part + 1)
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicUsize, Ordering};

    use super::{share, split};

    #[test]
    fn every_part_runs_once() {
        for parts in [1, 2, 3, 4, 7, 64] {
            let calls: Vec<AtomicUsize> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
            split(parts, |part| _ = calls[part].fetch_add(1, Ordering::Relaxed));
            assert!(calls.iter().all(|calls| calls.load(Ordering::Relaxed) == 1), "{parts} parts: {calls:?}");
        }
    }

    #[test]
    fn shares_cover_everything_once() {
        for units in [0, 1, 5, 64, 1000, usize::MAX] {
            for parts in [1, 2, 3, 7] {
                let shares: Vec<_> = (0..parts).map(|part| share(units, part, parts)).collect();
                assert_eq!((shares[0].start, shares[parts - 1].end), (0, units));
                assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start), "{shares:?}");
                let sizes = || shares.iter().map(|share| share.len());
                assert!(sizes().max().unwrap() - sizes().min().unwrap() <= 1, "{shares:?}");
            }
        }
    }
}
