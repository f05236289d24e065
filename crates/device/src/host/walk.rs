//! Walking a part of a plan: the runs along its innermost axis between two steps of the walk, for threads and for sums that
//! are cut in pieces.

use core::ops::Range;

use weft_layout::PlanAxis;

/// Calls `f` with the starting offsets and the length of every run along the last axis, for the steps `range` of the walk
/// over `axes`, last axis fastest. No axes are one step.
///
/// The offsets count from wherever the axes begin, and are reached by the plan (P1) for every step in its walk.
pub(super) fn runs<const K: usize>(
    axes: &[PlanAxis<K>],
    at: [isize; K],
    range: Range<usize>,
    f: &mut impl FnMut([isize; K], usize),
) {
    match axes {
        _ if range.is_empty() => {}
        [] => f(at, 1),
        [inner] => f(moved(at, inner, range.start), range.len()),
        [outer, rest @ ..] => {
            // P3: a product over some of the sizes.
            let size: usize = rest.iter().map(|axis| axis.size).product();
            for i in range.start / size..range.end.div_ceil(size) {
                let from = range.start.saturating_sub(i * size);
                let to = size.min(range.end - i * size);
                runs(rest, moved(at, outer, i), from..to, f);
            }
        }
    }
}

/// `at` after `steps` steps along `axis`.
#[inline]
pub(super) fn moved<const K: usize>(at: [isize; K], axis: &PlanAxis<K>, steps: usize) -> [isize; K] {
    // P1: offsets that the plan reaches, so nothing wraps in the end.
    core::array::from_fn(|k| at[k].wrapping_add(axis.strides[k].wrapping_mul(steps as isize)))
}

#[cfg(test)]
mod tests {
    use weft_layout::PlanAxis;

    use super::runs;

    #[test]
    fn parts_are_the_whole_walk() {
        let axis = |size, strides| PlanAxis { size, strides };
        let all = [axis(3, [100, -1]), axis(2, [10, 7]), axis(5, [1, 0])];
        for axes in [&all[..], &all[1..], &all[2..], &[]] {
            let steps: usize = axes.iter().map(|axis| axis.size).product();
            let mut whole = vec![[1, 50]];
            for axis in axes {
                let step = |at: [isize; 2], i| [at[0] + i * axis.strides[0], at[1] + i * axis.strides[1]];
                whole = whole.iter().flat_map(|&at| (0..axis.size as isize).map(move |i| step(at, i))).collect();
            }
            let inner = axes.last().map_or([0, 0], |axis| axis.strides);
            for from in 0..=steps {
                for to in from..=steps {
                    let mut seen = Vec::new();
                    runs(axes, [1, 50], from..to, &mut |at, len| {
                        seen.extend((0..len as isize).map(|i| [at[0] + i * inner[0], at[1] + i * inner[1]]));
                    });
                    assert_eq!(seen, whole[from..to]);
                }
            }
        }
    }
}
