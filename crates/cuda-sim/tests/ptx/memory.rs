//! Loads, stores and atomic updates, in every state space.

use weft_cuda_sim::exec::{Launch, Settings, run};
use weft_cuda_sim::memory::Memory;

use crate::harness::{check, integers, kernel, launch, output, store_at_thread};

#[test]
fn loads_extend() {
    let input = [0xfedc_ba98_8765_43f1];
    let cases: [(&str, &str, &str, u64); 12] = [
        ("u8", "%rs1", "cvt.u64.u16 %rd3, %rs1;", 0xf1),
        ("s8", "%rs1", "cvt.u64.u16 %rd3, %rs1;", 0xfff1),
        ("b8", "%r1", "cvt.u64.u32 %rd3, %r1;", 0xf1),
        ("s8", "%r1", "cvt.u64.u32 %rd3, %r1;", 0xffff_fff1),
        ("s8", "%rd3", "", 0xffff_ffff_ffff_fff1),
        ("u16", "%r1", "cvt.u64.u32 %rd3, %r1;", 0x43f1),
        ("s16", "%rd3", "", 0x43f1),
        ("s32", "%rd3", "", 0xffff_ffff_8765_43f1),
        ("u32", "%rd3", "", 0x8765_43f1),
        ("f32", "%r1", "cvt.u64.u32 %rd3, %r1;", 0x8765_43f1),
        ("b64", "%rd3", "", 0xfedc_ba98_8765_43f1),
        ("f64", "%rd3", "", 0xfedc_ba98_8765_43f1),
    ];
    for space in ["global", "global.nc", "volatile.global", "relaxed.gpu.global", "global.ca", ""] {
        for (of, register, finish, expected) in cases {
            let space = if space.is_empty() { String::new() } else { format!("{space}.") };
            let body = format!("ld.{space}{of} {register}, [%rd2]; {finish} {}", store_at_thread("%rd3"));
            assert_eq!(output(&body, 2, &input, 2), [expected, expected], "ld.{space}{of} {register}");
        }
    }
}

#[test]
fn stores_cut() {
    for (of, register, bytes) in [
        ("u8", "%rs1", 1),
        ("b16", "%rs1", 2),
        ("u8", "%r1", 1),
        ("u16", "%r1", 2),
        ("u32", "%r1", 4),
        ("b32", "%rd3", 4),
        ("f64", "%rd3", 8),
    ] {
        let body = format!(
            "mov.u64 %rd3, 0x1122334455667788; cvt.u32.u64 %r1, %rd3; cvt.u16.u64 %rs1, %rd3; st.global.{of} [%rd1], {register};"
        );
        let mask = u64::MAX >> (64 - bytes * 8);
        assert_eq!(output(&body, 1, &[], 1), [0x1122_3344_5566_7788 & mask], "st.global.{of} {register}");
    }
    assert_eq!(output("st.global.u32 [%rd1+4], 7;", 1, &[], 1), [7 << 32]);
    assert_eq!(output("add.s64 %rd3, %rd1, 16; st.global.u32 [%rd3+-12], 7;", 1, &[], 2), [7 << 32, 0]);
    assert_eq!(output("st.global.f32 [%rd1], 0f3F800000;", 1, &[], 1), [0x3f80_0000]);
}

#[test]
fn vectors() {
    let input = [0x2222_2222_1111_1111, 0x4444_4444_3333_3333];
    for space in ["global", "global.nc"] {
        let body = format!(
            "ld.{space}.v4.u32 {{%r1, %r2, %r3, %r4}}, [%rd2]; st.global.v4.u32 [%rd1], {{%r4, %r3, %r2, %r1}};"
        );
        assert_eq!(output(&body, 1, &input, 2), [0x3333_3333_4444_4444, 0x1111_1111_2222_2222]);
    }
    let two = "ld.global.v2.f64 {%rd3, %rd4}, [%rd2]; st.global.v2.f64 [%rd1], {%rd4, %rd3};";
    assert_eq!(output(two, 1, &input, 2), [input[1], input[0]]);
    let bytes = "ld.global.v2.u8 {%rs1, %rs2}, [%rd2+6]; st.global.v4.u8 [%rd1], {%rs1, 1, %rs2, 2};";
    assert_eq!(output(bytes, 1, &input, 1), [0x0222_0122]);
    assert_eq!(output("ld.global.v2.u32 {_, %r1}, [%rd2]; st.global.u32 [%rd1], %r1;", 1, &input, 1), [0x2222_2222]);
}

#[test]
fn shared_and_local() {
    // Every thread puts its number into its place, and reads that of the last but it.
    let exchange = format!(
        ".shared .align 8 .b8 all[512];
         mov.u32 %r1, %tid.x; mov.u32 %r2, all; shl.b32 %r3, %r1, 3; add.s32 %r2, %r2, %r3;
         cvt.u64.u32 %rd3, %r1; st.shared.u64 [%r2], %rd3;
         bar.sync 0;
         sub.s32 %r4, 63, %r1; shl.b32 %r4, %r4, 3; mov.u64 %rd5, all; cvta.shared.u64 %rd5, %rd5; cvt.u64.u32 %rd6, %r4;
         add.s64 %rd5, %rd5, %rd6; ld.u64 %rd3, [%rd5]; {}",
        store_at_thread("%rd3")
    );
    let expected: Vec<u64> = (0..64).rev().collect();
    assert_eq!(output(&exchange, 64, &[], 64), expected);
    let local = format!(
        ".local .align 8 .b8 depot[24]; mov.u64 %rd7, depot; cvta.local.u64 %rd8, %rd7;
         mov.u32 %r1, %tid.x; st.u32 [%rd8+16], %r1; ld.local.u32 %r2, [%rd7+16]; ld.local.u32 %r2, [depot+16];
         cvta.to.local.u64 %rd9, %rd8; st.local.u32 [%rd9+20], %r2; ld.local.u64 %rd3, [depot+16]; {}",
        store_at_thread("%rd3")
    );
    let expected: Vec<u64> = (0..40).map(|t| t << 32 | t).collect();
    assert_eq!(output(&local, 40, &[], 40), expected);
}

#[test]
fn dynamic_shared_memory_follows_the_static() {
    let module = crate::harness::module(
        ".extern .shared .align 16 .b8 more[];
         .shared .align 4 .b8 fixed[20];
         .visible .entry k(.param .u64 out, .param .u64 in) {
            .reg .b32 %r<9>; .reg .b64 %rd<9>;
            ld.param.u64 %rd1, [out];
            mov.u32 %r1, more; mov.u32 %r2, fixed;
            st.shared.u32 [fixed+16], 5; st.shared.u32 [more+12], 6; ld.shared.u32 %r3, [%r1+12];
            st.global.v4.u32 [%rd1], {%r1, %r2, %r3, 9};
         }",
    );
    let kernel = module.kernel("k").unwrap();
    assert_eq!(kernel.static_shared(), 20);
    let mut memory = Memory::new();
    let out = memory.alloc(16).unwrap();
    let params = [out.to_le_bytes(), out.to_le_bytes()].concat();
    let launch = |dynamic_shared| Launch { dynamic_shared, ..Launch::new(kernel, [1; 3], [1; 3], &params) };
    assert_eq!(run(&launch(16), &mut memory, &Settings::default()).fault, None);
    let mut bytes = [0; 16];
    memory.read(out, &mut bytes).unwrap();
    let [more, zeros @ ..] = bytes;
    assert_eq!((more % 16, more >= 20), (0, true));
    assert_eq!(zeros, [0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 9, 0, 0, 0]);
    assert!(run(&launch(15), &mut memory, &Settings::default()).fault.is_some(), "one byte too few");
}

/// What one thread gives for `atom` on a place with the value `v[0]`: the old value goes to `$d`, the new one is compared.
#[track_caller]
fn atomic(name: &str, bits: u32, operands: usize, values: Vec<u64>, f: impl Fn(&[u64]) -> u64) {
    for space in ["global", "shared"] {
        let (setup, place) = if space == "shared" {
            (".shared .align 8 .b8 cell[8];", "cell")
        } else {
            (
                "mov.u32 %r11, %ctaid.x; mov.u32 %r12, %tid.x; mad.lo.s32 %r11, %r11, 64, %r12;
              mul.wide.u32 %rd12, %r11, 8; add.s64 %rd12, %rd1, %rd12;",
                "%rd12",
            )
        };
        let rest = ["", ", $b", ", $b, $c"][operands];
        let list: Vec<_> = (0..=operands).map(|_| (bits, values.clone())).collect();
        // One thread a block has the cell to itself; the others do nothing here.
        let (register, width) = if bits == 32 { ("%r13", "b32") } else { ("%rd13", "b64") };
        let guard = if space == "shared" { "bar.sync 0;" } else { "" };
        if space == "shared" {
            continue_shared(name, bits, &list, rest, &f);
            continue;
        }
        let text = format!(
            "{setup} st.{space}.{width} [{place}], $a; atom.{space}.{name} {register}, [{place}]{rest}; ld.{space}.{width} $d, [{place}]; {guard}"
        );
        check(&text, bits, &list, &f);
        let text = format!("{setup} st.{space}.{width} [{place}], $a; atom.{space}.{name} $d, [{place}]{rest};");
        check(&text, bits, &list, |v| v[0]);
    }
}

/// The same in shared memory, with a cell for each thread.
#[track_caller]
fn continue_shared(name: &str, bits: u32, list: &[(u32, Vec<u64>)], rest: &str, f: impl Fn(&[u64]) -> u64) {
    let width = if bits == 32 { "b32" } else { "b64" };
    let text = format!(
        ".shared .align 8 .b8 cells[512]; mov.u32 %r11, %tid.x; shl.b32 %r11, %r11, 3; mov.u32 %r12, cells; add.s32 %r11, %r11, %r12;
         st.shared.{width} [%r11], $a; atom.shared.{name} %r{}, [%r11]{rest}; ld.shared.{width} $d, [%r11];",
        if bits == 32 { "13" } else { "d13" }
    );
    check(&text, bits, list, f);
}

#[test]
fn atomics() {
    for bits in [32u32, 64] {
        let mask = u64::MAX >> (64 - bits);
        let signed = move |v: u64| (v as i64) << (64 - bits) >> (64 - bits);
        atomic(&format!("add.u{bits}"), bits, 1, integers(bits), |v| v[0].wrapping_add(v[1]) & mask);
        atomic(&format!("min.u{bits}"), bits, 1, integers(bits), |v| v[0].min(v[1]));
        atomic(&format!("max.u{bits}"), bits, 1, integers(bits), |v| v[0].max(v[1]));
        atomic(&format!("min.s{bits}"), bits, 1, integers(bits), |v| signed(v[0]).min(signed(v[1])) as u64 & mask);
        atomic(&format!("max.s{bits}"), bits, 1, integers(bits), |v| signed(v[0]).max(signed(v[1])) as u64 & mask);
        atomic(&format!("and.b{bits}"), bits, 1, integers(bits), |v| v[0] & v[1]);
        atomic(&format!("or.b{bits}"), bits, 1, integers(bits), |v| v[0] | v[1]);
        atomic(&format!("xor.b{bits}"), bits, 1, integers(bits), |v| v[0] ^ v[1]);
        atomic(&format!("exch.b{bits}"), bits, 1, integers(bits), |v| v[1]);
        atomic(&format!("cas.b{bits}"), bits, 2, integers(bits), |v| if v[0] == v[1] { v[2] } else { v[0] });
    }
    atomic("add.s32", 32, 1, integers(32), |v| v[0].wrapping_add(v[1]) & 0xffff_ffff);
    atomic("inc.u32", 32, 1, integers(32), |v| if v[0] >= v[1] { 0 } else { v[0] + 1 });
    atomic("dec.u32", 32, 1, integers(32), |v| if v[0] == 0 || v[0] > v[1] { v[1] } else { v[0] - 1 });
    let doubles = [0.5, -0.5, 1e300, -0.0, f64::INFINITY].iter().map(|v: &f64| v.to_bits()).collect();
    atomic("add.f64", 64, 1, doubles, |v| (f64::from_bits(v[0]) + f64::from_bits(v[1])).to_bits());
}

#[test]
fn float_atomics_flush_in_global_memory_only() {
    let tiny = || (32, vec![1, 0x8000_0001, 0x0080_0000, 0x8080_0001, 0, 0x3f80_0000]);
    let flush = |v: f32| if v.is_subnormal() { 0.0f32.copysign(v) } else { v };
    let value = |v: u64| f32::from_bits(v as u32);
    let place = "mov.u32 %r11, %ctaid.x; mov.u32 %r12, %tid.x; mad.lo.s32 %r11, %r11, 64, %r12; mul.wide.u32 %rd12, %r11, 8; add.s64 %rd12, %rd1, %rd12;";
    for form in
        ["atom.global.add.f32 %r13, [%rd12], $b;", "red.global.add.f32 [%rd12], $b;", "atom.add.f32 %r13, [%rd12], $b;"]
    {
        let text = format!("{place} st.global.b32 [%rd12], $a; {form} ld.global.b32 $d, [%rd12];");
        check(&text, 32, &[tiny(), tiny()], |v| u64::from(flush(flush(value(v[0])) + flush(value(v[1]))).to_bits()));
    }
    continue_shared("add.f32", 32, &[tiny(), tiny()], ", $b", |v| u64::from((value(v[0]) + value(v[1])).to_bits()));
}

#[test]
fn every_thread_takes_part_in_an_update() {
    for seed in [None, Some(1), Some(2)] {
        let settings = Settings { seed, ..Settings::default() };
        let body = "red.global.add.u64 [%rd1], 1; mov.u32 %r1, %tid.x; red.global.max.u32 [%rd1+8], %r1;
                    atom.global.add.u32 %r2, [%rd1+16], 1; red.relaxed.gpu.global.or.b32 [%rd1+20], 6;";
        let ran = launch(&kernel(body), 3, 100, &[], 3, &settings);
        assert_eq!((ran.outcome.fault, ran.out), (None, vec![300, 99, 6 << 32 | 300]));
    }
    // Each thread gets a number of its own.
    let body = format!(
        "atom.global.add.u64 %rd3, [%rd1], 1; {}",
        store_at_thread("%rd3").replace("%rd1, %rd19", "%rd2, %rd19")
    );
    let mut memory = Memory::new();
    let (counter, tickets) = (memory.alloc(8).unwrap(), memory.alloc(64 * 8).unwrap());
    memory.fill(counter, &[0], 8).unwrap();
    let module = kernel(&body);
    let params = [counter.to_le_bytes(), tickets.to_le_bytes()].concat();
    let launch = Launch::new(module.kernel("k").unwrap(), [1; 3], [64, 1, 1], &params);
    assert_eq!(run(&launch, &mut memory, &Settings { seed: Some(3), ..Settings::default() }).fault, None);
    let mut bytes = [0; 512];
    memory.read(tickets, &mut bytes).unwrap();
    let mut seen: Vec<u64> = bytes.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..64));
}

#[test]
fn memory_beyond_all_bounds() {
    // Far into 2^42 bytes that do not exist: chosen blocks of a grid that nobody could run.
    let module = kernel(
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r1, 1024; cvt.u64.u32 %rd4, %r2;
         add.s64 %rd3, %rd3, %rd4; add.s64 %rd3, %rd1, %rd3; ld.global.u8 %rs1, [%rd3]; add.s16 %rs1, %rs1, 1; st.global.u8 [%rd3], %rs1;",
    );
    let mut memory = Memory::new();
    let base = memory.alloc_virtual((1 << 41) - 24).unwrap();
    memory.fill(base, &[4], (1 << 41) - 24).unwrap();
    let params = [base.to_le_bytes(), base.to_le_bytes()].concat();
    let launch = Launch::new(module.kernel("k").unwrap(), [i32::MAX as u32, 1, 1], [1000, 1, 1], &params);
    let last = i32::MAX as u32 - 1;
    let blocks = weft_cuda_sim::exec::Blocks::Only(vec![[0, 0, 0], [last, 0, 0], [last, 1, 0]]);
    let outcome = run(&launch, &mut memory, &Settings { blocks, ..Settings::default() });
    assert_eq!((outcome.fault, outcome.stats.blocks), (None, 2));
    let byte = |at: u64| {
        let mut byte = [0];
        memory.read(base + at, &mut byte).unwrap();
        byte[0]
    };
    let end = u64::from(last) * 1024 + 999;
    assert_eq!([0, 999, 1000, end - 999, end].map(byte), [5, 5, 4, 5, 5]);
}
