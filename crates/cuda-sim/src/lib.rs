//! A CUDA device without the device: parses PTX, runs it on the CPU, and checks every access while it does.
//!
//! Four parts; the first three can be used by themselves:
//!
//! - [`ptx`] turns the text of a PTX file into a checked, pre-decoded [`ptx::Module`]. What it does not know, it refuses
//!   with the line and the column.
//! - [`memory`] is the address space of one device: allocations with exact bounds, poison, and a record of which bytes
//!   were ever written.
//! - [`exec`] launches a kernel of a module over such a memory, block by block, and reports faults (as a device would,
//!   by code, but with words) and findings (races, reads of bytes that nobody wrote).
//! - [`driver`] answers the calls of the CUDA driver over such devices: [`lookup`] gives its functions by name, [`configure`]
//!   sets it up, [`report`] and [`faults`] say what happened. Most programs need only this one.
//!
//! # Example
//!
//! ```
//! use weft_cuda_sim::{exec, memory::Memory, ptx};
//!
//! let text = ".version 8.4\n.target sm_70\n.address_size 64
//! .visible .entry twice(.param .u64 p) {
//!     .reg .b32 %r<4>; .reg .b64 %rd<4>;
//!     ld.param.u64 %rd1, [p];
//!     mov.u32 %r1, %tid.x;
//!     mul.wide.u32 %rd2, %r1, 4;
//!     add.s64 %rd3, %rd1, %rd2;
//!     ld.global.u32 %r2, [%rd3];
//!     shl.b32 %r3, %r2, 1;
//!     st.global.u32 [%rd3], %r3;
//!     ret;
//! }";
//! let module = ptx::parse(text, &ptx::Options::default())?;
//! let mut memory = Memory::new();
//! let address = memory.alloc(8)?;
//! memory.write(address, &[3, 0, 0, 0, 4, 0, 0, 0])?;
//! let kernel = module.kernel("twice").ok_or("no kernel")?;
//! let params = address.to_le_bytes();
//! let launch = exec::Launch::new(kernel, [1, 1, 1], [2, 1, 1], &params);
//! let outcome = exec::run(&launch, &mut memory, &exec::Settings::default());
//! assert_eq!((outcome.fault, outcome.findings.len()), (None, 0));
//! let mut bytes = [0; 8];
//! memory.read(address, &mut bytes)?;
//! assert_eq!(bytes, [6, 0, 0, 0, 8, 0, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod driver;
pub mod exec;
pub mod memory;
pub mod ptx;

pub use driver::calls::lookup;
pub use driver::control::{
    calls_made, calls_of, choose_blocks, config, configure, fail_call, fail_call_of, fail_next_allocation, fail_none,
    faults, report, set_total_memory, set_trace, take_faults, take_trace,
};
pub use driver::{Config, Event, Leak, LeakKind, LeakState, Report, Streams, Trace, Value};
