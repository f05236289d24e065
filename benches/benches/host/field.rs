//! Who competes in a row, and under which conditions.

use core::cell::RefCell;
use core::time::Duration;
use std::rc::Rc;

use weft_view::C64;

use crate::arena::{Arena, Number};
use crate::cases::{Case, Type, Work};
use crate::contender::Contender;
use crate::python::{self, Python};
use crate::rounds::{Patience, Time, measure};
use crate::{ours, peers};

type Contenders<T> = Vec<Box<dyn Contender<T>>>;

/// The conditions that all rows share.
pub(crate) struct Field {
    pub(crate) threads: Vec<usize>,
    /// `None`: each contender is checked and not timed.
    pub(crate) patience: Option<Patience>,
    /// Where NumPy and PyTorch run, if they take part.
    pub(crate) python: Option<Rc<RefCell<Python>>>,
}

impl Field {
    /// Measures one row, with everybody who can do it.
    pub(crate) fn row(&self, case: &Case) -> Result<Vec<Time>, String> {
        match case.dtype {
            Type::U8 => self.copies::<u8>(case),
            Type::U16 => self.copies::<u16>(case),
            Type::I32 => self.copies::<i32>(case),
            Type::I64 => self.copies::<i64>(case),
            Type::C64 => self.copies::<C64>(case),
            Type::F64 => self.copies::<f64>(case),
            Type::F32 => self.compete::<f32>(case, |arena| {
                let mut others = peers::copies(case, arena, &self.threads);
                others.extend(peers::arithmetic(case, arena, &self.threads));
                others
            }),
        }
    }

    /// Measures a row of `f32` for memcpy and weft alone.
    pub(crate) fn alone(&self, case: &Case, patience: Patience) -> Result<Vec<Time>, String> {
        let alone = Field { threads: self.threads.clone(), patience: Some(patience), python: None };
        alone.compete::<f32>(case, |_| Vec::new())
    }

    fn copies<T: Number>(&self, case: &Case) -> Result<Vec<Time>, String> {
        assert!(matches!(case.work, Work::Copy), "arithmetic is measured in f32");
        self.compete::<T>(case, |arena| peers::copies(case, arena, &self.threads))
    }

    fn compete<T: Number>(
        &self,
        case: &Case,
        others: impl Fn(&Arena<T>) -> Contenders<T>,
    ) -> Result<Vec<Time>, String> {
        let mut arena = Arena::<T>::new(case, &self.threads);
        let mut contenders = vec![ours::memcpy(case, &arena)];
        contenders.extend(ours::weft(case, &self.threads));
        contenders.extend(others(&arena));
        if let Some(python) = &self.python {
            contenders.extend(python::contenders(python, case, &self.threads)?);
        }
        let checked = Patience { rounds: [0, 0], sample: Duration::ZERO, slow: 0.0 };
        measure(&mut arena, &mut contenders, case.is_in_cache(), self.patience.unwrap_or(checked))
    }
}
