//! The bodies of `cases`, on every device there is.

#[macro_use]
mod cases;

mod host {
    cases!(weft_device::Host);
}

mod traced {
    cases!(weft_device::trace::Traced::new(weft_device::Host));
}
