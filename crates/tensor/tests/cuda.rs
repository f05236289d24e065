//! The bodies of `cases` on a real CUDA device, where there is one; a machine without one skips, unless `WEFT_REQUIRE_CUDA=1`.

#[macro_use]
mod cases;
#[macro_use]
#[path = "../../device/tests/real/mod.rs"]
mod real;

mod on_gpu {
    cases!(device_or_skip!());
}
