//! What launches pass by value: the host side of the structs in `kernels/plan.cuh`, `transpose.cu` and `accumulate.cu`.
//!
//! Every struct is `#[repr(C)]`, made of one integer type and `u32` pairs, and has no padding. Sizes and offsets are asserted
//! here and in CUDA C++, and a test compares both with what the compiled PTX declares.

use core::mem::offset_of;

use cust_derive::DeviceCopy;
use weft_layout::{Divider32, Divider64, PlanAxis};

/// The most axes of one launch; [`Plan::peel`](weft_layout::Plan::peel) takes the others off.
pub(crate) const MAX_AXES: usize = 8;

/// The most axes that any plan can have: sizes of 2 or more whose product is below 2^63.
pub(crate) const EVERY_AXIS: usize = 62;

/// An integer that counts steps and offsets: `u32` or `u64`, as [`IndexWidth`](weft_layout::IndexWidth) says.
pub(crate) trait Index: cust::memory::DeviceCopy + core::fmt::Debug + Default {
    /// A number that fits.
    fn of(count: usize) -> Self;
    /// A stride as two's complement. Only sums of products have to fit.
    fn wrapped(stride: isize) -> Self;
    /// The divider by a number that is not 0.
    fn divider(divisor: usize) -> Divider<Self>;
}

macro_rules! index {
    ($type:ident, $divider:ident) => {
        impl Index for $type {
            #[inline]
            fn of(count: usize) -> $type {
                debug_assert!($type::try_from(count).is_ok(), "{count}");
                count as $type
            }
            #[inline]
            fn wrapped(stride: isize) -> $type {
                stride as $type
            }
            #[inline]
            fn divider(divisor: usize) -> Divider<$type> {
                // P2 of `Plan`: no size is 0, so there is a divider.
                let by = $divider::new($type::of(divisor)).unwrap_or(const { $divider::new(1).expect("not 0") });
                Divider {
                    divisor: by.divisor(),
                    multiplier: by.multiplier(),
                    pre_shift: by.pre_shift(),
                    post_shift: by.post_shift(),
                }
            }
        }
    };
}

index!(u32, Divider32);
index!(u64, Divider64);

/// [`Divider32`] or [`Divider64`].
#[derive(Clone, Copy, Debug, Default, DeviceCopy)]
#[repr(C)]
pub(crate) struct Divider<I> {
    pub(crate) divisor: I,
    pub(crate) multiplier: I,
    pub(crate) pre_shift: u32,
    pub(crate) post_shift: u32,
}

/// After how many steps an outer axis moves, and how far that is on top of the steps.
#[derive(Clone, Copy, Debug, DeviceCopy)]
#[repr(C)]
pub(crate) struct Carry<I, const K: usize> {
    pub(crate) steps: Divider<I>,
    pub(crate) jump: [I; K],
}

/// [`Unravel`](weft_layout::Unravel) of up to `C + 1` axes.
#[derive(Clone, Copy, Debug, DeviceCopy)]
#[repr(C)]
pub(crate) struct Unravel<I, const K: usize, const C: usize = { MAX_AXES - 1 }> {
    pub(crate) numel: I,
    pub(crate) start: [I; K],
    pub(crate) run: [I; K],
    pub(crate) carries: I,
    pub(crate) carry: [Carry<I, K>; C],
}

impl<I: Index, const K: usize, const C: usize> Unravel<I, K, C> {
    /// The walk over `axes` from `offsets`, as [`Plan::unravel`](weft_layout::Plan::unravel) does it. There are at most `C + 1` axes.
    pub(crate) fn new(axes: &[PlanAxis<K>], offsets: [usize; K]) -> Unravel<I, K, C> {
        debug_assert!(axes.len() <= C + 1, "{} axes", axes.len());
        let nothing = Carry { steps: Divider::default(), jump: [I::default(); K] };
        let (mut carry, mut carries, mut steps) = ([nothing; C], 0, 1);
        for (pair, carry) in axes.windows(2).rev().zip(&mut carry) {
            let [outer, inner] = pair else { continue };
            steps *= inner.size;
            let jump = |k: usize| outer.strides[k].wrapping_sub(inner.strides[k].wrapping_mul(inner.size as isize));
            *carry = Carry { steps: I::divider(steps), jump: core::array::from_fn(|k| I::wrapped(jump(k))) };
            carries += 1;
        }
        Unravel {
            numel: I::of(axes.iter().map(|axis| axis.size).product()),
            start: offsets.map(I::of),
            run: axes.last().map_or([I::default(); K], |axis| axis.strides.map(I::wrapped)),
            carries: I::of(carries),
            carry,
        }
    }
}

/// Two of the axes are those of the tile.
const OUTER_CARRIES: usize = MAX_AXES - 3;

/// A transposition in tiles: `inner` is the axis on which the destination is dense, `across` the one on which the source is.
#[derive(Clone, Copy, Debug, DeviceCopy)]
#[repr(C)]
pub(crate) struct Tiles<I> {
    pub(crate) tiles: I,
    pub(crate) inner: I,
    pub(crate) inner_strides: [I; 2],
    pub(crate) across: I,
    pub(crate) across_strides: [I; 2],
    pub(crate) inner_tiles: Divider<I>,
    pub(crate) across_tiles: Divider<I>,
    pub(crate) outer: Unravel<I, 2, OUTER_CARRIES>,
}

/// What is added up, and in which parts.
#[derive(Clone, Copy, Debug, DeviceCopy)]
#[repr(C)]
pub(crate) struct Sums<I> {
    pub(crate) leaves: I,
    pub(crate) chunk: I,
    pub(crate) chunks: I,
    pub(crate) outputs: Divider<I>,
    pub(crate) keep: Unravel<I, 2>,
}

/// [`ReducePlan::reduce`](weft_layout::ReducePlan::reduce): a sum cannot be peeled.
pub(crate) type Reduce<I> = Unravel<I, 1, { EVERY_AXIS - 1 }>;

/// Sizes on both widths, and that nothing lies between the fields.
macro_rules! pinned {
    ($($type:ident $(<_, $($k:literal),*>)?: $on_32:expr, $on_64:expr;)*) => {$(
        static_assertions::const_assert_eq!(size_of::<$type<u32 $(, $($k),*)?>>(), $on_32);
        static_assertions::const_assert_eq!(size_of::<$type<u64 $(, $($k),*)?>>(), $on_64);
    )*};
}

pinned! {
    Divider: 16, 24;
    Carry<_, 1>: 16 + 4, 24 + 8;
    Unravel<_, 1>: 16 + 7 * 20, 32 + 7 * 32;
    Unravel<_, 2>: 24 + 7 * 24, 48 + 7 * 40;
    Unravel<_, 3>: 32 + 7 * 28, 64 + 7 * 48;
    Tiles: 28 + 2 * 16 + 24 + 5 * 24, 56 + 2 * 24 + 48 + 5 * 40;
    Sums: 12 + 16 + 192, 24 + 24 + 328;
    Reduce: 16 + 61 * 20, 32 + 61 * 32;
}

const _: () = {
    assert!(offset_of!(Unravel<u32, 2>, start) == 4 && offset_of!(Unravel<u64, 2>, start) == 8);
    assert!(offset_of!(Unravel<u32, 2>, run) == 12 && offset_of!(Unravel<u64, 2>, run) == 24);
    assert!(offset_of!(Unravel<u32, 2>, carries) == 20 && offset_of!(Unravel<u64, 2>, carries) == 40);
    assert!(offset_of!(Unravel<u32, 2>, carry) == 24 && offset_of!(Unravel<u64, 2>, carry) == 48);
    assert!(offset_of!(Carry<u32, 2>, jump) == 16 && offset_of!(Carry<u64, 2>, jump) == 24);
    assert!(offset_of!(Divider<u32>, pre_shift) == 8 && offset_of!(Divider<u64>, pre_shift) == 16);
    assert!(offset_of!(Tiles<u32>, inner_tiles) == 28 && offset_of!(Tiles<u64>, inner_tiles) == 56);
    assert!(offset_of!(Tiles<u32>, outer) == 60 && offset_of!(Tiles<u64>, outer) == 104);
    assert!(offset_of!(Sums<u32>, outputs) == 12 && offset_of!(Sums<u64>, outputs) == 24);
    assert!(offset_of!(Sums<u32>, keep) == 28 && offset_of!(Sums<u64>, keep) == 48);
};
