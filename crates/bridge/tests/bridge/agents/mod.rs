//! Agents as processes: a fake one that does what its prompt says, so that every way to end is tried.

mod ends;
mod fake;
mod fixture;
mod keeping;
mod trees;
mod turns;
