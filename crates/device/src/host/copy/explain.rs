//! The choice as a text, for people and for snapshots.

use core::fmt;

use weft_layout::Plan;

use super::choice::{Choice, Kernel};
use crate::host::Exec;
use crate::host::kernel::Store;

/// What [`copy`](super::copy) would do with this plan, in one line.
pub(in crate::host) fn explain(exec: Exec, plan: &Plan<2>, element_bytes: usize) -> String {
    if plan.is_empty() {
        return "nothing to copy".to_string();
    }
    match Choice::new(exec, plan, element_bytes) {
        Some(choice) => choice.to_string(),
        None => format!("element by element: {} axes, the engine keeps {}", plan.axes().len(), super::axis::MOST),
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.blocks;
        let (rows, n) = (a.axis.size, b.axis.size);
        match self.kernel {
            Kernel::Copy => write!(f, "copy {rows} x {n}")?,
            Kernel::Fill => write!(f, "fill {rows} x {n}")?,
            Kernel::Reverse => write!(f, "reverse {rows} x {n}")?,
            Kernel::Step(step) => write!(f, "step by {step}, {rows} x {n}")?,
            Kernel::Interleave { k, .. } => write!(f, "interleave {k} planes, {rows} x {n}")?,
            Kernel::Deinterleave { k, .. } => write!(f, "deinterleave {k} planes, {rows} x {n}")?,
            Kernel::Panel { .. } => write!(f, "transpose {n} x {rows}")?,
            Kernel::Composite { .. } => {
                write!(f, "transpose {n} (")?;
                for (at, axis) in self.composite.iter().enumerate() {
                    write!(f, "{}{}", if at == 0 { "" } else { "*" }, axis.size)?;
                }
                write!(f, ") x {rows}")?;
            }
            Kernel::Scatter { .. } => write!(f, "scatter {rows} x {n}")?,
        }
        write!(f, " words of {}", self.word_bytes)?;
        if a.count() > 1 || b.count() > 1 {
            write!(f, ", {} x {} at once", b.at_once.min(n), a.at_once.min(rows))?;
        }
        if !self.outer.is_empty() {
            f.write_str(", in loops of ")?;
            for (at, axis) in self.outer.iter().enumerate() {
                write!(f, "{}{}", if at == 0 { "" } else { " x " }, axis.size)?;
            }
        }
        if self.store == Store::Stream {
            f.write_str(", around the caches")?;
        }
        if self.threads > 1 {
            write!(f, ", on {} threads", self.threads)?;
        }
        Ok(())
    }
}
