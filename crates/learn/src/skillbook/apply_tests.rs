//! What operations do, by the number of the case.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    Author, Book, Effect, Observation, Quarantine, SettleContext, Skill, SkillOperation, SkillStatus,
    conflicts, parse_batch, render, settle,
};
use crate::safety::doubts;

pub(super) fn context(trace: &str) -> SettleContext<'_> {
    SettleContext {
        by: Author::Learnt,
        trace,
        session: trace,
        seen: Observation::unknown(),
        now: 1_000_000,
        doubts: &doubts,
    }
}

fn person() -> SettleContext<'static> {
    SettleContext { by: Author::Person, ..context("person") }
}

/// Does what a batch asks for; says what each operation did.
pub(super) fn run(book: &mut Book, batch: &Value, context: &SettleContext<'_>) -> Vec<Effect> {
    let operations = parse_batch(batch).unwrap();
    let mut effects = Vec::new();
    for operation in operations {
        match operation {
            Ok(operation) => {
                let verdict = settle(book, &operation, context);
                for record in verdict.records {
                    book.apply(record);
                }
                effects.push(verdict.effect);
            }
            Err(refused) => effects.push(Effect::Refused(refused)),
        }
    }
    effects
}

pub(super) fn add(section: &str, content: &str) -> Value {
    json!([{"type": "ADD", "section": section, "content": content}])
}

fn codes(effects: &[Effect]) -> Vec<&str> {
    effects
        .iter()
        .map(|effect| match effect {
            Effect::Refused(refused) => refused.code,
            Effect::Added { .. } => "added",
            Effect::Confirmed { .. } => "confirmed",
            Effect::Updated { .. } => "updated",
            Effect::Proposed { .. } => "proposed",
            Effect::Voted { .. } => "voted",
            Effect::Retired { .. } => "retired",
            Effect::Merged { .. } => "merged",
            Effect::KeptApart => "kept",
            Effect::Unchanged => "unchanged",
        })
        .collect()
}

/// A book with one active skill, `paths-89758796`.
fn book() -> Book {
    let mut book = Book::default();
    run(&mut book, &add("paths", "Stat a path before reading it"), &context("t1"));
    run(&mut book, &add("paths", "Stat a path before reading it"), &context("t2"));
    assert_eq!(book.get("paths-89758796").unwrap().status, SkillStatus::Active);
    book
}

#[test]
fn a_lesson_is_shown_after_two_independent_sessions() {
    let mut book = Book::default();
    let lesson = add("paths", "Stat a path before reading it");
    assert_eq!(codes(&run(&mut book, &lesson, &context("t1"))), ["added"]);
    assert_eq!(codes(&run(&mut book, &lesson, &context("t1"))), ["unchanged"]);
    let fork = SettleContext { session: "t1", ..context("fork") };
    run(&mut book, &lesson, &fork);
    assert_eq!(
        book.get("paths-89758796").unwrap().status,
        SkillStatus::Candidate,
        "a fork is no second session"
    );
    let effects = run(&mut book, &add("files", "Stat the path before reading it."), &context("t2"));
    assert_eq!(effects, [Effect::Confirmed { id: "paths-89758796".to_owned(), status: SkillStatus::Active }]);
}

#[test]
fn a_lesson_with_another_value_is_another_lesson() {
    let mut book = Book::default();
    for (content, effect) in [
        ("Use port 8080 when calling the billing service of the staging cluster", "added"),
        ("Use port 9090 when calling the billing service of the staging cluster", "added"),
        ("When you call the billing service of the staging cluster, use port 9090", "confirmed"),
        (
            "Run the exporter of the invoice portal nightly, summary sheets included, with tenant quota headers",
            "added",
        ),
        (
            "Run the export of the invoice portal nightly, summary sheets included, with tenant quota headers",
            "confirmed",
        ),
    ] {
        let trace = format!("of {content}");
        assert_eq!(codes(&run(&mut book, &add("net", content), &context(&trace))), [effect], "{content}");
    }
}

#[test]
fn what_was_taken_out_does_not_keep_its_successor_out() {
    let mut book = Book::default();
    let (old, new) =
        ("Choose alpha for page cursors of the listing", "Choose bravo for page cursors of the listing");
    run(&mut book, &add("paging", old), &context("t1"));
    run(&mut book, &json!([{"type": "REMOVE", "skill_id": "paging-71997556"}]), &person());
    assert_eq!(codes(&run(&mut book, &add("paging", old), &context("t2"))), ["SKILL_RETIRED"]);
    assert_eq!(codes(&run(&mut book, &add("paging", new), &context("t3"))), ["added"]);
}

#[test]
fn case_60_an_id_that_is_taken_gets_another_and_both_stay() {
    let mut book = book();
    let batch = json!([{"type": "ADD", "section": "paths", "content": "Quote names with spaces", "skill_id": "paths-89758796"}]);
    run(&mut book, &batch, &context("t3"));
    let ids: Vec<&str> = book.skills().map(|skill| skill.id.as_str()).collect();
    assert_eq!(ids, ["paths-89758796", "paths-25221024"]);
}

#[test]
fn case_62_an_empty_or_odd_section_is_general() {
    let mut book = Book::default();
    for (at, section) in ["", "   ", "!!!", "12"].iter().enumerate() {
        let content = format!("Lesson about topic{at} and thing{at} with part{at}");
        run(&mut book, &add(section, &content), &context("t"));
    }
    assert!(book.skills().all(|skill| skill.section == "general" && skill.id.starts_with("general-")));
    run(&mut book, &add("Error Handling", "Read the last line of a stack trace"), &context("t"));
    assert_eq!(book.skills().last().unwrap().id, "error_handling-96085042");
}

#[test]
fn case_64_new_words_drop_what_was_computed_from_the_old_ones() {
    let mut book = book();
    let mut skill = book.get("paths-89758796").unwrap().clone();
    skill.other.insert("embedding".to_owned(), json!([0.5]));
    skill.other.insert("mine".to_owned(), json!(1));
    book.apply(super::journal::Record::Put(Box::new(skill)));
    let batch = json!([{"type": "update", "skill_id": "paths-89758796", "content": "Check that a path exists first"}]);
    assert_eq!(codes(&run(&mut book, &batch, &context("t3"))), ["proposed"], "one session changes no rule");
    assert_eq!(codes(&run(&mut book, &batch, &context("t4"))), ["updated"]);
    let skill = book.get("paths-89758796").unwrap();
    assert_eq!(Value::Object(skill.other.clone()), json!({"mine": 1}));
    assert_eq!(
        book.like("Check that a path exists first", 0.99, 1).len(),
        1,
        "the index knows the new words"
    );
}

#[test]
fn case_65_a_count_that_is_none_costs_its_operation_only() {
    let mut book = book();
    let tag =
        |count: Value| json!({"type": "TAG", "skill_id": "paths-89758796", "metadata": {"helpful": count}});
    let batch = json!([
        tag(json!(-1)),
        tag(json!("2")),
        tag(json!(1e300)),
        tag(json!(99999)),
        tag(json!(0)),
        tag(json!(2))
    ]);
    let invalid = "SKILL_OPERATION_INVALID";
    let effects = run(&mut book, &batch, &context("t3"));
    assert_eq!(codes(&effects), [invalid, invalid, invalid, invalid, invalid, "voted"]);
    assert_eq!(book.get("paths-89758796").unwrap().total().helpful, 2);
}

#[test]
fn case_66_a_bad_operation_stops_no_other() {
    let mut book = book();
    let batch = json!({"update": {"reasoning": "x", "operations": [
        {"type": "EXPLODE"}, {"section": "s"}, 7, {"type": "ADD", "section": "s"},
        {"type": "ADD", "section": "s", "content": "  "}, {"type": "ADD", "section": "s", "content": 7},
        {"type": "TAG", "skill_id": "gone-00009", "metadata": {"helpful": 1}},
        {"type": "REMOVE"}, {"type": "add", "section": "git", "content": "Fetch before you rebase a shared branch"},
    ]}});
    let effects = run(&mut book, &batch, &context("t3"));
    let invalid = "SKILL_OPERATION_INVALID";
    assert_eq!(
        codes(&effects),
        [invalid, invalid, invalid, invalid, invalid, invalid, "SKILL_UNKNOWN", invalid, "added"]
    );
    assert!(parse_batch(&json!({"no": "list"})).is_err());
}

#[test]
fn case_68_opposites_raise_a_conflict_and_are_not_both_shown() {
    let mut book = Book::default();
    for trace in ["t1", "t2"] {
        run(&mut book, &add("git", "Use rebase to update a shared feature branch"), &context(trace));
    }
    let effects =
        run(&mut book, &add("git", "Never use rebase to update a shared feature branch"), &context("t3"));
    assert_eq!(effects, [Effect::Added { id: "git-21468423".to_owned(), status: SkillStatus::Quarantined }]);
    assert_eq!(book.get("git-21468423").unwrap().quarantine, [Quarantine::Contradiction]);
    run(&mut book, &json!([]), &context("t3"));
    let accept = SkillOperation::Accept { id: "git-21468423".to_owned() };
    for record in settle(&book, &accept, &person()).records {
        book.apply(record);
    }
    assert_eq!(conflicts(&book).len(), 1);
    let wanted = render::RecallQuery { query: None, tokens: 10_000, now: 0 };
    assert_eq!(render::choose(&book, &wanted).len(), 1);
}

#[test]
fn case_69_a_lesson_that_harms_is_taken_out_and_not_learnt_again() {
    let mut book = book();
    let harmful = json!([{"type": "TAG", "skill_id": "paths-89758796", "tag": "harmful"}]);
    assert_eq!(codes(&run(&mut book, &harmful, &context("a"))), ["voted"]);
    assert_eq!(codes(&run(&mut book, &harmful, &context("b"))), ["voted"]);
    assert_eq!(codes(&run(&mut book, &harmful, &context("c"))), ["retired"]);
    let again = add("other", "Stat the path before reading it");
    assert_eq!(codes(&run(&mut book, &again, &context("d"))), ["SKILL_RETIRED"]);
    assert_eq!(codes(&run(&mut book, &again, &person())), ["added"], "a person may");
}

#[test]
fn case_70_what_a_person_decided_is_never_taken_back() {
    let mut book = book();
    for record in
        settle(&book, &SkillOperation::Pin { id: "paths-89758796".to_owned(), on: true }, &person()).records
    {
        book.apply(record);
    }
    let update = json!([{"type": "UPDATE", "skill_id": "paths-89758796", "content": "Other words"}, {"type": "REMOVE", "skill_id": "paths-89758796"}]);
    assert_eq!(codes(&run(&mut book, &update, &context("x"))), ["SKILL_PROTECTED", "SKILL_PROTECTED"]);
    for trace in ["a", "b", "c", "d"] {
        let harmful = json!([{"type": "TAG", "skill_id": "paths-89758796", "tag": "harmful"}]);
        assert_eq!(codes(&run(&mut book, &harmful, &context(trace))), ["voted"]);
    }
    assert_eq!(book.get("paths-89758796").unwrap().status, SkillStatus::Active);
    assert_eq!(codes(&run(&mut book, &update, &person())), ["updated", "retired"]);
}

#[test]
fn case_46_and_51_a_trace_that_is_read_again_counts_nothing_twice() {
    let mut book = book();
    let batch = json!([
        {"type": "TAG", "skill_id": "paths-89758796", "metadata": {"helpful": 1}},
        {"type": "ADD", "section": "git", "content": "Fetch before you rebase a shared branch"},
    ]);
    assert_eq!(codes(&run(&mut book, &batch, &context("t9"))), ["voted", "added"]);
    let before = book.clone();
    assert_eq!(codes(&run(&mut book, &batch, &context("t9"))), ["unchanged", "unchanged"]);
    assert_eq!(book, before);
}

#[test]
fn a_helpful_lesson_is_not_removed_by_a_learner() {
    let mut book = book();
    run(&mut book, &json!([{"type": "TAG", "skill_id": "paths-89758796", "tag": "helpful"}]), &context("a"));
    let remove = json!([{"type": "REMOVE", "skill_id": "paths-89758796"}]);
    assert_eq!(codes(&run(&mut book, &remove, &context("b"))), ["SKILL_STILL_HELPFUL"]);
}

#[test]
fn merging_joins_evidence_and_votes_once_for_each_trace() {
    let mut book = book();
    run(&mut book, &add("files", "Look whether the file is there"), &context("t5"));
    for id in ["paths-89758796", "files-08095987"] {
        run(&mut book, &json!([{"type": "TAG", "skill_id": id, "tag": "helpful"}]), &context("v"));
    }
    let batch = json!([
        {"type": "MERGE", "source_ids": ["paths-89758796", "gone-1"], "keep_id": "paths-89758796", "merged_content": "x y z"},
        {"type": "MERGE", "source_ids": ["paths-89758796", "files-08095987"], "keep_id": "gone", "merged_content": "x y z"},
        {"type": "MERGE", "source_ids": ["paths-89758796", "files-08095987"], "keep_id": "paths-89758796",
         "merged_content": "Stat a path before reading it"},
    ]);
    let effects = run(&mut book, &batch, &context("t6"));
    assert_eq!(codes(&effects), ["SKILL_UNKNOWN", "SKILL_OPERATION_INVALID", "merged"]);
    let kept = book.get("paths-89758796").unwrap();
    assert_eq!((kept.sessions(), kept.total().helpful), (3, 1));
    assert_eq!(book.get("files-08095987").unwrap().status, SkillStatus::Retired);
}

#[test]
fn look_alikes_that_are_kept_apart_raise_no_conflict() {
    let mut book = Book::default();
    for content in ["Use tabs in a Makefile recipe", "Do not use tabs in a Makefile recipe"] {
        run(&mut book, &add("style", content), &person());
    }
    assert_eq!(conflicts(&book).len(), 1);
    run(
        &mut book,
        &json!([{"type": "KEEP", "skill_ids": ["style-63021915", "style-38935611"], "reasoning": "two repositories"}]),
        &person(),
    );
    assert_eq!(conflicts(&book), []);
}

proptest! {
    #[test]
    fn ids_are_given_once_and_only_refusals_leave_no_trace(
        sections in prop::collection::vec("[a-c ]{0,3}", 1..12),
        wished in prop::option::of("[a-c]{1,2}-0000[0-9]"),
    ) {
        let mut book = Book::default();
        for (at, section) in sections.iter().enumerate() {
            let content = format!("unique{at} lesson{at} words{at}");
            let operation = json!([{"type": "ADD", "section": section, "content": content, "skill_id": wished}]);
            let effects = run(&mut book, &operation, &context("t"));
            prop_assert_eq!(codes(&effects), ["added"]);
        }
        let mut ids: Vec<&String> = book.skills().map(|skill| &skill.id).collect();
        let count = ids.len();
        ids.sort();
        ids.dedup();
        prop_assert_eq!((ids.len(), count), (sections.len(), sections.len()));
        let numbers = book.skills().filter_map(|skill: &Skill| skill.id.rsplit_once('-')?.1.parse::<u64>().ok());
        prop_assert_eq!(numbers.max(), Some(book.last_number()));
    }
}

#[test]
fn what_the_newest_three_traces_call_harmful_goes_however_good_it_was() {
    let mut book = book();
    for at in 0..20 {
        let trace = format!("old{at:02}");
        run(
            &mut book,
            &json!([{"type": "TAG", "skill_id": "paths-89758796", "tag": "helpful"}]),
            &context(&trace),
        );
    }
    let effects: Vec<Effect> = ["x", "y", "z"]
        .into_iter()
        .flat_map(|trace| {
            let later = SettleContext { now: 2_000_000, ..context(trace) };
            run(&mut book, &json!([{"type": "TAG", "skill_id": "paths-89758796", "tag": "harmful"}]), &later)
        })
        .collect();
    assert_eq!(codes(&effects), ["voted", "voted", "retired"]);
}
