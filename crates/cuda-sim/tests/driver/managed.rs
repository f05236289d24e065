//! Managed memory: one address on both sides.

use weft_cuda_sim::{Config, Streams, faults, report};

use crate::kernels::PTX;
use crate::raw::*;

/// Managed memory as a slice that lives until it is freed.
fn managed(count: usize) -> (&'static mut [u32], u64) {
    let place: u64 = ask(|p| cuMemAllocManaged(p, 4 * count, 1));
    // SAFETY: managed memory is host memory too, of so many bytes, aligned to a page.
    (unsafe { core::slice::from_raw_parts_mut(place as usize as *mut u32, count) }, place)
}

#[test]
fn host_and_device_see_what_the_other_wrote() {
    let (_turn, _) = started(Config::default());
    let (values, place) = managed(4);
    let plain = alloc(16);
    assert_eq!(values[0], 0xa5a5_a5a5, "fresh memory is poison");
    values.copy_from_slice(&[1, 2, 3, 4]);
    assert_eq!(cuMemcpyDtoD_v2(plain, place, 16), 0);
    assert_eq!(download(plain + 8, 4), [3, 0, 0, 0]);
    assert_eq!(cuMemsetD32_v2(place + 4, 9, 2), 0);
    assert_eq!(*values, [1, 9, 9, 4]);
    assert_eq!(download(place, 4), [1, 0, 0, 0]);
    assert_eq!(cuMemcpyHtoD_v2(place, values[3..].as_ptr().cast(), 4), 0);
    assert_eq!(*values, [4, 9, 9, 4]);
    assert_eq!(cuMemcpyDtoH_v2(values[2..].as_mut_ptr().cast(), place, 4), 0);
    assert_eq!(*values, [4, 9, 4, 4]);
    assert_eq!((report().live_allocations, report().live_bytes), (2, 32));
    assert_eq!([cuMemFree_v2(place), cuMemFree_v2(place)], [0, 1]);
    assert_eq!(faults().len(), 1);
}

#[test]
fn a_kernel_works_on_it() {
    let (_turn, _) = started(Config { streams: Streams::Deferred, ..Config::default() });
    let twice = function(load(PTX), c"twice");
    let (values, mut place) = managed(4);
    values.copy_from_slice(&[1, 2, 3, 4]);
    assert_eq!(launch(twice, 1, 4, NULL, &mut [argument(&mut place)]), 0);
    assert_eq!(*values, [1, 2, 3, 4], "not yet");
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(*values, [2, 4, 6, 8]);
    assert_eq!(launch(twice, 1, 5, NULL, &mut [argument(&mut place)]), 0);
    assert_eq!(cuCtxSynchronize(), 700, "its bounds are checked");
}

#[test]
fn advice_and_attributes_know_it() {
    let (_turn, _) = started(Config { memory: 100, ..Config::default() });
    let (_, place) = managed(4);
    let plain = alloc(16);
    assert_eq!(
        [cuMemAdvise(place + 4, 12, 1, 0), cuMemAdvise(place + 4, 13, 1, 0), cuMemAdvise(plain, 4, 1, 0)],
        [0, 1, 1]
    );
    assert_eq!([cuMemPrefetchAsync(place, 16, -1, NULL), cuMemPrefetchAsync(place, 16, 9, NULL)], [0, 101]);
    let is_managed = |at| ask::<u8>(|v| cuPointerGetAttribute(v.cast(), 8, at));
    assert_eq!([is_managed(place + 15), is_managed(plain)], [1, 0]);
    assert_eq!(ask::<u64>(|v| cuPointerGetAttribute(v.cast(), 4, place + 4)), place + 4);
    assert_eq!(cuPointerGetAttribute(argument(&mut 0_u64), 4, plain), 1, "no host pointer");
    assert_eq!(cuMemAllocManaged(&mut 0, 69, 1), 2);
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
    assert_eq!(report().live_allocations, 2, "both outlived their context");
}
