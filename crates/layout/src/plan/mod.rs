//! How several operands of one shape are walked together: [`Plan`], the form in which a device executes an operation.
//!
//! A plan keeps the set of offset tuples and forgets the order of the coordinates. It holds no element type, no buffer
//! and no operation, and proves nothing about overlap: whether a destination may be written in any order is decided
//! before.

mod axes;
mod peel;
mod reduce;
mod unravel;

use core::fmt;
use core::ops::Range;

use crate::args::small;
use crate::dims::{Shape, Strides};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::Layout;

pub(crate) use axes::Sorter;
use axes::{Axes, reach};
pub use peel::Peel;
pub use reduce::ReducePlan;
pub use unravel::Unravel;

/// One axis of a [`Plan`] over `K` operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlanAxis<const K: usize> {
    /// How many steps the axis has, in elements. At least 2 in a plan.
    pub size: usize,
    /// How far each operand moves by one step, in elements.
    pub strides: [isize; K],
}

/// The width of integers that is enough to index every operand of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexWidth {
    /// Every linear index and every offset is at most `i32::MAX`. So every product of a coordinate and a stride and every
    /// partial sum of them, with the starting offset or without, fits `i32`, and a linear index plus a step of up to 2^31
    /// fits `u32`.
    U32,
    /// Something does not; 64 bits are enough for everything.
    U64,
}

/// A joint walk over `K` operands of one shape: as few axes as possible, the fastest one last.
///
/// Operand 0 is the destination. The walk visits exactly the offset tuples of the operands' common coordinates, each as
/// often as there are coordinates for it, in an order of its own:
///
/// 1. axes of size 1 are dropped; no elements at all leave no axes;
/// 2. axes are sorted by the tuple of |stride| over the operands, destination first, where 0 counts as infinity: the
///    smallest is innermost. Equal tuples keep their order, so this is a total order (NumPy's and PyTorch's pairwise rules
///    are not: there 0 equals everything);
/// 3. an axis whose first non-zero stride (operands in order) is negative is walked from its other end, so the destination
///    never moves backwards;
/// 4. neighbours, in the order of the operands' axes and in the sorted one, that are one run for every operand become one
///    axis.
///
/// Up to 8 axes live inline; more are allowed and live on the heap.
///
/// # Invariants
///
/// * **P1** every offset tuple that the walk reaches, as it is and when a prefix of its coordinates is replaced by zeros,
///   lies in [`spans`](Plan::spans), operand by operand;
/// * **P2** every axis has size 2 or more, except that an empty plan has no axes;
/// * **P3** [`numel`](Plan::numel) is the product of the sizes, or 0 for an empty plan, and fits `isize`.
///
/// ```
/// use weft_layout::{Layout, Plan, PlanAxis};
/// let dst = Layout::row_major([2, 3, 4])?;
/// // Two runs of memory in one order: one axis of 24.
/// let plan = Plan::new([&dst, &dst])?;
/// assert_eq!(plan.axes(), [PlanAxis { size: 24, strides: [1, 1] }]);
/// // A transposition inside each matrix stays two axes more.
/// let src = Layout::row_major([2, 4, 3])?.transpose(1, 2)?;
/// assert_eq!(Plan::new([&dst, &src])?.to_string(), "(2,3,4):(12,4,1)@0;(12,1,3)@0");
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
#[doc(alias = "nditer")]
#[doc(alias = "TensorIterator")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan<const K: usize> {
    axes: Axes<K>,
    offsets: [usize; K],
    spans: [Range<usize>; K],
    numel: usize,
}

impl<const K: usize> Plan<K> {
    /// A plan over operands of one shape; operand 0 is the destination.
    ///
    /// # Errors
    ///
    /// `RankMismatch` and `ShapeMismatch` name the first operand that differs from operand 0.
    ///
    /// ```
    /// use weft_layout::{Layout, Plan};
    /// let (a, b) = (Layout::row_major([2, 3])?, Layout::row_major([2, 4])?);
    /// let refused = Plan::new([&a, &a, &b]).unwrap_err();
    /// assert_eq!(refused.to_string(), "plan: operand 2 has size 4 on axis 1, operand 0 has 3");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn new(operands: [&Layout; K]) -> Result<Plan<K>> {
        const { assert!(K > 0, "a plan needs a destination") };
        let shape = same_shape(Op::Plan, &operands)?;
        let numel = operands[0].numel();
        if numel == 0 {
            return Ok(Plan::empty());
        }
        let mut sorter = Sorter::new(operands.map(Layout::offset));
        for axis in (0..shape.len()).rev() {
            sorter.add(shape[axis], core::array::from_fn(|k| operands[k].strides()[axis]));
        }
        let (axes, offsets) = sorter.finish();
        // Flips and fusions keep the set of offsets, so the spans are those of the layouts.
        Ok(Plan { axes, offsets, spans: operands.map(Layout::span), numel })
    }

    /// The plan that visits nothing.
    fn empty() -> Plan<K> {
        Plan { axes: Axes::new(), offsets: [0; K], spans: [const { 0..0 }; K], numel: 0 }
    }

    /// A plan over sorted axes that all stay inside what some layouts reach (L3).
    fn from_axes(axes: Axes<K>, offsets: [usize; K]) -> Plan<K> {
        let spans = core::array::from_fn(|k| reach(&axes, offsets[k], k));
        let numel = axes.iter().map(|axis| axis.size).product();
        Plan { axes, offsets, spans, numel }
    }

    /// The axes, outermost first, the fastest last. None for one element and for no elements.
    #[inline]
    #[must_use]
    pub fn axes(&self) -> &[PlanAxis<K>] {
        &self.axes
    }

    /// Where the walk starts in each operand, in elements: the offset of the coordinate of all zeros of [`axes`](Plan::axes).
    #[inline]
    #[must_use]
    pub fn offsets(&self) -> [usize; K] {
        self.offsets
    }

    /// All offsets that the walk reaches in each operand, in elements: first .. one past the last; `0..0` when empty.
    ///
    /// A buffer of at least `end` elements holds every one of them.
    #[inline]
    #[must_use]
    pub fn spans(&self) -> &[Range<usize>; K] {
        &self.spans
    }

    /// How many offset tuples the walk visits.
    #[inline]
    #[must_use]
    pub fn numel(&self) -> usize {
        self.numel
    }

    /// Whether there is nothing to visit.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numel == 0
    }

    /// Whether 32-bit integers can index every operand. Sizes of dropped axes and their strides do not count.
    ///
    /// ```
    /// use weft_layout::{IndexWidth, Layout, Plan};
    /// let fits = Layout::row_major([131_072, 16_384])?;
    /// assert_eq!(Plan::new([&fits])?.index_width(), IndexWidth::U32);
    /// let past = Layout::from_parts(&[131_072, 16_384], &[16_384, 1], 1)?;
    /// assert_eq!(Plan::new([&past])?.index_width(), IndexWidth::U64);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn index_width(&self) -> IndexWidth {
        index_width(self.numel, &self.spans)
    }

    /// How many elements one access may move in every operand at once: a power of two, at most 16 bytes in each.
    ///
    /// `element_bytes` is the size of an element of each operand, `base_align` the alignment in bytes of the address of its
    /// element 0 (or that address). Above 1 only where every operand has stride 1 on the innermost axis; then every access
    /// of that many elements, at every multiple of it along the innermost axis, is aligned to its own size.
    ///
    /// ```
    /// use weft_layout::{Layout, Plan};
    /// let l = Layout::row_major([6, 12])?;
    /// assert_eq!(Plan::new([&l, &l])?.vector_width([4, 4], [256, 256]), 4);
    /// assert_eq!(Plan::new([&l, &l])?.vector_width([4, 2], [256, 4]), 2);
    /// let odd = l.narrow(1, 1, 8)?;
    /// assert_eq!(Plan::new([&odd])?.vector_width([4], [256]), 1);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn vector_width(&self, element_bytes: [usize; K], base_align: [usize; K]) -> usize {
        let Some((inner, outer)) = self.axes.split_last() else { return 1 };
        if inner.strides.iter().any(|&stride| stride != 1) {
            return 1;
        }
        // A power of two divides several numbers when it divides their bitwise or. The sign of a stride does not matter.
        let mut together = inner.size;
        for k in 0..K {
            together |= outer.iter().fold(self.offsets[k], |all, axis| all | axis.strides[k].unsigned_abs());
        }
        let mut log = together.trailing_zeros();
        for (&bytes, &align) in element_bytes.iter().zip(&base_align) {
            if !bytes.is_power_of_two() || bytes > VECTOR_BYTES {
                return 1;
            }
            let element = bytes.trailing_zeros();
            let aligned = align.trailing_zeros().min(VECTOR_BYTES.trailing_zeros());
            log = log.min(aligned.saturating_sub(element));
        }
        1 << log
    }

    /// Calls `f` with the starting offsets of every run along the innermost axis, and that axis, in the order of the walk.
    ///
    /// A single element is a run of size 1. An empty plan calls nothing.
    ///
    /// ```
    /// use weft_layout::{Layout, Plan};
    /// let dst = Layout::row_major([2, 3])?;
    /// let src = Layout::row_major([3, 2])?.t()?;
    /// let mut starts = Vec::new();
    /// Plan::new([&dst, &src])?.for_each_run(|at, run| starts.push((at, run.size, run.strides)));
    /// assert_eq!(starts, [([0, 0], 3, [1, 2]), ([3, 1], 3, [1, 2])]);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn for_each_run(&self, mut f: impl FnMut([usize; K], &PlanAxis<K>)) {
        if self.is_empty() {
            return;
        }
        match self.axes.split_last() {
            None => f(self.offsets, &PlanAxis { size: 1, strides: [0; K] }),
            Some((inner, outer)) => axes::walk(outer, self.offsets, |at| f(at, inner)),
        }
    }
}

/// The widest access of one thread, in bytes.
const VECTOR_BYTES: usize = 16;

/// The shape of all operands, or which one differs from operand 0 and where.
fn same_shape<'a>(op: Op, operands: &[&'a Layout]) -> Result<&'a [usize]> {
    let shape = operands[0].shape();
    for (k, operand) in operands.iter().enumerate().skip(1) {
        if operand.shape() != shape {
            return Err(mismatch(op, k, operand.shape(), shape));
        }
    }
    Ok(shape)
}

#[cold]
fn mismatch(op: Op, operand: usize, found: &[usize], needed: &[usize]) -> LayoutError {
    let operand = small(operand);
    let kind = match found.iter().zip(needed).position(|(a, b)| a != b) {
        Some(axis) if found.len() == needed.len() => {
            LayoutErrorKind::ShapeMismatch { operand, axis: small(axis), size: found[axis], needed: needed[axis] }
        }
        _ => LayoutErrorKind::RankMismatch { operand, ndim: small(found.len()), needed: small(needed.len()) },
    };
    LayoutError::new(op, kind)
}

fn index_width(numel: usize, spans: &[Range<usize>]) -> IndexWidth {
    // One past i32::MAX: as a count, the last index is i32::MAX.
    const LIMIT: u64 = 1 << 31;
    let fits = |count: usize| count as u64 <= LIMIT;
    if fits(numel) && spans.iter().all(|span| fits(span.end)) { IndexWidth::U32 } else { IndexWidth::U64 }
}

/// The axes once, then strides and offset of each operand: `(3,4):(4,1)@0;(1,3)@0`.
impl<const K: usize> fmt::Display for Plan<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("empty");
        }
        write!(f, "{}", Shape::from_fn(self.axes.len(), |axis| self.axes[axis].size))?;
        for k in 0..K {
            let strides = Strides::from_fn(self.axes.len(), |axis| self.axes[axis].strides[k]);
            write!(f, "{}{strides}@{}", if k == 0 { ':' } else { ';' }, self.offsets[k])?;
        }
        Ok(())
    }
}
