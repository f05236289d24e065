//! The rows of the host's tables: what is copied, summed or added, and what it is meant to reach.

/// An element type; the copies depend on its size alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    U8,
    U16,
    I32,
    F32,
    I64,
    F64,
    C64,
}

impl Type {
    pub(crate) const fn size(self) -> usize {
        match self {
            Type::U8 => 1,
            Type::U16 => 2,
            Type::I32 | Type::F32 => 4,
            Type::I64 | Type::F64 => 8,
            Type::C64 => 16,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Type::U8 => "u8",
            Type::U16 => "u16",
            Type::I32 => "i32",
            Type::F32 => "f32",
            Type::I64 => "i64",
            Type::F64 => "f64",
            Type::C64 => "c64",
        }
    }
}

/// One step from the row-major source to the view that is copied.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Permute(Vec<usize>),
    Flip(usize),
    /// Every `k`-th element of an axis.
    Every(usize, usize),
    /// Without the first and the last element of each axis.
    Inset,
    /// An axis of size 1, repeated.
    Stretch(usize, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Same,
    Row,
    Transposed,
}

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// The view into a row-major buffer that is there and touched.
    Copy,
    /// The view into new memory, of which earlier results have been given back.
    Recycled,
    /// The view into new memory that nobody had before.
    Cold,
    /// A value into a buffer, in the shape of the source.
    Fill(u8),
    /// The sum over an axis of two.
    Sum(usize),
    /// The source plus an operand, into a buffer.
    Add(Operand),
    /// The source with a border of zeros, one wide.
    Pad,
}

/// What a row is meant to reach, in times of memcpy, with one thread and with two.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Floor(Option<f64>, Option<f64>),
    /// A part of what the same copy reaches into a prepared buffer.
    OfPrepared(f64),
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) class: &'static str,
    pub(crate) name: String,
    pub(crate) work: Work,
    pub(crate) dtype: Type,
    /// The shape of the row-major source.
    pub(crate) base: Vec<usize>,
    pub(crate) steps: Vec<Step>,
    pub(crate) target: Target,
}

impl Case {
    /// The shape of the view.
    pub(crate) fn shape(&self) -> Vec<usize> {
        let mut shape = self.base.clone();
        for step in &self.steps {
            match step {
                Step::Permute(axes) => shape = axes.iter().map(|&axis| shape[axis]).collect(),
                Step::Flip(_) => {}
                Step::Every(axis, k) => shape[*axis] = shape[*axis].div_ceil(*k),
                Step::Inset => shape.iter_mut().for_each(|n| *n -= 2),
                Step::Stretch(axis, n) => shape[*axis] = *n,
            }
        }
        shape
    }

    /// Bytes of the view: what memcpy moves when it is compared.
    pub(crate) fn bytes(&self) -> usize {
        self.shape().iter().product::<usize>() * self.dtype.size()
    }

    /// Whether source and destination fit into the caches together.
    pub(crate) fn is_in_cache(&self) -> bool {
        self.bytes() <= 2 << 20
    }
}

fn view(name: &str, dtype: Type, base: &[usize], steps: &[Step]) -> Case {
    Case {
        class: "",
        name: name.into(),
        work: Work::Copy,
        dtype,
        base: base.into(),
        steps: steps.into(),
        target: Target::Floor(None, None),
    }
}

fn work(name: &str, work: Work, base: &[usize]) -> Case {
    Case { work, ..view(name, Type::F32, base, &[]) }
}

fn permuted(name: &str, dtype: Type, base: &[usize], axes: &[usize]) -> Case {
    view(name, dtype, base, &[Step::Permute(axes.into())])
}

/// An axis of size 1 repeated.
fn stretched(name: &str, base: &[usize], axis: usize, n: usize) -> Case {
    view(name, Type::F32, base, &[Step::Stretch(axis, n)])
}

fn class(name: &'static str, one: f64, two: Option<f64>, cases: Vec<Case>) -> Vec<Case> {
    let target = Target::Floor(Some(one), two);
    cases.into_iter().map(|case| Case { class: name, target, ..case }).collect()
}

/// Every row, class by class.
pub(crate) fn all() -> Vec<Case> {
    let mut all = out_of_cache();
    all.extend(elementwise());
    all.extend(allocating());
    all.extend(in_cache());
    all
}

fn out_of_cache() -> Vec<Case> {
    use Type::{C64, F32, F64, U8};
    let cube = [256, 512, 512];
    let cube_by = |name: &str, axes: [usize; 3]| permuted(name, F32, &cube, &axes);
    let attention = |name: &str, dtype, base: [usize; 4]| permuted(name, dtype, &base, &[0, 2, 1, 3]);
    let matrix = |name: &str, dtype, base: [usize; 2]| permuted(name, dtype, &base, &[1, 0]);
    let to_nhwc = |name: &str, [n, c, h, w]: [usize; 4]| permuted(name, F32, &[n, c, h, w], &[0, 2, 3, 1]);
    let to_nchw = |name: &str, [n, h, w, c]: [usize; 4]| permuted(name, F32, &[n, h, w, c], &[0, 3, 1, 2]);
    [
        class(
            "contiguous, window, row step",
            1.3,
            Some(1.5),
            vec![
                view("contiguous 256x512x512", F32, &cube, &[]),
                view("window [1:-1,1:-1] 4098x4098", F32, &[4098, 4098], &[Step::Inset]),
                view("rows [::2] 8192x8192", F32, &[8192, 8192], &[Step::Every(0, 2)]),
            ],
        ),
        class(
            "attention, rows of 256 bytes",
            1.0,
            Some(1.3),
            vec![
                attention("attention 8x32x512x64", F32, [8, 32, 512, 64]),
                attention("attention 16x32x1024x64", F32, [16, 32, 1024, 64]),
            ],
        ),
        class(
            "attention u8, rows of 64 bytes",
            0.7,
            Some(0.8),
            vec![attention("attention u8 16x32x1024x64", U8, [16, 32, 1024, 64])],
        ),
        class(
            "rows of 512 bytes and more",
            1.15,
            Some(1.3),
            vec![
                cube_by("256x512x512 by 102", [1, 0, 2]),
                attention("attention f64 8x32x512x64", F64, [8, 32, 512, 64]),
            ],
        ),
        class(
            "transpose f32, aligned lines",
            0.8,
            Some(1.1),
            vec![
                matrix("transpose 4096x4096", F32, [4096, 4096]),
                matrix("transpose 8192x4096", F32, [8192, 4096]),
                cube_by("256x512x512 by 120", [1, 2, 0]),
            ],
        ),
        class(
            "permutations 021, 201, 210",
            0.7,
            Some(1.1),
            vec![
                cube_by("256x512x512 by 021", [0, 2, 1]),
                cube_by("256x512x512 by 201", [2, 0, 1]),
                cube_by("256x512x512 by 210", [2, 1, 0]),
            ],
        ),
        class("transpose f32, odd lines", 0.5, Some(0.65), vec![matrix("transpose 4099x4097", F32, [4099, 4097])]),
        class(
            "64 channels; last axes swapped",
            0.9,
            Some(1.1),
            vec![
                to_nhwc("NCHW to NHWC 32x64x56x56", [32, 64, 56, 56]),
                to_nchw("NHWC to NCHW 32x56x56x64", [32, 56, 56, 64]),
                to_nhwc("NCHW to NHWC 128x64x56x56", [128, 64, 56, 56]),
                permuted("last axes 8x32x512x64", F32, &[8, 32, 512, 64], &[0, 1, 3, 2]),
            ],
        ),
        class(
            "2, 3, 4 channels",
            1.35,
            Some(1.5),
            vec![
                to_nhwc("NCHW to NHWC 32x3x224x224", [32, 3, 224, 224]),
                to_nchw("NHWC to NCHW 32x224x224x3", [32, 224, 224, 3]),
                to_nchw("NHWC to NCHW 128x224x224x3", [128, 224, 224, 3]),
                to_nhwc("NCHW to NHWC 64x2x224x224", [64, 2, 224, 224]),
                to_nchw("NHWC to NCHW 64x224x224x2", [64, 224, 224, 2]),
                to_nhwc("NCHW to NHWC 32x4x224x224", [32, 4, 224, 224]),
                to_nchw("NHWC to NCHW 32x224x224x4", [32, 224, 224, 4]),
            ],
        ),
        class(
            "rank 6 reversed",
            0.5,
            Some(0.8),
            vec![permuted("8x16x14x14x18x64 reversed", F32, &[8, 16, 14, 14, 18, 64], &[5, 4, 3, 2, 1, 0])],
        ),
        class(
            "rank 5 by 31420",
            0.65,
            Some(0.9),
            vec![permuted("64x14x14x9x32 by 31420", F32, &[64, 14, 14, 9, 32], &[3, 1, 4, 2, 0])],
        ),
        class(
            "column step; last axis flipped",
            1.0,
            Some(1.0),
            vec![
                view("columns [:,::2] 8192x8192", F32, &[8192, 8192], &[Step::Every(1, 2)]),
                view("last axis flipped 4096x4096", F32, &[4096, 4096], &[Step::Flip(1)]),
            ],
        ),
        class(
            "first axis flipped",
            1.1,
            Some(1.15),
            vec![view("first axis flipped 4096x4096", F32, &[4096, 4096], &[Step::Flip(0)])],
        ),
        class("broadcast of a row", 2.0, Some(2.3), vec![stretched("row to 4096x4096", &[1, 4096], 0, 4096)]),
        class("broadcast of a column", 2.3, Some(2.4), vec![stretched("column to 4096x4096", &[4096, 1], 1, 4096)]),
        class("transpose u8", 0.5, Some(0.6), vec![matrix("transpose u8 8192x8192", U8, [8192, 8192])]),
        class(
            "transpose of 8 and 16 bytes",
            1.2,
            Some(1.3),
            vec![
                matrix("transpose f64 4096x4096", F64, [4096, 4096]),
                matrix("transpose c64 2048x4096", C64, [2048, 4096]),
            ],
        ),
        class(
            "rank 3 of 16 bytes, reversed",
            1.0,
            Some(1.0),
            vec![permuted("c64 64x256x256 by 210", C64, &[64, 256, 256], &[2, 1, 0])],
        ),
    ]
    .concat()
}

fn elementwise() -> Vec<Case> {
    let square = [4096, 4096];
    [
        class("fill with zero", 3.9, None, vec![work("fill 0, 4096x4096", Work::Fill(0), &square)]),
        class("fill with a value", 2.4, Some(2.5), vec![work("fill 7, 4096x4096", Work::Fill(7), &square)]),
        class("sum over axis 0", 2.0, Some(2.2), vec![work("sum axis 0, 4096x4096", Work::Sum(0), &square)]),
        class("sum over axis 1", 2.8, Some(3.1), vec![work("sum axis 1, 4096x4096", Work::Sum(1), &square)]),
        class("a + b", 1.0, Some(1.1), vec![work("a + b, 4096x4096", Work::Add(Operand::Same), &square)]),
        class("a + row", 1.3, Some(1.4), vec![work("a + row, 4096x4096", Work::Add(Operand::Row), &square)]),
        class("a + b.T", 0.5, Some(0.6), vec![work("a + b.T, 4096x4096", Work::Add(Operand::Transposed), &square)]),
        class("pad by 1", 1.0, Some(1.1), vec![work("pad by 1, 4096x4096", Work::Pad, &square)]),
    ]
    .concat()
}

/// New memory. The names are those of the copies into prepared buffers, which are measured beside them.
fn allocating() -> Vec<Case> {
    let names =
        ["transpose 4096x4096", "attention 8x32x512x64", "attention 16x32x1024x64", "window [1:-1,1:-1] 4098x4098"];
    let copies: Vec<Case> = out_of_cache().into_iter().filter(|case| names.contains(&case.name.as_str())).collect();
    let become_new = |class, target, work| {
        copies.iter().cloned().map(move |case| Case { class, target, work, ..case }).collect::<Vec<_>>()
    };
    [
        become_new("to_contiguous, recycled memory", Target::OfPrepared(0.95), Work::Recycled),
        become_new("to_contiguous, cold memory", Target::Floor(Some(0.4), Some(0.4)), Work::Cold),
    ]
    .concat()
}

fn in_cache() -> Vec<Case> {
    use Type::{C64, F32, F64, U8};
    let cube = |name: &str, n: [usize; 3], axes: [usize; 3]| permuted(name, F32, &n, &axes);
    let (small, large) = ([16, 32, 32], [64, 64, 64]);
    [
        class(
            "in cache: row copies",
            0.95,
            None,
            vec![
                view("contiguous 64x64x64", F32, &large, &[]),
                view("window 514x514", F32, &[514, 514], &[Step::Inset]),
                permuted("attention 2x4x32x64", F32, &[2, 4, 32, 64], &[0, 2, 1, 3]),
                permuted("attention 4x8x128x64", F32, &[4, 8, 128, 64], &[0, 2, 1, 3]),
                cube("16x32x32 by 102", small, [1, 0, 2]),
                cube("64x64x64 by 102", large, [1, 0, 2]),
            ],
        ),
        class(
            "in cache: transposes of 64 KiB",
            0.55,
            None,
            vec![
                permuted("transpose 128x128", F32, &[128, 128], &[1, 0]),
                permuted("transpose 131x127", F32, &[131, 127], &[1, 0]),
                cube("16x32x32 by 021", small, [0, 2, 1]),
            ],
        ),
        class("in cache: 64 KiB reversed", 0.38, None, vec![cube("16x32x32 by 210", small, [2, 1, 0])]),
        class(
            "in cache: transposes to 1 MiB",
            0.45,
            None,
            vec![
                permuted("transpose 512x512", F32, &[512, 512], &[1, 0]),
                cube("64x64x64 by 021", large, [0, 2, 1]),
                cube("64x64x64 by 120", large, [1, 2, 0]),
                cube("64x64x64 by 201", large, [2, 0, 1]),
                permuted("transpose f64 256x256", F64, &[256, 256], &[1, 0]),
                permuted("NCHW to NHWC 1x64x56x56", F32, &[1, 64, 56, 56], &[0, 2, 3, 1]),
                permuted("NHWC to NCHW 1x56x56x64", F32, &[1, 56, 56, 64], &[0, 3, 1, 2]),
            ],
        ),
        class("in cache: 1 MiB reversed", 0.3, None, vec![cube("64x64x64 by 210", large, [2, 1, 0])]),
        class(
            "in cache: 3 channels",
            0.75,
            None,
            vec![
                permuted("NCHW to NHWC 1x3x224x224", F32, &[1, 3, 224, 224], &[0, 2, 3, 1]),
                permuted("NHWC to NCHW 1x224x224x3", F32, &[1, 224, 224, 3], &[0, 3, 1, 2]),
            ],
        ),
        class(
            "in cache: rank 6 reversed",
            0.55,
            None,
            vec![permuted("2x4x7x7x3x16 reversed", F32, &[2, 4, 7, 7, 3, 16], &[5, 4, 3, 2, 1, 0])],
        ),
        class(
            "in cache: column step",
            0.6,
            None,
            vec![view("columns [:,::2] 512x1024", F32, &[512, 1024], &[Step::Every(1, 2)])],
        ),
        class(
            "in cache: last axis flipped",
            0.8,
            None,
            vec![view("last axis flipped 512x512", F32, &[512, 512], &[Step::Flip(1)])],
        ),
        class(
            "in cache: broadcast",
            1.9,
            None,
            vec![stretched("row to 512x512", &[1, 512], 0, 512), stretched("column to 512x512", &[512, 1], 1, 512)],
        ),
        class(
            "in cache: transpose u8",
            0.3,
            None,
            vec![permuted("transpose u8 1024x1024", U8, &[1024, 1024], &[1, 0])],
        ),
        class(
            "in cache: transpose of 16 bytes",
            0.5,
            None,
            vec![permuted("transpose c64 256x256", C64, &[256, 256], &[1, 0])],
        ),
    ]
    .concat()
}
