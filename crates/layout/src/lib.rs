//! Shape, stride and offset mathematics for strided tensors.
//!
//! A tensor is one long row of numbers and a rule for reading it. This crate is the rule, alone: it knows no element type and
//! no device, allocates no memory for elements, contains no `unsafe`, and works without `std` (and, in part, without
//! `alloc`). Every number is in elements unless its name says bytes; every refusal says why, with the numbers.
//!
//! ```
//! use weft_layout::Layout;
//!
//! let l = Layout::row_major([2, 3, 4])?;
//! assert_eq!(l.to_string(), "(2,3,4):(12,4,1)@0");
//! assert_eq!(l.permute([2, 0, 1])?.to_string(), "(4,2,3):(1,12,4)@0");
//! assert_eq!(l.offset_of(&[1, 1, 2])?, 18);
//! # Ok::<(), weft_layout::LayoutError>(())
//! ```
//!
//! | for | see |
//! |---|---|
//! | one array | [`Layout`]: facts, and views that are layouts again; start here |
//! | a rank fixed when compiled, no allocator | [`FixedLayout`] |
//! | positions without memory | [`OffsetMap`] |
//! | loops and launches over several operands | [`Plan`], [`ReducePlan`], [`Divider32`], [`Divider64`] |
//! | products of matrices | [`blas`] |
//! | C structs | [`record`] |
//!
//! The feature `alloc` (on by default) brings everything that knows a rank only when it runs. Without it stand [`FixedLayout`],
//! [`record`], the dividers and the errors.
#![no_std]
#![forbid(unsafe_code)]
#![doc(test(attr(deny(warnings))))]

#[cfg(feature = "alloc")]
extern crate alloc;

mod divider;
mod error;
mod fixed;
pub mod record;

#[cfg(feature = "alloc")]
mod args;
#[cfg(feature = "alloc")]
mod dims;
#[cfg(feature = "alloc")]
mod layout;

#[cfg(feature = "alloc")]
pub mod blas;
#[cfg(feature = "alloc")]
mod broadcast;
#[cfg(feature = "alloc")]
mod bytes;
#[cfg(feature = "alloc")]
mod coalesce;
#[cfg(feature = "alloc")]
mod contiguity;
#[cfg(feature = "alloc")]
mod map;
#[cfg(feature = "alloc")]
mod offset;
#[cfg(feature = "alloc")]
mod order;
#[cfg(feature = "alloc")]
mod overlap;
#[cfg(feature = "alloc")]
mod permute;
#[cfg(feature = "alloc")]
mod plan;
#[cfg(feature = "alloc")]
mod reshape;
#[cfg(feature = "alloc")]
mod slice;
#[cfg(feature = "alloc")]
mod split;
#[cfg(feature = "alloc")]
mod squeeze;
#[cfg(feature = "alloc")]
mod walk;
#[cfg(feature = "alloc")]
mod windows;

#[cfg(feature = "alloc")]
pub use args::{Axis, IntoAxes, IntoShape, IntoTarget};
#[cfg(feature = "alloc")]
pub use broadcast::broadcast_shapes;
#[cfg(feature = "alloc")]
pub use dims::{Shape, Strides};
pub use divider::{Divider32, Divider64};
pub use error::{LayoutError, LayoutErrorKind, Op, Result};
pub use fixed::FixedLayout;
#[cfg(feature = "alloc")]
pub use layout::Layout;
#[cfg(feature = "alloc")]
pub use map::{IndexExpr, Language, MapOffsets, OffsetMap};
#[cfg(feature = "alloc")]
pub use order::Order;
#[cfg(feature = "alloc")]
pub use overlap::Overlap;
#[cfg(feature = "alloc")]
pub use plan::{IndexWidth, Peel, Plan, PlanAxis, ReducePlan, Unravel};
#[cfg(feature = "alloc")]
pub use reshape::CopyPlan;
#[cfg(feature = "alloc")]
pub use slice::{Ellipsis, NewAxis, SliceItem};
#[cfg(feature = "alloc")]
pub use split::Chunks;
#[cfg(feature = "alloc")]
pub use walk::{Blocks, Offsets};
