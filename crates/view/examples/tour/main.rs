//! The tour: what weft does, drawn. Without an argument it walks through the worked examples; with the path of a `.npy` file it
//! reads your own data in other ways, and says at each step what moved and why.
//!
//! ```console
//! $ cargo run --release --example tour
//! $ cargo run --release --example tour -- data.npy permute=2,0,1 slice=0:1::2 -o out.npy
//! ```
//!
//! In reading order: [`chapters`] is the walk, [`draw`] the pictures; [`npy`] reads and writes files, [`steps`] is the
//! chain of the command line, [`session`] runs it.

use std::io::{self, Write};
use std::process::ExitCode;

mod chapters;
mod draw;
mod npy;
mod session;
mod steps;

/// Anything that ends the tour early; its text is what the user reads.
type Failure = Box<dyn core::error::Error>;

const HELP: &str = "\
tour                                   the worked examples, drawn
tour FILE.npy [STEP...] [-o OUT.npy]   your own data, read in other ways
tour --help                            this

A step is NAME or NAME=ARGUMENTS; axes may be negative and then count from the end:

  permute=2,0,1         the axes in another order          transpose=0,1     two axes exchanged
  t                     the last two exchanged             reverse_axes      all of them, in reverse
  move_axis=0,2         axis 0 to place 2                  flip=1            axes 1, ... backwards
  slice=AXIS:START:STOP:STEP   as in NumPy, with what is left out: slice=0:1::2 is x[1::2]
  narrow=AXIS,START,LEN   a part of an axis, not clamped   select=AXIS,INDEX   one index; drops the axis
  squeeze=AXIS          drops an axis of size 1            unsqueeze=AXIS    a new axis of size 1
  broadcast_to=3,4,5    stretches axes of size 1           diagonal=A,B,K    the K-th diagonal of two axes
  reshape=-1,4          another shape; one -1 is inferred  flatten=0,1       axes 0 to 1 as one
  unflatten=AXIS,2,3    one axis as several                windows=AXIS,SIZE,STEP,DILATION
  contiguous            a copy in row-major order, if it is not so already

Steps are views: no byte moves. A reshape that no strides can express copies the least that helps, and says so.
-o writes the result, in the element type and byte order of the file; a file that exists is never overwritten.
";

fn main() -> ExitCode {
    // `args` panics on an argument that is not Unicode.
    let args: Vec<String> = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    ExitCode::from(run(&args, &mut io::stdout().lock(), &mut io::stderr().lock()))
}

/// The whole program: 0 where it did what was asked, 1 where it said on `err` why not.
pub(crate) fn run(args: &[String], out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let outcome = match args {
        [] => chapters::walk(out),
        [only] if only == "--help" || only == "-h" => out.write_all(HELP.as_bytes()).map_err(Failure::from),
        args => session::run(args, out),
    };
    match outcome.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => 0,
        // Whoever reads along has seen enough: `tour | head`.
        Err(failure) if failure.downcast_ref().is_some_and(|e: &io::Error| e.kind() == io::ErrorKind::BrokenPipe) => 0,
        Err(failure) => {
            // Nobody is left to tell where even this cannot be written.
            let _ = writeln!(err, "tour: {failure}");
            1
        }
    }
}
