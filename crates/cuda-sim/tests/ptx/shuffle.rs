//! What lanes of a warp tell each other: shuffles and votes.

use weft_cuda_sim::exec::Settings;

use crate::harness::{kernel, launch, output, store_at_thread};

/// `shfl` as the documentation writes it, for a full warp: the lane that is read, and whether it is in range.
fn source(mode: &str, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (bound, segment) = (c & 31, c >> 8 & 31);
    let most = (lane & segment) | (bound & !segment);
    let least = lane & segment;
    let (j, ok) = match mode {
        "up" => (lane.wrapping_sub(b), lane as i32 - b as i32 >= most as i32),
        "down" => (lane + b, lane + b <= most),
        "bfly" => (lane ^ b, lane ^ b <= most),
        _ => (least | (b & !segment), (least | (b & !segment)) <= most),
    };
    if ok { (j, true) } else { (lane, false) }
}

#[test]
fn shuffles() {
    for (mode, bound) in [("up", 0), ("down", 31), ("bfly", 31), ("idx", 31)] {
        for width in [32u32, 16, 8, 1] {
            for b in [0u32, 1, 2, 5, 16, 31] {
                let c = (32 - width) << 8 | bound;
                let body = format!(
                    "mov.u32 %r1, %laneid; mul.lo.u32 %r1, %r1, 3; mov.u32 %r2, 1000;
                     shfl.sync.{mode}.b32 %r2|%p1, %r1, {b}, {c}, 0xffffffff;
                     selp.b32 %r3, 1, 0, %p1; mov.b64 %rd3, {{%r2, %r3}}; {}",
                    store_at_thread("%rd3")
                );
                let expected: Vec<u64> = (0..32)
                    .map(|lane| {
                        let (from, ok) = source(mode, lane, b, c);
                        (u64::from(ok) << 32) | (u64::from(from) * 3)
                    })
                    .collect();
                assert_eq!(output(&body, 32, &[], 32), expected, "{mode} {width} {b}");
            }
        }
    }
}

#[test]
fn a_register_may_be_source_and_target() {
    let body = format!(
        "mov.u32 %r1, %laneid; mov.u32 %r4, 1; shfl.sync.bfly.b32 %r1, %r1, %r4, 31, -1; cvt.u64.u32 %rd3, %r1; {}",
        store_at_thread("%rd3")
    );
    assert_eq!(output(&body, 32, &[], 32), (0..32).map(|l| l ^ 1).collect::<Vec<u64>>());
}

#[test]
fn lanes_of_the_mask_wait_for_each_other() {
    // The even lanes arrive early: they wait for the odd ones, which come a long way round.
    let body = format!(
        "mov.u32 %r1, %laneid; and.b32 %r2, %r1, 1; mov.u32 %r3, 7; mov.u32 %r4, 0;
         setp.eq.u32 %p1, %r2, 0; @%p1 bra meet;
         mov.u32 %r3, 9;
         loop: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r1; @%p2 bra loop;
         meet: shfl.sync.bfly.b32 %r5, %r3, 1, 31, 0xffffffff; cvt.u64.u32 %rd3, %r5; {}",
        store_at_thread("%rd3")
    );
    assert_eq!(output(&body, 32, &[], 32), (0..32).map(|l| if l % 2 == 0 { 9 } else { 7 }).collect::<Vec<u64>>());
    // The shuffle stands before the loop that some lanes are still in, so the lowest line alone would run it too early.
    let before = format!(
        "mov.u32 %r1, %laneid; mov.u32 %r3, %r1; mov.u32 %r4, 0; bra test;
         meet: shfl.sync.down.b32 %r5, %r3, 1, 31, 0xffffffff; cvt.u64.u32 %rd3, %r5; {} ret;
         loop: add.u32 %r4, %r4, 1; add.u32 %r3, %r3, 100;
         test: setp.lt.u32 %p2, %r4, %r1; @%p2 bra loop; bra meet;",
        store_at_thread("%rd3")
    );
    assert_eq!(output(&before, 32, &[], 32), (0..32u64).map(|l| (l + 1).min(31) * 101).collect::<Vec<u64>>());
}

#[test]
fn masks_of_some_lanes() {
    let body = format!(
        "mov.u32 %r1, %laneid; mov.u32 %r2, 99; setp.ge.u32 %p1, %r1, 8; @%p1 bra out;
         shfl.sync.idx.b32 %r2, %r1, 7, 31, 0xff;
         out: cvt.u64.u32 %rd3, %r2; {}",
        store_at_thread("%rd3")
    );
    assert_eq!(output(&body, 32, &[], 32), (0..32).map(|l| if l < 8 { 7 } else { 99 }).collect::<Vec<u64>>());
    // Lanes that have ended are not waited for.
    let ended = format!(
        "mov.u32 %r1, %laneid; setp.ge.u32 %p1, %r1, 16; @%p1 exit;
         shfl.sync.bfly.b32 %r2, %r1, 8, 31, 0xffffffff; cvt.u64.u32 %rd3, %r2; {}",
        store_at_thread("%rd3")
    );
    let expected: Vec<u64> = (0..32).map(|l| if l < 16 { l ^ 8 } else { 0 }).collect();
    assert_eq!(output(&ended, 32, &[], 32), expected);
    // Neither are those that end while others wait for them.
    let ending = format!(
        "mov.u32 %r1, %laneid; setp.ge.u32 %p1, %r1, 16; @%p1 bra end;
         shfl.sync.bfly.b32 %r2, %r1, 8, 31, 0xffffffff; cvt.u64.u32 %rd3, %r2; {} end: add.u32 %r1, %r1, 1;",
        store_at_thread("%rd3")
    );
    assert_eq!(output(&ending, 32, &[], 32), expected);
}

#[test]
fn what_a_shuffle_must_not_do() {
    let fault = |body: &str| {
        let fault = launch(&kernel(body), 1, 32, &[], 0, &Settings::default()).outcome.fault.unwrap();
        (fault.code.code(), fault.what)
    };
    let (code, what) = fault(
        "mov.u32 %r1, %laneid; setp.ge.u32 %p1, %r1, 16; @%p1 exit; shfl.sync.down.b32 %r2, %r1, 16, 31, 0xffffffff;",
    );
    assert_eq!(code, 719);
    assert!(what.contains("kernel k") && what.contains("16"), "{what}");
    let (code, what) = fault("mov.u32 %r1, %laneid; shfl.sync.idx.b32 %r2, %r1, 0, 31, 0x7fffffff;");
    assert_eq!(code, 719, "lane 31 is not in its own mask");
    assert!(what.contains("31"), "{what}");
}

#[test]
fn votes() {
    let vote = |form: &str, lanes: u32, expected: fn(u64) -> u64| {
        let body = format!(
            "mov.u32 %r1, %laneid; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; setp.lt.u32 %p2, %r1, 99; {form} {}",
            store_at_thread("%rd3")
        );
        assert_eq!(
            output(&body, lanes, &[], lanes as usize),
            (0..u64::from(lanes)).map(expected).collect::<Vec<u64>>(),
            "{form}"
        );
    };
    let pred = |p: &str| format!("{p} selp.b64 %rd3, 1, 0, %p3;");
    vote("vote.sync.ballot.b32 %r3, %p1, -1; cvt.u64.u32 %rd3, %r3;", 32, |_| 0xaaaa_aaaa);
    vote("vote.sync.ballot.b32 %r3, !%p1, -1; cvt.u64.u32 %rd3, %r3;", 32, |_| 0x5555_5555);
    vote("vote.sync.ballot.b32 %r3, %p1, -1; cvt.u64.u32 %rd3, %r3;", 8, |_| 0xaa);
    vote(&pred("vote.sync.all.pred %p3, %p2, -1;"), 32, |_| 1);
    vote(&pred("vote.sync.all.pred %p3, %p1, -1;"), 32, |_| 0);
    vote(&pred("vote.sync.any.pred %p3, %p1, -1;"), 32, |_| 1);
    vote(&pred("vote.sync.any.pred %p3, !%p2, -1;"), 32, |_| 0);
    vote(&pred("vote.sync.uni.pred %p3, %p2, -1;"), 32, |_| 1);
    vote(&pred("vote.sync.uni.pred %p3, %p1, -1;"), 32, |_| 0);
    vote("mov.u32 %r3, 0; @%p1 activemask.b32 %r3; cvt.u64.u32 %rd3, %r3;", 4, |l| if l % 2 == 1 { 0b1010 } else { 0 });
}
