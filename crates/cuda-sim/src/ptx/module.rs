//! The outside of a PTX text: header, variables, kernels.

use super::{Error, ErrorKind, Module, Options};

pub(super) fn parse(_text: &str, _options: &Options) -> Result<Module, Error> {
    Err(Error { kind: ErrorKind::Unsupported, line: 1, column: 1, what: "nothing is supported yet".into() })
}
