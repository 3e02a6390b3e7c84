//! `engross to-html`

use engross_documents::Destination;
use engross_docx::html::HtmlOptions;
use engross_protocol::{Exit, Failure};

use super::CommandEnd;
use super::documents::open;
use crate::cli::ToHtmlArgs;
use crate::output::Output;
use engross_compose::failure;
use engross_compose::files::by_path;
use engross_compose::signals::HeldBack;

pub(crate) fn run(args: &ToHtmlArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (input, document) = open(&args.file)?;
    if let Some(target) = &args.output {
        input.check(&Destination::NewFile(target.clone())).map_err(failure::of_delivery)?;
    }
    let title = args.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let options =
        HtmlOptions { view: args.view.into(), page: !args.fragment, title, ..HtmlOptions::default() };
    let html = document.to_html(&options).map_err(|error| failure::of_document(input.path(), &error))?;
    let Some(target) = &args.output else {
        output.answer(&html, || html.clone())?;
        return Ok(CommandEnd::With(Exit::Done));
    };
    {
        let _held_back = HeldBack::new();
        by_path::write(target, html.as_bytes(), None).map_err(|error| failure::of_delivery(error.into()))?;
    }
    let path = target.display().to_string();
    output.answer(&path, || format!("{path}\n"))?;
    Ok(CommandEnd::With(Exit::Done))
}
