//! Damaged PTX: it is refused or it runs, and either way it comes to an end without a panic.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use weft_cuda_sim::exec::{Check, Launch, Settings, run};
use weft_cuda_sim::memory::Memory;
use weft_cuda_sim::ptx::{self, Options};

/// A kernel that has a bit of everything.
const SEED: &str = r#".version 8.4
.target sm_70
.address_size 64
.global .align 4 .b8 table[8] = {1, 2, 3, 4};
.extern .shared .align 16 .b8 more[];
.visible .entry k(.param .u64 out, .param .align 8 .b8 desc[24]) .maxntid 64, 1, 1 {
    .reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<12>; .reg .f32 %f<4>; .reg .f64 %fd<4>; .reg .b64 %rd<10>;
    .shared .align 8 .b8 tile[512];
    .local .align 8 .b8 depot[16];
    .pragma "nounroll";
    ld.param.u64 %rd1, [out];
    mov.b64 %rd2, desc;
    ld.param.v2.u32 {%r1, %r2}, [%rd2+8];
    mov.u32 %r3, %tid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ctaid.x;
    mad.lo.s32 %r6, %r5, %r4, %r3;
    setp.ge.u32 %p1, %r6, 100;
    @%p1 bra $end;
    mul.wide.u32 %rd3, %r6, 8; add.s64 %rd4, %rd1, %rd3;
    ld.global.v2.u32 {%r7, %r8}, [%rd4];
    $loop:
    add.s32 %r1, %r1, 1; and.b32 %r9, %r1, 7; setp.ne.s32 %p2, %r9, 0;
    @%p2 bra $loop;
    shl.b32 %r9, %r3, 3; mov.u32 %r10, tile; add.s32 %r10, %r10, %r9;
    st.shared.u64 [%r10], %rd3;
    mov.u64 %rd5, depot; cvta.local.u64 %rd6, %rd5; st.u32 [%rd6+4], %r7; ld.local.u32 %r7, [%rd5+4];
    mov.b64 %rd7, {%r7, %r8}; mov.b64 {%r7, _}, %rd7;
    cvt.rn.f32.u32 %f1, %r7; fma.rn.f32 %f2, %f1, 0f40000000, %f1; cvt.rzi.s32.f32 %r11, %f2;
    cvt.f64.f32 %fd1, %f2; add.rn.f64 %fd1, %fd1, 0d3FF0000000000000; cvt.u16.u32 %rs1, %r11;
    shfl.sync.down.b32 %r8|%p3, %r7, 1, 31, 0xffffffff;
    selp.b32 %r8, %r8, %r7, %p3;
    atom.global.add.u32 %r9, [%rd1], 1; red.global.max.s32 [table+4], %r8;
    div.u32 %r7, %r8, %r9; rem.s64 %rd7, %rd3, %rd4; shr.s64 %rd8, %rd7, %r7; mul.hi.u64 %rd8, %rd8, %rd7;
    bfe.u32 %r7, %r8, %r9, 5; prmt.b32 %r7, %r7, %r8, 0x3210;
    st.global.u16 [%rd4+4], %rs1; st.shared.f64 [more], %fd1;
    $end:
    bar.sync 0;
    ret;
}
"#;

fn try_it(text: &str, seed: u64) {
    let Ok(module) = ptx::parse(text, &Options::default()) else { return };
    for kernel in module.kernels() {
        let mut memory = Memory::new();
        let out = memory.alloc(800).unwrap();
        let mut globals = Vec::new();
        for global in module.globals() {
            let at = memory.alloc(global.size.max(1)).unwrap();
            memory.write(at, &global.initial).unwrap();
            globals.push(at);
        }
        let mut params = vec![0; kernel.param_bytes()];
        if let Some(first) = params.first_chunk_mut::<8>() {
            *first = out.to_le_bytes();
        }
        let settings = Settings {
            seed: Some(seed),
            races: Check::Report,
            unwritten: Check::Report,
            step_limit: 2_000,
            ..Settings::default()
        };
        let shape =
            Launch { dynamic_shared: 32, globals: &globals, ..Launch::new(kernel, [2, 1, 1], [40, 1, 1], &params) };
        let _ = run(&shape, &mut memory, &settings);
    }
}

/// Words, numbers and signs of the kernel, which other places may not expect.
fn pieces() -> Vec<&'static str> {
    let mut pieces: Vec<&str> = SEED.split_inclusive([' ', ',', ';', '.', '[', ']', '{', '}']).collect();
    pieces.extend([
        "-1",
        "0x7fffffffffffffff",
        "9223372036854775808",
        "4294967296",
        "\u{e9}",
        "\"",
        "/*",
        "::",
        ".v4",
        ".wide",
        "%r<1>",
    ]);
    pieces
}

fn cases(count: u32) -> TestRunner {
    TestRunner::new(Config { cases: count, failure_persistence: None, ..Config::default() })
}

#[test]
fn the_kernel_itself_runs() {
    let module = ptx::parse(SEED, &Options::default()).unwrap();
    assert_eq!(module.kernels().len(), 1);
    try_it(SEED, 1);
}

#[test]
fn damaged_bytes() {
    let edits = prop::collection::vec((0..SEED.len(), any::<u8>(), 0..4u8), 1..6);
    cases(3000)
        .run(&(edits, 0..SEED.len() * 4), |(edits, cut)| {
            let mut bytes = SEED.as_bytes().to_vec();
            for (at, byte, what) in edits {
                let at = at % bytes.len().max(1);
                match what {
                    0 => bytes[at] = byte % 128,
                    1 => bytes.insert(at, byte % 128),
                    2 => drop(bytes.remove(at)),
                    _ => bytes[at] ^= 1 << (byte % 7),
                }
            }
            bytes.truncate(cut.max(1));
            try_it(&String::from_utf8_lossy(&bytes), 1);
            Ok(())
        })
        .unwrap();
}

#[test]
fn damaged_words() {
    let words = pieces();
    let count = SEED.split_inclusive(' ').count();
    let edits = prop::collection::vec((0..count, 0..words.len(), 0..4u8), 1..5);
    cases(3000)
        .run(&(edits, any::<u64>()), |(edits, seed)| {
            let mut text: Vec<&str> = SEED.split_inclusive(' ').collect();
            for (at, word, what) in edits {
                let at = at % text.len();
                match what {
                    0 => text[at] = words[word],
                    1 => text.insert(at, words[word]),
                    2 => drop(text.remove(at)),
                    _ => text.swap(at, word % count % (at + 1)),
                }
            }
            try_it(&text.concat(), seed);
            Ok(())
        })
        .unwrap();
}

#[test]
fn shuffled_statements() {
    let body = SEED.find("ld.param.u64").unwrap();
    let end = SEED.find("bar.sync").unwrap();
    let statements: Vec<&str> = SEED[body..end].split_inclusive(';').collect();
    let picks = prop::collection::vec(0..statements.len(), 1..60);
    cases(3000)
        .run(&(picks, any::<u64>()), |(picks, seed)| {
            let mut seen = std::collections::BTreeSet::new();
            // A label may stand only once.
            let chosen = picks.into_iter().filter(|p| !statements[*p].contains("$loop:") || seen.insert(*p));
            let middle: String = chosen.map(|p| statements[p]).collect();
            let loop_label = if seen.is_empty() { "$loop: " } else { "" };
            try_it(&format!("{}{loop_label}{middle}{}", &SEED[..body], &SEED[end - 10..]), seed);
            Ok(())
        })
        .unwrap();
}
