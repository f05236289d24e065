//! Reshape as a view, or the reason why there is none.
//!
//! The walk finds the runs of the old axes, from the last one on (in a run each stride is size times stride of the next axis
//! inwards), and divides each run among axes of the target. A reshape is a view exactly where no axis of the target spans the
//! end of a run; axes of size 1 belong anywhere. It is the method of NumPy and PyTorch: linear, never refuses what strides
//! can express, never accepts what they cannot. What the others do not give is the reason, and the smallest copy that helps: [`CopyPlan`].

use crate::args::{Axis, IntoTarget, resolve_axis, small};
use crate::dims::{Shape, Strides, filled};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::{Layout, check_sizes};
use crate::order::{Order, continuation, row_major_strides, write_row_major};

impl Layout {
    /// The same elements, in row-major order, under another shape; one size may be -1 and is inferred. Never copies.
    ///
    /// New axes of size 1 get canonical strides. An empty layout takes any shape with a size of 0.
    ///
    /// # Errors
    ///
    /// `Blocked` names the innermost pair of axes that is not one run in memory, with the stride found and the stride needed;
    /// [`copy_plan`](Layout::copy_plan) tells what to copy then. `Numel` where the counts differ; `InferTwice`, `InferAmbiguous`,
    /// `InferIndivisible` and `NegativeSize` for a -1 that cannot be; `SizeOverflow`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([3, 4])?;
    /// assert_eq!(l.reshape([2, -1])?.to_string(), "(2,6):(6,1)@0");
    /// let refused = l.t()?.reshape([12]).unwrap_err();
    /// let text = "reshape: axis 0 of the target spans axes 0 and 1, which are not one run in memory (stride 1, needed 12)";
    /// assert_eq!(refused.to_string(), text);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "view")]
    #[doc(alias = "into_shape")]
    #[doc(alias = "to_shape")]
    #[inline]
    pub fn reshape(&self, to: impl IntoTarget) -> Result<Layout> {
        to.with_target(|to| self.reshaped(Op::Reshape, to, Order::RowMajor))
    }

    /// [`reshape`](Layout::reshape), with both shapes read in `order`: NumPy's `order='F'` is `Order::ColMajor`.
    ///
    /// # Errors
    ///
    /// As [`reshape`](Layout::reshape).
    ///
    /// ```
    /// use weft_layout::{Layout, Order};
    /// let l = Layout::from_parts(&[4, 3], &[6, 2], 0)?;
    /// assert_eq!(l.reshape_in([2, 2, 3], Order::ColMajor)?.to_string(), "(2,2,3):(6,12,2)@0");
    /// assert!(Layout::row_major([3, 4])?.reshape_in([12], Order::ColMajor).is_err());
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn reshape_in(&self, to: impl IntoTarget, order: Order) -> Result<Layout> {
        to.with_target(|to| self.reshaped(Op::Reshape, to, order))
    }

    /// Axes `first..=last` as one. Rank 0 becomes one axis of one element.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`, `AxesReversed` where `last` lies before `first`, `Blocked`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([2, 3, 4])?;
    /// assert_eq!(l.flatten(0, 1)?.to_string(), "(6,4):(4,1)@0");
    /// assert_eq!(l.flatten(0, -1)?.to_string(), "(24):(1)@0");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "ravel")]
    #[doc(alias = "merge_axes")]
    pub fn flatten(&self, first: impl Axis, last: impl Axis) -> Result<Layout> {
        // Rank 0 is one element: as in NumPy and PyTorch it flattens to one axis of it.
        let ndim = self.ndim().max(1);
        let first = resolve_axis(Op::Flatten, first.to_signed(), ndim)?;
        let last = resolve_axis(Op::Flatten, last.to_signed(), ndim)?;
        if self.ndim() == 0 {
            return Ok(self.inserted(0));
        }
        if last < first {
            let kind = LayoutErrorKind::AxesReversed { first: small(first), last: small(last) };
            return Err(LayoutError::new(Op::Flatten, kind));
        }
        let merged = self.shape[first..=last].iter().product();
        let kept = |axis: usize| if axis < first { axis } else { axis + (last - first) };
        let target = Shape::from_fn(self.ndim() - (last - first), |axis| match axis == first {
            true => merged,
            false => self.shape[kept(axis)],
        });
        self.regrouped(Op::Flatten, target)
    }

    /// One axis as several, outermost first; one size may be -1. Always a view.
    ///
    /// # Errors
    ///
    /// `AxisOutOfRange`; `Numel` and the `Infer` kinds where `sizes` do not multiply to the size of the axis.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::row_major([4, 6])?.step(0, 2)?;
    /// assert_eq!(l.unflatten(1, [2, -1])?.to_string(), "(2,2,3):(12,3,1)@0");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[doc(alias = "split_axis")]
    pub fn unflatten(&self, axis: impl Axis, sizes: impl IntoTarget) -> Result<Layout> {
        let axis = resolve_axis(Op::Unflatten, axis.to_signed(), self.ndim())?;
        let unflattened = sizes.with_target(|sizes| {
            let sizes = resolved(Op::Unflatten, sizes, self.shape[axis])?;
            let target: Shape =
                self.shape[..axis].iter().chain(sizes.iter()).chain(&self.shape[axis + 1..]).copied().collect();
            check_sizes(Op::Unflatten, &target)?;
            self.regrouped(Op::Unflatten, target)
        });
        unflattened.map_err(|error| error.of(Op::Unflatten))
    }

    /// What to copy so that a refused [`reshape`](Layout::reshape) becomes a view: the smallest such copy.
    ///
    /// Axes of stride 0 outside the blocking groups are not materialised. A plan exists for every reshape whose counts agree,
    /// also for one that needs no copy.
    ///
    /// # Errors
    ///
    /// As [`reshape`](Layout::reshape), but never `Blocked`.
    ///
    /// ```
    /// use weft_layout::Layout;
    /// let l = Layout::from_parts(&[8, 3, 4], &[0, 1, 3], 0)?;
    /// assert!(l.reshape([8, 12]).is_err());
    /// let plan = l.copy_plan([8, 12])?;
    /// assert_eq!(plan.copied(), 12);
    /// assert_eq!(plan.source().to_string(), "(3,4):(1,3)@0");
    /// assert_eq!(plan.result().to_string(), "(8,12):(0,1)@0");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub fn copy_plan(&self, to: impl IntoTarget) -> Result<CopyPlan> {
        let plan = to.with_target(|to| {
            let target = resolved(Op::CopyPlan, to, self.numel())?;
            CopyPlan::new(self, &target)
        });
        plan.map_err(|error| error.of(Op::CopyPlan))
    }

    #[inline]
    fn reshaped(&self, op: Op, to: &[isize], order: Order) -> Result<Layout> {
        let (numel, one_run) = self.numel_and_run();
        // An error is large, and costs most where it is moved: what is wrong travels in a few words, and becomes one here.
        let filled = filled(to.len(), |shape, strides| {
            resolve_target(to, numel, shape, |_| Refusal::Target)?;
            self.regroup(shape, strides, order, one_run).map_err(Refusal::Cut)
        });
        match filled {
            Ok((shape, strides)) => Ok(Layout { shape, strides, offset: self.offset }),
            Err(Refusal::Cut(cut)) => self.refused(op, cut),
            // The same walk again, now for its error.
            Err(Refusal::Target) => resolved(op, to, numel).and_then(|target| self.regrouped(op, target)),
        }
    }

    /// The reshape itself: `target` upholds L2 and has as many elements as `self`; its strides go to `strides`. `one_run` is
    /// what [`is_contiguous`](Layout::is_contiguous) says.
    #[inline]
    fn regroup(
        &self,
        target: &[usize],
        strides: &mut [isize],
        order: Order,
        one_run: bool,
    ) -> core::result::Result<(), Cut> {
        // One run forwards, or nothing at all: fresh strides, which are canonical too. The common case, without the walk.
        if one_run && (order == Order::RowMajor || self.is_empty()) {
            write_row_major(target, strides);
            return Ok(());
        }
        match order {
            Order::RowMajor => walk(&self.shape, &self.strides, target, strides),
            Order::ColMajor => self.walk_reversed(target, strides),
        }
        .map_or(Ok(()), Err)?;
        for axis in (0..target.len()).rev() {
            if target[axis] == 1 {
                strides[axis] = continuation(&target[axis + 1..], &strides[axis + 1..]);
            }
        }
        Ok(())
    }

    /// [`regroup`](Layout::regroup) in row-major order, for a target that is known.
    fn regrouped(&self, op: Op, target: Shape) -> Result<Layout> {
        let mut strides = Strides::from_fn(target.len(), |_| 0);
        match self.regroup(&target, strides.as_mut_slice(), Order::RowMajor, self.is_contiguous()) {
            Ok(()) => Ok(Layout { shape: target, strides, offset: self.offset }),
            Err(cut) => self.refused(op, cut),
        }
    }

    /// The error is made in the place of the result: moved there it would cost as much as all the rest.
    #[cold]
    #[inline(never)]
    fn refused(&self, op: Op, Cut { outer, inner, target_axis }: Cut) -> Result<Layout> {
        Err(LayoutError::new(
            op,
            LayoutErrorKind::Blocked {
                outer: small(outer),
                inner: small(inner),
                stride: self.strides[outer],
                needed: self.strides[inner].wrapping_mul(self.shape[inner] as isize),
                target_axis: small(target_axis),
            },
        ))
    }

    /// Column-major is row-major with all axes read in reverse.
    fn walk_reversed(&self, target: &[usize], strides: &mut [isize]) -> Option<Cut> {
        let from = self.reverse_axes();
        let to: Shape = target.iter().rev().copied().collect();
        let outcome = walk(&from.shape, &from.strides, &to, strides);
        strides.reverse();
        let Cut { outer, inner, target_axis } = outcome?;
        let flip = |axis: usize, ndim: usize| ndim - 1 - axis;
        let (outer, inner) = (flip(outer, self.ndim()), flip(inner, self.ndim()));
        Some(Cut { outer, inner, target_axis: flip(target_axis, target.len()) })
    }
}

/// Why a reshape is refused, in few words.
enum Refusal {
    /// The target cannot be; [`resolved`] says why.
    Target,
    Cut(Cut),
}

/// Sizes in place of what the caller wrote: -1 inferred, L2 checked, as many elements as `numel`.
///
/// `fault` makes the error of what is wrong: large where somebody reads it, and nothing where it only has to be known.
#[inline]
fn resolve_target<E>(
    written: &[isize],
    numel: usize,
    target: &mut [usize],
    fault: impl Fn(LayoutErrorKind) -> E,
) -> core::result::Result<(), E> {
    let (mut inferred, mut product, mut empty) = (None, 1usize, false);
    for (axis, (&size, to)) in written.iter().zip(target.iter_mut()).enumerate() {
        if size > 0 {
            let size = size.unsigned_abs();
            *to = size;
            match product.checked_mul(size) {
                Some(next) if next <= isize::MAX.unsigned_abs() => product = next,
                _ => return Err(fault(LayoutErrorKind::SizeOverflow { axis: small(axis), size })),
            }
        } else if size == 0 {
            *to = 0;
            empty = true;
        } else if size != -1 {
            return Err(fault(LayoutErrorKind::NegativeSize { axis: small(axis), size }));
        } else if let Some(first) = inferred.replace(axis) {
            return Err(fault(LayoutErrorKind::InferTwice { first: small(first), second: small(axis) }));
        }
    }
    let known = if empty { 0 } else { product };
    match inferred {
        None if known == numel => Ok(()),
        None => Err(fault(LayoutErrorKind::Numel { have: numel, want: known })),
        Some(at) => {
            let axis = small(at);
            if known == 0 && numel == 0 {
                return Err(fault(LayoutErrorKind::InferAmbiguous { axis }));
            }
            if known == 0 || !numel.is_multiple_of(known) {
                return Err(fault(LayoutErrorKind::InferIndivisible { axis, numel, known }));
            }
            target[at] = numel / known;
            Ok(())
        }
    }
}

/// [`resolve_target`] as a shape of its own.
fn resolved(op: Op, written: &[isize], numel: usize) -> Result<Shape> {
    let mut target = Shape::from_fn(written.len(), |_| 0);
    resolve_target(written, numel, target.as_mut_slice(), |kind| LayoutError::new(op, kind))?;
    Ok(target)
}

/// A group of axes of both shapes with the same number of elements, as index ranges.
pub(crate) struct Group {
    pub(crate) old: core::ops::Range<usize>,
    pub(crate) new: core::ops::Range<usize>,
}

/// The next smallest group before old axis `o` and new axis `n`; both shapes have the same number of elements, none 0.
#[inline]
pub(crate) fn next_group(shape: &[usize], target: &[usize], mut o: usize, mut n: usize) -> Option<Group> {
    while o > 0 && shape[o - 1] == 1 {
        o -= 1;
    }
    while n > 0 && target[n - 1] == 1 {
        n -= 1;
    }
    if o == 0 || n == 0 {
        // What is left on either side is one element, so nothing but axes of size 1.
        return None;
    }
    let (old_end, new_end) = (o, n);
    (o, n) = (o - 1, n - 1);
    let (mut old, mut new) = (shape[o], target[n]);
    while old != new {
        // The totals agree, so the smaller side has axes left. L2: no wrap.
        if old < new {
            o -= 1;
            old *= shape[o];
        } else {
            n -= 1;
            new *= target[n];
        }
    }
    Some(Group { old: o..old_end, new: n..new_end })
}

/// Where a reshape is blocked: two axes that are not one run, and the axis of the target that spans both.
struct Cut {
    outer: usize,
    inner: usize,
    target_axis: usize,
}

/// Row-major walk over both shapes (same number of elements, none 0): finds the runs of the old axes, from the last one on,
/// and divides each among the next axes of the target. Writes the strides of axes with size 2 and more.
#[inline]
fn walk(shape: &[usize], strides: &[isize], target: &[usize], out: &mut [isize]) -> Option<Cut> {
    // The run at hand: its outermost axis, its elements, the stride inside it, and the stride that would go on with it.
    let (mut inner, mut run, mut base, mut needed) = (0, 1, 1, 1);
    // Axes of the target before this one have no stride yet.
    let mut open = target.len();
    let mut divide = |run: usize, base: isize| {
        let mut reach = 1;
        while reach < run && open > 0 {
            open -= 1;
            out[open] = base.wrapping_mul(reach as isize);
            reach *= target[open];
        }
        // An axis that reaches past the run spans the place where it ends.
        (reach != run).then_some(open)
    };
    for (axis, (&size, &stride)) in shape.iter().zip(strides).enumerate().rev() {
        if size == 1 {
            continue;
        }
        if run > 1 && stride != needed {
            if let Some(target_axis) = divide(run, base) {
                return Some(Cut { outer: axis, inner, target_axis });
            }
            run = 1;
        }
        if run == 1 {
            base = stride;
        }
        run *= size;
        inner = axis;
        // L3 leaves no layout in which a wrapped product equals a stride that moves.
        needed = stride.wrapping_mul(size as isize);
    }
    // The totals agree, so the last run divides evenly.
    divide(run, base);
    None
}

/// The smallest copy after which a reshape is a view: [`Layout::copy_plan`].
///
/// Copy the elements of [`source`](CopyPlan::source) in row-major order into a fresh buffer of [`copied`](CopyPlan::copied)
/// elements; [`result`](CopyPlan::result) reads that buffer under the target shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyPlan {
    source: Layout,
    result: Layout,
}

impl CopyPlan {
    fn new(layout: &Layout, target: &Shape) -> Result<CopyPlan> {
        if layout.is_empty() {
            let result = Layout { shape: target.clone(), strides: row_major_strides(target), offset: 0 };
            return Ok(CopyPlan { source: layout.clone(), result });
        }
        let refined = refine(layout, target);
        let (mut o, mut n) = (refined.ndim(), target.len());
        // Axes that are read from one element again and again, in groups that are views: they are not copied.
        let mut kept = Shape::from_fn(refined.ndim(), |_| 1);
        while let Some(group) = next_group(&refined.shape, target, o, n) {
            (o, n) = (group.old.start, group.new.start);
            let repeated = group.old.clone().all(|axis| refined.shape[axis] == 1 || refined.strides[axis] == 0);
            if repeated {
                for axis in group.old {
                    kept.as_mut_slice()[axis] = 0;
                }
            }
        }
        let copied = |axis: &usize| kept[*axis] == 1;
        let axes = 0..refined.ndim();
        let source = Layout {
            shape: axes.clone().filter(copied).map(|axis| refined.shape[axis]).collect(),
            strides: axes.clone().filter(copied).map(|axis| refined.strides[axis]).collect(),
            offset: refined.offset,
        };
        // The fresh buffer under the refined shape: dense over the copied axes, stride 0 over the others.
        let dense = row_major_strides(&source.shape);
        let mut next = dense.iter();
        let strides = axes.map(|axis| if kept[axis] == 1 { next.next().copied().unwrap_or(1) } else { 0 }).collect();
        let fresh = Layout { shape: refined.shape.clone(), strides, offset: 0 };
        let result = fresh.regrouped(Op::CopyPlan, target.clone())?;
        // Splits made only to keep repeats apart are fused again where the copy reads through them.
        Ok(CopyPlan { source: merge_splits(&source, layout), result })
    }

    /// What to read, over the buffer of the layout that was asked: its elements in row-major order are the copy.
    #[must_use]
    pub fn source(&self) -> &Layout {
        &self.source
    }

    /// The target shape over the fresh buffer.
    #[must_use]
    pub fn result(&self) -> &Layout {
        &self.result
    }

    /// How many elements are copied: the length of the fresh buffer.
    #[must_use]
    pub fn copied(&self) -> usize {
        self.source.numel()
    }
}

/// `layout` with its repeated axes (stride 0) fused where they are neighbours, and split where the target has a cut inside
/// them, so that as much of each as possible stays outside the blocking group.
fn refine(layout: &Layout, target: &[usize]) -> Layout {
    let (mut shape, mut strides) = (Shape::from_slice(&[]), Strides::from_slice(&[]));
    for (&size, &stride) in layout.shape.iter().zip(layout.strides.iter()).rev() {
        match (shape.as_mut_slice().last_mut(), strides.last()) {
            (Some(last), Some(0)) if stride == 0 || size == 1 => *last *= size,
            _ => {
                shape.push(size);
                strides.push(stride);
            }
        }
    }
    let (fused, repeats) = (core::mem::replace(&mut shape, Shape::from_slice(&[])), strides.clone());
    strides = Strides::from_slice(&[]);
    // Elements to the right of the axis at hand.
    let mut right = 1;
    for (&size, &stride) in fused.iter().zip(repeats.iter()) {
        let mut left = size;
        if stride == 0 {
            let (mut cut, mut done) = (1, right);
            for &axis in target.iter().rev() {
                cut *= axis;
                // Only a cut on a multiple of what is already split off, inside the axis, splits it evenly.
                if cut > done && cut < right * size && cut % done == 0 && (right * size) % cut == 0 {
                    shape.push(cut / done);
                    strides.push(0);
                    left /= cut / done;
                    done = cut;
                }
            }
        }
        shape.push(left);
        strides.push(stride);
        right *= size;
    }
    shape.as_mut_slice().reverse();
    strides.as_mut_slice().reverse();
    Layout { shape, strides, offset: layout.offset }
}

/// `source` with neighbouring repeated axes fused: they came from one axis of `layout`.
fn merge_splits(source: &Layout, layout: &Layout) -> Layout {
    if source.ndim() <= layout.ndim() {
        return source.clone();
    }
    let (mut shape, mut strides) = (Shape::from_slice(&[]), Strides::from_slice(&[]));
    for (&size, &stride) in source.shape.iter().zip(source.strides.iter()) {
        match (shape.as_mut_slice().last_mut(), strides.last()) {
            (Some(last), Some(0)) if stride == 0 => *last *= size,
            _ => {
                shape.push(size);
                strides.push(stride);
            }
        }
    }
    Layout { shape, strides, offset: source.offset }
}
