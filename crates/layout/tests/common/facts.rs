//! What a layout says about itself, redone on its table, and the checks that compare the two.

use std::collections::BTreeSet;

use weft_layout::Layout;

use super::{Table, coordinates};

impl Table {
    /// Whether the offsets, in the order of the table, are one run.
    pub(crate) fn is_run(&self) -> bool {
        self.offsets.windows(2).all(|pair| pair[1] == pair[0] + 1)
    }

    pub(crate) fn is_col_major(&self) -> bool {
        self.reverse_axes().is_run()
    }

    pub(crate) fn is_dense(&self) -> bool {
        let mut sorted = self.clone();
        sorted.offsets.sort_unstable();
        sorted.is_run()
    }

    /// Whether every index of one axis reads the same.
    pub(crate) fn stands_still(&self, axis: usize) -> bool {
        coordinates(&self.shape).iter().all(|coord| {
            let mut first = coord.clone();
            first[axis] = 0;
            self.at(coord) == self.at(&first)
        })
    }

    /// Whether some axis of size 2 or more reads the same at every index.
    pub(crate) fn is_broadcast(&self) -> bool {
        self.numel() > 0 && (0..self.ndim()).any(|axis| self.shape[axis] > 1 && self.stands_still(axis))
    }

    /// The longest run length that is a product of the last sizes and cuts the table into runs.
    pub(crate) fn block_len(&self) -> usize {
        if self.numel() == 0 {
            return 0;
        }
        let lens = (0..=self.ndim()).map(|axis| self.shape[axis..].iter().product::<usize>());
        let runs = |&len: &usize| self.offsets.chunks(len).all(|run| run.windows(2).all(|pair| pair[1] == pair[0] + 1));
        lens.filter(runs).max().unwrap_or(1)
    }

    pub(crate) fn lines_touched(&self, line_bytes: usize, element_bytes: usize) -> usize {
        let bytes = self.offsets.iter().flat_map(|&at| at * element_bytes..(at + 1) * element_bytes);
        bytes.map(|byte| byte / line_bytes).collect::<BTreeSet<_>>().len()
    }
}

/// Every cheap fact of `layout` against the table it was given.
#[track_caller]
pub(crate) fn check_facts(layout: &Layout, table: &Table) {
    assert_eq!(Table::of(layout), *table, "{layout}");
    assert_eq!(layout.ndim(), table.ndim(), "{layout}: ndim");
    assert_eq!(layout.numel(), table.numel(), "{layout}: numel");
    assert_eq!(layout.is_empty(), table.numel() == 0, "{layout}: is_empty");
    assert_eq!(layout.is_contiguous(), table.is_run(), "{layout}: is_contiguous");
    assert_eq!(layout.is_col_major(), table.is_col_major(), "{layout}: is_col_major");
    assert_eq!(layout.is_dense(), table.is_dense(), "{layout}: is_dense");
    assert_eq!(layout.is_broadcast(), table.is_broadcast(), "{layout}: is_broadcast");
    check_span(layout, table);
    check_blocks(layout, table);
    check_canonical(layout, table);
}

#[track_caller]
pub(crate) fn check_span(layout: &Layout, table: &Table) {
    let span = layout.span();
    match (table.offsets.iter().min(), table.offsets.iter().max()) {
        (Some(&first), Some(&last)) => {
            assert_eq!(span, first..last + 1, "{layout}: span");
            assert_eq!(layout.required_len(), last + 1, "{layout}: required_len");
            assert!(layout.fits(last + 1).is_ok() && layout.fits(last).is_err(), "{layout}: fits");
        }
        _ => {
            assert!(span.is_empty(), "{layout}: span {span:?}");
            assert_eq!(layout.required_len(), 0, "{layout}: required_len");
            assert!(layout.fits(0).is_ok(), "{layout}: nothing is read, so any buffer is long enough");
        }
    }
}

#[track_caller]
pub(crate) fn check_blocks(layout: &Layout, table: &Table) {
    let blocks = layout.blocks();
    assert_eq!(blocks.block_len(), table.block_len(), "{layout}: block_len");
    let count = if table.numel() == 0 { 0 } else { table.numel() / table.block_len() };
    assert_eq!(blocks.len(), count, "{layout}: number of blocks");
    assert!(blocks.clone().all(|block| block.len() == table.block_len()), "{layout}: length of a block");
    assert_eq!(blocks.flatten().collect::<Vec<_>>(), table.offsets, "{layout}: blocks");
}

/// `canonical` keeps the map and every significant stride, and gives the others the continuation value.
#[track_caller]
pub(crate) fn check_canonical(layout: &Layout, table: &Table) {
    let canonical = layout.canonical();
    assert_eq!(Table::of(&canonical), *table, "{layout}: canonical is another map");
    assert_eq!(canonical.offset(), layout.offset(), "{layout}: canonical moved");
    assert!(canonical.same_map(layout) && layout.same_map(&canonical), "{layout}: same_map");
    let expected: Vec<isize> = (0..layout.ndim()).map(|axis| continuation(layout, axis)).collect();
    assert_eq!(canonical.strides(), expected, "{layout}: canonical strides");
    assert_eq!(canonical.canonical(), canonical, "{layout}: canonical twice");
}

/// The canonical stride of one axis, by the rule: a moving axis keeps its own, others continue the nearest axis to the
/// right that moves and has a non-zero stride; an empty layout has fresh row-major strides.
fn continuation(layout: &Layout, axis: usize) -> isize {
    let (shape, strides) = (layout.shape(), layout.strides());
    if layout.is_empty() {
        return shape[axis + 1..].iter().map(|&size| size.max(1) as isize).product();
    }
    if shape[axis] > 1 {
        return strides[axis];
    }
    let nearest = (axis + 1..shape.len()).find(|&right| shape[right] > 1 && strides[right] != 0);
    nearest.map_or(1, |right| strides[right].abs() * shape[right] as isize)
}
