//! The program that cust is linked into starts without libcuda: the driver is opened at the first call, and not by the loader.
#![cfg(target_os = "linux")]

use weft_device::Cuda;

fn is_libcuda_loaded() -> bool {
    std::fs::read_to_string("/proc/self/maps").unwrap().contains("libcuda.so")
}

#[test]
fn the_loader_opens_no_driver() {
    // Where there is no libcuda, a program that asked the loader for it would not have come as far as this.
    assert!(!is_libcuda_loaded());
    // Whatever this answers here: it is why cust is in the program at all.
    drop(Cuda::count());
}
