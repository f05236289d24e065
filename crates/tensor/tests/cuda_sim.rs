//! The bodies of `cases` on the simulated CUDA device, whose driver must have nothing to complain of.

#[macro_use]
mod cases;
#[path = "../../device/tests/sim/mod.rs"]
mod sim;

use weft_cuda_sim::exec::Check;
use weft_cuda_sim::{Config, Streams};

/// Out of order where order is free, late where nobody waits, and complaining of races and of memory that nobody wrote.
fn config() -> Config {
    Config {
        unwritten: Check::Report,
        races: Check::Report,
        streams: Streams::Shuffled(3),
        seed: Some(5),
        ..Config::default()
    }
}

mod simulator {
    cases!(*crate::sim::watched(crate::config()));
}

mod traced {
    cases!(weft_device::trace::Traced::new(crate::sim::watched(crate::config()).clone()));
}
