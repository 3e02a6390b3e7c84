//! Keeps learning from being turned against its owner.
//!
//! Must never let a secret through because it looks new, or decide alone what a person should: doubtful lessons wait.
//! [`redact`] takes secrets out of text, [`doubts`] says what is doubtful about a lesson, [`neutral()`] makes a text harmless to
//! show, [`origin`] says who in a trace said a lesson first.

mod doubt;
mod fold;
mod formats;
mod neutral;
pub mod origin;
mod secrets;
pub(crate) mod witness;

#[cfg(test)]
mod doubt_tests;
#[cfg(test)]
mod neutral_tests;
#[cfg(test)]
mod secrets_tests;
#[cfg(test)]
mod witness_tests;

pub use doubt::doubts;
pub use neutral::neutral;
pub use secrets::{PersonalData, redact, redactions};
