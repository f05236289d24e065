//! Buffers: what goes in comes out, copies are copies, and what cannot be is refused.

use weft_device::{Buffer, BufferRef, Device, DeviceErrorKind, F32x4, Host};

use super::twin::{Twin, for_every_element, upload, values};

pub(crate) fn round_trip<D: Device>(device: &D) {
    fn check<T: Twin, D: Device>(device: &D) {
        for len in [0, 1, 7, 1000] {
            let there = values::<T>(3, len);
            let buffer = upload(device, &there);
            assert_eq!((buffer.len(), buffer.is_empty()), (len, len == 0));
            super::twin::assert_agree(&buffer, &there, &"from_slice");
            let mut back = vec![T::ZERO; len];
            buffer.copy_to_slice(&mut back).unwrap();
            assert!(back.iter().zip(&there).all(|(&a, &b)| a.agrees(b)));
            let zeros = Buffer::<T, D>::new_zeroed(device, len).unwrap();
            assert_eq!(zeros.to_vec().unwrap(), vec![T::ZERO; len]);
        }
    }
    for_every_element!(check(device));
    let buffer = upload(device, &[1u8, 2, 3]);
    let mut untouched = [9; 4];
    let refused = buffer.copy_to_slice(&mut untouched).unwrap_err();
    assert_eq!(*refused.kind(), DeviceErrorKind::LengthMismatch { buffer: 3, slice: 4 });
    assert_eq!(untouched, [9; 4]);
}

pub(crate) fn clone_is_independent<D: Device>(device: &D) {
    let first = upload(device, &[1u16, 2, 3]);
    let second = first.try_clone().unwrap();
    let whole = weft_layout::Plan::new([&weft_layout::Layout::row_major([3]).unwrap()]).unwrap();
    // SAFETY: D5: `second` is ours alone.
    unsafe { weft_device::ops::fill(&whole, second.borrowed(), 9).unwrap() };
    assert_eq!((first.to_vec().unwrap(), second.to_vec().unwrap()), (vec![1, 2, 3], vec![9; 3]));
    drop(first);
    assert_eq!(second.to_vec().unwrap(), [9; 3]);
    assert!(second.device().same(device));
}

pub(crate) fn no_elements<D: Device>(device: &D) {
    let none = Buffer::<f64, D>::new_zeroed(device, 0).unwrap();
    assert_eq!(none.to_vec().unwrap(), []);
    assert_eq!(none.try_clone().unwrap().len(), 0);
    assert_eq!(none.to_device(&Host).unwrap().as_slice(), []);
    assert_eq!(upload::<f64, D>(device, &[]).to_vec().unwrap(), []);
    none.copy_to_slice(&mut []).unwrap();
    assert_eq!(none.borrowed().recast::<F32x4>().unwrap().len(), 0);
    // SAFETY: there is nothing to read.
    assert!(unsafe { Buffer::<u8, D>::uninit(device, 0) }.unwrap().is_empty());
}

pub(crate) fn hopeless_lengths<D: Device>(device: &D) {
    let past = isize::MAX as usize / 8 + 1;
    for len in [usize::MAX, usize::MAX / 8 + 2, past] {
        let refused = Buffer::<u64, D>::new_zeroed(device, len).unwrap_err();
        assert_eq!(*refused.kind(), DeviceErrorKind::TooLarge { len, element_bytes: 8 });
        // SAFETY: there will be no buffer to read.
        let refused = unsafe { Buffer::<u64, D>::uninit(device, len) }.unwrap_err();
        assert_eq!(*refused.kind(), DeviceErrorKind::TooLarge { len, element_bytes: 8 });
    }
    // No size wraps on its way, and no rounding up to the alignment either.
    for len in [isize::MAX as usize, isize::MAX as usize - 300] {
        let refused = Buffer::<u8, D>::new_zeroed(device, len).unwrap_err();
        assert!(matches!(*refused.kind(), DeviceErrorKind::OutOfMemory { requested, .. } if requested == len));
    }
}

pub(crate) fn alignment<D: Device>(device: &D) {
    let kept: Vec<Buffer<u8, D>> = (0..40).map(|len| Buffer::new_zeroed(device, len * 7).unwrap()).collect();
    assert!(kept.iter().all(|buffer| buffer.borrowed().address().is_multiple_of(256)));
}

pub(crate) fn transfers<D: Device>(device: &D) {
    // Longer than one chunk, and not a multiple of it.
    let there: Vec<u32> = (0..600_001).collect();
    let buffer = upload(device, &there);
    // Not assert_eq: nobody reads 600,001 numbers.
    assert!(buffer.to_device(&Host).unwrap().as_slice() == there);
    let other = weft_device::trace::Traced::new(Host);
    assert!(buffer.to_device(&other).unwrap().to_vec().unwrap() == there);
    assert!(upload(&Host, &there).to_device(device).unwrap().to_vec().unwrap() == there);
    assert!(buffer.to_device(device).unwrap().to_vec().unwrap() == there);
}

pub(crate) fn recast<D: Device>(device: &D) {
    let floats = upload(device, &[1.0f32; 10]);
    let wide: BufferRef<F32x4, D> = floats.borrowed().recast().unwrap();
    assert_eq!((wide.len(), wide.address()), (2, floats.borrowed().address()));
    assert_eq!(wide.recast::<f32>().unwrap().len(), 8);
    assert_eq!(wide.recast::<u8>().unwrap().len(), 32);
}
