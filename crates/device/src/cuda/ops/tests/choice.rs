//! What is chosen, and that it fits the compiled kernels.

use std::collections::BTreeMap;

use weft_layout::{IndexWidth, Layout, Plan, ReducePlan};

use super::super::launch::{Family, Launch, Parameter};
use super::super::{accumulate, binary, convert, copy, fill};
use crate::element::DType;
use crate::ops::BinaryOp;

/// An address as a device gives it.
const AT: usize = 0x7000_0000_0000;

/// So far from the start that 32 bits do not reach.
const FAR: usize = 1 << 31;

fn layout(shape: &[usize], strides: &[isize], offset: usize) -> Layout {
    Layout::from_parts(shape, strides, offset).unwrap()
}

fn plan<const K: usize>(operands: [&Layout; K]) -> Plan<K> {
    Plan::new(operands).unwrap()
}

fn integers() -> impl Iterator<Item = DType> {
    DType::ALL.iter().copied().take_while(|dtype| *dtype != DType::F16)
}

/// A launch of every kernel there is, for operands that begin at `offset`.
fn of_every_kernel(offset: usize) -> Vec<Launch> {
    let mut launches = Vec::new();
    let every_second = layout(&[3], &[2], offset);
    let row = layout(&[64, 64], &[64, 1], offset);
    let column = row.t().unwrap();
    for bytes in [1, 2, 4, 8, 16] {
        launches.push(fill::launch(&plan([&every_second]), &vec![1; bytes], AT));
        launches.push(copy::launch(&plan([&every_second; 2]), bytes, AT, AT));
        launches.push(copy::launch(&plan([&row, &column]), bytes, AT, AT));
    }
    for &dtype in DType::ALL {
        launches.push(binary::launch(BinaryOp::Add, &plan([&every_second; 3]), dtype, [AT; 3]));
        launches.push(binary::launch(BinaryOp::Add, &plan([&row; 3]), dtype, [AT; 3]));
        if !matches!(dtype, DType::F32x4) {
            launches.push(convert::launch(&plan([&every_second; 2]), [DType::C64, dtype], [AT; 2]));
        }
        for (dst, src) in [
            (layout(&[5000, 3], &[0, 1], offset), layout(&[5000, 3], &[3, 1], offset)),
            (layout(&[3, 5000], &[1, 0], offset), layout(&[3, 5000], &[5000, 1], offset)),
        ] {
            let plan = ReducePlan::new(&dst, &src).unwrap();
            let cut = accumulate::Cut::new(&plan, plan.keep(), dtype);
            launches.push(cut.first(&plan, plan.keep(), dtype, [AT; 3]));
            launches.extend(cut.next().map(|next| next.tree(plan.keep(), dtype, [AT; 3])));
        }
    }
    launches.extend(integers().map(|dtype| binary::check(&plan([&every_second; 3]), dtype, [AT; 2], AT)));
    launches
}

/// The kernels of a module: their parameters, and how many threads their blocks have.
fn declared(ptx: &str) -> BTreeMap<String, (Vec<Parameter>, u32)> {
    let mut kernels = BTreeMap::new();
    for kernel in ptx.split(".visible .entry ").skip(1) {
        let (name, rest) = kernel.split_once('(').unwrap();
        let (parameters, rest) = rest.split_once(')').unwrap();
        let threads = rest.split_once(".maxntid ").unwrap().1.lines().next().unwrap();
        let threads = threads.split(", ").map(|n| n.trim().parse::<u32>().unwrap()).product();
        kernels.insert(name.to_owned(), (parameters.split(',').map(parameter).collect(), threads));
    }
    kernels
}

/// `.param .align 4 .b8 name[192]` or `.param .u64 name`.
fn parameter(text: &str) -> Parameter {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        [".param", ".align", align, ".b8", name] => {
            let size = name.split_once('[').unwrap().1.trim_end_matches(']');
            Parameter { size: size.parse().unwrap(), align: align.parse().unwrap() }
        }
        [".param", number, _] => {
            let size = number[2..].parse::<usize>().unwrap() / 8;
            Parameter { size, align: size }
        }
        _ => panic!("{text}"),
    }
}

#[test]
fn every_kernel_declares_what_its_launches_pass() {
    for (index, offset) in [(IndexWidth::U32, 0), (IndexWidth::U64, FAR)] {
        let mut kernels: BTreeMap<_, _> = Family::ALL.iter().flat_map(|f| declared(f.ptx(index))).collect();
        let declared = kernels.clone();
        for launch in of_every_kernel(offset) {
            assert_eq!(launch.index, index, "{launch}");
            assert!(launch.family.ptx(index).contains(&launch.entry), "{launch}");
            let (parameters, threads) = &declared[&launch.entry];
            assert_eq!(launch.args.parameters().collect::<Vec<_>>(), *parameters, "{launch}");
            assert_eq!(launch.block.iter().product::<u32>(), *threads, "{launch}");
            kernels.remove(&launch.entry);
        }
        assert!(kernels.is_empty(), "never launched: {:?}", kernels.keys());
    }
}

#[test]
fn copies_take_the_widest_form() {
    let cases = [
        ("contiguous", layout(&[1000], &[1], 0), layout(&[1000], &[1], 0)),
        ("contiguous, an odd length", layout(&[1001], &[1], 0), layout(&[1001], &[1], 0)),
        ("rows of 8 bytes apart", layout(&[6, 10], &[10, 1], 0), layout(&[6, 10], &[12, 1], 2)),
        ("rows that begin anywhere", layout(&[6, 8], &[8, 1], 0), layout(&[6, 8], &[9, 1], 0)),
        ("every second element", layout(&[100], &[1], 0), layout(&[100], &[2], 0)),
        ("reversed", layout(&[100], &[1], 0), layout(&[100], &[-1], 99)),
        ("one number for all", layout(&[100], &[1], 0), layout(&[100], &[0], 0)),
        ("transposed", layout(&[70, 50], &[50, 1], 0), layout(&[70, 50], &[1, 70], 0)),
        ("transposed and flipped", layout(&[70, 50], &[50, 1], 0), layout(&[70, 50], &[-1, 70], 69)),
        ("a batch of transposed", layout(&[5, 70, 50], &[3500, 50, 1], 0), layout(&[5, 70, 50], &[3500, 1, 70], 0)),
        ("transposed, too thin for tiles", layout(&[8, 500], &[500, 1], 0), layout(&[8, 500], &[1, 8], 0)),
        ("pixels of 16 bytes transposed", layout(&[40, 50, 4], &[200, 4, 1], 0), layout(&[40, 50, 4], &[4, 160, 1], 0)),
        ("more than 2^31", layout(&[3_000_000_001], &[1], 0), layout(&[3_000_000_001], &[0], 0)),
        ("more than 2^31, wide", layout(&[1 << 33], &[1], 0), layout(&[1 << 33], &[1], 0)),
    ];
    let mut text = String::new();
    for (name, dst, src) in cases {
        text += &format!("{name}: {}\n", copy::launch(&plan([&dst, &src]), 4, AT, AT));
    }
    insta::assert_snapshot!(text, @r"
contiguous: weft_copy_b16_i32<<<1, 256>>>
contiguous, an odd length: weft_copy_b4_i32<<<4, 256>>>
rows of 8 bytes apart: weft_copy_b8_i32<<<1, 256>>>
rows that begin anywhere: weft_copy_b4_i32<<<1, 256>>>
every second element: weft_copy_b4_i32<<<1, 256>>>
reversed: weft_copy_b4_i32<<<1, 256>>>
one number for all: weft_copy_b4_i32<<<1, 256>>>
transposed: weft_transpose_b4_i32<<<6, 32x8>>>
transposed and flipped: weft_transpose_b4_i32<<<6, 32x8>>>
a batch of transposed: weft_transpose_b4_i32<<<30, 32x8>>>
transposed, too thin for tiles: weft_copy_b4_i32<<<16, 256>>>
pixels of 16 bytes transposed: weft_transpose_b16_i32<<<4, 32x8>>>
more than 2^31: weft_copy_b4_i64<<<65536, 256>>>
more than 2^31, wide: weft_copy_b16_i64<<<65536, 256>>>
");
}

#[test]
fn fills_and_operations_take_the_widest_form() {
    let (row, odd, far) = (layout(&[64], &[1], 0), layout(&[63], &[1], 1), layout(&[64], &[1], FAR));
    let mut text = String::new();
    for dtype in [DType::U8, DType::F16, DType::F32, DType::C32, DType::C64] {
        for l in [&row, &odd, &far] {
            let (fill, binary) = (fill::launch(&plan([l]), &vec![7; dtype.size()], AT), [l; 3]);
            text += &format!("{dtype} {l}: {fill} {}\n", binary::launch(BinaryOp::Mul, &plan(binary), dtype, [AT; 3]));
        }
    }
    let scalar = layout(&[64], &[0], 0);
    text +=
        &format!("a scalar: {}\n", binary::launch(BinaryOp::Mul, &plan([&row, &row, &scalar]), DType::F32, [AT; 3]));
    text += &format!("an address: {}", fill::launch(&plan([&row]), &[7; 4], AT + 8));
    insta::assert_snapshot!(text, @r"
u8 (64):(1)@0: weft_fill_b16_i32<<<1, 256>>> weft_binary_u8_i32<<<1, 256>>>
u8 (63):(1)@1: weft_fill_b1_i32<<<1, 256>>> weft_binary_u8_i32<<<1, 256>>>
u8 (64):(1)@2147483648: weft_fill_b16_i64<<<1, 256>>> weft_binary_u8_i64<<<1, 256>>>
f16 (64):(1)@0: weft_fill_b16_i32<<<1, 256>>> weft_binary_f16x8_i32<<<1, 256>>>
f16 (63):(1)@1: weft_fill_b2_i32<<<1, 256>>> weft_binary_f16_i32<<<1, 256>>>
f16 (64):(1)@2147483648: weft_fill_b16_i64<<<1, 256>>> weft_binary_f16x8_i64<<<1, 256>>>
f32 (64):(1)@0: weft_fill_b16_i32<<<1, 256>>> weft_binary_f32x4_i32<<<1, 256>>>
f32 (63):(1)@1: weft_fill_b4_i32<<<1, 256>>> weft_binary_f32_i32<<<1, 256>>>
f32 (64):(1)@2147483648: weft_fill_b16_i64<<<1, 256>>> weft_binary_f32x4_i64<<<1, 256>>>
c32 (64):(1)@0: weft_fill_b16_i32<<<1, 256>>> weft_binary_c32_i32<<<1, 256>>>
c32 (63):(1)@1: weft_fill_b8_i32<<<1, 256>>> weft_binary_c32_i32<<<1, 256>>>
c32 (64):(1)@2147483648: weft_fill_b16_i64<<<1, 256>>> weft_binary_c32_i64<<<1, 256>>>
c64 (64):(1)@0: weft_fill_b16_i32<<<1, 256>>> weft_binary_c64_i32<<<1, 256>>>
c64 (63):(1)@1: weft_fill_b16_i32<<<1, 256>>> weft_binary_c64_i32<<<1, 256>>>
c64 (64):(1)@2147483648: weft_fill_b16_i64<<<1, 256>>> weft_binary_c64_i64<<<1, 256>>>
a scalar: weft_binary_f32_i32<<<1, 256>>>
an address: weft_fill_b8_i32<<<1, 256>>>
");
}

#[test]
fn sums_are_cut_for_the_threads_there_are() {
    let columns = |rows: usize, columns: usize| {
        let src = layout(&[rows, columns], &[columns as isize, 1], 0);
        ReducePlan::new(&layout(&[rows, columns], &[0, 1], 0), &src).unwrap()
    };
    let rows = |rows: usize, columns: usize| {
        let src = layout(&[rows, columns], &[columns as isize, 1], 0);
        ReducePlan::new(&layout(&[rows, columns], &[1, 0], 0), &src).unwrap()
    };
    let cases = [
        ("no sum", columns(1, 1000)),
        ("short sums of columns", columns(30, 1000)),
        ("long sums of columns", columns(100_000, 100)),
        ("long sums of many columns", columns(1000, 100_000)),
        ("short sums of rows", rows(1000, 100)),
        ("long sums of rows", rows(1000, 2000)),
        ("very long sums of rows", rows(2, 5_000_000)),
        ("one sum of all", rows(1, 1 << 28)),
    ];
    let mut text = String::new();
    for (name, plan) in cases {
        let mut cut = accumulate::Cut::new(&plan, plan.keep(), DType::F32);
        text += &format!("{name}: {}", cut.first(&plan, plan.keep(), DType::F32, [AT; 3]));
        while let Some(next) = cut.next() {
            text += &format!(", {} sums, {}", cut.partial_sums(), next.tree(plan.keep(), DType::F32, [AT; 3]));
            cut = next;
        }
        text += "\n";
    }
    insta::assert_snapshot!(text, @r"
no sum: weft_accumulate_f32_i32<<<4, 256>>>
short sums of columns: weft_accumulate_f32_i32<<<4, 256>>>
long sums of columns: weft_accumulate_f32_i32<<<39, 256>>>, 9800 sums, weft_accumulate_tree_f32_i32<<<1, 256>>>, 200 sums, weft_accumulate_tree_f32_i32<<<1, 256>>>
long sums of many columns: weft_accumulate_f32_i32<<<391, 256>>>
short sums of rows: weft_accumulate_f32_i32<<<4, 256>>>
long sums of rows: weft_accumulate_block_f32_i32<<<1000, 256>>>
very long sums of rows: weft_accumulate_block_f32_i32<<<2442, 256>>>, 2442 sums, weft_accumulate_tree_f32_i32<<<1, 256>>>, 40 sums, weft_accumulate_tree_f32_i32<<<1, 256>>>
one sum of all: weft_accumulate_block_f32_i32<<<65536, 256>>>, 65536 sums, weft_accumulate_tree_f32_i32<<<4, 256>>>, 1024 sums, weft_accumulate_tree_f32_i32<<<1, 256>>>, 16 sums, weft_accumulate_tree_f32_i32<<<1, 256>>>
");
}
