//! Launches: limits, parameters, faults and what they do to the context.
