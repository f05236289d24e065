//! The naive twin of an offset map: an explicit table, its views cell by cell, and the check of a map against it.

use core::ops::Range;

use weft_layout::{Layout, OffsetMap};

/// The naive twin: the offset of every position, or nothing, in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Table {
    pub(crate) shape: Vec<usize>,
    pub(crate) cells: Vec<Option<usize>>,
}

/// All coordinates of a shape in row-major order.
pub(crate) fn coords(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |all, &size| {
        all.iter().flat_map(|coord| (0..size).map(move |i| [coord.as_slice(), &[i]].concat())).collect()
    })
}

impl Table {
    pub(crate) fn of(layout: &Layout) -> Table {
        let shape = layout.shape().to_vec();
        let cells = coords(&shape).iter().map(|coord| layout.offset_of(coord).ok()).collect();
        Table { shape, cells }
    }

    fn at(&self, coord: &[usize]) -> Option<usize> {
        assert!(coord.iter().zip(&self.shape).all(|(i, size)| i < size));
        self.cells[coord.iter().zip(&self.shape).fold(0, |at, (&i, &size)| at * size + i)]
    }

    /// A new table, of which each cell is the one that `from` names, or nothing.
    fn gather(&self, shape: Vec<usize>, from: impl Fn(&[usize]) -> Option<Vec<usize>>) -> Table {
        let cells = coords(&shape).iter().map(|coord| from(coord).and_then(|old| self.at(&old))).collect();
        Table { shape, cells }
    }

    pub(crate) fn pad(&self, padding: &[(usize, usize)]) -> Table {
        let shape = self.shape.iter().zip(padding).map(|(size, (before, after))| before + size + after).collect();
        self.gather(shape, |coord| {
            let old = coord.iter().zip(padding).map(|(i, (before, _))| i.checked_sub(*before));
            let old = old.collect::<Option<Vec<_>>>()?;
            old.iter().zip(&self.shape).all(|(i, size)| i < size).then_some(old)
        })
    }

    pub(crate) fn shrink(&self, ranges: &[Range<usize>]) -> Table {
        let shape = ranges.iter().map(Range::len).collect();
        self.gather(shape, |coord| Some(coord.iter().zip(ranges).map(|(i, range)| i + range.start).collect()))
    }

    pub(crate) fn permute(&self, axes: &[usize]) -> Table {
        self.gather(axes.iter().map(|&axis| self.shape[axis]).collect(), |coord| {
            let mut old = vec![0; axes.len()];
            axes.iter().zip(coord).for_each(|(&axis, &i)| old[axis] = i);
            Some(old)
        })
    }

    pub(crate) fn flip(&self, axis: usize) -> Table {
        self.gather(self.shape.clone(), |coord| {
            let mut old = coord.to_vec();
            old[axis] = self.shape[axis] - 1 - old[axis];
            Some(old)
        })
    }

    /// The indices `picked` of one axis.
    pub(crate) fn pick(&self, axis: usize, picked: &[usize]) -> Table {
        let mut shape = self.shape.clone();
        shape[axis] = picked.len();
        self.gather(shape, |coord| {
            let mut old = coord.to_vec();
            old[axis] = picked[old[axis]];
            Some(old)
        })
    }

    pub(crate) fn select(&self, axis: usize, index: usize) -> Table {
        let mut table = self.pick(axis, &[index]);
        table.shape.remove(axis);
        table
    }

    pub(crate) fn unsqueeze(&self, axis: usize) -> Table {
        let mut table = self.clone();
        table.shape.insert(axis, 1);
        table
    }

    pub(crate) fn broadcast_to(&self, shape: &[usize]) -> Table {
        let added = shape.len() - self.shape.len();
        self.gather(shape.to_vec(), |coord| {
            Some(coord[added..].iter().zip(&self.shape).map(|(&i, &size)| if size == 1 { 0 } else { i }).collect())
        })
    }

    /// Whether a box of positions at constant strides says the same: what one stage can express, by definition.
    pub(crate) fn is_single_stage(&self) -> bool {
        let valid: Vec<_> = coords(&self.shape).into_iter().filter(|coord| self.at(coord).is_some()).collect();
        let (Some(first), ndim) = (valid.first().cloned(), self.shape.len()) else {
            return true;
        };
        let bounds = |axis: usize| {
            let indices = valid.iter().map(|coord| coord[axis]);
            (indices.clone().min().unwrap(), indices.max().unwrap())
        };
        let bounds: Vec<_> = (0..ndim).map(bounds).collect();
        if bounds.iter().map(|(low, high)| high - low + 1).product::<usize>() != valid.len() {
            return false;
        }
        let base = self.at(&first).unwrap() as isize;
        let strides: Vec<_> = (0..ndim)
            .map(|axis| {
                let mut next = first.clone();
                next[axis] += 1;
                if next[axis] > bounds[axis].1 { 0 } else { self.at(&next).unwrap() as isize - base }
            })
            .collect();
        valid.iter().all(|coord| {
            let steps: isize = (0..ndim).map(|axis| (coord[axis] - first[axis]) as isize * strides[axis]).sum();
            self.at(coord).unwrap() as isize == base + steps
        })
    }
}

/// Checks every way of reading a map against the table.
#[track_caller]
pub(crate) fn check(map: &OffsetMap, table: &Table) {
    assert_eq!(map.shape(), table.shape, "{map}");
    assert_eq!(map.numel(), table.cells.len(), "{map}");
    let walk = map.offsets();
    assert_eq!(walk.len(), table.cells.len(), "{map}");
    assert_eq!(walk.collect::<Vec<_>>(), table.cells, "{map}");
    for (k, &cell) in table.cells.iter().enumerate() {
        assert_eq!(map.get(k).unwrap(), cell, "{map} at {k}");
    }
    assert!(map.get(table.cells.len()).is_err() && map.get(usize::MAX).is_err(), "{map}");
    // Every coordinate of the shape and one around it.
    let around: Vec<usize> = table.shape.iter().map(|size| size + 2).collect();
    for coord in coords(&around) {
        let coord: Vec<isize> = coord.iter().map(|&i| i as isize - 1).collect();
        let inside = coord.iter().zip(&table.shape).all(|(&i, &size)| i >= 0 && i < size as isize);
        let index: Vec<usize> = coord.iter().map(|&i| i as usize).collect();
        assert_eq!(map.get_at(&coord), if inside { table.at(&index) } else { None }, "{map} at {coord:?}");
    }
    let valid: Vec<usize> = table.cells.iter().copied().flatten().collect();
    assert_eq!(map.valid_count(), valid.len(), "{map}");
    match (valid.iter().min(), valid.iter().max()) {
        (Some(&low), Some(&high)) => assert_eq!(map.span(), low..high + 1, "{map}"),
        _ => assert!(map.span().is_empty(), "{map}"),
    }
    match map.as_layout() {
        Some(layout) => {
            assert_eq!(layout.shape(), table.shape, "{map}");
            assert_eq!(layout.offsets().map(Some).collect::<Vec<_>>(), table.cells, "{map}");
        }
        None => assert!(table.cells.contains(&None), "{map} is a layout"),
    }
    let canonical = map.canonical();
    assert!(canonical.same_map(map), "{map}");
    assert_eq!(canonical.offsets().collect::<Vec<_>>(), table.cells, "{canonical}");
}
