//! Builds the trace of a session.

use crate::skillbook::Citations;
use engross_transcript::{
    CallOutcome, SessionText, SharedNames, Speaker, StepKind, StepResult, Transcript, TranscriptStep,
};

use super::corrections::corrections;
use super::failures::failures;
use super::segment::{Segment, SegmentKind};
use super::work::work_of;
use super::{PersonWords, Trace, TraceDetails};

/// How a trace is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// Steps up to this line were learnt from before; 0 when none were.
    pub since_line: u64,
    /// The skills whose names are looked for.
    pub citations: Option<&'a Citations>,
    /// Leave [`Trace::reasoning`] empty: it is as long as all segments, which say the same.
    pub without_reasoning: bool,
}

/// Why there is no trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// The file holds no line that can be read.
    Empty,
    /// Nobody said anything.
    NothingSaid,
    /// No person said anything.
    NoQuestion,
    /// No model said or did anything.
    NoAnswer,
    /// Nothing was said since the last time.
    NothingNew,
}

impl SkipReason {
    /// The reason, for people.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Empty => "it is empty",
            Self::NothingSaid => "nobody said anything",
            Self::NoQuestion => "no person said anything",
            Self::NoAnswer => "no model said or did anything",
            Self::NothingNew => "nothing is new",
        }
    }
}

/// Makes the trace of the way from the root to the leaf. The texts are moved: a long session must not be held twice.
///
/// # Errors
/// [`SkipReason`] says why there is nothing to tell.
pub fn build(session: Transcript, options: Options<'_>) -> Result<Trace, SkipReason> {
    if session.end.used_lines == session.end.bad_lines {
        return Err(SkipReason::Empty);
    }
    if session.steps.is_empty() {
        return Err(SkipReason::NothingSaid);
    }
    let path: Vec<&TranscriptStep> = session.path().collect();
    let user_turns: Vec<SessionText> = path.iter().filter_map(|step| asked(step)).collect();
    // A helper is asked by the model that it helps.
    let of_model = path.iter().find_map(|step| match &step.what {
        StepKind::User { text, .. } if session.is_helper => Some(text),
        _ => None,
    });
    let question = user_turns.first().or(of_model).ok_or(SkipReason::NoQuestion)?.whole().into_owned();
    let is_models = |step: &&&TranscriptStep| {
        matches!(
            step.what,
            StepKind::Thinking(_) | StepKind::Call(_) | StepKind::Assistant { origin: Speaker::Model, .. }
        )
    };
    if !path.iter().any(|step| is_models(&step)) {
        return Err(SkipReason::NoAnswer);
    }
    let new: Vec<&TranscriptStep> =
        path.iter().copied().filter(|step| step.line > options.since_line).collect();
    if !new.iter().any(|step| is_models(&step)) {
        return Err(SkipReason::NothingNew);
    }
    let answer = path.iter().rev().find_map(|step| answered(step)).unwrap_or_default();
    let extra = TraceDetails {
        session: session.id.clone(),
        parent: session.parent.clone(),
        cwd: session.cwd.clone(),
        models: session.models.clone(),
        user_turns,
        calls: count(new.iter().filter(|step| matches!(step.what, StepKind::Call(_))).count()),
        failures: failures(&new),
        corrections: corrections(&path).into_iter().filter(|c| c.line > options.since_line).collect(),
        stopped: count(new.iter().filter(|step| matches!(step.what, StepKind::Stopped { .. })).count()),
        abandoned: count(session.steps.iter().filter(|step| !step.is_on_path).count()),
        before: count(path.len() - new.len()),
        said: new.iter().filter_map(|step| words_of(step)).collect(),
        mentions: options.citations.map(|citations| mentions(&new, citations)).unwrap_or_default(),
        went_well: session.given.as_ref().and_then(|given| given.went_well),
        work: work_of(&path),
    };
    let mut names = SharedNames::default();
    let mut segments = Vec::new();
    if extra.before > 0 {
        let text =
            format!("{} steps before these were read earlier; the question was: {question}", extra.before);
        let label = names.name("earlier");
        segments.push(Segment { line: 0, kind: SegmentKind::Event, label, text: text.into() });
    }
    let given = session.given;
    let is_new = |step: &TranscriptStep| step.is_on_path && step.line > options.since_line;
    // From behind, so that what is told leaves its room: a long session must not be held twice.
    let mut steps = session.steps;
    let first = segments.len();
    while let Some(step) = steps.pop() {
        if steps.len().is_multiple_of(GIVEN_BACK) {
            steps.shrink_to_fit();
        }
        if is_new(&step) {
            let from = segments.len();
            tell(step, &mut names, &mut segments);
            segments.get_mut(from..).unwrap_or_default().reverse();
        }
    }
    segments.get_mut(first..).unwrap_or_default().reverse();
    let mut skill_ids: Vec<String> = Vec::new();
    for (id, _) in &extra.mentions {
        if !skill_ids.contains(id) {
            skill_ids.push(id.clone());
        }
    }
    let mut reasoning = String::new();
    for segment in segments.iter().filter(|_| !options.without_reasoning) {
        if !reasoning.is_empty() {
            reasoning.push('\n');
        }
        reasoning.push_str(&segment.shown());
    }
    Ok(Trace {
        question,
        reasoning,
        answer,
        skill_ids,
        feedback: match given.as_ref().map(|given| given.feedback.trim()).filter(|given| !given.is_empty()) {
            Some(given) => format!("{given}; {}", feedback(&extra)),
            None => feedback(&extra),
        },
        ground_truth: given.and_then(|given| given.ground_truth),
        extra,
        segments,
    })
}

fn asked(step: &TranscriptStep) -> Option<SessionText> {
    match &step.what {
        StepKind::User { text, origin: Speaker::Person } if !text.whole().trim().is_empty() => {
            Some(text.clone())
        }
        _ => None,
    }
}

fn answered(step: &TranscriptStep) -> Option<String> {
    match &step.what {
        StepKind::Assistant { text, origin: Speaker::Model } => {
            Some(text.whole().into_owned()).filter(|text| !text.trim().is_empty())
        }
        _ => None,
    }
}

fn words_of(step: &TranscriptStep) -> Option<PersonWords> {
    let text = asked(step)?;
    Some(PersonWords { line: step.line, entry: step.entry.as_deref().unwrap_or_default().to_owned(), text })
}

/// The skills that the model named, with the line of each mention, in order.
fn mentions(steps: &[&TranscriptStep], citations: &Citations) -> Vec<(String, u64)> {
    let mut mentions = Vec::new();
    for step in steps {
        let words = match &step.what {
            StepKind::Thinking(text) | StepKind::Assistant { text, origin: Speaker::Model } => text,
            _ => continue,
        };
        mentions.extend(citations.find(&words.whole()).map(|id| (id.to_owned(), step.line)));
    }
    mentions
}

/// Steps that are told before their room is given back.
const GIVEN_BACK: usize = 1 << 14;

fn tell(step: TranscriptStep, names: &mut SharedNames, segments: &mut Vec<Segment>) {
    let line = step.line;
    let mut add = |kind, label: &str, text: SessionText| {
        segments.push(Segment { line, kind, label: names.name(label), text });
    };
    match step.what {
        StepKind::User { text, origin: Speaker::Person } => add(SegmentKind::User, "user", text),
        StepKind::User { text, .. } => add(SegmentKind::Program, "program", text),
        StepKind::Thinking(text) => add(SegmentKind::Thinking, "thinking", text),
        StepKind::Assistant { text, origin: Speaker::Model } => {
            add(SegmentKind::Response, "response", text);
        }
        StepKind::Assistant { text, .. } => add(SegmentKind::Program, "program", text),
        StepKind::Stopped { reason, message } => {
            add(SegmentKind::Event, "stopped", format!("{reason} {message}").trim().into());
        }
        StepKind::Call(call) => {
            let label = format!("result:{}", call.tool);
            add(SegmentKind::Call, &format!("tool:{}", call.tool), call.arguments);
            match call.result {
                Some(result) => {
                    let label = format!("{label}{}", outcome_of(&result));
                    add(SegmentKind::Result, &label, result.text);
                }
                None => add(SegmentKind::Result, &label, "no result".into()),
            }
        }
        StepKind::StrayResult(stray) => {
            let result = stray.result;
            let label = format!("result:{}, no call{}", result.tool, outcome_of(&result));
            add(SegmentKind::Result, &label, result.text);
        }
        StepKind::Command { command, output, exit } => {
            add(SegmentKind::User, "command", command.into());
            let exit = exit.map(|exit| format!(", exit {exit}")).unwrap_or_default();
            add(SegmentKind::Result, &format!("output{exit}"), output);
        }
        StepKind::Image { mime, size, sha } => {
            add(SegmentKind::Event, "image", format!("{mime}, {size} characters of base64, {sha}").into());
        }
    }
}

fn outcome_of(result: &StepResult) -> &'static str {
    match result.outcome {
        CallOutcome::Fine => "",
        CallOutcome::Failed => ", failed",
        CallOutcome::Pending => ", pending",
        CallOutcome::Synthetic => ", made up by a program",
    }
}

fn feedback(extra: &TraceDetails) -> String {
    let recovered = extra.failures.iter().filter(|failure| failure.recovery.is_some()).count();
    let mut parts = vec![
        format!("{} user turns", extra.user_turns.len()),
        format!("{} tool calls", extra.calls),
        format!("{} failed, of which {recovered} worked later", extra.failures.len()),
        format!("{} corrections by the user", extra.corrections.len()),
    ];
    if extra.stopped > 0 {
        parts.push(format!("stopped {} times", extra.stopped));
    }
    if extra.abandoned > 0 {
        parts.push(format!("{} steps tried and left", extra.abandoned));
    }
    if !extra.models.is_empty() {
        parts.push(format!("model {}", extra.models.join(", ")));
    }
    parts.join("; ")
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
