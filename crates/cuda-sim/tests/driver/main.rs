//! Tests of the simulated driver, through the function pointers that `lookup` hands out, as a program would call it.

mod accounting;
mod codes;
mod deferred;
mod docs;
mod injection;
mod kernels;
mod managed;
mod modules;
mod raw;
mod threads;
mod trace;
