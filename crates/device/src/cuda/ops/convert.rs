//! `convert` as launches: one kernel for each source type, told what the destination is.

use weft_layout::{IndexWidth, Plan};

use super::launch::{Args, Family, Launch};
use super::walk::Walk;
use crate::element::DType;

/// The number of a type in a launch: `DType` of `kernels/element.cuh`.
pub(super) const fn number(dtype: DType) -> u32 {
    // The order of the two is the same.
    dtype as u32
}

/// A conversion along a plan of few enough axes, between these addresses.
pub(super) fn launch(plan: &Plan<2>, [to, from]: [DType; 2], [dst, src]: [usize; 2]) -> Launch {
    let walk = Walk::new(plan, 1);
    let args = match walk.index {
        IndexWidth::U32 => Args::default().with(walk.unravel::<u32, 7>()),
        IndexWidth::U64 => Args::default().with(walk.unravel::<u64, 7>()),
    };
    let args = args.with(dst as u64).with(src as u64).with(number(to));
    Launch::of_threads(Family::Convert, walk.index, format_args!("convert_{from}"), walk.numel(), args)
}
