//! Modules: what is loaded, what is refused, and what the log says.

use core::ffi::{CStr, c_void};
use core::ptr::null_mut;
use std::ffi::CString;

use weft_cuda_sim::{Config, faults, report};

use crate::kernels::PTX;
use crate::raw::*;

#[test]
fn a_module_has_kernels_and_variables() {
    let (_turn, _) = started(Config::default());
    let module = load(PTX);
    assert_eq!((report().live_modules, report().live_allocations), (1, 0), "its variables are its own");
    let mut bytes = 0;
    let counter = ask(|a| cuModuleGetGlobal_v2(a, &mut bytes, module, c"counter".as_ptr()));
    assert_eq!((bytes, download(counter, 4)), (4, vec![5, 0, 0, 0]));
    assert_eq!(function(module, c"twice"), function(module, c"twice"));
    assert_eq!(cuModuleGetFunction(&mut NULL.clone(), module, c"thrice".as_ptr()), 500);
    assert_eq!(cuModuleGetFunction(&mut NULL.clone(), module, core::ptr::null()), 1);
    assert_eq!(cuModuleGetFunction(&mut NULL.clone(), NULL, c"twice".as_ptr()), 400);
    assert_eq!(cuModuleGetGlobal_v2(&mut 0, &mut bytes, module, c"twice".as_ptr()), 500);
    assert_eq!(cuModuleGetGlobal_v2(null_mut(), &mut bytes, module, c"counter".as_ptr()), 0);
    assert_eq!(cuMemFree_v2(counter), 1, "not the program's to free");
    assert_eq!([cuModuleUnload(module), cuModuleUnload(module)], [0, 400]);
    assert_eq!(cuMemsetD8_v2(counter, 0, 4), 1, "gone with its module");
    assert_eq!(report().live_modules, 0);
}

/// Loads with a log; the answer, the log, and the length that came back.
fn load_with_log(ptx: &CStr, room: usize) -> (u32, String, usize) {
    let (mut error, mut info) = (vec![0x55_u8; room + 1], vec![0x55_u8; 16]);
    let mut options = [5, 6, 3, 4];
    let mut values: [Ptr; 4] = [error.as_mut_ptr().cast(), room as Ptr, info.as_mut_ptr().cast(), 16 as Ptr];
    let mut module = NULL;
    let code = cuModuleLoadDataEx(&mut module, ptx.as_ptr().cast(), 4, options.as_mut_ptr(), values.as_mut_ptr());
    assert_eq!((info[0], values[3] as usize), (0, 0));
    assert_eq!(error[room], 0x55, "not one byte too many");
    if room == 0 {
        return (code, String::new(), values[1] as usize);
    }
    let log = CStr::from_bytes_until_nul(&error).unwrap().to_str().unwrap().to_owned();
    (code, log, values[1] as usize)
}

#[test]
fn a_refused_module_says_why() {
    let (_turn, _) = started(Config { driver_version: (12, 2), ..Config::default() });
    let header = ".target sm_70\n.address_size 64\n";
    let case = |ptx: &str| {
        let (code, log, length) = load_with_log(&CString::new(ptx).unwrap(), 500);
        assert_eq!(log.len(), length);
        format!("{code} {log}")
    };
    let cases = [
        case(&format!(".version 7.0\n{header}.visible .entry k() {{ ret; }}")),
        case(&format!(".version 8.4\n{header}.visible .entry k() {{ ret; }}")),
        case(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }"),
        case(&format!(".version 7.0\n{header}.visible .entry k() {{\n  frobnicate.u32 %r1;\n  ret; }}")),
        case("not PTX at all"),
        case(""),
    ];
    insta::assert_snapshot!(cases.join("\n"));
    assert_eq!(faults().len(), 5);
    assert_eq!(report().live_modules, 1);
}

#[test]
fn a_log_is_cut_to_its_room() {
    let (_turn, _) = started(Config::default());
    let (code, log, length) = load_with_log(c"not PTX at all", 10);
    assert_eq!((code, log.as_str(), length), (218, &faults()[0]["cuModuleLoadDataEx: ".len()..][..9], 9));
    assert_eq!(load_with_log(c"not PTX at all", 1).2, 0);
    assert_eq!(load_with_log(c"not PTX at all", 0), (218, String::new(), 0));
}

#[test]
fn what_is_no_module() {
    let (_turn, _) = started(Config::default());
    let mut module = NULL;
    let image = |bytes: &'static [u8]| bytes.as_ptr().cast::<c_void>();
    assert_eq!(cuModuleLoadData(&mut module, core::ptr::null()), 1);
    assert_eq!(cuModuleLoadData(null_mut(), PTX.as_ptr().cast()), 1);
    assert_eq!(cuModuleLoadData(&mut module, image(b"\x7fELF\x02\0")), 209);
    assert_eq!(cuModuleLoadData(&mut module, image(b"\x50\xed\x55\xba\0")), 209);
    assert_eq!(cuModuleLoadData(&mut module, image(b"\xff\xfe\0")), 200);
    assert_eq!(cuModuleLoadFatBinary(&mut module, image(b"\x50\xed\x55\xba\0")), 209);
    assert_eq!(cuModuleLoad(&mut module, c"/no/such/file.ptx".as_ptr()), 301);
    assert_eq!(cuModuleLoadDataEx(&mut module, PTX.as_ptr().cast(), 1, null_mut(), null_mut()), 1);
    assert_eq!(cuModuleLoadDataEx(&mut module, PTX.as_ptr().cast(), 1, [999].as_mut_ptr(), [NULL].as_mut_ptr()), 1);
    assert_eq!(module, NULL);
    assert_eq!(report().live_modules, 0);
}

#[test]
fn a_module_from_a_file() {
    let (_turn, _) = started(Config::default());
    let path = std::env::temp_dir().join(format!("weft-cuda-sim-{}.ptx", std::process::id()));
    std::fs::write(&path, PTX.to_bytes()).unwrap();
    let name = CString::new(path.to_str().unwrap()).unwrap();
    let module = ask(|m| cuModuleLoad(m, name.as_ptr()));
    std::fs::remove_file(&path).unwrap();
    function(module, c"twice");
}

/// There is no room for the variables: nothing is left behind.
#[test]
fn a_module_that_does_not_fit() {
    let (_turn, _) = started(Config { memory: 100, ..Config::default() });
    let ptx =
        c".version 7.0\n.target sm_70\n.address_size 64\n.global .align 1 .b8 a[60];\n.global .align 1 .b8 b[60];\n";
    assert_eq!(cuModuleLoadData(&mut NULL.clone(), ptx.as_ptr().cast()), 2);
    alloc(100);
}
