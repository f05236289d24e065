//! What the types are and are not.

use static_assertions::{assert_impl_all, assert_not_impl_any, const_assert_eq};
use weft_device::{Buffer, Device, Host, trace::Traced};
use weft_layout::Layout;
use weft_tensor::{Error, Factory, Refused, Tensor, TensorOptions};

assert_impl_all!(Tensor<f32>: Send, Sync, Unpin, core::fmt::Debug, core::fmt::Display, PartialEq);
assert_impl_all!(Tensor<f32, Traced<Host>>: Send, Sync);
assert_not_impl_any!(Tensor<f32>: Clone, Copy, Drop, Default);
// Comparing across a device would hide a transfer that may fail.
assert_not_impl_any!(Tensor<f32, Traced<Host>>: PartialEq, core::ops::Index<[usize; 1]>);
assert_impl_all!(Error: Send, Sync, core::error::Error, Clone, PartialEq);
assert_impl_all!(Refused<Tensor<f32>>: Send, Sync, core::error::Error);
assert_impl_all!(TensorOptions<'static, Host>: Send, Sync, Clone);

// On the host a tensor is two buffers and a layout; none of it depends on the element type.
const_assert_eq!(size_of::<Tensor<f32>>(), 2 * size_of::<Buffer<f32>>() + size_of::<Layout>());
const_assert_eq!(size_of::<Tensor<u8>>(), size_of::<Tensor<f64>>());
const_assert_eq!(size_of::<Tensor<f32>>(), 200);
const_assert_eq!(size_of::<Error>(), 112);

/// `Factory` is for every device.
fn _every_device<D: Device>(dev: &D) -> weft_tensor::Result<Tensor<f32, D>> {
    dev.zeros([2, 3])
}
