//! Learns from one session: decides whether it is new, asks for operations, records them.

use std::collections::HashSet;

use engross_llm::Usage;
use engross_protocol::shared;

use super::drawn::{clean, content_of, observation, vote};
use super::options::{Options, Reflector};
use super::report::{SessionOutcome, SessionReport};
use crate::Error;
use crate::codes;
use crate::disk::{BookFile, SessionFile, head_of, open, read_session, tail_of};
use crate::reflect::rules::{self, DrawnOperation};
use crate::reflect::{curate, is_vague, join_same, reflect};
use crate::safety::origin::{self, ToolNames};
use crate::safety::witness::WitnessWords;
use crate::safety::{doubts, redact, redactions};
use crate::skillbook::journal::{Record, SessionEnd, SessionMark};
use crate::skillbook::{
    Author, Citations, Effect, Quarantine, SettleContext, Skill, SkillOperation, SkillRefusal, SkillStatus,
    Verdict, Witness, settle,
};
use crate::trace::{self, Trace};
use engross_transcript::{EntryKind, LineContent, ShortText, Transcript, TranscriptReader};

/// How long after a failure a session is tried again, in milliseconds; doubled with every further one.
const BACK_OFF: u64 = 60_000;

/// The longest wait, in milliseconds.
const LONGEST_WAIT: u64 = 86_400_000;

/// What the model cost so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ModelUsage {
    pub(super) usage: Usage,
    pub(super) calls: u32,
    pub(super) redacted: u64,
}

/// Learns from one session after the other.
pub(super) struct Learner<'a> {
    pub(super) options: Options<'a>,
    pub(super) is_explicit: bool,
    /// File names that the reference has learnt from.
    pub(super) learnt_before: Vec<String>,
    pub(super) usage: ModelUsage,
}

impl Learner<'_> {
    /// Whether a file is as it was when it was learnt from. Nothing is opened for that.
    pub(super) fn is_unchanged(&self, book: &BookFile, file: &SessionFile) -> bool {
        let is_same = |state: &SessionMark| {
            state.file == file.name
                && state.size == file.size
                && state.modified == file.modified
                && (state.inode == file.inode || state.inode == 0)
                && state.end != SessionEnd::Failed
        };
        // Most keys are the file's stem; others are found by looking at all.
        let stem = stem(&file.name);
        let sessions = &book.journal.sessions;
        !self.options.reprocess && (sessions.get(stem).is_some_and(is_same) || sessions.values().any(is_same))
    }

    pub(super) async fn learn_from(
        &mut self,
        book: &mut BookFile,
        file: &SessionFile,
        all: &[SessionFile],
    ) -> SessionReport {
        let report = |outcome, losses| SessionReport { file: file.name.clone(), outcome, losses };
        let now = self.options.clock.millis();
        let is_over = self.is_explicit || now.saturating_sub(file.modified) >= self.options.rests_after;
        let (session, texts) = match read_session(file, is_over) {
            Ok(read) => (read.transcript, read.texts),
            Err(passed) => {
                let failed = SessionOutcome::Failed {
                    code: shared::READ_FAILED.name.to_owned(),
                    message: passed.reason,
                };
                return report(failed, 0);
            }
        };
        let losses = session
            .findings
            .counts
            .iter()
            .filter(|(problem, _)| problem.is_loss())
            .map(|(_, count)| count)
            .sum();
        if session.is_foreign() {
            let message = "its format is not known; the guide of learning names those that are".to_owned();
            let failed =
                SessionOutcome::Failed { code: codes::LEARN_FORMAT_UNKNOWN.name.to_owned(), message };
            return report(failed, losses);
        }
        let key = key_of(book, &session, file, all);
        let head = head_of(file).unwrap_or_default();
        let known = book.journal.sessions.get(&key).filter(|state| {
            // A smaller file, or one that is not what was read before, is another one.
            state.head == head && state.offset <= session.end.offset && is_tail(file, state)
        });
        let failures =
            known.filter(|state| state.end == SessionEnd::Failed).map_or(0, |state| state.failures);
        if let Some(state) = known.filter(|_| failures > 0 && !self.options.reprocess && !self.is_explicit) {
            let until = state.at.saturating_add(wait(failures));
            if now < until {
                return report(SessionOutcome::Waiting { until }, losses);
            }
        }
        let learnt =
            known.filter(|_| !self.options.reprocess).map_or((0, 0), |state| (state.lines, state.offset));
        let parent = session.parent.as_deref().and_then(|parent| parent_of(parent, all));
        // A helper's file names the session that it helped.
        let own = session.id.clone().unwrap_or_else(|| key.clone());
        let root = session.parent.as_deref().map_or(own, |parent| root_of(book, parent));
        let state = SessionMark {
            file: file.name.clone(),
            offset: session.end.offset,
            lines: session.end.lines,
            size: file.size,
            modified: file.modified,
            head,
            tail: tail_of(file, session.end.offset).unwrap_or_default(),
            inode: file.inode,
            root: if root == key { String::new() } else { root.clone() },
            end: SessionEnd::Learnt,
            reason: String::new(),
            at: now,
            shown: u64::try_from(book.journal.book.count(SkillStatus::Active)).unwrap_or_default(),
            ..SessionMark::default()
        };
        let skip = |reason: &str| SessionMark {
            end: SessionEnd::Skipped,
            reason: reason.to_owned(),
            ..state.clone()
        };
        if known.is_none() && !self.options.reprocess && self.learnt_before.contains(&file.name) {
            let reason = "another program has learnt from it";
            keep(book, &key, skip(reason));
            return report(SessionOutcome::Skipped { reason: reason.to_owned() }, losses);
        }
        let since_line = learnt.0.max(parent.map_or(0, |parent| shared(&session, parent)));
        let citations = Citations::of(book.journal.book.skills().map(|skill| skill.id.clone()));
        let options = trace::Options { since_line, citations: Some(&citations), without_reasoning: true };
        let trace = match trace::build(session, options) {
            Ok(trace) => trace,
            Err(skipped) => {
                keep(book, &key, skip(skipped.reason()));
                return report(SessionOutcome::Skipped { reason: skipped.reason().to_owned() }, losses);
            }
        };
        let name = if since_line > 0 { format!("{key}#{since_line}") } else { key.clone() };
        let redacted = self.usage.redacted;
        let fail = |book: &mut BookFile, code: &str, message: String| {
            let failed = SessionMark {
                end: SessionEnd::Failed,
                reason: code.to_owned(),
                failures: failures + 1,
                lines: learnt.0,
                offset: learnt.1,
                tail: tail_of(file, learnt.1).unwrap_or_default(),
                ..state.clone()
            };
            keep(book, &key, failed);
            report(SessionOutcome::Failed { code: code.to_owned(), message }, losses)
        };
        let is_lost = || texts.as_ref().is_some_and(|texts| texts.has_failed());
        let lost = |book: &mut BookFile| {
            let message = "it changed while it was read; it is tried again at the next run";
            fail(book, shared::READ_FAILED.name, message.to_owned())
        };
        let operations = match self.operations(book, &trace).await {
            Ok(operations) => operations,
            Err(error) => return fail(book, error.code(), error.to_string()),
        };
        if since_line == 0 {
            forget_parts(book, &key);
        }
        let contents = operations.iter().flatten().filter(|drawn| drawn.by == Witness::Calls);
        let names = ToolNames::of(&trace, contents.filter_map(|drawn| content_of(&drawn.operation)));
        let witnesses = match self.options.mind {
            Reflector::Rules => None,
            Reflector::Model(_) => Some(WitnessWords::of(&trace)),
        };
        // What was judged by half of the words is not judged.
        if is_lost() {
            return lost(book);
        }
        let mut effects = Vec::new();
        for operation in operations {
            let verdict = match operation {
                Ok(drawn) => self.judge(book, drawn, &trace, (&names, witnesses.as_ref()), (&name, &root)),
                Err(refused) => Verdict::refused(refused),
            };
            if is_lost() {
                return lost(book);
            }
            for record in verdict.records {
                book.add(record);
            }
            effects.push(verdict.effect);
        }
        let named = u64::try_from(trace.skill_ids.len()).unwrap_or_default();
        let redacted = self.usage.redacted.saturating_sub(redacted);
        keep(book, &key, SessionMark { redacted, named, ..state });
        report(SessionOutcome::Learnt { effects }, losses)
    }

    /// What the trace calls for.
    async fn operations(
        &mut self,
        book: &BookFile,
        trace: &Trace,
    ) -> Result<Vec<Result<DrawnOperation, SkillRefusal>>, Error> {
        let book = &book.journal.book;
        let asking = match self.options.mind {
            Reflector::Rules => return Ok(rules::operations(trace).into_iter().map(Ok).collect()),
            Reflector::Model(asking) => asking,
        };
        let cited: Vec<&Skill> = trace.skill_ids.iter().filter_map(|id| book.get(id)).collect();
        let reflected = reflect(asking, trace, &cited).await?;
        self.count(reflected.usage, reflected.calls);
        self.usage.redacted += reflected.redacted;
        let reflection = reflected.answer;
        let mut operations: Vec<Result<SkillOperation, SkillRefusal>> =
            reflection.skill_tags.iter().filter_map(|tag| vote(tag, trace)).map(Ok).collect();
        if !reflection.extracted_learnings.is_empty() {
            let curated = curate(asking, &reflection, book).await?;
            self.count(curated.usage, curated.calls);
            let mut changes = curated.answer;
            // Votes belong to skills that were used, and the reflection has told of those.
            let is_vote = |operation: &Result<SkillOperation, SkillRefusal>| {
                matches!(operation, Ok(SkillOperation::Tag { .. }))
            };
            changes.retain(|operation| !is_vote(operation));
            let joined = join_same(asking, &reflection, changes, book).await?;
            self.count(joined.usage, joined.calls);
            operations.extend(joined.answer);
        }
        let drawn = |operation| DrawnOperation { operation, line: 0, by: Witness::Model };
        Ok(operations.into_iter().map(|operation| operation.map(drawn)).collect())
    }

    fn count(&mut self, usage: Usage, calls: u32) {
        self.usage.usage.input_tokens += usage.input_tokens;
        self.usage.usage.output_tokens += usage.output_tokens;
        self.usage.calls += calls;
    }

    /// Holds an operation against the book.
    fn judge(
        &mut self,
        book: &BookFile,
        drawn: DrawnOperation,
        trace: &Trace,
        (names, witnesses): (&ToolNames, Option<&WitnessWords>),
        (name, root): (&str, &str),
    ) -> Verdict {
        let book = &book.journal.book;
        let operation = clean(drawn.operation, |text| redact(&text, self.options.personal).into_owned());
        if matches!(self.options.mind, Reflector::Rules) {
            self.usage.redacted += redactions(&format!("{operation:?}"));
        }
        if drawn.by == Witness::Model && content_of(&operation).is_some_and(is_vague) {
            let message = "the lesson praises, tells what happened or fits everything; nobody can act on it";
            return Verdict::refused(SkillRefusal::invalid(message));
        }
        let mut extra = None;
        let said = match &operation {
            SkillOperation::Confirm { id, .. } => book.get(id).map(|skill| skill.content.as_str()),
            other => content_of(other),
        };
        if let Some(content) = said {
            let from = match drawn.by {
                Witness::Calls => origin::of_calls(names, content),
                Witness::Person => origin::of_person(trace, book, content),
                Witness::Model => origin::of(trace, book, content),
            };
            match from {
                origin::LessonOrigin::Experience => {
                    // What is confirmed was judged when it came.
                    let is_new = content_of(&operation).is_some() && drawn.by == Witness::Model;
                    let has_witness = witnesses.is_none_or(|witnesses| witnesses.bear_out(content));
                    extra = (is_new && !has_witness).then_some(Quarantine::Unwitnessed);
                }
                origin::LessonOrigin::ToolText => extra = Some(Quarantine::ToolTextOnly),
                origin::LessonOrigin::Recall => {
                    return Verdict { effect: Effect::Unchanged, records: Vec::new() };
                }
                origin::LessonOrigin::Instructions => {
                    let message =
                        "the lesson stands in instructions that the agent was given; nobody lived through it";
                    return Verdict::refused(SkillRefusal::not_experience(message));
                }
            }
        }
        let doubts = |content: &str| doubts(content).into_iter().chain(extra).collect();
        let now = self.options.clock.millis();
        let seen = observation(trace, drawn.line, drawn.by);
        settle(
            book,
            &operation,
            &SettleContext {
                by: Author::Learnt,
                trace: name,
                session: root,
                seen: &seen,
                now,
                doubts: &doubts,
            },
        )
    }
}

/// What a session is remembered by: its id, or its file's name where it has none or another file has that id, too.
fn key_of(book: &BookFile, session: &Transcript, file: &SessionFile, all: &[SessionFile]) -> String {
    let name = stem(&file.name);
    let Some(id) = &session.id else { return name.to_owned() };
    let other = book.journal.sessions.get(id).filter(|state| state.file != file.name);
    let is_taken = other.is_some_and(|state| all.iter().any(|known| known.name == state.file));
    if is_taken { name.to_owned() } else { id.clone() }
}

/// Whether a file still holds what was read of it.
fn is_tail(file: &SessionFile, state: &SessionMark) -> bool {
    state.tail.is_empty() || tail_of(file, state.offset).is_ok_and(|tail| tail == state.tail)
}

fn keep(book: &mut BookFile, key: &str, state: SessionMark) {
    if book.journal.sessions.get(key) != Some(&state) {
        book.add(Record::Session { key: key.to_owned(), state: Box::new(state) });
    }
}

/// The file of the session that another was forked from: by its name, however the header names it.
fn parent_of<'a>(parent: &str, all: &'a [SessionFile]) -> Option<&'a SessionFile> {
    let name = parent.rsplit(['/', '\\']).next().unwrap_or(parent);
    let name = stem(name);
    all.iter().find(|found| stem(found.name.rsplit('/').next().unwrap_or_default()) == name)
}

/// The session that counts in a fork's place.
fn root_of(book: &BookFile, parent: &str) -> String {
    let name = stem(parent.rsplit(['/', '\\']).next().unwrap_or(parent));
    let state = book.journal.sessions.get(name);
    state.map(|state| state.root.as_str()).filter(|root| !root.is_empty()).unwrap_or(name).to_owned()
}

/// The last line of what a fork shares with the session that it was forked from.
fn shared(session: &Transcript, parent: &SessionFile) -> u64 {
    let Ok(source) = open(parent) else { return 0 };
    let mut ids = HashSet::new();
    let mut reader = TranscriptReader::new(source);
    while let Ok(Some(reading)) = reader.next_reading() {
        if let LineContent::Entry(entry) = &reading.item
            && let (Some(id), EntryKind::Message(_)) = (entry.id, &entry.kind)
        {
            ids.insert(id.decode().into_owned());
        }
    }
    let is_shared = |entry: &Option<ShortText>| entry.as_deref().is_some_and(|id| ids.contains(id));
    session
        .steps
        .iter()
        .take_while(|step| is_shared(&step.entry))
        .map(|step| step.line)
        .max()
        .unwrap_or_default()
}

/// Takes back the votes that parts of a session gave, because the whole is read now.
fn forget_parts(book: &mut BookFile, key: &str) {
    let part = format!("{key}#");
    let voted = book.journal.book.skills().filter(|skill| {
        skill.status != SkillStatus::Retired && skill.votes.keys().any(|trace| trace.starts_with(&part))
    });
    let records: Vec<Record> = voted
        .map(|skill| {
            let mut skill = skill.clone();
            skill.votes.retain(|trace, _| !trace.starts_with(&part));
            Record::Put(Box::new(skill))
        })
        .collect();
    for record in records {
        book.add(record);
    }
}

fn wait(failures: u32) -> u64 {
    BACK_OFF.saturating_mul(1 << failures.saturating_sub(1).min(20)).min(LONGEST_WAIT)
}

fn stem(name: &str) -> &str {
    name.strip_suffix(".jsonl").unwrap_or(name)
}
