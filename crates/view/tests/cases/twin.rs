//! The naive twin of a view: the place in memory of every coordinate, written down, and each operation redone on that
//! table.

use weft_view::prelude::*;

use super::random::Step;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) shape: Vec<usize>,
    /// In row-major order of the coordinates.
    pub(crate) places: Vec<usize>,
}

/// Every coordinate of a shape, in row-major order.
pub(crate) fn coordinates(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |all, &size| {
        all.iter().flat_map(|at: &Vec<usize>| (0..size).map(move |i| [&at[..], &[i]].concat())).collect()
    })
}

impl Table {
    /// Memory in row-major order.
    pub(crate) fn fresh(shape: &[usize]) -> Table {
        Table { shape: shape.to_vec(), places: (0..shape.iter().product()).collect() }
    }

    /// What a layout reaches, by the definition: offset plus coordinate times stride.
    pub(crate) fn of(layout: &Layout) -> Table {
        let place = |at: Vec<usize>| {
            let moved: i128 = at.iter().zip(layout.strides()).map(|(&i, &stride)| i as i128 * stride as i128).sum();
            usize::try_from(layout.offset() as i128 + moved).unwrap()
        };
        Table { shape: layout.shape().to_vec(), places: coordinates(layout.shape()).into_iter().map(place).collect() }
    }

    pub(crate) fn at(&self, at: &[usize]) -> usize {
        let linear = at.iter().zip(&self.shape).fold(0, |linear, (&index, &size)| {
            assert!(index < size, "the twin read {at:?} of {:?}", self.shape);
            linear * size + index
        });
        self.places[linear]
    }

    fn from(&self, shape: Vec<usize>, from: impl Fn(&[usize]) -> Vec<usize>) -> Table {
        let places = coordinates(&shape).iter().map(|at| self.at(&from(at))).collect();
        Table { shape, places }
    }

    fn with_axis(&self, axis: usize, picked: &[usize]) -> Table {
        let mut shape = self.shape.clone();
        shape[axis] = picked.len();
        self.from(shape, |at| {
            let mut at = at.to_vec();
            at[axis] = picked[at[axis]];
            at
        })
    }

    fn without_axis(&self, axis: usize, index: usize) -> Table {
        let mut shape = self.shape.clone();
        shape.remove(axis);
        self.from(shape, |at| [&at[..axis], &[index], &at[axis..]].concat())
    }

    pub(crate) fn reshaped(&self, shape: &[usize]) -> Table {
        assert_eq!(self.places.len(), shape.iter().product());
        Table { shape: shape.to_vec(), places: self.places.clone() }
    }

    pub(crate) fn broadcast(&self, shape: &[usize]) -> Table {
        let new = shape.len() - self.shape.len();
        self.from(shape.to_vec(), |at| {
            at[new..].iter().zip(&self.shape).map(|(&i, &size)| if size == 1 { 0 } else { i }).collect()
        })
    }

    pub(crate) fn step(&self, step: &Step) -> Table {
        let (shape, ndim) = (&self.shape, self.shape.len());
        match step {
            Step::Permute(axes) => self.from(axes.iter().map(|&axis| shape[axis]).collect(), |at| {
                let mut from = vec![0; ndim];
                axes.iter().zip(at).for_each(|(&axis, &i)| from[axis] = i);
                from
            }),
            Step::Transpose(a, b) => {
                let mut axes: Vec<_> = (0..ndim).collect();
                axes.swap(*a, *b);
                self.step(&Step::Permute(axes))
            }
            Step::T => self.step(&Step::Transpose(ndim - 2, ndim - 1)),
            Step::ReverseAxes => self.step(&Step::Permute((0..ndim).rev().collect())),
            Step::MoveAxis(from, to) => {
                let mut axes: Vec<_> = (0..ndim).collect();
                let axis = axes.remove(*from);
                axes.insert(*to, axis);
                self.step(&Step::Permute(axes))
            }
            Step::SliceAxis(axis, SliceItem::Range { start, stop, step }) => {
                self.with_axis(*axis, &python_range(*start, *stop, *step, shape[*axis]))
            }
            Step::SliceAxis(..) => unreachable!("ranges only"),
            Step::Narrow(axis, start, len) => self.with_axis(*axis, &(*start..start + len).collect::<Vec<_>>()),
            Step::Every(axis, step) => self.with_axis(*axis, &python_range(None, None, *step, shape[*axis])),
            Step::Select(axis, index) => {
                let index = if *index < 0 { index + shape[*axis] as isize } else { *index };
                self.without_axis(*axis, index as usize)
            }
            Step::Flip(axes) => axes
                .iter()
                .fold(self.clone(), |table, &axis| table.with_axis(axis, &(0..shape[axis]).rev().collect::<Vec<_>>())),
            Step::Squeeze(axis) => self.without_axis(*axis, 0),
            Step::SqueezeAll => self.reshaped(&shape.iter().copied().filter(|&size| size != 1).collect::<Vec<_>>()),
            Step::Unsqueeze(axis) => self.reshaped(&[&shape[..*axis], &[1], &shape[*axis..]].concat()),
            Step::Reshape(target) => self.reshaped(target),
            Step::Flatten(first, last) => {
                let merged = shape[*first..=*last].iter().product();
                self.reshaped(&[&shape[..*first], &[merged], &shape[last + 1..]].concat())
            }
            Step::Unflatten(axis, sizes) => self.reshaped(&[&shape[..*axis], sizes, &shape[axis + 1..]].concat()),
            Step::Diagonal(a, b, k) => {
                let (down, right) = ((-k).max(0) as usize, (*k).max(0) as usize);
                let size = shape[*a].saturating_sub(down).min(shape[*b].saturating_sub(right));
                let mut rest = shape.clone();
                rest.remove(*a.max(b));
                rest.remove(*a.min(b));
                rest.push(size);
                self.from(rest, |at| {
                    let (&i, others) = at.split_last().unwrap();
                    let mut others = others.iter();
                    let pick = |axis| match axis {
                        axis if axis == *a => i + down,
                        axis if axis == *b => i + right,
                        _ => *others.next().unwrap(),
                    };
                    (0..ndim).map(pick).collect()
                })
            }
            Step::BroadcastTo(target) => self.broadcast(target),
            Step::Windows(axis, size, step, dilation) => {
                let count = (shape[*axis] - ((size - 1) * dilation + 1)) / step + 1;
                let mut target = shape.clone();
                target[*axis] = count;
                target.push(*size);
                self.from(target, |at| {
                    let (&inside, at) = at.split_last().unwrap();
                    let mut at = at.to_vec();
                    at[*axis] = at[*axis] * step + inside * dilation;
                    at
                })
            }
        }
    }
}

/// The indices of Python's `range(size)[start:stop:step]`, one at a time.
fn python_range(start: Option<isize>, stop: Option<isize>, step: isize, size: usize) -> Vec<usize> {
    let size = size as isize;
    let from_end = |i: isize| if i < 0 { i + size } else { i };
    let (low, high) = if step > 0 { (0, size) } else { (-1, size - 1) };
    let mut at = start.map_or(if step > 0 { 0 } else { size - 1 }, |i| from_end(i).clamp(low, high));
    let stop = stop.map_or(if step > 0 { size } else { -1 }, |i| from_end(i).clamp(low, high));
    let mut indices = Vec::new();
    while (step > 0 && at < stop) || (step < 0 && at > stop) {
        indices.push(at as usize);
        at += step;
    }
    indices
}
