//! Offset maps against explicit tables of what each position holds: numbers that must stand, the bugs of others, and chains of
//! random views.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap in a helper is a failed test too")]
#![allow(clippy::single_range_in_vec_init, reason = "a list of ranges, one for each axis, of one axis")]

mod map_table;

use proptest::prelude::*;

use map_table::{Table, check, coords};
use weft_layout::{Layout, LayoutErrorKind, OffsetMap, SliceItem, s};

fn row_major(shape: &[usize]) -> OffsetMap {
    OffsetMap::from(Layout::row_major(shape).unwrap())
}

fn strided(shape: &[usize], strides: &[isize], offset: usize) -> OffsetMap {
    OffsetMap::from(Layout::from_parts(shape, strides, offset).unwrap())
}

#[test]
fn the_chapter_s_padding() {
    let map = row_major(&[3, 4]).pad(&[(0, 0), (1, 1)]).unwrap();
    assert_eq!(map.to_string(), "(3,6):(4,1)@-1[0..3,1..5]");
    assert_eq!(map.get(7).unwrap(), Some(4));
    let read: Vec<usize> = map.offsets().map(|offset| offset.unwrap_or(0)).collect();
    assert_eq!(read[..6], [0, 0, 1, 2, 3, 0]);
    for coord in coords(&[3, 6]) {
        let expected = (1..5).contains(&coord[1]).then(|| 4 * coord[0] + coord[1] - 1);
        assert_eq!(map.get_at(&[coord[0] as isize, coord[1] as isize]), expected);
    }

    let memory = [5, 6, 7, 8];
    let map = row_major(&[4]).pad(&[(1, 1)]).unwrap();
    let read = [-1, 0, 1, 4, 5, 6].map(|at| map.get_at(&[at]).map(|offset| memory[offset]));
    assert_eq!(read, [None, None, Some(5), Some(8), None, None]);
}

/// The same as a table: what each position of each row reads.
#[test]
fn padding() {
    let mut page = String::new();
    for (name, map) in [
        ("(3,4), one column on each side", row_major(&[3, 4]).pad(&[(0, 0), (1, 1)]).unwrap()),
        ("(4), one on each side", row_major(&[4]).pad(&[(1, 1)]).unwrap()),
        ("(3,4), one row in front", row_major(&[3, 4]).pad(&[(1, 0), (0, 0)]).unwrap()),
        ("of it rows 0 and 1, columns 1 and 2", {
            row_major(&[3, 4]).pad(&[(1, 0), (0, 0)]).unwrap().shrink(&[0..2, 1..3]).unwrap()
        }),
        ("(3,4) transposed, one on each side of both", {
            row_major(&[3, 4]).permute([1, 0]).unwrap().pad(&[(1, 1), (1, 1)]).unwrap()
        }),
    ] {
        page += &format!("{name}\n    {map}  memory at {} of {}\n", map.valid_count(), map.numel());
        let reads: Vec<String> = map.offsets().map(|at| at.map_or("·".into(), |at| at.to_string())).collect();
        for row in reads.chunks(*map.shape().last().unwrap()) {
            page += &format!("    {}\n", row.join(" "));
        }
    }
    insta::assert_snapshot!(page);
}

/// tinygrad/tinygrad#2844: mask lost, or offset wrong, after two reshapes.
#[test]
fn b53_two_reshapes_keep_the_mask() {
    let map = row_major(&[2, 5, 5]).pad(&[(2, 0), (0, 0), (0, 0)]).unwrap();
    let map = map.reshape([2, 2, 5, 5]).unwrap().reshape([4, 5, 5]).unwrap();
    assert_eq!(map.to_string(), "(4,5,5):(25,5,1)@-50[2..4,0..5,0..5]");
}

/// tinygrad/tinygrad#337: one view all the way.
#[test]
fn b55_reshape_after_transpose() {
    let map = row_major(&[4, 4]).permute([1, 0]).unwrap().reshape([2, 2, 2, 2]).unwrap();
    assert_eq!(map.to_string(), "(2,2,2,2):(2,1,8,4)@0");
    assert_eq!(map.permute([2, 3, 0, 1]).unwrap().to_string(), "(2,2,2,2):(8,4,2,1)@0");
}

/// tinygrad/tinygrad PR#2614: a false merge. 1280 * 1024 positions are no whole number of rows of 240 * 256.
#[test]
fn b56_a_mask_that_is_no_box_is_refused() {
    let map = strided(&[2, 1280, 32, 32], &[1_310_720, 1024, 32, 1], 0);
    let map = map.pad(&[(0, 0), (0, 640), (0, 0), (0, 0)]).unwrap();
    insta::assert_snapshot!(
        map.reshape([2, 32, 240, 256]).unwrap_err(),
        @"reshape: positions 0..1310720 of 1966080 have memory, which is no box in the target (axis 1 splits it)"
    );
    // With memory in all of it, the rest of the case is a view.
    let full = strided(&[2, 1920, 32, 32], &[1_310_720, 1024, 32, 1], 0);
    let full = full.reshape([2, 32, 240, 256]).unwrap();
    assert_eq!(full.to_string(), "(2,32,240,256):(1310720,61440,256,1)@0");
}

/// What tinygrad's `merge_dims` merges with a mask (its `test/unit/test_view.py`), as reshapes.
#[test]
fn masked_axes_merge() {
    // (shape with memory, strides, padding), target, and what it is.
    type Case = (&'static [usize], &'static [isize], &'static [(usize, usize)], &'static [usize], Option<&'static str>);
    let cases: [Case; 6] = [
        (&[1, 2], &[0, 1], &[(1, 0), (0, 1)], &[6], Some("(6):(1)@-3[3..5]")),
        (&[1, 1, 2], &[0, 0, 1], &[(1, 0), (1, 0), (0, 1)], &[12], Some("(12):(1)@-9[9..11]")),
        (
            &[1, 1, 2, 3],
            &[0, 0, 2, 1],
            &[(1, 0), (1, 0), (0, 1), (0, 0)],
            &[12, 3],
            Some("(12,3):(2,1)@-18[9..11,0..3]"),
        ),
        (&[2, 1, 2], &[2, 0, 1], &[(0, 0), (1, 0), (0, 1)], &[2, 6], Some("(2,6):(2,1)@-3[0..2,3..5]")),
        (&[2, 2, 1], &[2, 1, 0], &[(0, 0), (0, 0), (0, 1)], &[4, 2], Some("(4,2):(1,0)@0[0..4,0..1]")),
        (&[2, 2, 1], &[2, 1, 0], &[(0, 0), (0, 0), (0, 1)], &[8], None),
    ];
    for (shape, strides, padding, target, expected) in cases {
        let map = strided(shape, strides, 0).pad(padding).unwrap();
        let reshaped = map.reshape(target).ok().map(|reshaped| {
            assert_eq!(reshaped.offsets().collect::<Vec<_>>(), map.offsets().collect::<Vec<_>>());
            reshaped.canonical().to_string()
        });
        assert_eq!(reshaped.as_deref(), expected, "{map} to {target:?}");
    }
}

#[test]
fn positions_without_any_memory() {
    // A row of nothing but padding, down to a scalar without memory.
    let padded = row_major(&[2]).pad(&[(1, 1)]).unwrap();
    let nothing = padded.shrink(&[0..1]).unwrap();
    assert_eq!(nothing.to_string(), "(1):(0)@0[nowhere]");
    let scalar = nothing.squeeze(0).unwrap();
    check(&scalar, &Table { shape: vec![], cells: vec![None] });
    assert_eq!(scalar.broadcast_to([2, 3]).unwrap().valid_count(), 0);
    assert_eq!(nothing.broadcast_to([5]).unwrap().offsets().collect::<Vec<_>>(), [None; 5]);
    assert_eq!(nothing.reshape([1, 1]).unwrap().shape(), [1, 1]);
    assert!(nothing.same_map(&padded.shrink(&[3..4]).unwrap()));
    // An empty axis that was padded.
    let grown = row_major(&[0]).pad(&[(1, 1)]).unwrap();
    check(&grown, &Table { shape: vec![2], cells: vec![None, None] });
    // No position at all is a layout again.
    assert_eq!(padded.shrink(&[2..2]).unwrap().as_layout(), Some(Layout::row_major([0]).unwrap()));
    // An index of another rank lies outside.
    assert_eq!((padded.get_at(&[]), padded.get_at(&[1, 0])), (None, None));
}

/// Padding far beyond any memory: no offset of a coordinate outside is ever formed.
#[test]
fn huge_padding_does_not_wrap() {
    let last = isize::MAX as usize;
    let far = strided(&[2], &[isize::MAX], 0).pad(&[(last - 2, 0)]).unwrap();
    assert_eq!((far.numel(), far.valid_count()), (last, 2));
    assert_eq!((far.get(last - 3).unwrap(), far.get(last - 1).unwrap()), (None, Some(last)));
    assert_eq!(far.get_at(&[-1]), None);
    assert_eq!(far.flip([0]).unwrap().get(1).unwrap(), Some(0));
    let back = far.slice_axis(0, SliceItem::Range { start: None, stop: None, step: isize::MIN }).unwrap();
    assert_eq!(back.offsets().collect::<Vec<_>>(), [Some(last)]);
    for padding in [(last - 1, 0), (0, usize::MAX), (usize::MAX, usize::MAX)] {
        assert!(matches!(
            strided(&[2], &[1], 0).pad(&[padding]).unwrap_err().kind(),
            LayoutErrorKind::SizeOverflow { axis: 0, .. }
        ));
    }
}

#[test]
fn what_refusals_say() {
    let map = row_major(&[3, 4]).pad(&[(0, 0), (1, 1)]).unwrap();
    let refusals = [
        map.pad(&[(1, 1)]),
        map.pad(&[(0, usize::MAX), (0, 0)]),
        map.shrink(&[0..3]),
        map.shrink(&[0..3, 2..9]),
        #[expect(clippy::reversed_empty_ranges, reason = "it is what is refused")]
        map.shrink(&[0..3, 4..2]),
        map.permute([0, 0]),
        map.flip([2]),
        map.unsqueeze(4),
        map.squeeze(1),
        map.broadcast_to([3, 7]),
        map.slice(s![0, 6]),
        map.slice_axis(5, 0),
        map.reshape([18]),
        map.reshape([4, -1]),
        map.permute([1, 0]).unwrap().shrink(&[1..5, 0..3]).unwrap().reshape([12]),
        row_major(&[5]).pad(&[(1, 2)]).unwrap().reshape([2, 4]),
    ];
    let texts: Vec<String> = refusals.into_iter().map(|refused| refused.unwrap_err().to_string()).collect();
    insta::assert_snapshot!(texts.join("\n"), @r"
    pad: needs 2 values, one for each axis, got 1
    pad: the product of the sizes passes 9223372036854775807 at axis 0 (size 18446744073709551615)
    shrink: needs 2 values, one for each axis, got 1
    shrink: range 2..9 is past the end of axis 1 (size 6)
    shrink: range 4..2 of axis 1 ends before it starts
    permute: axis 0 is given twice
    flip: axis 2 is out of range for rank 2 (valid: -2..=1)
    unsqueeze: axis 4 is out of range for rank 3 (valid: -3..=2)
    squeeze: axis 1 has size 6, not 1
    broadcast_to: axis 1 has size 6 and does not stretch to 7 (axis 1 of the target)
    slice: index 6 is out of range for axis 1 (size 6)
    slice: axis 5 is out of range for rank 2 (valid: -2..=1)
    reshape: axes 0 and 1 do not become one, axis 1 has memory in 1..5 of 6 only (axis 0 of the target spans both)
    reshape: -1 at axis 1 has no whole size: 18 elements over 4
    reshape: axis 0 of the target spans axes 0 and 1, which are not one run in memory (stride 1, needed 12)
    reshape: positions 1..6 of 8 have memory, which is no box in the target (axis 0 splits it)
    ");
    insta::assert_snapshot!(map.get(18).unwrap_err(), @"get: element 18 is out of range for 18 elements");
}

/// SplitMix64: the same cases on every machine.
fn random(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) % below as u64) as usize
}

/// All shapes of up to four axes of at least 2 with this many positions.
fn factorings(numel: usize, axes: usize) -> Vec<Vec<usize>> {
    if numel == 1 {
        return vec![vec![]];
    }
    if axes == 0 {
        return vec![];
    }
    let first = (2..=numel).filter(|&first| numel.is_multiple_of(first));
    first
        .flat_map(|first| factorings(numel / first, axes - 1).into_iter().map(move |rest| [vec![first], rest].concat()))
        .collect()
}

/// A reshape is refused exactly where no masked box of strides could say it: audited against the definition.
#[test]
fn reshape_refuses_exactly_what_one_stage_cannot_say() {
    let mut seed = 2614;
    let (mut views, mut refused) = (0, 0);
    for _ in 0..6_000 {
        let rank = 1 + random(&mut seed, 3);
        let shape: Vec<usize> = (0..rank).map(|_| 1 + random(&mut seed, 5)).collect();
        let padding: Vec<(usize, usize)> = shape
            .iter()
            .map(|_| match random(&mut seed, 3) {
                0 => (0, 0),
                _ => (random(&mut seed, 4), random(&mut seed, 3)),
            })
            .collect();
        // Strides that fuse often, forwards and backwards, and sometimes not.
        let mut next = [1, 0, -1, 2][random(&mut seed, 4)];
        let mut strides = vec![0; rank];
        for axis in (0..rank).rev() {
            strides[axis] = next + if random(&mut seed, 8) == 0 { 1 } else { 0 };
            next = strides[axis] * shape[axis] as isize;
        }
        let map = strided(&shape, &strides, 2000).pad(&padding).unwrap();
        let table = Table::of(&Layout::from_parts(&shape, &strides, 2000).unwrap()).pad(&padding);
        for target in factorings(map.numel(), 4) {
            let expected = Table { shape: target.clone(), cells: table.cells.clone() };
            match map.reshape(&target) {
                Ok(reshaped) => {
                    assert_eq!(reshaped.offsets().collect::<Vec<_>>(), expected.cells, "{map} to {target:?}");
                    views += 1;
                }
                Err(error) => {
                    assert!(!expected.is_single_stage(), "{map} to {target:?}: {error}");
                    refused += 1;
                }
            }
        }
    }
    insta::assert_snapshot!(format!("{views} views, {refused} refusals"), @"15748 views, 108742 refusals");
}

/// One view, its numbers drawn freely and fitted to the map that it meets.
#[derive(Clone, Debug)]
enum View {
    Pad(Vec<(usize, usize)>),
    Shrink(Vec<(usize, usize)>),
    Permute(Vec<usize>),
    Flip(usize),
    Unsqueeze(usize),
    Squeeze(usize),
    Broadcast(usize),
    Stretch(usize, usize),
    Select(usize, isize),
    Step(usize, Option<isize>, Option<isize>, isize),
    Reshape(usize),
}

fn view() -> impl Strategy<Value = View> {
    let numbers = || prop::collection::vec((0usize..3, 0usize..3), 8);
    prop_oneof![
        3 => numbers().prop_map(View::Pad),
        2 => numbers().prop_map(View::Shrink),
        1 => prop::collection::vec(0usize..100, 8).prop_map(View::Permute),
        1 => (0usize..8).prop_map(View::Flip),
        1 => (0usize..8).prop_map(View::Unsqueeze),
        1 => (0usize..8).prop_map(View::Squeeze),
        1 => (0usize..3).prop_map(View::Broadcast),
        1 => (0usize..8, 0usize..4).prop_map(|(axis, size)| View::Stretch(axis, size)),
        1 => (0usize..8, -9isize..9).prop_map(|(axis, index)| View::Select(axis, index)),
        2 => (0usize..8, prop::option::of(-9isize..9), prop::option::of(-9isize..9), -3isize..=3)
            .prop_map(|(axis, start, stop, step)| View::Step(axis, start, stop, step)),
        3 => (0usize..1000).prop_map(View::Reshape),
    ]
}

/// What Python's `range(*slice(start, stop, step).indices(size))` lists.
fn python_slice(size: usize, start: Option<isize>, stop: Option<isize>, step: isize) -> Vec<usize> {
    let size = size as isize;
    let wrap = |at: isize| if at < 0 { at + size } else { at };
    let (low, high) = if step > 0 { (0, size) } else { (-1, size - 1) };
    let mut at = start.map_or(if step > 0 { low } else { high }, |at| wrap(at).clamp(low, high));
    let stop = stop.map_or(if step > 0 { high } else { low }, |at| wrap(at).clamp(low, high));
    let mut picked = vec![];
    while if step > 0 { at < stop } else { at > stop } {
        picked.push(at as usize);
        at += step;
    }
    picked
}

/// Applies a view to both; `None` where the map is right to refuse.
fn apply(view: &View, map: &OffsetMap, table: &Table) -> Option<(OffsetMap, Table)> {
    let ndim = map.ndim();
    let axis = |n: usize| (ndim > 0).then(|| n % ndim);
    Some(match view {
        View::Pad(n) => (map.pad(&n[..ndim]).unwrap(), table.pad(&n[..ndim])),
        View::Shrink(n) => {
            let cut = |(&(before, after), &size): (&(usize, usize), &usize)| {
                let start = before.min(size);
                start..(size.saturating_sub(after)).max(start)
            };
            let ranges: Vec<_> = n.iter().zip(map.shape()).map(cut).collect();
            (map.shrink(&ranges).unwrap(), table.shrink(&ranges))
        }
        View::Permute(keys) => {
            let mut axes: Vec<usize> = (0..ndim).collect();
            axes.sort_by_key(|&axis| keys[axis]);
            (map.permute(&axes).unwrap(), table.permute(&axes))
        }
        View::Flip(n) => (map.flip([axis(*n)?]).unwrap(), table.flip(axis(*n)?)),
        View::Unsqueeze(n) => {
            let at = n % (ndim + 1);
            (map.unsqueeze(at).unwrap(), table.unsqueeze(at))
        }
        View::Squeeze(n) => {
            let axis = axis(*n)?;
            if map.shape()[axis] != 1 {
                assert!(map.squeeze(axis).is_err());
                return None;
            }
            (map.squeeze(axis).unwrap(), table.select(axis, 0))
        }
        View::Broadcast(size) => {
            let shape = [&[*size], map.shape()].concat();
            (map.broadcast_to(&shape).unwrap(), table.broadcast_to(&shape))
        }
        View::Stretch(n, size) => {
            let axis = axis(*n)?;
            let mut shape = map.shape().to_vec();
            shape[axis] = *size;
            match map.broadcast_to(&shape) {
                Ok(stretched) => (stretched, table.broadcast_to(&shape)),
                Err(_) => {
                    assert!(map.shape()[axis] != 1 && map.shape()[axis] != *size);
                    return None;
                }
            }
        }
        View::Select(n, index) => {
            let axis = axis(*n)?;
            let size = map.shape()[axis] as isize;
            match map.slice_axis(axis, *index) {
                Ok(selected) => (selected, table.select(axis, index.rem_euclid(size) as usize)),
                Err(_) => {
                    assert!(*index < -size || *index >= size);
                    return None;
                }
            }
        }
        View::Step(n, start, stop, step) => {
            let axis = axis(*n)?;
            let item = SliceItem::Range { start: *start, stop: *stop, step: *step };
            if *step == 0 {
                assert!(map.slice_axis(axis, item).is_err());
                return None;
            }
            let picked = python_slice(map.shape()[axis], *start, *stop, *step);
            // The same through `slice`, with what comes before it in the list.
            let mut items = vec![SliceItem::Ellipsis, SliceItem::NewAxis, item];
            items.extend((axis + 1..ndim).map(|_| SliceItem::from(..)));
            let new_axis = map.slice(&items).unwrap();
            assert_eq!(new_axis.squeeze(axis).unwrap(), map.slice_axis(axis, item).unwrap());
            (map.slice_axis(axis, item).unwrap(), table.pick(axis, &picked))
        }
        View::Reshape(n) => {
            if map.is_empty() {
                return None;
            }
            let targets = factorings(map.numel(), 4);
            let mut target = targets[n % targets.len()].clone();
            if n % 3 == 0 {
                target.insert(n % (target.len() + 1), 1);
            }
            let expected = Table { shape: target.clone(), cells: table.cells.clone() };
            match map.reshape(&target) {
                Ok(reshaped) => (reshaped, expected),
                Err(error) => {
                    assert!(!expected.is_single_stage(), "{map} to {target:?}: {error}");
                    return None;
                }
            }
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chains_of_views_agree_with_tables(
        axes in prop::collection::vec((0usize..5, -6isize..=6), 0..=3),
        views in prop::collection::vec(view(), 1..=8),
    ) {
        let (shape, strides): (Vec<_>, Vec<_>) = axes.into_iter().unzip();
        let layout = Layout::from_parts(&shape, &strides, 200).unwrap();
        let (mut map, mut table) = (OffsetMap::from(&layout), Table::of(&layout));
        prop_assert_eq!(map.as_layout().map(|l| l.same_map(&layout)), Some(true));
        for view in &views {
            if table.cells.len() > 400 || map.ndim() > 5 {
                break;
            }
            let Some((next_map, next_table)) = apply(view, &map, &table) else {
                continue;
            };
            check(&next_map, &next_table);
            // Equality as functions, and canonical forms, against the tables.
            let same = next_table == table;
            prop_assert_eq!(next_map.same_map(&map), same, "{} and {}", next_map, map);
            prop_assert_eq!(next_map.canonical() == map.canonical(), same, "{} and {}", next_map, map);
            (map, table) = (next_map, next_table);
        }
    }
}
