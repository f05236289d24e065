//! The library as a program meets it: opened by path or by the name of the driver, set up by the environment.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libloading::Library;
use weft_cuda_sim::driver::calls::NAMES;

/// Cargo builds the library beside the tests.
fn library() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.parent().unwrap();
    let name = "libweft_cuda_sim_so.so";
    [folder, folder.parent().unwrap()].map(|f| f.join(name)).into_iter().find(|p| p.exists()).unwrap()
}

fn open(path: &Path) -> Library {
    // SAFETY: loading the simulator runs no code of its own.
    unsafe { Library::new(path) }.unwrap()
}

#[test]
fn it_exports_the_whole_table() {
    let library = open(&library());
    for name in NAMES {
        // SAFETY: the symbol is looked up, not called.
        let found = unsafe { library.get::<*const ()>(name.as_bytes()) };
        assert!(found.is_ok(), "{name} is not exported");
    }
}

/// Anything more could take the place of a symbol of the program. Needs `nm`, which comes with the linker.
#[test]
fn it_exports_nothing_else() {
    let Ok(listed) = Command::new("nm").args(["--dynamic", "--defined-only", "--format=posix"]).arg(library()).output()
    else {
        return skip("it_exports_nothing_else", "there is no nm");
    };
    let text = String::from_utf8(listed.stdout).unwrap();
    let mut exported: Vec<&str> = text.lines().filter_map(|l| l.split(' ').next()).collect();
    let mut table = NAMES.to_vec();
    exported.sort_unstable();
    table.sort_unstable();
    assert_eq!(exported, table);
}

fn skip(test: &str, reason: &str) {
    let line = format!("SKIP {test}: {reason}\n");
    eprint!("{line}");
    if let Some(path) = std::env::var_os("WEFT_SKIP_FILE") {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        std::io::Write::write_all(&mut file, line.as_bytes()).unwrap();
    }
}

/// Calls of the library, by name.
struct Driver(Library);

impl Driver {
    fn call(&self, name: &str, arguments: &[usize]) -> u32 {
        type Call = unsafe extern "C" fn(usize, usize, usize) -> u32;
        let name = CString::new(name).unwrap();
        let argument = |i| arguments.get(i).copied().unwrap_or(0);
        // SAFETY: the calls used below take at most three integers or pointers, and ignore registers beyond their own.
        unsafe { self.0.get::<Call>(name.as_bytes_with_nul()).unwrap()(argument(0), argument(1), argument(2)) }
    }
}

/// The program of the tests below: allocates twice, frees one, and prints what it saw. It runs in a process of its own.
#[test]
fn program() {
    let Ok(path) = std::env::var("TEST_OPENS") else { return };
    let driver = Driver(open(Path::new(&path)));
    let place = |number: &mut u64| core::ptr::from_mut(number) as usize;
    let (mut count, mut context, mut a, mut b) = (0, 0, 0, 0);
    println!("cuInit {}", driver.call("cuInit", &[0]));
    println!("cuDeviceGetCount {}", driver.call("cuDeviceGetCount", &[place(&mut count)]));
    driver.call("cuDevicePrimaryCtxRetain", &[place(&mut context), 0]);
    driver.call("cuCtxSetCurrent", &[context as usize]);
    println!("cuMemAlloc_v2 {}", driver.call("cuMemAlloc_v2", &[place(&mut a), 96]));
    println!("cuMemAlloc_v2 {}", driver.call("cuMemAlloc_v2", &[place(&mut b), 1 << 20]));
    println!("cuMemFree_v2 {}", driver.call("cuMemFree_v2", &[b as usize]));
    println!("devices {count}");
    // As a program does: the driver stays open until the process ends.
    core::mem::forget(driver);
}

fn run(opens: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "program", "--nocapture", "--test-threads=1"]).env("TEST_OPENS", opens);
    command.envs(variables.iter().copied()).output().unwrap()
}

/// What the program printed, without what the test harness adds.
fn printed(output: &Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let ours = text.lines().map(|l| l.trim_start_matches("test program ... "));
    let ours = ours.filter(|l| l.starts_with("cu") || l.starts_with("devices"));
    ours.collect::<Vec<_>>().join("\n")
}

#[test]
fn without_variables_there_are_two_devices() {
    let output = run(library().to_str().unwrap(), &[]);
    let expected = "cuInit 0\ncuDeviceGetCount 0\ncuMemAlloc_v2 0\ncuMemAlloc_v2 0\ncuMemFree_v2 0\ndevices 2";
    assert_eq!(printed(&output), expected, "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn the_environment_sets_it_up() {
    let variables = [
        ("WEFT_CUDA_SIM_DEVICES", "1"),
        ("WEFT_CUDA_SIM_MEMORY", "1M"),
        ("WEFT_CUDA_SIM_TRACE", "1"),
        ("WEFT_CUDA_SIM_REPORT", "1"),
    ];
    let output = run(library().to_str().unwrap(), &variables);
    let expected = "cuInit 0\ncuDeviceGetCount 0\ncuMemAlloc_v2 0\ncuMemAlloc_v2 2\ncuMemFree_v2 0\ndevices 1";
    assert_eq!(printed(&output), expected, "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    insta::assert_snapshot!(said.trim_end(), @r"
    weft-cuda-sim: 1 cuInit(flags: 0) = 0
    weft-cuda-sim: 2 cuDeviceGetCount(count: 1) = 0
    weft-cuda-sim: 3 cuDevicePrimaryCtxRetain(context: context#1, device: 0) = 0
    weft-cuda-sim: 4 cuCtxSetCurrent(context: context#1) = 0
    weft-cuda-sim: 5 cuMemAlloc_v2(address: 0x700000000000, bytes: 96) = 0
    weft-cuda-sim: 6 cuMemAlloc_v2(address: -, bytes: 1048576) = 2
    weft-cuda-sim: 7 cuMemFree_v2(address: 0) = 0
    weft-cuda-sim: 7 calls, 1 allocations, 0 launches
    weft-cuda-sim: alive: 1 allocations of 96 bytes, 0 pinned, 0 streams, 0 events, 0 modules, 1 contexts; 0 pieces of work pending
    weft-cuda-sim: 0 bad frees, 0 bad handles, 0 faults
    weft-cuda-sim: leak: context#1 on device 0, made by call 3
    weft-cuda-sim: leak: device memory 0x700000000000 of 96 bytes on device 0, made by call 5
    ");
}

#[test]
fn a_call_can_be_made_to_fail() {
    let output = run(library().to_str().unwrap(), &[("WEFT_CUDA_SIM_FAIL", "cuMemAlloc_v2:1:999")]);
    assert!(printed(&output).contains("cuMemAlloc_v2 999\ncuMemAlloc_v2 0\n"), "{output:?}");
}

/// A setting that cannot be read would be ignored by a driver that starts all the same.
#[test]
fn a_setting_that_cannot_be_read_keeps_it_from_starting() {
    let output = run(library().to_str().unwrap(), &[("WEFT_CUDA_SIM_DEVICES", "many")]);
    assert!(printed(&output).starts_with("cuInit 999\n"), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "weft-cuda-sim: WEFT_CUDA_SIM_DEVICES=many: not a count from 0 to 8\n");
}

/// Under the driver's name in the loader's path it serves programs that know nothing of weft.
#[cfg(target_os = "linux")]
#[test]
fn it_takes_the_place_of_the_driver() {
    let folder = std::env::temp_dir().join(format!("weft-cuda-sim-so-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(library(), folder.join("libcuda.so.1")).unwrap();
    let output = run("libcuda.so.1", &[("LD_LIBRARY_PATH", folder.to_str().unwrap())]);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(printed(&output).starts_with("cuInit 0\n"), "{output:?}");
}
