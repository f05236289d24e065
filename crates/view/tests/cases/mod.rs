//! One body per behaviour, generic over the device; `cases!` makes a test of each of them for one device.

pub(crate) mod arithmetic;
pub(crate) mod copies;
pub(crate) mod lazy;
pub(crate) mod random;
pub(crate) mod twin;
pub(crate) mod views;
pub(crate) mod writes;

/// `cases!(host: Host)` makes `host::<name>` for every name in the list: one list for all devices.
macro_rules! cases {
    ($($module:ident: $device:expr;)*) => {$(
        mod $module {
            use super::*;

            cases!(@ $device;
                views: chains, pieces_cover_the_whole, sources, pairs, transposed_write_reaches_the_owner, printed,
                    recast_both_ways, shared_memory;
                copies: to_contiguous_and_order, to_selected, to_dtype, to_shape, cow, by_plan;
                writes: fill, copy_from, copy_to, accumulate, gradient_of_a_broadcast, refused_writes_write_nothing;
                arithmetic: three_forms, in_place_with_itself, refused;
                lazy: padded, chained, nothing_beside_the_elements;
            );
        }
    )*};
    (@ $device:expr; $($file:ident: $($name:ident),*;)*) => {$($(
        #[test]
        fn $name() {
            cases::$file::$name(&$device);
        }
    )*)*};
}
pub(crate) use cases;
