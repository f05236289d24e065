//! What the CUDA driver is asked to do, call by call; what becomes of it when a call fails; and the traps of the driver API.
//!
//! The simulator and its counts are one for the process, so every test here has it to itself (`calls::alone`).
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod calls;
