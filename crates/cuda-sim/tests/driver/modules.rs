//! Modules: what is loaded, what is refused, and what the log says.
