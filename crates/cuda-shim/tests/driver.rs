//! Which driver a process uses, and what its calls answer with it and without.
#![cfg(target_os = "linux")]

mod common;

use core::ffi::{CStr, c_char, c_void};
use core::ptr::{null, null_mut};
use std::sync::Barrier;

use common::{alone, fake_driver};
use weft_cuda_shim::{AlreadyOpen, CALLS, Driver, driver, error_name, error_text, install, last_raw_code};

#[derive(Clone, Copy)]
#[repr(C)]
struct Handle([u8; 64]);

// As `cust_raw` declares them, but with the result as a number: what arrives there must be a value of its enum.
unsafe extern "C" {
    fn cuInit(flags: u32) -> u32;
    fn cuDriverGetVersion(version: *mut i32) -> u32;
    fn cuDeviceGetCount(count: *mut i32) -> u32;
    fn cuMemFree_v2(address: u64) -> u32;
    fn cuGetErrorString(error: u32, text: *mut *const c_char) -> u32;
    fn cuGetErrorName(error: u32, name: *mut *const c_char) -> u32;
    fn cuIpcOpenMemHandle_v2(address: *mut u64, handle: Handle, flags: u32) -> u32;
    fn cuTexRefSetMipmapLevelClamp(reference: *mut c_void, low: f32, high: f32) -> u32;
    fn cuLaunchKernel(
        function: *mut c_void,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: *mut c_void,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> u32;
}

/// The code that the fake driver's cuInit answers.
fn init(code: u32) -> u32 {
    // SAFETY: cuInit takes any number.
    unsafe { cuInit(code) }
}

/// What cuGetErrorString and cuGetErrorName answer, and what they give.
fn words(code: u32) -> [(u32, Option<String>); 2] {
    [cuGetErrorString, cuGetErrorName].map(|call: unsafe extern "C" fn(u32, *mut *const c_char) -> u32| {
        let mut words: *const c_char = c"untouched".as_ptr();
        // SAFETY: `words` may be written to, and what is there afterwards is null or a text that lives on.
        let answer = unsafe { call(code, &raw mut words) };
        // SAFETY: as above.
        let given = (!words.is_null()).then(|| unsafe { CStr::from_ptr(words) }.to_str().unwrap().to_owned());
        (answer, given)
    })
}

#[test]
fn none_is_no_driver() {
    alone("none_is_no_driver", Some("none"), || {
        assert_eq!(last_raw_code(), 0);
        assert_eq!(init(0), 100);
        assert_eq!(last_raw_code(), 100);
        let mut count = 7;
        // SAFETY: `count` may be written to. The address is none, but there is no driver to take it.
        assert_eq!(unsafe { (cuDeviceGetCount(&raw mut count), cuMemFree_v2(1)) }, (100, 100));
        assert_eq!(count, 7);
        assert_eq!(driver().to_string(), "none: WEFT_CUDA_DRIVER is `none`");
    });
}

#[test]
fn without_the_variable_the_system_is_asked() {
    for variable in [None, Some("")] {
        alone("without_the_variable_the_system_is_asked", variable, || match driver() {
            Driver::Library { path } => assert!(path.ends_with("libcuda.so.1"), "{path:?}"),
            Driver::Missing { why } => {
                assert!(why.starts_with("libcuda.so.1: "), "{why}");
                assert!(why.contains("; /usr/lib/wsl/lib/libcuda.so.1: "), "{why}");
                assert_eq!(init(0), 100);
            }
            other => panic!("{other:?}"),
        });
    }
}

#[test]
fn a_path_where_nothing_is_says_so() {
    alone("a_path_where_nothing_is_says_so", Some("/no/such/driver.so"), || {
        assert_eq!(init(0), 100);
        let said = driver().to_string();
        assert!(said.starts_with("none: WEFT_CUDA_DRIVER: /no/such/driver.so: "), "{said}");
    });
}

#[test]
fn a_library_by_its_path_gets_the_calls() {
    let name = "a_library_by_its_path_gets_the_calls";
    let path = fake_driver(name);
    alone(name, path.to_str(), || {
        let mut version = 0;
        // SAFETY: `version` may be written to.
        assert_eq!((unsafe { cuDriverGetVersion(&raw mut version) }, version), (0, 12345));
        assert_eq!(driver().to_string(), format!("library {}", path.display()));
        assert_eq!(last_raw_code(), 0);
    });
}

#[test]
fn arguments_arrive_as_they_were_sent() {
    let name = "arguments_arrive_as_they_were_sent";
    let path = fake_driver(name);
    alone(name, path.to_str(), || {
        let (mut address, mut digits) = (0, 0_u64);
        let mut handle = Handle([0; 64]);
        handle.0[63] = 9;
        // SAFETY: the fake driver writes to `address`.
        assert_eq!(unsafe { cuIpcOpenMemHandle_v2(&raw mut address, handle, 5) }, 0);
        assert_eq!(address, 9 << 32 | 5);
        // SAFETY: the fake driver reads the two numbers, and answers 1.5 * 100 + 50.
        assert_eq!(unsafe { cuTexRefSetMipmapLevelClamp(null_mut(), 1.5, 50.0) }, 200);
        let handle = |n| core::ptr::without_provenance_mut(n);
        let (stream, parameters) = (handle(9), core::ptr::without_provenance_mut(7));
        let extra = (&raw mut digits).cast();
        // SAFETY: the fake driver writes to what `extra` points to, and looks at the numbers only.
        let answer = unsafe { cuLaunchKernel(handle(1), 2, 3, 4, 5, 6, 7, 8, stream, parameters, extra) };
        assert_eq!((answer, digits), (0, 1_234_567_897));
    });
}

#[test]
fn a_call_that_the_driver_lacks_is_not_supported() {
    let name = "a_call_that_the_driver_lacks_is_not_supported";
    let path = fake_driver(name);
    alone(name, path.to_str(), || {
        for _ in 0..2 {
            // SAFETY: the fake driver does not have the call.
            assert_eq!(unsafe { cuMemFree_v2(0) }, 801);
        }
        assert_eq!(last_raw_code(), 801);
        assert_eq!(init(0), 0);
    });
}

#[test]
fn codes_that_cust_raw_does_not_declare_become_unknown() {
    let name = "codes_that_cust_raw_does_not_declare_become_unknown";
    let path = fake_driver(name);
    alone(name, path.to_str(), || {
        // 706 and 707 never were, 912 is newer than the bindings, the last is what a broken driver might say.
        for code in [9, 33, 225, 706, 707, 912, 1000, u32::MAX] {
            assert_eq!((init(code), last_raw_code()), (999, code));
        }
        for code in [1, 8, 34, 222, 600, 911, 999] {
            assert_eq!((init(code), last_raw_code()), (code, code));
        }
        assert_eq!((init(0), last_raw_code()), (0, 999));
        std::thread::spawn(|| assert_eq!(last_raw_code(), 0)).join().unwrap();
    });
}

#[test]
fn errors_have_words_without_a_driver() {
    alone("errors_have_words_without_a_driver", Some("none"), || {
        let (mut known, mut unknown) = (0, 0);
        for code in 0..1100 {
            let expected = [error_text(code), error_name(code)].map(|w| (u32::from(w.is_none()), w.map(str::to_owned)));
            assert_eq!(words(code), expected, "{code}");
            if expected[0].1.is_some() { known += 1 } else { unknown += 1 }
        }
        assert_eq!((known, unknown), (100, 1000));
        assert_eq!(words(100)[0].1.as_deref(), Some("no CUDA-capable device is detected"));
        assert_eq!(words(100)[1].1.as_deref(), Some("CUDA_ERROR_NO_DEVICE"));
        // SAFETY: null is what it must refuse.
        assert_eq!(unsafe { (cuGetErrorString(1, null_mut()), cuGetErrorName(1, null_mut())) }, (1, 1));
    });
}

#[test]
fn errors_have_the_drivers_words_where_it_has_some() {
    let name = "errors_have_the_drivers_words_where_it_has_some";
    let path = fake_driver(name);
    alone(name, path.to_str(), || {
        assert_eq!(words(1)[0], (0, Some("the fake driver's words for 1".to_owned())));
        assert_eq!(words(2)[0], (0, Some("out of memory".to_owned())));
        assert_eq!(words(1)[1], (0, Some("CUDA_ERROR_INVALID_VALUE".to_owned())));
        assert_eq!(words(706), [(1, None), (1, None)]);
    });
}

extern "C" fn forty_two(_: u32) -> u32 {
    42
}

extern "C" fn fine(_: u32) -> u32 {
    0
}

#[inline(never)]
fn provider(name: &CStr) -> *const c_void {
    if name == c"cuInit" { forty_two as extern "C" fn(u32) -> u32 as *const c_void } else { null() }
}

#[inline(never)]
fn other_provider(name: &CStr) -> *const c_void {
    if name == c"cuInit" { fine as extern "C" fn(u32) -> u32 as *const c_void } else { null() }
}

fn install_it() -> Result<(), AlreadyOpen> {
    // SAFETY: the one call that `provider` knows has cuInit's arguments.
    unsafe { install(provider) }
}

#[test]
fn what_is_installed_first_stays() {
    // The variable is set, and does not count: who installs means it.
    alone("what_is_installed_first_stays", Some("none"), || {
        assert_eq!(install_it(), Ok(()));
        assert!(matches!(driver(), Driver::Installed(_)));
        assert_eq!((init(0), last_raw_code()), (999, 42));
        // SAFETY: nobody answers.
        assert_eq!(unsafe { cuMemFree_v2(0) }, 801);
        assert_eq!(install_it(), Ok(()));
        // SAFETY: the one call that `other_provider` knows has cuInit's arguments.
        let refused = unsafe { install(other_provider) }.unwrap_err();
        assert_eq!(refused.to_string(), "install: the CUDA driver of this process is chosen already (installed)");
        assert_eq!(init(0), 999);
    });
}

#[test]
fn after_the_first_call_it_is_too_late_to_install() {
    alone("after_the_first_call_it_is_too_late_to_install", Some("none"), || {
        assert_eq!(init(0), 100);
        let refused = install_it().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "install: the CUDA driver of this process is chosen already (none: WEFT_CUDA_DRIVER is `none`)"
        );
        assert_eq!(init(0), 100);
    });
}

#[test]
fn threads_that_call_first_at_once_all_get_through() {
    let name = "threads_that_call_first_at_once_all_get_through";
    let path = fake_driver(name);
    alone(name, path.to_str(), || {
        let start = Barrier::new(16);
        let call = |code| {
            start.wait();
            (init(code), last_raw_code(), core::ptr::from_ref(driver()).addr())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (200..216).map(|code| (code, scope.spawn(move || call(code)))).collect();
            for (code, thread) in threads {
                let declared = if matches!(code, 203 | 204) { 999 } else { code };
                assert_eq!(thread.join().unwrap(), (declared, code, core::ptr::from_ref(driver()).addr()));
            }
        });
    });
}

#[test]
fn threads_that_install_and_call_at_once_agree() {
    alone("threads_that_install_and_call_at_once_agree", Some("none"), || {
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for at in 0..8 {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    let installed = at % 2 == 0 && install_it().is_ok();
                    let answer = init(0);
                    match driver() {
                        Driver::Installed(_) => assert_eq!(answer, 999),
                        _ => assert_eq!((answer, installed), (100, false)),
                    }
                });
            }
        });
    });
}

/// What a program exports, a library that it loads may take instead of its own: the driver would call itself through us.
#[test]
fn the_program_shows_nobody_its_calls() {
    let program = libloading::os::unix::Library::this();
    for name in CALLS {
        let name = format!("{name}\0");
        // SAFETY: the symbol is looked up, and not used.
        assert!(unsafe { program.get::<*const c_void>(name.as_bytes()) }.is_err(), "{name}");
    }
    // SAFETY: as above. That the look-up finds what is there.
    assert!(unsafe { program.get::<*const c_void>(b"malloc\0") }.is_ok());
}

#[test]
fn every_call_of_the_list_is_defined_once() {
    let list = include_str!("../driver-calls.txt");
    let mut listed: Vec<&str> = list.lines().filter_map(|line| line.split_once('(')).map(|(name, _)| name).collect();
    listed.retain(|name| name.starts_with("cu"));
    let mut defined = CALLS.to_vec();
    listed.sort_unstable();
    defined.sort_unstable();
    assert_eq!(listed, defined);
    assert_eq!(defined.len(), 353);
}
