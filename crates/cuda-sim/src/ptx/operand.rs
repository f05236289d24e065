//! Operands as they are written, before anybody knows what instruction wants them.

use super::lex::{Cursor, Kind, Token, integer};
use super::types::{Class, Type};
use super::{Error, ErrorKind};

/// One operand.
#[derive(Debug, Clone)]
pub(super) struct Operand<'a> {
    /// Where it starts.
    pub(super) token: Token<'a>,
    pub(super) form: Form<'a>,
}

/// The forms of operands.
#[derive(Debug, Clone)]
pub(super) enum Form<'a> {
    /// A register, a special register, a variable, a label, or `_`; with what is added to it.
    Name(i64),
    /// `!%p`; the token is the predicate.
    Not,
    /// An integer; negative ones in two's complement.
    Integer(u64),
    /// `0f3F800000`: the bits of an `f32`.
    Single(u32),
    /// `0d…` or `1.5`: the bits of an `f64`.
    Double(u64),
    /// `{a, b}`.
    List(Vec<Operand<'a>>),
    /// `[a+4]`: the base and what is added.
    Address(Box<Operand<'a>>),
    /// `%p|%q`: the token is the first.
    Both(Token<'a>),
}

/// Operands of one instruction, at most.
const MOST: usize = 16;

/// Everything up to the `;`, which is passed.
pub(super) fn operands<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Operand<'a>>, Error> {
    let mut found = Vec::new();
    if cursor.eat(";") {
        return Ok(found);
    }
    loop {
        found.push(operand(cursor)?);
        let token = cursor.next();
        if token.is(";") {
            return Ok(found);
        }
        if !token.is(",") || found.len() == MOST {
            return Err(token.error(ErrorKind::Syntax, format!(", or ; expected, {} found", token.quoted())));
        }
    }
}

fn operand<'a>(cursor: &mut Cursor<'a>) -> Result<Operand<'a>, Error> {
    let token = cursor.peek();
    if cursor.eat("{") {
        let mut list = Vec::new();
        loop {
            list.push(simple(cursor)?);
            let token = cursor.next();
            if token.is("}") {
                return Ok(Operand { token, form: Form::List(list) });
            }
            if !token.is(",") || list.len() == MOST {
                return Err(token.error(ErrorKind::Syntax, format!(", or }} expected, {} found", token.quoted())));
            }
        }
    }
    if cursor.eat("[") {
        let inside = simple(cursor)?;
        cursor.expect("]")?;
        return Ok(Operand { token, form: Form::Address(Box::new(inside)) });
    }
    simple(cursor)
}

fn simple<'a>(cursor: &mut Cursor<'a>) -> Result<Operand<'a>, Error> {
    let token = cursor.next();
    let form = match token.kind {
        Kind::Word => {
            if cursor.eat("|") {
                Form::Both(cursor.word("a predicate")?)
            } else {
                Form::Name(added(cursor)?)
            }
        }
        Kind::Number => number(token, false)?,
        Kind::Sign if token.text == "-" => number(cursor.next(), true)?,
        Kind::Sign if token.text == "!" => {
            let token = cursor.word("a predicate")?;
            return Ok(Operand { token, form: Form::Not });
        }
        _ => return Err(token.error(ErrorKind::Syntax, format!("an operand expected, {} found", token.quoted()))),
    };
    Ok(Operand { token, form })
}

/// `+4`, `-4`, `+-4`, or nothing.
fn added(cursor: &mut Cursor<'_>) -> Result<i64, Error> {
    let plus = cursor.eat("+");
    let minus = cursor.eat("-");
    if !plus && !minus {
        return Ok(0);
    }
    let value = cursor.count("an offset", i64::MAX as u64)? as i64;
    Ok(if minus { -value } else { value })
}

fn number<'a>(token: Token<'a>, negative: bool) -> Result<Form<'a>, Error> {
    let wrong = || token.error(ErrorKind::Syntax, format!("a number expected, {} found", token.quoted()));
    if token.kind != Kind::Number {
        return Err(wrong());
    }
    if let Some(value) = integer(token.text) {
        return Ok(Form::Integer(if negative { value.wrapping_neg() } else { value }));
    }
    let sign = u64::from(negative) << 63;
    match token.text.as_bytes() {
        [b'0', b'f' | b'F', ..] => {
            single(token.text).map(|bits| Form::Single(bits ^ (sign >> 32) as u32)).ok_or_else(wrong)
        }
        _ => double(token.text).map(|bits| Form::Double(bits ^ sign)).ok_or_else(wrong),
    }
}

fn hexadecimal(text: &str, digits: usize) -> Option<u64> {
    let text = text.get(2..)?;
    (text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit())).then(|| u64::from_str_radix(text, 16).ok())?
}

fn single(text: &str) -> Option<u32> {
    hexadecimal(text, 8).map(|bits| bits as u32)
}

fn double(text: &str) -> Option<u64> {
    match text.as_bytes() {
        [b'0', b'd' | b'D', ..] => hexadecimal(text, 16),
        _ => text.contains('.').then(|| text.parse::<f64>().ok()).flatten().map(f64::to_bits),
    }
}

/// The bits of a floating-point literal as a value of type `of`.
pub(super) fn float(text: &str, of: Type) -> Option<u64> {
    let form = match text.as_bytes() {
        [b'0', b'f' | b'F', ..] => Form::Single(single(text)?),
        _ => Form::Double(double(text)?),
    };
    bits_of(&form, of)
}

/// The bits of a literal as a value of type `of`; `None` where the two do not go together.
pub(super) fn bits_of(form: &Form<'_>, of: Type) -> Option<u64> {
    match (form, of.class, of.bytes) {
        (Form::Integer(value), Class::Bits | Class::Signed | Class::Unsigned, _) => Some(value & of.mask()),
        (Form::Single(bits), Class::Float | Class::Bits, 4) => Some(u64::from(*bits)),
        (Form::Single(bits), Class::Float, 8) => Some(f64::from(f32::from_bits(*bits)).to_bits()),
        (Form::Double(bits), Class::Float | Class::Bits, 8) => Some(*bits),
        (Form::Double(bits), Class::Float, 4) => Some(u64::from((f64::from_bits(*bits) as f32).to_bits())),
        _ => None,
    }
}
