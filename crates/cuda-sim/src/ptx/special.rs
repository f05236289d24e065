//! Special registers, and the lines of sources that instructions come from.

use super::Error;
use super::lex::Cursor;
use super::module::unknown;
use crate::exec::op::{Const, LaneMask};

/// A special register: what it holds, and its width in bytes.
pub(super) fn special(name: &str) -> Option<(Const, u8)> {
    let (base, axis) = match name.rsplit_once('.') {
        Some((base, "x")) => (base, 0),
        Some((base, "y")) => (base, 1),
        Some((base, "z")) => (base, 2),
        Some(_) => return None,
        None => (name, u8::MAX),
    };
    let value = match (base, axis) {
        ("%tid", 0..=2) => Const::Tid(axis),
        ("%ntid", 0..=2) => Const::Ntid(axis),
        ("%ctaid", 0..=2) => Const::Ctaid(axis),
        ("%nctaid", 0..=2) => Const::Nctaid(axis),
        ("%laneid", u8::MAX) => Const::LaneId,
        ("%warpid", u8::MAX) => Const::WarpId,
        ("%nwarpid", u8::MAX) => Const::WarpCount,
        ("%lanemask_eq", u8::MAX) => Const::LaneMask(LaneMask::Eq),
        ("%lanemask_le", u8::MAX) => Const::LaneMask(LaneMask::Le),
        ("%lanemask_lt", u8::MAX) => Const::LaneMask(LaneMask::Lt),
        ("%lanemask_ge", u8::MAX) => Const::LaneMask(LaneMask::Ge),
        ("%lanemask_gt", u8::MAX) => Const::LaneMask(LaneMask::Gt),
        ("%dynamic_smem_size", u8::MAX) => Const::DynamicSharedSize,
        ("%total_smem_size", u8::MAX) => Const::TotalSharedSize,
        ("WARP_SZ", u8::MAX) => Const::Value(32),
        _ => return None,
    };
    Some((value, 4))
}

/// `.loc 1 12 5` with what may follow, none of which matters here.
pub(super) fn location(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    for _ in 0..3 {
        cursor.count("a number", u64::MAX)?;
    }
    while cursor.eat(",") {
        let token = cursor.word("function_name or inlined_at")?;
        match token.text {
            "function_name" => {
                cursor.word("a name")?;
                if cursor.eat("+") {
                    cursor.count("a number", u64::MAX)?;
                }
            }
            "inlined_at" => {
                for _ in 0..3 {
                    cursor.count("a number", u64::MAX)?;
                }
            }
            _ => return Err(unknown(token, "function_name or inlined_at")),
        }
    }
    Ok(())
}
