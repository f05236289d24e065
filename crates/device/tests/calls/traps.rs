//! Where each trap of `cust` and of the driver API is made impossible, or which test would see it.
//!
//! | trap | here |
//! |---|---|
//! | a buffer of `cust` that is cast to a type of another size is freed while in use | none is used: memory is untyped, and `recast` makes a borrow (`buffers::recast` of the cases) |
//! | what is dropped after its context leaks without a word | C1: everything keeps the context (`kernels::everything_keeps_what_it_needs`) |
//! | a stale address is freed in the next context | the same; and `a_second_life` below |
//! | a context is current on one thread only | C2 (`threads`) |
//! | a stream that is made non-blocking is not | C3 counts on a blocking one: `the_stream_is_a_blocking_one` below |
//! | empty allocations, copies and grids | they make no call (`traces::no_elements_ask_nothing`) |
//! | unequal lengths and zero bytes in names panic | compared before (`traces::what_is_refused_before_the_driver_is_asked_costs_no_call`, `kernels::ptx_that_cannot_be_loaded`) |
//! | arguments of a launch are not compared with the kernel | our own are, with every declared parameter (unit tests of `cuda::ops`); launches of a user's own are unsafe |
//! | 16-byte accesses at addresses that are not multiples of 16 | the plan's width takes the addresses (unit tests of `cuda::ops`; the simulator checks every access of the cases) |
//! | values read back that are no values of their type | `Element` is sealed to types without such |
//! | PTX that is refused gives no log; an option without a value shifts all others | `kernels::ptx_that_cannot_be_loaded` |
//! | result codes that an enum does not declare; codes that `cust` merges | `errors::numbers_that_cust_does_not_know` |
//! | a failed destruction of an event destroys null | events are not `cust`'s (`injection::events`) |
//! | more than 48 KiB of shared memory without asking | refused by the driver, and said (`kernels::launches_that_the_driver_refuses`) |
//! | calls that a driver lacks | tests of the shim |
//! | stream-ordered allocation without a pool | it is not used: `nothing_is_allocated_by_stream` below |
//! | one driver a process, one simulator for all its tests | binaries of their own, and `alone` |
//! | sums by atomics differ from run to run | there are none (`operations::sums_are_pairwise` of the cases) |
//! | targets that need the feature break a plain build | `required-features`, which tidy looks for |

use weft_cuda_sim::Config;
use weft_device::{Buffer, Cuda};

use super::{alone, events, zeros};

#[test]
fn a_second_life() {
    alone(Config::default(), || {
        let kept = zeros(&Cuda::new(0).unwrap(), 3);
        // The buffer has the device: this is the same one.
        let device = Cuda::new(0).unwrap();
        assert_eq!(weft_cuda_sim::calls_of("cuDevicePrimaryCtxRetain"), 1);
        drop((device, kept));
        let next = Buffer::from_slice(&Cuda::new(0).unwrap(), &[1u8]).unwrap();
        assert_eq!(weft_cuda_sim::calls_of("cuDevicePrimaryCtxRetain"), 2);
        assert_eq!(next.to_vec().unwrap(), [1]);
    });
}

#[test]
fn the_stream_is_a_blocking_one() {
    alone(Config::default(), || {
        drop(Cuda::new(0).unwrap());
        let made: Vec<_> = events().into_iter().filter(|event| event.call.starts_with("cuStreamCreate")).collect();
        assert_eq!(made.len(), 1);
        assert_eq!(made[0].number("flags"), Some(0));
    });
}

#[test]
fn nothing_is_allocated_by_stream() {
    alone(Config::default(), || {
        let device = Cuda::new(0).unwrap();
        drop(zeros(&device, 1 << 22).to_vec().unwrap());
        assert_eq!(["cuMemAllocAsync", "cuMemFreeAsync"].map(weft_cuda_sim::calls_of), [0, 0]);
    });
}
