//! What ends a launch, and in which words.

use weft_cuda_sim::exec::{Check, FindingKind, Launch, Settings, run};
use weft_cuda_sim::memory::Memory;

use crate::harness::{kernel, launch};

/// Runs a body with 8 bytes of output in blocks of 40 threads, and gives the code and the words of its fault.
#[track_caller]
fn fault(body: &str) -> String {
    let settings = Settings { step_limit: 100_000, ..Settings::default() };
    let fault = launch(&kernel(body), 2, 40, &[0], 1, &settings).outcome.fault.expect("no fault");
    format!("{} {}", fault.code.code(), fault.what)
}

fn all(bodies: &[&str]) -> String {
    bodies.iter().map(|b| format!("{b}\n    {}\n", fault(b))).collect()
}

#[test]
fn addresses() {
    insta::assert_snapshot!(all(&[
        "st.global.u32 [%rd1+8], 1;",
        "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 33; @%p1 ld.global.u8 %r2, [%rd1+-1];",
        "st.global.u32 [%rd1+2], 1;",
        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+4];",
        "ld.u64 %rd3, [16];",
        "mov.u64 %rd3, -4; st.global.u32 [%rd3], 1;",
        "red.global.add.u32 [%rd1+12], 1;",
        ".shared .align 4 .b8 a[12]; mov.u32 %r1, a; ld.shared.u32 %r2, [%r1+12];",
        ".shared .align 4 .b8 a[12]; mov.u64 %rd3, a; cvta.shared.u64 %rd3, %rd3; st.u32 [%rd3+-4], 1;",
        ".local .align 4 .b8 a[12]; mov.u64 %rd3, a; st.local.u64 [%rd3+8], 1;",
        "ld.param.u64 %rd3, [out+16];",
    ]));
}

#[test]
fn a_freed_allocation_is_named() {
    let module = kernel("st.global.u32 [%rd1+4], 1;");
    let mut memory = Memory::new();
    let out = memory.alloc(100).unwrap();
    memory.free(out).unwrap();
    memory.alloc(100).unwrap();
    let params = [out.to_le_bytes(), out.to_le_bytes()].concat();
    let launch = Launch::new(module.kernel("k").unwrap(), [1; 3], [1; 3], &params);
    let fault = run(&launch, &mut memory, &Settings::default()).fault.unwrap();
    insta::assert_snapshot!(format!("{} {}", fault.code.code(), fault.what));
}

#[test]
fn barriers() {
    insta::assert_snapshot!(all(&[
        // Threads that have ended do not come to a barrier any more.
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 35; @!%p1 exit;\nbar.sync 0;",
        // Half a warp at one barrier and half at another; and whole warps.
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 5; @%p1 bra other;\nbar.sync 0; ret;\nother: bar.sync 0;",
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra other;\nbar.sync 0; ret;\nother: bar.sync 1;",
    ]));
}

#[test]
fn ends_that_do_not_come() {
    insta::assert_snapshot!(all(&["loop: bra loop;", "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 37; @%p1 trap;"]));
}

#[test]
fn launches_that_do_not_fit() {
    let module = kernel("");
    let memory = &mut Memory::new();
    let k = module.kernel("k").unwrap();
    let mut what = |grid, block, params: &[u8]| {
        run(&Launch::new(k, grid, block, params), memory, &Settings::default()).fault.expect("no fault").what
    };
    let all = [
        what([1, 1, 1], [1, 1, 1], &[0; 15]),
        what([1, 0, 1], [1, 1, 1], &[0; 16]),
        what([1, 1, 1], [32, 33, 1], &[0; 16]),
        what([1, 1, 1], [1, u32::MAX, u32::MAX], &[0; 16]),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn what_was_written_stays() {
    let module = kernel("st.global.u32 [%rd1], 5; st.global.u32 [%rd1+8], 1;");
    let ran = launch(&module, 1, 1, &[], 1, &Settings::default());
    assert!(ran.outcome.fault.is_some());
    assert_eq!(ran.out, [5]);
}

/// Runs a body over 64 bytes of which the first 8 are written, looking for reads of the rest.
fn unwritten(body: &str) -> Vec<String> {
    let module = kernel(body);
    let mut memory = Memory::new();
    let out = memory.alloc(64).unwrap();
    memory.write(out, &[1; 8]).unwrap();
    let params = [out.to_le_bytes(), out.to_le_bytes()].concat();
    let launch = Launch::new(module.kernel("k").unwrap(), [1; 3], [2, 1, 1], &params);
    let settings = Settings { unwritten: Check::Report, ..Settings::default() };
    let outcome = run(&launch, &mut memory, &settings);
    assert_eq!(outcome.fault, None);
    assert!(outcome.findings.iter().all(|f| f.kind == FindingKind::Unwritten));
    outcome.findings.iter().map(ToString::to_string).collect()
}

#[test]
fn memory_that_nobody_wrote() {
    assert_eq!(
        unwritten("ld.global.u64 %rd3, [%rd1]; st.global.u64 [%rd1+8], %rd3; ld.global.v2.u64 {%rd3, %rd4}, [%rd1];"),
        [""; 0]
    );
    let bodies = [
        "ld.global.u32 %r1, [%rd1+8];",
        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];",
        "red.global.add.u32 [%rd1+60], 1;",
        ".shared .align 4 .b8 a[16]; st.shared.u32 [a], 1;\nld.shared.u64 %rd3, [a];\nld.shared.u32 %r1, [a];",
    ];
    let all: String = bodies.iter().map(|b| format!("{b}\n    {}\n", unwritten(b).join("\n    "))).collect();
    insta::assert_snapshot!(all);
    // It is poison all the same.
    let ran = launch(
        &kernel(
            ".shared .align 4 .b8 a[16]; ld.shared.u32 %r1, [a+12]; .local .b8 b[4]; ld.local.u8 %r2, [b]; mov.b64 %rd3, {%r1, %r2}; st.global.u64 [%rd1], %rd3;",
        ),
        1,
        1,
        &[],
        1,
        &Settings::default(),
    );
    assert_eq!((ran.outcome.fault, ran.out), (None, vec![0xa5_a5a5_a5a5]));
}
