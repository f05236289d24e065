//! What the types promise the compiler: threads, variance, what cannot be duplicated.

use static_assertions::{assert_impl_all, assert_not_impl_any};
use weft_view::prelude::*;
use weft_view::trace::Traced;
use weft_view::{Chunks, ChunksMut, IndexedIter, Iter, IterMut};

assert_impl_all!(View<'static, f32>: Clone, Send, Sync, core::fmt::Debug, core::fmt::Display);
assert_impl_all!(View<'static, F16, Traced<Host>>: Clone, Send, Sync);
assert_not_impl_any!(View<'static, f32>: Copy);
assert_impl_all!(ViewMut<'static, f32>: Send, Sync, core::fmt::Debug, core::fmt::Display);
assert_not_impl_any!(ViewMut<'static, f32>: Clone, Copy);
assert_impl_all!(LazyView<'static, f32>: Clone, Send, Sync);
assert_impl_all!(MaybeOwned<'static, f32>: Send, Sync);
assert_not_impl_any!(MaybeOwned<'static, f32>: Clone);
assert_impl_all!(Iter<'static, f32>: Clone, Send, Sync, ExactSizeIterator);
assert_impl_all!(IndexedIter<'static, f32>: Clone, Send, Sync, ExactSizeIterator);
assert_impl_all!(IterMut<'static, f32>: Send, Sync, ExactSizeIterator);
assert_not_impl_any!(IterMut<'static, f32>: Clone);
assert_impl_all!(Chunks<'static, f32>: Send, Sync);
assert_impl_all!(ChunksMut<'static, f32>: Send, Sync);
// No view frees anything.
assert_not_impl_any!(View<'static, f32>: Drop);
assert_not_impl_any!(ViewMut<'static, f32>: Drop);
// Operands: what is a view of the same elements on the same device, and references to it.
assert_impl_all!(Tensor<f32>: AsView<f32, Host>);
assert_impl_all!(&'static &'static Tensor<f32>: AsView<f32, Host>);
assert_impl_all!(View<'static, f32>: AsView<f32, Host>);
assert_impl_all!(&'static mut ViewMut<'static, f32>: AsView<f32, Host>);
assert_impl_all!(MaybeOwned<'static, f32>: AsView<f32, Host>);
assert_not_impl_any!(Tensor<f32>: AsView<f64, Host>, AsView<f32, Traced<Host>>);

/// A longer borrow serves as a shorter one.
#[allow(dead_code, reason = "it only has to compile")]
fn covariant<'long: 'short, 'short, T: Element, D: Device>(
    view: View<'long, T, D>,
    unique: ViewMut<'long, T, D>,
    lazy: LazyView<'long, T, D>,
) -> (View<'short, T, D>, ViewMut<'short, T, D>, LazyView<'short, T, D>) {
    (view, unique, lazy)
}

/// A view made inside a function lives as long as what is borrowed, not as long as the view it was made from.
#[test]
fn views_outlive_the_views_they_were_made_from() {
    fn last_column<'a>(x: &'a Tensor<i32>) -> View<'a, i32> {
        x.view().t().unwrap().select(0, -1).unwrap()
    }
    fn first<'a>(v: &View<'a, i32>) -> &'a i32 {
        v.get(&[0]).unwrap()
    }
    let x = Host.tensor(&[1, 2, 3, 4], [2, 2]).unwrap();
    let element = first(&last_column(&x));
    let mut rest = last_column(&x).iter();
    assert_eq!((*element, rest.next(), rest.next()), (2, Some(&2), Some(&4)));
    let slice = last_column(&x).unsqueeze(0).unwrap().narrow(1, 0, 1).unwrap().as_slice();
    assert_eq!(slice, Some(&[2][..]));
}

/// A function over any device takes its views by `D`.
#[test]
fn generic_over_devices() {
    fn total<D: Device>(x: impl AsView<i64, D>) -> i64 {
        x.as_view().to_vec().unwrap().iter().sum()
    }
    let traced = Traced::new(Host);
    assert_eq!(total(Host.arange(0i64..4).unwrap()), 6);
    assert_eq!(total(traced.arange(0i64..4).unwrap().view().flip([0]).unwrap()), 6);
}
