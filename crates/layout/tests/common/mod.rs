//! The naive twin of a layout: [`Table`] writes down the offset of every coordinate, and each operation and fact is redone
//! on the table by its definition. Nothing here computes with strides.

#![allow(dead_code, reason = "every test file uses another part of the twin")]

pub(crate) mod facts;
pub(crate) mod random;
pub(crate) mod views;

use weft_layout::Layout;

/// An explicit map from coordinates, in row-major order, to offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) shape: Vec<usize>,
    pub(crate) offsets: Vec<usize>,
}

impl Table {
    /// The table of a layout, by the definition: offset plus coordinate times stride, in wide integers.
    #[track_caller]
    pub(crate) fn of(layout: &Layout) -> Table {
        let offset = |coord: &Vec<usize>| {
            let moved: i128 = coord.iter().zip(layout.strides()).map(|(&i, &s)| i as i128 * s as i128).sum();
            usize::try_from(layout.offset() as i128 + moved).expect("L3: a reachable offset is not negative")
        };
        Table { shape: layout.shape().to_vec(), offsets: coordinates(layout.shape()).iter().map(offset).collect() }
    }

    pub(crate) fn numel(&self) -> usize {
        self.offsets.len()
    }

    pub(crate) fn ndim(&self) -> usize {
        self.shape.len()
    }

    pub(crate) fn at(&self, coord: &[usize]) -> usize {
        let linear = coord.iter().zip(&self.shape).fold(0, |linear, (&index, &size)| {
            assert!(index < size, "the twin read {coord:?} outside {:?}", self.shape);
            linear * size + index
        });
        self.offsets[linear]
    }

    /// The table of another shape that reads, at each coordinate, what `self` has at `from(coordinate)`.
    pub(crate) fn view(&self, shape: &[usize], from: impl Fn(&[usize]) -> Vec<usize>) -> Table {
        Table { shape: shape.to_vec(), offsets: coordinates(shape).iter().map(|coord| self.at(&from(coord))).collect() }
    }

    /// The strides of a layout with this table, found by looking one step along each axis; none where no strides say
    /// the same as the table. Axes that never move get 0.
    pub(crate) fn strides(&self) -> Option<Vec<isize>> {
        let Some(&first) = self.offsets.first() else {
            return Some(vec![0; self.ndim()]);
        };
        let step = |axis: usize| {
            if self.shape[axis] < 2 {
                return 0;
            }
            let mut coord = vec![0; self.ndim()];
            coord[axis] = 1;
            self.at(&coord) as isize - first as isize
        };
        let strides: Vec<isize> = (0..self.ndim()).map(step).collect();
        let same = coordinates(&self.shape).iter().zip(&self.offsets).all(|(coord, &offset)| {
            let moved: isize = coord.iter().zip(&strides).map(|(&i, &s)| i as isize * s).sum();
            first as isize + moved == offset as isize
        });
        same.then_some(strides)
    }
}

/// Every coordinate of a shape, in row-major order.
pub(crate) fn coordinates(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &size in shape {
        all = all.iter().flat_map(|coord| (0..size).map(move |index| [&coord[..], &[index]].concat())).collect();
    }
    all
}

/// L1 to L3 hold for `layout`: its parts are accepted again.
#[track_caller]
pub(crate) fn upholds_invariants(layout: &Layout) {
    let again = Layout::from_parts(layout.shape(), layout.strides(), layout.offset());
    assert_eq!(again.as_ref(), Ok(layout), "a layout that from_parts refuses");
}

/// The layout `shape:strides@offset`.
#[track_caller]
pub(crate) fn parts<const N: usize>(shape: [usize; N], strides: [isize; N], offset: usize) -> Layout {
    Layout::from_parts(&shape, &strides, offset).unwrap()
}

/// The row-major layout of a shape.
#[track_caller]
pub(crate) fn row_major<const N: usize>(shape: [usize; N]) -> Layout {
    Layout::row_major(shape).unwrap()
}

/// The col-major layout of a shape.
#[track_caller]
pub(crate) fn col_major<const N: usize>(shape: [usize; N]) -> Layout {
    Layout::col_major(shape).unwrap()
}
