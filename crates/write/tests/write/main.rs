//! Whole sessions, seen from outside.

mod cases;
mod host;
mod model;
mod options;
