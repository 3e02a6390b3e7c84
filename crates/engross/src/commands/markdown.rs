//! `engross to-markdown` and `engross from-markdown`

use engross_docx::read::View;
use engross_docx::{Limits, from_markdown};
use engross_protocol::{Exit, Failure};

use super::{Ended, open};
use crate::cli::{FromMarkdownArgs, ToMarkdownArgs, ViewArg};
use crate::failure;
use crate::files::{Destination, Target, read_input, read_text};
use crate::output::Output;

pub(super) fn tell(args: &ToMarkdownArgs, output: Output) -> Result<Ended, Failure> {
    let (input, document) = open(&args.file)?;
    let view = match args.view {
        ViewArg::Accepted => View::Accepted,
        ViewArg::Original => View::Original,
        ViewArg::Markup => View::Markup,
    };
    let text = document.to_markdown(view).map_err(|error| failure::of_document(&input.path, &error))?;
    output.answer(&text, || format!("{text}\n"))?;
    Ok(Ended::With(Exit::Done))
}

pub(super) fn make(args: &FromMarkdownArgs, output: Output) -> Result<Ended, Failure> {
    let text = read_text(&args.file)?;
    let (template, destination) = match &args.template {
        Some(path) => {
            let (input, bytes) = read_input(path)?;
            (Some(bytes), Destination::of(&input, Target::File(&args.output))?)
        }
        None => (None, Destination::new_file(&args.output)?),
    };
    let made = from_markdown(&text, template, &Limits::default());
    let bytes = made.map_err(|error| failure::of_document(&args.file, &error))?;
    destination.write(&bytes)?;
    let path = destination.path().display().to_string();
    output.answer(&path, || format!("{path}\n"))?;
    Ok(Ended::With(Exit::Done))
}
