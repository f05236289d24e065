//! The sentences of the kinds of refusal, without the name of the operation.

use core::fmt;

use super::LayoutErrorKind;

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
                "axis {target_axis} of the target spans axes {outer} and {inner}, which are not one run in memory \
                 (stride {stride}, needed {needed})"
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
