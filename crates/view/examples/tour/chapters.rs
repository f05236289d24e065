//! The worked examples of the guide, one chapter after the other, each view read from a real buffer.

use std::io::Write;

use weft_view::prelude::*;
use weft_view::record::{Field, Record};

use super::Failure;
use super::draw::{Page, copied_text, tuple};

/// Shows statements, and runs them.
macro_rules! run {
    ($page:ident, $($code:tt)+) => {
        $page.say_code(stringify!($($code)+))?;
        $($code)+
    };
}

/// Draws the view that an expression gives, under the expression: what is shown is what ran.
macro_rules! view {
    ($page:ident, $memory:expr, $($code:tt)+) => { $page.view(stringify!($($code)+), &($($code)+), $memory)? };
}

/// Draws the masked view that an expression gives.
macro_rules! lazy {
    ($page:ident, $memory:expr, $($code:tt)+) => { $page.lazy(stringify!($($code)+), &($($code)+), $memory)? };
}

/// Draws the tensor that an expression copies.
macro_rules! copy {
    ($page:ident, $($code:tt)+) => { $page.copy(stringify!($($code)+), &($($code)+))? };
}

/// Shows why an expression was refused.
macro_rules! refusal {
    ($page:ident, $($code:tt)+) => { $page.refusal(stringify!($($code)+), $($code)+)? };
}

/// Shows expressions beside their values.
macro_rules! values {
    ($page:ident, $($code:expr;)+) => { $page.lines(&[$(format!("{} = {:?}", stringify!($code), $code)),+])? };
}

/// Walks through the chapters with memory of `dev`, which is called `on`.
pub(crate) fn walk<D: Device>(dev: &D, on: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let mut page = Page::new(out);
    page.say(
        "A tensor is one long row of numbers, and a rule for reading it. Each picture shows an expression of weft; the \
         shape, the strides and the offset that it gives, counted in elements; the numbers as they are read; and the memory \
         under them: how often each cell is read (· is never), and where the reader goes, with its jumps. Where memory does \
         not hold 0, 1, 2, … a line of offsets stands above it.",
    )?;
    page.say(&format!("The memory is that of {on}."))?;
    two_rules(&mut page, dev)?;
    transpose(&mut page, dev)?;
    slices(&mut page, dev)?;
    reshape(&mut page, dev)?;
    heads(&mut page, dev)?;
    broadcast(&mut page, dev)?;
    windows(&mut page, dev)?;
    pad(&mut page, dev)?;
    records(&mut page)?;
    cache_lines(&mut page)?;
    clones(&mut page, dev)
}

fn two_rules<D: Device>(page: &mut Page<'_>, dev: &D) -> Result<(), Failure> {
    page.chapter("One row of numbers, two rules")?;
    page.say(
        "Twelve numbers in memory, read as 3 rows of 4. The element at (i,j) lies at i·4 + j·1: the strides are (4,1). This is \
         row-major order, and reading it row by row never jumps.",
    )?;
    run!(page, let x = dev.arange(0..12)?.reshape([3, 4])?;);
    view!(page, &x, x.view());
    values!(page, x.layout().offset_of(&[1, 2])?; x.layout().offset_of(&[2, 1])?;);

    page.say("Column-major order: a grid of letters, which memory has column after column. The strides are (1,3).")?;
    run!(page, let letters = dev.options().col_major().tensor(b"abcdefghijkl", [3, 4])?;);
    page.view_with("letters.view()", &letters.view(), &letters, |&letter| char::from(letter).to_string())?;

    page.say("Three axes work alike: the stride of an axis is the product of the sizes to its right, or, column-major, to its left.")?;
    run!(page, let cube = dev.arange(0..24)?.reshape([2, 3, 4])?;);
    view!(page, &cube, cube.view());
    run!(page, let numbers = dev.arange(0..24)?;);
    view!(page, &numbers, numbers.view_as(&Layout::col_major([2, 3, 4])?)?);

    let (rows, columns) = (cube.layout(), Layout::col_major([2, 3, 4])?);
    let mut table = vec![["at".into(), "row-major".into(), "column-major".into()]];
    for at in [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 2], [1, 2, 3]] {
        table.push([tuple(&at), rows.offset_of(&at)?.to_string(), columns.offset_of(&at)?.to_string()]);
    }
    page.table(&table)?;
    values!(page, rows.numel(); rows.numel() * size_of::<f32>(););

    page.say("And (5,0,0)? The bare sum gives a number, far past the end of the memory. A checked lookup refuses:")?;
    values!(page, 5 * rows.strides()[0]; 5 * rows.strides()[0] - rows.required_len() as isize;);
    refusal!(page, rows.offset_of(&[5, 0, 0]));

    page.say("Other shapes, the same rule. Ten numbers, both ways:")?;
    run!(page, let ten = dev.arange(0..10)?;);
    view!(page, &ten, ten.view_as(&Layout::row_major([5, 2])?)?);
    view!(page, &ten, ten.view_as(&Layout::col_major([5, 2])?)?);
    page.say("In a (3,5) grid, (2,3) lies at 2·5 + 3·1 = 13. An axis of size 1 changes nothing. One number alone has no axes at all:")?;
    run!(page, let fifteen = dev.arange(0..15)?.reshape([3, 5])?;);
    view!(page, &fifteen, fifteen.view());
    view!(page, &fifteen, fifteen.view().reshape([5, 1, 3])?);
    view!(page, &fifteen, fifteen.view().slice(s![2, 3])?);

    page.say("Too large to draw, but no different:")?;
    let mut table = vec![["shape".into(), "strides".into(), "elements".into(), "at".into(), "offset".into()]];
    for (shape, at) in [(&[10, 20][..], &[3, 7][..]), (&[10, 20], &[9, 19]), (&[2, 3, 4, 5, 6], &[1, 2, 3, 4, 5])] {
        let l = Layout::row_major(shape)?;
        let offset = l.offset_of(at)?.to_string();
        table.push([tuple(l.shape()), tuple(l.strides()), l.numel().to_string(), tuple(at), offset]);
    }
    Ok(page.table(&table)?)
}

fn transpose<D: Device>(page: &mut Page<'_>, dev: &D) -> Result<(), Failure> {
    page.chapter("Transpose: the numbers stay, the rule changes")?;
    page.say(
        "Exchange the two strides and rows become columns. The reader now jumps: +4 down a column, −7 to the next one.",
    )?;
    run!(page, let mut x = dev.arange(0..12)?.reshape([3, 4])?;);
    view!(page, &x, x.view().t()?);
    values!(page, x.view().t()?.slice(s![2, 1])?.to_vec()?;);

    page.say("One memory, two rules: a write through the one is seen through the other.")?;
    run!(page, x.view_mut().t()?.slice(s![0, 1])?.fill(100)?;);
    view!(page, &x, x.view());

    page.say("With three axes any two can be exchanged; the third keeps its place and its stride.")?;
    run!(page, let cube = dev.arange(0..24)?.reshape([2, 3, 4])?;);
    view!(page, &cube, cube.view().transpose(1, 2)?);
    Ok(())
}

fn slices<D: Device>(page: &mut Page<'_>, dev: &D) -> Result<(), Failure> {
    page.chapter("Slices: a part is a view too")?;
    run!(page, let x = dev.arange(0..12)?.reshape([3, 4])?;);
    page.say("Row 1 keeps both strides and starts at 4. As a vector it is the same four numbers.")?;
    view!(page, &x, x.view().narrow(0, 1, 1)?);
    values!(page, x.view().slice(s![1, 2])?.to_vec()?;);
    view!(page, &x, x.view().narrow(0, 1, 1)?.reshape([4])?);
    page.say("Every other column: the stride of the columns doubles. Half of the memory is never read.")?;
    view!(page, &x, x.view().slice(s![.., ..;2])?);
    page.say("Every other row:")?;
    view!(page, &x, x.view().slice(s![..;2])?);
    page.say("A corner and the middle: only the offset and the sizes change, so the rows keep their distance of 4.")?;
    view!(page, &x, x.view().slice(s![1.., 1..])?);
    view!(page, &x, x.view().slice(s![1..3, 1..3])?);
    page.say("Backwards: the stride changes its sign, and the offset moves to the other end.")?;
    view!(page, &x, x.view().flip([1])?);
    Ok(())
}

fn reshape<D: Device>(page: &mut Page<'_>, dev: &D) -> Result<(), Failure> {
    page.chapter("Reshape: a view, or a reason")?;
    run!(page, let x = dev.arange(0..12)?.reshape([3, 4])?;);
    page.say("A reshape reads the same numbers in the same order. Where they lie in one run, every shape is a view.")?;
    view!(page, &x, x.view().reshape([2, 6])?);
    values!(page, x.view().reshape([2, 6])?.slice(s![1, 0])?.to_vec()?;);
    view!(page, &x, x.view().reshape([4, 3])?);
    view!(page, &x, x.view().reshape([6, 2])?);
    page.say(
        "The transposed matrix is read 0, 4, 8, 1, … No single stride steps +4, +4, −7, so there is no such view:",
    )?;
    run!(page, let t = x.view().t()?;);
    refusal!(page, t.reshape([12]));
    page.say("Nothing is copied behind your back. A copy has to be asked for, and the name says so; then every shape is a view again.")?;
    copy!(page, t.to_contiguous()?.reshape([2, 6])?);
    page.say("The order that counts is that of the view. Without the transpose, element 1 of this one would be 1:")?;
    run!(page, let small = dev.arange(0..6)?.reshape([2, 3])?;);
    copy!(page, small.view().t()?.to_contiguous()?.reshape([6])?);
    Ok(())
}

fn heads<D: Device>(page: &mut Page<'_>, dev: &D) -> Result<(), Failure> {
    page.chapter("Attention heads: the same story at rank 4")?;
    page.say(
        "Two sequences, four heads, ten places, sixteen numbers each: 1280 elements. The places go before the heads; then \
         heads and numbers should become one axis of 64. They are no longer neighbours in memory:",
    )?;
    run!(page, let x = dev.arange(0.0f32..1280.0)?.reshape([2, 4, 10, 16])?;);
    run!(page, let heads = x.view().transpose(1, 2)?;);
    refusal!(page, heads.reshape([2, 10, 64]));
    let copied = heads.to_contiguous()?;
    let merged = copied.view().reshape([2, 10, 64])?;
    let row =
        |what: &str, l: &Layout, verdict: &str| [what.into(), tuple(l.shape()), tuple(l.strides()), verdict.into()];
    page.table(&[
        ["".into(), "shape".into(), "strides".into(), "".into()],
        row("as stored", x.layout(), "the owner"),
        row("transpose(1, 2)", heads.layout(), "a view: no byte moves"),
        row("to_contiguous()", copied.layout(), &copied_text(&copied)),
        row("reshape([2, 10, 64])", merged.layout(), "a view of the copy"),
    ])?;

    page.say(
        "Sometimes a smaller copy is enough. Eight times the same transposed matrix, read as (8,12): the repetition is not in \
         the way, so 12 elements are copied and not 96.",
    )?;
    run!(page, let numbers = dev.arange(0..12)?;);
    run!(page, let eight = numbers.view_as(&Layout::from_parts(&[8, 3, 4], &[0, 1, 3], 0)?)?;);
    refusal!(page, eight.reshape([8, 12]));
    run!(page, let plan = eight.copy_plan([8, 12])?;);
    values!(page, plan.source(); plan.copied(); plan.result(););
    Ok(())
}

fn broadcast<D: Device>(page: &mut Page<'_>, dev: &D) -> Result<(), Failure> {
    page.chapter("Broadcast: stride 0, and its gradient")?;
    page.say("A row of four, read as three rows: one step down moves nothing. Every cell is read three times.")?;
    run!(page, let row = dev.arange(0..4)?;);
    view!(page, &row, row.view().broadcast_to([3, 4])?);
    page.say("Two writers, each with a row of its own, would write the same cell. weft finds such a pair, or proves that there is none:")?;
    run!(page, let three = row.view().broadcast_to([3, 4])?;);
    page.lines(&[format!("three.self_overlap() = {}", witness(&three.self_overlap()))])?;

    page.say("The values in memory are what they are; only the reading repeats.")?;
    run!(page, let mut tens = dev.tensor(&[10.0f32, 20.0, 30.0], [3])?;);
    view!(page, &tens, tens.view().broadcast_to([4, 3])?);
    view!(page, &row, row.view().broadcast_to([6, 4])?);
    run!(page, let sixth = row.view().broadcast_to([6, 4])?;);
    values!(page, sixth.layout().offset_of(&[3, 2])?; sixth.layout().offset_of(&[5, 2])?;);
    page.say("With a thousand rows the reader sees a thousand times the bytes that are stored:")?;
    run!(page, let thousand = Layout::row_major([4])?.broadcast_to([1000, 4])?;);
    values!(page, thousand.required_len() * size_of::<f32>(); thousand.numel() * size_of::<f32>(););

    page.say(
        "Backwards, what was read four times is summed four times. The gradient of the row of tens, after ones from above, \
         once and again (overwriting would leave 1, 1, 1):",
    )?;
    run!(page, let ones = dev.ones::<f32>([4, 3])?;);
    run!(page, tens.grad_mut()?.accumulate(&ones)?;);
    values!(page, tens.grad()?.to_vec()?;);
    run!(page, tens.grad_mut()?.accumulate(&ones)?;);
    values!(page, tens.grad()?.to_vec()?;);
    Ok(())
}

fn witness(overlap: &Overlap) -> String {
    match overlap {
        Overlap::Overlapping { a, b } => format!("the coordinates {a} and {b} are one cell"),
        other => format!("{other:?}"),
    }
}

fn windows<D: Device>(page: &mut Page<'_>, dev: &D) -> Result<(), Failure> {
    page.chapter("Windows: neighbours share memory")?;
    page.say("Windows of 3 over 6 numbers: one step down and one step right both move by one cell.")?;
    run!(page, let x = dev.arange(0..6)?;);
    view!(page, &x, x.view().windows(0, 3, 1, 1)?);
    page.say("The same three rules in bytes, for f64:")?;
    let mut table = vec![["".into(), "layout".into(), "strides in bytes".into()]];
    for (what, layout) in [
        ("a matrix", Layout::row_major([3, 4])?),
        ("a broadcast row", Layout::row_major([4])?.broadcast_to([3, 4])?),
        ("windows", x.view().windows(0, 3, 1, 1)?.layout().clone()),
    ] {
        table.push([what.into(), layout.to_string(), tuple(&layout.byte_strides(size_of::<f64>())?)]);
    }
    Ok(page.table(&table)?)
}

fn pad<D: Device>(page: &mut Page<'_>, dev: &D) -> Result<(), Failure> {
    page.chapter("Pad: positions without memory")?;
    page.say(
        "One column more on each side, and nothing is copied: column j reads column j − 1, and only where 1 ≤ j < 5 is there \
         memory (the brackets say where). Elsewhere the reader gets a value of your choice, here 0.",
    )?;
    run!(page, let x = dev.arange(0..12)?.reshape([3, 4])?;);
    lazy!(page, &x, x.view().lazy().pad(&[(0, 0), (1, 1)])?);
    run!(page, let padded = x.view().lazy().pad(&[(0, 0), (1, 1)])?;);
    values!(page, padded.map().get(7)?; padded.map().get(11)?;);
    page.say("Four numbers, one more at each end. Every coordinate may be asked for, also those outside:")?;
    run!(page, let line = dev.tensor(&[5, 6, 7, 8], [4])?;);
    lazy!(page, &line, line.view().lazy().pad(&[(1, 1)])?);
    run!(page, let padded = line.view().lazy().pad(&[(1, 1)])?;);
    let mut table = vec![["at".into(), "reads".into()]];
    let cells = line.to_vec()?;
    for at in [-1, 0, 1, 4, 5, 6] {
        let reads = padded.map().get_at(&[at]).map_or("nothing".into(), |offset| cells[offset].to_string());
        table.push([at.to_string(), reads]);
    }
    page.table(&table)?;
    page.say("To find the column of an element, its number is taken apart. Element 5 of (3,4):")?;
    values!(page, x.layout().coords_of_linear(5)?;);
    Ok(())
}

fn records(page: &mut Page<'_>) -> Result<(), Failure> {
    page.chapter("Records: the layout of a C struct")?;
    page.say(
        "The fields of a struct have strides of their own: each starts at the next multiple of its alignment. A letter is a \
         byte of a field, · is padding that is paid for and never read.",
    )?;
    let (char, int, double, pointer) = (Field::new(1, 1)?, Field::new(4, 4)?, Field::new(8, 8)?, Field::new(8, 8)?);
    record(page, "char, int, char, int", &Record::new([char, int, char, int])?)?;
    page.say("The widest first: four bytes saved.")?;
    record(page, "int, int, char, char", &Record::new([char, int, char, int])?.reordered())?;
    page.say("It does not always help. The end is padded too, so that the next struct of an array starts right.")?;
    record(page, "double, char, double", &Record::new([double, char, double])?)?;
    record(page, "double, double, char", &Record::new([double, double, char])?)?;
    page.say(
        "A float4 is loaded at once, so it is aligned as a whole. Last, a tensor in C: shape, strides, data, gradient.",
    )?;
    record(page, "float4", &Record::new([Field::new(16, 16)?])?)?;
    let (shape, strides) = (int.array(5)?, int.array(4)?);
    record(page, "int[5], int[4], pointer, pointer", &Record::new([shape, strides, pointer, pointer])?)?;
    record(page, "pointer, pointer, int[5], int[4]", &Record::new([pointer, pointer, shape, strides])?)
}

/// The bytes of a struct, each with the letter of its field.
fn record<const N: usize>(page: &mut Page<'_>, fields: &str, record: &Record<N>) -> Result<(), Failure> {
    let mut bytes = vec!['·'; record.size()];
    for (letter, (&offset, field)) in ('a'..).zip(record.offsets().iter().zip(record.fields())) {
        bytes[offset..][..field.size()].fill(letter);
    }
    let (offsets, size, align) = (tuple(record.offsets()), record.size(), record.align());
    let padding: Vec<_> = record.padding().iter().filter(|&&bytes| bytes > 0).map(usize::to_string).collect();
    let padding = if padding.is_empty() { "0".into() } else { padding.join("+") };
    let facts = format!("offsets {offsets}   size {size}   align {align}   padding {padding}");
    Ok(page.lines(&[format!("{{ {fields} }}"), facts, String::new(), bytes.iter().collect()])?)
}

fn cache_lines(page: &mut Page<'_>) -> Result<(), Failure> {
    page.chapter("Cache lines: what a walk costs")?;
    page.say("Memory comes in lines of 64 bytes: 16 f32. A (1024,1024) matrix, one row and one column of it, 1024 elements each:")?;
    run!(page, let l = Layout::row_major([1024, 1024])?;);
    values!(page, l.select(0, 7)?.lines_touched(64, 4)?; l.select(1, 7)?.lines_touched(64, 4)?;);
    Ok(())
}

fn clones<D: Device>(page: &mut Page<'_>, dev: &D) -> Result<(), Failure> {
    page.chapter("A clone is another value")?;
    page.say("Views share memory. A clone does not, and it says so: it can fail, because it allocates.")?;
    run!(page, let x = dev.tensor(&[1, 2, 3, 4], [4])?;);
    run!(page, let mut clone = x.try_clone()?; clone.view_mut().select(0, 0)?.fill(99)?;);
    copy!(page, clone);
    view!(page, &x, x.view());
    Ok(())
}
