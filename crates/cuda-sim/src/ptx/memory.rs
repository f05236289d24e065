//! `ld`, `st`, `atom` and `red`.

use super::body::{Body, register_mask};
use super::lower::{Instruction, read, write};
use super::operand::{Form, Operand};
use super::types::{Class, Type};
use super::{Error, ErrorKind};
use crate::exec::op::{Access, AtomOp, Atomic, Op, Slot, Space};

/// Hints about caches, and how strong an access is; the second may matter to the search for races.
const HINTS: [&str; 8] = ["ca", "cg", "cs", "lu", "cv", "wb", "wt", "weak"];
const STRONG: [&str; 5] = ["volatile", "relaxed", "acquire", "release", "acq_rel"];
const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];

fn space(ins: &mut Instruction<'_, '_>) -> Space {
    match ins.take_one_of(&["global", "const", "shared", "local", "param"]) {
        Some("global" | "const") => Space::Global,
        Some("shared") => Space::Shared,
        Some("local") => Space::Local,
        Some("param") => Space::Param,
        _ => Space::Generic,
    }
}

/// The modifiers that `ld` and `st` share: the space, the type, the number of elements, whether the access is a strong one.
fn access(ins: &mut Instruction<'_, '_>) -> Result<(Space, Type, usize, bool), Error> {
    let of = ins.last_type()?;
    if of.bytes == 0 || of.class == Class::Pair {
        return Err(ins.unsupported());
    }
    let space = space(ins);
    let count = match ins.take_one_of(&["v2", "v4"]) {
        None => 1,
        Some("v2") => 2,
        Some(_) => 4,
    };
    if count * usize::from(of.bytes) > 16 {
        return Err(ins.unsupported());
    }
    ins.take_one_of(&HINTS);
    let strong = ins.take_one_of(&STRONG).is_some();
    ins.take_one_of(&SCOPES);
    Ok((space, of, count, strong))
}

/// The operands of a vector, or the one operand.
fn elements<'a, 'b>(
    ins: &Instruction<'a, '_>,
    operand: &'b Operand<'a>,
    count: usize,
) -> Result<&'b [Operand<'a>], Error> {
    let list = match &operand.form {
        Form::List(list) => list.as_slice(),
        _ => core::slice::from_ref(operand),
    };
    if list.len() == count {
        return Ok(list);
    }
    let what = format!("{} moves {count} elements, {} are given", ins.token.quoted(), list.len());
    Err(operand.token.error(ErrorKind::Syntax, what))
}

pub(super) fn load<'a>(body: &mut Body<'a, '_>, ins: &mut Instruction<'a, '_>) -> Result<Op, Error> {
    let read_only = ins.take("nc");
    let (space, of, count, strong) = access(ins)?;
    ins.nothing_left()?;
    if read_only && space != Space::Global {
        return Err(ins.unsupported());
    }
    let [d, a] = ins.exactly()?;
    let (mut slots, mut masks) = ([Slot::MAX; 4], [0; 4]);
    for (i, element) in elements(ins, d, count)?.iter().enumerate() {
        if element.token.text == "_" && count > 1 {
            continue;
        }
        let register = body.target(element)?;
        if register.of.bytes < of.bytes {
            let what = format!("{} is {}, too narrow for {}", element.token.quoted(), register.of.name(), of.name());
            return Err(element.token.error(ErrorKind::Syntax, what));
        }
        (slots[i], masks[i]) = (register.slot, register_mask(register));
    }
    let address = body.address(a, space)?;
    let (size, count, signed) = (of.bytes, count as u8, of.class == Class::Signed);
    Ok(Op::Load(Box::new(Access { space, size, count, signed, strong, address, slots, masks })))
}

pub(super) fn store<'a>(body: &mut Body<'a, '_>, ins: &mut Instruction<'a, '_>) -> Result<Op, Error> {
    let (space, of, count, strong) = access(ins)?;
    ins.nothing_left()?;
    if space == Space::Param {
        return Err(ins.unsupported());
    }
    let [a, s] = ins.exactly()?;
    let mut slots = [Slot::MAX; 4];
    for (i, element) in elements(ins, s, count)?.iter().enumerate() {
        let (slot, bytes) = body.source(element, of)?;
        if bytes != 0 && bytes < of.bytes {
            let what = format!("{} is too narrow for {}", element.token.quoted(), of.name());
            return Err(element.token.error(ErrorKind::Syntax, what));
        }
        slots[i] = slot;
    }
    let address = body.address(a, space)?;
    let (size, count) = (of.bytes, count as u8);
    Ok(Op::Store(Box::new(Access { space, size, count, signed: false, strong, address, slots, masks: [0; 4] })))
}

pub(super) fn atomic<'a>(body: &mut Body<'a, '_>, ins: &mut Instruction<'a, '_>) -> Result<Op, Error> {
    let of = ins.last_type()?;
    let space = space(ins);
    ins.take_one_of(&STRONG);
    ins.take_one_of(&SCOPES);
    let [op] = ins.modifiers[..] else { return Err(ins.unsupported()) };
    let op = match (op, of.class, of.bytes) {
        ("add", Class::Unsigned, 4 | 8) | ("add", Class::Signed, 4) => AtomOp::AddInt,
        ("add", Class::Float, 4) => AtomOp::AddF32,
        ("add", Class::Float, 8) => AtomOp::AddF64,
        ("min", Class::Unsigned, 4 | 8) => AtomOp::MinUnsigned,
        ("max", Class::Unsigned, 4 | 8) => AtomOp::MaxUnsigned,
        ("min", Class::Signed, 4 | 8) => AtomOp::MinSigned,
        ("max", Class::Signed, 4 | 8) => AtomOp::MaxSigned,
        ("and", Class::Bits, 4 | 8) => AtomOp::And,
        ("or", Class::Bits, 4 | 8) => AtomOp::Or,
        ("xor", Class::Bits, 4 | 8) => AtomOp::Xor,
        ("inc", Class::Unsigned, 4) => AtomOp::Inc,
        ("dec", Class::Unsigned, 4) => AtomOp::Dec,
        ("exch", Class::Bits, 4 | 8) => AtomOp::Exch,
        ("cas", Class::Bits, 4 | 8) => AtomOp::Cas,
        _ => return Err(ins.unsupported()),
    };
    if !matches!(space, Space::Global | Space::Shared | Space::Generic) {
        return Err(ins.unsupported());
    }
    let (d, rest) = if ins.name == "atom" {
        let Some((d, rest)) = ins.operands.split_first() else { return Err(ins.unsupported()) };
        // `_`: an atom that is used as a red.
        let d = if d.token.text == "_" { None } else { Some(write(body, ins, d, of)?.slot) };
        (d, rest)
    } else {
        if matches!(op, AtomOp::Exch | AtomOp::Cas) {
            return Err(ins.unsupported());
        }
        (None, ins.operands)
    };
    let (a, x, y) = match (op, rest) {
        (AtomOp::Cas, [a, x, y]) => (a, x, y),
        (AtomOp::Cas, _) => return Err(ins.token.error(ErrorKind::Syntax, "cas takes two values")),
        (_, [a, x]) => (a, x, x),
        _ => return Err(ins.token.error(ErrorKind::Syntax, format!("{} takes one value", ins.token.quoted()))),
    };
    let address = body.address(a, space)?;
    let (x, y) = (read(body, x, of)?, read(body, y, of)?);
    Ok(Op::Atomic(Box::new(Atomic { space, op, size: of.bytes, address, d, x, y })))
}
