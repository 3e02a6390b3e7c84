//! `engross merge`, and `engross compare --three`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use engross_documents::change::printable;
use engross_documents::{Destination, InputFile, MergeReport, differences, merge as merge_files, signature};
use engross_docx::{Granularity, MergeOptions};
use engross_protocol::{Exit, Failure};
use serde::Serialize;

use super::side;
use crate::cli::{CompareArgs, MergeArgs};
use crate::commands::CommandEnd;
use crate::commands::documents::clock;
use crate::output::Output;
use engross_compose::failure;
use engross_compose::files::by_path;
use engross_compose::signals::HeldBack;

/// What both commands answer.
#[derive(Serialize)]
struct Answer {
    base: String,
    one: String,
    other: String,
    output: String,
    #[serde(flatten)]
    report: MergeReport,
}

/// What is brought together, and into what.
struct Wish<'a> {
    base: &'a Path,
    sides: [&'a Path; 2],
    output: Option<&'a PathBuf>,
    /// What the name of a file that is not given ends in.
    ending: &'static str,
    options: MergeOptions,
    as_redline: bool,
}

pub(super) fn compare_three(args: &CompareArgs, other: &Path, output: Output) -> Result<CommandEnd, Failure> {
    let sides = [args.after.as_path(), other];
    let options = MergeOptions {
        authors: authors(sides, [args.author.as_deref(), args.other_author.as_deref()])?,
        date: clock(args.date.as_deref())?.now().to_string(),
        view: side(args.view),
        granularity: args.granularity.into(),
    };
    let wish = Wish {
        base: &args.before,
        sides,
        output: args.output.as_ref(),
        ending: "redline",
        options,
        as_redline: true,
    };
    carry_out(&wish, output).map(|_| CommandEnd::With(Exit::Done))
}

pub(crate) fn merge(args: &MergeArgs, output: Output) -> Result<CommandEnd, Failure> {
    let sides = [args.one.as_path(), args.other.as_path()];
    let options = MergeOptions {
        authors: authors(sides, [args.author.as_deref(), args.other_author.as_deref()])?,
        date: clock(args.date.as_deref())?.now().to_string(),
        view: side(args.view),
        granularity: Granularity::Word,
    };
    let wish = Wish {
        base: &args.base,
        sides,
        output: args.output.as_ref(),
        ending: "merged",
        options,
        as_redline: false,
    };
    let is_open = carry_out(&wish, output)?;
    Ok(CommandEnd::With(if is_open { Exit::Refused } else { Exit::Done }))
}

/// The authors that are given, or the names of the files, or those of their folders.
fn authors(paths: [&Path; 2], given: [Option<&str>; 2]) -> Result<[String; 2], Failure> {
    let stem = |path: &Path| path.file_stem().map(|name| name.to_string_lossy().into_owned());
    let folder =
        |path: &Path| path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let [one, other] = paths;
    let named = [(stem(one), stem(other)), (folder(one), folder(other))];
    let apart = named.into_iter().find_map(|(one, other)| one.zip(other).filter(|(one, other)| one != other));
    let (one, other) = apart.unwrap_or_else(|| ("One side".to_owned(), "Other side".to_owned()));
    let [first, second] = given;
    let chosen =
        |given: Option<&str>, usual: &str| signature::author(given.unwrap_or(usual)).map(str::to_owned);
    let (one, other) = (chosen(first, &one)?, chosen(second, &other)?);
    if one == other {
        let message = format!("both sides are called '{one}'; give --author and --other-author two names");
        return Err(failure::usage("INVALID_AUTHOR", message));
    }
    Ok([one, other])
}

/// Brings the sides together; tells whether something is left open.
fn carry_out(wish: &Wish<'_>, output: Output) -> Result<bool, Failure> {
    let (input, base) = InputFile::read(wish.base).map_err(failure::of_delivery)?;
    let target = wish.output.cloned().unwrap_or_else(|| input.free_beside(wish.ending));
    let destination = Destination::NewFile(target.clone());
    input.check_document(&destination).map_err(failure::of_delivery)?;
    let read = |path: &Path| -> Result<Vec<u8>, Failure> {
        let (file, bytes) = InputFile::read(path).map_err(failure::of_delivery)?;
        file.check(&destination).map_err(failure::of_delivery)?;
        Ok(bytes)
    };
    let [one_path, other_path] = wish.sides;
    let (one, other) = (read(one_path)?, read(other_path)?);
    let made = merge_files(base, (one, other), &wish.options, wish.as_redline).map_err(|failed| {
        failure::of_document(if failed.is_after { one_path } else { wish.base }, &failed.error)
    })?;
    {
        let _held_back = HeldBack::new();
        by_path::write(&target, &made.bytes, None).map_err(|error| failure::of_delivery(error.into()))?;
    }
    let answer = Answer {
        base: wish.base.display().to_string(),
        one: one_path.display().to_string(),
        other: other_path.display().to_string(),
        output: target.display().to_string(),
        report: made.report,
    };
    let is_open = !answer.report.conflicts.is_empty();
    output.answer(&answer, || told(&answer, wish))?;
    Ok(is_open)
}

fn told(answer: &Answer, wish: &Wish<'_>) -> String {
    let report = &answer.report;
    let [one, other] = &wish.options.authors;
    let by = |author: &String| report.changes.iter().filter(|change| change.author == *author).count();
    let mut text =
        format!("{}: {} changes; {}: {} changes", printable(one), by(one), printable(other), by(other));
    if report.agreed > 0 {
        let _ = write!(text, "; {} that both made", report.agreed);
    }
    text.push_str(".\n");
    for conflict in &report.conflicts {
        let [mine, theirs] = [&conflict.one, &conflict.other].map(|said| match said.is_empty() {
            true => "nothing".to_owned(),
            false => format!("\u{201C}{}\u{201D}", printable(said)),
        });
        let _ = writeln!(
            text,
            "Open at {}: {} has {mine}, {} has {theirs}.",
            printable(&conflict.address),
            printable(one),
            printable(other)
        );
    }
    text.push_str(&differences::limitations(&report.limitations));
    let _ = writeln!(text, "{}", answer.output);
    text
}
