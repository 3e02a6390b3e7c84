//! From a session to its trace.

use crate::skillbook::Citations;
use crate::transcript::{Answered, Called, Origin, Outcome, Session, Step, What};

use super::corrections::corrections;
use super::failures::failures;
use super::segment::{Kind, Segment};
use super::{Extra, Trace};

/// How a trace is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// Steps up to this line were learnt from before; 0 when none were.
    pub since_line: u64,
    /// The skills whose names are looked for.
    pub citations: Option<&'a Citations>,
}

/// Why there is no trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Skipped {
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

impl Skipped {
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

/// Makes the trace of the way from the root to the leaf.
///
/// # Errors
/// [`Skipped`] says why there is nothing to tell.
pub fn build(session: &Session, options: Options<'_>) -> Result<Trace, Skipped> {
    if session.end.used_lines == session.end.bad_lines {
        return Err(Skipped::Empty);
    }
    if session.steps.is_empty() {
        return Err(Skipped::NothingSaid);
    }
    let path: Vec<&Step> = session.path().collect();
    let user_turns: Vec<String> = path.iter().filter_map(|step| asked(step)).collect();
    let question = user_turns.first().cloned().ok_or(Skipped::NoQuestion)?;
    let is_models = |step: &&&Step| {
        matches!(step.what, What::Thinking(_) | What::Call(_) | What::Assistant { origin: Origin::Model, .. })
    };
    if !path.iter().any(|step| is_models(&step)) {
        return Err(Skipped::NoAnswer);
    }
    let new: Vec<&Step> = path.iter().copied().filter(|step| step.line > options.since_line).collect();
    if !new.iter().any(|step| is_models(&step)) {
        return Err(Skipped::NothingNew);
    }
    let answer = path.iter().rev().find_map(|step| answered(step)).unwrap_or_default();
    let extra = Extra {
        session: session.id.clone(),
        parent: session.parent.clone(),
        cwd: session.cwd.clone(),
        models: session.models.clone(),
        user_turns,
        calls: count(new.iter().filter(|step| matches!(step.what, What::Call(_))).count()),
        failures: failures(&new),
        corrections: corrections(&path).into_iter().filter(|c| c.line > options.since_line).collect(),
        stopped: count(new.iter().filter(|step| matches!(step.what, What::Stopped { .. })).count()),
        abandoned: count(session.steps.iter().filter(|step| !step.is_on_path).count()),
        before: count(path.len() - new.len()),
    };
    let mut segments = Vec::new();
    if extra.before > 0 {
        let text =
            format!("{} steps before these were read earlier; the question was: {question}", extra.before);
        segments.push(Segment { line: 0, kind: Kind::Event, label: "earlier".to_owned(), text });
    }
    for step in &new {
        tell(step, &mut segments);
    }
    let skill_ids = options.citations.map(|citations| cited(&new, citations)).unwrap_or_default();
    let shown: Vec<String> = segments.iter().map(Segment::shown).collect();
    Ok(Trace {
        question,
        reasoning: shown.join("\n"),
        answer,
        skill_ids,
        feedback: feedback(&extra),
        ground_truth: None,
        extra,
        segments,
    })
}

fn asked(step: &Step) -> Option<String> {
    match &step.what {
        What::User { text, origin: Origin::Person } if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    }
}

fn answered(step: &Step) -> Option<String> {
    match &step.what {
        What::Assistant { text, origin: Origin::Model } if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    }
}

/// The skills that the model named, each once, in the order of their first mention.
fn cited(steps: &[&Step], citations: &Citations) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for step in steps {
        let words = match &step.what {
            What::Thinking(text) | What::Assistant { text, origin: Origin::Model } => text,
            _ => continue,
        };
        for id in citations.find(words) {
            if !ids.iter().any(|known| known == id) {
                ids.push(id.to_owned());
            }
        }
    }
    ids
}

fn tell(step: &Step, segments: &mut Vec<Segment>) {
    let mut add = |kind, label: String, text: String| {
        segments.push(Segment { line: step.line, kind, label, text });
    };
    match &step.what {
        What::User { text, origin: Origin::Person } => add(Kind::User, "user".to_owned(), text.clone()),
        What::User { text, .. } => add(Kind::Program, "program".to_owned(), text.clone()),
        What::Thinking(text) => add(Kind::Thinking, "thinking".to_owned(), text.clone()),
        What::Assistant { text, origin: Origin::Model } => {
            add(Kind::Response, "response".to_owned(), text.clone());
        }
        What::Assistant { text, .. } => add(Kind::Program, "program".to_owned(), text.clone()),
        What::Stopped { reason, message } => {
            add(Kind::Event, "stopped".to_owned(), format!("{reason} {message}").trim().to_owned());
        }
        What::Call(call) => {
            add(Kind::Call, format!("tool:{}", call.tool), call.arguments.clone());
            let (label, text) = result_of(call);
            add(Kind::Result, label, text);
        }
        What::StrayResult(result) => {
            let label = format!("result:{}, no call{}", result.tool, outcome_of(result));
            add(Kind::Result, label, result.text.clone());
        }
        What::Command { command, output, exit } => {
            add(Kind::User, "command".to_owned(), command.clone());
            let exit = exit.map(|exit| format!(", exit {exit}")).unwrap_or_default();
            add(Kind::Result, format!("output{exit}"), output.clone());
        }
        What::Image { mime, size, sha } => {
            add(Kind::Event, "image".to_owned(), format!("{mime}, {size} characters of base64, {sha}"));
        }
    }
}

fn result_of(call: &Called) -> (String, String) {
    match &call.result {
        Some(result) => (format!("result:{}{}", call.tool, outcome_of(result)), result.text.clone()),
        None => (format!("result:{}", call.tool), "no result".to_owned()),
    }
}

fn outcome_of(result: &Answered) -> &'static str {
    match result.outcome {
        Outcome::Fine => "",
        Outcome::Failed => ", failed",
        Outcome::Pending => ", pending",
        Outcome::Synthetic => ", made up by a program",
    }
}

fn feedback(extra: &Extra) -> String {
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
