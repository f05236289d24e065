//! Runs an instruction over many values at once and compares with a Rust function.

use weft_cuda_sim::exec::{Launch, Outcome, Settings, run};
use weft_cuda_sim::memory::Memory;
use weft_cuda_sim::ptx::{self, Module, Options};

/// A module with the usual head.
#[track_caller]
pub(crate) fn module(text: &str) -> Module {
    let text = format!(".version 8.4\n.target sm_70\n.address_size 64\n{text}");
    ptx::parse(&text, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A kernel `k` with parameters `out` and `in`, registers of every width, and this body. `%rd1` and `%rd2` hold the two.
#[track_caller]
pub(crate) fn kernel(body: &str) -> Module {
    module(&format!(
        ".visible .entry k(.param .u64 out, .param .u64 in) {{
            .reg .pred %p<10>; .reg .b16 %rs<10>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
            ld.param.u64 %rd1, [out];
            ld.param.u64 %rd2, [in];
            {body}
            ret;
        }}"
    ))
}

/// What a run of `k` left in `out`, and what came of it.
pub(crate) struct Ran {
    pub(crate) out: Vec<u64>,
    pub(crate) outcome: Outcome,
}

/// Runs kernel `k` with `count` 64-bit numbers of output, which start as zeros.
pub(crate) fn launch(module: &Module, grid: u32, block: u32, input: &[u64], count: usize, settings: &Settings) -> Ran {
    let mut memory = Memory::new();
    let out = memory.alloc(count.max(1) as u64 * 8).unwrap();
    memory.fill(out, &[0], count.max(1) as u64 * 8).unwrap();
    let given = memory.alloc(input.len().max(1) as u64 * 8).unwrap();
    memory.write(given, &input.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
    let params = [out.to_le_bytes(), given.to_le_bytes()].concat();
    let kernel = module.kernel("k").unwrap();
    let outcome = run(&Launch::new(kernel, [grid, 1, 1], [block, 1, 1], &params), &mut memory, settings);
    let mut bytes = vec![0; count * 8];
    memory.read(out, &mut bytes).unwrap();
    let out = bytes.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect();
    Ran { out, outcome }
}

/// Runs a body in one block and gives the output, which must come without a fault.
#[track_caller]
pub(crate) fn output(body: &str, block: u32, input: &[u64], count: usize) -> Vec<u64> {
    let ran = launch(&kernel(body), 1, block, input, count, &Settings::default());
    assert_eq!(ran.outcome.fault, None);
    ran.out
}

/// Stores the 64-bit register `value` at the place of the thread in `out`.
pub(crate) fn store_at_thread(value: &str) -> String {
    format!(
        "mov.u32 %r19, %tid.x; mul.wide.u32 %rd19, %r19, 8; add.s64 %rd19, %rd1, %rd19;
         st.global.u64 [%rd19], {value};"
    )
}

/// Values at which integers of that many bits do something.
pub(crate) fn integers(bits: u32) -> Vec<u64> {
    let mask = u64::MAX >> (64 - bits);
    let top = 1u64 << (bits - 1);
    let mut all = vec![0, 1, 2, 3, 7, 8, 31, 33, 100, top - 1, top, top + 1, top + 12345, mask, mask - 1];
    all.extend([0x0123_4567_89ab_cdef & mask, 0xfedc_ba98_7654_3210 & mask, 0x5555_5555_5555_5555 & mask]);
    all.iter_mut().for_each(|v| *v &= mask);
    all
}

/// Bits of floats at which something happens.
pub(crate) fn singles() -> Vec<u64> {
    let values = [0.0, -0.0, 1.0, -1.5, 2.5, 3.0, 0.1, 1e-3, 16_777_217.0, 3e9, -3e9, 1e20, f32::MAX, f32::INFINITY];
    let mut all: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
    // Subnormal numbers, the least normal one, and a NaN with a payload and a sign.
    all.extend([1, 0x0040_0000, 0x807f_ffff, 0x0080_0000, 0x7fc0_0000, 0xffa0_1234, 0xff80_0000]);
    all.into_iter().map(u64::from).collect()
}

pub(crate) fn doubles() -> Vec<u64> {
    let values = [0.0, -0.0, 1.0, -1.5, 2.5, 3.0, 0.1, 1e-3, 4_503_599_627_370_497.5, 3e9, -3e9, 1e30, f64::MAX];
    let mut all: Vec<u64> = values.iter().map(|v: &f64| v.to_bits()).collect();
    all.extend([1, 1 << 51, f64::INFINITY.to_bits(), f64::NEG_INFINITY.to_bits(), f64::NAN.to_bits()]);
    all.extend([0x7ff4_0000_0000_1234, 0xfff8_0000_0000_0001, 1e-310f64.to_bits(), 1e-45f64.to_bits()]);
    all
}

/// Every choice of one value from each list.
fn combinations(lists: &[Vec<u64>]) -> Vec<Vec<u64>> {
    lists.iter().fold(vec![Vec::new()], |rows, list| {
        rows.iter().flat_map(|row| list.iter().map(move |v| row.iter().copied().chain([*v]).collect())).collect()
    })
}

/// Runs one instruction, written with `$d` for its result (`bits` wide; 1 for a predicate) and `$a`, `$b`, `$c`, `$e` for its
/// operands (with their widths and the values to try), and compares with `expected` on every combination.
#[track_caller]
pub(crate) fn check(instruction: &str, bits: u32, operands: &[(u32, Vec<u64>)], expected: impl Fn(&[u64]) -> u64) {
    let rows = combinations(&operands.iter().map(|o| o.1.clone()).collect::<Vec<_>>());
    let register = |bits: u32, n: usize| match bits {
        1 => format!("%p{n}"),
        8 | 16 => format!("%rs{n}"),
        32 => format!("%r{n}"),
        _ => format!("%rd{}", n + 2),
    };
    let mut text = instruction.replace("$d", &register(bits, 5));
    let mut load = String::new();
    for (i, (bits, _)) in operands.iter().enumerate() {
        let name = register(*bits, i + 1);
        text = text.replace(["$a", "$b", "$c", "$e"][i], &name);
        let offset = i * 8;
        load += &match bits {
            1 => format!("ld.global.u64 %rd17, [%rd18+{offset}]; setp.ne.s64 {name}, %rd17, 0;"),
            8 | 16 => format!("ld.global.u16 {name}, [%rd18+{offset}];"),
            32 => format!("ld.global.u32 {name}, [%rd18+{offset}];"),
            _ => format!("ld.global.u64 {name}, [%rd18+{offset}];"),
        };
    }
    let result = match bits {
        1 => "selp.b64 %rd16, 1, 0, %p5;",
        8 | 16 => "cvt.u64.u16 %rd16, %rs5;",
        32 => "cvt.u64.u32 %rd16, %r5;",
        _ => "mov.b64 %rd16, %rd7;",
    };
    let width = operands.len().max(1) * 8;
    let body = format!(
        "mov.u32 %r17, %ctaid.x; mov.u32 %r18, %tid.x; mad.lo.s32 %r17, %r17, 64, %r18;
         setp.ge.u32 %p9, %r17, {rows}; @%p9 ret;
         mul.wide.u32 %rd18, %r17, {width}; add.s64 %rd18, %rd2, %rd18;
         {load}
         {text}
         {result}
         mul.wide.u32 %rd15, %r17, 8; add.s64 %rd15, %rd1, %rd15; st.global.u64 [%rd15], %rd16;",
        rows = rows.len()
    );
    let grid = rows.len().div_ceil(64) as u32;
    let ran = launch(&kernel(&body), grid, 64, &rows.concat(), rows.len(), &Settings::default());
    assert_eq!(ran.outcome.fault, None, "{instruction}");
    for (row, got) in rows.iter().zip(ran.out) {
        let wanted = expected(row);
        assert!(got == wanted, "{instruction} of {row:#x?} is {got:#x}, expected {wanted:#x}");
    }
}
