//! What `cargo xtask instructions` counts: planning, and six copies, each at one size, on one thread.
//!
//! `instructions CASE ISA` runs a case twice and counts the second time, which is the function `measured`; without arguments
//! it runs all of them, as a test; with `--list` it prints their names.

use std::hint::black_box;
use std::process::ExitCode;

use weft_device::{Host, Isa};
use weft_view::prelude::*;
use weft_view::{Layout, Plan};

/// A case, made ready.
type Work = Box<dyn FnMut()>;

/// Its name, and how to make it ready for a device.
type Case = (&'static str, fn(Host) -> Work);

/// Planning is counted this many times at once, so that a single count is not lost in what surrounds it.
const PLANS: usize = 100;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match &args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            for (_, make) in cases() {
                for isa in [Isa::Portable, Isa::Avx2] {
                    measured(&mut make(Host.with_threads(1).with_isa(isa)));
                }
            }
        }
        ["--list"] => cases().iter().for_each(|(name, _)| println!("{name}")),
        [name, isa] => {
            let isa = if *isa == "avx2" { Isa::Avx2 } else { Isa::Portable };
            let Some((_, make)) = cases().into_iter().find(|(known, _)| known == name) else {
                eprintln!("instructions: there is no `{name}`");
                return ExitCode::FAILURE;
            };
            let host = Host.with_threads(1).with_isa(isa);
            if host.isa() != isa {
                println!("missing");
                return ExitCode::SUCCESS;
            }
            let mut work = make(host);
            // What is done once in a process (the CPU is asked what it can) is not counted.
            work();
            measured(&mut work);
        }
        _ => {
            eprintln!("instructions: CASE ISA, --list, or nothing");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// What is counted.
#[inline(never)]
fn measured(work: &mut Work) {
    black_box(work)();
}

fn cases() -> [Case; 9] {
    [
        ("plan of two operands, 100 times", |_| {
            let source = Layout::row_major([2, 4, 10, 16]).unwrap().transpose(1, 2).unwrap();
            let target = Layout::row_major(source.shape()).unwrap();
            Box::new(move || (0..PLANS).for_each(|_| drop(black_box(Plan::new([black_box(&target), &source])))))
        }),
        ("plan of three operands, 100 times", |_| {
            let source = Layout::row_major([2, 4, 10, 16]).unwrap().transpose(1, 2).unwrap();
            let target = Layout::row_major(source.shape()).unwrap();
            let row = Layout::row_major([16]).unwrap().broadcast_to(source.shape()).unwrap();
            Box::new(move || (0..PLANS).for_each(|_| drop(black_box(Plan::new([black_box(&target), &source, &row])))))
        }),
        ("copy of 2x3 transposed, 100 times", |host| {
            let mut copy = copy::<f32>(host, &[2, 3], |x| x.t().unwrap());
            Box::new(move || (0..PLANS).for_each(|_| copy()))
        }),
        ("window of 514x514", |host| {
            copy::<f32>(host, &[514, 514], |x| x.narrow(0, 1, 512).unwrap().narrow(1, 1, 512).unwrap())
        }),
        ("attention 4x8x128x64", |host| copy::<f32>(host, &[4, 8, 128, 64], |x| x.transpose(1, 2).unwrap())),
        ("transpose 131x127", |host| copy::<f32>(host, &[131, 127], |x| x.t().unwrap())),
        ("transpose 2048x2048", |host| copy::<f32>(host, &[2048, 2048], |x| x.t().unwrap())),
        ("NCHW to NHWC 1x3x224x224", |host| copy::<u8>(host, &[1, 3, 224, 224], |x| x.permute([0, 2, 3, 1]).unwrap())),
        ("2x4x7x7x3x16 reversed", |host| copy::<f64>(host, &[2, 4, 7, 7, 3, 16], |x| x.reverse_axes())),
    ]
}

/// A copy of a view of a tensor of that shape into memory that is there.
fn copy<T: Element>(host: Host, shape: &[usize], view: impl Fn(&Layout) -> Layout) -> Work {
    let source = host.full(shape, T::ONE).unwrap();
    let layout = view(source.layout());
    let mut target = host.full(layout.shape(), T::ZERO).unwrap();
    Box::new(move || source.view_as(&layout).unwrap().copy_to(&mut target.view_mut()).unwrap())
}
