//! Where the tour runs: the choice of the command line, made once; everything else is generic over the device.

use std::io::Write;

use weft_view::Cuda;
use weft_view::prelude::*;

use super::{Failure, chapters, session};

/// Takes `--device` out of the arguments, and runs the rest on that device.
pub(crate) fn run(args: &[String], out: &mut dyn Write) -> Result<(), Failure> {
    let mut rest = args.to_vec();
    let mut device = "host".to_owned();
    if let Some(at) = rest.iter().position(|arg| arg == "--device") {
        rest.remove(at);
        if at == rest.len() {
            return Err("--device needs the name of one: host, cuda, cuda:1".into());
        }
        device = rest.remove(at);
    }
    let ordinal = match &device[..] {
        "host" => return on(&Host, "the host", &rest, out),
        "cuda" => 0,
        name => name
            .strip_prefix("cuda:")
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| format!("there is no device {name:?}; there are host, cuda, cuda:1 and so on"))?,
    };
    let gpu = Cuda::new(ordinal).map_err(|error| match cfg!(feature = "cuda") {
        true => error.to_string(),
        false => format!("{error}; it is `cargo run --features cuda --example tour`"),
    })?;
    let facts = gpu.facts();
    let (gib, (major, minor)) = (facts.total_memory as f64 / f64::from(1 << 30), facts.compute_capability);
    let name = format!("{}, {}: {gib:.1} GiB, compute capability {major}.{minor}", gpu.name(), facts.name);
    on(&gpu, &name, &rest, out)
}

fn on<D: Device>(dev: &D, name: &str, args: &[String], out: &mut dyn Write) -> Result<(), Failure> {
    if args.is_empty() { chapters::walk(dev, name, out) } else { session::run(dev, name, args, out) }
}
