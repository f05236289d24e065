//! NumPy and PyTorch, in a process of their own that is told over its standard input which row to prepare and whom to run.

use core::cell::RefCell;
use core::time::Duration;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use serde_json::{Value, json};

use crate::arena::{Arena, Number, Place, result_shape};
use crate::cases::{Case, Operand, Work};
use crate::contender::Contender;

/// The process, and what it says.
pub(crate) struct Python {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// Which versions take part.
    pub(crate) versions: Value,
}

impl Python {
    /// Starts it with that interpreter, which has NumPy and perhaps PyTorch.
    pub(crate) fn start(interpreter: &str) -> Result<Python, String> {
        let mut command = Command::new(interpreter);
        command.args(["-c", include_str!("peers.py")]).stdin(Stdio::piped()).stdout(Stdio::piped());
        // Set for old builds of OpenBLAS on some machines; they make new ones slow.
        command.env_remove("OPENBLAS_CORETYPE").env_remove("OPENBLAS_L2_SIZE");
        let mut child = command.spawn().map_err(|e| format!("cannot start {interpreter}: {e}"))?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the pipes of python are missing".into());
        };
        let mut python = Python { child, to, from: BufReader::new(from), versions: Value::Null };
        python.versions = python.answer()?;
        Ok(python)
    }

    fn ask(&mut self, what: &Value) -> Result<Value, String> {
        writeln!(self.to, "{what}").and_then(|()| self.to.flush()).map_err(|e| format!("python: {e}"))?;
        self.answer()
    }

    fn answer(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        self.from.read_line(&mut line).map_err(|e| format!("python: {e}"))?;
        serde_json::from_str(&line).map_err(|_| format!("python ended or said something else: {line:?}"))
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // Nothing is lost with it, and nobody is left to hear that it was gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One of the contenders in that process.
struct Remote {
    python: Rc<RefCell<Python>>,
    who: usize,
    name: &'static str,
    threads: usize,
}

/// Has the row prepared and checked there, and gives who takes part in it.
pub(crate) fn contenders<T: Number>(
    python: &Rc<RefCell<Python>>,
    case: &Case,
    threads: &[usize],
) -> Result<Vec<Box<dyn Contender<T>>>, String> {
    let place = Place::of(case);
    let (work, axis, value, operand) = match case.work {
        Work::Copy => ("copy", 0, 0, ""),
        Work::Recycled => ("recycled", 0, 0, ""),
        Work::Cold => ("cold", 0, 0, ""),
        Work::Fill(value) => ("fill", 0, value, ""),
        Work::Sum(axis) => ("sum", axis, 0, ""),
        Work::Add(Operand::Same) => ("add", 0, 0, "same"),
        Work::Add(Operand::Row) => ("add", 0, 0, "row"),
        Work::Add(Operand::Transposed) => ("add", 0, 0, "transposed"),
        Work::Pad => ("pad", 0, 0, ""),
    };
    let row = json!({
        "work": work, "axis": axis, "value": value, "operand": operand, "type": case.dtype.name(), "base": case.base,
        "shape": place.shape, "strides": place.strides, "offset": place.offset, "result": result_shape(case),
    });
    let answer = python.borrow_mut().ask(&json!({ "do": "prepare", "row": row, "threads": threads }))?;
    let mut contenders: Vec<Box<dyn Contender<T>>> = Vec::new();
    for (who, contender) in answer.as_array().into_iter().flatten().enumerate() {
        let name = if contender[0] == "torch" { "torch" } else { "numpy" };
        let threads = contender[1].as_u64().unwrap_or(1) as usize;
        contenders.push(Box::new(Remote { python: Rc::clone(python), who, name, threads }));
    }
    Ok(contenders)
}

impl<T: Number> Contender<T> for Remote {
    fn name(&self) -> &'static str {
        self.name
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn time(&mut self, _: &mut Arena<T>, times: usize) -> Duration {
        let answer = self.python.borrow_mut().ask(&json!({ "do": "run", "who": self.who, "times": times }));
        let seconds = answer.expect("python is still there").as_f64().expect("a time");
        Duration::from_secs_f64(seconds)
    }

    fn check(&mut self, _: &mut Arena<T>) -> bool {
        // Checked there, when it was prepared.
        true
    }
}
