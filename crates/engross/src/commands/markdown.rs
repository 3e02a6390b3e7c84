//! `engross to-markdown` and `engross from-markdown`

use engross_documents::{Destination, InputFile};
use engross_docx::Limits;
use engross_docx::read::View;
use engross_protocol::{Exit, Failure};

use super::CommandEnd;
use super::documents::open;
use crate::cli::{FromMarkdownArgs, ToMarkdownArgs, ViewArg};
use crate::failure;
use crate::files::{by_path, read_text};
use crate::output::Output;
use crate::signals::HeldBack;

pub(crate) fn to_markdown(args: &ToMarkdownArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (input, document) = open(&args.file)?;
    let view = match args.view {
        ViewArg::Accepted => View::Accepted,
        ViewArg::Original => View::Original,
        ViewArg::Markup => View::Markup,
    };
    let text = document.to_markdown(view).map_err(|error| failure::of_document(input.path(), &error))?;
    output.answer(&text, || format!("{text}\n"))?;
    Ok(CommandEnd::With(Exit::Done))
}

pub(crate) fn from_markdown(args: &FromMarkdownArgs, output: Output) -> Result<CommandEnd, Failure> {
    let text = read_text(&args.file)?;
    by_path::check_target(&args.output)?;
    let template = match &args.template {
        Some(path) => {
            let (input, bytes) = InputFile::read(path).map_err(failure::of_delivery)?;
            input.check(&Destination::NewFile(args.output.clone())).map_err(failure::of_delivery)?;
            Some(bytes)
        }
        None => None,
    };
    let made = engross_docx::from_markdown(&text, template, &Limits::default());
    let bytes = made.map_err(|error| failure::of_document(&args.file, &error))?;
    let _held_back = HeldBack::new();
    by_path::write(&args.output, &bytes, None).map_err(|error| failure::of_delivery(error.into()))?;
    let path = args.output.display().to_string();
    output.answer(&path, || format!("{path}\n"))?;
    Ok(CommandEnd::With(Exit::Done))
}
