//! What holds of the types themselves: sizes, auto traits, how values print, and that every way of writing an argument
//! means the same.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![allow(clippy::needless_borrows_for_generic_args, reason = "borrowed arguments are what is tested")]

use core::mem::size_of;

use static_assertions::{assert_impl_all, assert_not_impl_any};
use weft_layout::{
    Blocks, Chunks, CopyPlan, Ellipsis, Layout, LayoutError, LayoutErrorKind, NewAxis, Offsets, Op, Order, Shape,
    SliceItem, Strides, s,
};

assert_impl_all!(Layout: Send, Sync, Clone, Eq, core::hash::Hash);
// A layout may own heap memory: a copy has to be visible.
assert_not_impl_any!(Layout: Copy);
assert_impl_all!(LayoutError: Send, Sync, Copy, Eq, core::error::Error);
assert_impl_all!(LayoutErrorKind: Send, Sync, Copy, Eq);
assert_impl_all!(Op: Send, Sync, Copy, Eq, core::hash::Hash);
assert_impl_all!(Shape: Send, Sync, Clone, Eq, core::hash::Hash);
assert_impl_all!(Strides: Send, Sync, Clone, Eq, core::hash::Hash);
assert_impl_all!(Order: Send, Sync, Copy);
assert_impl_all!(SliceItem: Send, Sync, Copy);
assert_impl_all!(CopyPlan: Send, Sync, Clone, Eq);
assert_impl_all!(Offsets<&Layout>: Send, Sync, Clone, ExactSizeIterator, core::iter::FusedIterator);
assert_impl_all!(Blocks: Send, Sync, Clone, ExactSizeIterator, core::iter::FusedIterator);
assert_impl_all!(Chunks<'static>: Send, Sync, Clone, ExactSizeIterator, core::iter::FusedIterator);

#[test]
#[cfg(target_pointer_width = "64")]
fn sizes_are_pinned() {
    assert_eq!((size_of::<Shape>(), size_of::<Strides>(), size_of::<Layout>()), (64, 64, 136));
    assert_eq!(size_of::<LayoutError>(), 48);
}

/// Every way to write a shape, a target, a list of axes, one axis.
#[test]
fn arguments_mean_the_same_however_written() {
    let l = Layout::row_major([2, 3]).unwrap();
    let (v, a) = (vec![2usize, 3], [2usize, 3]);
    let shapes = [
        Layout::row_major(&a),
        Layout::row_major(&a[..]),
        Layout::row_major(&v),
        Layout::row_major(v.clone()),
        Layout::row_major((2, 3)),
    ];
    assert!(shapes.iter().all(|shape| *shape == Ok(l.clone())));
    assert_eq!(Layout::row_major(6), Layout::row_major([6]));
    assert_eq!(Layout::row_major(()).unwrap().ndim(), 0);
    assert_eq!(Layout::row_major((1, 2, 3, 4, 5, 6, 7, 8)), Layout::row_major([1, 2, 3, 4, 5, 6, 7, 8]));

    let target = l.reshape([3usize, 2]).unwrap();
    let targets = [
        l.reshape([3, -1]),
        l.reshape([3isize, -1]),
        l.reshape([-1i32, 2]),
        l.reshape(&[3, 2]),
        l.reshape(vec![3, 2]),
        l.reshape(&vec![3isize, 2]),
        l.reshape((3, 2)),
    ];
    assert!(targets.iter().all(|found| *found == Ok(target.clone())));
    assert_eq!(l.reshape(-1), l.reshape([6]));
    assert_eq!(l.reshape(6usize), l.reshape([6]));
    assert_eq!(l.narrow(0, 0, 1).unwrap().narrow(1, 0, 1).unwrap().reshape(()).unwrap().ndim(), 0);

    let moved = [
        l.permute([1, 0]),
        l.permute([1usize, 0]),
        l.permute([-1, -2]),
        l.permute(&[1isize, 0]),
        l.permute(vec![1, 0]),
    ];
    assert!(moved.iter().all(|found| *found == l.t()));
    assert_eq!(Layout::row_major(()).unwrap().permute(()), Layout::row_major(()));
    assert_eq!(l.select(1usize, 2), l.select(-1, -1));
    assert_eq!(l.select(1isize, 2), l.select(1i32, 2));

    // Above the inline rank too.
    let wide = Layout::row_major([2; 8]).unwrap();
    assert_eq!(wide.permute([7, 6, 5, 4, 3, 2, 1, 0]).unwrap(), wide.reverse_axes());
    assert_eq!(wide.reshape([2, 2, 2, 2, 2, 2, 2, -1]), Ok(wide.clone()));
}

/// The macro writes what the enum says, for every kind of item and every integer.
#[test]
fn slice_items_as_the_macro_writes_them() {
    let range = |start, stop, step| SliceItem::Range { start, stop, step };
    let through = |start, last| SliceItem::Inclusive { start, last, step: 1 };
    let items = s![.., 1.., ..2, 1..3, ..=2, 1..=3, ..;-1, 1..;2, 3, -1, NewAxis, Ellipsis,];
    let expected = [
        range(None, None, 1),
        range(Some(1), None, 1),
        range(None, Some(2), 1),
        range(Some(1), Some(3), 1),
        through(None, 2),
        through(Some(1), 3),
        range(None, None, -1),
        range(Some(1), None, 2),
        SliceItem::Index(3),
        SliceItem::Index(-1),
        SliceItem::NewAxis,
        SliceItem::Ellipsis,
    ];
    assert_eq!(items, expected);
    let n = 4usize;
    assert_eq!(s![1..n, n - 1, ..=n, ..;2isize], s![1..4, 3, ..=4, ..;2]);
    assert_eq!(
        s![-3..-1isize, ..=-1, -2..=-1],
        [range(Some(-3), Some(-1), 1), through(None, -1), through(Some(-2), -1)]
    );
    assert_eq!(s![..=usize::MAX], [through(None, isize::MAX)]);
    let none: [SliceItem; 0] = s![];
    let l = Layout::row_major([3, 4]).unwrap();
    assert_eq!(l.slice(none), Ok(l.clone()));
    // Only ranges have a step.
    assert_eq!(SliceItem::Index(3).step_by(2), SliceItem::Index(3));
}

/// `Display` and `Debug` are the short form of all tables.
#[test]
fn layouts_print_on_one_line() {
    let l = Layout::from_parts(&[2, 1, 3], &[-3, 7, 1], 9).unwrap();
    assert_eq!(format!("{l}"), "(2,1,3):(-3,7,1)@9");
    assert_eq!(format!("{l:?}"), format!("{l}"));
    assert_eq!(format!("{:#?}", Layout::row_major(()).unwrap()), "():()@0");
    assert_eq!(format!("{} {:?}", Shape::from_slice(&[2, 3]), Shape::from_slice(&[2, 3])), "(2,3) [2, 3]");
}

/// Equal layouts hash alike whether their numbers live inline or on the heap.
#[test]
fn equality_does_not_see_where_numbers_live() {
    let spilled = Layout::row_major([1, 1, 1, 1, 1, 1, 2, 3]).unwrap().squeeze_all();
    let inline = Layout::row_major([2, 3]).unwrap();
    assert_eq!(spilled, inline);
    let mut set = std::collections::HashSet::from([spilled]);
    assert!(!set.insert(inline));
}
