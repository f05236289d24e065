//! memcpy, and weft through its public operations.

use core::time::Duration;
use std::time::Instant;

use weft_view::prelude::*;
use weft_view::{Layout, Tensor};

use crate::arena::{Arena, Inputs, Number, layout, result_shape};
use crate::cases::{Case, Operand, Work};
use crate::contender::{Contender, Into, Making};

/// libc's memcpy of as many bytes as the view has, between the buffers of the arena where they are large enough.
struct Memcpy<T> {
    elements: usize,
    from: Option<Vec<T>>,
    to: Option<Vec<T>>,
}

pub(crate) fn memcpy<T: Number>(case: &Case, arena: &Arena<T>) -> Box<dyn Contender<T>> {
    let elements = case.shape().iter().product();
    let own = |there: usize| (there < elements).then(|| vec![T::of(1); elements]);
    let (from, to) = (own(arena.inputs.source.numel()), own(arena.outputs[0].numel()));
    Box::new(Memcpy { elements, from, to })
}

impl<T: Number> Contender<T> for Memcpy<T> {
    fn name(&self) -> &'static str {
        "memcpy"
    }

    fn threads(&self) -> usize {
        1
    }

    fn time(&mut self, arena: &mut Arena<T>, times: usize) -> Duration {
        let from = &self.from.as_deref().unwrap_or(arena.inputs.source.as_slice())[..self.elements];
        let to = self.to.as_deref_mut().unwrap_or(arena.outputs[0].as_mut_slice());
        let to = &mut to[..self.elements];
        let started = Instant::now();
        for _ in 0..times {
            // A call of memcpy: the length is not known to the compiler.
            core::hint::black_box(&mut *to).copy_from_slice(core::hint::black_box(from));
        }
        started.elapsed()
    }

    fn check(&mut self, arena: &mut Arena<T>) -> bool {
        self.time(arena, 1);
        true
    }
}

/// weft, with each of these numbers of threads.
pub(crate) fn weft<T: Number>(case: &Case, threads: &[usize]) -> Vec<Box<dyn Contender<T>>> {
    let mut contenders: Vec<Box<dyn Contender<T>>> = Vec::new();
    for (output, &n) in threads.iter().enumerate() {
        match case.work {
            Work::Copy => contenders.push(copy("weft", case, output, n)),
            Work::Recycled => {
                contenders.push(copy("prepared", case, output, n));
                contenders.push(to_contiguous(case, n, None));
            }
            Work::Cold => contenders.push(to_contiguous(case, n, Some(Vec::new()))),
            Work::Fill(value) => {
                contenders.push(into(output, n, move |_, dst| dst.fill(T::of(value)).expect("a fill")))
            }
            Work::Sum(_) => contenders.push(into(output, n, |inputs, dst| {
                let mut dst = dst.view_mut();
                dst.fill(T::ZERO).expect("a fill");
                dst.accumulate(&inputs.source).expect("a sum");
            })),
            Work::Add(how) => contenders.push(into(output, n, move |inputs, dst| {
                let operand = inputs.operand.as_ref().expect("an operand").view();
                let operand = if how == Operand::Transposed { operand.t().expect("a matrix") } else { operand };
                inputs.source.view().add_into(operand, &mut dst.view_mut()).expect("a sum");
            })),
            Work::Pad => {
                let widths = vec![(1, 1); result_shape(case).len()];
                let run = move |inputs: &Inputs<T>| {
                    let padded = inputs.source.view().lazy().pad(&widths).expect("a border");
                    padded.to_contiguous(T::ZERO).expect("memory")
                };
                contenders.push(Box::new(Making { name: "weft", threads: n, run, read: elements, kept: None }));
            }
        }
    }
    contenders
}

fn into<T: Number>(
    output: usize,
    threads: usize,
    run: impl FnMut(&Inputs<T>, &mut Tensor<T>) + 'static,
) -> Box<dyn Contender<T>> {
    Box::new(Into { name: "weft", threads, output, run })
}

fn copy<T: Number>(name: &'static str, case: &Case, output: usize, threads: usize) -> Box<dyn Contender<T>> {
    let layout = layout(case);
    let run = move |inputs: &Inputs<T>, dst: &mut Tensor<T>| {
        let view = inputs.source.view_as(&layout).expect("a view of the source");
        view.copy_to(&mut dst.view_mut()).expect("a copy");
    };
    Box::new(Into { name, threads, output, run })
}

fn to_contiguous<T: Number>(case: &Case, threads: usize, kept: Option<Vec<Tensor<T>>>) -> Box<dyn Contender<T>> {
    let layout: Layout = layout(case);
    let run = move |inputs: &Inputs<T>| {
        let view = inputs.source.view_as(&layout).expect("a view of the source");
        view.to_contiguous().expect("memory")
    };
    Box::new(Making { name: "weft", threads, run, read: elements, kept })
}

fn elements<T: Number>(tensor: &Tensor<T>) -> Vec<T> {
    tensor.as_slice().to_vec()
}
