//! Every view operation twice: on a layout, and on its table by definition.

use weft_layout::{Layout, LayoutError, Order, SliceItem};

use super::{Table, coordinates};

/// One call of one view operation, with its arguments as a caller writes them.
#[derive(Clone, Debug)]
pub(crate) enum View {
    Permute(Vec<isize>),
    Transpose(isize, isize),
    T,
    ReverseAxes,
    MoveAxis(isize, isize),
    Slice(Vec<SliceItem>),
    SliceAxis(isize, SliceItem),
    Narrow(isize, usize, usize),
    Step(isize, isize),
    Select(isize, isize),
    Flip(Vec<isize>),
    Squeeze(isize),
    SqueezeAll,
    Unsqueeze(isize),
    BroadcastTo(Vec<usize>),
    Reshape(Vec<isize>, Order),
    Flatten(isize, isize),
    Unflatten(isize, Vec<isize>),
    Diagonal(isize, isize, isize),
    Windows(isize, usize, usize, usize),
    SplitLeft(isize, usize),
    SplitRight(isize, usize),
    /// The chunk with the given number, counted round where there are fewer.
    Chunk(isize, usize, usize),
    Recast(usize, usize),
}

impl View {
    /// The operation on a layout. `None`: a chunk of an axis without chunks.
    pub(crate) fn apply(&self, layout: &Layout) -> Option<Result<Layout, LayoutError>> {
        Some(match self {
            View::Permute(axes) => layout.permute(axes),
            View::Transpose(a, b) => layout.transpose(*a, *b),
            View::T => layout.t(),
            View::ReverseAxes => Ok(layout.reverse_axes()),
            View::MoveAxis(from, to) => layout.move_axis(*from, *to),
            View::Slice(items) => layout.slice(items),
            View::SliceAxis(axis, item) => layout.slice_axis(*axis, *item),
            View::Narrow(axis, start, len) => layout.narrow(*axis, *start, *len),
            View::Step(axis, step) => layout.step(*axis, *step),
            View::Select(axis, index) => layout.select(*axis, *index),
            View::Flip(axes) => layout.flip(axes),
            View::Squeeze(axis) => layout.squeeze(*axis),
            View::SqueezeAll => Ok(layout.squeeze_all()),
            View::Unsqueeze(axis) => layout.unsqueeze(*axis),
            View::BroadcastTo(shape) => layout.broadcast_to(shape),
            View::Reshape(to, Order::RowMajor) => layout.reshape(to),
            View::Reshape(to, order) => layout.reshape_in(to, *order),
            View::Flatten(first, last) => layout.flatten(*first, *last),
            View::Unflatten(axis, sizes) => layout.unflatten(*axis, sizes),
            View::Diagonal(a, b, k) => layout.diagonal(*a, *b, *k),
            View::Windows(axis, size, step, dilation) => layout.windows(*axis, *size, *step, *dilation),
            View::SplitLeft(axis, mid) => layout.split_at(*axis, *mid).map(|(left, _)| left),
            View::SplitRight(axis, mid) => layout.split_at(*axis, *mid).map(|(_, right)| right),
            View::Chunk(axis, size, which) => match layout.chunks(*axis, *size) {
                Err(error) => Err(error),
                Ok(chunks) if chunks.len() == 0 => return None,
                Ok(mut chunks) => {
                    let which = which % chunks.len();
                    Ok(chunks.nth(which).expect("as many chunks as it said"))
                }
            },
            View::Recast(from, to) => layout.recast(*from, *to),
        })
    }

    /// The operation on the table of a layout; `None` where it must be refused (or there is no chunk).
    pub(crate) fn apply_naive(&self, table: &Table) -> Option<Table> {
        let axis = |axis: isize| resolve(axis, table.ndim());
        match self {
            View::Permute(axes) => {
                let axes = axes.iter().map(|&at| axis(at)).collect::<Option<Vec<_>>>()?;
                let mut sorted = axes.clone();
                sorted.sort_unstable();
                (sorted == (0..table.ndim()).collect::<Vec<_>>()).then(|| table.permute(&axes))
            }
            View::Transpose(a, b) => Some(table.swap(axis(*a)?, axis(*b)?)),
            View::T => (table.ndim() >= 2).then(|| table.swap(table.ndim() - 2, table.ndim() - 1)),
            View::ReverseAxes => Some(table.reverse_axes()),
            View::MoveAxis(from, to) => {
                let mut axes: Vec<usize> = (0..table.ndim()).collect();
                let moved = axes.remove(axis(*from)?);
                axes.insert(axis(*to)?, moved);
                Some(table.permute(&axes))
            }
            View::Slice(items) => table.slice(items),
            View::SliceAxis(at, item) => {
                let at = axis(*at)?;
                if *item == SliceItem::Ellipsis {
                    return Some(table.clone());
                }
                let whole = SliceItem::Range { start: None, stop: None, step: 1 };
                table.slice(&[vec![whole; at], vec![*item]].concat())
            }
            View::Narrow(at, start, len) => {
                let at = axis(*at)?;
                let end = start.checked_add(*len).filter(|&end| end <= table.shape[at])?;
                Some(table.pick(at, &(*start..end).collect::<Vec<_>>()))
            }
            View::Step(at, step) => {
                let at = axis(*at)?;
                let picked = indices(table.shape[at], None, None, *step)?;
                Some(table.pick(at, &picked))
            }
            View::Select(at, index) => {
                let at = axis(*at)?;
                let index = resolve(*index, table.shape[at])?;
                Some(table.pick(at, &[index]).drop_unit(at))
            }
            View::Flip(axes) => {
                let mut flipped = table.clone();
                for (i, &at) in axes.iter().enumerate() {
                    let at = axis(at)?;
                    if axes[..i].iter().any(|&before| axis(before) == Some(at)) {
                        return None;
                    }
                    let backwards: Vec<usize> = (0..table.shape[at]).rev().collect();
                    flipped = flipped.pick(at, &backwards);
                }
                Some(flipped)
            }
            View::Squeeze(at) => {
                let at = axis(*at)?;
                (table.shape[at] == 1).then(|| table.clone().drop_unit(at))
            }
            View::SqueezeAll => {
                let shape: Vec<usize> = table.shape.iter().copied().filter(|&size| size != 1).collect();
                Some(Table { shape, offsets: table.offsets.clone() })
            }
            View::Unsqueeze(at) => {
                let at = resolve(*at, table.ndim() + 1)?;
                let mut shape = table.shape.clone();
                shape.insert(at, 1);
                Some(Table { shape, offsets: table.offsets.clone() })
            }
            View::BroadcastTo(shape) => table.broadcast(shape),
            View::Reshape(to, order) => {
                let shape = infer(to, table.numel())?;
                let reshaped = match order {
                    Order::RowMajor => Table { shape, offsets: table.offsets.clone() },
                    Order::ColMajor => {
                        let backwards = shape.iter().rev().copied().collect();
                        Table { shape: backwards, offsets: table.reverse_axes().offsets }.reverse_axes()
                    }
                };
                reshaped.strides().is_some().then_some(reshaped)
            }
            // One element flattens to one axis, which is what the axes then count.
            View::Flatten(first, last) if table.ndim() == 0 => (resolve(*first, 1).is_some()
                && resolve(*last, 1).is_some())
            .then(|| Table { shape: vec![1], offsets: table.offsets.clone() }),
            View::Flatten(first, last) => {
                let (first, last) = (axis(*first)?, axis(*last)?);
                let merged = table.shape.get(first..=last)?.iter().product();
                let shape = [&table.shape[..first], &[merged], &table.shape[last + 1..]].concat();
                let flat = Table { shape, offsets: table.offsets.clone() };
                (first <= last && flat.strides().is_some()).then_some(flat)
            }
            View::Unflatten(at, sizes) => {
                let at = axis(*at)?;
                let sizes = infer(sizes, table.shape[at])?;
                let shape = [&table.shape[..at], &sizes, &table.shape[at + 1..]].concat();
                Some(Table { shape, offsets: table.offsets.clone() })
            }
            View::Diagonal(a, b, k) => table.diagonal(axis(*a)?, axis(*b)?, *k),
            View::Windows(at, size, step, dilation) => table.windows(axis(*at)?, *size, *step, *dilation),
            View::SplitLeft(at, mid) => {
                let at = axis(*at)?;
                (*mid <= table.shape[at]).then(|| table.pick(at, &(0..*mid).collect::<Vec<_>>()))
            }
            View::SplitRight(at, mid) => {
                let at = axis(*at)?;
                (*mid <= table.shape[at]).then(|| table.pick(at, &(*mid..table.shape[at]).collect::<Vec<_>>()))
            }
            View::Chunk(at, size, which) => {
                let at = axis(*at)?;
                let all: Vec<usize> = (0..table.shape[at]).collect();
                let chunks: Vec<&[usize]> = if *size == 0 { return None } else { all.chunks(*size).collect() };
                let which = which.checked_rem(chunks.len())?;
                Some(table.pick(at, chunks[which]))
            }
            View::Recast(from, to) => table.recast(*from, *to),
        }
    }
}

/// `index` counted from the front, negative from the end.
fn resolve(index: isize, size: usize) -> Option<usize> {
    (0..size).find(|&at| at as i128 == index as i128 || at as i128 - size as i128 == index as i128)
}

/// What Python's `slice(start, stop, step).indices(size)` reads, by its description; `None` for a step of 0.
fn indices(size: usize, start: Option<isize>, stop: Option<isize>, step: isize) -> Option<Vec<usize>> {
    let (size, step) = (size as i128, step as i128);
    let (lower, upper) = if step > 0 { (0, size) } else { (-1, size - 1) };
    let bound = |given: Option<isize>, absent: i128| match given.map(|at| at as i128) {
        None => absent,
        Some(at) if at < 0 => (at + size).max(lower),
        Some(at) => at.min(upper),
    };
    let forwards = step > 0;
    let mut at = bound(start, if forwards { lower } else { upper });
    let stop = bound(stop, if forwards { upper } else { lower });
    let mut read = vec![];
    while step != 0 && if forwards { at < stop } else { at > stop } {
        read.push(at as usize);
        at += step;
    }
    (step != 0).then_some(read)
}

/// Sizes for what was written: at most one -1, and the product is `numel`.
fn infer(written: &[isize], numel: usize) -> Option<Vec<usize>> {
    let candidates = |unknown: usize| {
        written.iter().map(move |&size| if size == -1 { Some(unknown) } else { usize::try_from(size).ok() })
    };
    // The definition of -1: the one size for which the counts agree.
    let fitting: Vec<Vec<usize>> = (0..=numel.max(1))
        .filter_map(|unknown| candidates(unknown).collect::<Option<Vec<usize>>>())
        .filter(|shape| shape.iter().product::<usize>() == numel)
        .collect();
    match written.iter().filter(|&&size| size == -1).count() {
        0 => fitting.first().cloned(),
        1 if fitting.len() == 1 => fitting.first().cloned(),
        _ => None,
    }
}

impl Table {
    fn permute(&self, axes: &[usize]) -> Table {
        let shape: Vec<usize> = axes.iter().map(|&axis| self.shape[axis]).collect();
        self.view(&shape, |coord| {
            let mut from = vec![0; coord.len()];
            for (&axis, &index) in axes.iter().zip(coord) {
                from[axis] = index;
            }
            from
        })
    }

    fn swap(&self, a: usize, b: usize) -> Table {
        let mut axes: Vec<usize> = (0..self.ndim()).collect();
        axes.swap(a, b);
        self.permute(&axes)
    }

    pub(crate) fn reverse_axes(&self) -> Table {
        self.permute(&(0..self.ndim()).rev().collect::<Vec<_>>())
    }

    /// The indices `picked` of one axis.
    fn pick(&self, axis: usize, picked: &[usize]) -> Table {
        let mut shape = self.shape.clone();
        shape[axis] = picked.len();
        self.view(&shape, |coord| {
            let mut from = coord.to_vec();
            from[axis] = picked[coord[axis]];
            from
        })
    }

    fn drop_unit(mut self, axis: usize) -> Table {
        assert_eq!(self.shape.remove(axis), 1);
        self
    }

    fn slice(&self, items: &[SliceItem]) -> Option<Table> {
        let consumes = |item: &&SliceItem| !matches!(item, SliceItem::NewAxis | SliceItem::Ellipsis);
        let rest = self.ndim().checked_sub(items.iter().filter(consumes).count())?;
        if items.iter().filter(|item| **item == SliceItem::Ellipsis).count() > 1 {
            return None;
        }
        // Axis by axis on the table; new axes and dropped axes shift what comes after.
        let (mut sliced, mut axis) = (self.clone(), 0);
        for item in items {
            match *item {
                SliceItem::Index(index) => {
                    let index = resolve(index, sliced.shape[axis])?;
                    sliced = sliced.pick(axis, &[index]).drop_unit(axis);
                }
                SliceItem::Range { start, stop, step } => {
                    let picked = indices(sliced.shape[axis], start, stop, step)?;
                    sliced = sliced.pick(axis, &picked);
                    axis += 1;
                }
                SliceItem::Inclusive { start, last, step } => {
                    // Every index on the way, `last` included where the steps meet it: forwards up to it, backwards down to it.
                    let size = sliced.shape[axis] as isize;
                    let last = if last < 0 { last.saturating_add(size) } else { last };
                    let mut picked = indices(sliced.shape[axis], start, None, step)?;
                    picked.retain(|&i| if step > 0 { i as isize <= last } else { i as isize >= last });
                    sliced = sliced.pick(axis, &picked);
                    axis += 1;
                }
                SliceItem::NewAxis => {
                    sliced.shape.insert(axis, 1);
                    axis += 1;
                }
                SliceItem::Ellipsis => axis += rest,
            }
        }
        Some(sliced)
    }

    fn broadcast(&self, shape: &[usize]) -> Option<Table> {
        let lead = shape.len().checked_sub(self.ndim())?;
        let fits = self.shape.iter().zip(&shape[lead..]).all(|(&size, &want)| size == want || size == 1);
        fits.then(|| {
            self.view(shape, |coord| {
                coord[lead..].iter().zip(&self.shape).map(|(&index, &size)| if size == 1 { 0 } else { index }).collect()
            })
        })
    }

    fn diagonal(&self, a: usize, b: usize, k: isize) -> Option<Table> {
        if a == b {
            return None;
        }
        let pairs: Vec<(usize, usize)> = coordinates(&[self.shape[a], self.shape[b]])
            .iter()
            .map(|at| (at[0], at[1]))
            .filter(|&(i, j)| j as i128 - i as i128 == k as i128)
            .collect();
        let kept: Vec<usize> = (0..self.ndim()).filter(|&axis| axis != a && axis != b).collect();
        let shape: Vec<usize> = kept.iter().map(|&axis| self.shape[axis]).chain([pairs.len()]).collect();
        Some(self.view(&shape, |coord| {
            let mut from = vec![0; self.ndim()];
            for (&axis, &index) in kept.iter().zip(coord) {
                from[axis] = index;
            }
            (from[a], from[b]) = pairs[coord[kept.len()]];
            from
        }))
    }

    fn windows(&self, axis: usize, size: usize, step: usize, dilation: usize) -> Option<Table> {
        if size == 0 || step == 0 || dilation == 0 {
            return None;
        }
        let last = |start: usize| (size - 1).checked_mul(dilation)?.checked_add(start);
        let starts: Vec<usize> = (0..self.shape[axis])
            .step_by(step)
            .filter(|&at| last(at).is_some_and(|last| last < self.shape[axis]))
            .collect();
        if starts.is_empty() {
            return None;
        }
        let mut shape = self.shape.clone();
        shape[axis] = starts.len();
        shape.push(size);
        Some(self.view(&shape, |coord| {
            let mut from = coord[..self.ndim()].to_vec();
            from[axis] = starts[coord[axis]] + coord[self.ndim()] * dilation;
            from
        }))
    }

    fn recast(&self, from: usize, to: usize) -> Option<Table> {
        if from == 0 || to == 0 {
            return None;
        }
        if from == to {
            return Some(self.clone());
        }
        let mut shape = self.shape.clone();
        let last = shape.last_mut()?;
        let recast = if from.is_multiple_of(to) {
            let ratio = from / to;
            *last *= ratio;
            let offsets = self.offsets.iter().flat_map(|&at| at * ratio..(at + 1) * ratio).collect();
            Table { shape, offsets }
        } else if to.is_multiple_of(from) && last.is_multiple_of(to / from) {
            let ratio = to / from;
            *last /= ratio;
            let whole = |parts: &[usize]| {
                let run = parts.windows(2).all(|pair| pair[1] == pair[0] + 1);
                (run && parts[0].is_multiple_of(ratio)).then(|| parts[0] / ratio)
            };
            Table { shape, offsets: self.offsets.chunks(ratio).map(whole).collect::<Option<_>>()? }
        } else {
            return None;
        };
        recast.strides().is_some().then_some(recast)
    }
}
