//! Lessons without a model.

use super::rules::operations;
use crate::skillbook::SkillOperation;
use crate::trace::{Correction, FailedCall, Recovery, Trace, TraceDetails};

fn failure(line: u64, arguments: &str, recovery: Option<&str>) -> FailedCall {
    FailedCall {
        line,
        tool: "read".to_owned(),
        arguments: arguments.to_owned(),
        error: format!("ENOENT: no such file, open '/srv/{line}'"),
        recovery: recovery.map(|arguments| Recovery { line: line + 2, arguments: arguments.to_owned() }),
    }
}

fn trace(failures: Vec<FailedCall>, corrections: &[&str]) -> Trace {
    let corrections = corrections
        .iter()
        .map(|text| Correction { line: 9, text: (*text).to_owned(), about: "x".to_owned() })
        .collect();
    Trace {
        question: "q".to_owned(),
        reasoning: String::new(),
        answer: "done".to_owned(),
        skill_ids: vec!["a-00001".to_owned()],
        feedback: String::new(),
        ground_truth: None,
        extra: TraceDetails { failures, corrections, ..TraceDetails::default() },
        segments: Vec::new(),
    }
}

fn lessons(trace: &Trace) -> Vec<String> {
    let content = |operation| match operation {
        SkillOperation::Add { content, .. } => Some(content),
        _ => None,
    };
    operations(trace).into_iter().filter_map(content).collect()
}

#[test]
fn a_way_out_is_a_lesson_in_the_same_words_each_time() {
    let way = Some(r#"{"path":"/b","n":1}"#);
    let one = trace(vec![failure(4, r#"{"path":"/a","n":1}"#, way)], &[]);
    let two = trace(
        vec![failure(40, r#"{"path":"/x","n":1}"#, way), failure(50, r#"{"path":"/y","n":1}"#, way)],
        &[],
    );
    let lesson = "Check `path` before calling `read`: it fails with \"enoent: no such file, open '/srv/0'\" until that is changed";
    assert_eq!(lessons(&one), [lesson]);
    assert_eq!(lessons(&one), lessons(&two));
}

#[test]
fn one_failure_without_a_way_out_teaches_nothing() {
    assert_eq!(
        lessons(&trace(vec![failure(4, "{}", None), failure(5, "{}", None)], &[])),
        Vec::<String>::new()
    );
    let many = trace((4..7).map(|line| failure(line, "{}", None)).collect(), &[]);
    assert!(lessons(&many)[0].starts_with("Try something else when `read` has failed twice"));
}

#[test]
fn values_never_become_part_of_a_lesson() {
    let secret = trace(vec![failure(4, r#"{"token":"hunter2"}"#, Some(r#"{"token":"hunter3"}"#))], &[]);
    assert!(!format!("{:?}", operations(&secret)).contains("hunter"));
}

#[test]
fn what_a_person_wants_is_a_lesson_and_a_question_is_none() {
    let trace = trace(vec![], &["No, use tabs in Makefiles.", "why did you do that?", "no"]);
    assert_eq!(lessons(&trace), ["Use tabs in Makefiles"]);
}

#[test]
fn a_skill_that_was_named_is_voted_on() {
    let helped = SkillOperation::Tag { id: "a-00001".to_owned(), helpful: 1, harmful: 0, neutral: 0 };
    assert_eq!(operations(&trace(vec![], &[]))[0], helped);
    let unclear = SkillOperation::Tag { id: "a-00001".to_owned(), helpful: 0, harmful: 0, neutral: 1 };
    assert_eq!(operations(&trace(vec![], &["No, use tabs in Makefiles."]))[0], unclear);
}
