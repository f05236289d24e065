//! What arithmetic instructions compute: for every name and type a function over the 32 lanes of a warp.
//!
//! Registers hold values zero-extended to 64 bits, and every function leaves its results so. All lanes are computed, also
//! those that do not take part; whoever calls keeps only what is wanted.

#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "`ltu` is the opposite of `ge`, NaN and all")]
mod compare;
mod convert;
mod float;
#[expect(
    clippy::useless_conversion,
    clippy::unnecessary_cast,
    reason = "one expression for all widths, also the widest"
)]
mod integer;

pub(crate) use compare::compare;
pub(crate) use convert::convert;
pub(crate) use float::{float1, float2, fma};
pub(crate) use integer::{integer1, integer2, integer3};

/// A function over lanes from an expression in the values of one lane.
macro_rules! lanes {
    (|$a:ident| $e:expr) => {{
        fn f(a: &$crate::exec::op::Lanes) -> $crate::exec::op::Lanes {
            core::array::from_fn(|i| {
                let $a = a[i];
                $e
            })
        }
        Some(f as $crate::exec::op::Fn1)
    }};
    (|$a:ident, $b:ident| $e:expr) => {{
        fn f(a: &$crate::exec::op::Lanes, b: &$crate::exec::op::Lanes) -> $crate::exec::op::Lanes {
            core::array::from_fn(|i| {
                let ($a, $b) = (a[i], b[i]);
                $e
            })
        }
        Some(f as $crate::exec::op::Fn2)
    }};
    (|$a:ident, $b:ident, $c:ident| $e:expr) => {{
        fn f(
            a: &$crate::exec::op::Lanes,
            b: &$crate::exec::op::Lanes,
            c: &$crate::exec::op::Lanes,
        ) -> $crate::exec::op::Lanes {
            core::array::from_fn(|i| {
                let ($a, $b, $c) = (a[i], b[i], c[i]);
                $e
            })
        }
        Some(f as $crate::exec::op::Fn3)
    }};
}
pub(crate) use lanes;

/// The same expression for each width that an integer may have: `U` and `S` are the unsigned and the signed type.
macro_rules! by_width {
    ($bytes:expr, $e:expr) => {
        match $bytes {
            2 => {
                #[allow(dead_code, reason = "most expressions need one of the two")]
                type U = u16;
                #[allow(dead_code, reason = "most expressions need one of the two")]
                type S = i16;
                $e
            }
            4 => {
                #[allow(dead_code, reason = "most expressions need one of the two")]
                type U = u32;
                #[allow(dead_code, reason = "most expressions need one of the two")]
                type S = i32;
                $e
            }
            8 => {
                #[allow(dead_code, reason = "most expressions need one of the two")]
                type U = u64;
                #[allow(dead_code, reason = "most expressions need one of the two")]
                type S = i64;
                $e
            }
            _ => None,
        }
    };
}
pub(crate) use by_width;
