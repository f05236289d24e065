//! Where lanes go: branches, loops, parting and meeting, barriers, the order of warps.

use weft_cuda_sim::exec::Settings;

use crate::harness::{kernel, launch, output, store_at_thread};

#[test]
fn loops_of_different_lengths() {
    // Collatz steps of the number of the thread: every lane leaves the loop at its own time.
    let body = format!(
        "mov.u32 %r1, %tid.x; add.u32 %r1, %r1, 1; mov.u32 %r2, 0;
         loop: setp.eq.u32 %p1, %r1, 1; @%p1 bra done;
         and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 0; @%p2 bra even;
         mad.lo.u32 %r1, %r1, 3, 1; bra.uni next;
         even: shr.u32 %r1, %r1, 1;
         next: add.u32 %r2, %r2, 1; bra loop;
         done: cvt.u64.u32 %rd3, %r2; {}",
        store_at_thread("%rd3")
    );
    let steps = |mut n: u64| {
        let mut steps = 0;
        while n != 1 {
            n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        steps
    };
    let expected: Vec<u64> = (1..=100).map(steps).collect();
    assert_eq!(output(&body, 100, &[], 100), expected);
}

#[test]
fn lanes_meet_again() {
    // Parted lanes run the tail together: it counts once a warp.
    let body = "mov.u32 %r1, %laneid; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra even;
                mov.u32 %r3, 1; bra tail; even: mov.u32 %r3, 2;
                tail: add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1;";
    let ran = launch(&kernel(body), 1, 32, &[], 0, &Settings::default());
    // 2 loads, 4 up to the branch, 2 of one side, 1 of the other, 3 of the tail, the return.
    assert_eq!(ran.outcome.stats.warp_instructions, 2 + 4 + 3 + 3 + 1);
}

#[test]
fn ends_under_a_guard() {
    let body = format!(
        "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 10; {} @%p1 exit; add.s64 %rd3, %rd3, 5; {}",
        "mov.u64 %rd3, 1;",
        store_at_thread("%rd3")
    );
    let expected: Vec<u64> = (0..40).map(|t| if t > 10 { 0 } else { 6 }).collect();
    assert_eq!(output(&body, 40, &[], 40), expected);
}

#[test]
fn tables_of_labels() {
    let body = format!(
        "mov.u32 %r1, %tid.x; rem.u32 %r2, %r1, 3; mov.u64 %rd3, 0;
         ts: .branchtargets a, b, c;
         brx.idx %r2, ts;
         a: add.s64 %rd3, %rd3, 1; b: add.s64 %rd3, %rd3, 10; c: add.s64 %rd3, %rd3, 100; {}",
        store_at_thread("%rd3")
    );
    let expected: Vec<u64> = (0..10).map(|t| [111, 110, 100][t % 3]).collect();
    assert_eq!(output(&body, 10, &[], 10), expected);
    let wild = "mov.u32 %r2, 3; ts: .branchtargets a; brx.idx %r2, ts; a:";
    assert!(launch(&kernel(wild), 1, 1, &[], 0, &Settings::default()).outcome.fault.is_some());
}

#[test]
fn barriers_put_in_order() {
    // A tree sum in shared memory over 256 threads, in any order of warps.
    let body = "
         .shared .align 4 .b8 all[1024];
         mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, all; add.s32 %r3, %r3, %r2;
         st.shared.u32 [%r3], %r1;
         mov.u32 %r4, 128;
         loop: bar.sync 0;
         setp.ge.u32 %p1, %r1, %r4; @%p1 bra skip;
         shl.b32 %r5, %r4, 2; add.s32 %r5, %r3, %r5; ld.shared.u32 %r6, [%r5]; ld.shared.u32 %r7, [%r3];
         add.u32 %r7, %r7, %r6; st.shared.u32 [%r3], %r7;
         skip: shr.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0; @%p2 bra loop;
         setp.ne.u32 %p3, %r1, 0; @%p3 ret;
         ld.shared.u32 %r7, [all]; st.global.u32 [%rd1], %r7;";
    for seed in (0..10).map(Some).chain([None]) {
        let ran = launch(&kernel(body), 1, 256, &[], 1, &Settings { seed, ..Settings::default() });
        assert_eq!((ran.outcome.fault, ran.out), (None, vec![255 * 256 / 2]), "{seed:?}");
    }
}

#[test]
fn a_missing_barrier_shows_in_some_order() {
    // Warp 0 reads what warp 1 wrote, with nothing between: only an order other than the plain one gets the value there.
    let body = ".shared .align 4 .b8 cell[4];
         mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, 0;
         @!%p1 st.shared.u32 [cell], 1;
         setp.eq.u32 %p2, %r1, 32; @%p2 st.shared.u32 [cell], 2;
         @!%p1 ld.shared.u32 %r2, [cell]; @!%p1 st.global.u32 [%rd1], %r2;";
    let seen: std::collections::BTreeSet<u64> = (0..60)
        .map(|seed| launch(&kernel(body), 1, 64, &[], 1, &Settings { seed: Some(seed), ..Settings::default() }).out[0])
        .collect();
    assert_eq!(seen, [1, 2].into());
}

#[test]
fn order_is_a_function_of_the_seed() {
    // Blocks and warps draw numbers from one counter: who draws which is the order.
    let body = "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 128, %r1; shr.u32 %r3, %r1, 5;
         mov.u32 %r4, %laneid; setp.ne.u32 %p1, %r4, 0; @%p1 ret;
         atom.global.add.u64 %rd3, [%rd1], 1; mul.wide.u32 %rd4, %r3, 8; add.s64 %rd4, %rd1, %rd4; st.global.u64 [%rd4+8], %rd3;"
    ;
    let order =
        |seed| launch(&kernel(body), 8, 128, &[], 33, &Settings { seed, ..Settings::default() }).out[1..].to_vec();
    assert_eq!(order(None), (0..32).collect::<Vec<u64>>());
    assert_eq!(order(Some(1)), order(Some(1)));
    assert_ne!(order(Some(1)), order(Some(2)));
    for seed in 0..20 {
        let mut all = order(Some(seed));
        all.sort_unstable();
        assert!(all.into_iter().eq(0..32), "every block and warp runs once");
    }
}
