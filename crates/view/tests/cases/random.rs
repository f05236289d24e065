//! Random chains of view operations, and random places for operands: offset, turned, with room around them.

use weft_view::prelude::*;
use weft_view::{IntoShape, Result};

/// So many cases of a property; their seeds are printed where one fails, not kept in files.
pub(crate) fn cases(cases: u32) -> proptest::test_runner::Config {
    proptest::test_runner::Config { cases, failure_persistence: None, ..Default::default() }
}

/// SplitMix64: a seed from proptest becomes as many numbers as a case needs.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.below(2) == 0
    }

    /// Sizes, sometimes 0 or 1.
    pub(crate) fn shape(&mut self, max_rank: usize) -> Vec<usize> {
        (0..self.below(max_rank + 1))
            .map(|_| [0, 1, 2, 2, 3, 3, 4, 5, 6, 8][self.below(10).max(usize::from(self.below(8) > 0))])
            .collect()
    }

    pub(crate) fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut axes: Vec<_> = (0..n).collect();
        for k in (1..n).rev() {
            axes.swap(k, self.below(k + 1));
        }
        axes
    }

    /// A shape that broadcasts to `shape`: some axes of size 1, some leading ones gone.
    pub(crate) fn narrower(&mut self, shape: &[usize]) -> Vec<usize> {
        let gone = self.below(shape.len() + 1).saturating_sub(self.below(3));
        shape[gone..].iter().map(|&size| if self.below(3) == 0 { 1 } else { size }).collect()
    }

    /// A layout of this shape with room before, after and between the axes, in any order of axes and directions, and
    /// how many elements a buffer needs for it (room included).
    pub(crate) fn placed(&mut self, shape: &[usize]) -> (Layout, usize) {
        let room: Vec<_> = shape.iter().map(|_| (self.below(3), self.below(3))).collect();
        let wide: Vec<_> = shape.iter().zip(&room).map(|(&size, &(a, b))| a + size + b).collect();
        let mut layout = Layout::with_order(&wide, self.permutation(shape.len())).unwrap();
        let (front, back) = (self.below(3), self.below(3));
        let len = front + layout.numel() + back;
        layout = Layout::from_parts(layout.shape(), layout.strides(), front).unwrap();
        for (axis, (&size, &(before, _))) in shape.iter().zip(&room).enumerate() {
            layout = layout.narrow(axis, before, size).unwrap();
            if self.flag() {
                layout = layout.flip([axis]).unwrap();
            }
        }
        (layout, len)
    }
}

/// One view operation with its arguments.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Permute(Vec<usize>),
    Transpose(usize, usize),
    T,
    MoveAxis(usize, usize),
    SliceAxis(usize, SliceItem),
    Narrow(usize, usize, usize),
    Every(usize, isize),
    Select(usize, isize),
    Flip(Vec<usize>),
    Squeeze(usize),
    SqueezeAll,
    ReverseAxes,
    Unsqueeze(usize),
    Reshape(Vec<usize>),
    Flatten(usize, usize),
    Unflatten(usize, Vec<usize>),
    Diagonal(usize, usize, isize),
    // For reading only, from here on.
    BroadcastTo(Vec<usize>),
    Windows(usize, usize, usize, usize),
}

impl Step {
    /// A step that is legal for `shape`, but for reshapes, which strides may refuse.
    pub(crate) fn choose(random: &mut Random, shape: &[usize], reads_only: bool) -> Step {
        let ndim = shape.len();
        let numel: usize = shape.iter().product();
        loop {
            let (a, b) = (random.below(ndim), random.below(ndim));
            let size = shape.get(a).copied().unwrap_or(0);
            let step = match random.below(if reads_only { 19 } else { 17 }) {
                0 => Step::Permute(random.permutation(ndim)),
                1 if ndim > 0 => Step::Transpose(a, b),
                2 if ndim > 1 => Step::T,
                3 if ndim > 0 => Step::MoveAxis(a, b),
                4 if ndim > 0 => {
                    let at = |random: &mut Random| {
                        random.flag().then(|| random.below(2 * size + 3) as isize - size as isize - 1)
                    };
                    let (start, stop) = (at(random), at(random));
                    Step::SliceAxis(a, SliceItem::Range { start, stop, step: [-3, -2, -1, 1, 2, 3][random.below(6)] })
                }
                5 if ndim > 0 => {
                    let start = random.below(size + 1);
                    Step::Narrow(a, start, random.below(size - start + 1))
                }
                6 if ndim > 0 => Step::Every(a, [-2, -1, 2, 3][random.below(4)]),
                7 if size > 0 => Step::Select(a, random.below(2 * size) as isize - size as isize),
                8 => Step::Flip((0..ndim).filter(|_| random.flag()).collect()),
                9 if size == 1 => Step::Squeeze(a),
                10 => Step::SqueezeAll,
                11 => Step::ReverseAxes,
                12 if ndim < 6 => Step::Unsqueeze(random.below(ndim + 1)),
                13 if numel > 0 => {
                    let target = factors(random, numel);
                    Step::Reshape(target)
                }
                14 if ndim > 0 => Step::Flatten(a.min(b), a.max(b)),
                15 if size > 0 && ndim < 6 => Step::Unflatten(a, factors(random, size)),
                16 if a != b => Step::Diagonal(a, b, random.below(5) as isize - 2),
                17 if numel < 500 && ndim < 5 => {
                    let mut target: Vec<_> =
                        shape.iter().map(|&size| if size == 1 { 1 + random.below(3) } else { size }).collect();
                    if random.flag() {
                        target.insert(0, 1 + random.below(3));
                    }
                    Step::BroadcastTo(target)
                }
                18 if size > 0 && numel < 500 && ndim < 5 => {
                    let dilation = 1 + random.below(2);
                    let window = 1 + random.below((size - 1) / dilation + 1);
                    Step::Windows(a, window, 1 + random.below(2), dilation)
                }
                _ => continue,
            };
            return step;
        }
    }
}

/// `numel` as a product of up to three sizes.
pub(crate) fn factors(random: &mut Random, numel: usize) -> Vec<usize> {
    let mut left = numel;
    let mut sizes = Vec::new();
    if numel == 0 {
        return vec![random.below(3), 0];
    }
    for _ in 0..random.below(3) {
        let divisors: Vec<_> = (1..=left).filter(|&d| left.is_multiple_of(d)).collect();
        let size = divisors[random.below(divisors.len())];
        sizes.push(size);
        left /= size;
    }
    sizes.insert(random.below(sizes.len() + 1), left);
    sizes
}

/// The operations that both kinds of views have, by the same names.
macro_rules! apply {
    ($view:expr, $step:expr; $($more:tt)*) => {
        match $step {
            Step::Permute(axes) => $view.permute(axes),
            Step::Transpose(a, b) => $view.transpose(*a, *b),
            Step::T => $view.t(),
            Step::MoveAxis(from, to) => $view.move_axis(*from, *to),
            Step::SliceAxis(axis, item) => $view.slice_axis(*axis, *item),
            Step::Narrow(axis, start, len) => $view.narrow(*axis, *start, *len),
            Step::Every(axis, step) => $view.step(*axis, *step),
            Step::Select(axis, index) => $view.select(*axis, *index),
            Step::Flip(axes) => $view.flip(axes),
            Step::Squeeze(axis) => $view.squeeze(*axis),
            Step::SqueezeAll => Ok($view.squeeze_all()),
            Step::ReverseAxes => Ok($view.reverse_axes()),
            Step::Unsqueeze(axis) => $view.unsqueeze(*axis),
            Step::Reshape(target) => $view.reshape(target),
            Step::Flatten(first, last) => $view.flatten(*first, *last),
            Step::Unflatten(axis, sizes) => $view.unflatten(*axis, sizes),
            Step::Diagonal(a, b, k) => $view.diagonal(*a, *b, *k),
            $($more)*
        }
    };
}

pub(crate) fn read_step<'a, T: Element, D: Device>(view: &View<'a, T, D>, step: &Step) -> Result<View<'a, T, D>> {
    apply!(view, step;
        Step::BroadcastTo(shape) => view.broadcast_to(shape),
        Step::Windows(axis, size, step, dilation) => view.windows(*axis, *size, *step, *dilation),
    )
}

pub(crate) fn write_step<'a, T: Element, D: Device>(view: ViewMut<'a, T, D>, step: &Step) -> Result<ViewMut<'a, T, D>> {
    apply!(view, step; Step::BroadcastTo(_) | Step::Windows(..) => unreachable!("reads twice"))
}

/// A tensor of consecutive numbers from `first` on.
pub(crate) fn counting<D: Device>(device: &D, first: i64, shape: impl IntoShape) -> Tensor<i64, D> {
    let shape = Layout::row_major(shape).unwrap();
    let values: Vec<_> = (first..).take(shape.numel()).collect();
    device.tensor(&values, shape.shape()).unwrap()
}
