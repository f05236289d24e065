//! The worked examples: every number twice, once written out here and once in the tables under `snapshots/`, which show
//! for each view what it reads, in which order, and what it never reads.
//!
//! Padding is in the tests of offset maps, C structs in those of `record`.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use core::fmt::Write;

use common::{col_major, parts, row_major};
use weft_layout::{Layout, Result, broadcast_shapes, s};

/// A table that is written while its numbers are asserted.
struct Page {
    text: String,
    /// How many elements the memory under the views has.
    memory: usize,
}

impl Page {
    fn new(memory: usize) -> Page {
        Page { text: String::new(), memory }
    }

    /// One view, which must be `expected` in its short form.
    #[track_caller]
    fn view(&mut self, name: &str, layout: &Layout, expected: &str) {
        assert_eq!(layout.to_string(), expected, "{name}");
        self.describe(name, layout);
    }

    /// One view, whose reads must be `expected` too.
    #[track_caller]
    fn reads(&mut self, name: &str, layout: &Layout, short: &str, expected: &[usize]) {
        assert_eq!(layout.offsets().collect::<Vec<_>>(), expected, "{name}");
        self.view(name, layout, short);
    }

    /// A refusal with its whole reason.
    #[track_caller]
    fn refused(&mut self, name: &str, result: Result<Layout>, expected: &str) {
        let text = result.unwrap_err().to_string();
        assert_eq!(text, expected, "{name}");
        writeln!(self.text, "{name}\n    refused {text}").unwrap();
    }

    /// A line that is no view.
    #[track_caller]
    fn line(&mut self, found: String, expected: &str) {
        assert_eq!(found, expected);
        writeln!(self.text, "{found}").unwrap();
    }

    fn describe(&mut self, name: &str, layout: &Layout) {
        let reads: Vec<usize> = layout.offsets().collect();
        let jump = |pair: &[usize]| format!("{:+}", pair[1] as isize - pair[0] as isize);
        let jumps: Vec<String> = reads.windows(2).map(jump).collect();
        let regular = jumps.len() > 1 && jumps.iter().all(|jump| *jump == jumps[0]);
        let jumps = if regular { format!("{} always", jumps[0]) } else { list(&jumps) };
        let unread: Vec<usize> = (0..self.memory).filter(|cell| !reads.contains(cell)).collect();
        let text = &mut self.text;
        writeln!(text, "{name}").unwrap();
        writeln!(
            text,
            "    shape {}  strides {}  offset {}  numel {}",
            tuple(layout.shape()),
            tuple(layout.strides()),
            layout.offset(),
            layout.numel()
        )
        .unwrap();
        writeln!(text, "    reads   {}", list(&reads)).unwrap();
        writeln!(text, "    jumps   {jumps}").unwrap();
        writeln!(text, "    unread  {}", list(&unread)).unwrap();
    }

    fn end(self, name: &str) {
        insta::assert_snapshot!(name, self.text);
    }
}

fn tuple<T: ToString>(values: &[T]) -> String {
    format!("({})", values.iter().map(T::to_string).collect::<Vec<_>>().join(","))
}

/// The values with blanks between; of a long list the first ones.
fn list<T: ToString>(values: &[T]) -> String {
    if values.is_empty() {
        return "none".into();
    }
    let shown: Vec<String> = values.iter().take(24).map(T::to_string).collect();
    let more = values.len() - shown.len();
    shown.join(" ") + &if more > 0 { format!(" … and {more} more") } else { String::new() }
}

/// What a view reads out of `memory`.
fn values<T: Copy>(layout: &Layout, memory: &[T]) -> Vec<T> {
    layout.offsets().map(|at| memory[at]).collect()
}

#[test]
fn strides() {
    let mut page = Page::new(24);
    let l = row_major([2, 3, 4]);
    page.view("row-major (2,3,4)", &l, "(2,3,4):(12,4,1)@0");
    page.view("col-major (2,3,4)", &col_major([2, 3, 4]), "(2,3,4):(1,2,6)@0");
    let bytes = l.required_len() * size_of::<f32>();
    page.line(
        format!("(2,3,4) in f32: {} elements, {bytes} bytes", l.numel()),
        "(2,3,4) in f32: 24 elements, 96 bytes",
    );
    page.memory = 200;
    page.view("row-major (10,20)", &row_major([10, 20]), "(10,20):(20,1)@0");
    page.memory = 10;
    page.view("row-major (5,2)", &row_major([5, 2]), "(5,2):(2,1)@0");
    page.view("col-major (5,2)", &col_major([5, 2]), "(5,2):(1,5)@0");
    page.memory = 15;
    page.view("row-major (5,1,3)", &row_major([5, 1, 3]), "(5,1,3):(3,3,1)@0");
    page.view("row-major (3,5)", &row_major([3, 5]), "(3,5):(5,1)@0");
    page.memory = 12;
    page.view("row-major (3,4)", &row_major([3, 4]), "(3,4):(4,1)@0");
    page.view("col-major (3,4)", &col_major([3, 4]), "(3,4):(1,3)@0");
    page.memory = 8;
    page.view("rank 0 at offset 5", &parts([], [], 5), "():()@5");
    page.memory = 0;
    page.view("nothing: (2,0,3)", &row_major([2, 0, 3]), "(2,0,3):(3,3,1)@0");
    page.memory = 32;
    page.view("rank 5", &row_major([2, 2, 2, 2, 2]), "(2,2,2,2,2):(16,8,4,2,1)@0");
    page.view("rank 7", &row_major([2, 1, 2, 1, 2, 2, 2]), "(2,1,2,1,2,2,2):(16,16,8,8,4,2,1)@0");
    assert_eq!(row_major([5, 1, 3]).numel(), 15);
    assert_eq!(Layout::row_major(()).unwrap().numel(), 1);
    page.end("strides");
}

#[test]
fn offsets() {
    let mut page = Page::new(24);
    let offset = |layout: &Layout, coord: &[usize]| {
        format!(
            "{layout} at {}: {}",
            tuple(coord),
            layout.offset_of(coord).map_or_else(|e| e.to_string(), |o| o.to_string())
        )
    };
    let (rows, cols) = (row_major([2, 3, 4]), col_major([2, 3, 4]));
    for (coord, expected) in
        [([0, 0, 0], 0), ([0, 0, 1], 1), ([0, 1, 0], 4), ([1, 0, 0], 12), ([1, 1, 2], 18), ([1, 2, 3], 23)]
    {
        assert_eq!(rows.offset_of(&coord), Ok(expected));
        page.line(offset(&rows, &coord), &format!("(2,3,4):(12,4,1)@0 at {}: {expected}", tuple(&coord)));
    }
    for (coord, expected) in [([1, 1, 2], 15), ([0, 0, 1], 6), ([0, 1, 0], 2), ([1, 0, 0], 1), ([1, 2, 3], 23)] {
        assert_eq!(cols.offset_of(&coord), Ok(expected));
        page.line(offset(&cols, &coord), &format!("(2,3,4):(1,2,6)@0 at {}: {expected}", tuple(&coord)));
    }
    page.line(
        offset(&rows, &[5, 0, 0]),
        "(2,3,4):(12,4,1)@0 at (5,0,0): offset_of: index 5 is out of range for axis 0 (size 2)",
    );
    // The bare formula gives a number all the same: 60, which is 36 past the last place there is.
    let bare: isize = [5isize, 0, 0].iter().zip(rows.strides()).map(|(index, stride)| index * stride).sum();
    page.line(format!("the bare formula: {bare}, {} past the end", bare - 24), "the bare formula: 60, 36 past the end");
    let wide = row_major([10, 20]);
    page.line(offset(&wide, &[3, 7]), "(10,20):(20,1)@0 at (3,7): 67");
    page.line(offset(&wide, &[9, 19]), "(10,20):(20,1)@0 at (9,19): 199");
    page.line(offset(&row_major([3, 5]), &[2, 3]), "(3,5):(5,1)@0 at (2,3): 13");
    let l = row_major([3, 4]);
    page.line(offset(&l, &[1, 2]), "(3,4):(4,1)@0 at (1,2): 6");
    page.line(offset(&l, &[2, 1]), "(3,4):(4,1)@0 at (2,1): 9");
    page.line(offset(&parts([], [], 5), &[]), "():()@5 at (): 5");
    let coord = l.coords_of_linear(5).unwrap();
    page.line(format!("element 5 of {l} is {coord}"), "element 5 of (3,4):(4,1)@0 is (1,1)");
    page.end("offsets");
}

#[test]
fn transposes() {
    let mut page = Page::new(12);
    let l = row_major([3, 4]);
    let t = l.t().unwrap();
    page.reads("(3,4) transposed", &t, "(4,3):(1,4)@0", &[0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    assert_eq!(t.offset_of(&[2, 1]), Ok(6));
    assert_eq!(t.t(), Ok(l.clone()), "twice is once around");
    // The letters of a (3,4) array in reading order, as col-major memory holds them.
    let mut memory = [' '; 12];
    for (at, letter) in col_major([3, 4]).offsets().zip('a'..) {
        memory[at] = letter;
    }
    page.line(
        format!("a..l in col-major memory: {}", list(&memory)),
        "a..l in col-major memory: a e i b f j c g k d h l",
    );
    page.memory = 6;
    let small = row_major([2, 3]).t().unwrap();
    page.reads("(2,3) transposed", &small, "(3,2):(1,3)@0", &[0, 3, 1, 4, 2, 5]);
    let copied = values(&small, &[0, 1, 2, 3, 4, 5]);
    page.line(format!("copied as (6), element 1 is {}", copied[1]), "copied as (6), element 1 is 3");
    page.memory = 24;
    let cube = row_major([2, 3, 4]);
    page.view("(2,3,4), axes 1 and 2 exchanged", &cube.transpose(1, 2).unwrap(), "(2,4,3):(12,1,4)@0");
    page.view("(2,3,4) permuted by 2,0,1", &cube.permute([2, 0, 1]).unwrap(), "(4,2,3):(1,12,4)@0");
    page.view("(2,3,4), all axes reversed", &cube.reverse_axes(), "(4,3,2):(1,4,12)@0");
    page.memory = 10;
    let pair = row_major([5, 2]);
    page.view("row-major (5,2) transposed", &pair.t().unwrap(), "(2,5):(1,2)@0");
    assert_eq!(pair.t(), Ok(col_major([2, 5])), "row-major transposed is col-major");
    page.end("transposes");
}

#[test]
fn slices() {
    let mut page = Page::new(12);
    let l = row_major([3, 4]);
    let row = l.slice(s![1..2]).unwrap();
    page.reads("row 1 of (3,4)", &row, "(1,4):(4,1)@4", &[4, 5, 6, 7]);
    assert_eq!(row.offset_of(&[0, 2]), Ok(6));
    page.view("the same row as (4)", &row.reshape([4]).unwrap(), "(4):(1)@4");
    let unread = |layout: &Layout| (0..12).filter(|cell| !layout.offsets().any(|at| at == *cell)).collect::<Vec<_>>();
    let columns = l.slice(s![.., ..;2]).unwrap();
    page.reads("[:, ::2]", &columns, "(3,2):(4,2)@0", &[0, 2, 4, 6, 8, 10]);
    assert_eq!(unread(&columns), [1, 3, 5, 7, 9, 11]);
    page.reads("[::2]", &l.slice(s![..;2]).unwrap(), "(2,4):(8,1)@0", &[0, 1, 2, 3, 8, 9, 10, 11]);
    let corner = l.slice(s![1.., 1..]).unwrap();
    page.reads("[1:, 1:]", &corner, "(2,3):(4,1)@5", &[5, 6, 7, 9, 10, 11]);
    assert_eq!(unread(&corner), [0, 1, 2, 3, 4, 8]);
    page.reads("[1:3, 1:3]", &l.slice(s![1..3, 1..3]).unwrap(), "(2,2):(4,1)@5", &[5, 6, 9, 10]);
    page.reads("[:, ::-1]", &l.flip([1]).unwrap(), "(3,4):(4,-1)@3", &[3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8]);
    page.view("[3:]", &l.slice(s![3..]).unwrap(), "(0,4):(4,1)@0");
    page.refused("[3]", l.slice(s![3]), "slice: index 3 is out of range for axis 0 (size 3)");
    page.end("slices");
}

#[test]
fn reshapes() {
    let mut page = Page::new(12);
    let l = row_major([3, 4]);
    let wide = l.reshape([2, 6]).unwrap();
    page.view("(3,4) as (2,6)", &wide, "(2,6):(6,1)@0");
    assert_eq!(wide.offset_of(&[1, 0]), Ok(6));
    page.view("(3,4) as (4,3)", &l.reshape([4, 3]).unwrap(), "(4,3):(3,1)@0");
    page.view("(3,4) as (6,2)", &l.reshape([6, 2]).unwrap(), "(6,2):(2,1)@0");
    let t = l.t().unwrap();
    page.refused(
        "(3,4) transposed as (12)",
        t.reshape([12]),
        "reshape: axis 0 of the target spans axes 0 and 1, which are not one run in memory (stride 1, needed 12)",
    );
    let plan = t.copy_plan([2, 6]).unwrap();
    let copy = values(plan.source(), &(0..12).collect::<Vec<_>>());
    let rows: Vec<String> = copy.chunks(6).map(list).collect();
    page.line(
        format!("copied as {}: {}", plan.result(), rows.join(" / ")),
        "copied as (2,6):(6,1)@0: 0 4 8 1 5 9 / 2 6 10 3 7 11",
    );
    page.refused("(3,4) as (5,2)", l.reshape([5, 2]), "reshape: 12 elements do not make a shape of 10");
    page.refused("(3,4) as (5,-1)", l.reshape([5, -1]), "reshape: -1 at axis 1 has no whole size: 12 elements over 5");
    // The refusal with its smallest copy: stride 0 outside the blocking group is not materialised.
    let repeated = parts([8, 3, 4], [0, 1, 3], 0);
    page.refused(
        "(8,3,4):(0,1,3)@0 as (8,12)",
        repeated.reshape([8, 12]),
        "reshape: axis 1 of the target spans axes 1 and 2, which are not one run in memory (stride 1, needed 12)",
    );
    let plan = repeated.copy_plan([8, 12]).unwrap();
    page.line(
        format!("copy {} of {} elements: {} gives {}", plan.copied(), repeated.numel(), plan.source(), plan.result()),
        "copy 12 of 96 elements: (3,4):(1,3)@0 gives (8,12):(0,1)@0",
    );
    page.end("reshapes");
}

#[test]
fn broadcasts() {
    let mut page = Page::new(4);
    let row = row_major([4]).broadcast_to([3, 4]).unwrap();
    page.reads("(4) as (3,4)", &row, "(3,4):(0,1)@0", &[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
    let times: Vec<usize> = (0..4).map(|cell| row.offsets().filter(|&at| at == cell).count()).collect();
    page.line(format!("each cell is read {} times", list(&times)), "each cell is read 3 3 3 3 times");
    let (a, b) = (row.offset_of(&[0, 0]), row.offset_of(&[1, 0]));
    assert_eq!(a, b);
    page.line(format!("(0,0) and (1,0) are both at {}", a.unwrap()), "(0,0) and (1,0) are both at 0");
    page.memory = 3;
    let bias = row_major([3]).broadcast_to([4, 3]).unwrap();
    page.reads("(3) as (4,3)", &bias, "(4,3):(0,1)@0", &[0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
    let read = values(&bias, &[10, 20, 30]);
    assert!(read.chunks(3).all(|row| row == [10, 20, 30]));
    page.line(format!("values: {}", list(&read)), "values: 10 20 30 10 20 30 10 20 30 10 20 30");
    // The gradient of a broadcast adds up over the repeats; overwriting would lose all but one.
    let mut grad = [0; 3];
    let mut overwritten = [0; 3];
    for round in [[4, 4, 4], [8, 8, 8]] {
        bias.offsets().for_each(|at| grad[at] += 1);
        bias.offsets().for_each(|at| overwritten[at] = 1);
        assert_eq!(grad, round);
        writeln!(
            page.text,
            "gradient after adding ones of (4,3): {} (overwriting: {})",
            list(&grad),
            list(&overwritten)
        )
        .unwrap();
    }
    assert_eq!(overwritten, [1, 1, 1]);
    page.memory = 4;
    let repeated = parts([6, 4], [0, 1], 0);
    page.view("(6,4):(0,1)", &repeated, "(6,4):(0,1)@0");
    assert_eq!((repeated.offset_of(&[3, 2]), repeated.offset_of(&[5, 2])), (Ok(2), Ok(2)));
    let large = row_major([4]).broadcast_to([1000, 4]).unwrap();
    page.line(
        format!("f32 (4) as (1000,4): {} bytes stored, {} logical", large.required_len() * 4, large.numel() * 4),
        "f32 (4) as (1000,4): 16 bytes stored, 16000 logical",
    );
    page.line(
        format!("(3,1) and (4) together: {}", broadcast_shapes(&[&[3, 1], &[4]]).unwrap()),
        "(3,1) and (4) together: (3,4)",
    );
    page.refused(
        "(4) as (3,5)",
        row_major([4]).broadcast_to([3, 5]),
        "broadcast_to: axis 0 has size 4 and does not stretch to 5 (axis 1 of the target)",
    );
    page.refused(
        "(0) as (1)",
        row_major([0]).broadcast_to([1]),
        "broadcast_to: axis 0 has size 0 and does not stretch to 1 (axis 0 of the target)",
    );
    page.end("broadcasts");
}

#[test]
fn bytes_of_f64() {
    let mut page = Page::new(12);
    let bytes = |layout: &Layout| layout.byte_strides(8).unwrap();
    let l = row_major([3, 4]);
    page.line(format!("{l}: {}", bytes(&l)), "(3,4):(4,1)@0: (32,8)");
    let row = row_major([4]).broadcast_to([3, 4]).unwrap();
    page.line(format!("{row}: {}", bytes(&row)), "(3,4):(0,1)@0: (0,8)");
    let windows = row_major([6]).windows(0, 3, 1, 1).unwrap();
    page.line(format!("{windows}: {}", bytes(&windows)), "(4,3):(1,1)@0: (8,8)");
    let again = Layout::from_byte_strides([3, 4], &[32, 8], 0, 8).unwrap();
    assert_eq!(again, l);
    page.end("bytes_of_f64");
}

#[test]
fn windows() {
    let mut page = Page::new(6);
    let windows = row_major([6]).windows(0, 3, 1, 1).unwrap();
    page.reads("windows of 3 over 6", &windows, "(4,3):(1,1)@0", &[0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5]);
    let rows: Vec<String> =
        values(&windows, &['0', '1', '2', '3', '4', '5']).chunks(3).map(|r| r.iter().collect()).collect();
    page.line(format!("rows {}", list(&rows)), "rows 012 123 234 345");
    page.memory = 10;
    let every_second = row_major([10]).windows(0, 3, 2, 1).unwrap();
    page.view("windows of 3 over 10, step 2", &every_second, "(4,3):(2,1)@0");
    page.view("windows of 3 over 10, dilation 2", &row_major([10]).windows(0, 3, 1, 2).unwrap(), "(6,3):(1,2)@0");
    page.refused(
        "windows of 7 over 6",
        row_major([6]).windows(0, 7, 1, 1),
        "windows: a window of 7 does not fit axis 0 (size 6)",
    );
    page.memory = 12;
    page.view("the diagonal of (3,4)", &row_major([3, 4]).diagonal(0, 1, 0).unwrap(), "(3):(5)@0");
    page.end("windows");
}

#[test]
fn attention() {
    let mut page = Page::new(1280);
    let heads = row_major([2, 4, 10, 16]);
    page.view("heads", &heads, "(2,4,10,16):(640,160,16,1)@0");
    let t = heads.transpose(1, 2).unwrap();
    page.view("axes 1 and 2 exchanged", &t, "(2,10,4,16):(640,16,160,1)@0");
    page.refused(
        "as (2,10,64)",
        t.reshape([2, 10, 64]),
        "reshape: axis 2 of the target spans axes 2 and 3, which are not one run in memory (stride 160, needed 16)",
    );
    let copied = Layout::row_major(t.shape()).unwrap();
    page.view("after a copy", &copied, "(2,10,4,16):(640,64,16,1)@0");
    page.view("the copy as (2,10,64)", &copied.reshape([2, 10, 64]).unwrap(), "(2,10,64):(640,64,1)@0");
    assert_eq!(t.copy_plan([2, 10, 64]).unwrap().result().strides(), [640, 64, 1]);
    page.end("attention");
}

#[test]
fn lines_touched() {
    let mut page = Page::new(0);
    let l = row_major([1024, 1024]);
    let lines = |layout: Layout| layout.lines_touched(64, 4).unwrap();
    page.line(
        format!("a row of (1024,1024) in f32: {} lines", lines(l.select(0, 0).unwrap())),
        "a row of (1024,1024) in f32: 64 lines",
    );
    page.line(format!("a column of it: {} lines", lines(l.select(1, 0).unwrap())), "a column of it: 1024 lines");
    page.end("lines_touched");
}
