//! What a run's manifest holds, and its pages.

use std::collections::BTreeSet;

use engross_artifacts::{PageRequest, Requirements};
use serde_json::json;

use super::{TestBench, paths, set_age, write};

#[test]
fn case_004_entries_have_metadata_hash_and_content() {
    let desk = TestBench::new();
    let scope = desk.scope("agent:main:x", "run-9");
    desk.put(&scope, "reports/brief.md", "abc");
    let page = desk.page(&scope, PageRequest { inline: Some(100), ..Default::default() });
    let wire = serde_json::to_value(&page).unwrap();
    let reference = page.artifacts[0].artifact_ref.clone();
    let expected = json!({
        "runId": "run-9",
        "sessionKey": "agent:main:x",
        "remoteWorkingDirectory": format!("/w/{}", scope.name()),
        "remoteWorkspaceRefKind": "remotePath",
        "artifactScope": scope.name().as_str(),
        "scopeKind": "task",
        "artifacts": [{
            "relativePath": "reports/brief.md",
            "label": "brief.md",
            "contentType": "text/markdown",
            "sizeBytes": 3,
            "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "artifactRef": reference,
            "artifactScope": scope.name().as_str(),
            "scopeKind": "task",
            "encoding": "base64",
            "content": "YWJj"
        }],
        "artifactCount": 1,
        "warnings": [],
        "expectedArtifactDirs": [],
        "expectedArtifactDirStatus": [],
        "constraintSatisfied": true,
        "missingRequiredExtensions": [],
        "missingRequiredFileCounts": {}
    });
    assert_eq!(wire, expected);
}

#[test]
fn case_012_the_newest_come_first_then_by_path_and_what_is_required_before_all() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    for (name, age) in [("old.pdf", 300), ("b.md", 200), ("a.md", 200), ("new.md", 100)] {
        set_age(&desk.put(&scope, name, format!("%PDF-{name}%%EOF")), age);
    }
    // The same moment for both.
    let at = std::fs::metadata(desk.within(&scope, "a.md")).unwrap().modified().unwrap();
    std::fs::File::options()
        .append(true)
        .open(desk.within(&scope, "b.md"))
        .unwrap()
        .set_modified(at)
        .unwrap();
    assert_eq!(paths(&desk.manifest(&scope)), ["new.md", "a.md", "b.md", "old.pdf"]);
    let required = desk.manifest_of(&scope, &Requirements::new(["PDF"], []));
    assert_eq!(paths(&required), ["old.pdf", "new.md", "a.md", "b.md"]);
}

#[test]
fn cases_011_and_031_a_limit_keeps_what_is_required_and_says_that_more_follows() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    set_age(&desk.put(&scope, "report.pdf", "%PDF-%%EOF"), 1000);
    for number in 0..5 {
        desk.put(&scope, &format!("{number}.md"), "m");
    }
    let manifest = desk.manifest_of(&scope, &Requirements::new(["pdf"], []));
    let of = PageRequest { most: Some(2), ..Default::default() };
    let page = scope.page(&manifest, of, desk.signer(), desk.hashing()).unwrap();
    assert_eq!(page.artifacts[0].relative_path, "report.pdf");
    assert_eq!((page.artifacts.len(), page.artifact_count, page.warnings.len()), (2, 6, 1));
    assert!(page.next_cursor.is_some() && page.outcome.constraint_satisfied);
}

#[test]
fn v7_pages_hold_every_file_once() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    for number in 0..150 {
        desk.put(&scope, &format!("{}/{number}.png", number % 7), format!("{number}"));
    }
    for most in [1, 7, 64, 149, 150, 151] {
        let (mut seen, mut cursor, mut pages) = (Vec::new(), None::<String>, 0);
        loop {
            let of = PageRequest { most: Some(most), cursor: cursor.as_deref(), ..Default::default() };
            let page = desk.page(&scope, of);
            seen.extend(page.artifacts.into_iter().map(|artifact| artifact.relative_path));
            pages += 1;
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, paths(&desk.manifest(&scope)), "pages of {most}");
        assert_eq!(pages, 150_usize.div_ceil(most));
    }
}

#[test]
fn a_list_that_changes_between_pages_says_so_and_loses_nothing_that_stayed() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    for number in 0..6 {
        set_age(&desk.put(&scope, &format!("{number}"), "x"), 100 + number);
    }
    let first = desk.page(&scope, PageRequest { most: Some(3), ..Default::default() });
    std::fs::remove_file(desk.within(&scope, "2")).unwrap();
    desk.put(&scope, "new", "y");
    let cursor = first.next_cursor.as_deref();
    let second = desk.page(&scope, PageRequest { cursor, ..Default::default() });
    let names: Vec<_> = second.artifacts.iter().map(|artifact| artifact.relative_path.as_str()).collect();
    assert_eq!((names, second.warnings.len()), (vec!["3", "4", "5"], 1));
    for cursor in ["", "x", "e30", "bnVsbA"] {
        let of = PageRequest { cursor: Some(cursor), ..Default::default() };
        let page = scope.page(&desk.manifest(&scope), of, desk.signer(), desk.hashing());
        assert_eq!(page.map_err(|error| error.code()), Err("ARTIFACT_CURSOR_INVALID"), "{cursor:?}");
    }
}

#[test]
fn case_015_folders_of_tools_and_links_are_skipped() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    for dir in [".git", ".openclaw", ".xworkmate", ".pi", ".dart_tool", ".next", ".turbo", "node_modules"] {
        desk.put(&scope, &format!("{dir}/a"), "a");
        desk.put(&scope, &format!("deep/{dir}/x/a"), "a");
    }
    desk.put(&scope, "deep/a.md", "a");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(desk.beside("outside/secret.pdf"), desk.within(&scope, "link.pdf"))
            .unwrap();
        std::os::unix::fs::symlink(desk.beside("outside"), desk.within(&scope, "dir")).unwrap();
        std::os::unix::fs::symlink("deep/a.md", desk.within(&scope, "inner.md")).unwrap();
    }
    let manifest = desk.manifest(&scope);
    assert_eq!(paths(&manifest), ["deep/a.md"]);
    #[cfg(unix)]
    assert_eq!(manifest.warnings.len(), 3, "{:?}", manifest.warnings);
}

#[test]
fn case_016_the_rules_of_the_scope_apply_and_are_not_exported() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "artifact-ignore.md", "Mine:\n```artifact-ignore\ndraft/\n**/*.tmp\n[x]\n```\n");
    for name in ["draft/a.md", "x/b.tmp", "c.md", "x/artifact-ignore.md"] {
        desk.put(&scope, name, "a");
    }
    let manifest = desk.manifest(&scope);
    assert_eq!(
        paths(&manifest).into_iter().collect::<BTreeSet<_>>(),
        BTreeSet::from(["c.md", "x/artifact-ignore.md"])
    );
    assert_eq!(manifest.warnings.len(), 1, "{:?}", manifest.warnings);
}

#[test]
fn cases_017_020_to_024_026_027_and_v4_only_files_of_the_scope_count() {
    let desk = TestBench::new();
    let (old, scope) = (desk.scope("s", "old"), desk.scope("s", "r"));
    desk.put(&old, "old.pdf", "old");
    for name in ["root.pdf", "reports/a.pdf", "tasks/loose.pdf", "delivery/x.pdf"] {
        write(&desk.at(name), "not ours");
    }
    write(&desk.within(&scope, "").parent().unwrap().join("beside.pdf"), "not ours");
    let expected = engross_artifacts::expected_dirs(&[json!("reports/"), json!("delivery/")]).unwrap();
    let requirements = Requirements::new(["pdf"], []);
    for since in [None, Some(0), Some(super::machine_time())] {
        let manifest = scope.manifest(&requirements, since, desk.hashing()).unwrap();
        assert!(
            manifest.files.is_empty() && !manifest.outcome.constraint_satisfied,
            "{since:?}: {manifest:?}"
        );
    }
    let page = desk.page(&scope, PageRequest { expected: &expected, ..Default::default() });
    assert!(
        page.artifacts.is_empty() && page.expected_artifact_dir_status.iter().all(|status| !status.exists)
    );
    desk.put(&scope, "own.pdf", "own");
    assert_eq!(paths(&desk.manifest(&scope)), ["own.pdf"]);
}

#[test]
fn case_018_nested_dist_and_build_are_exported() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "dist/build/a.html", "a");
    assert_eq!(paths(&desk.manifest(&scope)), ["dist/build/a.html"]);
}

#[test]
fn v3_case_019_and_122_files_in_expected_folders_have_readable_references() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "reports/a.pdf", "pdf");
    let expected = engross_artifacts::expected_dirs(&[json!("reports/")]).unwrap();
    let page = desk.page(&scope, PageRequest { expected: &expected, ..Default::default() });
    let wanted = engross_artifacts::ArtifactQuery {
        artifact_ref: Some(&page.artifacts[0].artifact_ref),
        ..Default::default()
    };
    assert_eq!(desk.open(&scope, wanted).unwrap().path().as_str(), "reports/a.pdf");
}

#[test]
fn case_028_two_runs_at_once_do_not_mix() {
    let desk = TestBench::new();
    let scopes = [desk.scope("s", "one"), desk.scope("s", "two"), desk.scope("t", "one")];
    std::thread::scope(|threads| {
        for (at, scope) in scopes.iter().enumerate() {
            let desk = &desk;
            threads.spawn(move || {
                for number in 0..20 {
                    desk.put(scope, &format!("{at}-{number}"), format!("{at}"));
                    let manifest = desk.manifest(scope);
                    assert_eq!(manifest.files.len(), number + 1);
                    assert!(paths(&manifest).iter().all(|path| path.starts_with(&format!("{at}-"))));
                }
            });
        }
    });
}

#[test]
fn cases_029_and_030_content_is_only_where_it_was_asked_for_and_fits() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "big", "12345");
    desk.put(&scope, "small", "1234");
    desk.put(&scope, "empty", "");
    let contents = |inline| {
        let page = desk.page(&scope, PageRequest { inline, ..Default::default() });
        let mut contents: Vec<_> =
            page.artifacts.into_iter().map(|artifact| (artifact.relative_path, artifact.content)).collect();
        contents.sort();
        (contents.into_iter().map(|(_, content)| content).collect::<Vec<_>>(), page.warnings.len())
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(contents(None), (vec![None, None, None], 1));
    assert_eq!(
        contents(Some(4)),
        (vec![None, text(""), text("MTIzNA==")], 2),
        "an empty file has its content, and a line that says so"
    );
}

#[test]
fn since_leaves_out_what_is_older_than_the_scope_and_nothing_else() {
    let desk = TestBench::new();
    let early = desk.scope("s", "early");
    desk.put(&early, "folder/stale.md", "stale");
    std::thread::sleep(std::time::Duration::from_millis(30));
    let scope = desk.scope("s", "late");
    set_age(&desk.put(&scope, "copied.md", "its time is that of its original"), 1000);
    std::fs::rename(desk.within(&early, "folder"), desk.within(&scope, "folder")).unwrap();
    let paths_since = |since| {
        let manifest = scope.manifest(&Requirements::default(), since, desk.hashing()).unwrap();
        paths(&manifest).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(paths_since(None), ["folder/stale.md", "copied.md"]);
    assert_eq!(paths_since(Some(0)), ["folder/stale.md", "copied.md"]);
    // Where the system does not tell when a folder was made, the given time holds.
    if scope.folder().created().is_some() {
        assert_eq!(paths_since(Some(u64::MAX)), ["copied.md"]);
    }
}

#[test]
fn a_manifest_is_stored_and_read_again() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "a.pdf", "a");
    let manifest = desk.manifest_of(&scope, &Requirements::new(["pdf", "md"], [("pdf", 2)]));
    let text = serde_json::to_string(&manifest).unwrap();
    assert_eq!(serde_json::from_str::<engross_artifacts::Manifest>(&text).unwrap(), manifest);
}
