//! What can go wrong, in numbers: [`LayoutError`] is small, holds no heap memory and prints the whole sentence.
//!
//! The grammar of every text is `op: what is wrong, with every number`, in lower case and without a full stop. An error
//! holds integers only, so that a refusal costs nanoseconds; whoever has the shape at hand (`weft-view`, say) may add it.

mod op;
mod text;

use core::fmt;

pub use op::Op;

/// A shorthand for results of this crate.
pub type Result<T> = core::result::Result<T, LayoutError>;

/// Why a layout operation was refused: the operation, and what was wrong with what numbers.
///
/// 48 bytes, `Copy`, no heap. [`kind`](LayoutError::kind) is for programs, `Display` for people.
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// use weft_layout::{Layout, LayoutErrorKind};
/// let refused = Layout::row_major([4, 8])?.narrow(1, 3, 6).unwrap_err();
/// assert_eq!(refused.to_string(), "narrow: range 3..9 is past the end of axis 1 (size 8)");
/// assert!(matches!(refused.kind(), LayoutErrorKind::RangeOutOfBounds { size: 8, .. }));
/// # }
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutError {
    op: Op,
    kind: LayoutErrorKind,
}

impl LayoutError {
    /// Errors are made out of line: the paths that succeed stay short.
    #[cold]
    #[inline(never)]
    pub(crate) const fn new(op: Op, kind: LayoutErrorKind) -> LayoutError {
        LayoutError { op, kind }
    }

    /// The same reason, given by `op`: for arguments that are read before it is known on whose behalf.
    #[cold]
    #[cfg(feature = "alloc")]
    pub(crate) fn of(self, op: Op) -> LayoutError {
        LayoutError { op, ..self }
    }

    /// The operation that refused.
    #[must_use]
    pub fn op(&self) -> Op {
        self.op
    }

    /// What was wrong, as data.
    #[must_use]
    pub fn kind(&self) -> &LayoutErrorKind {
        &self.kind
    }
}

impl core::error::Error for LayoutError {}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.op.name(), self.kind)
    }
}

/// What was wrong. Sizes, strides and offsets are in elements, axes count from 0, operands too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutErrorKind {
    /// As many values as axes were needed.
    Rank {
        /// How many values the layout takes.
        needed: u32,
        /// How many were given.
        given: u32,
    },
    /// An axis that the layout does not have.
    AxisOutOfRange {
        /// The axis as the caller wrote it (`isize::MAX` for anything larger); negative counts from the end.
        axis: isize,
        /// How many axes there are.
        ndim: u32,
    },
    /// An axis named twice where each may be named once.
    RepeatedAxis {
        /// The axis, counted from the front.
        axis: u32,
    },
    /// A run of axes whose last one lies before its first one.
    AxesReversed {
        /// The first axis, counted from the front.
        first: u32,
        /// The last one.
        last: u32,
    },
    /// The operation needs more axes than there are.
    TooFewAxes {
        /// How many axes the operation needs.
        needed: u32,
        /// How many there are.
        ndim: u32,
    },
    /// A coordinate outside its axis.
    IndexOutOfRange {
        /// The axis.
        axis: u32,
        /// The index as the caller wrote it (`isize::MAX` for anything larger); negative counts from the end where the
        /// operation says so.
        index: isize,
        /// The size of the axis.
        size: usize,
    },
    /// A linear index past the last element.
    LinearOutOfRange {
        /// The index.
        index: usize,
        /// How many elements there are.
        numel: usize,
    },
    /// A range that ends past its axis.
    RangeOutOfBounds {
        /// The axis.
        axis: u32,
        /// First element of the range.
        start: usize,
        /// One past its last element (saturated at `usize::MAX`).
        end: usize,
        /// The size of the axis.
        size: usize,
    },
    /// A range that ends before it starts.
    RangeReversed {
        /// The axis.
        axis: u32,
        /// First element of the range.
        start: usize,
        /// One past its last element.
        end: usize,
    },
    /// A number that must not be zero was.
    Zero {
        /// What it is called.
        what: &'static str,
        /// The axis it was given for; `u32::MAX` where it was given for none.
        axis: u32,
    },
    /// More slice items than axes.
    TooManyItems {
        /// How many items consume an axis.
        items: u32,
        /// How many axes there are.
        ndim: u32,
    },
    /// More than one `Ellipsis` in one slice.
    SecondEllipsis,
    /// An axis that was to be dropped is not of size 1.
    NotUnit {
        /// The axis.
        axis: u32,
        /// Its size.
        size: usize,
    },
    /// An axis cannot stretch to the size asked for.
    BroadcastSize {
        /// The axis of the layout.
        axis: u32,
        /// Its size: neither 1 nor `target`.
        size: usize,
        /// The axis of the target shape it is aligned with.
        target_axis: u32,
        /// The size there.
        target: usize,
    },
    /// A shape with fewer axes was asked for.
    BroadcastRank {
        /// Axes of the layout.
        ndim: u32,
        /// Axes of the target.
        target: u32,
    },
    /// Two operands disagree on an axis.
    BroadcastPair {
        /// The operand that set the size first, and the axis of it.
        first: (u16, u16),
        /// Its size.
        first_size: usize,
        /// The operand that disagrees, and the axis of it.
        second: (u16, u16),
        /// Its size.
        second_size: usize,
    },
    /// Two shapes hold different numbers of elements.
    Numel {
        /// Elements there are.
        have: usize,
        /// Elements asked for.
        want: usize,
    },
    /// More than one size was to be inferred.
    InferTwice {
        /// The first axis with -1.
        first: u32,
        /// The second.
        second: u32,
    },
    /// With zero elements a size of -1 could be any.
    InferAmbiguous {
        /// The axis with -1.
        axis: u32,
    },
    /// The other sizes do not divide the number of elements.
    InferIndivisible {
        /// The axis with -1.
        axis: u32,
        /// Elements there are.
        numel: usize,
        /// The product of the sizes that were given.
        known: usize,
    },
    /// A size below zero that is not the -1 of an inferred one.
    NegativeSize {
        /// The axis.
        axis: u32,
        /// The size as written.
        size: isize,
    },
    /// A reshape that no strides can express: the pair of axes is not one run in memory.
    Blocked {
        /// The outer axis of the blocking pair.
        outer: u32,
        /// The inner axis of the blocking pair.
        inner: u32,
        /// The stride of `outer`.
        stride: isize,
        /// The stride that `outer` would need: size times stride of `inner`.
        needed: isize,
        /// The axis of the target shape that spans the pair.
        target_axis: u32,
    },
    /// Two axes of a map that cannot become one, because the inner one has positions without memory between its rows.
    PaddedInside {
        /// The outer axis: it has more than one row with memory.
        outer: u32,
        /// The axis inside it that is padded.
        inner: u32,
        /// First index of `inner` that has memory.
        start: usize,
        /// One past the last.
        end: usize,
        /// The size of `inner`.
        size: usize,
        /// The axis of the target shape that spans both.
        target_axis: u32,
    },
    /// Positions with memory that are no box in the target shape of a reshape.
    ValidNotBox {
        /// The first of them, counted within the axes that are reshaped together.
        start: usize,
        /// One past the last.
        end: usize,
        /// How many positions these axes have.
        size: usize,
        /// The axis of the target shape at which the run breaks.
        target_axis: u32,
    },
    /// The product of the non-zero sizes passes `isize::MAX`.
    SizeOverflow {
        /// The axis at which the product, taken in the order of the axes, passes it.
        axis: u32,
        /// The size there.
        size: usize,
    },
    /// A reachable offset passes `isize::MAX`.
    OffsetOverflow {
        /// The axis at which it does.
        axis: u32,
        /// The size there.
        size: usize,
        /// The stride there.
        stride: isize,
    },
    /// The starting offset itself passes `isize::MAX`.
    OffsetTooLarge {
        /// The offset.
        offset: usize,
    },
    /// A reachable offset lies before the buffer.
    NegativeOffset {
        /// The lowest reachable offset.
        lowest: isize,
    },
    /// A buffer is too short for the layout.
    OutOfBuffer {
        /// Elements that the layout needs.
        required: usize,
        /// Elements that there are.
        len: usize,
    },
    /// A window reaches past its axis.
    WindowTooLarge {
        /// The axis.
        axis: u32,
        /// How many elements the window spans: `(size - 1) * dilation + 1`.
        window: usize,
        /// The size of the axis.
        size: usize,
    },
    /// A number that had to divide did not.
    NotDivisible {
        /// What it is called.
        what: &'static str,
        /// The axis it belongs to; `u32::MAX` where it belongs to none.
        axis: u32,
        /// The number.
        value: isize,
        /// What it was divided by.
        by: usize,
    },
    /// An element of more bytes than any offset can count.
    ElementTooLarge {
        /// The size of the element in bytes.
        bytes: usize,
    },
    /// The last axis has to be one run of elements for this.
    LastStride {
        /// The stride of the last axis.
        stride: isize,
    },
    /// Two coordinates share an element where each must have its own.
    Overlap {
        /// One element, counted in row-major order.
        first: usize,
        /// Another.
        second: usize,
        /// The offset that both have.
        offset: usize,
    },
    /// Whether two coordinates share an element was not decided within the budget.
    OverlapUnknown {
        /// The steps that were allowed.
        budget: u64,
    },
    /// The operands of a matrix product disagree on a size.
    GemmSize {
        /// An operand (`'a'`, `'b'` or `'c'`) and an axis of it.
        first: (char, u32),
        /// Its size.
        first_size: usize,
        /// The operand that disagrees, and the axis of it.
        second: (char, u32),
        /// Its size.
        second_size: usize,
    },
    /// The operands of a matrix product differ in rank.
    GemmRank {
        /// The operand, `'a'` or `'b'`.
        operand: char,
        /// How many axes it has.
        ndim: u32,
        /// How many `c` has.
        needed: u32,
    },
    /// BLAS reads no matrix backwards: a copy is needed.
    BlasNegativeStride {
        /// The operand (`'a'`, `'b'`, `'c'`; `'x'` where there is one only).
        operand: char,
        /// The axis.
        axis: u32,
        /// Its stride.
        stride: isize,
    },
    /// The batch runs backwards in one operand and forwards in the result: a copy is needed.
    BlasNegativeBatch {
        /// The operand, as above.
        operand: char,
        /// From one matrix to the next.
        stride: isize,
    },
    /// BLAS reads no matrix without neighbours in memory: a copy is needed.
    BlasNoUnitStride {
        /// The operand, as above.
        operand: char,
        /// The strides of its rows and columns.
        strides: (isize, isize),
    },
    /// The stride that would be the leading dimension is smaller than the run it steps over: a copy is needed.
    BlasLeadingStride {
        /// The operand, as above.
        operand: char,
        /// The axis.
        axis: u32,
        /// Its stride.
        stride: isize,
        /// The least one that BLAS takes.
        needed: usize,
    },
    /// The batch axes of the operands do not fuse into one: a loop or a copy is needed.
    BlasBatchAxes {
        /// How many axes remain.
        axes: u32,
    },
    /// The matrices of a batch of results share elements.
    BlasBatchOverlap {
        /// From one result to the next.
        stride: usize,
    },
    /// A number that must be a power of two is not.
    NotPowerOfTwo {
        /// What it is called.
        what: &'static str,
        /// The number.
        value: usize,
    },
    /// A record or an array passes `isize::MAX` bytes.
    TooManyBytes {
        /// The field whose end does; `u32::MAX` for an array.
        field: u32,
    },
    /// Operands that must have one shape differ in rank.
    RankMismatch {
        /// The operand.
        operand: u32,
        /// How many axes it has.
        ndim: u32,
        /// How many operand 0 has.
        needed: u32,
    },
    /// Operands that must have one shape differ.
    ShapeMismatch {
        /// The operand.
        operand: u32,
        /// The axis.
        axis: u32,
        /// Its size there.
        size: usize,
        /// The size of operand 0 there.
        needed: usize,
    },
}

const _: () = assert!(size_of::<LayoutError>() <= 48);
