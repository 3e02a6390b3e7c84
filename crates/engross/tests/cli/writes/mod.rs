//! Write sessions: the command, and the service as a process.

mod attacks;
mod command;
#[cfg(unix)]
mod disturbed;
mod http;
#[cfg(unix)]
mod matrix;
mod models;
mod providers;
mod seed;
mod server;
