//! Every behaviour on a real CUDA device, where there is one; a machine without one skips, unless `WEFT_REQUIRE_CUDA=1`.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod cases;
#[macro_use]
mod real;

use cases::cases;
use weft_device::{Cuda, DeviceErrorKind};

cases! {
    real_gpu: device_or_skip!();
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
