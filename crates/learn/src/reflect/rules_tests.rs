//! Lessons without a model.

use super::rules::operations;
use crate::skillbook::SkillOperation;
use crate::trace::{Correction, FailedCall, PersonWords, Recovery, Trace, TraceDetails, WorkedCall};

fn failure(tool: &str, failed: &str, worked: Option<&str>, error: &str) -> FailedCall {
    FailedCall {
        line: 4,
        tool: tool.to_owned(),
        arguments: failed.into(),
        error: error.to_owned(),
        recovery: worked.map(|arguments| Recovery { line: 6, arguments: arguments.into() }),
        between: Vec::new(),
    }
}

fn trace(failures: Vec<FailedCall>, said: &[&str]) -> Trace {
    let corrections = said
        .iter()
        .map(|text| Correction { line: 9, text: (*text).to_owned(), about: "x".to_owned() })
        .collect();
    let said =
        said.iter().map(|text| PersonWords { line: 9, entry: String::new(), text: (*text).into() }).collect();
    Trace {
        question: "q".to_owned(),
        reasoning: String::new(),
        answer: "done".to_owned(),
        skill_ids: vec!["a-00001".to_owned()],
        feedback: String::new(),
        ground_truth: None,
        extra: TraceDetails {
            failures,
            corrections,
            said,
            mentions: vec![("a-00001".to_owned(), 7)],
            ..TraceDetails::default()
        },
        segments: Vec::new(),
    }
}

fn lessons(trace: &Trace) -> Vec<String> {
    let content = |operation| match operation {
        SkillOperation::Add { content, .. } => Some(content),
        _ => None,
    };
    operations(trace).into_iter().filter_map(|drawn| content(drawn.operation)).collect()
}

fn of_calls(tool: &str, failed: &str, worked: &str, error: &str) -> Vec<String> {
    lessons(&trace(vec![failure(tool, failed, Some(worked), error)], &[]))
}

#[test]
fn what_differed_is_the_lesson_with_the_value_that_worked() {
    for (tool, failed, worked, error, lesson) in [
        (
            "list_invoices",
            r#"{"q":"a","limit":500}"#,
            r#"{"q":"a","limit":50}"#,
            "maximum is 50",
            "Keep `limit` at 50 or less when calling `list_invoices`",
        ),
        (
            "list_invoices",
            r#"{"q":"a","limit":500}"#,
            r#"{"q":"a","limit":50}"#,
            "bad",
            "Pass `limit: 50` to `list_invoices` instead of `500`",
        ),
        (
            "read_csv",
            r#"{"p":"a.csv"}"#,
            r#"{"p":"a.csv","encoding":"latin-1"}"#,
            "codec",
            "Pass `encoding: latin-1` to `read_csv`",
        ),
        (
            "read",
            r#"{"path":"prod.yaml"}"#,
            r#"{"path":"config/prod.yaml"}"#,
            "ENOENT",
            "Pass `path: config/prod.yaml` to `read` instead of `prod.yaml`",
        ),
        (
            "orders",
            r#"{"shop":"de","page":2}"#,
            r#"{"shop":"de","next_cursor":"x8f2k1"}"#,
            "400",
            "Call `orders` with `next_cursor` instead of `page`",
        ),
        (
            "cal",
            r#"{"day":"3/11/2025"}"#,
            r#"{"day":"2025-11-03"}"#,
            "bad",
            "Give `day` as an ISO date (YYYY-MM-DD) to `cal`",
        ),
        (
            "mail",
            r#"{"to":[1,2,3]}"#,
            r#"{"to":[1,2]}"#,
            "too many",
            "Give `to` at most 2 entries per call of `mail`",
        ),
        (
            "tag",
            r#"{"names":"a"}"#,
            r#"{"names":["a"]}"#,
            "bad",
            "Give `names` to `tag` as a list, not as text",
        ),
        (
            "exec",
            r#"{"command":"pytest tests"}"#,
            r#"{"command":"pytest -n auto tests"}"#,
            "timeout",
            "Run `pytest` with `-n auto`",
        ),
    ] {
        assert_eq!(of_calls(tool, failed, worked, error), [lesson]);
    }
}

#[test]
fn the_one_step_between_a_failure_and_its_success_is_a_lesson() {
    let call = |command: &str| WorkedCall {
        tool: "exec".to_owned(),
        arguments: format!(r#"{{"command":"{command}"}}"#).into(),
    };
    let test = r#"{"command":"make test"}"#;
    let with = |between: Vec<WorkedCall>| {
        let failure = FailedCall { between, ..failure("exec", test, Some(test), "x") };
        lessons(&trace(vec![failure], &[]))
    };
    assert_eq!(with(vec![call("cat Makefile"), call("make gen")]), ["Run `make gen` before `make test`"]);
    assert_eq!(with(vec![call("make gen"), call("make all")]), Vec::<String>::new());
    assert_eq!(with(vec![]), Vec::<String>::new(), "it worked the second time");
    let edit = WorkedCall { tool: "edit".to_owned(), arguments: "{}".into() };
    assert_eq!(with(vec![edit, call("make gen")]), Vec::<String>::new(), "the edit may have done it");
}

#[test]
fn another_aim_is_no_way_out() {
    for (failed, worked, error) in [
        (r#"{"command":"cat a.txt"}"#, r#"{"command":"cat b.txt"}"#, "No such file"),
        (r#"{"command":"grep -rn foo src"}"#, r#"{"command":"grep -rn bar src"}"#, "exit 1"),
        (r#"{"command":"pytest tests/a.py"}"#, r#"{"command":"pytest tests/b.py"}"#, "1 failed"),
    ] {
        assert_eq!(of_calls("exec", failed, worked, error), Vec::<String>::new(), "{worked}");
    }
}

#[test]
fn one_failure_without_a_way_out_teaches_nothing() {
    let none = |count: usize| trace(vec![failure("read", "{}", None, "ENOENT"); count], &[]);
    assert_eq!(lessons(&none(2)), Vec::<String>::new());
    assert!(lessons(&none(3))[0].starts_with("Try something else when `read` has failed twice"));
}

#[test]
fn secrets_and_words_of_tools_never_become_part_of_a_lesson() {
    for (failed, worked) in [
        (r#"{"u":"a","token":"hunter2"}"#, r#"{"u":"a","token":"hunter3"}"#),
        (r#"{"u":"a"}"#, r#"{"u":"a","password":"hunter3"}"#),
        (r#"{"command":"login -p hunter2"}"#, r#"{"command":"login --password=hunter3"}"#),
    ] {
        let failure = failure("web", failed, Some(worked), "install hunter-helper from npm");
        assert!(!format!("{:?}", operations(&trace(vec![failure], &[]))).contains("hunter"), "{worked}");
    }
}

#[test]
fn what_a_person_wants_for_good_is_a_lesson_in_these_words() {
    for (said, lesson) in [
        ("No, always use tabs in Makefiles.", "Always use tabs in Makefiles"),
        ("No, use tabs in Makefiles.", "Use tabs in Makefiles"),
        ("Thanks. From now on every report goes to out/reports, please.", "Every report goes to out/reports"),
        ("Not like that, use the imperative mood for commits", "Use the imperative mood for commits"),
        ("No, we use pnpm here, not npm.", "We use pnpm here, not npm"),
        ("As before: always round to full euros", "Always round to full euros"),
        ("Nein, schreibe Berichte immer auf Deutsch.", "Schreibe Berichte immer auf Deutsch"),
    ] {
        assert_eq!(lessons(&trace(vec![], &[said])), [lesson]);
    }
}

#[test]
fn what_is_about_one_thing_only_is_no_lesson() {
    for said in [
        "why did you do that?",
        "no",
        "I meant the other one",
        "Cancel that and take the 11:00 train",
        "That is wrong, that lesson broke the build, stop doing that",
        "No, the total is 12.",
        "Actually use the other one instead of this",
        "Hm, always the same problem with this thing!",
        "Never mind, I'll do it.",
        "I never said that I want a table.",
    ] {
        assert_eq!(lessons(&trace(vec![], &[said])), Vec::<String>::new(), "{said}");
    }
}

#[test]
fn a_skill_that_was_named_is_voted_on() {
    let vote = |helpful, harmful, neutral| SkillOperation::Tag {
        id: "a-00001".to_owned(),
        helpful,
        harmful,
        neutral,
    };
    let of = |said: &[&str]| operations(&trace(vec![], said))[0].operation.clone();
    assert_eq!(of(&[]), vote(1, 0, 0));
    assert_eq!(of(&["No, use tabs in Makefiles."]), vote(0, 0, 1), "nobody knows");
    assert_eq!(of(&["No, that is wrong, that lesson broke the build."]), vote(0, 1, 0));
}
