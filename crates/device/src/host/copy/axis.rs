//! The axes of a copy: a list of fixed capacity, so that planning allocates nothing.

use core::ops::{Deref, DerefMut};

/// How many axes the engine keeps. Plans that have more left after fusing run element by element.
pub(super) const MOST: usize = 16;

/// One loop of a copy. Strides are in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) size: usize,
    pub(super) dst: isize,
    pub(super) src: isize,
}

impl Axis {
    /// One step that goes nowhere.
    pub(super) const ONE: Axis = Axis { size: 1, dst: 0, src: 0 };
}

/// Up to [`MOST`] axes, outermost first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Axes {
    list: [Axis; MOST],
    len: usize,
}

impl Axes {
    /// `None` when there are too many.
    pub(super) fn from_list(axes: impl ExactSizeIterator<Item = Axis>) -> Option<Axes> {
        let mut all = Axes { len: axes.len(), ..Axes::default() };
        if all.len > MOST {
            return None;
        }
        all.list.iter_mut().zip(axes).for_each(|(to, axis)| *to = axis);
        Some(all)
    }

    pub(super) fn pop(&mut self) -> Option<Axis> {
        self.len = self.len.checked_sub(1)?;
        Some(self.list[self.len])
    }

    pub(super) fn remove(&mut self, at: usize) -> Axis {
        let axis = self[at];
        self[at..].rotate_left(1);
        self.len -= 1;
        axis
    }

    /// The product of the sizes.
    pub(super) fn count(&self) -> usize {
        self.iter().map(|axis| axis.size).product()
    }
}

impl Deref for Axes {
    type Target = [Axis];

    fn deref(&self) -> &[Axis] {
        &self.list[..self.len]
    }
}

impl DerefMut for Axes {
    fn deref_mut(&mut self) -> &mut [Axis] {
        &mut self.list[..self.len]
    }
}
