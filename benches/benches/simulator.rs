//! How fast `weft-cuda-sim` runs PTX: instructions of threads per second, with and without the checks that cost time.
//!
//! Bounds and alignment are always checked. The profile is that of benchmarks; `cargo test` optimises the simulator as much,
//! but keeps its overflow checks and debug assertions.

use core::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use weft_cuda_sim::exec::{Check, Launch, Settings, run};
use weft_cuda_sim::memory::Memory;
use weft_cuda_sim::ptx::{self, Module, Options};

/// A strided copy of 2^18 words with two divided axes, as the gather kernels do it.
const COPY: &str = "
    mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r2, %r1, %r3;
    mul.hi.u32 %r5, %r4, 0x10000000; sub.s32 %r6, %r4, %r5; shr.u32 %r6, %r6, 0; add.s32 %r6, %r6, %r5; shr.u32 %r6, %r6, 4;
    shl.b32 %r7, %r6, 4; sub.s32 %r7, %r4, %r7; mul.lo.s32 %r8, %r7, 1; mad.lo.s32 %r8, %r6, 16, %r8;
    setp.ge.u32 %p1, %r8, 262144; @%p1 bra end;
    mul.wide.u32 %rd3, %r8, 4; add.s64 %rd3, %rd2, %rd3; ld.global.u32 %r9, [%rd3];
    mul.wide.u32 %rd4, %r4, 4; add.s64 %rd4, %rd1, %rd4; st.global.u32 [%rd4], %r9;
    end: ret;";

/// A transpose of 512 by 512 words in tiles of 32 by 32 through shared memory, 8 rows at a time.
const TRANSPOSE: &str = "
    .shared .align 4 .b8 tile[4224];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;
    mov.u32 %r5, 0;
    in: add.s32 %r6, %r2, %r5; mad.lo.s32 %r7, %r4, 32, %r6; mad.lo.s32 %r8, %r3, 32, %r1; mad.lo.s32 %r8, %r7, 512, %r8;
    mul.wide.u32 %rd3, %r8, 4; add.s64 %rd3, %rd2, %rd3; ld.global.u32 %r9, [%rd3];
    mad.lo.s32 %r10, %r6, 33, %r1; shl.b32 %r10, %r10, 2; mov.u32 %r11, tile; add.s32 %r10, %r11, %r10; st.shared.u32 [%r10], %r9;
    add.s32 %r5, %r5, 8; setp.lt.u32 %p1, %r5, 32; @%p1 bra in;
    bar.sync 0;
    mov.u32 %r5, 0;
    out: add.s32 %r6, %r2, %r5; mad.lo.s32 %r7, %r3, 32, %r6; mad.lo.s32 %r8, %r4, 32, %r1; mad.lo.s32 %r8, %r7, 512, %r8;
    mad.lo.s32 %r10, %r1, 33, %r6; shl.b32 %r10, %r10, 2; add.s32 %r10, %r11, %r10; ld.shared.u32 %r9, [%r10];
    mul.wide.u32 %rd3, %r8, 4; add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r9;
    add.s32 %r5, %r5, 8; setp.lt.u32 %p1, %r5, 32; @%p1 bra out;
    ret;";

/// Sums and products in registers alone.
const ARITHMETIC: &str = "
    mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;
    loop: mad.lo.s32 %r3, %r3, %r1, %r2; xor.b32 %r3, %r3, 0x5555; shr.u32 %r4, %r3, 3; sub.s32 %r3, %r3, %r4;
    cvt.u64.u32 %rd3, %r3; shl.b64 %rd3, %rd3, 7; cvt.u32.u64 %r3, %rd3;
    add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 1000; @%p1 bra loop;
    ret;";

fn module(body: &str) -> Module {
    let text = format!(
        ".version 8.4\n.target sm_70\n.address_size 64
         .visible .entry k(.param .u64 to, .param .u64 from) {{
            .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
            ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from];
            {body}
         }}"
    );
    ptx::parse(&text, &Options::default()).unwrap()
}

/// Bytes of each of the two buffers.
const BYTES: u64 = 512 * 512 * 4;

fn bench(c: &mut Criterion) {
    let kernels = [
        ("copy", COPY, [1024, 1, 1], [256, 1, 1]),
        ("transpose", TRANSPOSE, [16, 16, 1], [32, 8, 1]),
        ("arithmetic", ARITHMETIC, [16, 1, 1], [256, 1, 1]),
    ];
    let bounds = Settings::default();
    let unwritten = Settings { unwritten: Check::Report, ..Settings::default() };
    let everything = Settings { seed: Some(1), races: Check::Report, ..unwritten.clone() };
    for (name, body, grid, block) in kernels {
        let module = module(body);
        let mut memory = Memory::new();
        let (to, from) = (memory.alloc(BYTES).unwrap(), memory.alloc(BYTES).unwrap());
        memory.fill(from, &[7], BYTES).unwrap();
        let params = [to.to_le_bytes(), from.to_le_bytes()].concat();
        let launch = Launch::new(module.kernel("k").unwrap(), grid, block, &params);
        let mut group = c.benchmark_group(format!("simulator/{name}"));
        group.sample_size(10).measurement_time(Duration::from_secs(3));
        for (checks, settings) in [("bounds", &bounds), ("unwritten", &unwritten), ("everything", &everything)] {
            let outcome = run(&launch, &mut memory, settings);
            assert!(outcome.fault.is_none() && outcome.findings.is_empty(), "{outcome:?}");
            group.throughput(Throughput::Elements(outcome.stats.lane_instructions));
            group.bench_function(checks, |b| b.iter(|| run(&launch, &mut memory, settings)));
        }
        group.finish();
    }
}

criterion_group!(simulator, bench);
criterion_main!(simulator);
