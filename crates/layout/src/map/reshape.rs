//! Reshape of a map: exact, or the reason why one masked layout cannot say it.
//!
//! Both shapes fall into the smallest groups of axes with equal counts, as for a plain layout. A group can be said again
//! exactly where its axes are one: one run of positions of which one interval has memory, at one stride. Then the interval has
//! to be a box under the new sizes. Groups are independent, and what has no memory anywhere takes any shape.

use core::ops::Range;

use crate::args::{IntoTarget, small};
use crate::dims::{Shape, Strides};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::Layout;
use crate::map::{OffsetMap, Window};
use crate::reshape::{Group, next_group};

/// Axes that were found to be one: `size` positions, those in `valid` at `stride` from each other.
struct Run {
    size: usize,
    valid: Range<usize>,
    stride: isize,
    /// The axes it consists of.
    axes: Range<usize>,
}

/// Of each axis of the result: its stride, the first index that has memory, and how many have.
type Parts = (Strides, Shape, Shape);

impl OffsetMap {
    /// The same positions, in row-major order, under another shape; one size may be -1 and is inferred. Never copies.
    ///
    /// # Errors
    ///
    /// `Blocked` where axes that have to become one have strides that do not fit, `PaddedInside` where the inner one of two has
    /// padding between its rows, `ValidNotBox` where the positions with memory are no box in the new shape. Otherwise as
    /// [`Layout::reshape`].
    ///
    /// ```
    /// use weft_layout::{Layout, OffsetMap};
    /// let map = OffsetMap::from(Layout::row_major([2, 5, 5])?).pad(&[(2, 0), (0, 0), (0, 0)])?;
    /// assert_eq!(map.reshape([2, 2, -1])?.to_string(), "(2,2,25):(0,25,1)@0[1..2,0..2,0..25]");
    ///
    /// let map = OffsetMap::from(Layout::row_major([3, 4])?).pad(&[(0, 0), (1, 1)])?;
    /// let refused = map.reshape([18]).unwrap_err();
    /// let text = "reshape: axes 0 and 1 do not become one, axis 1 has memory in 1..5 of 6 only (axis 0 of the target spans both)";
    /// assert_eq!(refused.to_string(), text);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn reshape(&self, to: impl IntoTarget) -> Result<OffsetMap> {
        // The positions are dense: only a target that does not fit them is refused here.
        let shape = self.domain().reshape(to)?.shape;
        let Some(window) = &self.window else {
            return Ok(OffsetMap::nowhere(shape));
        };
        if window.layout.shape == self.shape {
            // No padding: the layout knows best, its axes of size 1 included.
            let layout = window.layout.reshape(target_of(&shape).as_slice())?;
            return Ok(OffsetMap::from(layout));
        }
        let ndim = shape.len();
        let mut parts: Parts =
            (Strides::from_fn(ndim, |_| 0), Shape::from_fn(ndim, |_| 0), Shape::from_fn(ndim, |_| 1));
        let (mut old, mut new) = (self.ndim(), ndim);
        while let Some(group) = next_group(&self.shape, &shape, old, new) {
            (old, new) = (group.old.start, group.new.start);
            self.merge(window, &group, &shape).and_then(|run| split(&run, &group, &shape, &mut parts))?;
        }
        let (strides, before, sizes) = parts;
        let layout = Layout { shape: sizes, strides, offset: window.layout.offset };
        Ok(OffsetMap { shape, window: Some(Window { before, layout }) })
    }

    /// The axes of a group as one run.
    fn merge(&self, window: &Window, group: &Group, target: &[usize]) -> Result<Run> {
        let mut run = Run { size: 1, valid: 0..1, stride: 0, axes: group.old.end..group.old.end };
        for axis in group.old.clone().rev() {
            let (valid, stride, size) = (window.range(axis), window.layout.strides[axis], self.shape[axis]);
            // M1: the positions of the group are counted without a wrap.
            if valid.len() == 1 {
                // One row of what is inside.
                let row = valid.start * run.size;
                run.valid = row + run.valid.start..row + run.valid.end;
            } else {
                if run.valid.len() < run.size {
                    return Err(self.refusal(window, group, target, axis, &run, None));
                }
                // A run of one position never moves, so any stride goes on from it.
                let needed = run.stride.wrapping_mul(run.size as isize);
                if run.size == 1 {
                    run.stride = stride;
                } else if stride != needed {
                    return Err(self.refusal(window, group, target, axis, &run, Some((stride, needed))));
                }
                run.valid = valid.start * run.size..valid.end * run.size;
            }
            run.size *= size;
            run.axes.start = axis;
        }
        Ok(run)
    }

    /// Why `axis` does not go on from the run inside it.
    #[cold]
    fn refusal(
        &self,
        window: &Window,
        group: &Group,
        target: &[usize],
        axis: usize,
        run: &Run,
        strides: Option<(isize, isize)>,
    ) -> LayoutError {
        // The axis of the target that reaches across the cut between the two.
        let (mut reach, mut target_axis) = (1, group.new.end);
        while reach <= run.size {
            target_axis -= 1;
            reach *= target[target_axis];
        }
        let target_axis = small(target_axis);
        let moving = |&inner: &usize| self.shape[inner] > 1;
        let inner = run.axes.clone().find(moving).unwrap_or(run.axes.start);
        let outer = small(axis);
        let kind = match strides {
            Some((stride, needed)) => {
                LayoutErrorKind::Blocked { outer, inner: small(inner), stride, needed, target_axis }
            }
            None => {
                // The innermost padding may be further in; the first axis that has any is named.
                let padded = |&inner: &usize| window.layout.shape[inner] < self.shape[inner];
                let inner = run.axes.clone().find(padded).unwrap_or(inner);
                let Range { start, end } = window.range(inner);
                let size = self.shape[inner];
                LayoutErrorKind::PaddedInside { outer, inner: small(inner), start, end, size, target_axis }
            }
        };
        LayoutError::new(Op::Reshape, kind)
    }
}

/// The run cut at the sizes of the target: outermost first, each axis either holds whole rows or all lies within one.
fn split(run: &Run, group: &Group, target: &[usize], (strides, before, sizes): &mut Parts) -> Result<()> {
    let (mut unit, mut valid) = (run.size, run.valid.clone());
    for axis in group.new.clone() {
        unit /= target[axis];
        let (first, last) = (valid.start / unit, (valid.end - 1) / unit);
        let rows = first..last + 1;
        before.as_mut_slice()[axis] = first;
        sizes.as_mut_slice()[axis] = rows.len();
        if rows.len() == 1 {
            valid = valid.start - first * unit..valid.end - first * unit;
            continue;
        }
        if valid.start != first * unit || valid.end != rows.end * unit {
            let Range { start, end } = run.valid;
            let kind = LayoutErrorKind::ValidNotBox { start, end, size: run.size, target_axis: small(axis) };
            return Err(LayoutError::new(Op::Reshape, kind));
        }
        // Two rows are reached: so is the stride between them (L3).
        strides.as_mut_slice()[axis] = run.stride.wrapping_mul(unit as isize);
        valid = 0..unit;
    }
    Ok(())
}

/// Sizes as a target is written. M1: each fits.
fn target_of(shape: &[usize]) -> Strides {
    Strides::from_fn(shape.len(), |axis| shape[axis] as isize)
}
