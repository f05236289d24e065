//! Padding: what is outside reads as nothing, whatever lies there in memory.

use weft_view::prelude::*;

use super::random::counting;

pub(crate) fn padded<D: Device>(device: &D) {
    let x = counting(device, 0, [3, 4]);
    let padded = x.view().lazy().pad(&[(0, 0), (1, 1)]).unwrap();
    assert_eq!(padded.map().to_string(), "(3,6):(4,1)@-1[0..3,1..5]");
    assert_eq!(padded.to_vec(0).unwrap(), [0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 7, 0, 0, 8, 9, 10, 11, 0]);
    assert_eq!(padded.to_vec(-1).unwrap()[7], 4);
    let copy = padded.to_contiguous(-1).unwrap();
    assert_eq!((copy.shape(), copy.has_grad()), (&[3, 6][..], false));
    let back = padded.shrink(&[0..3, 1..5]).unwrap().as_view().unwrap();
    assert_eq!((back.layout(), back.shares_memory(&x)), (x.layout(), Some(true)));
    assert!(padded.as_view().is_none());
    let refused = padded.shrink(&[0..3, 4..7]).unwrap_err();
    assert_eq!(refused.to_string(), "shrink: range 4..7 is past the end of axis 1 (size 6) in shape [3, 6]");
    let empty = counting(device, 0, [0]).view().lazy().pad(&[(2, 1)]).unwrap().to_vec(5).unwrap();
    assert_eq!(empty, [5; 3]);
    let scalar = counting(device, 7, ()).view().lazy().to_vec(0).unwrap();
    assert_eq!(scalar, [7]);
}

/// Each operation on the masked view gives what it gives on the padded copy.
pub(crate) fn chained<D: Device>(device: &D) {
    let x = counting(device, 1, [2, 3]);
    let lazy = x.view().t().unwrap().lazy().pad(&[(2, 1), (0, 3)]).unwrap();
    let copy = lazy.to_contiguous(0).unwrap();
    assert_eq!(copy.shape(), [6, 5]);
    let same = |lazy: LazyView<'_, i64, D>, plain: View<'_, i64, D>| {
        assert_eq!(lazy.shape(), plain.shape());
        assert_eq!(lazy.to_vec(0).unwrap(), plain.to_vec().unwrap(), "{lazy:?}");
    };
    same(lazy.permute([1, 0]).unwrap(), copy.view().permute([1, 0]).unwrap());
    same(lazy.flip([0, 1]).unwrap(), copy.view().flip([0, 1]).unwrap());
    same(lazy.slice(s![1..;2, ..;-1]).unwrap(), copy.view().slice(s![1..;2, ..;-1]).unwrap());
    same(lazy.slice_axis(0, 2).unwrap(), copy.view().slice_axis(0, 2).unwrap());
    same(lazy.unsqueeze(1).unwrap(), copy.view().unsqueeze(1).unwrap());
    same(lazy.broadcast_to([2, 6, 5]).unwrap(), copy.view().broadcast_to([2, 6, 5]).unwrap());
    same(lazy.reshape([6, 1, -1]).unwrap(), copy.view().reshape([6, 1, 5]).unwrap());
    assert!(lazy.reshape([2, 3, 5]).unwrap_err().to_string().ends_with(" in shape [6, 5]"));
    same(lazy.unsqueeze(0).unwrap().squeeze(0).unwrap(), copy.view());
    same(lazy.shrink(&[0..1, 0..1]).unwrap(), copy.view().narrow(0, 0, 1).unwrap().narrow(1, 0, 1).unwrap());
    same(lazy.pad(&[(0, 1), (1, 0)]).unwrap().shrink(&[0..6, 1..6]).unwrap(), copy.view());
}

/// A view in the middle of a buffer of sentinels: none of them is read.
pub(crate) fn nothing_beside_the_elements<D: Device>(device: &D) {
    let mut memory = device.full([6, 6], -99i64).unwrap();
    let (row, offset) = (6, 14);
    memory.view_mut().as_strided([2, 2], &[row, 1], offset).unwrap().copy_from(counting(device, 1, [2, 2])).unwrap();
    let middle = memory.view().narrow(0, 2, 2).unwrap().narrow(1, 2, 2).unwrap();
    let padded = middle.lazy().pad(&[(1, 1), (1, 1)]).unwrap();
    assert_eq!(padded.to_vec(0).unwrap(), [0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0]);
    let turned = middle.flip([1]).unwrap().lazy().pad(&[(0, 0), (2, 0)]).unwrap();
    assert_eq!(turned.to_vec(0).unwrap(), [0, 0, 2, 1, 0, 0, 4, 3]);
}
