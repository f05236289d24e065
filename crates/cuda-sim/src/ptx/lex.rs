//! Cuts a PTX text into words, numbers and signs, and remembers where each was.

use super::{Error, ErrorKind};

/// A piece of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) line: u32,
    pub(super) column: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, a mnemonic with its modifiers, a register, a directive: letters, digits and `_ $ % .`.
    Word,
    /// Starts with a digit.
    Number,
    /// Between double quotes.
    Text,
    /// One character.
    Sign,
    /// After the last one.
    End,
}

impl Token<'_> {
    pub(super) fn is(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }

    pub(super) fn error(&self, kind: ErrorKind, what: impl Into<String>) -> Error {
        Error { kind, line: self.line, column: self.column, what: what.into() }
    }

    /// The text as it is quoted in errors: no more than a line of it.
    pub(super) fn quoted(&self) -> String {
        match self.kind {
            Kind::End => "the end of the text".into(),
            _ if self.text.chars().count() > 60 => format!("{}…", self.text.chars().take(60).collect::<String>()),
            _ => self.text.into(),
        }
    }
}

/// All tokens, the last of which is [`Kind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Error> {
    let bytes = text.as_bytes();
    let mut found = Vec::with_capacity(text.len() / 4);
    let (mut at, mut line, mut line_start) = (0, 1, 0);
    // Where columns were counted to, and the column there: nothing is counted twice.
    let (mut counted, mut column) = (0, 1);
    while at < bytes.len() {
        let start = at;
        if counted < line_start {
            (counted, column) = (line_start, 1);
        }
        column += text[counted..at].chars().count() as u32;
        counted = at;
        let make = |kind, end| Token { kind, text: &text[start..end], line, column };
        match bytes[at] {
            b'\n' => {
                at += 1;
                line += 1;
                line_start = at;
            }
            b if b.is_ascii_whitespace() || b == 0x0b => at += 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = text[at..].find('\n').map_or(bytes.len(), |n| at + n);
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let Some(len) = text[at + 2..].find("*/") else {
                    return Err(make(Kind::Sign, at + 2).error(ErrorKind::Syntax, "the comment does not end"));
                };
                let end = at + 2 + len + 2;
                let breaks = text[at..end].matches('\n').count() as u32;
                line += breaks;
                if breaks > 0 {
                    line_start = at + text[at..end].rfind('\n').map_or(0, |n| n + 1);
                }
                at = end;
            }
            b'"' => {
                let end = text[at + 1..].find(['"', '\n']).map_or(bytes.len(), |n| at + 1 + n);
                if bytes.get(end) != Some(&b'"') {
                    return Err(make(Kind::Text, at + 1).error(ErrorKind::Syntax, "the text in quotes does not end"));
                }
                found.push(make(Kind::Text, end + 1));
                at = end + 1;
            }
            b if is_word(b) => {
                let len = word_length(&bytes[at..]);
                let kind = if b.is_ascii_digit() { Kind::Number } else { Kind::Word };
                found.push(make(kind, at + len));
                at += len;
            }
            b if b.is_ascii_graphic() => {
                at += 1;
                found.push(make(Kind::Sign, at));
            }
            _ => {
                let strange = text[at..].chars().next().unwrap_or('?');
                let what = format!("the character {strange:?} has no meaning in PTX");
                return Err(Error { kind: ErrorKind::Syntax, line, column, what });
            }
        }
    }
    let column = (text[line_start..].chars().count() + 1) as u32;
    found.push(Token { kind: Kind::End, text: "", line, column });
    Ok(found)
}

/// `L1::evict_last` is one word; `label:` is a word and a sign.
fn word_length(bytes: &[u8]) -> usize {
    let mut len = 0;
    loop {
        match bytes[len..] {
            [b, ..] if is_word(b) => len += 1,
            [b':', b':', ..] => len += 2,
            _ => return len,
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

/// Walks over tokens; the last one is never passed.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// `tokens` are those of [`tokens`], with [`Kind::End`] at the end.
    pub(super) fn new(tokens: &'a [Token<'a>]) -> Cursor<'a> {
        Cursor { tokens, at: 0 }
    }

    pub(super) fn peek(&self) -> Token<'a> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Passes `sign` if it is next.
    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let found = self.peek().is(sign);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Result<Token<'a>, Error> {
        let token = self.next();
        if token.is(sign) {
            return Ok(token);
        }
        Err(token.error(ErrorKind::Syntax, format!("{sign} expected, {} found", token.quoted())))
    }

    pub(super) fn word(&mut self, what: &str) -> Result<Token<'a>, Error> {
        let token = self.next();
        if token.kind == Kind::Word {
            return Ok(token);
        }
        Err(token.error(ErrorKind::Syntax, format!("{what} expected, {} found", token.quoted())))
    }

    /// A whole number without a sign that is at most `most`.
    pub(super) fn count(&mut self, what: &str, most: u64) -> Result<u64, Error> {
        let token = self.next();
        let value = (token.kind == Kind::Number).then(|| integer(token.text)).flatten();
        match value {
            Some(value) if value <= most => Ok(value),
            Some(value) => Err(token.error(ErrorKind::Limit, format!("{what} of {value} is more than {most}"))),
            None => Err(token.error(ErrorKind::Syntax, format!("{what} expected, {} found", token.quoted()))),
        }
    }
}

/// The value of an integer literal: decimal, `0x`, `0b`, octal, with or without `U`.
pub(super) fn integer(text: &str) -> Option<u64> {
    let text = text.strip_suffix('U').unwrap_or(text);
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', b'b' | b'B', ..] => (&text[2..], 2),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    digits.starts_with(|c: char| c.is_digit(radix)).then(|| u64::from_str_radix(digits, radix).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_columns() {
        let all = tokens("a /* ü\n é */ %r1.x;\n\t// c\n \"x y\" 0x1F -").unwrap();
        let seen: Vec<_> = all.iter().map(|t| (t.text, t.line, t.column)).collect();
        let expected =
            [("a", 1, 1), ("%r1.x", 2, 7), (";", 2, 12), ("\"x y\"", 4, 2), ("0x1F", 4, 8), ("-", 4, 13), ("", 4, 14)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn what_does_not_end_is_an_error() {
        assert_eq!(tokens("a\n /* b").unwrap_err().to_string(), "ptx: line 2, column 2: the comment does not end");
        assert_eq!(
            tokens("\"b\n\"").unwrap_err().to_string(),
            "ptx: line 1, column 1: the text in quotes does not end"
        );
        assert_eq!(tokens("aé").unwrap_err().column, 2);
    }

    #[test]
    fn integers() {
        let values =
            [("0", 0), ("17", 17), ("0x1fU", 31), ("0b101", 5), ("017", 15), ("18446744073709551615", u64::MAX)];
        for (text, value) in values {
            assert_eq!(integer(text), Some(value), "{text}");
        }
        for text in ["", "0x", "0f3F800000", "1.5", "18446744073709551616", "09", "+1", "0x+1"] {
            assert_eq!(integer(text), None, "{text}");
        }
    }
}
