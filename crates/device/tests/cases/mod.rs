//! One body per behaviour, generic over the device; `cases!` makes a test of each of them for one device.

pub(crate) mod buffers;
pub(crate) mod operations;
pub(crate) mod twin;

/// `cases!(host: Host)` makes `host::<name>` for every name in the list: one list for all devices.
macro_rules! cases {
    ($($module:ident: $device:expr;)*) => {$(
        mod $module {
            use super::*;

            cases!(@ $device;
                buffers: round_trip, clone_is_independent, no_elements, hopeless_lengths, alignment, transfers, recast;
                operations: fill_any_plan, copy_any_plan, binary_any_plan, binary_in_place, convert_any_plan,
                    accumulate_any_plan, sums_are_pairwise, sums_are_close, divisions_without_quotient, no_order,
                    extremes, plans_past_the_end, empty_plans, copy_onto_itself, hundred_axes;
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
