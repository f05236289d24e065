//! The steps of the command line: each names one operation of [`View`], `slice=0:1::2` or `permute=2,0,1`.

use weft_view::prelude::*;
use weft_view::{Error, LayoutErrorKind};

use super::Failure;

/// What a step came to.
pub(crate) enum Outcome<'a, T: Element, D: Device> {
    /// The same memory, read in another way; and why that was possible.
    View(View<'a, T, D>, &'static str),
    /// No view was possible: the least that helps was copied, and the layout reads the copy.
    Copy { refusal: String, copy: Tensor<T, D>, layout: Layout },
}

/// Runs one step.
pub(crate) fn apply<'a, T: Element, D: Device>(step: &str, x: &View<'a, T, D>) -> Result<Outcome<'a, T, D>, Failure> {
    let (name, arguments) = step.split_once('=').unwrap_or((step, ""));
    if name == "slice" {
        return Ok(Outcome::View(
            slice(arguments, x)?,
            "the first element moves the offset, the step multiplies the stride",
        ));
    }
    let numbers = numbers(arguments)?;
    let (view, why) = match (name, &numbers[..]) {
        ("permute", axes) => (x.permute(axes)?, "the axes change places, each with its stride"),
        ("transpose", &[a, b]) => (x.transpose(a, b)?, "two axes change places, each with its stride"),
        ("t", []) => (x.t()?, "the last two axes change places, each with its stride"),
        ("reverse_axes", []) => (x.reverse_axes(), "all axes change places, each with its stride"),
        ("move_axis", &[from, to]) => (x.move_axis(from, to)?, "an axis changes its place, with its stride"),
        ("narrow", &[axis, start, len]) => (x.narrow(axis, size(start)?, size(len)?)?, "only offset and size change"),
        ("select", &[axis, index]) => (x.select(axis, index)?, "the index moves the offset, the axis goes"),
        ("flip", axes) => (x.flip(axes)?, "the stride changes its sign, the offset moves to the other end"),
        ("squeeze", &[axis]) => (x.squeeze(axis)?, "an axis of size 1 never moves"),
        ("unsqueeze", &[axis]) => (x.unsqueeze(axis)?, "an axis of size 1 never moves"),
        ("broadcast_to", shape) => {
            (x.broadcast_to(sizes(shape)?)?, "stretched axes have stride 0: one element, read again")
        }
        ("unflatten", &[axis, ref parts @ ..]) => {
            (x.unflatten(axis, parts)?, "one axis is one run, so any split of it is")
        }
        ("diagonal", &[a, b, k]) => (x.diagonal(a, b, k)?, "one step along both axes: the sum of their strides"),
        ("windows", &[axis, len, step, dilation]) => (
            x.windows(axis, size(len)?, size(step)?, size(dilation)?)?,
            "windows overlap in memory, nothing is repeated",
        ),
        ("reshape", target) => return reshape(x, target),
        ("flatten", &[first, last]) => {
            let flat = Layout::row_major(x.shape())?.flatten(first, last)?;
            let target: Vec<isize> = flat.shape().iter().map(|&size| size as isize).collect();
            return reshape(x, &target);
        }
        ("contiguous", []) if x.is_contiguous() => (x.clone(), "the elements are one run in row-major order already"),
        ("contiguous", []) => {
            let refusal = format!("{} is not one run in row-major order", x.layout());
            let copy = x.to_contiguous()?;
            let layout = copy.layout().clone();
            return Ok(Outcome::Copy { refusal, copy, layout });
        }
        _ => return Err("there is no such step, or it takes other arguments; see --help".into()),
    };
    Ok(Outcome::View(view, why))
}

/// A reshape is a view, or the smallest copy after which it is one.
fn reshape<'a, T: Element, D: Device>(x: &View<'a, T, D>, target: &[isize]) -> Result<Outcome<'a, T, D>, Failure> {
    match x.reshape(target) {
        Ok(view) => Ok(Outcome::View(view, "the axes that are merged or split are one run in memory")),
        Err(Error::Layout { error, shape }) if matches!(error.kind(), LayoutErrorKind::Blocked { .. }) => {
            let plan = x.copy_plan(target)?;
            let refusal = Error::Layout { error, shape }.to_string();
            Ok(Outcome::Copy { refusal, copy: x.to_contiguous_by(&plan)?, layout: plan.result().clone() })
        }
        Err(error) => Err(error.into()),
    }
}

/// `AXIS:START:STOP:STEP`, of which all but the axis may be left out.
fn slice<'a, T: Element, D: Device>(arguments: &str, x: &View<'a, T, D>) -> Result<View<'a, T, D>, Failure> {
    let parts: Vec<&str> = arguments.split(':').collect();
    let part = |k: usize| match parts.get(k) {
        None | Some(&"") => Ok(None),
        Some(text) => number(text).map(Some),
    };
    let (Some(axis), 2..=4) = (part(0)?, parts.len()) else {
        return Err(format!("slice takes AXIS:START:STOP:STEP, not {arguments:?}").into());
    };
    Ok(x.slice_axis(axis, SliceItem::Range { start: part(1)?, stop: part(2)?, step: part(3)?.unwrap_or(1) })?)
}

fn numbers(arguments: &str) -> Result<Vec<isize>, Failure> {
    if arguments.is_empty() { Ok(Vec::new()) } else { arguments.split(',').map(number).collect() }
}

fn number(text: &str) -> Result<isize, Failure> {
    text.trim().parse().map_err(|error| format!("{text:?} is not a number: {error}").into())
}

fn size(number: isize) -> Result<usize, Failure> {
    usize::try_from(number).map_err(|_| format!("{number} is below 0").into())
}

fn sizes(numbers: &[isize]) -> Result<Vec<usize>, Failure> {
    numbers.iter().map(|&number| size(number)).collect()
}
