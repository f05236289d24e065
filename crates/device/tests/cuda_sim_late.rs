//! Every behaviour on a simulated CUDA device that puts work off as long as it may, in an order that is not the program's.
//!
//! Queued work runs when something waits for it, blocks and warps run in a shuffled order, and two threads of a launch that
//! touch one address without anything between them are reported. A device is allowed all of that, so nothing may depend on it.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod cases;
mod sim;

use cases::cases;
use weft_cuda_sim::exec::Check;
use weft_cuda_sim::{Config, Streams};

fn config() -> Config {
    Config {
        streams: Streams::Shuffled(7),
        seed: Some(11),
        races: Check::Report,
        unwritten: Check::Report,
        ..Config::default()
    }
}

cases! {
    simulator: *sim::watched(config());
}
