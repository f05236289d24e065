//! The report when a process ends, for programs that cannot ask for it.

unsafe extern "C" {
    /// The C library's.
    fn atexit(function: extern "C" fn()) -> i32;
}

/// Prints the report when the process ends.
pub(crate) fn report_at_exit() {
    // SAFETY: `atexit` may be called at any time, and the function lives as long as the process or the library.
    let failed = unsafe { atexit(print_report) };
    if failed != 0 {
        eprintln!("weft-cuda-sim: the C library takes no more exit functions; there will be no report");
    }
}

extern "C" fn print_report() {
    let printed = std::panic::catch_unwind(|| {
        let report = super::control::report();
        let faults = super::control::faults();
        use std::io::Write as _;
        // A closed stderr is no reason to fail the program that is ending.
        let mut text = format!("weft-cuda-sim: {report}\n");
        faults.iter().for_each(|fault| text.push_str(&format!("fault: {fault}\n")));
        let _ = std::io::stderr().write_all(text.as_bytes());
    });
    drop(printed);
}
