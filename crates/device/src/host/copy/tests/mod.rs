//! The engine against its naive twin, and its choices for the cases that are measured.

mod cases;
mod random;
