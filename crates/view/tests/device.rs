//! Every behaviour on every device: the host, and the host watched.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod cases;

use cases::cases;
use weft_view::prelude::*;
use weft_view::trace::Traced;

cases! {
    host: Host;
    traced: Traced::new(Host);
}
