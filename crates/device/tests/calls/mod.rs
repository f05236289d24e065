//! Tests that look at the calls of the driver, in turn.

mod errors;
mod injection;
mod kernels;
mod threads;
mod traces;
mod traps;

use std::sync::{Mutex, PoisonError};

use weft_cuda_sim::{Config, Event, Leak, Trace};
use weft_device::{Buffer, Cuda};

/// Runs `body` on a simulator that nobody else uses meanwhile, traced; what it has made must be gone afterwards, and the
/// simulator must have had nothing to complain of.
#[track_caller]
pub(crate) fn alone<R>(config: Config, body: impl FnOnce() -> R) -> R {
    let (result, faults) = alone_with_faults(config, body);
    assert_eq!(faults, [""; 0]);
    result
}

/// The same for a body that means to do what the simulator complains of: the complaints are returned with its result.
#[track_caller]
pub(crate) fn alone_with_faults<R>(config: Config, body: impl FnOnce() -> R) -> (R, Vec<String>) {
    let (result, faults, leaks) = watched(config, body);
    assert!(leaks.is_empty(), "{leaks:#?}");
    (result, faults)
}

/// The same for a body that may leave something behind: complaints, and what is still alive by the body's fault.
pub(crate) fn watched<R>(config: Config, body: impl FnOnce() -> R) -> (R, Vec<String>, Vec<Leak>) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `lookup` gives functions with the signatures of the driver API, and they are part of this program.
    unsafe { weft_cuda_shim::install(weft_cuda_sim::lookup).unwrap() };
    weft_cuda_sim::configure(Config { trace: Trace::Kept, ..config });
    let result = body();
    let leaks = weft_cuda_sim::report().own_leaks().cloned().collect();
    (result, weft_cuda_sim::take_faults(), leaks)
}

/// `len` zeros.
pub(crate) fn zeros(device: &Cuda, len: usize) -> Buffer<f32, Cuda> {
    Buffer::new_zeroed(device, len).unwrap()
}

/// The calls since the last time, without those that make a context current and take it down again.
pub(crate) fn events() -> Vec<Event> {
    let frame = ["cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2"];
    weft_cuda_sim::take_trace().into_iter().filter(|event| !frame.contains(&event.call)).collect()
}

/// Their names, with the numbers of bytes where they have some.
pub(crate) fn names() -> Vec<String> {
    let name = |event: &Event| match event.number("bytes").or(event.number("count")) {
        Some(bytes) => format!("{} {bytes}", event.call),
        None => event.call.to_owned(),
    };
    events().iter().map(name).collect()
}
