//! From a mnemonic and its operands to an [`Op`]: what is not known here is an error with its place.

use super::body::{Body, Register};
use super::lex::Token;
use super::operand::{Form, Operand};
use super::types::{Class, Type};
use super::{Error, ErrorKind, memory, moves};
use crate::exec::alu::{compare, convert, float1, float2, fma, integer1, integer2, integer3};
use crate::exec::op::{Guard, Logic, Op, SetPred};

/// A mnemonic cut at its dots, and what stands behind it.
pub(super) struct Instruction<'a, 'b> {
    pub(super) token: Token<'a>,
    pub(super) name: &'a str,
    /// Everything between the name and the types, in order.
    pub(super) modifiers: Vec<&'a str>,
    pub(super) operands: &'b [Operand<'a>],
}

impl<'a, 'b> Instruction<'a, 'b> {
    fn new(token: Token<'a>, operands: &'b [Operand<'a>]) -> Instruction<'a, 'b> {
        let mut parts = token.text.split('.');
        let name = parts.next().unwrap_or_default();
        Instruction { token, name, modifiers: parts.collect(), operands }
    }

    pub(super) fn unsupported(&self) -> Error {
        self.token.error(ErrorKind::Unsupported, format!("unsupported instruction {}", self.token.quoted()))
    }

    /// The operands, of which there must be exactly so many.
    pub(super) fn exactly<const N: usize>(&self) -> Result<&'b [Operand<'a>; N], Error> {
        self.operands.try_into().map_err(|_| {
            let what = format!("{} takes {N} operands, {} are given", self.token.quoted(), self.operands.len());
            self.token.error(ErrorKind::Syntax, what)
        })
    }

    /// Takes the last modifier, which must be a type.
    pub(super) fn last_type(&mut self) -> Result<Type, Error> {
        self.modifiers.pop().and_then(Type::named).ok_or_else(|| self.unsupported())
    }

    /// Takes the modifier if it is there.
    pub(super) fn take(&mut self, modifier: &str) -> bool {
        let found = self.modifiers.iter().position(|m| *m == modifier);
        if let Some(at) = found {
            self.modifiers.remove(at);
        }
        found.is_some()
    }

    /// Takes the first modifier that is one of these.
    pub(super) fn take_one_of(&mut self, modifiers: &[&str]) -> Option<&'a str> {
        let at = self.modifiers.iter().position(|m| modifiers.contains(m))?;
        Some(self.modifiers.remove(at))
    }

    /// Nothing is left that nobody has understood.
    pub(super) fn nothing_left(&self) -> Result<(), Error> {
        if self.modifiers.is_empty() { Ok(()) } else { Err(self.unsupported()) }
    }
}

/// Something that is read as a value of type `of`: a register must be as wide.
pub(super) fn read<'a>(body: &mut Body<'a, '_>, operand: &Operand<'a>, of: Type) -> Result<u32, Error> {
    let (slot, bytes) = body.source(operand, of)?;
    if bytes != 0 && bytes != of.bytes {
        let what = format!("{} has {} bits, and {} is read", operand.token.quoted(), bytes * 8, of.name());
        return Err(operand.token.error(ErrorKind::Syntax, what));
    }
    Ok(slot)
}

pub(super) fn lower<'a>(body: &mut Body<'a, '_>, token: Token<'a>, operands: &[Operand<'a>]) -> Result<Op, Error> {
    let mut ins = Instruction::new(token, operands);
    match ins.name {
        "mov" => moves::mov(body, &mut ins),
        "cvta" => moves::cvta(body, &mut ins),
        "ld" => memory::load(body, &mut ins),
        "st" => memory::store(body, &mut ins),
        "atom" | "red" => memory::atomic(body, &mut ins),
        "bra" | "brx" | "ret" | "exit" | "trap" | "bar" | "barrier" | "membar" | "fence" | "shfl" | "vote"
        | "activemask" => super::flow::lower(body, &mut ins),
        "setp" => setp(body, &mut ins),
        "selp" => {
            let of = ins.last_type()?;
            ins.nothing_left()?;
            let [d, a, b, p] = ins.exactly()?;
            Ok(Op::Select {
                d: write(body, &ins, d, of)?.slot,
                a: read(body, a, of)?,
                b: read(body, b, of)?,
                p: body.pred_named(name(p)?)?,
            })
        }
        "cvt" => cvt(body, &mut ins),
        "bfi" => {
            let of = ins.last_type()?;
            ins.nothing_left()?;
            if of.class != Class::Bits || of.bytes < 4 {
                return Err(ins.unsupported());
            }
            let [d, a, b, c, e] = ins.exactly()?;
            let count = Type { class: Class::Unsigned, bytes: 4 };
            Ok(Op::BitInsert {
                bits: of.bits(),
                d: write(body, &ins, d, of)?.slot,
                a: read(body, a, of)?,
                b: read(body, b, of)?,
                c: read(body, c, count)?,
                e: read(body, e, count)?,
            })
        }
        "lop3" => {
            let of = ins.last_type()?;
            ins.nothing_left()?;
            let [d, a, b, c, table] = ins.exactly()?;
            let (4, Form::Integer(table @ 0..=255)) = (of.bytes, &table.form) else { return Err(ins.unsupported()) };
            Ok(Op::Lop3 {
                table: *table as u8,
                d: write(body, &ins, d, of)?.slot,
                a: read(body, a, of)?,
                b: read(body, b, of)?,
                c: read(body, c, of)?,
            })
        }
        "and" | "or" | "xor" | "not" if ins.modifiers == ["pred"] => moves::predicate(body, &ins),
        _ => arithmetic(body, &mut ins),
    }
}

/// Everything that is a function from one, two or three values to one.
fn arithmetic<'a>(body: &mut Body<'a, '_>, ins: &mut Instruction<'a, '_>) -> Result<Op, Error> {
    let of = ins.last_type()?;
    // Rounding to nearest is the default, and the only rounding of these.
    let rounded = ins.take("rn");
    if rounded && !(of.class == Class::Float && of.bytes >= 4) {
        return Err(ins.unsupported());
    }
    // Without a rounding these are approximations, which no two devices make alike.
    if matches!(ins.name, "div" | "sqrt" | "rcp" | "fma") && of.class == Class::Float && !rounded {
        return Err(ins.unsupported());
    }
    let mut full = ins.name.to_string();
    for modifier in &ins.modifiers {
        full.push('.');
        full.push_str(modifier);
    }
    let wide = Type { bytes: of.bytes * 2, ..of };
    let is_wide = full.ends_with(".wide");
    let result = if is_wide { wide } else { of };
    let count = Type { class: Class::Unsigned, bytes: 4 };
    match ins.operands.len() {
        2 => {
            let [d, a] = ins.exactly()?;
            let f = if of.is_float() { float1(&full, of) } else { integer1(&full, of) };
            let f = f.ok_or_else(|| ins.unsupported())?;
            // What counts bits counts in 32.
            let result = if matches!(ins.name, "popc" | "clz") { count } else { result };
            Ok(Op::Map1 { f, d: write(body, ins, d, result)?.slot, a: read(body, a, of)? })
        }
        3 => {
            let [d, a, b] = ins.exactly()?;
            let f = if of.is_float() { float2(&full, of) } else { integer2(&full, of) };
            let f = f.ok_or_else(|| ins.unsupported())?;
            let second = if matches!(ins.name, "shl" | "shr") { count } else { of };
            Ok(Op::Map2 { f, d: write(body, ins, d, result)?.slot, a: read(body, a, of)?, b: read(body, b, second)? })
        }
        _ => {
            let [d, a, b, c] = ins.exactly()?;
            let f = if full == "fma" { fma(of) } else { integer3(&full, of) };
            let f = f.ok_or_else(|| ins.unsupported())?;
            let (second, third) = match ins.name {
                "bfe" => (count, count),
                "shf" => (of, count),
                _ => (of, result),
            };
            Ok(Op::Map3 {
                f,
                d: write(body, ins, d, result)?.slot,
                a: read(body, a, of)?,
                b: read(body, b, second)?,
                c: read(body, c, third)?,
            })
        }
    }
}

/// `setp.lt.u32 p|q, a, b`, `setp.lt.and.u32 p, a, b, !c`.
fn setp<'a>(body: &mut Body<'a, '_>, ins: &mut Instruction<'a, '_>) -> Result<Op, Error> {
    let of = ins.last_type()?;
    let logic = match ins.take_one_of(&["and", "or", "xor"]) {
        None => None,
        Some("and") => Some(Logic::And),
        Some("or") => Some(Logic::Or),
        Some(_) => Some(Logic::Xor),
    };
    let compare = match ins.modifiers[..] {
        [name] => compare(name, of),
        _ => None,
    };
    let compare = compare.ok_or_else(|| ins.unsupported())?;
    let (d, a, b, c) = match (logic, ins.operands) {
        (None, [d, a, b]) => (d, a, b, None),
        (Some(_), [d, a, b, c]) => (d, a, b, Some(c)),
        _ => return Err(ins.token.error(ErrorKind::Syntax, format!("{} has other operands", ins.token.quoted()))),
    };
    let (p, q) = match &d.form {
        Form::Both(q) => (body.pred_named(d.token)?, Some(body.pred_named(*q)?)),
        _ => (body.pred_named(name(d)?)?, None),
    };
    let combine = match (logic, c) {
        (Some(logic), Some(c)) => Some((logic, predicate_of(body, c)?)),
        _ => None,
    };
    let (a, b) = (read(body, a, of)?, read(body, b, of)?);
    Ok(Op::SetPred(Box::new(SetPred { compare, a, b, p, q, combine })))
}

/// `cvt.rn.sat.to.from d, a`.
fn cvt<'a>(body: &mut Body<'a, '_>, ins: &mut Instruction<'a, '_>) -> Result<Op, Error> {
    let from = ins.last_type()?;
    let to = ins.last_type()?;
    let saturate = if ins.take("sat") { "sat" } else { "" };
    let rounding = match ins.modifiers[..] {
        [] => "",
        [one] => one,
        _ => return Err(ins.unsupported()),
    };
    let [d, a] = ins.exactly()?;
    let target = body.target(d)?;
    if target.of.bytes < to.bytes {
        return Err(too_narrow(d, target, to));
    }
    let f = convert(to, from, rounding, saturate, target.of.bytes).ok_or_else(|| ins.unsupported())?;
    let (a, bytes) = body.source(a, from)?;
    if bytes != 0 && bytes < from.bytes {
        return Err(ins.token.error(ErrorKind::Syntax, format!("the source is narrower than {}", from.name())));
    }
    Ok(Op::Map1 { f, d: target.slot, a })
}

/// A register for a result of type `of`: as wide as that, or both are 16 bits and less.
pub(super) fn write<'a>(
    body: &mut Body<'a, '_>,
    _: &Instruction<'a, '_>,
    operand: &Operand<'a>,
    of: Type,
) -> Result<Register, Error> {
    let register = body.target(operand)?;
    if register.of.bytes != of.bytes {
        return Err(too_narrow(operand, register, of));
    }
    Ok(register)
}

fn too_narrow(operand: &Operand<'_>, register: Register, of: Type) -> Error {
    let what = format!("{} is {}, and the value {}", operand.token.quoted(), register.of.name(), of.name());
    operand.token.error(ErrorKind::Syntax, what)
}

/// The name of an operand that is only a name.
pub(super) fn name<'a>(operand: &Operand<'a>) -> Result<Token<'a>, Error> {
    match operand.form {
        Form::Name(0) => Ok(operand.token),
        _ => Err(operand.token.error(ErrorKind::Syntax, format!("a name expected, {} found", operand.token.quoted()))),
    }
}

/// A predicate, or `!` and a predicate.
pub(super) fn predicate_of<'a>(body: &mut Body<'a, '_>, operand: &Operand<'a>) -> Result<Guard, Error> {
    match operand.form {
        Form::Not => Ok(Guard { pred: body.pred_named(operand.token)?, negated: true }),
        _ => Ok(Guard { pred: body.pred_named(name(operand)?)?, negated: false }),
    }
}
