//! Playbooks on generated agreements, with models that answer as they should and models that do not.
//!
//! The judge knows what each agreement says, and looks at the document that came out: verdicts, citations, redlines.

use std::sync::Mutex;

use engross_docx::ops::Status;
use engross_docx::read::{ReadOptions, View};
use engross_docx::revisions::Side;
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_llm::{Error, Event, FinishReason, Message, Model, ModelInfo, Request};
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::{Value, json};

use super::clauses_tests::document;
use super::playbook::Playbook;
use super::report::{ClauseVerdict, PositionReport, ReviewReport, VerdictSource};
use super::review::review;

const PLAYBOOK: &str = "# Generated\n\n\
## Term\nStandard: Two years.\nFallback: Up to three years.\nNever: \"perpetual\" terms.\n\n\
## Governing Law\nStandard: The law of Ireland.\nFallback: The law of Scotland.\nNever: The law of a state of the USA.\n\n\
## Liability\nStandard: Capped at the fees of a year.\nNever: \"unlimited\" liability.\n\n\
## Assignment\nStandard: Only with consent.\nMissing: acceptable\n\n\
## Notices\nStandard: In writing.\n";

/// What a clause may say, and what it is by the playbook; `None` is a clause that is not there.
const TERM: &[(&str, ClauseVerdict)] = &[
    ("This Agreement runs for two (2) years from the Effective Date.", ClauseVerdict::Standard),
    ("This Agreement runs for three (3) years from the Effective Date.", ClauseVerdict::Fallback),
    ("This Agreement runs for seven (7) years from the Effective Date.", ClauseVerdict::Deviates),
    ("The obligations of the Recipient are Perpetual.", ClauseVerdict::Never),
];
const LAW: &[(&str, ClauseVerdict)] = &[
    ("This Agreement is governed by the law of Ireland.", ClauseVerdict::Standard),
    ("This Agreement is governed by the law of Scotland.", ClauseVerdict::Fallback),
    ("This Agreement is governed by the law of Delaware.", ClauseVerdict::Never),
    ("", ClauseVerdict::Missing),
];
const LIABILITY: &[(&str, ClauseVerdict)] = &[
    ("Liability of either party is capped at the fees paid in the last year.", ClauseVerdict::Standard),
    ("Liability of the Recipient is unlimited in all cases whatsoever.", ClauseVerdict::Never),
    ("Liability of either party is capped at ten times the fees paid.", ClauseVerdict::Deviates),
    ("", ClauseVerdict::Missing),
];
const ASSIGNMENT: &[(&str, ClauseVerdict)] = &[
    ("Neither party may assign this Agreement without the consent of the other.", ClauseVerdict::Standard),
    ("", ClauseVerdict::Standard),
];
const NOTICES: &[(&str, ClauseVerdict)] = &[
    ("Notices must be given in writing to the address above.", ClauseVerdict::Standard),
    ("", ClauseVerdict::Missing),
];

/// An agreement, and what is true of it.
struct Agreement {
    lines: Vec<String>,
    truth: Vec<(&'static str, &'static str, ClauseVerdict)>,
}

/// The agreement of that number: other clauses, another order, headings by style or at the beginning of their paragraphs.
fn agreement(number: usize) -> Agreement {
    let pick =
        |from: &[(&'static str, ClauseVerdict)], step: usize| from[(number / step + step) % from.len()];
    let mut truth = vec![
        ("Term", pick(TERM, 1)),
        ("Governing Law", pick(LAW, 2)),
        ("Liability", pick(LIABILITY, 3)),
        ("Assignment", pick(ASSIGNMENT, 4)),
        ("Notices", pick(NOTICES, 5)),
    ];
    let mut lines = vec!["Agreement between Northwind Ltd and Contoso Ltd.".to_owned()];
    let mut order: Vec<usize> = (0..truth.len()).collect();
    order.rotate_left(number % truth.len());
    for at in order {
        let (name, (words, _)) = truth[at];
        if words.is_empty() {
            continue;
        }
        if number % 3 == 2 {
            lines.push(format!("{at}. {name}. {words}"));
        } else {
            lines.push(format!("# {name}"));
            lines.push(words.to_owned());
            lines.push("Nothing else is agreed here between the parties.".to_owned());
        }
    }
    if number % 3 != 2 {
        lines.push("# Signatures".to_owned());
    }
    lines.push("Signed by both parties.".to_owned());
    let truth = truth.drain(..).map(|(name, (words, verdict))| (name, words, verdict)).collect();
    Agreement { lines, truth }
}

/// What a model does instead of what it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Habit {
    None,
    InventsQuotes,
    ShortensQuotes,
    CitesAnotherClause,
    CitesWrongParagraph,
    AnswersProse,
    AnswersJsonInProse,
    LeavesOut,
    OtherOrder,
    AnswersTwice,
    AnswersWhatNobodyAsked,
    InventsVerdicts,
    GivesNoReason,
    ChangesOtherWords,
    SaysAllIsFine,
    SendsListAsText,
    ReshapesNames,
    SaysMissing,
}

const HABITS: &[Habit] = &[
    Habit::InventsQuotes,
    Habit::ShortensQuotes,
    Habit::CitesAnotherClause,
    Habit::CitesWrongParagraph,
    Habit::AnswersProse,
    Habit::AnswersJsonInProse,
    Habit::LeavesOut,
    Habit::OtherOrder,
    Habit::AnswersTwice,
    Habit::AnswersWhatNobodyAsked,
    Habit::InventsVerdicts,
    Habit::GivesNoReason,
    Habit::ChangesOtherWords,
    Habit::SaysAllIsFine,
    Habit::SendsListAsText,
    Habit::ReshapesNames,
    Habit::SaysMissing,
];

/// A model that knows the truth of an agreement, and has a habit in so many of its answers.
struct Partner {
    truth: Vec<(&'static str, &'static str, ClauseVerdict)>,
    habit: Habit,
    lapses: usize,
    asked: Mutex<Vec<String>>,
}

impl Partner {
    fn new(agreement: &Agreement, habit: Habit, lapses: usize) -> Self {
        Self { truth: agreement.truth.clone(), habit, lapses, asked: Mutex::default() }
    }

    fn reply(&self, question: &str, habit: Habit) -> (String, Option<Value>) {
        let (positions, document) = question.split_once("\nThe document:\n").unwrap();
        let wanted: Vec<_> =
            self.truth.iter().filter(|(name, ..)| positions.contains(&format!("## {name}\n"))).collect();
        let place = |words: &str| {
            let line = document.lines().find(|line| line.contains(words)).unwrap_or_default();
            line.split([']', '[']).nth(1).unwrap_or_default().to_owned()
        };
        let mut answers: Vec<Value> =
            wanted.iter().map(|(name, words, verdict)| entry(name, words, *verdict, &place)).collect();
        let signature = place("Signed by");
        for answer in &mut answers {
            let is_missing = answer["verdict"] == "missing";
            match habit {
                Habit::InventsQuotes if !is_missing => {
                    answer["quote"] = json!("the parties shall dance in the moonlight");
                }
                Habit::ShortensQuotes if !is_missing => answer["quote"] = json!("Agre … the"),
                Habit::CitesAnotherClause if !is_missing => {
                    answer["paragraph"] = json!(signature);
                    answer["quote"] = json!("Signed by both parties");
                }
                Habit::CitesWrongParagraph if !is_missing => answer["paragraph"] = json!("P999"),
                Habit::InventsVerdicts => answer["verdict"] = json!("mostly fine"),
                Habit::GivesNoReason => answer["reason"] = json!(null),
                Habit::ChangesOtherWords if answer.get("original").is_some() => {
                    answer["original"] = json!("words that are nowhere");
                }
                Habit::SaysAllIsFine if !is_missing => answer["verdict"] = json!("standard"),
                Habit::SaysMissing => answer["verdict"] = json!("missing"),
                Habit::ReshapesNames => {
                    answer["position"] =
                        json!(format!("## {} ", answer["position"].as_str().unwrap().to_uppercase()));
                }
                _ => {}
            }
        }
        match habit {
            Habit::LeavesOut => answers.truncate(1),
            Habit::OtherOrder => answers.reverse(),
            Habit::AnswersTwice => answers.extend(answers.clone()),
            Habit::AnswersWhatNobodyAsked => answers.push(json!({"position": "Fees", "verdict": "standard"})),
            _ => {}
        }
        match habit {
            Habit::AnswersProse => ("The agreement looks good to me {really}.".to_owned(), None),
            Habit::AnswersJsonInProse => (
                format!("Here you are:\n```json\n{}\n```\nAnything else?", json!({"answers": answers})),
                None,
            ),
            Habit::SendsListAsText => (String::new(), Some(json!({"answers": json!(answers).to_string()}))),
            _ => (String::new(), Some(json!({"answers": answers}))),
        }
    }
}

fn entry(name: &str, words: &str, verdict: ClauseVerdict, place: &impl Fn(&str) -> String) -> Value {
    if words.is_empty() {
        return json!({"position": name, "verdict": "missing", "reason": format!("There is no clause on {name}."),
            "insertAfter": place("Agreement between"), "content": format!("A clause on {name} that the playbook wants.")});
    }
    let word = match verdict {
        ClauseVerdict::Standard => "standard",
        ClauseVerdict::Fallback => "fallback",
        ClauseVerdict::Never => "never",
        _ => "deviates",
    };
    let mut entry = json!({"position": name, "verdict": word, "paragraph": place(words), "quote": words,
        "reason": format!("{name} is not as we want it.")});
    for (from, to) in [
        ("seven (7)", "two (2)"),
        ("Delaware", "Ireland"),
        ("ten times the fees paid", "the fees paid in the last year"),
    ] {
        if words.contains(from) {
            entry["original"] = json!(from);
            entry["replacement"] = json!(to);
        }
    }
    entry
}

impl Model for Partner {
    fn info(&self) -> ModelInfo {
        ModelInfo { spec: "partner".to_owned(), language_model: true }
    }

    fn answer(&self, request: Request) -> BoxStream<'static, Result<Event, Error>> {
        let Some(Message::User { content, .. }) = request.messages.first() else {
            panic!("nothing was asked")
        };
        let mut asked = self.asked.lock().unwrap();
        let habit = if asked.len() < self.lapses { self.habit } else { Habit::None };
        asked.push(content.clone());
        let (text, call) = self.reply(content, habit);
        let mut events = vec![Event::Text(text)];
        let mut finish = FinishReason::Stop;
        if let Some(arguments) = call {
            events.push(Event::ToolCallStart {
                index: 0,
                id: "a".to_owned(),
                name: request.tools[0].name.clone(),
            });
            events.push(Event::ToolCallArguments { index: 0, delta: arguments.to_string() });
            finish = FinishReason::ToolCalls;
        }
        events.push(Event::Finish(finish));
        stream::iter(events.into_iter().map(Ok)).boxed()
    }
}

fn opened(agreement: &Agreement) -> WordDocument {
    let lines: Vec<&str> = agreement.lines.iter().map(String::as_str).collect();
    document(&lines)
}

fn options() -> EditOptions {
    EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() }
}

async fn reviewed(agreement: &Agreement, partner: Option<&Partner>) -> (ReviewReport, WordDocument) {
    let mut document = opened(agreement);
    let playbook = Playbook::parse(PLAYBOOK).unwrap();
    let model = partner.map(|partner| partner as &dyn Model);
    let report = review(&mut document, &playbook, model, &options()).await.unwrap();
    (report, document)
}

fn lines_of(document: &WordDocument, view: View) -> Vec<String> {
    let options = ReadOptions { view, labels: false, ..ReadOptions::default() };
    document.read(&options).unwrap().paragraphs.into_iter().map(|paragraph| paragraph.text).collect()
}

/// What holds of every review, whatever the model does: the report and the document agree.
fn check_honesty(agreement: &Agreement, report: &ReviewReport, document: &WordDocument, context: &str) {
    let before = lines_of(&opened(agreement), View::Accepted);
    assert_eq!(lines_of(document, View::Original), before, "{context}: rejecting gives the agreement back");
    for position in &report.positions {
        if let Some(citation) = &position.citation {
            let number: usize = citation.address[1..].parse().unwrap();
            assert!(before[number - 1].contains(&citation.quote), "{context}: {position:?}");
        }
        let needs = !matches!(position.verdict, ClauseVerdict::Missing | ClauseVerdict::Unanswered)
            && position.position != "Assignment";
        assert!(!needs || position.citation.is_some(), "{context}: {position:?}");
        if position.verdict == ClauseVerdict::Unanswered {
            assert!(
                !position.problems.is_empty() && position.operations.is_empty(),
                "{context}: {position:?}"
            );
        }
    }
    // It is written, and what is written is proven.
    let saved = document.save(Tracking::Tracked).unwrap();
    let mut again = WordDocument::open(saved.bytes, &Limits::default()).unwrap();
    again.resolve_all(Side::Reject).unwrap();
    assert_eq!(lines_of(&again, View::Accepted), before, "{context}");
}

fn check_truth(agreement: &Agreement, report: &ReviewReport, document: &WordDocument, context: &str) {
    let after = lines_of(document, View::Accepted).join("\n");
    let comments = document.comments().unwrap();
    for (position, (name, words, verdict)) in report.positions.iter().zip(&agreement.truth) {
        assert_eq!(
            (&position.position.as_str(), position.verdict),
            (name, *verdict),
            "{context}: {position:?}"
        );
        assert!(
            position.operations.iter().all(|operation| operation.status == Status::Applied),
            "{context}: {position:?}"
        );
        let is_commented =
            comments.iter().any(|placed| placed.comment.text.starts_with(&format!("Playbook, {name}: ")));
        assert_eq!(is_commented, !verdict.is_acceptable(), "{context}: {name}");
        let changed = [
            ("seven (7)", "two (2)"),
            ("Delaware", "Ireland"),
            ("ten times the fees paid", "the fees paid in the last year"),
        ];
        match changed.iter().find(|(from, _)| words.contains(from)) {
            Some((from, to)) => assert!(after.contains(&words.replace(from, to)), "{context}: {after}"),
            None => assert!(after.contains(words), "{context}: {after}"),
        }
        if *verdict == ClauseVerdict::Missing {
            assert!(
                after.contains(&format!("A clause on {name} that the playbook wants.")),
                "{context}: {after}"
            );
        }
    }
}

#[tokio::test]
async fn verdicts_citations_and_redlines_are_right() {
    for number in 0..24 {
        let agreement = agreement(number);
        let partner = Partner::new(&agreement, Habit::None, 0);
        let (report, document) = reviewed(&agreement, Some(&partner)).await;
        let context = format!("agreement {number}");
        check_honesty(&agreement, &report, &document, &context);
        check_truth(&agreement, &report, &document, &context);
        assert_eq!(report.rounds, 1, "{context}: {report:?}");
    }
}

#[tokio::test]
async fn one_lapse_is_made_good() {
    for number in 0..12 {
        let agreement = agreement(number);
        for habit in HABITS.iter().copied().filter(|habit| *habit != Habit::SaysAllIsFine) {
            let partner = Partner::new(&agreement, habit, 1);
            let (report, document) = reviewed(&agreement, Some(&partner)).await;
            let context = format!("agreement {number}, {habit:?}");
            check_honesty(&agreement, &report, &document, &context);
            check_truth(&agreement, &report, &document, &context);
            // Only what was not taken is asked for again, and it is said why.
            let asked = partner.asked.lock().unwrap();
            assert!(asked.len() <= 2, "{context}");
            if let Some(second) = asked.get(1) {
                assert!(second.contains("Your last answer was not taken: "), "{context}: {second}");
            }
        }
    }
}

#[tokio::test]
async fn a_habit_that_stays_is_never_believed() {
    for number in 0..12 {
        let agreement = agreement(number);
        for habit in HABITS.iter().copied() {
            let partner = Partner::new(&agreement, habit, usize::MAX);
            let (report, document) = reviewed(&agreement, Some(&partner)).await;
            let context = format!("agreement {number}, {habit:?}");
            check_honesty(&agreement, &report, &document, &context);
            assert!(report.rounds <= 2, "{context}");
            let harmless = [
                Habit::AnswersJsonInProse,
                Habit::OtherOrder,
                Habit::AnswersTwice,
                Habit::AnswersWhatNobodyAsked,
                Habit::SendsListAsText,
                Habit::ReshapesNames,
            ];
            if harmless.contains(&habit) {
                check_truth(&agreement, &report, &document, &context);
                continue;
            }
            for (position, (name, words, verdict)) in report.positions.iter().zip(&agreement.truth) {
                check_disbelief(habit, position, (words, *verdict), &format!("{context}: {name}"));
            }
        }
    }
}

/// What may come of a model that goes on with its habit.
fn check_disbelief(
    habit: Habit,
    position: &PositionReport,
    (words, truth): (&str, ClauseVerdict),
    context: &str,
) {
    let lower = words.to_lowercase();
    let is_literal = lower.contains("perpetual") || lower.contains("unlimited");
    let codes: Vec<&str> = position.problems.iter().map(|problem| problem.code.as_str()).collect();
    if is_literal {
        assert_eq!(
            (position.verdict, position.source),
            (ClauseVerdict::Never, VerdictSource::Words),
            "{context}"
        );
        return;
    }
    match habit {
        Habit::InventsQuotes
        | Habit::ShortensQuotes
        | Habit::CitesAnotherClause
        | Habit::CitesWrongParagraph
            if !words.is_empty() =>
        {
            assert_eq!(
                (position.verdict, codes),
                (ClauseVerdict::Unanswered, vec!["CITATION_REFUSED"]),
                "{context}"
            );
        }
        Habit::SaysMissing if !words.is_empty() => {
            assert_eq!(
                (position.verdict, codes),
                (ClauseVerdict::Unanswered, vec!["CITATION_REFUSED"]),
                "{context}"
            );
        }
        Habit::AnswersProse | Habit::InventsVerdicts => {
            assert_eq!(
                (position.verdict, codes),
                (ClauseVerdict::Unanswered, vec!["POSITION_UNANSWERED"]),
                "{context}"
            );
        }
        Habit::GivesNoReason if !truth.is_acceptable() || words.is_empty() => {
            assert_eq!(
                (position.verdict, codes),
                (ClauseVerdict::Unanswered, vec!["POSITION_UNANSWERED"]),
                "{context}"
            );
        }
        Habit::ChangesOtherWords if truth == ClauseVerdict::Deviates || words.contains("Delaware") => {
            assert_eq!((position.verdict, codes), (truth, vec!["CHANGE_REFUSED"]), "{context}");
            let made: Vec<&str> = position.operations.iter().map(|operation| operation.op.as_str()).collect();
            assert_eq!(made, ["insert_comment"], "{context}");
        }
        // Words that are there can be read wrongly; nobody but a person can tell.
        Habit::SaysAllIsFine | Habit::LeavesOut => {}
        _ => assert_eq!(position.verdict, truth, "{context}"),
    }
}

#[tokio::test]
async fn without_a_model_words_alone_are_judged() {
    for number in 0..24 {
        let agreement = agreement(number);
        let (report, document) = reviewed(&agreement, None).await;
        let context = format!("agreement {number}");
        check_honesty(&agreement, &report, &document, &context);
        assert_eq!((report.rounds, report.model.as_str()), (0, "none"));
        for (position, (name, words, verdict)) in report.positions.iter().zip(&agreement.truth) {
            let lower = words.to_lowercase();
            let wanted = if words.is_empty() {
                *verdict
            } else if lower.contains("perpetual") || lower.contains("unlimited") {
                ClauseVerdict::Never
            } else {
                ClauseVerdict::Unanswered
            };
            assert_eq!(position.verdict, wanted, "{context}: {name}: {position:?}");
            assert_eq!(position.clause.is_some(), !words.is_empty(), "{context}: {name}: {position:?}");
        }
    }
}
