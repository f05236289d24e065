//! The tour: what weft does, drawn. Without an argument it walks through the worked examples; with the path of a `.npy` file it
//! reads your own data in other ways, and says at each step what moved and why.
//!
//! ```console
//! $ cargo run --release --example tour
//! $ cargo run --release --example tour -- data.npy permute=2,0,1 slice=0:1::2 -o out.npy
//! $ cargo run --release --features cuda --example tour -- --device cuda
//! ```
//!
//! In reading order: [`chapters`] is the walk, [`draw`] the pictures; [`npy`] reads and writes files, [`steps`] is the
//! chain of the command line, [`session`] runs it; [`device`] is where.

use std::io::{self, Write};
use std::process::ExitCode;

mod chapters;
mod device;
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

--device cuda, anywhere, uses a GPU (--device cuda:1 the second one); without it, or with --device host, the
host. For a GPU the tour is built with --features cuda.

A step is a name, or name=numbers. Axes count from 0, or from the end if negative. Each of these runs
on an array of shape (2,3,1):

  permute=2,0,1        the axes in another order
  transpose=0,1        two axes exchanged
  t                    the last two axes exchanged
  reverse_axes         all axes, the last one first
  move_axis=0,2        axis 0 moves to place 2
  slice=0:1::2         axis:start:stop:step, as NumPy's x[1::2]; start, stop and step may be left out
  narrow=1,1,2         axis, start, length: a slice that must fit
  select=0,1           axis, index: the axis goes
  flip=1               axes that are read backwards
  squeeze=2            an axis of size 1 goes
  unsqueeze=0          a new axis of size 1
  broadcast_to=2,3,4   axes of size 1 stretch, new ones come in front
  reshape=-1,2         another shape; one size may be -1, and follows from the others
  flatten=0,1          the first and the last of some axes that become one
  unflatten=1,3,-1     an axis, and the sizes it is split into
  diagonal=0,1,1       two axes, and how far from the main diagonal
  windows=1,2,1,1      axis, size, step, dilation
  contiguous           a copy in row-major order, where it is not in that order already

Steps are views: no byte moves. Where no strides can express a reshape, the least that helps is
copied, and the reason printed. -o writes the result, in the element type and the byte order of the
file; a file that exists is never overwritten.
";

fn main() -> ExitCode {
    // `args` panics on an argument that is not Unicode.
    let args: Vec<String> = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    ExitCode::from(run(&args, &mut io::stdout().lock(), &mut io::stderr().lock()))
}

/// The whole program: 0 where it did what was asked, 1 where it said on `err` why not.
pub(crate) fn run(args: &[String], out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let outcome = if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        out.write_all(HELP.as_bytes()).map_err(Failure::from)
    } else {
        device::run(args, out)
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
