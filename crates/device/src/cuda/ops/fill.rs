//! `fill` as launches: the value repeated to 16 bytes, the plan in the widest elements that it proves.

use weft_layout::{IndexWidth, Plan};

use super::launch::{Args, Family, Launch};
use super::walk::Walk;

/// The most bytes that one access moves.
const WIDEST: usize = 16;

/// A fill of a plan of few enough axes, at this address.
pub(super) fn launch(plan: &Plan<1>, value: &[u8], dst: usize) -> Launch {
    let width = plan.vector_width([value.len()], [dst]);
    let walk = Walk::new(plan, width);
    let bytes = value.len() * width;
    let repeated: [u8; WIDEST] = core::array::from_fn(|i| value[i % value.len()]);
    let args = match walk.index {
        IndexWidth::U32 => Args::default().with(walk.unravel::<u32, 7>()),
        IndexWidth::U64 => Args::default().with(walk.unravel::<u64, 7>()),
    };
    let args = args.with(dst as u64).with_bytes(&repeated[..bytes], bytes);
    Launch::of_threads(Family::Fill, walk.index, format_args!("fill_b{bytes}"), walk.numel(), args)
}
