//! Launches: limits, parameters, faults and what they do to the context.

use core::ffi::CStr;
use core::ptr::null_mut;

use weft_cuda_sim::exec::{Blocks, Check};
use weft_cuda_sim::{Config, Streams, Trace, choose_blocks, faults, report, set_trace, take_faults, take_trace};

use crate::raw::*;

/// `twice` doubles a value of a list for each thread, `mix` takes parameters of all sizes, `few` takes blocks of 64 threads
/// at most, `loads` reads shared memory that nobody wrote, `races` lets all threads of a block write one place.
pub(crate) const PTX: &CStr = c"
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .u32 counter = 5;
.visible .entry twice(.param .u64 list)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [list];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r5, [%rd3];
    add.s32 %r6, %r5, %r5;
    st.global.u32 [%rd3], %r6;
    ret;
}
.visible .entry mix(.param .u64 to, .param .u8 a, .param .u32 b, .param .align 8 .b8 c[16])
{
    .reg .b16 %rs<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [to];
    ld.param.u8 %rs1, [a];
    cvt.u32.u16 %r1, %rs1;
    ld.param.u32 %r2, [b];
    ld.param.u64 %rd2, [c];
    ld.param.u64 %rd3, [c+8];
    st.global.u32 [%rd1], %r1;
    st.global.u32 [%rd1+4], %r2;
    st.global.u64 [%rd1+8], %rd2;
    st.global.u64 [%rd1+16], %rd3;
    ret;
}
.visible .entry few() .maxntid 64, 1, 1
{
    .shared .align 4 .b8 buffer[1024];
    ret;
}
.visible .entry races(.param .u64 to)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd1], %r1;
    ret;
}
";

/// Uploads 0, 1, 2, …
fn list(count: u32) -> u64 {
    let values: Vec<u32> = (0..count).collect();
    let place = alloc(4 * count as usize);
    upload(place, &values);
    place
}

fn values(from: u64, count: usize) -> Vec<u32> {
    let bytes = download(from, 4 * count);
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}

#[test]
fn a_kernel_runs() {
    let (_turn, _) = started(Config::default());
    let twice = function(load(PTX), c"twice");
    let mut a = list(64);
    assert_eq!(launch(twice, 2, 32, NULL, &mut [argument(&mut a)]), 0);
    assert_eq!(values(a, 64), (0..64).map(|i| 2 * i).collect::<Vec<u32>>());
    let found = report();
    assert_eq!((found.launches, found.faults, found.instructions), (1, 0, 64 * 11), "{:?}", faults());
}

#[test]
fn parameters_are_as_long_as_the_kernel_says() {
    let (_turn, _) = started(Config::default());
    let mix = function(load(PTX), c"mix");
    let (mut to, mut a, mut b, mut c) = (alloc(24), 0xff_u8, 0xdead_beef_u32, [1_u64, u64::MAX]);
    let mut list = [argument(&mut to), argument(&mut a), argument(&mut b), argument(&mut c)];
    assert_eq!(launch(mix, 1, 1, NULL, &mut list), 0);
    assert_eq!(values(to, 6), [0xff, 0xdead_beef, 1, 0, u32::MAX, u32::MAX], "{:?}", faults());
}

#[test]
fn what_a_launch_may_not_be() {
    let (_turn, _) = started(Config::default());
    let module = load(PTX);
    let (few, twice) = (function(module, c"few"), function(module, c"twice"));
    let mut table = String::new();
    let mut row = |case: &str, f: Ptr, grid: [u32; 3], block: [u32; 3], shared: u32, stream: Ptr| {
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        let code = cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, null_mut(), null_mut());
        table.push_str(&format!("{case:<50} {code:>3}\n"));
    };
    row("", few, [1; 3], [64, 1, 1], 0, NULL);
    row("a function that is none", 0x40 as Ptr, [1; 3], [1; 3], 0, NULL);
    row("a stream that is none", few, [1; 3], [1; 3], 0, 0x40 as Ptr);
    row("no blocks", few, [1, 0, 1], [1; 3], 0, NULL);
    row("no threads", few, [1; 3], [1, 1, 0], 0, NULL);
    row("a grid as large as it can be along y", few, [1, 65535, 1], [1; 3], 0, NULL);
    row("a grid that is too large along y", few, [1, 65536, 1], [1; 3], 0, NULL);
    row("a grid that is too large along x", few, [1 << 31, 1, 1], [1; 3], 0, NULL);
    row("a block that is too large along z", few, [1; 3], [1, 1, 65], 0, NULL);
    row("more than 1024 threads", few, [1; 3], [32, 33, 1], 0, NULL);
    row("more threads than .maxntid", few, [1; 3], [65, 1, 1], 0, NULL);
    row("all the shared memory that there is", few, [1; 3], [1; 3], (48 << 10) - 1024, NULL);
    row("more shared memory than there is", few, [1; 3], [1; 3], (48 << 10) - 1023, NULL);
    assert_eq!(cuFuncSetAttribute(few, 8, (163 << 10) - 1024), 0);
    row("more, after cuFuncSetAttribute", few, [1; 3], [1; 3], (163 << 10) - 1024, NULL);
    row("no parameters where there is one", twice, [1; 3], [1; 3], 0, NULL);
    retain(1);
    row("a kernel of another device", few, [1; 3], [1; 3], 0, NULL);
    let s = stream();
    cuDevicePrimaryCtxRetain(&mut null_mut(), 0);
    let other = function(load(PTX), c"few");
    row("", other, [1; 3], [1; 3], 0, s);
    retain(0);
    row("a stream of another device", few, [1; 3], [1; 3], 0, s);
    insta::assert_snapshot!("what_a_launch_may_not_be", table);
    let mut extra = [NULL];
    let code = cuLaunchKernel(few, 1, 1, 1, 1, 1, 1, 0, NULL, null_mut(), extra.as_mut_ptr());
    assert_eq!(code, 1, "parameters packed by the program are not served");
    assert_eq!(launch(twice, 1, 1, NULL, &mut [NULL]), 1, "a parameter that is null");
}

#[test]
fn attributes_of_kernels() {
    let (_turn, _) = started(Config::default());
    let module = load(PTX);
    let few = function(module, c"few");
    let attribute = |a| ask::<i32>(|v| cuFuncGetAttribute(v, a, few));
    assert_eq!([0, 1, 3, 8, 9].map(attribute), [64, 1024, 0, 47 << 10, -1]);
    assert_eq!(cuFuncGetAttribute(&mut 0, 77, few), 1);
    assert_eq!(cuFuncGetAttribute(&mut 0, 0, NULL), 400);
    assert_eq!(
        [cuFuncSetAttribute(few, 8, -1), cuFuncSetAttribute(few, 8, 163 << 10), cuFuncSetAttribute(few, 0, 1)],
        [1; 3]
    );
    assert_eq!([cuFuncSetAttribute(few, 9, 50), cuFuncSetAttribute(few, 9, 101)], [0, 1]);
    assert_eq!(
        [cuFuncSetCacheConfig(few, 1), cuFuncSetCacheConfig(few, 4), cuFuncSetSharedMemConfig(few, 3)],
        [0, 1, 1]
    );
    assert_eq!(ask::<Ptr>(|m| cuFuncGetModule(m, few)), module);
    let mut grid = 0;
    assert_eq!((ask::<i32>(|b| cuOccupancyMaxPotentialBlockSize(&mut grid, b, few, NULL, 0, 0)), grid), (64, 4 * 32));
    let twice = function(module, c"twice");
    let best = |limit| ask::<i32>(|b| cuOccupancyMaxPotentialBlockSize(&mut 0, b, twice, NULL, 0, limit));
    assert_eq!([0, 100, 5000].map(best), [1024, 100, 1024]);
    let blocks =
        |threads, shared| ask::<i32>(|n| cuOccupancyMaxActiveBlocksPerMultiprocessor(n, twice, threads, shared));
    assert_eq!([blocks(1, 0), blocks(33, 0), blocks(256, 0), blocks(1024, 0), blocks(1025, 0)], [32, 32, 8, 2, 0]);
    assert_eq!([blocks(32, 48 << 10), blocks(32, 164 << 10), blocks(32, usize::MAX)], [3, 0, 0]);
    assert_eq!(cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut 0, twice, 0, 0), 1);
    assert_eq!(ask::<usize>(|n| cuOccupancyAvailableDynamicSMemPerBlock(n, twice, 2, 128)), 81 << 10);
    assert_eq!(cuOccupancyAvailableDynamicSMemPerBlock(&mut 0, twice, 33, 128), 1);
}

/// A launch succeeds, the fault comes with the next call and stays until the device is reset, and is written down.
#[test]
fn a_fault_breaks_the_context_until_it_is_reset() {
    let (_turn, _) = started(Config::default());
    let twice = function(load(PTX), c"twice");
    let mut a = list(16);
    let other = alloc(4);
    assert_eq!(launch(twice, 1, 17, NULL, &mut [argument(&mut a)]), 0);
    assert_eq!([cuCtxSynchronize(), cuCtxSynchronize()], [700, 700]);
    assert_eq!([cuMemAlloc_v2(&mut 0, 4), cuMemFree_v2(other), cuStreamSynchronize(NULL)], [700; 3]);
    assert_eq!(cuMemcpyDtoH_v2([0_u8; 4].as_mut_ptr().cast(), a, 4), 700);
    assert_eq!(ask::<usize>(|t| cuDeviceTotalMem_v2(t, 0)), 1 << 30, "calls about devices still work");
    retain(1);
    assert_eq!(cuCtxSynchronize(), 0, "and so does the other device");
    let texts = faults();
    assert_eq!(texts.len(), 1, "{texts:?}");
    insta::assert_snapshot!(texts[0]);
    let left = report();
    let own: Vec<u64> = left.own_leaks().filter(|l| l.bytes > 0).map(|l| l.address).collect();
    assert_eq!(own, [a], "what could not be freed because of the fault is not the program's leak");
    assert_eq!(cuDevicePrimaryCtxReset_v2(0), 0);
    retain(0);
    assert_eq!(cuCtxSynchronize(), 0);
}

#[test]
fn memory_of_another_device_is_out_of_reach() {
    let (_turn, _) = started(Config::default());
    let mut a = list(1);
    retain(1);
    let twice = function(load(PTX), c"twice");
    assert_eq!(launch(twice, 1, 1, NULL, &mut [argument(&mut a)]), 0);
    assert_eq!(cuCtxSynchronize(), 700);
}

/// Deferred, a fault comes at the call that runs the launch, and the work behind it is gone.
#[test]
fn a_deferred_fault() {
    let (_turn, _) = started(Config { streams: Streams::Deferred, ..Config::default() });
    let twice = function(load(PTX), c"twice");
    let (mut a, s) = (list(1), stream());
    assert_eq!(launch(twice, 1, 2, s, &mut [argument(&mut a)]), 0);
    assert_eq!(cuMemsetD8Async(a, 0, 4, s), 0);
    assert_eq!((report().pending, faults().len()), (2, 0));
    assert_eq!(cuStreamSynchronize(s), 700);
    assert_eq!(report().pending, 0);
}

/// Parameters are taken at the launch, whatever happens to them before it runs.
#[test]
fn a_deferred_launch_keeps_its_parameters_and_its_module() {
    let (_turn, _) = started(Config { streams: Streams::Deferred, ..Config::default() });
    let module = load(PTX);
    let twice = function(module, c"twice");
    let (a, s) = (list(4), stream());
    let mut parameter = a;
    assert_eq!(launch(twice, 1, 4, s, &mut [argument(&mut parameter)]), 0);
    parameter = 0;
    assert_eq!((report().pending, parameter), (1, 0));
    assert_eq!(cuModuleUnload(module), 0, "waits for the launch");
    assert_eq!(report().pending, 0);
    assert_eq!(values(a, 4), [0, 2, 4, 6]);
    assert_eq!(launch(twice, 1, 4, s, &mut [argument(&mut parameter)]), 400);
}

#[test]
fn a_race_is_written_down_and_breaks_nothing() {
    let (_turn, _) = started(Config { races: Check::Report, ..Config::default() });
    let races = function(load(PTX), c"races");
    let mut a = alloc(4);
    assert_eq!(launch(races, 1, 2, NULL, &mut [argument(&mut a)]), 0);
    assert_eq!(cuCtxSynchronize(), 0);
    insta::assert_snapshot!(take_faults().join("\n"));
    assert_eq!(launch(races, 1, 1, NULL, &mut [argument(&mut a)]), 0);
    assert_eq!(take_faults(), [""; 0]);
}

#[test]
fn memory_that_nobody_wrote() {
    let (_turn, _) = started(Config { unwritten: Check::Report, ..Config::default() });
    let twice = function(load(PTX), c"twice");
    let mut a = alloc(4);
    assert_eq!(launch(twice, 1, 1, NULL, &mut [argument(&mut a)]), 0);
    assert_eq!(cuCtxSynchronize(), 0);
    insta::assert_snapshot!(take_faults().join("\n"));
}

/// Virtual memory and chosen blocks: the far end of a launch over 2^33 bytes.
#[test]
fn chosen_blocks_of_a_launch_that_nobody_could_run() {
    let (_turn, _) = started(Config { virtual_from: 1 << 32, ..Config::default() });
    let twice = function(load(PTX), c"twice");
    let mut a = alloc(1 << 33);
    upload(a + (1 << 33) - 4, &[21_u32]);
    choose_blocks(Blocks::Only(vec![[(1 << 21) - 1, 0, 0]]));
    assert_eq!(launch(twice, 1 << 21, 1024, NULL, &mut [argument(&mut a)]), 0);
    assert_eq!(values(a + (1 << 33) - 4, 1), [42], "{:?}", faults());
}

#[test]
fn the_trace_names_the_kernel() {
    let (_turn, _) = started(Config::default());
    let twice = function(load(PTX), c"twice");
    let mut a = list(32);
    set_trace(Trace::Kept);
    assert_eq!(launch(twice, 1, 32, NULL, &mut [argument(&mut a)]), 0);
    let text = take_trace()[0].to_string();
    let (_, text) = text.split_once(", ").unwrap();
    assert_eq!(
        text,
        "grid_x: 1, grid_y: 1, grid_z: 1, block_x: 32, block_y: 1, block_z: 1, shared: 0, stream: 0, parameters: host, \
         extra: 0) = 0 [twice]"
    );
}
