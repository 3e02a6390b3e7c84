//! Taking named files from the folders for media and temporary files.

use std::collections::BTreeMap;

use engross_artifacts::{Collection, Scope};

use super::{TestBench, tree, write};

fn collect(desk: &TestBench, scope: &Scope, names: &[&str]) -> Collection {
    let sources: Vec<String> =
        names.iter().map(|name| desk.beside(name).to_str().unwrap().to_owned()).collect();
    scope.collect(&sources, &desk.roots(), None, desk.hashing()).unwrap()
}

fn content(desk: &TestBench, scope: &Scope, path: &str) -> String {
    std::fs::read_to_string(desk.within(scope, path)).unwrap()
}

#[test]
fn case_013_named_files_are_copied_into_the_scope() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    write(&desk.beside("media/browser/a.png"), "png");
    write(&desk.beside("temporary/out.pdf"), "pdf");
    let collection = collect(&desk, &scope, &["media/browser/a.png", "temporary/out.pdf"]);
    let copied = ["artifacts/generated-media/a.png", "artifacts/generated-tmp/out.pdf"];
    let wire = serde_json::json!({
        "runId": "r",
        "sessionKey": "s",
        "remoteWorkingDirectory": format!("/w/{}", scope.name()),
        "remoteWorkspaceRefKind": "remotePath",
        "scopeKind": "task",
        "artifactDirectory": format!("/w/{}", scope.name()),
        "artifactScope": scope.name().as_str(),
        "snapshotDirectory": format!("/w/{}/artifacts", scope.name()),
        "copiedFiles": copied,
        "warnings": []
    });
    assert_eq!(serde_json::to_value(&collection).unwrap(), wire);
    assert_eq!([content(&desk, &scope, copied[0]), content(&desk, &scope, copied[1])], ["png", "pdf"]);
    assert_eq!(desk.manifest(&scope).files.len(), 2);
}

#[test]
fn case_014_shared_folders_are_not_swept() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    write(&desk.beside("media/a.png"), "png");
    let collection = collect(&desk, &scope, &[]);
    assert_eq!((collection.copied_files.len(), collection.warnings.len()), (0, 1));
    assert_eq!(tree(&desk.within(&scope, "")), BTreeMap::new());
}

#[test]
fn v5_and_case_122_files_of_one_name_all_survive() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    for (name, text) in [("media/a/img.png", "one"), ("media/b/img.png", "two"), ("media/c/IMG.png", "three")]
    {
        write(&desk.beside(name), text);
    }
    let names = ["media/a/img.png", "media/b/img.png", "media/c/IMG.png"];
    let collection = collect(&desk, &scope, &names);
    let found: Vec<_> =
        collection.files.iter().map(|file| content(&desk, &scope, &file.relative_path)).collect();
    assert_eq!(found, ["one", "two", "three"]);
    assert_eq!(collection.copied_files.len(), 3);
    let again = collect(&desk, &scope, &names);
    assert_eq!(again.copied_files, collection.copied_files, "again takes nothing new");
    assert_eq!(desk.manifest(&scope).files.len(), 3);
}

#[test]
fn files_with_the_same_bytes_are_one() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    write(&desk.beside("media/a.png"), "same");
    write(&desk.beside("media/b.png"), "same");
    let collection = collect(&desk, &scope, &["media/a.png", "media/b.png", "media/a.png"]);
    assert_eq!(collection.copied_files, ["artifacts/generated-media/a.png"]);
    assert_eq!(collection.files.len(), 2, "both sources are told where they are");
}

#[test]
fn a_file_that_is_there_already_is_never_overwritten() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "artifacts/generated-media/a.png", "the agent's own");
    std::fs::create_dir(desk.within(&scope, "artifacts/generated-media/b.png")).unwrap();
    write(&desk.beside("media/a.png"), "new");
    write(&desk.beside("media/b.png"), "new b");
    let collection = collect(&desk, &scope, &["media/a.png", "media/b.png"]);
    assert_eq!(content(&desk, &scope, "artifacts/generated-media/a.png"), "the agent's own");
    let found: Vec<_> =
        collection.files.iter().map(|file| content(&desk, &scope, &file.relative_path)).collect();
    assert_eq!(found, ["new", "new b"]);
}

#[test]
fn what_is_elsewhere_or_not_ordinary_is_not_taken() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    write(&desk.beside("media/good.png"), "good");
    std::fs::create_dir(desk.beside("media/folder")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(desk.beside("outside/secret.pdf"), desk.beside("media/link.pdf")).unwrap();
        std::os::unix::fs::symlink(desk.beside("outside"), desk.beside("media/dir")).unwrap();
        std::fs::hard_link(desk.beside("outside/secret.pdf"), desk.beside("media/hard.pdf")).unwrap();
    }
    let mut sources: Vec<String> = [
        "outside/secret.pdf",
        "media/../outside/secret.pdf",
        "media/link.pdf",
        "media/dir/secret.pdf",
        "media/hard.pdf",
        "media/folder",
        "media/missing",
        "media",
        "mediax/a",
        "media/good.png",
    ]
    .iter()
    .map(|name| desk.beside(name).to_str().unwrap().to_owned())
    .collect();
    sources.extend(["relative.png", "https://example.com/a.png", "", "/etc/passwd"].map(str::to_owned));
    let before = desk.all_but(&scope);
    let collection = scope.collect(&sources, &desk.roots(), None, desk.hashing()).unwrap();
    assert_eq!(collection.copied_files, ["artifacts/generated-media/good.png"], "{:?}", collection.warnings);
    assert_eq!(collection.warnings.len(), sources.len() - 1);
    assert_eq!(desk.all_but(&scope), before);
}

#[test]
fn more_than_the_limit_is_told() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    let sources: Vec<String> = (0..3)
        .map(|number| {
            let path = desk.beside(&format!("media/{number}"));
            write(&path, format!("{number}"));
            path.to_str().unwrap().to_owned()
        })
        .collect();
    let collection = scope.collect(&sources, &desk.roots(), Some(2), desk.hashing()).unwrap();
    assert_eq!((collection.copied_files.len(), collection.warnings.len()), (2, 1));
}

#[test]
fn names_that_are_none_elsewhere_are_made_good() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    for name in ["nul.txt", "a\\b.png", "dot.", "line\nbreak.PNG"] {
        write(&desk.beside("temporary").join(name), name);
    }
    let names = ["temporary/nul.txt", "temporary/a\\b.png", "temporary/dot.", "temporary/line\nbreak.PNG"];
    let collection = collect(&desk, &scope, &names);
    assert_eq!(collection.files.len(), 4, "{:?}", collection.warnings);
    let parsed = |file: &String| engross_store::files::RelPath::parse(file).is_ok();
    assert!(collection.copied_files.iter().all(parsed), "{:?}", collection.copied_files);
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_folder_is_not_followed() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    write(&desk.beside("media/a.png"), "png");
    std::os::unix::fs::symlink(desk.beside("outside"), desk.within(&scope, "artifacts")).unwrap();
    let before = desk.all_but(&scope);
    let source = vec![desk.beside("media/a.png").to_str().unwrap().to_owned()];
    let collected = scope.collect(&source, &desk.roots(), None, desk.hashing());
    assert_eq!(collected.map_err(|error| error.code()), Err("PATH_OUTSIDE_ROOT"));
    assert_eq!(desk.all_but(&scope), before);
}
