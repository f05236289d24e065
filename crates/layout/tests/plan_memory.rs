//! Plans of up to eight axes live without the heap, counted by a global allocator that only this test has.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(feature = "alloc")]

use core::alloc::{GlobalAlloc, Layout as Block};
use core::cell::Cell;
use std::alloc::System;

use weft_layout::{Layout, Plan, ReducePlan};

struct Counting;

thread_local! {
    /// Per thread: the harness allocates on its own.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call goes to `System` unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, block: Block) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promises are the ones that `System` needs.
        unsafe { System.alloc(block) }
    }

    unsafe fn dealloc(&self, at: *mut u8, block: Block) {
        // SAFETY: as above; `at` came from `System`.
        unsafe { System.dealloc(at, block) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations<R>(f: impl FnOnce() -> R) -> usize {
    let before = ALLOCATIONS.get();
    let kept = f();
    let after = ALLOCATIONS.get();
    drop(kept);
    after - before
}

/// `axes` axes of size 2 of which no two fuse, each inside an axis of size 1.
fn scattered(axes: usize) -> Layout {
    let shape = [2, 1].repeat(axes);
    let strides: Vec<isize> = (0..axes).flat_map(|axis| [3isize.pow((axes - axis) as u32), 1]).collect();
    Layout::from_parts(&shape, &strides, 0).unwrap()
}

#[test]
fn up_to_eight_axes_stay_off_the_heap() {
    for axes in 0..=8 {
        let l = scattered(axes);
        let plan = Plan::new([&l, &l]).unwrap();
        assert_eq!(plan.axes().len(), axes);
        assert_eq!(allocations(|| Plan::new([&l, &l]).unwrap()), 0, "{axes} axes");
        assert_eq!(allocations(|| Plan::new([&l, &l, &l]).unwrap()), 0, "{axes} axes, three operands");
        assert_eq!(allocations(|| plan.clone()), 0, "{axes} axes, cloned");
        assert_eq!(allocations(|| plan.unravel()), 0, "{axes} axes, unravel");
        assert_eq!(allocations(|| plan.for_each_run(|_, _| ())), 0, "{axes} axes, walked");
        assert_eq!(allocations(|| plan.peel(2).for_each(drop)), 0, "{axes} axes, peeled");
        assert_eq!(allocations(|| ReducePlan::new(&l, &l).unwrap()), 0, "{axes} axes, reduced");
    }
    // The counter counts, and there is no upper limit.
    let l = scattered(9);
    assert_eq!(Plan::new([&l, &l]).unwrap().axes().len(), 9);
    assert!(allocations(|| Plan::new([&l, &l]).unwrap()) > 0);
}

#[test]
fn many_axes_that_fuse_stay_off_the_heap() {
    // Twelve axes in an order in which no neighbours fuse until they are sorted.
    let order = [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11];
    let l = Layout::row_major([2; 12]).unwrap().permute(order).unwrap();
    assert_eq!(Plan::new([&l, &l]).unwrap().axes().len(), 1);
    assert_eq!(allocations(|| Plan::new([&l, &l]).unwrap()), 0);
    let dense = Layout::row_major([2; 20]).unwrap();
    assert_eq!(allocations(|| Plan::new([&dense, &dense]).unwrap()), 0);
}
