//! What can go wrong, in numbers: [`LayoutError`] is small, holds no heap memory and prints the whole sentence.
//!
//! The grammar of every text is `op: what is wrong, with every number`, in lower case and without a full stop. An error
//! holds integers only, so that a refusal costs nanoseconds; whoever has the shape at hand (`weft-view`, say) may add it.

use core::fmt;

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

/// Declares [`Op`] and the name under which each operation is printed.
macro_rules! ops {
    ($($variant:ident $name:literal,)*) => {
        /// An operation of this crate, as errors name it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Op {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Op {
            /// The name of the operation as a caller writes it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Op::$variant => $name,)* }
            }
        }
    };
}

ops! {
    AsStrided "as_strided",
    BlasGemm "blas::gemm",
    BlasOperand "blas::operand",
    BroadcastShapes "broadcast_shapes",
    BroadcastTo "broadcast_to",
    ByteStrides "byte_strides",
    Chunks "chunks",
    ColMajor "col_major",
    CoordsOfLinear "coords_of_linear",
    CopyPlan "copy_plan",
    Diagonal "diagonal",
    Flatten "flatten",
    Flip "flip",
    FromByteStrides "from_byte_strides",
    FromParts "from_parts",
    Get "get",
    Lines "lines_touched",
    MoveAxis "move_axis",
    Narrow "narrow",
    OffsetOf "offset_of",
    OffsetOfLinear "offset_of_linear",
    Pad "pad",
    Permute "permute",
    Plan "plan",
    Recast "recast",
    Record "record",
    Reduce "reduce_plan",
    Reshape "reshape",
    RowMajor "row_major",
    Select "select",
    Shrink "shrink",
    Slice "slice",
    SplitAt "split_at",
    Squeeze "squeeze",
    Step "step",
    T "t",
    Transpose "transpose",
    Unflatten "unflatten",
    Unsqueeze "unsqueeze",
    Windows "windows",
    WithOrder "with_order",
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
        /// The axis as the caller wrote it; negative counts from the end.
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
        /// The index as the caller wrote it; negative counts from the end where the operation says so.
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

impl fmt::Display for LayoutErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use LayoutErrorKind as K;
        match *self {
            K::Rank { needed, given } => {
                write!(f, "needs {needed} values, one for each axis, got {given}")
            }
            K::AxisOutOfRange { axis, ndim: 0 } => {
                write!(f, "axis {axis} does not exist in rank 0")
            }
            K::AxisOutOfRange { axis, ndim } => {
                write!(f, "axis {axis} is out of range for rank {ndim} (valid: -{ndim}..={})", ndim - 1)
            }
            K::RepeatedAxis { axis } => write!(f, "axis {axis} is given twice"),
            K::AxesReversed { first, last } => write!(f, "last axis {last} lies before first axis {first}"),
            K::TooFewAxes { needed, ndim } => {
                write!(f, "needs at least {needed} axes, there are {ndim}")
            }
            K::IndexOutOfRange { axis, index, size } => {
                write!(f, "index {index} is out of range for axis {axis} (size {size})")
            }
            K::LinearOutOfRange { index, numel } => {
                write!(f, "element {index} is out of range for {numel} elements")
            }
            K::RangeOutOfBounds { axis, start, end, size } => {
                write!(f, "range {start}..{end} is past the end of axis {axis} (size {size})")
            }
            K::RangeReversed { axis, start, end } => {
                write!(f, "range {start}..{end} of axis {axis} ends before it starts")
            }
            K::Zero { what, axis: u32::MAX } => write!(f, "{what} is 0"),
            K::Zero { what, axis } => write!(f, "{what} of axis {axis} is 0"),
            K::TooManyItems { items, ndim } => write!(f, "{items} items for {ndim} axes"),
            K::SecondEllipsis => f.write_str("more than one Ellipsis"),
            K::NotUnit { axis, size } => write!(f, "axis {axis} has size {size}, not 1"),
            K::BroadcastSize { axis, size, target_axis, target } => {
                write!(
                    f,
                    "axis {axis} has size {size} and does not stretch to {target} (axis {target_axis} of the target)"
                )
            }
            K::BroadcastRank { ndim, target } => {
                write!(f, "{ndim} axes do not fit into {target}")
            }
            K::BroadcastPair { first, first_size, second, second_size } => write!(
                f,
                "operand {} has size {second_size} on axis {}, operand {} has size {first_size} on axis {}",
                second.0, second.1, first.0, first.1
            ),
            K::Numel { have, want } => write!(f, "{have} elements do not make a shape of {want}"),
            K::InferTwice { first, second } => {
                write!(f, "-1 at axes {first} and {second}, only one size can be inferred")
            }
            K::InferAmbiguous { axis } => {
                write!(f, "-1 at axis {axis} is ambiguous with zero elements: any size would do")
            }
            K::InferIndivisible { axis, numel, known } => {
                write!(f, "-1 at axis {axis} has no whole size: {numel} elements over {known}")
            }
            K::NegativeSize { axis, size } => {
                write!(f, "size {size} at axis {axis} is negative (only -1 is inferred)")
            }
            K::Blocked { outer, inner, stride, needed, target_axis } => write!(
                f,
                "axes {outer} and {inner} are not one run in memory (stride {stride}, needed {needed}), \
                 axis {target_axis} of the target spans both"
            ),
            K::PaddedInside { outer, inner, start, end, size, target_axis } => write!(
                f,
                "axes {outer} and {inner} do not become one, axis {inner} has memory in {start}..{end} of {size} only \
                 (axis {target_axis} of the target spans both)"
            ),
            K::ValidNotBox { start, end, size, target_axis } => write!(
                f,
                "positions {start}..{end} of {size} have memory, which is no box in the target (axis {target_axis} splits it)"
            ),
            K::SizeOverflow { axis, size } => {
                write!(f, "the product of the sizes passes {} at axis {axis} (size {size})", isize::MAX)
            }
            K::OffsetOverflow { axis, size, stride } => {
                write!(f, "a reachable offset passes {} at axis {axis} (size {size}, stride {stride})", isize::MAX)
            }
            K::OffsetTooLarge { offset } => write!(f, "offset {offset} passes {}", isize::MAX),
            K::NegativeOffset { lowest } => {
                write!(f, "reachable offset {lowest} lies before the buffer")
            }
            K::OutOfBuffer { required, len } => {
                write!(f, "needs a buffer of {required} elements, there are {len}")
            }
            K::WindowTooLarge { axis, window, size } => {
                write!(f, "a window of {window} does not fit axis {axis} (size {size})")
            }
            K::NotDivisible { what, axis: u32::MAX, value, by } => {
                write!(f, "{what} {value} does not divide by {by}")
            }
            K::NotDivisible { what, axis, value, by } => {
                write!(f, "{what} {value} of axis {axis} does not divide by {by}")
            }
            K::ElementTooLarge { bytes } => write!(f, "element size {bytes} passes {}", isize::MAX),
            K::LastStride { stride } => write!(f, "the last axis has stride {stride}, needed 1"),
            K::Overlap { first, second, offset } => {
                write!(f, "elements {first} and {second} (in row-major order) are both at offset {offset}")
            }
            K::OverlapUnknown { budget } => {
                write!(f, "whether two elements share an offset is not decided within {budget} steps")
            }
            K::GemmSize { first, first_size, second, second_size } => write!(
                f,
                "axis {} of {} has size {first_size}, axis {} of {} has size {second_size}",
                first.1, first.0, second.1, second.0
            ),
            K::GemmRank { operand, ndim, needed } => {
                write!(f, "{operand} has {ndim} axes, c has {needed}")
            }
            K::BlasNegativeStride { operand, axis, stride } => {
                write!(f, "axis {axis} of {operand} has stride {stride}, BLAS walks forwards only: copy it")
            }
            K::BlasNegativeBatch { operand, stride } => {
                write!(f, "the batch stride of {operand} is {stride} where c goes forwards: copy it")
            }
            K::BlasNoUnitStride { operand, strides } => {
                write!(f, "no axis of {operand} has stride 1 (strides {} and {}): copy it", strides.0, strides.1)
            }
            K::BlasLeadingStride { operand, axis, stride, needed } => {
                write!(f, "axis {axis} of {operand} has stride {stride}, needed at least {needed}: copy it")
            }
            K::BlasBatchAxes { axes } => {
                write!(f, "the batch needs {axes} strides, BLAS takes one: loop over the outer axes, or copy")
            }
            K::BlasBatchOverlap { stride } => {
                write!(f, "the results of a batch share elements (batch stride {stride} of c)")
            }
            K::NotPowerOfTwo { what, value } => write!(f, "{what} {value} is not a power of two"),
            K::TooManyBytes { field: u32::MAX } => write!(f, "the array passes {} bytes", isize::MAX),
            K::TooManyBytes { field } => write!(f, "field {field} ends past {} bytes", isize::MAX),
            K::RankMismatch { operand, ndim, needed } => {
                write!(f, "operand {operand} has {ndim} axes, operand 0 has {needed}")
            }
            K::ShapeMismatch { operand, axis, size, needed } => {
                write!(f, "operand {operand} has size {size} on axis {axis}, operand 0 has {needed}")
            }
        }
    }
}

const _: () = assert!(size_of::<LayoutError>() <= 48);
