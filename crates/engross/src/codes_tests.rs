//! The tables of codes: each code stands once, has its page, and keeps its exit statuses and HTTP statuses.
//!
//! `cargo xtask docs` writes the pages from the tables.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use engross_docx::RefusalCode;
use engross_protocol::Code;

/// The areas of the index, with their tables.
const AREAS: &[(&str, &[&[&Code]])] = &[
    ("Several areas", &[engross_protocol::shared::ALL]),
    ("Commands", &[engross_compose::codes::ALL]),
    ("Requests over HTTP", &[engross_http::codes::ALL]),
    ("Sessions, workspaces and tools", &[engross_agent::codes::ALL]),
    ("Models", &[engross_llm::codes::ALL]),
    ("Files", &[engross_store::files::codes::ALL]),
    ("Checkpoints, deliveries and signatures", &[engross_documents::codes::ALL]),
    ("Write sessions", &[engross_write::codes::ALL]),
    ("Tasks", &[engross_tasks::codes::ALL, engross_threads::codes::ALL]),
    ("Artifacts", &[engross_artifacts::codes::ALL]),
    ("Receipts", &[engross_attest::codes::ALL]),
    ("Clients of agents", &[engross_mcp::codes::ALL]),
    ("Agents and gateways", &[engross_acp::codes::ALL, engross_openclaw::codes::ALL]),
    ("Editors", &[engross_acp::agent::codes::ALL]),
    ("Playbooks", &[engross_playbook::codes::ALL]),
    ("Learning", &[engross_learn::codes::ALL]),
    ("Stores", &[engross_store::codes::ALL, engross_store::blobs::codes::ALL]),
];

/// What a page is made of.
#[derive(Clone, Copy)]
struct Entry {
    area: &'static str,
    name: &'static str,
    summary: &'static str,
    why: &'static str,
    remedy: &'static str,
}

fn entries() -> Vec<Entry> {
    let documents = engross_docx::codes::ALL.iter().map(|row| Entry {
        area: "Documents and operations",
        name: row.name,
        summary: row.summary,
        why: row.why,
        remedy: row.remedy,
    });
    let others = AREAS.iter().flat_map(|(area, tables)| {
        tables.iter().copied().flatten().map(|row| Entry {
            area,
            name: row.name,
            summary: row.summary,
            why: row.why,
            remedy: row.remedy,
        })
    });
    documents.chain(others).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors")
}

/// Every file of the folder with its text.
fn pages() -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    let mut areas: Vec<(&str, Vec<Entry>)> = Vec::new();
    for entry in entries() {
        let Entry { name, summary, why, remedy, .. } = entry;
        let page = format!("# {name}\n\n{summary}\n\n## Why\n\n{why}\n\n## What to do\n\n{remedy}\n");
        assert_eq!(pages.insert(format!("{name}.md"), page), None, "{name} stands in two tables");
        match areas.iter_mut().find(|(area, _)| *area == entry.area) {
            Some((_, entries)) => entries.push(entry),
            None => areas.push((entry.area, vec![entry])),
        }
    }
    let mut index = "# Error codes\n\nEvery error has a code that never changes. Each code has a page that says why it \
        happens and what to do.\n\n`cargo xtask docs` makes these pages from the tables in the sources (`codes.rs` of each \
        crate).\n"
        .to_owned();
    for (area, mut entries) in areas {
        entries.sort_by_key(|entry| entry.name);
        index.push_str(&format!("\n## {area}\n\n| Code | What happened |\n|---|---|\n"));
        for Entry { name, summary, .. } in entries {
            index.push_str(&format!("| [{name}]({name}.md) | {} |\n", summary.replace('|', "\\|")));
        }
    }
    pages.insert("README.md".to_owned(), index);
    pages
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test reads the pages")]
fn every_page_is_what_the_tables_say() {
    let names = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name());
    let there: BTreeSet<String> = names.map(|name| name.into_string().unwrap()).collect();
    let pages = pages();
    assert_eq!(there, pages.keys().cloned().collect(), "run `cargo xtask docs`");
    for (name, page) in pages {
        assert_eq!(std::fs::read_to_string(folder().join(&name)).unwrap(), page, "run `cargo xtask docs`");
    }
}

#[test]
#[ignore = "writes docs/errors: `cargo xtask docs`"]
#[expect(clippy::disallowed_methods, reason = "the chore writes the pages")]
fn write_the_pages() {
    let pages = pages();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let entry = entry.unwrap();
        if !pages.contains_key(entry.file_name().to_str().unwrap()) {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
    for (name, page) in pages {
        std::fs::write(folder().join(name), page).unwrap();
    }
}

#[test]
fn every_row_says_what_why_and_what_to_do() {
    for Entry { name, summary, why, remedy, .. } in entries() {
        assert!(name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'));
        for text in [summary, why, remedy] {
            assert!(text.ends_with(['.', '`', ')']) && !text.contains("  "), "{name}: {text:?}");
        }
    }
}

#[test]
fn every_refusal_of_the_engine_has_a_row() {
    let names: BTreeSet<&str> = entries().into_iter().map(|entry| entry.name).collect();
    for code in RefusalCode::ALL {
        assert!(names.contains(code.as_str()), "{}", code.as_str());
    }
}

/// `codes_golden.txt` was made from the matches of version 0.1.0, before the tables took their place. `-` stands for a code
/// that this way out never has.
#[test]
fn statuses_are_what_they_were_before_the_tables() {
    for line in include_str!("codes_golden.txt").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        match fields[..] {
            ["write", code, status, exit] => {
                if status != "-" {
                    assert_eq!(engross_http::status_of_write(code).to_string(), status, "{line}");
                }
                let problem = engross_write::WriteFailure { code: code.to_owned(), message: String::new() };
                let failure = crate::commands::write_failure(&problem);
                if exit != "-" {
                    assert_eq!(format!("{:?}", failure.exit), exit, "{line}");
                }
                assert_eq!(failure.code, code);
            }
            ["answer", code, status] => {
                assert_eq!(engross_http::status_of_answer(code).to_string(), status, "{line}");
            }
            _ => panic!("{line}"),
        }
    }
}
