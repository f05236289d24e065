//! Tests of the simulated driver, through the function pointers that `lookup` hands out, as a program would call it.

mod accounting;
mod codes;
mod deferred;
mod injection;
mod kernels;
mod modules;
mod raw;
mod threads;
mod trace;
