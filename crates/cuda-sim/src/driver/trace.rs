//! What was called: one event a call, with arguments, answers and the code that came back.

use core::fmt;

/// An argument or an answer of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A size, a count, a flag or a small answer.
    Number(i64),
    /// A time in milliseconds.
    Real(f32),
    /// A device address; 0 is none.
    Address(u64),
    /// A context, stream, event, module or function; 0 is none.
    Handle(u64),
    /// An address in host memory, printed as `host` because it changes from run to run.
    Host(u64),
    /// A name.
    Text(String),
    /// An answer that did not come, because the call failed or nobody asked for it.
    Nothing,
}

/// One driver call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// Which call it was, counted from 1 since the last [`configure`](crate::configure).
    pub number: u64,
    /// The C name, such as `cuMemAlloc_v2`.
    pub call: &'static str,
    /// Arguments in order, with their names; an argument that takes an answer shows the answer.
    pub arguments: Vec<(&'static str, Value)>,
    /// The code that the caller got.
    pub code: u32,
    /// What else is worth knowing, such as the name of the kernel that was launched.
    pub note: Option<String>,
}

impl Event {
    /// The argument or answer of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.arguments.iter().find(|(n, _)| *n == name).map(|(_, v)| v)
    }

    /// The device address of that name, if there is one.
    #[must_use]
    pub fn address(&self, name: &str) -> Option<u64> {
        if let Some(Value::Address(address)) = self.get(name) { Some(*address) } else { None }
    }

    /// The number of that name, if there is one.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<i64> {
        if let Some(Value::Number(number)) = self.get(name) { Some(*number) } else { None }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Real(number) => write!(f, "{number:?}"),
            Self::Address(0) | Self::Handle(0) | Self::Host(0) => f.write_str("0"),
            Self::Address(address) => write!(f, "{address:#x}"),
            Self::Handle(handle) => match super::handles::Kind::of(*handle) {
                Some((kind, number)) => write!(f, "{kind}#{number}"),
                None => write!(f, "{handle:#x}"),
            },
            Self::Host(_) => f.write_str("host"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Nothing => f.write_str("-"),
        }
    }
}

/// `cuMemAlloc_v2(address: 0x700000000000, bytes: 96) = 0`
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.call)?;
        for (i, (name, value)) in self.arguments.iter().enumerate() {
            write!(f, "{}{name}: {value}", if i == 0 { "" } else { ", " })?;
        }
        write!(f, ") = {}", self.code)?;
        self.note.iter().try_for_each(|note| write!(f, " [{note}]"))
    }
}
