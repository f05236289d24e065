//! Random layouts and random calls: strategies for proptest, and a small generator for arguments that depend on a shape.

use proptest::prelude::*;
use weft_layout::{Layout, Order, SliceItem};

use super::views::View;

/// Random cases without a file of past failures: whatever failed once becomes a named test.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// No table gets longer than this.
pub(crate) const MOST: usize = 2000;

/// Layouts of rank 0 to 5 with sizes 0 to 6: fresh ones in any axis order, with gaps, flips, stride 0, free strides that
/// overlap, and wild strides on axes that never move.
pub(crate) fn layouts() -> impl Strategy<Value = Layout> {
    let size = prop_oneof![8 => 2usize..=6, 3 => Just(1usize), 1 => Just(0usize)];
    let axis = (size, stride_kind());
    (prop::collection::vec(axis, 0..=5), any::<u64>(), 0usize..10).prop_filter_map(
        "too many elements",
        |(axes, seed, spare)| {
            let shape: Vec<usize> = axes.iter().map(|&(size, _)| size).collect();
            let mut order: Vec<usize> = (0..axes.len()).collect();
            // Half of all layouts have their axes in row-major order.
            if seed % 2 == 0 {
                Dice(seed).shuffle(&mut order);
            }
            let mut strides = vec![0isize; axes.len()];
            let mut next = 1;
            for &at in order.iter().rev() {
                let size = shape[at].max(1) as isize;
                strides[at] = match axes[at].1 {
                    Stride::Next { gap, sign } => {
                        next *= gap;
                        next * sign
                    }
                    Stride::Free(stride) => stride,
                    Stride::Wild(stride) if size == 1 => stride,
                    Stride::Wild(_) => next,
                };
                next *= size;
            }
            let empty = shape.contains(&0);
            let back: usize = shape
                .iter()
                .zip(&strides)
                .filter(|&(&size, &stride)| !empty && size > 1 && stride < 0)
                .map(|(&size, &stride)| (size - 1) * stride.unsigned_abs())
                .sum();
            let small = shape.iter().product::<usize>() <= MOST;
            small.then(|| Layout::from_parts(&shape, &strides, back + spare).unwrap())
        },
    )
}

#[derive(Clone, Copy, Debug)]
enum Stride {
    /// The axis goes on where the faster axes end, or a little further, forwards or backwards.
    Next {
        gap: isize,
        sign: isize,
    },
    Free(isize),
    /// Only for axes of size 1.
    Wild(isize),
}

fn stride_kind() -> impl Strategy<Value = Stride> {
    prop_oneof![
        6 => Just(Stride::Next { gap: 1, sign: 1 }),
        2 => (1isize..=3, prop_oneof![Just(1isize), Just(-1isize)]).prop_map(|(gap, sign)| Stride::Next { gap, sign }),
        1 => Just(Stride::Free(0)),
        1 => (-9isize..=9).prop_map(Stride::Free),
        1 => prop_oneof![Just(isize::MIN), Just(isize::MAX), any::<isize>()].prop_map(Stride::Wild),
    ]
}

/// A small generator (splitmix64), because what a call may be depends on the layout at hand.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of `low..=high`.
    pub(crate) fn pick(&mut self, low: isize, high: isize) -> isize {
        low + (self.roll() % (high - low + 1) as u64) as isize
    }

    pub(crate) fn index(&mut self, len: usize) -> usize {
        (self.roll() % len.max(1) as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.roll().is_multiple_of(n)
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }

    /// An axis of `ndim`, counted from either end; now and then one that does not exist.
    fn axis(&mut self, ndim: usize) -> isize {
        let ndim = ndim as isize;
        let slack = isize::from(self.one_in(12));
        if ndim + slack == 0 { 0 } else { self.pick(-ndim - slack, ndim - 1 + slack) }
    }

    fn range(&mut self, size: usize) -> SliceItem {
        let bound = size as isize + 2;
        let end = |dice: &mut Dice| (!dice.one_in(3)).then(|| dice.pick(-bound, bound));
        let (start, stop) = (end(self), end(self));
        let step = if self.one_in(2) { 1 } else { self.pick(-3, 3) };
        match stop {
            Some(last) if self.one_in(3) => SliceItem::Inclusive { start, last, step },
            _ => SliceItem::Range { start, stop, step },
        }
    }

    /// Sizes that multiply to `numel`; now and then one becomes -1, and now and then they are wrong.
    fn sizes(&mut self, numel: usize) -> Vec<isize> {
        let mut sizes = vec![];
        let mut left = numel;
        while left > 1 && sizes.len() < 6 {
            let divisors: Vec<usize> = (1..=left).filter(|&d| left.is_multiple_of(d)).collect();
            let size = divisors[self.index(divisors.len())];
            sizes.push(size as isize);
            left /= size;
        }
        sizes.push(left as isize);
        if numel == 0 || self.one_in(3) {
            sizes.push(self.pick(0, 3));
        }
        if self.one_in(2) {
            self.shuffle(&mut sizes);
        }
        if self.one_in(4) {
            let at = self.index(sizes.len());
            sizes[at] = if self.one_in(6) { self.pick(-2, 5) } else { -1 };
        }
        sizes
    }

    /// A call on a layout of `shape`, mostly a legal one.
    pub(crate) fn view(&mut self, shape: &[usize]) -> View {
        let ndim = shape.len();
        let axis = self.axis(ndim);
        let size = match usize::try_from(if axis < 0 { axis + ndim as isize } else { axis }) {
            Ok(at) if at < ndim => shape[at],
            _ => 3,
        };
        let signed = size as isize;
        match self.pick(0, 23) {
            0 => {
                let mut axes: Vec<isize> = (0..ndim as isize).collect();
                self.shuffle(&mut axes);
                if self.one_in(3) {
                    axes.iter_mut().for_each(|axis| *axis -= ndim as isize);
                }
                if self.one_in(10) {
                    axes.push(0);
                }
                if self.one_in(10) && ndim > 0 {
                    axes[0] = self.axis(ndim);
                }
                View::Permute(axes)
            }
            1 => View::Transpose(axis, self.axis(ndim)),
            2 => View::T,
            3 => View::ReverseAxes,
            4 => View::MoveAxis(axis, self.axis(ndim)),
            5 => {
                let mut items: Vec<SliceItem> = vec![];
                for &size in shape.iter().take(self.index(ndim + 1)) {
                    items.push(match self.pick(0, 4) {
                        0 if size > 0 => SliceItem::Index(self.pick(-(size as isize), size as isize - 1)),
                        _ => self.range(size),
                    });
                }
                for item in [SliceItem::NewAxis, SliceItem::NewAxis, SliceItem::Ellipsis] {
                    if self.one_in(3) {
                        items.insert(self.index(items.len() + 1), item);
                    }
                }
                if self.one_in(20) {
                    items.push(SliceItem::Ellipsis);
                }
                View::Slice(items)
            }
            6 => View::SliceAxis(axis, self.range(size)),
            7 => {
                let items = [SliceItem::NewAxis, SliceItem::Ellipsis, SliceItem::Index(self.pick(-signed, signed))];
                View::SliceAxis(axis, items[self.index(3)])
            }
            8 => View::Narrow(axis, self.index(size + 1), self.index(size + 1)),
            9 => View::Step(axis, self.pick(-4, 4)),
            10 => View::Select(axis, self.pick(-signed, signed)),
            11 => {
                let mut axes: Vec<isize> = (0..ndim as isize).filter(|_| self.one_in(2)).collect();
                self.shuffle(&mut axes);
                if self.one_in(10) {
                    axes.push(axis);
                }
                View::Flip(axes)
            }
            12 => View::Squeeze(shape.iter().position(|&size| size == 1).map_or(axis, |at| at as isize)),
            13 => View::SqueezeAll,
            14 => View::Unsqueeze(self.axis(ndim + 1)),
            15 => {
                let mut wanted: Vec<usize> =
                    shape.iter().map(|&size| if size == 1 { self.index(4) } else { size }).collect();
                if self.one_in(2) && wanted.iter().product::<usize>() < MOST / 4 {
                    wanted.insert(0, self.index(4));
                }
                if self.one_in(10) && !wanted.is_empty() {
                    let at = self.index(wanted.len());
                    wanted[at] = self.index(4);
                }
                if self.one_in(20) {
                    wanted.pop();
                }
                View::BroadcastTo(wanted)
            }
            16 | 17 => {
                let order = if self.one_in(3) { Order::ColMajor } else { Order::RowMajor };
                View::Reshape(self.sizes(shape.iter().product()), order)
            }
            18 => View::Flatten(axis, self.axis(ndim)),
            19 => View::Unflatten(axis, self.sizes(size)),
            20 => View::Diagonal(axis, self.axis(ndim), self.pick(-signed, signed)),
            21 => View::Windows(axis, self.index(size + 2), self.index(3) + 1, self.index(3) + 1),
            22 => match self.pick(0, 2) {
                0 => View::SplitLeft(axis, self.index(size + 2)),
                1 => View::SplitRight(axis, self.index(size + 2)),
                _ => View::Chunk(axis, self.index(4), self.index(4)),
            },
            _ => {
                let sizes = [0, 1, 2, 4, 8, 16, 3];
                let from = sizes[if self.one_in(20) { 0 } else { 1 + self.index(6) }];
                View::Recast(from, sizes[if self.one_in(20) { 0 } else { 1 + self.index(6) }])
            }
        }
    }

    /// A call on a layout of any rank with arguments from the ends of their types.
    pub(crate) fn hostile_view(&mut self, ndim: usize) -> View {
        let axis = |dice: &mut Dice| if dice.one_in(2) { dice.axis(ndim) } else { dice.signed() };
        let item = |dice: &mut Dice| match dice.pick(0, 5) {
            0 => SliceItem::Index(dice.signed()),
            1 => SliceItem::NewAxis,
            2 => SliceItem::Ellipsis,
            _ => {
                let start = (!dice.one_in(3)).then(|| dice.signed());
                let stop = (!dice.one_in(3)).then(|| dice.signed());
                SliceItem::Range { start, stop, step: dice.signed() }
            }
        };
        let at = axis(self);
        let len = self.index(ndim + 3);
        match self.pick(0, 19) {
            0 => View::Permute((0..len).map(|_| axis(self)).collect()),
            1 => View::Transpose(at, axis(self)),
            2 => View::MoveAxis(at, axis(self)),
            3 => View::Slice((0..len).map(|_| item(self)).collect()),
            4 => View::SliceAxis(at, item(self)),
            5 => View::Narrow(at, self.unsigned(), self.unsigned()),
            6 => View::Step(at, self.signed()),
            7 => View::Select(at, self.signed()),
            8 => View::Flip((0..len).map(|_| axis(self)).collect()),
            9 => View::Squeeze(at),
            10 => View::Unsqueeze(at),
            11 => View::BroadcastTo((0..len).map(|_| self.unsigned()).collect()),
            12 => View::Reshape((0..len).map(|_| self.signed()).collect(), Order::RowMajor),
            13 => View::Reshape((0..len).map(|_| self.signed()).collect(), Order::ColMajor),
            14 => View::Flatten(at, axis(self)),
            15 => View::Unflatten(at, (0..len).map(|_| self.signed()).collect()),
            16 => View::Diagonal(at, axis(self), self.signed()),
            17 => View::Windows(at, self.unsigned(), self.unsigned(), self.unsigned()),
            18 => View::SplitRight(at, self.unsigned()),
            _ => View::Recast(self.unsigned(), self.unsigned()),
        }
    }

    /// A number as malice would choose it.
    pub(crate) fn signed(&mut self) -> isize {
        let ends = [isize::MIN, isize::MIN + 1, isize::MAX, isize::MAX - 1, 1 << 62, -(1 << 62), (1 << 32) + 1];
        if self.one_in(2) { self.pick(-3, 6) } else { ends[self.index(ends.len())] }
    }

    pub(crate) fn unsigned(&mut self) -> usize {
        let ends = [usize::MAX, usize::MAX - 1, 1 << 63, isize::MAX as usize, 1 << 62, (1 << 32) + 1];
        if self.one_in(2) { self.index(7) } else { ends[self.index(ends.len())] }
    }
}

impl View {
    /// A reshape in row-major order, mostly a legal one.
    pub(crate) fn random_reshape(dice: &mut Dice, shape: &[usize]) -> View {
        View::Reshape(dice.sizes(shape.iter().product()), Order::RowMajor)
    }
}
