//! The inside of a kernel: registers, labels, variables, and one instruction after another.

use std::collections::HashMap;

use super::decl::variable;
use super::lex::{Cursor, Kind, Token};
use super::lower;
use super::module::{Symbol, check_shared, pragma, unknown};
use super::operand::{Form, Operand, bits_of, operands};
use super::special::{location, special};
use super::types::{Class, Type, mask};
use super::{Error, ErrorKind, Kernel};
use crate::exec::op::{Address, Const, Guard, Instr, Op, Pred, Slot, Space};

/// Registers, predicates and constants of one kernel.
const MOST_SLOTS: u32 = 1 << 14;
/// Blocks inside of blocks.
const MOST_DEPTH: usize = 64;
/// Bytes of local memory of a thread.
const MOST_LOCAL: u64 = 64 << 10;
/// Bytes of shared memory that a kernel declares.
const MOST_SHARED: u64 = 48 << 10;

/// A kernel while it is read.
pub(super) struct Body<'a, 'm> {
    kernel: Kernel,
    symbols: &'m HashMap<&'a str, Symbol>,
    params: &'m HashMap<&'a str, u64>,
    scopes: Vec<Scope<'a>>,
    /// All scopes that ever were, by number: the one around it.
    parents: Vec<usize>,
    labels: HashMap<(usize, &'a str), Label>,
    branches: Vec<Branch<'a>>,
    shared: HashMap<&'a str, u64>,
    local: HashMap<&'a str, u64>,
    constants: HashMap<Const, Slot>,
    next_slot: u32,
    next_pred: u32,
}

/// Names of one `{ … }`.
#[derive(Default)]
struct Scope<'a> {
    number: usize,
    registers: HashMap<&'a str, Register>,
    /// `%r<10>`: the type, and how many there are.
    ranges: HashMap<&'a str, (Type, u64)>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Register {
    /// The slot, or the number of the predicate.
    pub(super) slot: Slot,
    pub(super) of: Type,
}

enum Label {
    Code(u32),
    /// `.branchtargets`: the labels.
    Table(Vec<u32>),
}

/// A jump whose target is looked up when all labels are known.
struct Branch<'a> {
    at: usize,
    label: Token<'a>,
    scope: usize,
    use_: Use,
}

#[derive(PartialEq)]
enum Use {
    Jump,
    Table,
}

pub(super) fn parse<'a>(
    cursor: &mut Cursor<'a>,
    name: Token<'a>,
    symbols: &HashMap<&'a str, Symbol>,
    params: &HashMap<&'a str, u64>,
) -> Result<Kernel, Error> {
    let kernel = Kernel {
        name: name.text.into(),
        params: Vec::new(),
        param_bytes: 0,
        static_shared: 0,
        uses_dynamic_shared: false,
        local: 0,
        max_threads: 1024,
        code: Vec::new(),
        slots: 0,
        predicates: 0,
        constants: Vec::new(),
        unset: Vec::new(),
        line: name.line,
    };
    let mut body = Body {
        kernel,
        symbols,
        params,
        scopes: Vec::new(),
        parents: Vec::new(),
        labels: HashMap::new(),
        branches: Vec::new(),
        shared: HashMap::new(),
        local: HashMap::new(),
        constants: HashMap::new(),
        next_slot: 0,
        next_pred: 0,
    };
    body.statements(cursor)?;
    body.finish(cursor.peek().line)
}

impl<'a> Body<'a, '_> {
    fn statements(&mut self, cursor: &mut Cursor<'a>) -> Result<(), Error> {
        let mut tables: Vec<(usize, &'a str, Vec<Token<'a>>)> = Vec::new();
        loop {
            let token = cursor.next();
            match token.text {
                "{" if token.kind == Kind::Sign => self.open(token)?,
                "}" if token.kind == Kind::Sign => {
                    self.scopes.pop();
                    if self.scopes.is_empty() {
                        break;
                    }
                }
                ";" if token.kind == Kind::Sign => {}
                "@" if token.kind == Kind::Sign => {
                    let negated = cursor.eat("!");
                    let name = cursor.word("a predicate")?;
                    let guard = Guard { pred: self.pred_named(name)?, negated };
                    let mnemonic = cursor.word("an instruction")?;
                    self.instruction(cursor, mnemonic, Some(guard))?;
                }
                ".reg" => self.registers(cursor)?,
                ".shared" => {
                    let found = variable(cursor)?;
                    cursor.expect(";")?;
                    check_shared(&found)?;
                    self.place_shared(found.name, found.size, found.align)?;
                }
                ".local" => {
                    let found = variable(cursor)?;
                    cursor.expect(";")?;
                    check_shared(&found)?;
                    let at = (self.kernel.local as u64).next_multiple_of(found.align);
                    let end = at + found.size;
                    if end > MOST_LOCAL {
                        let what = format!("a thread has {end} bytes of local memory, more than {MOST_LOCAL}");
                        return Err(found.name.error(ErrorKind::Limit, what));
                    }
                    self.kernel.local = end as usize;
                    if self.local.insert(found.name.text, at).is_some() {
                        return Err(twice(found.name));
                    }
                }
                ".pragma" => pragma(cursor)?,
                ".loc" => location(cursor)?,
                _ if token.kind == Kind::Word && cursor.peek().is(":") && !token.text.starts_with('.') => {
                    cursor.next();
                    let scope = self.scope(token)?.number;
                    if cursor.peek().text == ".branchtargets" {
                        cursor.next();
                        let mut targets = vec![cursor.word("a label")?];
                        while cursor.eat(",") {
                            targets.push(cursor.word("a label")?);
                        }
                        cursor.expect(";")?;
                        tables.push((scope, token.text, targets));
                        self.label(scope, token, Label::Table(Vec::new()))?;
                    } else {
                        let at = self.kernel.code.len() as u32;
                        self.label(scope, token, Label::Code(at))?;
                    }
                }
                _ if token.kind == Kind::Word && !token.text.starts_with(['.', '%']) => {
                    self.instruction(cursor, token, None)?;
                }
                _ if token.kind == Kind::End => {
                    return Err(token.error(ErrorKind::Syntax, "the kernel does not end"));
                }
                _ => return Err(unknown(token, "an instruction")),
            }
        }
        for (scope, name, targets) in tables {
            let found = targets.into_iter().map(|t| self.code_label(scope, t)).collect::<Result<Vec<u32>, Error>>()?;
            self.labels.insert((scope, name), Label::Table(found));
        }
        Ok(())
    }

    fn open(&mut self, token: Token<'a>) -> Result<(), Error> {
        if self.scopes.len() == MOST_DEPTH {
            return Err(token.error(ErrorKind::Limit, format!("more than {MOST_DEPTH} blocks inside of each other")));
        }
        let number = self.parents.len();
        self.parents.push(self.scopes.last().map_or(number, |s| s.number));
        self.scopes.push(Scope { number, ..Scope::default() });
        Ok(())
    }

    fn scope(&mut self, token: Token<'a>) -> Result<&mut Scope<'a>, Error> {
        self.scopes.last_mut().ok_or_else(|| token.error(ErrorKind::Syntax, "{ expected"))
    }

    fn label(&mut self, scope: usize, token: Token<'a>, label: Label) -> Result<(), Error> {
        match self.labels.insert((scope, token.text), label) {
            None => Ok(()),
            Some(_) => Err(twice(token)),
        }
    }

    /// `.reg .b32 %r<10>, %x;`
    fn registers(&mut self, cursor: &mut Cursor<'a>) -> Result<(), Error> {
        let token = cursor.word("a type")?;
        let of = token.text.strip_prefix('.').and_then(Type::named);
        let of =
            of.ok_or_else(|| token.error(ErrorKind::Unsupported, format!("unsupported type {}", token.quoted())))?;
        loop {
            let name = cursor.word("the name of a register")?;
            if cursor.eat("<") {
                let count = cursor.count("a number of registers", u64::from(u32::MAX))?;
                cursor.expect(">")?;
                if self.scope(name)?.ranges.insert(name.text, (of, count)).is_some() {
                    return Err(twice(name));
                }
            } else {
                let register = self.new_register(name, of)?;
                if self.scope(name)?.registers.insert(name.text, register).is_some() {
                    return Err(twice(name));
                }
            }
            if !cursor.eat(",") {
                return cursor.expect(";").map(drop);
            }
        }
    }

    fn new_register(&mut self, name: Token<'a>, of: Type) -> Result<Register, Error> {
        let next = if of.class == Class::Pred { &mut self.next_pred } else { &mut self.next_slot };
        if *next == MOST_SLOTS {
            let what = format!("more than {MOST_SLOTS} registers and constants are used");
            return Err(name.error(ErrorKind::Limit, what));
        }
        *next += 1;
        Ok(Register { slot: *next - 1, of })
    }

    /// A register by its name; those of ranges come to be when they are first used.
    fn register(&mut self, name: Token<'a>) -> Result<Option<Register>, Error> {
        for depth in (0..self.scopes.len()).rev() {
            if let Some(found) = self.scopes[depth].registers.get(name.text) {
                return Ok(Some(*found));
            }
            if let Some(of) = self.scopes[depth].range(name.text) {
                let register = self.new_register(name, of)?;
                self.scopes[depth].registers.insert(name.text, register);
                return Ok(Some(register));
            }
        }
        Ok(None)
    }

    pub(super) fn pred_named(&mut self, name: Token<'a>) -> Result<Pred, Error> {
        match self.register(name)? {
            Some(Register { slot, of: Type { class: Class::Pred, .. } }) => Ok(slot),
            Some(found) => Err(wrong(name, &format!("a predicate expected, {} is {}", name.quoted(), found.of.name()))),
            None => Err(wrong(name, &format!("there is no predicate {}", name.quoted()))),
        }
    }

    fn instruction(&mut self, cursor: &mut Cursor<'a>, mnemonic: Token<'a>, guard: Option<Guard>) -> Result<(), Error> {
        let operands = operands(cursor)?;
        let op = lower::lower(self, mnemonic, &operands)?;
        self.kernel.code.push(Instr { guard, op, line: mnemonic.line });
        Ok(())
    }

    /// The slot that holds a constant.
    pub(super) fn constant(&mut self, token: Token<'a>, value: Const) -> Result<Slot, Error> {
        if let Some(slot) = self.constants.get(&value) {
            return Ok(*slot);
        }
        let register = self.new_register(token, Type { class: Class::Bits, bytes: 8 })?;
        self.constants.insert(value, register.slot);
        self.kernel.constants.push((register.slot, value));
        Ok(register.slot)
    }

    /// A register that is written.
    pub(super) fn target(&mut self, operand: &Operand<'a>) -> Result<Register, Error> {
        let token = operand.token;
        let Form::Name(0) = operand.form else {
            return Err(wrong(token, &format!("a register expected, {} found", token.quoted())));
        };
        match self.register(token)? {
            Some(found) if found.of.class != Class::Pred => Ok(found),
            Some(_) => Err(wrong(token, &format!("{} is a predicate", token.quoted()))),
            None => Err(wrong(token, &format!("there is no register {}", token.quoted()))),
        }
    }

    /// Something that is read: a register, a special register, a literal or the address of a variable. With the width in
    /// bytes that it has, 0 for what fits every width.
    pub(super) fn source(&mut self, operand: &Operand<'a>, of: Type) -> Result<(Slot, u8), Error> {
        let token = operand.token;
        match &operand.form {
            Form::Name(added) => {
                if let Some(found) = self.register(token)? {
                    if found.of.class == Class::Pred || *added != 0 {
                        return Err(wrong(token, &format!("a register expected, {} found", token.quoted())));
                    }
                    return Ok((found.slot, found.of.bytes));
                }
                if let Some((value, bytes)) = special(token.text) {
                    return Ok((self.constant(token, value)?, bytes));
                }
                let (value, _) = self.variable(token, *added)?;
                Ok((self.constant(token, value)?, 0))
            }
            form => match bits_of(form, of) {
                Some(bits) => Ok((self.constant(token, Const::Value(bits))?, 0)),
                None => {
                    let what = format!("a value of type {} expected, {} found", of.name(), token.quoted());
                    Err(wrong(token, &what))
                }
            },
        }
    }

    /// The address of a variable in its state space, plus `added`.
    fn variable(&mut self, token: Token<'a>, added: i64) -> Result<(Const, Space), Error> {
        let name = token.text;
        let value = |at: u64| Const::Value(at.wrapping_add_signed(added));
        if let Some(at) = self.params.get(name) {
            return Ok((value(*at), Space::Param));
        }
        if let Some(at) = self.local.get(name) {
            return Ok((value(*at), Space::Local));
        }
        if let Some(at) = self.shared.get(name) {
            return Ok((value(*at), Space::Shared));
        }
        match self.symbols.get(name) {
            Some(Symbol::Global(index)) => Ok((Const::Global { index: *index, offset: added as u64 }, Space::Global)),
            Some(Symbol::Shared { size, align }) => {
                let at = self.place_shared(token, *size, *align)?;
                Ok((value(at), Space::Shared))
            }
            Some(Symbol::DynamicShared { align }) => {
                self.kernel.uses_dynamic_shared = true;
                Ok((Const::DynamicShared { align: *align as u32, offset: added as u64 }, Space::Shared))
            }
            None if name.starts_with('%') => Err(wrong(token, &format!("there is no register {}", token.quoted()))),
            None => Err(wrong(token, &format!("there is nothing called {}", token.quoted()))),
        }
    }

    fn place_shared(&mut self, name: Token<'a>, size: u64, align: u64) -> Result<u64, Error> {
        let at = (self.kernel.static_shared as u64).next_multiple_of(align);
        let end = at + size;
        if end > MOST_SHARED {
            let what = format!("a block has {end} bytes of shared memory, more than {MOST_SHARED}");
            return Err(name.error(ErrorKind::Limit, what));
        }
        self.kernel.static_shared = end as usize;
        match self.shared.insert(name.text, at) {
            None => Ok(at),
            Some(_) => Err(twice(name)),
        }
    }

    /// `[%rd1+4]`, `[x]`, `[16]`.
    pub(super) fn address(&mut self, operand: &Operand<'a>, space: Space) -> Result<Address, Error> {
        let Form::Address(inside) = &operand.form else {
            return Err(wrong(operand.token, &format!("an address in [ ] expected, {} found", operand.token.quoted())));
        };
        let token = inside.token;
        match inside.form {
            Form::Name(added) => match self.register(token)? {
                Some(Register { slot, of: Type { class: Class::Bits | Class::Unsigned | Class::Signed, bytes } })
                    if bytes == 8 || (bytes == 4 && matches!(space, Space::Shared | Space::Local | Space::Param)) =>
                {
                    Ok(Address { base: slot, offset: added })
                }
                Some(found) => Err(wrong(token, &format!("{} is {}, no address", token.quoted(), found.of.name()))),
                None => {
                    let (value, found) = self.variable(token, added)?;
                    if found != space && !(space == Space::Generic && found == Space::Global) {
                        let what = format!("{} is in {found:?} memory and not in {space:?}", token.quoted());
                        return Err(wrong(token, &what));
                    }
                    Ok(Address { base: self.constant(token, value)?, offset: 0 })
                }
            },
            Form::Integer(value) => Ok(Address { base: self.constant(token, Const::Value(value))?, offset: 0 }),
            _ => Err(wrong(token, &format!("an address expected, {} found", token.quoted()))),
        }
    }

    /// Notes a jump to a label that may come later.
    pub(super) fn jump(&mut self, label: Token<'a>) -> Result<(), Error> {
        self.note(label, Use::Jump)
    }

    /// Notes a jump through a table of labels.
    pub(super) fn jump_by_table(&mut self, label: Token<'a>) -> Result<(), Error> {
        self.note(label, Use::Table)
    }

    fn note(&mut self, label: Token<'a>, use_: Use) -> Result<(), Error> {
        let scope = self.scope(label)?.number;
        self.branches.push(Branch { at: self.kernel.code.len(), label, scope, use_ });
        Ok(())
    }

    fn find_label(&self, mut scope: usize, name: &'a str) -> Option<&Label> {
        loop {
            if let Some(found) = self.labels.get(&(scope, name)) {
                return Some(found);
            }
            let parent = self.parents[scope];
            if parent == scope {
                return None;
            }
            scope = parent;
        }
    }

    fn code_label(&self, scope: usize, label: Token<'a>) -> Result<u32, Error> {
        match self.find_label(scope, label.text) {
            Some(Label::Code(at)) => Ok(*at),
            _ => Err(wrong(label, &format!("there is no label {}", label.quoted()))),
        }
    }

    fn finish(mut self, end_line: u32) -> Result<Kernel, Error> {
        for branch in &self.branches {
            let op = if branch.use_ == Use::Jump {
                Op::Branch { target: self.code_label(branch.scope, branch.label)? }
            } else {
                let Op::BranchIndex { index, .. } = self.kernel.code[branch.at].op else { continue };
                match self.find_label(branch.scope, branch.label.text) {
                    Some(Label::Table(targets)) => Op::BranchIndex { index, targets: targets.as_slice().into() },
                    _ => return Err(wrong(branch.label, &format!("there is no table {}", branch.label.quoted()))),
                }
            };
            self.kernel.code[branch.at].op = op;
        }
        self.kernel.code.push(Instr { guard: None, op: Op::Exit, line: end_line });
        self.kernel.slots = self.next_slot as usize;
        self.kernel.predicates = self.next_pred as usize;
        let mut is_constant = vec![false; self.kernel.slots];
        for (slot, _) in &self.kernel.constants {
            is_constant[*slot as usize] = true;
        }
        self.kernel.unset = (0..self.next_slot).filter(|s| !is_constant[*s as usize]).collect();
        Ok(self.kernel)
    }
}

impl Scope<'_> {
    /// The type of a register that a range of this scope declares: `%r7` of `%r<10>`.
    fn range(&self, name: &str) -> Option<Type> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        (1..=digits.min(10)).find_map(|n| {
            let (prefix, number) = name.split_at(name.len() - n);
            let (of, count) = self.ranges.get(prefix)?;
            let number = (n == 1 || !number.starts_with('0')).then(|| number.parse::<u64>().ok())??;
            (number < *count).then_some(*of)
        })
    }
}

fn twice(token: Token<'_>) -> Error {
    token.error(ErrorKind::Syntax, format!("{} is declared twice", token.quoted()))
}

fn wrong(token: Token<'_>, what: &str) -> Error {
    token.error(ErrorKind::Syntax, what)
}

/// All bits of a register.
pub(super) fn register_mask(register: Register) -> u64 {
    mask(register.of.bytes)
}
