//! The kernels without a driver: what is chosen for a plan, and what the committed PTX does when it is run, in 32 and in 64
//! bits, under a simulator that checks every access. The host is the reference.

mod choice;
mod convert;
mod copies;
mod elementwise;
mod simulated;
mod sums;
