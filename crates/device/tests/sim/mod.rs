//! The simulated driver under the tests of this process: installed once, set up once, and asked after every test what it saw.

use core::ops::Deref;
use std::sync::Once;

use weft_cuda_sim::Config;
use weft_device::Cuda;

/// Makes the simulator the driver of this process.
pub(crate) fn install() {
    // SAFETY: `lookup` gives functions with the signatures of the driver API, and they are part of this program.
    unsafe { weft_cuda_shim::install(weft_cuda_sim::lookup).unwrap() };
}

/// Device 0 for one test, among tests that share the simulator: when it is dropped, the simulator must have found nothing.
pub(crate) struct Watched(Cuda);

/// Device 0 of a simulator that is set up once a process, with `config`.
pub(crate) fn watched(config: Config) -> Watched {
    static SET_UP: Once = Once::new();
    install();
    SET_UP.call_once(|| weft_cuda_sim::configure(config));
    Watched(Cuda::new(0).unwrap())
}

impl Deref for Watched {
    type Target = Cuda;

    fn deref(&self) -> &Cuda {
        &self.0
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            weft_device::Device::synchronize(&self.0).unwrap();
            assert_eq!(self.0.take_deferred_error(), None);
            // Of this test or of another one: the simulator is shared, and none of them may make it complain.
            assert_eq!(weft_cuda_sim::faults(), [""; 0]);
        }
    }
}
