//! The way into every call: one lock, one count, one place where a call can be made to fail, and no panic that gets out.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use super::abi::Done;
use super::codes::{Answer, NOT_INITIALIZED, NOT_PERMITTED, UNKNOWN};
use super::queue::in_host_function;
use super::state::{Sim, lock};
use super::trace::Value;

/// Calls that only give texts: they need no driver, and are neither counted nor made to fail.
const TEXTS: [&str; 2] = ["cuGetErrorName", "cuGetErrorString"];

/// Calls that work before `cuInit`.
const BEFORE_INIT: [&str; 2] = ["cuInit", "cuDriverGetVersion"];

/// Calls that free what their first argument names. When one of them is made to fail, what it names is no leak of the program's.
const FREES: [&str; 9] = [
    "cuMemFree_v2",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemHostUnregister",
    "cuStreamDestroy_v2",
    "cuEventDestroy_v2",
    "cuModuleUnload",
    "cuCtxDestroy_v2",
    "cuDevicePrimaryCtxRelease_v2",
];

/// Serves one call.
pub(crate) fn enter(
    name: &'static str,
    arguments: impl Fn(Done) -> Vec<(&'static str, Value)>,
    serve: impl FnOnce(&mut Sim) -> Answer,
) -> u32 {
    if in_host_function() {
        return NOT_PERMITTED;
    }
    let served = catch_unwind(AssertUnwindSafe(|| serve_locked(&mut lock(), name, &arguments, serve)));
    served.unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<String>().map(String::as_str);
        let what = what.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it does not say why");
        let text = format!("{name}: a defect of the simulator, please report it: {what}");
        // A second panic must not get out either.
        let _ = catch_unwind(AssertUnwindSafe(|| lock().monitor.fault(text)));
        UNKNOWN
    })
}

fn serve_locked(
    sim: &mut Sim,
    name: &'static str,
    arguments: &impl Fn(Done) -> Vec<(&'static str, Value)>,
    serve: impl FnOnce(&mut Sim) -> Answer,
) -> u32 {
    if TEXTS.contains(&name) {
        return serve(sim).err().unwrap_or(0);
    }
    let injected = sim.monitor.begin(name);
    let result = match injected {
        Some(0) | None if !sim.started && !BEFORE_INIT.contains(&name) => Err(NOT_INITIALIZED),
        Some(0) | None => serve(sim),
        Some(code) => {
            sim.monitor.note = Some("made to fail".into());
            Err(code)
        }
    };
    let code = result.err().unwrap_or(0);
    if code != 0 && FREES.contains(&name) && (injected.is_some() || sim.is_broken(code)) {
        match arguments(Done::No).first() {
            Some((_, Value::Address(place) | Value::Handle(place) | Value::Host(place))) => {
                sim.refused.insert(*place);
            }
            Some((_, Value::Number(device))) => sim.refuse_release(*device),
            _ => {}
        }
    }
    if sim.monitor.wants_events() {
        let done = if code == 0 { Done::Yes } else { Done::No };
        sim.monitor.end(arguments(done), code);
    }
    code
}
