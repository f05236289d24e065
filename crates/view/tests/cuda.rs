//! Every behaviour on a real CUDA device, where there is one; a machine without one skips, unless `WEFT_REQUIRE_CUDA=1`.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod cases;
#[macro_use]
#[path = "../../device/tests/real/mod.rs"]
mod real;

use cases::cases;

cases! {
    real_gpu: device_or_skip!();
}
