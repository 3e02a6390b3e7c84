//! `cargo xtask docs`: the parts of the documentation that are made from tables of the code.
//!
//! Must never write what a person wrote: each file here owns one part of its pages.

mod operations;

use crate::Result;

/// Writes all of them.
pub(crate) fn run() -> Result<()> {
    operations::write()
}
