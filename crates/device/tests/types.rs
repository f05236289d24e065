//! What the types promise to the compiler: threads, copies, sizes.

use static_assertions::{assert_eq_size, assert_impl_all, assert_not_impl_any};
use weft_device::trace::Traced;
use weft_device::{Bf16, Buffer, BufferRef, C32, C64, Device, DeviceError, F16, F32x4, Host};
use weft_layout::{Layout, Plan};

assert_impl_all!(Buffer<f32>: Send, Sync, core::fmt::Debug);
assert_impl_all!(Buffer<F16, Traced<Host>>: Send, Sync);
assert_not_impl_any!(Buffer<f32>: Clone, Copy);
assert_impl_all!(BufferRef<'static, f32>: Send, Sync, Copy);
assert_impl_all!(Host: Device, Default, Clone, Send, Sync);
assert_impl_all!(DeviceError: core::error::Error, Clone, Send, Sync);

// A pointer, its size, and the length; the device's handle is a few bytes.
assert_eq_size!(Buffer<f32>, [usize; 4]);
assert_eq_size!(Host, u32);
assert_eq_size!(F16, Bf16, u16);
assert_eq_size!(F32x4, [f32; 4]);
assert_eq_size!(C32, [f32; 2]);
assert_eq_size!(C64, [f64; 2]);

#[test]
fn layouts_are_those_of_the_kernels() {
    use core::mem::offset_of;
    assert_eq!((align_of::<F32x4>(), align_of::<C32>(), align_of::<C64>(), align_of::<F16>()), (16, 4, 8, 2));
    assert_eq!((offset_of!(C32, re), offset_of!(C32, im), offset_of!(C64, im)), (0, 4, 8));
}

#[test]
fn the_device_is_a_value_and_a_type() {
    let dev = Host;
    let buffer: Buffer<u8> = Buffer::new_zeroed(&dev, 3).unwrap();
    assert_eq!(format!("{buffer:?} {:?}", buffer.borrowed()), "Buffer<u8>(3 on host) BufferRef<u8>(3 on host)");
    assert_eq!(Host::default().name(), dev.name());
    dev.synchronize().unwrap();
}

#[test]
fn plain_memory_is_an_operand() {
    let src = [1i16, 2, 3, 4, 5, 6];
    let mut dst = [0; 6];
    let to = BufferRef::from_mut_slice(&mut dst);
    let plan =
        Plan::new([&Layout::row_major([6]).unwrap(), &Layout::row_major([6]).unwrap().flip([0]).unwrap()]).unwrap();
    // SAFETY: D5: `dst` is borrowed uniquely.
    unsafe { weft_device::ops::copy(&plan, to, BufferRef::from_slice(&src)).unwrap() };
    assert_eq!(dst, [6, 5, 4, 3, 2, 1]);
    // SAFETY: D2: six elements that may be written.
    let raw = unsafe { BufferRef::from_raw_parts(dst.as_mut_ptr(), 6) };
    assert_eq!((raw.len(), raw.as_ptr(), raw.is_empty()), (6, dst.as_mut_ptr(), false));
}

#[test]
fn buffers_cross_threads() {
    let buffer = Buffer::from_slice(&Host, &[1u64, 2, 3]).unwrap();
    let sums: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| buffer.as_slice().iter().sum::<u64>())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(sums, 24);
    assert_eq!(std::thread::spawn(move || buffer.to_vec().unwrap()).join().unwrap(), [1, 2, 3]);
}
