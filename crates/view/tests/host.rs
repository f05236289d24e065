//! What only the host has: elements by coordinate, iterators, slices, plain memory, threads.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[allow(dead_code, reason = "the devices' tests use the rest")]
mod cases {
    pub(crate) mod random;
    pub(crate) mod twin;
}

use cases::random::{Random, Step, counting, read_step, write_step};
use cases::twin::{Table, coordinates};
use proptest::prelude::*;
use weft_view::prelude::*;

/// A random view of plain memory and its table.
fn chain<'a>(random: &mut Random, memory: &'a [i64], shape: &[usize], reads_only: bool) -> (View<'a, i64>, Table) {
    let layout = Layout::row_major(shape).unwrap();
    let (mut view, mut table) = (View::from_slice(memory, layout).unwrap(), Table::fresh(shape));
    for _ in 0..random.below(5) {
        let step = Step::choose(random, view.shape(), reads_only);
        if let Ok(stepped) = read_step(&view, &step) {
            (view, table) = (stepped, table.step(&step));
        }
    }
    (view, table)
}

/// `get`, indexing and every way of iterating read what the table says.
#[test]
fn elements() {
    proptest!(cases::random::cases(300), |(seed: u64)| {
        let mut random = Random(seed);
        let shape = random.shape(4);
        let memory: Vec<_> = (100..).take(shape.iter().product()).collect();
        let (view, table) = chain(&mut random, &memory, &shape, true);
        let expected: Vec<_> = table.places.iter().map(|&place| memory[place]).collect();

        prop_assert_eq!(view.iter().len(), expected.len());
        prop_assert!(view.iter().eq(&expected));
        let mut folded = Vec::new();
        view.iter().for_each(|&value| folded.push(value));
        prop_assert_eq!(&folded, &expected);
        // Begun by hand and finished by `fold`.
        let begun = random.below(expected.len() + 1);
        let mut iter = view.iter();
        let by_hand: Vec<_> = iter.by_ref().take(begun).copied().collect();
        let rest: Vec<_> = iter.copied().collect();
        prop_assert_eq!([by_hand, rest].concat(), expected.clone());

        let indexed = view.indexed_iter();
        prop_assert_eq!(indexed.len(), expected.len());
        for (((at, value), expected), coordinate) in indexed.zip(&expected).zip(coordinates(view.shape())) {
            prop_assert_eq!((&at[..], value), (&coordinate[..], expected));
            prop_assert_eq!(view.get(&coordinate), Some(expected));
        }
        let outside: Vec<_> = view.shape().to_vec();
        prop_assert_eq!(view.get(&outside), if view.ndim() == 0 { expected.first() } else { None });
        prop_assert_eq!(view.get(&[&outside[..], &[0]].concat()), None);
        match view.as_slice() {
            Some(slice) => prop_assert_eq!(slice, &expected[..]),
            None => prop_assert!(!view.is_contiguous()),
        }
        prop_assert_eq!(view.as_slice().is_some(), view.is_contiguous());
    });
}

/// Writing through `iter_mut`, `get_mut` and `as_mut_slice` reaches the places of the table, each once, and no other.
#[test]
fn elements_to_write() {
    proptest!(cases::random::cases(300), |(seed: u64)| {
        let mut random = Random(seed);
        let shape = random.shape(4);
        let len: usize = shape.iter().product();
        let mut memory = vec![-99; len];
        let mut view = ViewMut::from_slice(&mut memory, Layout::row_major(&shape).unwrap()).unwrap();
        let mut table = Table::fresh(&shape);
        for _ in 0..random.below(5) {
            let step = Step::choose(&mut random, view.shape(), false);
            if read_step(&view.as_view(), &step).is_ok() {
                (view, table) = (write_step(view, &step).unwrap(), table.step(&step));
            }
        }
        match random.below(3) {
            0 => view.iter_mut().enumerate().for_each(|(k, element)| *element = k as i64),
            1 => {
                for (k, at) in coordinates(&table.shape).iter().enumerate() {
                    *view.get_mut(at).unwrap() = k as i64;
                }
            }
            _ => {
                let contiguous = view.is_contiguous();
                prop_assert_eq!(view.as_mut_slice().is_some(), contiguous);
                match view.as_mut_slice() {
                    Some(slice) => slice.iter_mut().zip(0..).for_each(|(element, k)| *element = k),
                    None => view.into_iter().zip(0..).for_each(|(element, k)| *element = k),
                }
            }
        }
        let mut expected = vec![-99; len];
        table.places.iter().zip(0..).for_each(|(&place, k)| expected[place] = k);
        prop_assert_eq!(memory, expected);
    });
}

#[test]
fn transposed_write_is_seen_by_the_owner() {
    let mut x = counting(&Host, 0, [2, 2]);
    x.view_mut().t().unwrap()[[0, 1]] = 100;
    assert_eq!((x[[1, 0]], x.view()[[1, 0]]), (100, 100));
    let mut w = x.view_mut();
    w[[0, 0]] += 5;
    assert_eq!((w[[0, 0]], w.get(&[1, 0]), w.get(&[2, 0])), (5, Some(&100), None));
    assert!(w.get_mut(&[0, 2]).is_none() && w.get_mut(&[0]).is_none());
}

#[test]
#[should_panic(expected = "index: there is no element [2, 0] in shape [2, 3]")]
fn index_past_the_end() {
    let _ = counting(&Host, 0, [2, 3]).view()[[2, 0]];
}

#[test]
#[should_panic(expected = "index: there is no element [1] in shape [2, 3]")]
fn index_of_another_rank() {
    counting(&Host, 0, [2, 3]).view_mut()[[1]] = 0;
}

/// Plain memory: offset, with room on both sides, in a vector that somebody else owns.
#[test]
fn plain_memory() {
    let mut values: Vec<i32> = (0..10).collect();
    let layout = Layout::from_parts(&[2, 3], &[-3, 1], 5).unwrap();
    let view = values.view_as(&layout).unwrap();
    assert_eq!(view.to_vec().unwrap(), [5, 6, 7, 2, 3, 4]);
    assert_eq!(view, View::from_slice(&values, layout.clone()).unwrap());
    values.view_as_mut(&layout).unwrap().select(1, 0).unwrap().fill(-1).unwrap();
    assert_eq!(values, [0, 1, -1, 3, 4, -1, 6, 7, 8, 9]);

    let refused = View::from_slice(&values[..7], layout.clone()).unwrap_err();
    assert_eq!(refused.to_string(), "fits: needs a buffer of 8 elements, there are 7 in shape [2, 3]");
    let windows = Layout::row_major([10]).unwrap().windows(0, 3, 1, 1).unwrap();
    let refused = ViewMut::from_slice(&mut values, windows).unwrap_err();
    let why = "as_strided: elements 1 and 3 (in row-major order) are both at offset 1 in shape [8, 3]";
    assert_eq!(refused.to_string(), why);

    // SAFETY: the vector outlives both views, and nobody else uses it while they live.
    unsafe {
        let pointer = values.as_mut_ptr().add(2);
        let layout = Layout::row_major([2, 2]).unwrap();
        ViewMut::from_raw_parts(pointer, 4, layout.clone()).unwrap().t().unwrap()[[0, 1]] = 50;
        assert_eq!(View::from_raw_parts(pointer, 4, layout.clone()).unwrap().to_vec().unwrap(), [-1, 3, 50, -1]);
        assert!(View::from_raw_parts(pointer, 3, layout).is_err());
    }
    assert_eq!(values, [0, 1, -1, 3, 50, -1, 6, 7, 8, 9]);

    let none: [f64; 0] = [];
    let empty = View::from_slice(&none, Layout::row_major([0, 3]).unwrap()).unwrap();
    assert_eq!((empty.to_vec().unwrap(), empty.iter().next(), empty.as_slice()), (vec![], None, Some(&[][..])));
}

/// Columns interleave in memory, and still each half has its own.
#[test]
fn two_threads_write_the_halves_of_the_columns() {
    let mut x = Host.zeros::<i64>([64, 10]).unwrap();
    let (mut left, mut right) = x.view_mut().split_at_mut(1, 5).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for round in 1..=100 {
                left.iter_mut().zip(0..).for_each(|(element, k)| *element = round * k);
            }
        });
        scope.spawn(move || {
            let one = Host.ones::<i64>([1]).unwrap();
            for _ in 0..100 {
                right.add_assign(&one).unwrap();
            }
        });
    });
    let (left, right) = x.view().split_at(1, 5).unwrap();
    assert!(left.iter().copied().eq((0..64 * 5).map(|k| 100 * k)));
    assert!(right.iter().all(|&element| element == 100));
}

/// Two halves of plain memory start where the element of the recast type does not.
#[test]
fn alignment_decides_what_may_be_recast() {
    let memory = Host.arange(0.0f32..16.0).unwrap();
    let aligned = memory.as_slice();
    let layout = Layout::row_major([8]).unwrap();
    let quads = View::from_slice(&aligned[4..12], layout.clone()).unwrap().recast::<F32x4>().unwrap();
    assert_eq!(quads[[1]], F32x4([8.0, 9.0, 10.0, 11.0]));
    let off = &aligned[1..9];
    let refused = View::from_slice(off, layout.clone()).unwrap().recast::<F32x4>().unwrap_err();
    let why = format!("recast: address {:#x} is not a multiple of 16 bytes", off.as_ptr().addr());
    assert_eq!(refused.to_string(), why);
    // Complex numbers are aligned as their parts are; two that start half an element apart do share bytes.
    let odd = View::from_slice(off, layout.clone()).unwrap().recast::<C32>().unwrap();
    let even = View::from_slice(&aligned[..8], layout).unwrap().recast::<C32>().unwrap();
    assert_eq!(even.shares_memory(&odd), Some(true));
    assert_eq!(even.select(0, 0).unwrap().shares_memory(odd.select(0, 1).unwrap()), Some(false));
    assert_eq!(even.select(0, 0).unwrap().shares_memory(odd.select(0, 0).unwrap()), Some(true));
}

#[test]
fn equal_and_nearly_equal() {
    let x = Host.tensor(&[1.0f32, 2.0, 3.0, 4.0], [2, 2]).unwrap();
    let y = Host.tensor(&[1.0f32, 3.0 + 1e-6, 2.0, 4.0], [2, 2]).unwrap();
    let (a, b) = (x.view(), y.view().t().unwrap());
    assert_ne!(a, b);
    approx::assert_abs_diff_eq!(a, b, epsilon = 1e-5);
    approx::assert_relative_eq!(a, b, max_relative = 1e-5);
    approx::assert_ulps_eq!(a, b, max_ulps = 8);
    approx::assert_abs_diff_ne!(a, y.view(), epsilon = 0.5);
    approx::assert_relative_ne!(a, y.view());
    approx::assert_ulps_ne!(a, y.view());
    approx::assert_abs_diff_ne!(a, a.flatten(0, 1).unwrap(), epsilon = 100.0);
}
