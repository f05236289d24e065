//! Declarations: variables in every state space, and parameters.

use super::lex::{Cursor, Kind, Token, integer};
use super::types::Type;
use super::{Error, ErrorKind};

/// A declared variable.
#[derive(Debug, Clone)]
pub(super) struct Variable<'a> {
    pub(super) name: Token<'a>,
    pub(super) size: u64,
    pub(super) align: u64,
    /// What it starts as; empty without an initialiser.
    pub(super) initial: Vec<u8>,
    /// `x[]`, whose size somebody else decides.
    pub(super) is_open: bool,
}

/// The largest alignment a variable may ask for.
const MOST_ALIGN: u64 = 512;
/// The largest variable.
const MOST_BYTES: u64 = 64 << 20;

/// What stands between the state space and the `;` (or the `,` or `)` of a parameter list):
/// `.align 8 .b8 name[16] = {1, 2}`.
pub(super) fn variable<'a>(cursor: &mut Cursor<'a>) -> Result<Variable<'a>, Error> {
    let mut align = None;
    let mut of: Option<Type> = None;
    let name = loop {
        let token = cursor.word("a type or a name")?;
        match token.text {
            ".align" => align = Some(alignment(cursor)?),
            // `.ptr .global .align 4` of a parameter says what it points at, which is not checked.
            ".ptr" => {
                if let ".global" | ".const" | ".shared" | ".local" = cursor.peek().text {
                    cursor.next();
                }
                if cursor.peek().text == ".align" {
                    cursor.next();
                    alignment(cursor)?;
                }
            }
            text => match text.strip_prefix('.') {
                Some(dotted) => {
                    let found = Type::named(dotted).filter(|t| t.bytes > 0);
                    of = Some(
                        found.ok_or_else(|| token.error(ErrorKind::Unsupported, format!("unsupported type {text}")))?,
                    );
                }
                None => break token,
            },
        }
    };
    let of = of.ok_or_else(|| name.error(ErrorKind::Syntax, format!("{} has no type", name.quoted())))?;
    let mut count = 1u64;
    let mut is_open = false;
    while cursor.eat("[") {
        if cursor.eat("]") {
            is_open = true;
            continue;
        }
        count = count.saturating_mul(cursor.count("an array length", MOST_BYTES)?);
        cursor.expect("]")?;
    }
    let size = count.saturating_mul(u64::from(of.bytes));
    if size > MOST_BYTES {
        return Err(name.error(ErrorKind::Limit, format!("{} has {size} bytes, more than {MOST_BYTES}", name.quoted())));
    }
    let mut found = Variable { name, size, align: align.unwrap_or(u64::from(of.bytes)), initial: Vec::new(), is_open };
    if is_open {
        found.size = 0;
    }
    if cursor.eat("=") {
        initial(cursor, of, &mut found)?;
    }
    Ok(found)
}

fn alignment(cursor: &mut Cursor<'_>) -> Result<u64, Error> {
    let token = cursor.peek();
    let align = cursor.count("an alignment", MOST_ALIGN)?;
    if align.is_power_of_two() {
        return Ok(align);
    }
    Err(token.error(ErrorKind::Syntax, format!("an alignment of {align} is no power of two")))
}

/// `5` or `{1, 2, {3}}`.
fn initial(cursor: &mut Cursor<'_>, of: Type, into: &mut Variable<'_>) -> Result<(), Error> {
    let mut depth = 0u32;
    loop {
        let token = cursor.next();
        match token.text {
            "{" if token.kind == Kind::Sign => depth += 1,
            "}" if token.kind == Kind::Sign && depth > 0 => depth -= 1,
            "," if token.kind == Kind::Sign && depth > 0 => continue,
            _ => {
                let negative = token.is("-");
                let token = if negative { cursor.next() } else { token };
                let value = literal(token, of)?;
                let value = if negative { value.wrapping_neg() } else { value };
                into.initial.extend_from_slice(&value.to_le_bytes()[..usize::from(of.bytes)]);
            }
        }
        if depth == 0 {
            break;
        }
    }
    let given = into.initial.len() as u64;
    if into.is_open {
        (into.size, into.is_open) = (given, false);
    }
    if given > into.size {
        let what = format!("{} has {} bytes and {given} bytes of values", into.name.quoted(), into.size);
        return Err(into.name.error(ErrorKind::Syntax, what));
    }
    into.initial.resize(into.size as usize, 0);
    Ok(())
}

fn literal(token: Token<'_>, of: Type) -> Result<u64, Error> {
    let value = if of.is_float() { super::operand::float(token.text, of) } else { integer(token.text) };
    value.filter(|_| token.kind == Kind::Number).ok_or_else(|| {
        token.error(ErrorKind::Unsupported, format!("a value of type {} expected, {} found", of.name(), token.quoted()))
    })
}
