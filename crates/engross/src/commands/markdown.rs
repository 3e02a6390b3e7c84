//! `engross to-markdown` and `engross from-markdown`

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use engross_documents::change::printable;
use engross_documents::{Destination, InputFile, check_name_of_new, read_pictures};
use engross_docx::{Limits, MadeDocument, MarkdownReading, from_markdown_with, picture_names};
use engross_protocol::{Exit, Failure};
use engross_store::files::{Precondition, RelPath, Root};

use super::CommandEnd;
use super::documents::open;
use crate::cli::{FromMarkdownArgs, ToMarkdownArgs};
use crate::output::{Output, note};
use engross_compose::failure;
use engross_compose::files::{by_path, make_folder, read_text};
use engross_compose::signals::HeldBack;

pub(crate) fn to_markdown(args: &ToMarkdownArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (input, document) = open(&args.file)?;
    let reading = document.markdown_reading(args.view.into());
    let MarkdownReading { text, warnings, pictures } =
        reading.map_err(|error| failure::of_document(input.path(), &error))?;
    if let Some(folder) = &args.pictures {
        write_pictures(folder, &pictures)?;
    }
    output.answer(&text, || format!("{text}\n"))?;
    tell(&warnings);
    Ok(CommandEnd::With(Exit::Done))
}

pub(crate) fn from_markdown(args: &FromMarkdownArgs, output: Output) -> Result<CommandEnd, Failure> {
    let text = read_text(&args.file)?;
    by_path::check_target(&args.output)?;
    check_name_of_new(args.template.as_deref(), &args.output).map_err(failure::of_delivery)?;
    let template = match &args.template {
        Some(path) => {
            let (input, bytes) = InputFile::read(path).map_err(failure::of_delivery)?;
            input.check(&Destination::NewFile(args.output.clone())).map_err(failure::of_delivery)?;
            Some(bytes)
        }
        None => None,
    };
    // Pictures are meant as seen from the text.
    let folder = match args.file.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let names = picture_names(&text);
    let pictures = Root::open(folder).map(|root| read_pictures(&root.top(), &names)).unwrap_or_default();
    let made = from_markdown_with(&text, template, pictures, &Limits::default());
    let MadeDocument { bytes, warnings } = made.map_err(|error| failure::of_document(&args.file, &error))?;
    let _held_back = HeldBack::new();
    by_path::write(&args.output, &bytes, None).map_err(|error| failure::of_delivery(error.into()))?;
    let path = args.output.display().to_string();
    output.answer(&path, || format!("{path}\n"))?;
    tell(&warnings);
    Ok(CommandEnd::With(Exit::Done))
}

/// Writes pictures beneath a folder, which is made if it is not there. Replaces nothing.
fn write_pictures(folder: &Path, pictures: &BTreeMap<String, Vec<u8>>) -> Result<(), Failure> {
    make_folder(folder)?;
    let top = Root::open(folder)?.top();
    for (name, bytes) in pictures {
        let path = RelPath::parse(name)?;
        let known = top.read(&path, bytes.len() as u64);
        if !known.is_ok_and(|known| known.is_some_and(|(known, _)| known == *bytes)) {
            top.write(&path, bytes.as_slice(), &Precondition::Absent)?;
        }
    }
    Ok(())
}

/// Says once each what the result does not say.
fn tell(warnings: &[String]) {
    let mut known = BTreeSet::new();
    for warning in warnings.iter().filter(|warning| known.insert(warning.as_str())) {
        note(&format!("Warning: {}", printable(warning)));
    }
}
