//! [`Walk`]: a plan of few enough axes for one launch, in elements of the size that is moved.

use core::fmt;

use weft_layout::{IndexWidth, Plan, PlanAxis};

use super::super::desc::{Index, MAX_AXES, Unravel};

/// A [`Plan`] of up to [`MAX_AXES`] axes, whose elements may be several neighbours of the plan's: its vector form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk<const K: usize> {
    axes: [PlanAxis<K>; MAX_AXES],
    len: usize,
    pub(super) offsets: [usize; K],
    pub(super) index: IndexWidth,
}

impl<const K: usize> Walk<K> {
    /// The plan in elements of `width` neighbours, where `width` divides what [`Plan::vector_width`] gives.
    pub(super) fn new(plan: &Plan<K>, width: usize) -> Walk<K> {
        let mut walk = Walk::start(plan.offsets().map(|offset| offset / width), plan.index_width());
        if let Some((inner, outer)) = plan.axes().split_last() {
            // A power of two that divides every stride and offset of the plan but the 1 of its innermost axis.
            let divided = |axis: &PlanAxis<K>| axis.strides.map(|stride| stride / width as isize);
            outer.iter().for_each(|axis| walk.push(axis.size, divided(axis)));
            walk.push(inner.size / width, inner.strides);
        }
        walk
    }

    /// A walk without axes, to be pushed to.
    pub(super) fn start(offsets: [usize; K], index: IndexWidth) -> Walk<K> {
        Walk { axes: [PlanAxis { size: 1, strides: [0; K] }; MAX_AXES], len: 0, offsets, index }
    }

    /// An axis inside of all others; one of size 1 is none.
    pub(super) fn push(&mut self, size: usize, strides: [isize; K]) {
        if size == 1 {
            return;
        }
        debug_assert!(self.len < MAX_AXES, "more than {MAX_AXES} axes");
        if let Some(axis) = self.axes.get_mut(self.len) {
            *axis = PlanAxis { size, strides };
            self.len += 1;
        }
    }

    pub(super) fn axes(&self) -> &[PlanAxis<K>] {
        &self.axes[..self.len]
    }

    /// How many steps there are.
    pub(super) fn numel(&self) -> usize {
        // P3 of `Plan`: the product fits.
        self.axes().iter().map(|axis| axis.size).product()
    }

    pub(super) fn unravel<I: Index, const C: usize>(&self) -> Unravel<I, K, C> {
        Unravel::new(self.axes(), self.offsets)
    }
}

/// As [`Plan`] prints it.
impl<const K: usize> fmt::Display for Walk<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, of: &dyn Fn(&PlanAxis<K>) -> isize| {
            f.write_str("(")?;
            for (i, axis) in self.axes().iter().enumerate() {
                write!(f, "{}{}", if i == 0 { "" } else { "," }, of(axis))?;
            }
            f.write_str(")")
        };
        list(f, &|axis| axis.size as isize)?;
        for k in 0..K {
            f.write_str(if k == 0 { ":" } else { ";" })?;
            list(f, &|axis| axis.strides[k])?;
            write!(f, "@{}", self.offsets[k])?;
        }
        Ok(())
    }
}
