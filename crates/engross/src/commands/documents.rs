//! What commands have in common that read one document and write another: open it, say where the result goes, deliver it.
//!
//! Must never be torn in two by a signal while it writes.

use std::collections::BTreeMap;
use std::path::Path;

use engross_documents::{Delivery, Destination, InputFile, pictures_of};
use engross_docx::ops::Operation;
use engross_docx::{Tracking, WordDocument};
use engross_protocol::{Clock, Failure, FixedClock, SystemClock};
use engross_store::files::Root;

use crate::cli::TargetArgs;
use engross_compose::data::data_path;
pub(super) use engross_compose::data::open_document as open;
use engross_compose::failure::of_delivery;
use engross_compose::signals::HeldBack;

/// The pictures beneath the working folder that operations name, by those names.
pub(super) fn pictures_here<'a>(
    operations: impl IntoIterator<Item = &'a Operation>,
) -> BTreeMap<String, Vec<u8>> {
    Root::open(Path::new(".")).map(|root| pictures_of(&root.top(), operations)).unwrap_or_default()
}

/// Where the result about `input` goes; `suffix` is that of the usual name. What would certainly fail does so here.
pub(super) fn destination(
    input: &InputFile,
    target: &TargetArgs,
    suffix: &str,
) -> Result<Destination, Failure> {
    let destination = match (&target.output, target.in_place) {
        (Some(path), _) => Destination::NewFile(path.clone()),
        (None, true) => Destination::InPlace(data_path(None)?),
        (None, false) => Destination::NewFile(input.free_beside(suffix)),
    };
    input.check_document(&destination).map_err(of_delivery)?;
    Ok(destination)
}

/// Proves and writes the document that was read from `input`.
pub(super) fn deliver(
    document: &WordDocument,
    tracking: Tracking,
    input: &InputFile,
    destination: &Destination,
) -> Result<Delivery, Failure> {
    let _held_back = HeldBack::new();
    input.deliver(document, tracking, destination, &SystemClock).map_err(of_delivery)
}

/// The clock of a command: it stands still if a date was given.
pub(super) fn clock(date_flag: Option<&str>) -> Result<Box<dyn Clock>, Failure> {
    Ok(match date_flag {
        Some(text) => Box::new(FixedClock(engross_documents::signature::date(text)?)),
        None => Box::new(SystemClock),
    })
}
