//! Moving values about: `mov`, `selp`, predicates, special registers, addresses of variables.

use weft_cuda_sim::exec::{Launch, Settings, run};
use weft_cuda_sim::memory::Memory;

use crate::harness::{check, integers, kernel, launch, module, output, store_at_thread};

#[test]
fn values() {
    for bits in [16, 32, 64] {
        for kind in ["b", "u", "s"] {
            check(&format!("mov.{kind}{bits} $d, $a;"), bits, &[(bits, integers(bits))], |v| v[0]);
        }
        check(
            &format!("selp.b{bits} $d, $a, $b, $c;"),
            bits,
            &[(bits, integers(bits)), (bits, integers(bits)), (1, vec![0, 1])],
            |v| v[usize::from(v[2] == 0)],
        );
    }
    check("mov.f32 $d, 0f3FC00000;", 32, &[], |_| u64::from(1.5f32.to_bits()));
    check("mov.f32 $d, 1.5;", 32, &[], |_| u64::from(1.5f32.to_bits()));
    check("mov.f64 $d, 0d3FF8000000000000;", 64, &[], |_| 1.5f64.to_bits());
    check("mov.f64 $d, -2.25;", 64, &[], |_| (-2.25f64).to_bits());
    check("mov.u32 $d, 0xFFFFFFFFU;", 32, &[], |_| 0xffff_ffff);
    check("mov.b32 $d, -1;", 32, &[], |_| 0xffff_ffff);
    check("mov.u16 $d, -2;", 16, &[], |_| 0xfffe);
    check("mov.u64 $d, 0b101;", 64, &[], |_| 5);
    check("mov.u64 $d, 017;", 64, &[], |_| 15);
}

#[test]
fn parts() {
    check("mov.b64 $d, {$a, $b};", 64, &[(32, integers(32)), (32, integers(32))], |v| v[1] << 32 | v[0]);
    check("mov.b32 $d, {$a, $b};", 32, &[(16, integers(16)), (16, integers(16))], |v| v[1] << 16 | v[0]);
    check("mov.b64 $d, {$a, $b, $a, $b};", 64, &[(16, integers(16)), (16, integers(16))], |v| {
        v[1] << 48 | v[0] << 32 | v[1] << 16 | v[0]
    });
    check("mov.b64 {$d, %r6}, $a;", 32, &[(64, integers(64))], |v| v[0] & 0xffff_ffff);
    check("mov.b64 {_, $d}, $a;", 32, &[(64, integers(64))], |v| v[0] >> 32);
    check("mov.b32 {%rs6, $d}, $a;", 16, &[(32, integers(32))], |v| v[0] >> 16);
    check("{ .reg .b32 %tmp; mov.b64 {%tmp, $d}, $a; }", 32, &[(64, integers(64))], |v| v[0] >> 32);
}

#[test]
fn predicates() {
    let flag = || (1, vec![0, 1]);
    check("and.pred $d, $a, $b;", 1, &[flag(), flag()], |v| v[0] & v[1]);
    check("or.pred $d, $a, $b;", 1, &[flag(), flag()], |v| v[0] | v[1]);
    check("xor.pred $d, $a, $b;", 1, &[flag(), flag()], |v| v[0] ^ v[1]);
    check("not.pred $d, $a;", 1, &[flag()], |v| 1 - v[0]);
    check("mov.pred $d, $a;", 1, &[flag()], |v| v[0]);
    check("mov.pred $d, 0;", 1, &[], |_| 0);
    check("mov.pred $d, -1;", 1, &[], |_| 1);
    check("mov.u32 $d, 7; @$a mov.u32 $d, 8;", 32, &[flag()], |v| 7 + v[0]);
    check("mov.u32 $d, 7; @!$a mov.u32 $d, 8;", 32, &[flag()], |v| 8 - v[0]);
}

/// Runs `k` over a grid of three dimensions, where each thread stores a special register at the place given by its others.
fn special(name: &str, grid: [u32; 3], block: [u32; 3]) -> Vec<u64> {
    let module = kernel(&format!(
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
         mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
         mad.lo.s32 %r7, %r3, %r5, %r2; mad.lo.s32 %r7, %r7, %r4, %r1;
         mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;
         mov.u32 %r8, %nctaid.x; mov.u32 %r9, %nctaid.y;
         mad.lo.s32 %r10, %r3, %r9, %r2; mad.lo.s32 %r10, %r10, %r8, %r1;
         mul.lo.s32 %r4, %r4, %r5; mul.lo.s32 %r4, %r4, %r6; mad.lo.s32 %r7, %r10, %r4, %r7;
         mov.u32 %r11, {name}; cvt.u64.u32 %rd3, %r11;
         mul.wide.u32 %rd4, %r7, 8; add.s64 %rd4, %rd1, %rd4; st.global.u64 [%rd4], %rd3;"
    ));
    let count: u32 = grid.iter().chain(&block).product();
    let mut memory = Memory::new();
    let out = memory.alloc(u64::from(count) * 8).unwrap();
    let params = [out.to_le_bytes(), 0u64.to_le_bytes()].concat();
    let settings = Settings { seed: Some(5), ..Settings::default() };
    let outcome = run(&Launch::new(module.kernel("k").unwrap(), grid, block, &params), &mut memory, &settings);
    assert_eq!(outcome.fault, None);
    let mut bytes = vec![0; count as usize * 8];
    memory.read(out, &mut bytes).unwrap();
    assert_eq!(memory.first_unwritten(out, u64::from(count) * 8).unwrap(), None);
    bytes.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect()
}

#[test]
fn special_registers() {
    let (grid, block) = ([3, 2, 2], [5, 7, 2]);
    let threads: u64 = 70;
    let in_block = |f: fn(u64) -> u64| (0..threads * 12).map(|i| f(i % 70)).collect::<Vec<u64>>();
    let of_block = |f: fn(u64) -> u64| (0..threads * 12).map(|i| f(i / 70)).collect::<Vec<u64>>();
    assert_eq!(special("%tid.x", grid, block), in_block(|t| t % 5));
    assert_eq!(special("%tid.y", grid, block), in_block(|t| t / 5 % 7));
    assert_eq!(special("%tid.z", grid, block), in_block(|t| t / 35));
    assert_eq!(special("%laneid", grid, block), in_block(|t| t % 32));
    assert_eq!(special("%lanemask_lt", grid, block), in_block(|t| (1 << (t % 32)) - 1));
    assert_eq!(special("%ctaid.x", grid, block), of_block(|b| b % 3));
    assert_eq!(special("%ctaid.y", grid, block), of_block(|b| b / 3 % 2));
    assert_eq!(special("%ctaid.z", grid, block), of_block(|b| b / 6));
    assert_eq!(special("%ntid.y", grid, block), of_block(|_| 7));
    assert_eq!(special("%nctaid.z", grid, block), of_block(|_| 2));
    assert_eq!(special("WARP_SZ", grid, block), of_block(|_| 32));
}

#[test]
fn scopes_hide_and_end() {
    let body = format!(
        ".reg .b32 x; mov.u32 x, 1;
         {{ .reg .b32 x; mov.u32 x, 2; {{ .reg .b32 x; mov.u32 x, 3; }} add.u32 %r1, x, 0; }}
         add.u32 %r1, %r1, x; cvt.u64.u32 %rd3, %r1; {}",
        store_at_thread("%rd3")
    );
    assert_eq!(output(&body, 1, &[], 1), [3]);
}

#[test]
fn variables_of_the_module() {
    let module = module(
        ".global .align 8 .u32 counts[4] = {1, 2, 3};
         .const .f32 half = 0f3F000000;
         .visible .global .align 4 .b8 bytes[6] = {1, 2, 255};
         .visible .entry k(.param .u64 out, .param .u64 in) {
            .reg .b32 %r<9>; .reg .b64 %rd<9>;
            ld.param.u64 %rd1, [out];
            ld.global.u32 %r1, [counts+4];
            ld.const.f32 %r2, [half];
            mov.u64 %rd2, counts;
            cvta.global.u64 %rd3, %rd2;
            ld.u32 %r3, [%rd3+8];
            mov.b64 %rd4, {%r1, %r2};
            st.global.u64 [%rd1], %rd4;
            st.global.u32 [%rd1+8], %r3;
         }",
    );
    let names: Vec<_> =
        module.globals().iter().map(|g| (g.name.as_str(), g.size, g.align, g.initial.clone())).collect();
    let counts = [1u32, 2, 3, 0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let expected = [
        ("counts", 16, 8, counts),
        ("half", 4, 4, 0.5f32.to_le_bytes().to_vec()),
        ("bytes", 6, 4, vec![1, 2, 255, 0, 0, 0]),
    ];
    assert_eq!(names, expected);
    let mut memory = Memory::new();
    let mut globals = Vec::new();
    for global in module.globals() {
        let at = memory.alloc(global.size).unwrap();
        memory.write(at, &global.initial).unwrap();
        globals.push(at);
    }
    let out = memory.alloc(16).unwrap();
    let params = [out.to_le_bytes(), 0u64.to_le_bytes()].concat();
    let launch = Launch { globals: &globals, ..Launch::new(module.kernel("k").unwrap(), [1; 3], [1; 3], &params) };
    assert_eq!(run(&launch, &mut memory, &Settings::default()).fault, None);
    let mut bytes = [0; 12];
    memory.read(out, &mut bytes).unwrap();
    assert_eq!(bytes, [2, 0, 0, 0, 0, 0, 0, 0x3f, 3, 0, 0, 0]);
    // Without the addresses of its variables a kernel does not run.
    let without =
        run(&Launch::new(module.kernel("k").unwrap(), [1; 3], [1; 3], &params), &mut memory, &Settings::default());
    assert!(without.fault.is_some());
}

#[test]
fn parameters_are_where_they_are_declared() {
    let module = module(
        ".visible .entry k(.param .u8 a, .param .align 16 .b8 b[20], .param .u16 c, .param .f64 d) .maxntid 8, 4, 1 {
            .reg .b64 %rd<9>; .reg .b32 %r<9>;
            mov.b64 %rd1, b;
            ld.param.u64 %rd2, [%rd1+8];
            ld.param.v2.u32 {%r1, %r2}, [b];
            ld.param.u16 %r3, [c];
            ld.param.u8 %r4, [a];
            mad.lo.s32 %r1, %r2, 10, %r1; mad.lo.s32 %r1, %r3, 100, %r1; mad.lo.s32 %r1, %r4, 1000, %r1;
            st.global.u32 [%rd2], %r1;
         }",
    );
    let kernel = module.kernel("k").unwrap();
    let places: Vec<_> = kernel.params().iter().map(|p| (p.offset, p.size, p.align)).collect();
    assert_eq!(places, [(0, 1, 1), (16, 20, 16), (36, 2, 2), (40, 8, 8)]);
    assert_eq!((kernel.param_bytes(), kernel.max_threads(), kernel.name()), (48, 32, "k"));
    let mut memory = Memory::new();
    let out = memory.alloc(4).unwrap();
    let mut params = vec![0; 48];
    (params[0], params[16], params[20], params[36]) = (4, 1, 2, 3);
    params[24..32].copy_from_slice(&out.to_le_bytes());
    assert_eq!(run(&Launch::new(kernel, [1; 3], [1; 3], &params), &mut memory, &Settings::default()).fault, None);
    let mut bytes = [0; 4];
    memory.read(out, &mut bytes).unwrap();
    assert_eq!(u32::from_le_bytes(bytes), 4321);
    let short = run(&Launch::new(kernel, [1; 3], [1; 3], &params[1..]), &mut memory, &Settings::default());
    assert!(short.fault.unwrap().what.contains("47"));
}

#[test]
fn a_launch_counts_what_it_did() {
    let ran = launch(&kernel("bar.sync 0;"), 3, 40, &[], 0, &Settings::default());
    // Two loads, the barrier and the return, in two warps of each of three blocks.
    assert_eq!((ran.outcome.stats.blocks, ran.outcome.stats.warp_instructions), (3, 4 * 2 * 3));
    assert_eq!(ran.outcome.stats.lane_instructions, 4 * 40 * 3);
}
