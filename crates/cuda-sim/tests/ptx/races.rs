//! Races that are found, and code that is none.

use weft_cuda_sim::exec::{Check, Settings};

use crate::harness::{kernel, launch};

/// Runs a body in two blocks of 64 threads over 64 numbers; gives what was found, in any order of warps the same kind.
#[track_caller]
fn races(body: &str) -> Vec<String> {
    let mut all: Vec<Vec<String>> = Vec::new();
    for seed in [None, Some(1), Some(2), Some(3)] {
        let settings = Settings { seed, races: Check::Report, ..Settings::default() };
        let ran = launch(&kernel(body), 2, 64, &[0; 64], 256, &settings);
        assert_eq!(ran.outcome.fault, None, "{body}");
        all.push(ran.outcome.findings.iter().map(ToString::to_string).collect());
    }
    let found: Vec<bool> = all.iter().map(|f| f.is_empty()).collect();
    assert!(found.iter().all(|f| *f == found[0]), "the order of warps decides: {all:?}");
    all.swap_remove(0)
}

/// `%r1` the thread, `%r2` the block, `%r3` its shared place, `%rd3` its place in `out`, `all` 64 words of shared memory.
const PLACES: &str = ".shared .align 8 .b8 all[256];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shl.b32 %r4, %r1, 2; mov.u32 %r3, all; add.s32 %r3, %r3, %r4;
    mad.lo.u32 %r5, %r2, 64, %r1; mul.wide.u32 %rd3, %r5, 8; add.s64 %rd3, %rd1, %rd3;";

#[track_caller]
fn clean(body: &str) {
    let found = races(&format!("{PLACES} {body}"));
    assert!(found.is_empty(), "{body}: {found:?}");
}

#[track_caller]
fn dirty(body: &str) -> String {
    let found = races(&format!("{PLACES} {body}"));
    assert!(!found.is_empty(), "{body}");
    found.join("\n")
}

#[test]
fn code_without_races() {
    clean("st.global.u64 [%rd3], 1; ld.global.u64 %rd4, [%rd3]; st.global.u64 [%rd3], 2;");
    clean("ld.global.u64 %rd4, [%rd2]; st.global.u64 [%rd3], %rd4;");
    clean("red.global.add.u64 [%rd1], 1; atom.global.add.u64 %rd4, [%rd1], 1;");
    clean("st.shared.u32 [%r3], 1; bar.sync 0; ld.shared.u32 %r6, [all+4]; bar.sync 0; st.shared.u32 [%r3], 2;");
    clean(
        "st.shared.u32 [%r3], 1; bar.sync 0; setp.eq.u32 %p1, %r1, 0; @%p1 ld.shared.u32 %r6, [all+252]; @%p1 st.shared.u32 [all+252], 3;",
    );
    clean("add.s32 %r6, %r3, 0; st.shared.u8 [%r6], 1; st.shared.u8 [%r6+1], 1; st.shared.u16 [%r6+2], 1;");
    // Lanes of one warp, with the warp's own barrier or a shuffle between.
    clean(
        "st.shared.u32 [%r3], 1; bar.warp.sync -1; xor.b32 %r6, %r4, 4; mov.u32 %r7, all; add.s32 %r6, %r6, %r7; ld.shared.u32 %r8, [%r6];",
    );
    clean(
        "st.shared.u32 [%r3], 1; shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1; xor.b32 %r6, %r4, 4; mov.u32 %r7, all; add.s32 %r6, %r6, %r7; ld.shared.u32 %r8, [%r6];",
    );
    // Threads of one block through global memory, with a barrier.
    clean(
        "st.global.u64 [%rd3], 1; bar.sync 0; xor.b32 %r6, %r5, 63; mul.wide.u32 %rd4, %r6, 8; add.s64 %rd4, %rd1, %rd4; ld.global.u64 %rd5, [%rd4];",
    );
    // Strong accesses on both sides.
    clean("st.volatile.global.u32 [%rd1], 1; ld.volatile.global.u32 %r6, [%rd1];");
}

#[test]
fn code_with_races() {
    let bodies = [
        "st.global.u64 [%rd1], 1;",
        "setp.eq.u32 %p1, %r5, 5;\n@%p1 st.global.u64 [%rd1], 1;\nsetp.eq.u32 %p1, %r5, 100;\n@%p1 ld.global.u64 %rd4, [%rd1];",
        "setp.eq.u32 %p1, %r5, 5;\n@%p1 st.global.u32 [%rd1+4], 1;\nred.global.add.u64 [%rd1], 1;",
        "st.shared.u32 [%r3], 1;\nxor.b32 %r6, %r4, 128; mov.u32 %r7, all; add.s32 %r6, %r6, %r7;\nld.shared.u32 %r8, [%r6];",
    ];
    insta::assert_snapshot!(bodies.iter().map(|b| format!("{b}\n    {}\n", dirty(b))).collect::<String>());
    // Lanes of one warp, without anything between.
    dirty(
        "st.shared.u32 [%r3], 1; xor.b32 %r6, %r4, 4; mov.u32 %r7, all; add.s32 %r6, %r6, %r7; ld.shared.u32 %r8, [%r6];",
    );
    // The warp's own barrier does nothing for the other warp.
    dirty(
        "st.shared.u32 [%r3], 1; bar.warp.sync -1; xor.b32 %r6, %r4, 128; mov.u32 %r7, all; add.s32 %r6, %r6, %r7; ld.shared.u32 %r8, [%r6];",
    );
    // A reduction whose second barrier is missing: the next round overwrites what the last one still reads.
    dirty("st.shared.u32 [%r3], 1; bar.sync 0; ld.shared.u32 %r6, [all]; st.shared.u32 [%r3], %r6;");
    // A barrier of the block does nothing between blocks.
    dirty("setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u64 [%rd1], 1; bar.sync 0;");
    // Single bytes.
    dirty("cvt.u64.u32 %rd4, %r5; shr.u64 %rd4, %rd4, 1; add.s64 %rd4, %rd1, %rd4; st.global.u8 [%rd4], 1;");
    // A barrier for a part of the warp orders that part alone.
    dirty("st.shared.u32 [%r3], 1; setp.lt.u32 %p2, %r1, 2; @!%p2 ret; bar.warp.sync 3; ld.shared.u32 %r8, [all+8];");
}

#[test]
fn a_race_is_told_once_for_each_pair_of_lines() {
    let settings = Settings { races: Check::Report, finding_limit: 1, ..Settings::default() };
    let ran = launch(&kernel("st.global.u64 [%rd1], 1; st.global.u64 [%rd1+8], 1;"), 1, 32, &[], 2, &settings);
    assert_eq!(ran.outcome.findings.len(), 1);
    assert!(ran.outcome.stats.findings_left_out > 0);
}
