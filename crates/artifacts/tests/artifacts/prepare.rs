//! Making the folder of a run.

use engross_artifacts::{ExpectedDir, expected_dirs};
use serde_json::{Value, json};

use super::{TestBench, run, session, tree};

#[test]
fn case_001_prepare_makes_and_returns_the_runs_own_folder() {
    let desk = TestBench::new();
    let (key, id) = (session("agent:main:draft:1811-1"), run("run-9"));
    let expected = expected_dirs(&[json!("reports/")]).unwrap();
    let prepared = desk.workspace.prepare(&key, &id, &expected).unwrap();
    let scope = prepared.artifact_scope.as_str().to_owned();
    assert!(scope.starts_with("tasks/agent_main_draft_1811-1~") && scope.ends_with("/run-9"), "{scope}");
    let wire = json!({
        "runId": "run-9",
        "sessionKey": "agent:main:draft:1811-1",
        "artifactScope": scope,
        "artifactDirectory": format!("/w/{scope}"),
        "relativeArtifactDirectory": scope,
        "scopeKind": "task",
        "expectedArtifactDirs": ["reports/"],
        "expectedArtifactDirStatus": [{"relativePath": "reports/", "exists": false}],
        "warnings": []
    });
    assert_eq!(serde_json::to_value(&prepared).unwrap(), wire);
    let session_folder = scope.rsplit_once('/').unwrap().0.to_owned();
    let made = ["tasks/".to_owned(), format!("{session_folder}/"), format!("{scope}/")];
    assert_eq!(tree(&desk.at("")).into_keys().collect::<Vec<_>>(), made, "the expected folder is not made");
}

#[test]
fn case_001_runs_are_isolated_and_preparing_again_keeps_files() {
    let desk = TestBench::new();
    let (one, two) = (desk.scope("s", "one"), desk.scope("s", "two"));
    assert_ne!(one.name(), two.name());
    desk.put(&one, "a.md", "a");
    assert_eq!(desk.manifest(&desk.scope("s", "one")).files.len(), 1);
    assert_eq!(desk.manifest(&two).files.len(), 0);
}

#[test]
fn case_005_expected_folders_are_echoed_with_whether_they_exist() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "there/a.md", "a");
    desk.put(&scope, "file", "a");
    let given = [
        json!("there"),
        json!("missing/"),
        json!("file"),
        json!("there/"),
        json!("a\\b"),
        json!(7),
        json!(" "),
    ];
    let expected = expected_dirs(&given).unwrap();
    let status: Vec<(String, bool)> = scope
        .expected(&expected)
        .unwrap()
        .into_iter()
        .map(|status| (status.relative_path.as_str().to_owned(), status.exists))
        .collect();
    let told = [("there/", true), ("missing/", false), ("file/", false), ("a/b/", false)];
    assert_eq!(status, told.map(|(dir, exists)| (dir.to_owned(), exists)));
}

#[test]
fn case_006_and_v2_unsafe_expected_folders_are_refused() {
    let table = [
        "/etc",
        "\\etc",
        "..",
        "../x",
        "a/../b",
        "a/..",
        "./a",
        "a/./b",
        "C:",
        "C:\\x",
        "c:/x",
        "a\0b",
        "tasks/",
        "tasks",
        "TASKS/",
        "tasks/other/run",
        "tasks\\other",
        ".git",
        "a/.git/hooks",
        "con/",
    ];
    for text in table {
        let refused = ExpectedDir::parse(text).map_err(|error| error.code());
        assert_eq!(refused, Err("EXPECTED_DIR_INVALID"), "{text:?}");
        assert!(expected_dirs(&[Value::Null, json!("good/"), json!(text)]).is_err(), "{text:?}");
    }
}

#[test]
fn case_122_the_folder_of_all_runs_is_no_hint_but_one_named_alike_is() {
    assert!(ExpectedDir::parse("tasks/").is_err());
    assert_eq!(ExpectedDir::parse("reports/tasks/").unwrap().as_str(), "reports/tasks/");
}

#[test]
fn case_122_keys_that_read_alike_have_different_scopes() {
    let desk = TestBench::new();
    let (one, two) = (desk.scope("a/b", "r"), desk.scope("a:b", "r"));
    assert_ne!(one.name(), two.name());
    desk.put(&one, "a.md", "a");
    assert_eq!(desk.manifest(&two).files.len(), 0);
}

#[test]
fn a_run_that_was_not_prepared_has_no_scope() {
    let desk = TestBench::new();
    let opened = desk.workspace.open(&session("s"), &run("r"), None).map(|_| ());
    assert_eq!(opened.map_err(|error| error.code()), Err("SCOPE_MISSING"));
    assert_eq!(tree(&desk.at("")).len(), 0, "asking makes nothing");
}

#[test]
fn a_removed_scope_takes_nothing_else_with_it() {
    let desk = TestBench::new();
    let (one, two) = (desk.scope("s", "one"), desk.scope("s", "two"));
    desk.put(&one, "a.md", "a");
    let kept = desk.put(&two, "b.md", "b");
    assert_eq!(desk.workspace.remove(&session("s"), &run("one")), Ok(true));
    assert_eq!(desk.workspace.remove(&session("s"), &run("one")), Ok(false));
    assert!(kept.exists() && !desk.within(&one, "").exists());
}
