//! Tests of the PTX parser and the interpreter: small programs written by hand, with what they must give.

mod convert;
mod errors;
mod faults;
mod float;
mod flow;
mod fuzz;
mod harness;
mod integer;
mod memory;
mod moves;
mod races;
mod shuffle;
