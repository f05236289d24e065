//! Every CUDA driver call as a symbol of this crate, forwarded at run time to a driver, or answered without one.
//!
//! A program that uses the `cust` crate is linked against `libcuda.so`, which only machines with an NVIDIA driver (or a
//! toolkit) have. With this crate in the program it is not: the crate defines all the `cu…` functions itself, opens a driver
//! at the first call, and passes the calls on. The same binary runs with a GPU and without one, and it can be tested
//! against a driver that is no driver, such as weft's simulator.
//!
//! # Which driver
//!
//! The first that applies, once for the whole process:
//!
//! 1. what [`install`] was given: functions inside this process;
//! 2. the environment variable `WEFT_CUDA_DRIVER` ([`DRIVER_ENV`]): the path of a library, or `none` for no driver at all.
//!    Set but empty, it counts as not set;
//! 3. `libcuda.so.1`, where the loader finds it, and then `/usr/lib/wsl/lib/libcuda.so.1`.
//!
//! [`driver`] says what came of it. On other systems than Linux nothing is opened, and only 1. can give a driver.
//!
//! # What is different from a driver
//!
//! * **Without one**, each call answers 100, `no CUDA-capable device is detected`. `cuGetErrorString` and `cuGetErrorName`
//!   answer from this crate's own table, because `cust` needs them to print an error.
//! * **A call that the driver does not have** answers 801, `operation not supported`.
//! * **A result code that `cust_raw` does not declare** becomes 999: its result type is a Rust `enum`, in which an undeclared
//!   value would be undefined behaviour. [`last_raw_code`] still has the driver's own.
//!
//! # Use
//!
//! A program that calls the driver through `cust` only has to mention the crate, or rustc leaves it out of the link:
//! `extern crate weft_cuda_shim as _;`. How to build without a toolkit is in this crate's README.
//!
//! ```
//! use weft_cuda_shim::{Driver, driver};
//!
//! match driver() {
//!     Driver::Installed(_) => println!("a driver inside this process"),
//!     Driver::Library { path } => println!("the driver {}", path.display()),
//!     Driver::Missing { why } => println!("no driver: {why}"),
//!     _ => println!("something newer than this example"),
//! }
//! ```

mod codes;
mod driver;
mod forward;
mod generated;
mod texts;

pub use codes::{error_name, error_text};
pub use driver::{AlreadyOpen, DRIVER_ENV, Driver, Lookup, driver, install};
pub use forward::last_raw_code;
pub use generated::CALLS;
