//! Who takes part in a row: something that can be run many times and checked once.

use core::time::Duration;
use std::time::Instant;

use weft_view::Tensor;

use crate::arena::{Arena, Inputs, Number};

pub(crate) trait Contender<T: Number> {
    fn name(&self) -> &'static str;

    fn threads(&self) -> usize;

    /// How long `times` runs take.
    fn time(&mut self, arena: &mut Arena<T>, times: usize) -> Duration;

    /// Runs once, and says whether the result is the expected one.
    fn check(&mut self, arena: &mut Arena<T>) -> bool;
}

/// Writes into a destination of the arena.
pub(crate) struct Into<F> {
    pub(crate) name: &'static str,
    pub(crate) threads: usize,
    /// Which destination.
    pub(crate) output: usize,
    pub(crate) run: F,
}

impl<T: Number, F: FnMut(&Inputs<T>, &mut Tensor<T>)> Contender<T> for Into<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn time(&mut self, arena: &mut Arena<T>, times: usize) -> Duration {
        let (inputs, output) = (&arena.inputs, &mut arena.outputs[self.output]);
        let started = Instant::now();
        for _ in 0..times {
            (self.run)(inputs, output);
        }
        started.elapsed()
    }

    fn check(&mut self, arena: &mut Arena<T>) -> bool {
        arena.outputs[self.output].as_mut_slice().fill(T::of(255));
        self.time(arena, 1);
        // Of memcpy too little may be asked: a sum's destination is smaller than its source.
        arena.outputs[self.output].as_slice() == arena.expected
    }
}

/// Makes a result, in memory of its own.
pub(crate) struct Making<F, G, R> {
    pub(crate) name: &'static str,
    pub(crate) threads: usize,
    pub(crate) run: F,
    /// The elements of a result.
    pub(crate) read: G,
    /// Results that keep their memory, so that the next one gets other memory; `None` where each is dropped at once, which is timed.
    pub(crate) kept: Option<Vec<R>>,
}

impl<T: Number, R, F: FnMut(&Inputs<T>) -> R, G: Fn(&R) -> Vec<T>> Contender<T> for Making<F, G, R> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn time(&mut self, arena: &mut Arena<T>, times: usize) -> Duration {
        let started = Instant::now();
        for _ in 0..times {
            let result = (self.run)(&arena.inputs);
            if let Some(kept) = &mut self.kept {
                kept.push(result);
            }
        }
        started.elapsed()
    }

    fn check(&mut self, arena: &mut Arena<T>) -> bool {
        let result = (self.run)(&arena.inputs);
        (self.read)(&result) == arena.expected
    }
}

/// Works in memory that nobody else sees.
pub(crate) struct Own<F, G> {
    pub(crate) name: &'static str,
    pub(crate) threads: usize,
    pub(crate) run: F,
    pub(crate) agrees: G,
}

impl<T: Number, F: FnMut(), G: Fn(&[T]) -> bool> Contender<T> for Own<F, G> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn time(&mut self, _: &mut Arena<T>, times: usize) -> Duration {
        let started = Instant::now();
        for _ in 0..times {
            (self.run)();
        }
        started.elapsed()
    }

    fn check(&mut self, arena: &mut Arena<T>) -> bool {
        (self.run)();
        (self.agrees)(&arena.expected)
    }
}
