//! The tour on a GPU: on the simulated one it draws what it draws on the host, and without a driver it says so.

use std::process::Command;

#[path = "../examples/tour/main.rs"]
#[allow(dead_code, reason = "its `main` is for the command line")]
mod tour;

fn run(args: &[&str]) -> (u8, String, String) {
    let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = tour::run(&args, &mut out, &mut err);
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn simulate() {
    // SAFETY: `lookup` gives functions with the signatures of the driver API, and they are part of this program.
    unsafe { weft_cuda_shim::install(weft_cuda_sim::lookup).unwrap() };
}

#[test]
fn the_gpu_draws_what_the_host_draws() {
    simulate();
    let (host, gpu) = (run(&[]), run(&["--device", "cuda:1"]));
    assert_eq!((host.0, gpu.0, &gpu.2[..]), (0, 0, ""));
    let differ: Vec<_> = host.1.lines().zip(gpu.1.lines()).filter(|(a, b)| a != b).collect();
    assert_eq!(host.1.lines().count(), gpu.1.lines().count());
    assert_eq!(differ.len(), 1, "{differ:?}");
    assert_eq!(differ[0].0, "The memory is that of the host.");
    assert!(differ[0].1.starts_with("The memory is that of cuda:1, "), "{differ:?}");
    assert_eq!(weft_cuda_sim::faults(), [""; 0]);
}

#[test]
fn a_file_goes_through_the_gpu() {
    simulate();
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("tour-cuda");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let header = "{'descr': '<i4', 'fortran_order': True, 'shape': (3, 4), }\n";
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    file.extend(header.as_bytes());
    file.extend((0..12i32).flat_map(i32::to_le_bytes));
    let path = |name: &str| folder.join(name).display().to_string();
    std::fs::write(path("x.npy"), file).unwrap();
    let steps = ["slice=1:::-1", "reshape=-1"];
    for (device, out) in [("host", "host.npy"), ("cuda", "cuda.npy")] {
        let (input, out) = (path("x.npy"), path(out));
        let args = ["--device", device, &input, steps[0], steps[1], "-o", &out];
        let (code, said, err) = run(&args);
        assert_eq!((code, &err[..]), (0, ""));
        assert_eq!(said.contains("uploaded to cuda:0, "), device == "cuda", "{said}");
    }
    assert_eq!(std::fs::read(path("host.npy")).unwrap(), std::fs::read(path("cuda.npy")).unwrap());
    assert_eq!(weft_cuda_sim::faults(), [""; 0]);
}

/// A driver is chosen once a process, so this happens in another one.
#[test]
fn without_a_driver() {
    const CHILD: &str = "WEFT_TEST_CHILD";
    if std::env::var_os(CHILD).is_none() {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["without_a_driver", "--exact"]).env(CHILD, "1").env("WEFT_CUDA_DRIVER", "none");
        let out = child.output().unwrap();
        let printed = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success() && printed.contains("1 passed"), "{printed}");
        return;
    }
    let (code, out, err) = run(&["--device", "cuda"]);
    assert_eq!((code, &out[..]), (1, ""));
    assert!(err.starts_with("tour: cuda: no CUDA-capable device is detected (100)"), "{err}");
}

#[test]
fn devices_that_are_none() {
    for (args, says) in [
        (&["--device"][..], "tour: --device needs the name of one: host, cuda, cuda:1\n"),
        (&["--device", "tpu"], "tour: there is no device \"tpu\"; there are host, cuda, cuda:1 and so on\n"),
    ] {
        assert_eq!(run(args), (1, String::new(), says.to_owned()));
    }
    simulate();
    let (code, _, err) = run(&["--device", "cuda:9"]);
    assert_eq!((code, &err[..]), (1, "tour: cuda: there is no device 9, there are 2\n"));
}
