//! The report when a process ends, for programs that cannot ask for it.

use super::monitor::say;
use super::state::lock_if_free;

unsafe extern "C" {
    /// The C library's.
    fn atexit(function: extern "C" fn()) -> i32;
}

/// Prints the report when the process ends.
pub(crate) fn report_at_exit() {
    // SAFETY: `atexit` may be called at any time, and the function lives as long as the process or the library.
    let failed = unsafe { atexit(print_report) };
    if failed != 0 {
        say("the C library takes no more exit functions; there will be no report");
    }
}

extern "C" fn print_report() {
    // A panic must not get out of here, and there is nobody left to tell.
    let _ = std::panic::catch_unwind(|| match lock_if_free() {
        Some(sim) => {
            sim.report().to_string().lines().for_each(say);
            sim.monitor.faults.iter().for_each(|fault| say(&format!("fault: {fault}")));
        }
        None => say("the process ended during a driver call; there is no report"),
    });
}
