//! What a row works on: the memory of its operands, and the result that every contender must reach, found naively.

use candle_core::CpuStorage;
use weft_view::{C64, Element, Factory, Host, Layout, Tensor};

use crate::cases::{Case, Operand, Step, Work};

/// An element type of the benchmark: its small whole numbers, and the memory that candle keeps it in.
pub(crate) trait Number: Element {
    /// `n`, which is at most 255.
    fn of(n: u8) -> Self;
    fn plus(self, other: Self) -> Self;
    fn storage(_values: Vec<Self>) -> Option<CpuStorage> {
        None
    }
    fn stored(_storage: &CpuStorage) -> Option<&[Self]> {
        None
    }
}

macro_rules! numbers {
    ($($type:ident $(in $variant:ident)?, $plus:expr;)*) => {$(
        impl Number for $type {
            fn of(n: u8) -> Self {
                $type::from(n)
            }
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }
            $(
                fn storage(values: Vec<Self>) -> Option<CpuStorage> {
                    Some(CpuStorage::$variant(values))
                }
                fn stored(storage: &CpuStorage) -> Option<&[Self]> {
                    if let CpuStorage::$variant(values) = storage { Some(values) } else { None }
                }
            )?
        }
    )*};
}

numbers! {
    u8 in U8, u8::wrapping_add;
    u16, u16::wrapping_add;
    i32 in I32, i32::wrapping_add;
    f32 in F32, |a, b| a + b;
    i64 in I64, i64::wrapping_add;
    f64 in F64, |a, b| a + b;
}

impl Number for C64 {
    fn of(n: u8) -> C64 {
        C64 { re: n.into(), im: -f64::from(n) }
    }

    fn plus(self, other: C64) -> C64 {
        C64 { re: self.re + other.re, im: self.im + other.im }
    }
}

/// Where the elements of a view lie: found here and not by weft, because weft is what is compared.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) shape: Vec<usize>,
    pub(crate) strides: Vec<isize>,
    pub(crate) offset: isize,
}

impl Place {
    pub(crate) fn row_major(shape: &[usize]) -> Place {
        let mut strides = vec![1isize; shape.len()];
        for axis in (0..shape.len().saturating_sub(1)).rev() {
            strides[axis] = strides[axis + 1] * shape[axis + 1] as isize;
        }
        Place { shape: shape.into(), strides, offset: 0 }
    }

    pub(crate) fn of(case: &Case) -> Place {
        let mut place = Place::row_major(&case.base);
        for step in &case.steps {
            match step {
                Step::Permute(axes) => {
                    place.shape = axes.iter().map(|&axis| place.shape[axis]).collect();
                    place.strides = axes.iter().map(|&axis| place.strides[axis]).collect();
                }
                Step::Flip(axis) => {
                    place.offset += place.strides[*axis] * (place.shape[*axis] as isize - 1);
                    place.strides[*axis] *= -1;
                }
                Step::Every(axis, k) => {
                    place.shape[*axis] = place.shape[*axis].div_ceil(*k);
                    place.strides[*axis] *= *k as isize;
                }
                Step::Inset => {
                    place.offset += place.strides.iter().sum::<isize>();
                    place.shape.iter_mut().for_each(|n| *n -= 2);
                }
                Step::Stretch(axis, n) => {
                    place.shape[*axis] = *n;
                    place.strides[*axis] = 0;
                }
            }
        }
        place
    }

    /// Calls `visit` with the offset of each element, in row-major order.
    fn walk(&self, mut visit: impl FnMut(usize)) {
        let Some((&n, outer)) = self.shape.split_last() else { return visit(self.offset as usize) };
        let mut at = vec![0usize; outer.len()];
        let mut row = self.offset;
        for _ in 0..outer.iter().product::<usize>() {
            (0..n as isize).for_each(|i| visit((row + i * self.strides[outer.len()]) as usize));
            for axis in (0..outer.len()).rev() {
                at[axis] += 1;
                row += self.strides[axis];
                if at[axis] < outer[axis] {
                    break;
                }
                row -= self.strides[axis] * outer[axis] as isize;
                at[axis] = 0;
            }
        }
    }
}

/// The same view as weft makes it, by its own operations.
pub(crate) fn layout(case: &Case) -> Layout {
    let mut layout = Layout::row_major(&case.base[..]).expect("a shape of the table");
    for step in &case.steps {
        let next = match step {
            Step::Permute(axes) => layout.permute(axes),
            Step::Flip(axis) => layout.flip([*axis]),
            Step::Every(axis, k) => layout.step(*axis, *k as isize),
            Step::Inset => {
                (0..case.base.len()).try_fold(layout, |layout, axis| layout.narrow(axis, 1, layout.shape()[axis] - 2))
            }
            Step::Stretch(axis, n) => {
                let mut shape = layout.shape().to_vec();
                shape[*axis] = *n;
                layout.broadcast_to(&shape[..])
            }
        };
        layout = next.expect("a step of the table");
    }
    layout
}

/// The operands.
pub(crate) struct Inputs<T: Number> {
    pub(crate) source: Tensor<T>,
    /// What is added.
    pub(crate) operand: Option<Tensor<T>>,
}

pub(crate) struct Arena<T: Number> {
    pub(crate) inputs: Inputs<T>,
    /// A destination for each number of threads, in its order.
    pub(crate) outputs: Vec<Tensor<T>>,
    pub(crate) expected: Vec<T>,
}

impl<T: Number> Arena<T> {
    /// Makes and touches all of it.
    pub(crate) fn new(case: &Case, threads: &[usize]) -> Arena<T> {
        let values = |shape: &[usize], seed: u64| {
            let n = shape.iter().product::<usize>() as u64;
            let number = |i: u64| T::of(((i + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40).to_le_bytes()[0]);
            Host.from_slice(&(0..n).map(number).collect::<Vec<T>>(), shape).expect("memory for the source")
        };
        let source = values(&case.base, 1);
        let operand = match case.work {
            Work::Add(Operand::Same) => Some(values(&case.base, 2)),
            Work::Add(Operand::Row) => Some(values(&case.base[1..], 2)),
            Work::Add(Operand::Transposed) => Some(values(&[case.base[1], case.base[0]], 2)),
            _ => None,
        };
        let inputs = Inputs { source, operand };
        let shape = result_shape(case);
        let output = |&n: &usize| {
            let host = Host.with_threads(n);
            host.full(&shape[..], T::of(99)).expect("memory for the result")
        };
        let expected = naive(case, &inputs);
        Arena { outputs: threads.iter().map(output).collect(), inputs, expected }
    }
}

pub(crate) fn result_shape(case: &Case) -> Vec<usize> {
    let shape = case.shape();
    match case.work {
        Work::Sum(0) => vec![shape[1]],
        Work::Sum(_) => vec![shape[0], 1],
        Work::Pad => shape.iter().map(|n| n + 2).collect(),
        _ => shape,
    }
}

/// One element after another.
fn naive<T: Number>(case: &Case, inputs: &Inputs<T>) -> Vec<T> {
    let (place, source) = (Place::of(case), inputs.source.as_slice());
    let shape = result_shape(case);
    let mut result = Vec::with_capacity(shape.iter().product());
    match case.work {
        Work::Copy | Work::Recycled | Work::Cold => place.walk(|at| result.push(source[at])),
        Work::Fill(value) => place.walk(|_| result.push(T::of(value))),
        Work::Sum(axis) => {
            let [n, m] = [place.shape[0], place.shape[1]];
            result.resize(if axis == 0 { m } else { n }, T::ZERO);
            for (i, &value) in source.iter().enumerate() {
                let at = if axis == 0 { i % m } else { i / m };
                result[at] = result[at].plus(value);
            }
        }
        Work::Add(how) => {
            let (m, b) = (place.shape[1], inputs.operand.as_ref().expect("an operand").as_slice());
            let n = place.shape[0];
            place.walk(|at| {
                let other = match how {
                    Operand::Same => at,
                    Operand::Row => at % m,
                    Operand::Transposed => at % m * n + at / m,
                };
                result.push(source[at].plus(b[other]));
            });
        }
        Work::Pad => {
            let [n, m] = [shape[0], shape[1]];
            result.resize(n * m, T::ZERO);
            for i in 0..n - 2 {
                result[(i + 1) * m + 1..(i + 2) * m - 1].copy_from_slice(&source[i * (m - 2)..(i + 1) * (m - 2)]);
            }
        }
    }
    result
}
