//! `engross learn`: sessions become lessons, lessons a skillbook and a block in AGENTS.md.

use std::fmt::Write as _;
use std::path::PathBuf;

use engross_documents::change::printable;
use engross_learn::agents_md::MarkerMode;
use engross_learn::disk::{BlockSync, BookFile, folder_of, sync_files};
use engross_learn::reflect::ModelReflector;
use engross_learn::run::{
    LearnEvent, LearnReport, Options, Reflector, SessionOutcome, SessionSource, block, learn,
};
use engross_learn::safety::PersonalData;
use engross_learn::skillbook::{Skill, SkillStatus};
use engross_llm::{Model, ModelSpec};
use engross_protocol::{Clock, Exit, Failure, SystemClock};
use serde::Serialize;

use super::book::book_paths;
use super::synced::counted;
use super::{CommandEnd, learn_branch, settings};
use crate::cli::LearnArgs;
use crate::output::{Output, note};
use crate::progress::Progress;
use engross_compose::model;
use engross_compose::preferences::{ObservedDocuments, Preferences};
use engross_compose::settings::{ADDRESSES, Environment, Flags};
use engross_compose::skillbook::{home, instructions, rest};

/// How long a file must have been left alone before its last line counts, in milliseconds.
const RESTS_AFTER: u64 = 60_000;

#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    report: LearnReport,
    skillbook: PathBuf,
    agents_md: Vec<BlockSync>,
    /// What people made of documents that agents delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<ObservedDocuments>,
    /// The commit that `--branch` made.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
}

pub(crate) fn run(
    args: &LearnArgs,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let flags = Flags { model: args.model.clone(), ..Flags::default() };
    let settings = settings(&args.common, flags, environment)?;
    let spec: ModelSpec = settings.model.value.as_deref().map_or(Ok(ModelSpec::Rules), str::parse)?;
    // A key that is missing is told before anything is read.
    let asked = match &spec {
        ModelSpec::Rules => None,
        spec => Some(model::open_spec(spec, &settings, environment)?),
    };
    let is_costly = asked.as_ref().is_some_and(|model| model.info().language_model);
    tell_mind(asked.as_deref(), args.dry_run, environment);
    let input = input(args, environment)?;
    // Documents are looked at also where no agent has left sessions.
    let input = match &input {
        SessionSource::Folder(folder)
            if is_usual(args) && settings.document_lessons.value && !folder.exists() =>
        {
            note("No sessions of agents are there; only documents are looked at.");
            SessionSource::Files(Vec::new())
        }
        _ => input,
    };
    let paths = book_paths(&args.book, environment)?;
    let instructions = instructions(&args.block.agents_md, environment)?;
    let mut book = if args.dry_run { BookFile::read(paths)? } else { BookFile::open(paths)? };
    let personal = if args.keep_personal { PersonalData::Keep } else { PersonalData::Redact };
    let mind = match &asked {
        Some(model) if !(args.dry_run && is_costly) => Reflector::Model(ModelReflector {
            model: model.as_ref(),
            budget: args.pass,
            personal,
            is_shortened: args.shorten,
        }),
        _ => Reflector::Rules,
    };
    let options = Options {
        mind,
        clock: &SystemClock,
        reprocess: args.reprocess,
        dry_run: args.dry_run,
        personal,
        rests_after: RESTS_AFTER,
        is_stopped: &|| false,
    };
    let before: Vec<Skill> = book.journal.book.skills().cloned().collect();
    let Some(report) = learn_until_stopped(&mut book, &input, options)? else {
        book.finish()?;
        return Ok(CommandEnd::Interrupted("interrupted; what was learnt from whole sessions is kept"));
    };
    let shown = block(&book.journal.book, args.block.tokens, SystemClock.millis(), &rest(&book));
    let mode = if args.block.repair { MarkerMode::Repair } else { MarkerMode::Strict };
    let agents_md = sync_files(&instructions, shown.inner.as_deref(), mode, args.dry_run)?;
    let exit = exit_of(&report);
    let documents = match Preferences::of(&settings) {
        Some(preferences) if !args.dry_run => Some(preferences.observe(None)?),
        _ => None,
    };
    let commit = match &args.branch {
        Some(branch) => learn_branch::commit(&book, &instructions, branch, &before)?,
        None => None,
    };
    let answer = Answer { report, skillbook: book.paths().json.clone(), agents_md, documents, commit };
    output.answer(&answer, || text(&answer, &book))?;
    Ok(CommandEnd::With(exit))
}

/// Learns; `None` after Ctrl-C.
fn learn_until_stopped(
    book: &mut BookFile,
    input: &SessionSource,
    options: Options<'_>,
) -> Result<Option<LearnReport>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        let message = format!("the machine gives no room to talk to a model: {error}; close other programs");
        Failure::new(Exit::Model, "MODEL_UNAVAILABLE", message)
    })?;
    let progress = Progress::of_long_work();
    let mut show = |event: LearnEvent<'_>| match event {
        LearnEvent::Found { count } => progress.status(&format!("Found {}", counted(count, "session"))),
        LearnEvent::Reading { file, number, of } => {
            progress.status(&format!("Reading {} ({number} of {of})", printable(file)));
        }
        LearnEvent::Done(session) => {
            if let SessionOutcome::Failed { code, message } = &session.outcome {
                progress.line(&format!("{}: {} [{code}]", printable(&session.file), printable(message)));
            }
        }
    };
    runtime.block_on(async {
        tokio::select! {
            report = learn(book, input, options, &mut show) => Ok(Some(report?)),
            _ = tokio::signal::ctrl_c() => Ok(None),
        }
    })
}

/// Says who finds the lessons, and where sessions are sent to for that.
fn tell_mind(model: Option<&dyn Model>, is_dry: bool, environment: &Environment) {
    let Some(model) = model else {
        note(
            "No model is set, so rules are used: they see repeated tool errors and corrections, nothing else (see --model).",
        );
        return;
    };
    let info = model.info();
    if !info.language_model {
        return;
    }
    if is_dry {
        note("A language model is not asked in a dry run; rules are used.");
        return;
    }
    note(&format!("Sessions are sent to {}, without secrets.", printable(&info.spec)));
    for name in ADDRESSES {
        if let Some(address) = environment.get(name) {
            note(&format!("{name} is set: {}", printable(address)));
        }
    }
}

fn input(args: &LearnArgs, environment: &Environment) -> Result<SessionSource, Failure> {
    if !args.files.is_empty() {
        return Ok(SessionSource::Files(args.files.clone()));
    }
    if let Some(folder) = &args.sessions {
        return Ok(SessionSource::Folder(folder.clone()));
    }
    let agent = args.agent.as_deref().or_else(|| environment.get("OPENCLAW_AGENT_ID")).unwrap_or("main");
    Ok(SessionSource::Folder(folder_of(&home(environment)?, agent)?))
}

/// Whether nobody said where sessions are.
fn is_usual(args: &LearnArgs) -> bool {
    args.files.is_empty() && args.sessions.is_none() && args.agent.is_none()
}

fn exit_of(report: &LearnReport) -> Exit {
    let codes = report.sessions.iter().filter_map(|session| match &session.outcome {
        SessionOutcome::Failed { code, .. } => Some(code.as_str()),
        _ => None,
    });
    let codes: Vec<&str> = codes.collect();
    let is_models = |code: &&str| code.starts_with("MODEL_") || *code == "LEARN_ANSWER_INVALID";
    match codes.is_empty() {
        true => Exit::Done,
        false if report.learnt == 0 && codes.iter().all(is_models) => Exit::Model,
        false => Exit::Refused,
    }
}

fn text(answer: &Answer, book: &BookFile) -> String {
    let report = &answer.report;
    let mut text = String::new();
    for session in &report.sessions {
        let said = match &session.outcome {
            SessionOutcome::Learnt { effects } if effects.is_empty() => "learnt nothing new".to_owned(),
            SessionOutcome::Learnt { effects } => format!("learnt: {}", counted(effects.len(), "operation")),
            SessionOutcome::Skipped { reason } => format!("skipped: {reason}"),
            SessionOutcome::Waiting { .. } => "failed before; tried again later".to_owned(),
            SessionOutcome::Failed { code, message } => format!("failed: {} [{code}]", printable(message)),
        };
        let losses = if session.losses > 0 {
            format!(" ({} lost)", counted(usize::try_from(session.losses).unwrap_or(usize::MAX), "line"))
        } else {
            String::new()
        };
        let _ = writeln!(text, "{}: {said}{losses}", printable(&session.file));
    }
    let verb = if report.dry_run { "would be learnt" } else { "learnt" };
    let _ = writeln!(
        text,
        "{} found: {} {verb}, {} skipped, {} failed",
        counted(report.found, "session"),
        report.learnt,
        report.skipped,
        report.failed
    );
    for (effect, count) in report.effects() {
        let _ = writeln!(text, "  {count} {effect}");
    }
    let (before, after) = (report.before, report.after);
    let _ = writeln!(
        text,
        "Skills: {} shown ({} before), {} seen once, {} wait for review, {} retired",
        after.active, before.active, after.candidate, after.quarantined, after.retired
    );
    let newest = book.journal.book.skills().filter(|skill| skill.status != SkillStatus::Retired);
    for skill in newest.collect::<Vec<_>>().iter().rev().take(3) {
        let content: String = printable(&skill.content).chars().take(100).collect();
        let _ = writeln!(text, "  [{}] {content}", skill.id);
    }
    if report.calls > 0 {
        let usage = report.usage;
        let _ = writeln!(
            text,
            "The model was asked {}: {} tokens in, {} out",
            counted(usize::try_from(report.calls).unwrap_or(usize::MAX), "time"),
            usage.input_tokens,
            usage.output_tokens
        );
    }
    if report.redacted > 0 {
        let _ = writeln!(
            text,
            "Taken out, with personal data: {}",
            counted(usize::try_from(report.redacted).unwrap_or(usize::MAX), "secret")
        );
    }
    for conflict in &report.conflicts {
        let _ = writeln!(
            text,
            "{} and {} say the opposite: see engross skills review",
            conflict.one, conflict.other
        );
    }
    for said in &report.notes {
        let _ = writeln!(text, "note: {}", printable(said));
    }
    if !report.dry_run {
        let _ = writeln!(text, "Skillbook: {}", answer.skillbook.display());
    }
    text.push_str(&super::synced::text(&answer.agents_md));
    if let Some(documents) = &answer.documents {
        let _ = writeln!(
            text,
            "{} changed since an agent delivered them: {} learnt from",
            counted(documents.changed, "document"),
            counted(documents.effects.len(), "change")
        );
    }
    if let Some(commit) = &answer.commit {
        let _ = writeln!(text, "Commit: {commit}");
    }
    text
}
