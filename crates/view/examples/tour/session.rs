//! A file, a chain of steps, and what each of them did to memory.

use std::fs::File;
use std::io::{BufWriter, Write};

use npyz::TypeChar;
use weft_view::prelude::*;

use super::Failure;
use super::draw::{indented, tuple};
use super::npy::{self, Npy, Stored};
use super::steps::{self, Outcome};

/// What the command line asks for.
struct Request<'a> {
    file: &'a str,
    steps: Vec<&'a str>,
    output: Option<&'a str>,
}

/// Runs the steps over the file, and tells on `out`.
/// Files are read where they lie by the host, and are uploaded to any other device.
pub(crate) fn run<D: Device>(dev: &D, on: &str, args: &[String], out: &mut dyn Write) -> Result<(), Failure> {
    let request = Request::parse(args)?;
    let in_file = |failure: Failure| Failure::from(format!("{}: {failure}", request.file));
    let bytes = std::fs::read(request.file).map_err(|error| in_file(error.into()))?;
    let npy = Npy::open(&bytes).map_err(in_file)?;
    let with_type = match (npy.element.type_char(), npy.element.size_field()) {
        (TypeChar::Bool, 1) => with_type::<bool, D>,
        (TypeChar::Uint, 1) => with_type::<u8, D>,
        (TypeChar::Uint, 2) => with_type::<u16, D>,
        (TypeChar::Uint, 4) => with_type::<u32, D>,
        (TypeChar::Uint, 8) => with_type::<u64, D>,
        (TypeChar::Int, 1) => with_type::<i8, D>,
        (TypeChar::Int, 2) => with_type::<i16, D>,
        (TypeChar::Int, 4) => with_type::<i32, D>,
        (TypeChar::Int, 8) => with_type::<i64, D>,
        (TypeChar::Float, 2) => with_type::<half::f16, D>,
        (TypeChar::Float, 4) => with_type::<f32, D>,
        (TypeChar::Float, 8) => with_type::<f64, D>,
        (TypeChar::Complex, 8) => with_type::<num_complex::Complex<f32>, D>,
        (TypeChar::Complex, 16) => with_type::<num_complex::Complex<f64>, D>,
        _ => {
            let text = format!("elements of type {} are not supported; bool, integers to 64 bits, ", npy.element);
            return Err(in_file((text + "f2, f4, f8, c8 and c16 are").into()));
        }
    };
    with_type(dev, on, &request, &npy, out)
}

impl Request<'_> {
    fn parse(args: &[String]) -> Result<Request<'_>, Failure> {
        let (mut words, mut output) = (Vec::new(), None);
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match &arg[..] {
                "-o" if output.is_some() => return Err("-o is given twice".into()),
                "-o" => output = Some(&args.next().ok_or("-o needs the path of a file")?[..]),
                option if option.starts_with('-') => {
                    return Err(format!("there is no option {option}; see --help").into());
                }
                word => words.push(word),
            }
        }
        match words.split_first() {
            Some((&file, steps)) => Ok(Request { file, steps: steps.to_vec(), output }),
            None => Err("-o needs a file to read; see --help".into()),
        }
    }
}

/// The session, for one element type.
fn with_type<S: Stored, D: Device>(
    dev: &D,
    on: &str,
    request: &Request<'_>,
    npy: &Npy<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let elements = npy.elements::<S>().map_err(|failure| format!("{}: {failure}", request.file))?;
    let bytes = size_of_val(&elements[..]);
    writeln!(out, "{}: {} elements of type {}, {bytes} bytes", request.file, elements.len(), npy.element)?;
    let Some(there) = uploaded(dev, &elements)? else {
        let view = View::from_slice(&elements, npy.layout.clone())?;
        return begin::<S, Host>(request, "read as it lies in the file, nothing reordered", &view, npy, out);
    };
    let how = format!("uploaded to {on} as it lies in the file, nothing reordered");
    begin::<S, D>(request, &how, &there.view_as(&npy.layout)?, npy, out)
}

/// The elements on a device that is not the host, in the order of the file.
fn uploaded<T: Element, D: Device>(dev: &D, elements: &[T]) -> Result<Option<Tensor<T, D>>, Failure> {
    let on_host = dev.name() == Host.name();
    Ok(if on_host { None } else { Some(dev.options().without_grad().tensor(elements, elements.len())?) })
}

/// Shows the whole array, then takes the steps.
fn begin<S: Stored, D: Device>(
    request: &Request<'_>,
    how: &str,
    view: &View<'_, S::Element, D>,
    npy: &Npy<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    describe(view, out)?;
    writeln!(out, "   {}: {how}\n\n{view}\n", in_words(view.layout()))?;
    follow::<S, D>(request, 0, view, npy, out)
}

/// Runs the steps from `next` on. Each copy lives on the stack of its own call, so that the views of the steps after it may
/// borrow it.
fn follow<S: Stored, D: Device>(
    request: &Request<'_>,
    next: usize,
    view: &View<'_, S::Element, D>,
    npy: &Npy<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let Some(step) = request.steps.get(next) else {
        return finish::<S, D>(request, view, npy, out);
    };
    writeln!(out, "{}. {step}", next + 1)?;
    match steps::apply(step, view).map_err(|failure| format!("step {}, {step}: {failure}", next + 1))? {
        Outcome::View(view, why) => {
            writeln!(out, "   view: {why}; no byte moves")?;
            describe(&view, out)?;
            follow::<S, D>(request, next + 1, &view, npy, out)
        }
        Outcome::Copy { refusal, copy, layout } => {
            let (elements, bytes) = (copy.numel(), copy.numel() * size_of::<S::Element>());
            writeln!(out, "{}", indented("   no view: ", &refusal))?;
            writeln!(
                out,
                "   copy: {elements} elements, {bytes} bytes, the least that helps; what follows reads the copy"
            )?;
            let view = copy.view_as(&layout)?;
            describe(&view, out)?;
            follow::<S, D>(request, next + 1, &view, npy, out)
        }
    }
}

/// Shows the result, and writes it where that was asked for.
fn finish<S: Stored, D: Device>(
    request: &Request<'_>,
    view: &View<'_, S::Element, D>,
    npy: &Npy<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if !request.steps.is_empty() {
        writeln!(out, "\n{view}\n")?;
    }
    let Some(path) = request.output else { return Ok(()) };
    let result = view.to_contiguous_cow()?;
    match &result {
        MaybeOwned::View(_) => {
            writeln!(out, "one run in row-major order already: written as it lies, nothing is copied")?;
        }
        MaybeOwned::Tensor(copy) => {
            let bytes = copy.numel() * size_of::<S::Element>();
            writeln!(out, "materialised: {} elements, {bytes} bytes copied into row-major order", copy.numel())?;
        }
    }
    let file = File::create_new(path).map_err(|error| format!("{path}: {error}"))?;
    let here = result.as_view().to_vec()?;
    let here = View::from_slice(&here, Layout::row_major(view.shape())?)?;
    npy::write::<S>(BufWriter::new(file), &npy.element, &here).map_err(|error| format!("{path}: {error}"))?;
    writeln!(out, "written to {path}: type {}, shape {}, C order", npy.element, tuple(view.shape()))?;
    Ok(())
}

/// Shape, strides and offset, in elements and in bytes.
fn describe<T: Element, D: Device>(view: &View<'_, T, D>, out: &mut dyn Write) -> Result<(), Failure> {
    let (shape, strides) = (tuple(view.shape()), tuple(view.strides()));
    let bytes = tuple(&view.layout().byte_strides(size_of::<T>())?);
    writeln!(out, "   shape {shape}   strides {strides}, in bytes {bytes}   offset {}", view.offset())?;
    Ok(())
}

/// How the elements of a layout lie in memory.
fn in_words(layout: &Layout) -> &'static str {
    match (layout.is_contiguous(), layout.is_col_major()) {
        (true, true) => "one run in either order",
        (true, false) => "one run in row-major order",
        (false, true) => "one run in column-major order",
        (false, false) => "not one run",
    }
}
