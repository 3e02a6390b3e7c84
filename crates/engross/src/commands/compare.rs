//! `engross compare` and `engross diff`

mod html;
pub(crate) mod merge;

use std::fmt::Write as _;
use std::path::Path;

use engross_documents::change::{Palette, printable};
use engross_documents::{Destination, InputFile, Redline, RedlineReport, differences, redline, signature};
use engross_docx::{CompareOptions, ComparedView, Granularity, Limits};
use engross_protocol::{Exit, Failure};
use serde::Serialize;

use super::documents::clock;
use super::{CommandEnd, settings};
use crate::cli::{CompareArgs, CompareView, DiffArgs, LeastChange};
use crate::output::Output;
use engross_compose::failure;
use engross_compose::files::by_path;
use engross_compose::settings::{Environment, Flags};
use engross_compose::signals::HeldBack;

/// What both commands answer.
#[derive(Serialize)]
struct Answer {
    before: String,
    after: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(flatten)]
    report: RedlineReport,
}

pub(crate) fn compare(
    args: &CompareArgs,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    if let Some(other) = &args.other {
        return merge::compare_three(args, other, output);
    }
    let flags = Flags { author: args.author.clone(), ..Flags::default() };
    let settings = settings(&args.common, flags, environment)?;
    let options = CompareOptions {
        author: signature::author(&settings.author.value)?.to_owned(),
        date: clock(args.date.as_deref())?.now().to_string(),
        view: side(args.view),
        keep_revisions: args.keep_revisions,
        formatting: !args.no_formatting,
        moves: !args.no_moves,
        granularity: args.granularity.into(),
    };
    let (input, before) = InputFile::read(&args.before).map_err(failure::of_delivery)?;
    let target = args.output.clone().unwrap_or_else(|| input.free_beside("redline"));
    let destination = Destination::NewFile(target.clone());
    input.check(&destination).map_err(failure::of_delivery)?;
    let (other, after) = InputFile::read(&args.after).map_err(failure::of_delivery)?;
    other.check(&destination).map_err(failure::of_delivery)?;
    if let Some(page) = &args.html {
        let page = Destination::NewFile(page.clone());
        input.check(&page).and_then(|()| other.check(&page)).map_err(failure::of_delivery)?;
    }
    let made = make(&args.before, before, &args.after, after, &options)?;
    {
        let _held_back = HeldBack::new();
        by_path::write(&target, &made.bytes, None).map_err(|error| failure::of_delivery(error.into()))?;
    }
    if let Some(path) = &args.html {
        let paragraphs = engross_docx::side_by_side(made.bytes.clone(), &Limits::default());
        let paragraphs = paragraphs.map_err(|error| failure::of_document(&args.before, &error))?;
        let names = (args.before.display().to_string(), args.after.display().to_string());
        let page = html::page(&paragraphs, (&names.0, &names.1));
        by_path::write(path, page.as_bytes(), None).map_err(|error| failure::of_delivery(error.into()))?;
    }
    let answer = answer((&args.before, &args.after), Some(&target), made.report);
    output.answer(&answer, || {
        let counted = if args.summary { differences::summary } else { differences::counts };
        let mut text = counted(&answer.report.changes, answer.report.proof);
        text.push_str(&differences::limitations(&answer.report.limitations));
        let _ = writeln!(text, "{}", target.display());
        text
    })?;
    Ok(CommandEnd::With(Exit::Done))
}

pub(crate) fn diff(args: &DiffArgs, output: Output) -> Result<CommandEnd, Failure> {
    let options = CompareOptions {
        author: "engross".to_owned(),
        date: clock(None)?.now().to_string(),
        view: side(args.view),
        keep_revisions: false,
        formatting: true,
        moves: true,
        granularity: Granularity::Word,
    };
    let (_, before) = InputFile::read(&args.before).map_err(failure::of_delivery)?;
    let (_, after) = InputFile::read(&args.after).map_err(failure::of_delivery)?;
    let made = make(&args.before, before, &args.after, after, &options)?;
    let answer = answer((&args.before, &args.after), None, made.report);
    output.answer(&answer, || {
        let palette = Palette::new(output.colour);
        let mut text = String::new();
        for change in &answer.report.changes {
            let _ =
                writeln!(text, "{:<6} {}", printable(&change.address), differences::line(change, palette));
        }
        text + &differences::limitations(&answer.report.limitations)
    })?;
    let differs =
        args.exit_code && !(answer.report.changes.is_empty() && answer.report.limitations.is_empty());
    Ok(CommandEnd::With(if differs { Exit::Refused } else { Exit::Done }))
}

impl From<LeastChange> for Granularity {
    fn from(least: LeastChange) -> Self {
        match least {
            LeastChange::Word => Self::Word,
            LeastChange::Clause => Self::Clause,
            LeastChange::Sentence => Self::Sentence,
        }
    }
}

fn side(view: CompareView) -> ComparedView {
    match view {
        CompareView::Accepted => ComparedView::Accepted,
        CompareView::Original => ComparedView::Original,
        CompareView::AsIs => ComparedView::AsIs,
    }
}

fn make(
    before_path: &Path,
    before: Vec<u8>,
    after_path: &Path,
    after: Vec<u8>,
    options: &CompareOptions,
) -> Result<Redline, Failure> {
    redline(before, after, options).map_err(|failed| {
        failure::of_document(if failed.is_after { after_path } else { before_path }, &failed.error)
    })
}

fn answer((before, after): (&Path, &Path), output: Option<&Path>, report: RedlineReport) -> Answer {
    Answer {
        before: before.display().to_string(),
        after: after.display().to_string(),
        output: output.map(|path| path.display().to_string()),
        report,
    }
}
