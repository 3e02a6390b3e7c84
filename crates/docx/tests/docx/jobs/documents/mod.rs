//! The documents that people bring, made anew for each test: the same calls give the same bytes.

mod agreement;
mod boxes;
mod form;
mod hebrew;
mod nda;
mod reviewed;
mod tables;
mod xml;

pub(crate) use agreement::agreement;
pub(crate) use boxes::{PIXEL, with_text_box};
pub(crate) use form::form;
pub(crate) use hebrew::hebrew;
pub(crate) use nda::nda;
pub(crate) use reviewed::reviewed;
pub(crate) use tables::{bilingual, merged, prices};
