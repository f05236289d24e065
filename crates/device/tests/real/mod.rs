//! The real driver under a test: device 0, or a skip that is counted.

use weft_device::{Cuda, DeviceErrorKind};

/// Device 0, or the skip of the test that this thread runs.
pub(crate) fn device() -> Option<Cuda> {
    let refused = match Cuda::new(0) {
        Ok(device) => return Some(device),
        Err(refused) => refused,
    };
    assert!(std::env::var_os("WEFT_REQUIRE_CUDA").is_none_or(|v| v != "1"), "WEFT_REQUIRE_CUDA is 1, and {refused}");
    // A device that is there and does not work is no reason to skip.
    assert!(matches!(refused.kind(), DeviceErrorKind::NoDevice { .. }), "{refused}");
    let line = format!("SKIP {}: {refused}\n", std::thread::current().name().unwrap_or("cuda"));
    eprint!("{line}");
    if let Some(path) = std::env::var_os("WEFT_SKIP_FILE") {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        std::io::Write::write_all(&mut file, line.as_bytes()).unwrap();
    }
    None
}

macro_rules! device_or_skip {
    () => {
        match crate::real::device() {
            Some(device) => device,
            None => return,
        }
    };
}
