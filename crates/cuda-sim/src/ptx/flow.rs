//! Jumps, barriers, and what lanes of a warp tell each other.

use super::body::Body;
use super::lower::{Instruction, name, predicate_of, read, write};
use super::operand::Form;
use super::types::{Class, Type};
use super::{Error, ErrorKind};
use crate::exec::op::{Op, Shfl, ShflMode, Vote, VoteMode};

const B32: Type = Type { class: Class::Bits, bytes: 4 };

pub(super) fn lower<'a>(body: &mut Body<'a, '_>, ins: &mut Instruction<'a, '_>) -> Result<Op, Error> {
    match (ins.name, &ins.modifiers[..]) {
        // `.uni` promises that all lanes go the same way, which is no matter here: they are looked at one by one.
        ("bra", [] | ["uni"]) => {
            let [label] = ins.exactly()?;
            body.jump(name(label)?)?;
            Ok(Op::Branch { target: 0 })
        }
        ("brx", ["idx"] | ["idx", "uni"]) => {
            let [index, table] = ins.exactly()?;
            let index = read(body, index, Type { class: Class::Unsigned, bytes: 4 })?;
            body.jump_by_table(name(table)?)?;
            Ok(Op::BranchIndex { index, targets: Box::default() })
        }
        ("ret" | "exit", [] | ["uni"]) => {
            let [] = ins.exactly()?;
            Ok(Op::Exit)
        }
        ("trap", []) => {
            let [] = ins.exactly()?;
            Ok(Op::Trap)
        }
        ("membar", ["cta" | "gl" | "sys"])
        | ("fence", ["cta" | "gpu" | "sys"] | ["sc" | "acq_rel", "cta" | "gpu" | "sys"]) => {
            let [] = ins.exactly()?;
            Ok(Op::Fence)
        }
        ("bar", ["sync"] | ["cta", "sync"]) | ("barrier", ["sync", "aligned"] | ["cta", "sync", "aligned"]) => {
            if ins.operands.len() != 1 {
                let what = "unsupported: a barrier for some of the threads of a block";
                return Err(ins.token.error(ErrorKind::Unsupported, what));
            }
            let [id] = ins.exactly()?;
            if let Form::Integer(16..) = id.form {
                return Err(id
                    .token
                    .error(ErrorKind::Syntax, format!("there are 16 barriers, no {}", id.token.quoted())));
            }
            Ok(Op::Barrier { id: read(body, id, B32)? })
        }
        ("bar", ["warp", "sync"]) => {
            let [mask] = ins.exactly()?;
            Ok(Op::WarpSync { mask: read(body, mask, B32)? })
        }
        ("shfl", ["sync", _, "b32"]) => shuffle(body, ins),
        ("vote", ["sync", ..]) => vote(body, ins),
        ("activemask", ["b32"]) => {
            let [d] = ins.exactly()?;
            Ok(Op::ActiveMask { d: write(body, ins, d, B32)?.slot })
        }
        _ => Err(ins.unsupported()),
    }
}

fn shuffle<'a>(body: &mut Body<'a, '_>, ins: &Instruction<'a, '_>) -> Result<Op, Error> {
    let mode = match ins.modifiers[1] {
        "up" => ShflMode::Up,
        "down" => ShflMode::Down,
        "bfly" => ShflMode::Bfly,
        "idx" => ShflMode::Idx,
        _ => return Err(ins.unsupported()),
    };
    let [d, a, b, c, mask] = ins.exactly()?;
    let p = match d.form {
        Form::Both(p) => Some(body.pred_named(p)?),
        _ => None,
    };
    let target = super::operand::Operand { token: d.token, form: Form::Name(0) };
    let d = write(body, ins, &target, B32)?.slot;
    let (a, b, c, mask) = (read(body, a, B32)?, read(body, b, B32)?, read(body, c, B32)?, read(body, mask, B32)?);
    Ok(Op::Shfl(Box::new(Shfl { mode, d, p, a, b, c, mask })))
}

fn vote<'a>(body: &mut Body<'a, '_>, ins: &Instruction<'a, '_>) -> Result<Op, Error> {
    let (mode, is_mask) = match ins.modifiers[1..] {
        ["all", "pred"] => (VoteMode::All, false),
        ["any", "pred"] => (VoteMode::Any, false),
        ["uni", "pred"] => (VoteMode::Uni, false),
        ["ballot", "b32"] => (VoteMode::Ballot, true),
        _ => return Err(ins.unsupported()),
    };
    let [d, a, mask] = ins.exactly()?;
    let d = if is_mask { write(body, ins, d, B32)?.slot } else { body.pred_named(name(d)?)? };
    let from = predicate_of(body, a)?;
    Ok(Op::Vote(Box::new(Vote { mode, d, a: from.pred, negated: from.negated, mask: read(body, mask, B32)? })))
}
