//! What the tests of the host's operations share.

pub(super) mod samples;
