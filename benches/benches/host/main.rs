//! The host engine beside memcpy, ndarray and candle: every row of the tables, in rounds, as times of memcpy. `cargo xtask bench --help`.

mod arena;
mod cases;
mod contender;
mod field;
mod ours;
mod peers;
mod python;
mod rounds;
mod sweep;
mod table;
mod variants;

use core::cell::RefCell;
use core::time::Duration;
use std::process::ExitCode;
use std::rc::Rc;

use serde_json::{Value, json};

use field::Field;
use python::Python;
use rounds::Patience;
use table::Row;
use variants::Random;

/// What the command line asks for.
struct Options {
    quick: bool,
    sweep: bool,
    only: Option<String>,
    threads: Vec<usize>,
    seed: u64,
    variants: usize,
    rounds: Option<usize>,
    json: Option<String>,
    /// The interpreter that has NumPy.
    peers: Option<String>,
}

fn main() -> ExitCode {
    // cargo says `--bench` when it measures; without it this is a test, in which each row is checked and not timed.
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let measures = args.iter().any(|arg| arg == "--bench");
    args.retain(|arg| arg != "--bench");
    let outcome = if measures { options(args).and_then(|options| run(&options)) } else { smoke() };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("host: {why}");
            ExitCode::FAILURE
        }
    }
}

fn options(args: Vec<String>) -> Result<Options, String> {
    let seconds = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs());
    let mut options = Options {
        quick: false,
        sweep: false,
        only: None,
        threads: vec![1],
        seed: seconds % 10_000,
        variants: 1,
        rounds: None,
        json: None,
        peers: None,
    };
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg}: a value is missing"));
        let number = |text: String| text.parse::<usize>().map_err(|_| format!("{arg}: `{text}` is not a number"));
        match &arg[..] {
            "--quick" => options.quick = true,
            "--sweep" => options.sweep = true,
            "--only" => options.only = Some(value()?),
            "--threads" => options.threads = value()?.split(',').map(|n| number(n.into())).collect::<Result<_, _>>()?,
            "--seed" => options.seed = number(value()?)? as u64,
            "--variants" => options.variants = number(value()?)?,
            "--rounds" => options.rounds = Some(number(value()?)?),
            "--json" => options.json = Some(value()?),
            "--peers" => options.peers = Some(value()?),
            _ => return Err(format!("`{arg}` is not understood")),
        }
    }
    if options.threads.iter().any(|n| !matches!(n, 1 | 2)) {
        return Err("--threads: the tables have 1, 2 and 1,2".into());
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), String> {
    let mut patience = Patience { rounds: [7, 21], sample: Duration::from_micros(400), slow: 5.0 };
    if options.quick {
        patience = Patience { rounds: [3, 7], sample: Duration::from_micros(200), slow: 3.0 };
    }
    if let Some(rounds) = options.rounds {
        patience.rounds = [rounds, 3 * rounds];
    }
    let python = options.peers.as_deref().map(Python::start).transpose()?;
    let versions = python.as_ref().map(|python| python.versions.clone());
    let field = Field {
        threads: options.threads.clone(),
        patience: Some(patience),
        python: python.map(|python| Rc::new(RefCell::new(python))),
    };
    if options.sweep {
        let rows = sweep::run(options.only.as_deref(), &field, patience)?;
        return write(options, &json!({ "threads": options.threads, "rows": rows }));
    }
    let cases = cases::all();
    let drawn = variants::draw(&cases, &mut Random(options.seed), options.variants);
    let threads = &options.threads[..];
    println!("{}", table::head(threads));
    println!("rows near the cases: seed {}", options.seed);
    if let Some(versions) = &versions {
        println!("in Python: {versions}");
    }
    let mut rows: Vec<Row> = Vec::new();
    for class in cases.chunk_by(|a, b| a.class == b.class) {
        let first = rows.len();
        let near = drawn.iter().filter(|case| case.class == class[0].class);
        let all = class.iter().map(|case| (case, false)).chain(near.map(|case| (case, true)));
        for (case, is_variant) in all {
            if options.only.as_ref().is_some_and(|only| !case.name.contains(only) && !case.class.contains(only)) {
                continue;
            }
            let case = if options.quick { variants::cut(case) } else { case.clone() };
            if rows.len() == first {
                println!("{}", case.class);
            }
            let times = field.row(&case).map_err(|why| format!("{}: {why}", case.name))?;
            let row = Row { case, is_variant, times };
            println!("{}", table::line(&row, threads));
            rows.push(row);
        }
        let of_table: Vec<&Row> = rows[first..].iter().filter(|row| !row.is_variant).collect();
        if of_table.len() > 1 {
            println!("{}", table::means(&of_table, threads));
        }
    }
    print!("\n{}", table::verdict(&rows, threads));
    let rows: Vec<_> = rows.iter().map(Row::to_json).collect();
    let file = json!({
        "seed": options.seed, "threads": threads, "rounds": patience.rounds, "python": versions, "rows": rows,
    });
    write(options, &file)
}

/// For who asked for a file.
fn write(options: &Options, file: &Value) -> Result<(), String> {
    let Some(path) = &options.json else { return Ok(()) };
    std::fs::write(path, format!("{file:#}\n")).map_err(|e| format!("{path}: {e}"))
}

/// Every row and its variants with few elements, each contender once.
fn smoke() -> Result<(), String> {
    let cases = cases::all();
    let drawn = variants::draw(&cases, &mut Random(1), 2);
    let field = Field { threads: vec![1, 2], patience: None, python: None };
    let mut rows = 0;
    for case in cases.iter().chain(&drawn).map(variants::shrink) {
        field.row(&case).map_err(|why| format!("{}: {why}", case.name))?;
        rows += 1;
    }
    println!("host: {rows} rows, each once");
    Ok(())
}
