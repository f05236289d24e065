//! The simulated CUDA driver as a shared library, for programs that open a driver by path: `docs/simulator.md` says how.
//!
//! It exports every call of the simulator's table by its C name, and nothing else. The environment sets it up.

use weft_cuda_sim::driver::abi::{
    Address, Handle, HostFunction, HostIn, HostOut, Ignored, List, Out, Text, TextOut, UserData,
};

macro_rules! export {
    ($($file:ident::$serve:ident: $name:ident($($arg:ident: $type:ty),*);)*) => {$(
        #[doc = concat!("The driver call `", stringify!($name), "`; the answer is its result code.")]
        ///
        /// # Safety
        ///
        /// S1: pointers are as the driver API asks.
        #[allow(non_snake_case, reason = "the names are the driver's")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> u32 {
            // SAFETY: S1, which the caller promises here as there.
            unsafe { weft_cuda_sim::driver::calls::$name($($arg),*) }
        }
    )*};
}

weft_cuda_sim::for_each_driver_call!(export);
