//! The outside of a PTX text: header, variables, kernels.

use std::collections::HashMap;

use super::decl::{Variable, variable};
use super::lex::{Cursor, Kind, Token, tokens};
use super::{Error, ErrorKind, Global, Kernel, Module, Options, Param, body};

/// Bytes of parameters that a kernel may have.
const MOST_PARAM_BYTES: usize = 32_764;
/// Bytes of variables that a module may have.
const MOST_GLOBAL_BYTES: u64 = 64 << 20;
/// Bytes of text.
const MOST_TEXT: usize = 64 << 20;

/// A name that kernels can use.
#[derive(Debug, Clone, Copy)]
pub(super) enum Symbol {
    /// The variable with this number.
    Global(u32),
    /// Shared memory that every kernel that names it has.
    Shared { size: u64, align: u64 },
    /// `.extern .shared x[]`.
    DynamicShared { align: u64 },
}

pub(super) fn parse(text: &str, options: &Options) -> Result<Module, Error> {
    if text.len() > MOST_TEXT {
        let what = format!("the text has {} bytes, more than {MOST_TEXT}", text.len());
        return Err(Error { kind: ErrorKind::Limit, line: 1, column: 1, what });
    }
    let tokens = tokens(text)?;
    let mut cursor = Cursor::new(&tokens);
    header(&mut cursor, options)?;
    let mut module = Module { kernels: Vec::new(), globals: Vec::new() };
    let mut symbols: HashMap<&str, Symbol> = HashMap::new();
    let mut global_bytes = 0u64;
    let mut is_extern = false;
    loop {
        let token = cursor.next();
        if token.kind == Kind::End {
            return Ok(module);
        }
        match token.text {
            ".visible" | ".weak" | ".common" => {}
            ".extern" => is_extern = true,
            ".entry" => {
                let kernel = entry(&mut cursor, &symbols)?;
                if module.kernel(&kernel.name).is_some() {
                    return Err(token.error(ErrorKind::Syntax, format!("there are two kernels {}", kernel.name)));
                }
                module.kernels.push(kernel);
                is_extern = false;
            }
            ".global" | ".const" | ".shared" => {
                let found = variable(&mut cursor)?;
                cursor.expect(";")?;
                let name = found.name;
                let symbol = if token.text == ".shared" {
                    shared(&found, is_extern)?
                } else {
                    if is_extern || found.is_open {
                        let what = format!("unsupported: {} is declared elsewhere or has no size", name.quoted());
                        return Err(name.error(ErrorKind::Unsupported, what));
                    }
                    let symbol = Symbol::Global(module.globals.len() as u32);
                    global_bytes += found.size;
                    if global_bytes > MOST_GLOBAL_BYTES {
                        let what = format!("the variables have more than {MOST_GLOBAL_BYTES} bytes");
                        return Err(name.error(ErrorKind::Limit, what));
                    }
                    module.globals.push(global(found));
                    symbol
                };
                if symbols.insert(name.text, symbol).is_some() {
                    return Err(name.error(ErrorKind::Syntax, format!("{} is declared twice", name.quoted())));
                }
                is_extern = false;
            }
            ".file" => {
                cursor.count("a file number", u64::MAX)?;
                let name = cursor.next();
                if name.kind != Kind::Text {
                    return Err(name.error(ErrorKind::Syntax, "a file name expected"));
                }
                while cursor.eat(",") {
                    cursor.count("a number", u64::MAX)?;
                }
            }
            ".section" => {
                cursor.word("a section name")?;
                cursor.expect("{")?;
                while !cursor.eat("}") {
                    let token = cursor.next();
                    if token.kind == Kind::End {
                        return Err(token.error(ErrorKind::Syntax, "the section does not end"));
                    }
                }
            }
            ".pragma" => pragma(&mut cursor)?,
            _ => return Err(unknown(token, "a directive")),
        }
    }
}

/// `.version 8.4 .target sm_70 .address_size 64`.
fn header(cursor: &mut Cursor<'_>, options: &Options) -> Result<(), Error> {
    let start = cursor.next();
    if start.text != ".version" {
        return Err(start.error(ErrorKind::Syntax, format!(".version expected, {} found", start.quoted())));
    }
    let token = cursor.next();
    let numbers = token.text.split_once('.').and_then(|(a, b)| Some((a.parse::<u32>().ok()?, b.parse::<u32>().ok()?)));
    let version = numbers
        .ok_or_else(|| token.error(ErrorKind::Syntax, format!("a version expected, {} found", token.quoted())))?;
    if version > options.newest_version {
        let (major, minor) = options.newest_version;
        let what = format!("version {} is newer than {major}.{minor}, the newest that this driver knows", token.text);
        return Err(token.error(ErrorKind::Version, what));
    }
    let start = cursor.next();
    if start.text != ".target" {
        return Err(start.error(ErrorKind::Syntax, format!(".target expected, {} found", start.quoted())));
    }
    target(cursor, options)?;
    while cursor.eat(",") {
        let token = cursor.word("a target option")?;
        if token.text != "debug" && token.text != "texmode_independent" {
            return Err(unknown(token, "a target option"));
        }
    }
    let start = cursor.next();
    let size = if start.text == ".address_size" { cursor.next() } else { start };
    if start.text != ".address_size" || size.text != "64" {
        let what = format!(".address_size 64 expected, {} found", size.quoted());
        return Err(size.error(ErrorKind::AddressSize, what));
    }
    Ok(())
}

/// `sm_70` runs on every device from 7.0 on; `sm_90a` only on a device of 9.0.
fn target(cursor: &mut Cursor<'_>, options: &Options) -> Result<(), Error> {
    let token = cursor.word("a target")?;
    let device = options.compute_capability;
    let number = token.text.strip_prefix("sm_");
    let exact = number.and_then(|n| n.strip_suffix('a')).and_then(|n| n.parse::<u32>().ok());
    let least = number.and_then(|n| n.parse::<u32>().ok());
    match (exact, least) {
        (Some(exact), _) if exact == device => Ok(()),
        (_, Some(least)) if least <= device => Ok(()),
        (None, None) => Err(unknown(token, "a target")),
        _ => {
            let what = format!("target {} does not run on a device of compute capability sm_{device}", token.text);
            Err(token.error(ErrorKind::Target, what))
        }
    }
}

fn shared(found: &Variable<'_>, is_extern: bool) -> Result<Symbol, Error> {
    if is_extern {
        return Ok(Symbol::DynamicShared { align: found.align });
    }
    check_shared(found)?;
    Ok(Symbol::Shared { size: found.size, align: found.align })
}

/// Shared memory has a size and no initial value.
pub(super) fn check_shared(found: &Variable<'_>) -> Result<(), Error> {
    if found.is_open || !found.initial.is_empty() {
        let what = format!("{} needs a size and cannot have a value", found.name.quoted());
        return Err(found.name.error(ErrorKind::Syntax, what));
    }
    Ok(())
}

fn global(found: Variable<'_>) -> Global {
    let mut initial = found.initial;
    initial.resize(found.size as usize, 0);
    Global { name: found.name.text.into(), size: found.size, align: found.align, initial }
}

fn entry<'a>(cursor: &mut Cursor<'a>, symbols: &HashMap<&'a str, Symbol>) -> Result<Kernel, Error> {
    let name = cursor.word("the name of a kernel")?;
    let mut params: Vec<Param> = Vec::new();
    let mut names = HashMap::new();
    let mut end = 0usize;
    if cursor.eat("(") && !cursor.eat(")") {
        loop {
            let token = cursor.word(".param")?;
            if token.text != ".param" {
                return Err(token.error(ErrorKind::Syntax, format!(".param expected, {} found", token.quoted())));
            }
            let found = variable(cursor)?;
            if found.is_open || !found.initial.is_empty() {
                return Err(found.name.error(ErrorKind::Syntax, "a parameter needs a size and cannot have a value"));
            }
            let (size, align) = (found.size as usize, found.align as usize);
            let offset = end.next_multiple_of(align);
            end = offset + size;
            if end > MOST_PARAM_BYTES {
                let what = format!("the parameters have more than {MOST_PARAM_BYTES} bytes");
                return Err(found.name.error(ErrorKind::Limit, what));
            }
            if names.insert(found.name.text, offset as u64).is_some() {
                let what = format!("there are two parameters {}", found.name.quoted());
                return Err(found.name.error(ErrorKind::Syntax, what));
            }
            params.push(Param { offset, size, align });
            if !cursor.eat(",") {
                cursor.expect(")")?;
                break;
            }
        }
    }
    let max_threads = tuning(cursor)?;
    let mut kernel = body::parse(cursor, name, symbols, &names)?;
    (kernel.params, kernel.param_bytes, kernel.max_threads) = (params, end, max_threads);
    Ok(kernel)
}

/// The directives between the parameters and the body; gives the threads of a block, at most.
fn tuning(cursor: &mut Cursor<'_>) -> Result<u32, Error> {
    let mut max_threads = 1024;
    loop {
        let token = cursor.peek();
        if token.is("{") {
            return Ok(max_threads);
        }
        cursor.next();
        match token.text {
            ".maxntid" => {
                let mut product = cursor.count("a block size", 1024)?;
                while cursor.eat(",") {
                    product = product.saturating_mul(cursor.count("a block size", 1024)?);
                }
                max_threads = u32::try_from(product).unwrap_or(u32::MAX).min(1024);
            }
            ".minnctapersm" | ".maxnctapersm" | ".maxnreg" => {
                cursor.count("a number", u64::from(u32::MAX))?;
            }
            ".pragma" => pragma(cursor)?,
            _ => return Err(unknown(token, "a directive or {")),
        }
    }
}

/// `.pragma "nounroll";` says something to a compiler, and nothing to a simulator.
pub(super) fn pragma(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    let token = cursor.next();
    if token.kind != Kind::Text {
        return Err(token.error(ErrorKind::Syntax, format!("a text in quotes expected, {} found", token.quoted())));
    }
    cursor.expect(";").map(drop)
}

/// A dotted word that is not known, or something that is no word where one must stand.
pub(super) fn unknown(token: Token<'_>, expected: &str) -> Error {
    match token.kind {
        Kind::Word => token
            .error(ErrorKind::Unsupported, format!("unsupported: {}, where {expected} was expected", token.quoted())),
        _ => token.error(ErrorKind::Syntax, format!("{expected} expected, {} found", token.quoted())),
    }
}
