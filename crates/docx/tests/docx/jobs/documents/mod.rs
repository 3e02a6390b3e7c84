//! The documents that people bring, made anew for each test: the same calls give the same bytes.

mod agreement;
mod boxes;
mod form;
mod hebrew;
mod nda;
mod reviewed;
mod tables;
mod xml;

pub(super) use agreement::agreement;
pub(super) use boxes::{PIXEL, with_text_box};
pub(super) use form::form;
pub(super) use hebrew::hebrew;
pub(super) use nda::nda;
pub(super) use reviewed::reviewed;
pub(super) use tables::{bilingual, merged, prices};
