//! `engross compare` and `engross diff`

mod html;
pub(crate) mod merge;

use std::fmt::Write as _;
use std::path::Path;

use engross_documents::change::{Palette, printable};
use engross_documents::{
    Destination, InputFile, Redline, RedlineReport, TextReport, differences, redline, signature,
    text_differences,
};
use engross_docx::{CompareError, CompareOptions, ComparedView, DocumentChange, Granularity, Limits};
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

/// What `diff` answers of the texts alone.
#[derive(Serialize)]
struct TextAnswer {
    before: String,
    after: String,
    #[serde(flatten)]
    report: TextReport,
}

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
    input.check_document(&destination).map_err(failure::of_delivery)?;
    let (other, after) = InputFile::read(&args.after).map_err(failure::of_delivery)?;
    other.check(&destination).map_err(failure::of_delivery)?;
    if let Some(page) = &args.html {
        check_page(&target, page)?;
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
        let names = names((&args.before, &args.after));
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

/// What the two documents are called on a page: their names, or where both are the same their paths.
fn names((before, after): (&Path, &Path)) -> (String, String) {
    let shown = |path: &Path| path.display().to_string();
    match (before.file_name(), after.file_name()) {
        (Some(one), Some(other)) if one != other => (shown(one.as_ref()), shown(other.as_ref())),
        _ => (shown(before), shown(after)),
    }
}

pub(crate) fn diff(args: &DiffArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (before, after) = (read_version(&args.before)?, read_version(&args.after)?);
    let paths = (args.before.as_path(), args.after.as_path());
    let differs = match args.formatting {
        true => diff_of_all(args.view, (paths.0, before), (paths.1, after), output)?,
        false => {
            let report =
                text_differences(before, after, side(args.view)).map_err(|failed| of(paths, &failed))?;
            let (before, after) = (paths.0.display().to_string(), paths.1.display().to_string());
            let answer = TextAnswer { before, after, report };
            output.answer(&answer, || lines(&answer.report.changes, output))?;
            !answer.report.changes.is_empty()
        }
    };
    Ok(CommandEnd::With(if differs && args.exit_code { Exit::Refused } else { Exit::Done }))
}

/// How git names the version of a file that came, or that is gone.
const NO_FILE: &str = if cfg!(windows) { "nul" } else { "/dev/null" };

/// A version of a document; one without a word where there is none.
fn read_version(path: &Path) -> Result<Vec<u8>, Failure> {
    if path.to_str().is_some_and(|path| path.eq_ignore_ascii_case(NO_FILE)) {
        let empty = engross_docx::from_markdown("", None, &Limits::default());
        return empty.map_err(|error| failure::of_document(path, &error));
    }
    InputFile::read(path).map(|(_, bytes)| bytes).map_err(failure::of_delivery)
}

/// Refuses a page that would take the place of the redline.
fn check_page(target: &Path, page: &Path) -> Result<(), Failure> {
    let folder = |path: &Path| match path.parent() {
        Some(above) if above != Path::new("") => above.to_owned(),
        _ => Path::new(".").to_owned(),
    };
    let is_same =
        target.file_name() == page.file_name() && by_path::is_same_file(&folder(target), &folder(page));
    if is_same || by_path::is_same_file(target, page) {
        let message = format!("{} is the redline itself; choose another name for --html", page.display());
        return Err(Failure::new(Exit::Usage, "OUTPUT_IS_INPUT", message));
    }
    Ok(())
}

/// Compares all that a redline would hold, and tells whether anything differs.
fn diff_of_all(
    view: CompareView,
    (before_path, before): (&Path, Vec<u8>),
    (after_path, after): (&Path, Vec<u8>),
    output: Output,
) -> Result<bool, Failure> {
    let options = CompareOptions {
        author: "engross".to_owned(),
        date: clock(None)?.now().to_string(),
        view: side(view),
        keep_revisions: false,
        formatting: true,
        moves: true,
        granularity: Granularity::Word,
    };
    let made = make(before_path, before, after_path, after, &options)?;
    let answer = answer((before_path, after_path), None, made.report);
    output.answer(&answer, || {
        lines(&answer.report.changes, output) + &differences::limitations(&answer.report.limitations)
    })?;
    Ok(!(answer.report.changes.is_empty() && answer.report.limitations.is_empty()))
}

fn lines(changes: &[DocumentChange], output: Output) -> String {
    let palette = Palette::new(output.colour);
    let mut text = String::new();
    for change in changes {
        let _ = writeln!(text, "{:<6} {}", printable(&change.address), differences::line(change, palette));
    }
    text
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
    redline(before, after, options).map_err(|failed| of((before_path, after_path), &failed))
}

/// Names the document that could not be compared.
fn of((before, after): (&Path, &Path), failed: &CompareError) -> Failure {
    failure::of_document(if failed.is_after { after } else { before }, &failed.error)
}

fn answer((before, after): (&Path, &Path), output: Option<&Path>, report: RedlineReport) -> Answer {
    Answer {
        before: before.display().to_string(),
        after: after.display().to_string(),
        output: output.map(|path| path.display().to_string()),
        report,
    }
}
