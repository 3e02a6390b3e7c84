//! A server opens bytes through one door (`engross_documents::DocumentIsolation`), so that a document of strangers is worked on elsewhere
//! first. What is opened otherwise in the crates of a server is listed here, with the reason.

use std::path::{Path, PathBuf};

use regex::Regex;
use xtask::root;

/// What of the code of a server may see documents.
const CRATES: &[&str] =
    &["agent", "artifacts", "compose", "http", "mcp", "playbook", "tasks", "threads", "write"];

/// Files that open what was opened through the door before, or that no server runs; how often.
const OPENED_BEFORE: &[(&str, usize, &str)] = &[
    ("compose/src/preferences.rs", 1, "`engross learn` alone looks at what became of documents"),
    ("mcp/src/question.rs", 1, "the document of the edit that is asked about"),
    ("mcp/src/tools/edit.rs", 1, "back to the document that was opened"),
    ("mcp/src/tools/playbook.rs", 1, "back to the document that was opened"),
];

/// Functions that open bytes by themselves.
const OPENERS: &str = "changes_of|compare|compare_three|flat_opc|from_markdown|from_markdown_with|merge|merged|new_revisions|redline|text_changes|text_differences|without_change_set|Package";

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(sources(&path)),
            false => found.push(path),
        }
    }
    found
}

/// The code of a server, by its path beneath `crates`.
#[expect(clippy::disallowed_methods, reason = "the test reads the sources")]
fn code() -> Vec<(String, String)> {
    let crates = root().join("crates");
    let files = CRATES.iter().flat_map(|name| sources(&crates.join(name).join("src")));
    files
        .map(|file| {
            let name = file.strip_prefix(&crates).unwrap().to_string_lossy().replace('\\', "/");
            (name, file)
        })
        .filter(|(name, _)| {
            name.ends_with(".rs") && !name.ends_with("tests.rs") && !name.contains("/testing/")
        })
        .map(|(name, file)| (name, std::fs::read_to_string(file).unwrap()))
        .collect()
}

#[test]
fn documents_are_opened_through_one_door() {
    let open = Regex::new(r"\bWordDocument::open\(").unwrap();
    for (name, text) in code() {
        let allowed = OPENED_BEFORE.iter().find(|(file, ..)| *file == name).map_or(0, |(_, count, _)| *count);
        assert_eq!(
            open.find_iter(&text).count(),
            allowed,
            "{name}: use DocumentIsolation::open, or say why not"
        );
    }
}

#[test]
fn nothing_else_that_opens_bytes_is_used() {
    let imports = Regex::new(r"use engross_(?:docx|documents)::[^;]*;").unwrap();
    let opener = Regex::new(&format!(r"\b(?:{OPENERS})\b")).unwrap();
    let direct = Regex::new(&format!(r"engross_(?:docx|documents)::(?:{OPENERS})\(")).unwrap();
    for (name, text) in code() {
        for import in imports.find_iter(&text).map(|found| found.as_str()) {
            assert!(!opener.is_match(import), "{name}: {import} goes past DocumentIsolation");
        }
        assert!(!direct.is_match(&text), "{name} goes past DocumentIsolation");
    }
}

#[test]
fn workspaces_of_a_server_have_the_door() {
    let makes =
        Regex::new(r"\b(?:Workspace::new|Workspace::with_own_checkpoints|McpDocuments::of_workspaces)\(")
            .unwrap();
    for (name, text) in code() {
        // An editor's agent and `engross mcp` are no servers.
        if makes.is_match(&text) && name != "compose/src/editor.rs" {
            assert!(text.contains(".isolated("), "{name} makes a workspace without DocumentIsolation");
        }
    }
}
