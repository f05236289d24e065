//! Every behaviour on a real CUDA device, where there is one; a machine without one skips, unless `WEFT_REQUIRE_CUDA=1`.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod cases;

use cases::cases;
use weft_device::{Cuda, DeviceErrorKind};

/// Device 0, or the skip of the test that this thread runs.
fn device() -> Option<Cuda> {
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
        match device() {
            Some(device) => device,
            None => return,
        }
    };
}

cases! {
    real: device_or_skip!();
}

/// A driver is chosen once a process, so what is said without one is seen in another process.
#[test]
fn without_a_driver() {
    const CHILD: &str = "WEFT_TEST_CHILD";
    if std::env::var_os(CHILD).is_none() {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["without_a_driver", "--exact"]).env(CHILD, "1").env("WEFT_CUDA_DRIVER", "none");
        let out = child.output().unwrap();
        let printed = String::from_utf8_lossy(&out.stdout);
        // A name that no test has would run none, and succeed.
        assert!(out.status.success() && printed.contains("1 passed"), "{printed}");
        return;
    }
    let text = "cuda: no CUDA-capable device is detected (100): WEFT_CUDA_DRIVER is `none`";
    for refused in [Cuda::new(0).unwrap_err(), Cuda::new(7).unwrap_err(), Cuda::count().unwrap_err()] {
        assert_eq!(refused.to_string(), text);
        assert!(matches!(refused.kind(), DeviceErrorKind::NoDevice { .. }));
    }
}
