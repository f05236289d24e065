//! The fundamental types of PTX.

/// What the bits of a type mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Pred,
    Bits,
    Unsigned,
    Signed,
    Float,
    /// `.bf16`.
    Brain,
    /// `.f16x2` and `.bf16x2`.
    Pair,
}

/// A type: what, and how many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) class: Class,
    pub(crate) bytes: u8,
}

impl Type {
    /// By its name without the dot.
    pub(crate) fn named(name: &str) -> Option<Type> {
        let (class, bytes) = match name {
            "pred" => (Class::Pred, 0),
            "b8" => (Class::Bits, 1),
            "b16" => (Class::Bits, 2),
            "b32" => (Class::Bits, 4),
            "b64" => (Class::Bits, 8),
            "u8" => (Class::Unsigned, 1),
            "u16" => (Class::Unsigned, 2),
            "u32" => (Class::Unsigned, 4),
            "u64" => (Class::Unsigned, 8),
            "s8" => (Class::Signed, 1),
            "s16" => (Class::Signed, 2),
            "s32" => (Class::Signed, 4),
            "s64" => (Class::Signed, 8),
            "f16" => (Class::Float, 2),
            "f32" => (Class::Float, 4),
            "f64" => (Class::Float, 8),
            "bf16" => (Class::Brain, 2),
            "f16x2" | "bf16x2" => (Class::Pair, 4),
            _ => return None,
        };
        Some(Type { class, bytes })
    }

    pub(crate) fn bits(self) -> u8 {
        self.bytes * 8
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self.class, Class::Float | Class::Brain | Class::Pair)
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self.class, Class::Signed | Class::Unsigned)
    }

    /// All bits of it.
    pub(crate) fn mask(self) -> u64 {
        mask(self.bytes)
    }

    pub(crate) fn name(self) -> String {
        let letter = match self.class {
            Class::Pred => return ".pred".into(),
            Class::Bits => "b",
            Class::Unsigned => "u",
            Class::Signed => "s",
            Class::Float => "f",
            Class::Brain => "bf",
            Class::Pair => return ".f16x2".into(),
        };
        format!(".{letter}{}", self.bits())
    }
}

/// The lowest `bytes` bytes, `bytes` from 1 to 8.
pub(crate) fn mask(bytes: u8) -> u64 {
    !0 >> (64 - u32::from(bytes.clamp(1, 8)) * 8)
}
