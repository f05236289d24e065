//! Every behaviour on the simulated CUDA device: the committed PTX, run instruction by instruction, each access checked.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod cases;
mod sim;

use cases::cases;
use weft_cuda_sim::Config;
use weft_cuda_sim::exec::Check;
use weft_device::trace::Traced;

/// In order, and complaining about every load of memory that nobody wrote.
fn config() -> Config {
    Config { unwritten: Check::Report, ..Config::default() }
}

cases! {
    simulator: *sim::watched(config());
    traced: Traced::new(sim::watched(config()).clone());
}
