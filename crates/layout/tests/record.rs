//! Records against the compiler's own `#[repr(C)]`, and the numbers of the books.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use core::mem::offset_of;
use insta::assert_snapshot;
use proptest::prelude::*;
use weft_layout::record::{Field, Record};

const CHAR: Field = Field::of::<i8>();
const SHORT: Field = Field::of::<i16>();
const INT: Field = Field::of::<i32>();
const FLOAT: Field = Field::of::<f32>();
const DOUBLE: Field = Field::of::<f64>();
const POINTER: Field = Field::of::<*const u8>();

/// Declares a C struct and compares the record of the same fields with what the compiler made of it.
macro_rules! compare {
    ($(#[$repr:meta])+ $record:expr, { $($field:ident: $t:ty),* $(,)? }) => {{
        $(#[$repr])+
        #[allow(dead_code, reason = "only its layout is of interest")]
        struct Declared { $($field: $t),* }
        let record = $record([$(Field::of::<$t>()),*]).unwrap();
        assert_eq!(record.offsets(), &[$(offset_of!(Declared, $field)),*] as &[usize; _], stringify!($($t),*));
        assert_eq!(record.as_field(), Field::of::<Declared>(), stringify!($($t),*));
    }};
}

#[allow(dead_code, reason = "only their layouts are of interest")]
mod declared {
    #[repr(C)]
    pub(crate) struct Pair {
        a: i16,
        b: f32,
    }
    #[repr(C, align(16))]
    pub(crate) struct Float4([f32; 4]);
    #[repr(C, packed(2))]
    pub(crate) struct Squeezed {
        a: u8,
        b: u32,
    }
    #[repr(C)]
    pub(crate) struct Nothing;
}
use declared::{Float4, Nothing, Pair, Squeezed};

#[test]
fn repr_c() {
    compare!(#[repr(C)] Record::new, { a: i8, b: i32, c: i8, d: i32 });
    compare!(#[repr(C)] Record::new, { a: i32, b: i32, c: i8, d: i8 });
    compare!(#[repr(C)] Record::new, { a: f64, b: i8, c: f64 });
    compare!(#[repr(C)] Record::new, { a: f64, b: f64, c: i8 });
    compare!(#[repr(C)] Record::new, { a: u8 });
    compare!(#[repr(C)] Record::new, { a: u8, b: u16, c: u32, d: u64, e: u8 });
    compare!(#[repr(C)] Record::new, { a: u64, b: u8, c: u16, d: u8, e: u32, f: u8 });
    compare!(#[repr(C)] Record::new, { a: bool, b: char, c: usize, d: *const u8, e: u128, f: i8 });
}

#[test]
fn nested_and_arrays() {
    compare!(#[repr(C)] Record::new, { a: i8, b: [Pair; 2] });
    compare!(#[repr(C)] Record::new, { a: i8, b: Float4, c: i8 });
    compare!(#[repr(C)] Record::new, { a: i8, b: Squeezed, c: i8, d: Pair });
    compare!(#[repr(C)] Record::new, { a: [u16; 3], b: [u8; 5], c: [[u32; 2]; 3], d: u8 });
    compare!(#[repr(C)] Record::new, { a: i8, b: [f64; 0], c: i8 });
    compare!(#[repr(C)] Record::new, { a: i8, b: Nothing, c: i16 });
    assert_eq!(Record::new([]).unwrap().as_field(), Field::of::<Nothing>());
    assert_eq!(INT.array(2).unwrap().array(3).unwrap(), Field::of::<[[i32; 2]; 3]>());
    assert_eq!(DOUBLE.array(0).unwrap(), Field::of::<[f64; 0]>());
}

#[test]
fn packed() {
    compare!(#[repr(C, packed(1))] |fields| Record::packed(fields, 1), { a: u8, b: u32, c: u16, d: u64, e: u8 });
    compare!(#[repr(C, packed(2))] |fields| Record::packed(fields, 2), { a: u8, b: u32, c: u16, d: u64, e: u8 });
    compare!(#[repr(C, packed(4))] |fields| Record::packed(fields, 4), { a: u8, b: u32, c: u16, d: u64, e: u8 });
    compare!(#[repr(C, packed(8))] |fields| Record::packed(fields, 8), { a: u8, b: u32, c: u16, d: u64, e: u8 });
    compare!(#[repr(C, packed(16))] |fields| Record::packed(fields, 16), { a: u8, b: u32, c: u16, d: u64, e: u8 });
    compare!(#[repr(C, packed(2))] |fields| Record::packed(fields, 2), { a: u8, b: [Pair; 3], c: u8 });
}

/// The offsets by the textbook: try every byte until one is aligned.
fn naive(fields: &[(usize, usize)], pack: usize) -> (Vec<usize>, usize, usize) {
    let (mut end, mut align, mut offsets) = (0, 1, Vec::new());
    for &(size, own) in fields {
        let own = own.min(pack);
        let start = (end..).find(|start| start % own == 0).unwrap();
        offsets.push(start);
        (end, align) = (start + size, align.max(own));
    }
    (offsets, (end..).find(|size| size % align == 0).unwrap(), align)
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![vec![]];
    }
    let shorter = permutations(n - 1);
    (0..n)
        .flat_map(|at| {
            shorter.iter().map(move |rest| {
                let mut order = rest.clone();
                order.insert(at, n - 1);
                order
            })
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_five_fields(fields in prop::array::uniform5((0usize..4, 0u32..5)), pack_log in 0u32..6) {
        let plain = fields.map(|(count, log)| (count << log, 1usize << log));
        let pack = 1 << pack_log;
        let fields = plain.map(|(size, align)| Field::new(size, align).unwrap());
        for (record, pack) in [(Record::new(fields), usize::MAX), (Record::packed(fields, pack), pack)] {
            let record = record.unwrap();
            let (offsets, size, align) = naive(&plain, pack);
            prop_assert_eq!(record.offsets().as_slice(), offsets);
            prop_assert_eq!((record.size(), record.align()), (size, align));
            let bytes: usize = plain.iter().map(|(size, _)| size).sum();
            prop_assert_eq!(record.total_padding(), size - bytes);
            prop_assert_eq!(record.padding().iter().sum::<usize>(), size - bytes);

            let least = permutations(5)
                .into_iter()
                .map(|order| naive(&order.iter().map(|&i| plain[i]).collect::<Vec<_>>(), pack).1)
                .min();
            let reordered = record.reordered();
            prop_assert_eq!(Some(reordered.size()), least);
            let sorted = |record: &Record<5>| {
                let mut fields = record.fields().map(|field| (field.size(), field.align()));
                fields.sort_unstable();
                fields
            };
            prop_assert_eq!(sorted(&reordered), sorted(&record));
            prop_assert_eq!(reordered.reordered(), reordered);
        }
    }
}

fn row<const N: usize>(name: &str, record: Record<N>) -> String {
    format!(
        "{name:<34} offsets {:?} size {} align {} padding {:?}, reordered {:?} size {}\n",
        record.offsets(),
        record.size(),
        record.align(),
        record.padding(),
        record.reordered().offsets(),
        record.reordered().size()
    )
}

#[test]
fn numbers_of_the_chapters_and_of_bug_reports() {
    let new = |fields| Record::new(fields).unwrap();
    let mut table = String::new();
    table += &row("char,int,char,int", Record::new([CHAR, INT, CHAR, INT]).unwrap());
    table += &row("int,int,char,char", Record::new([INT, INT, CHAR, CHAR]).unwrap());
    table += &row("double,char,double", new([DOUBLE, CHAR, DOUBLE]));
    table += &row("double,double,char", new([DOUBLE, DOUBLE, CHAR]));
    let bytes = |size, align| Field::new(size, align).unwrap();
    table += &row("float4", Record::new([bytes(16, 16)]).unwrap());
    let tensor = [bytes(20, 4), bytes(16, 4), POINTER, POINTER];
    table += &row("tensor: shape,strides,data,grad", Record::new(tensor).unwrap());
    table += &row("u8,i32,u8", new([Field::of::<u8>(), INT, Field::of::<u8>()]));
    table += &row("i16,f32", Record::new([SHORT, FLOAT]).unwrap());
    let inner = Record::new([SHORT, FLOAT]).unwrap().as_field();
    table += &row("i8,{i16,f32}[2] (numpy#663)", Record::new([CHAR, inner.array(2).unwrap()]).unwrap());
    let first = Record::new([INT, CHAR]).unwrap();
    table += &row("int,char", first);
    table += &row("{int,char},char (cython#76)", Record::new([first.as_field(), CHAR]).unwrap());
    let complex = Record::new([DOUBLE, DOUBLE]).unwrap().as_field();
    table += &row("i32,{f64,f64} (numba#3949)", Record::new([INT, complex]).unwrap());
    table += &row("char,double[0],char", new([CHAR, DOUBLE.array(0).unwrap(), CHAR]));
    table += &row("nothing", Record::new([]).unwrap());
    assert_snapshot!("record", table);
}

#[test]
fn refusals() {
    let text = |refused: weft_layout::LayoutError| refused.to_string();
    assert_snapshot!(text(Field::new(4, 0).unwrap_err()), @"record: alignment 0 is not a power of two");
    assert_snapshot!(text(Field::new(6, 3).unwrap_err()), @"record: alignment 3 is not a power of two");
    assert_snapshot!(text(Field::new(6, 4).unwrap_err()), @"record: size 6 does not divide by 4");
    assert_snapshot!(text(Field::new(1 << 63, 1).unwrap_err()), @"record: field 0 ends past 9223372036854775807 bytes");
    assert_snapshot!(text(DOUBLE.array(1 << 60).unwrap_err()), @"record: the array passes 9223372036854775807 bytes");
    assert_snapshot!(text(DOUBLE.array(usize::MAX).unwrap_err()), @"record: the array passes 9223372036854775807 bytes");
    assert_snapshot!(text(Record::packed([INT], 3).unwrap_err()), @"record: pack 3 is not a power of two");
    let most = CHAR.array(isize::MAX as usize).unwrap();
    assert_eq!(Record::new([most]).unwrap().size(), isize::MAX as usize);
    assert_snapshot!(text(Record::new([CHAR, most]).unwrap_err()), @"record: field 1 ends past 9223372036854775807 bytes");
    assert_snapshot!(text(Record::new([CHAR, most, CHAR]).unwrap_err()), @"record: field 1 ends past 9223372036854775807 bytes");
    // The padding at the end alone passes the limit.
    let wide = Field::new(0, 16).unwrap();
    assert_snapshot!(text(Record::new([wide, most]).unwrap_err()), @"record: field 1 ends past 9223372036854775807 bytes");
}

#[test]
fn made_at_compile_time() {
    const RECORD: Record<4> = match Record::new([CHAR, INT, CHAR, INT]) {
        Ok(record) => record.reordered(),
        Err(_) => panic!("too large"),
    };
    const SAVED: usize = 16 - RECORD.size();
    const END: usize = RECORD.padding()[3] + RECORD.total_padding();
    assert_eq!((SAVED, END), (4, 4));
}
