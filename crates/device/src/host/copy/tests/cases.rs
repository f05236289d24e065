//! What is chosen for the cases that the benchmarks measure, and for their neighbours: a change of the table shows here.

use core::fmt::Write as _;
use core::num::NonZero;

use weft_layout::{Layout, Plan};

use super::super::explain;
use crate::host::{Exec, Isa};

/// A view of a dense row-major tensor, copied to a dense row-major tensor.
fn line(text: &mut String, name: &str, element_bytes: usize, view: &Layout) {
    let dst = Layout::row_major(view.shape()).unwrap();
    let plan = Plan::new([&dst, view]).unwrap();
    for threads in [1, 2] {
        let exec = Exec { isa: Isa::Portable, threads: NonZero::new(threads).unwrap() };
        let said = explain(exec, &plan, element_bytes);
        writeln!(text, "{name:<36} {element_bytes:>2} {threads}t  {said}").unwrap();
    }
}

fn dense(shape: &[usize]) -> Layout {
    Layout::row_major(shape).unwrap()
}

#[test]
fn choices_for_the_measured_cases() {
    let mut text = String::new();
    let mut permuted = |shape: &[usize], axes: &[usize], element_bytes: usize| {
        let name = format!("{shape:?} by {axes:?}");
        line(&mut text, &name, element_bytes, &dense(shape).permute(axes).unwrap());
    };
    for shape in [[4096, 4096], [8192, 4096], [4099, 4097], [512, 512], [131, 127]] {
        permuted(&shape, &[1, 0], 4);
    }
    for bytes in [1, 2, 8, 16] {
        permuted(&[4096, 4096], &[1, 0], bytes);
    }
    for axes in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        permuted(&[256, 512, 512], &axes, 4);
    }
    permuted(&[8, 32, 512, 64], &[0, 2, 1, 3], 4);
    permuted(&[8, 32, 512, 64], &[0, 1, 3, 2], 4);
    permuted(&[16, 32, 1024, 64], &[0, 2, 1, 3], 1);
    for channels in [2, 3, 4, 5, 64] {
        permuted(&[32, channels, 224, 224], &[0, 2, 3, 1], 4);
        permuted(&[32, 224, 224, channels], &[0, 3, 1, 2], 4);
    }
    permuted(&[8, 16, 14, 14, 18, 64], &[5, 4, 3, 2, 1, 0], 4);
    permuted(&[64, 14, 14, 9, 32], &[3, 1, 4, 2, 0], 4);
    permuted(&[4, 8, 5, 6, 7, 3], &[5, 4, 3, 2, 1, 0], 4);
    permuted(&[300, 200, 2], &[1, 0, 2], 4);
    permuted(&[300, 200, 3], &[1, 0, 2], 4);
    let plain = dense(&[4096, 4096]);
    line(&mut text, "flip of the last axis", 4, &plain.flip([1]).unwrap());
    line(&mut text, "flip of the first axis", 4, &plain.flip([0]).unwrap());
    line(&mut text, "flip of both", 4, &plain.flip([0, 1]).unwrap());
    line(&mut text, "transposed and flipped", 4, &plain.t().unwrap().flip([0]).unwrap());
    line(&mut text, "columns by 2", 4, &dense(&[8192, 8192]).step_by(1, 2));
    line(&mut text, "rows by 2", 4, &dense(&[8192, 8192]).step_by(0, 2));
    line(&mut text, "inner window", 4, &dense(&[4098, 4098]).narrow(0, 1, 4096).unwrap().narrow(1, 1, 4096).unwrap());
    line(&mut text, "a row, broadcast", 4, &dense(&[4096]).broadcast_to([4096, 4096]).unwrap());
    line(&mut text, "a column, broadcast", 4, &dense(&[4096, 1]).broadcast_to([4096, 4096]).unwrap());
    line(&mut text, "one number, broadcast", 4, &dense(&[1, 1]).broadcast_to([4096, 4096]).unwrap());
    insta::assert_snapshot!(text);
}

/// Every `step`-th along an axis.
trait StepBy {
    fn step_by(&self, axis: usize, step: isize) -> Layout;
}

impl StepBy for Layout {
    fn step_by(&self, axis: usize, step: isize) -> Layout {
        let (mut shape, mut strides) = (self.shape().to_vec(), self.strides().to_vec());
        (shape[axis], strides[axis]) = (shape[axis].div_ceil(step.unsigned_abs()), strides[axis] * step);
        Layout::from_parts(&shape, &strides, self.offset()).unwrap()
    }
}
