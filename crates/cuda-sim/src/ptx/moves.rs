//! `mov` in all its forms, `cvta`, and the logic of predicates.

use super::Error;
use super::body::Body;
use super::lower::{Instruction, name, predicate_of, read, write};
use super::operand::{Form, Operand};
use super::types::{Class, Type};
use crate::exec::alu::lanes;
use crate::exec::op::{Fn1, LOCAL_WINDOW, Logic, Op, SHARED_WINDOW, Slot};

pub(super) fn mov<'a>(body: &mut Body<'a, '_>, ins: &mut Instruction<'a, '_>) -> Result<Op, Error> {
    let of = ins.last_type()?;
    ins.nothing_left()?;
    let [d, a] = ins.exactly()?;
    if of.class == Class::Pred {
        let p = body.pred_named(name(d)?)?;
        return match a.form {
            Form::Integer(value) => Ok(Op::PredConst { p, value: if value == 0 { 0 } else { !0 } }),
            _ => {
                let from = predicate_of(body, a)?;
                let (logic, a) = (Logic::And, from.pred);
                Ok(if from.negated { Op::PredNot { p, a } } else { Op::PredLogic { logic, p, a, b: a } })
            }
        };
    }
    match (&d.form, &a.form) {
        (Form::List(parts), _) => {
            let bits = part_bits(ins, of, parts)?;
            let part = Type { class: Class::Bits, bytes: bits / 8 };
            let a = read(body, a, of)?;
            let parts =
                parts.iter().map(|p| part_target(body, ins, p, part)).collect::<Result<Box<[Slot]>, Error>>()?;
            Ok(Op::Unpack { bits, parts, a })
        }
        (_, Form::List(parts)) => {
            let bits = part_bits(ins, of, parts)?;
            let part = Type { class: Class::Bits, bytes: bits / 8 };
            let parts = parts.iter().map(|p| read(body, p, part)).collect::<Result<Box<[Slot]>, Error>>()?;
            Ok(Op::Pack { d: write(body, ins, d, of)?.slot, bits, parts })
        }
        _ => Ok(Op::Mov { d: write(body, ins, d, of)?.slot, a: read(body, a, of)? }),
    }
}

/// How many bits each of the parts has into which a value is taken apart.
fn part_bits(ins: &Instruction<'_, '_>, of: Type, parts: &[Operand<'_>]) -> Result<u8, Error> {
    match (of.class, of.bytes, parts.len()) {
        (Class::Bits, 4 | 8, 2) => Ok(of.bits() / 2),
        (Class::Bits, 8, 4) => Ok(16),
        _ => Err(ins.unsupported()),
    }
}

/// A register for a part, or `_` for a part that nobody wants.
fn part_target<'a>(
    body: &mut Body<'a, '_>,
    ins: &Instruction<'a, '_>,
    operand: &Operand<'a>,
    of: Type,
) -> Result<Slot, Error> {
    if operand.token.text == "_" { Ok(Slot::MAX) } else { Ok(write(body, ins, operand, of)?.slot) }
}

/// Generic addresses: global memory is where it is, the other two have windows far from it.
pub(super) fn cvta<'a>(body: &mut Body<'a, '_>, ins: &mut Instruction<'a, '_>) -> Result<Op, Error> {
    let of = ins.last_type()?;
    let to = ins.take("to");
    let f: Option<Fn1> = match (&ins.modifiers[..], to) {
        (["global" | "const" | "param"], _) => lanes!(|a| a),
        (["shared"], false) => lanes!(|a| a.wrapping_add(SHARED_WINDOW)),
        (["shared"], true) => lanes!(|a| a.wrapping_sub(SHARED_WINDOW)),
        (["local"], false) => lanes!(|a| a.wrapping_add(LOCAL_WINDOW)),
        (["local"], true) => lanes!(|a| a.wrapping_sub(LOCAL_WINDOW)),
        _ => None,
    };
    let f = f.filter(|_| of == Type { class: Class::Unsigned, bytes: 8 }).ok_or_else(|| ins.unsupported())?;
    let [d, a] = ins.exactly()?;
    Ok(Op::Map1 { f, d: write(body, ins, d, of)?.slot, a: read(body, a, of)? })
}

/// `and.pred p, a, b` and its like.
pub(super) fn predicate<'a>(body: &mut Body<'a, '_>, ins: &Instruction<'a, '_>) -> Result<Op, Error> {
    let logic = match ins.name {
        "not" => {
            let [p, a] = ins.exactly()?;
            return Ok(Op::PredNot { p: body.pred_named(name(p)?)?, a: body.pred_named(name(a)?)? });
        }
        "and" => Logic::And,
        "or" => Logic::Or,
        _ => Logic::Xor,
    };
    let [p, a, b] = ins.exactly()?;
    let (p, a, b) = (body.pred_named(name(p)?)?, body.pred_named(name(a)?)?, body.pred_named(name(b)?)?);
    Ok(Op::PredLogic { logic, p, a, b })
}
