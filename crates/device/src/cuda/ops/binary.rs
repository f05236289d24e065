//! `binary` as launches: the operation itself, and the search for divisions that have no quotient.

use weft_layout::{IndexWidth, Plan};

use super::launch::{Args, Family, Launch};
use super::walk::Walk;
use crate::element::DType;
use crate::ops::BinaryOp;

/// The number of an operation in a launch: `BinaryOp` of `kernels/binary.cu`.
pub(super) const fn number(op: BinaryOp) -> u32 {
    match op {
        BinaryOp::Add => 0,
        BinaryOp::Sub => 1,
        BinaryOp::Mul => 2,
        BinaryOp::Div => 3,
        BinaryOp::Max => 4,
        BinaryOp::Min => 5,
    }
}

/// The kernel that takes 16 bytes of neighbours at once, where the type has one.
const fn lanes(dtype: DType) -> Option<&'static str> {
    match dtype {
        DType::F16 => Some("f16x8"),
        DType::Bf16 => Some("bf16x8"),
        DType::F32 => Some("f32x4"),
        DType::F64 => Some("f64x2"),
        _ => None,
    }
}

/// `dst = a op b` along a plan of few enough axes, at these addresses.
pub(super) fn launch(op: BinaryOp, plan: &Plan<3>, dtype: DType, at: [usize; 3]) -> Launch {
    let count = 16 / dtype.size();
    let (kernel, width) = match lanes(dtype) {
        Some(lanes) if plan.vector_width([dtype.size(); 3], at) >= count => (lanes, count),
        _ => (dtype.name(), 1),
    };
    let walk = Walk::new(plan, width);
    let [dst, a, b] = at.map(|address| address as u64);
    let args = descriptor(&walk).with(dst).with(a).with(b).with(number(op));
    Launch::of_threads(Family::Binary, walk.index, format_args!("binary_{kernel}"), walk.numel(), args)
}

/// The search in `a / b` for the lowest offsets, in elements, of a zero divisor and of an overflowing dividend. `found` is the
/// address of two `u64` of all ones, which the kernel lowers.
pub(super) fn check(plan: &Plan<3>, dtype: DType, [a, b]: [usize; 2], found: usize) -> Launch {
    let walk = Walk::new(plan, 1);
    let args = descriptor(&walk).with(a as u64).with(b as u64).with(found as u64);
    Launch::of_threads(Family::Binary, walk.index, format_args!("divide_{dtype}"), walk.numel(), args)
}

fn descriptor(walk: &Walk<3>) -> Args {
    match walk.index {
        IndexWidth::U32 => Args::default().with(walk.unravel::<u32, 7>()),
        IndexWidth::U64 => Args::default().with(walk.unravel::<u64, 7>()),
    }
}
