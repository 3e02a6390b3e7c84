//! The engine from outside, as its users see it: one test binary, because linking takes longest.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::panic, reason = "says which scenario could not be read")]

mod bad_input;
mod batches;
mod cases;
mod comparing;
mod comparing_laws;
mod comparing_pages;
mod controls;
mod corpus_check;
mod effects;
mod everywhere;
mod exchanging;
mod flat;
mod guide;
mod html;
mod html_judge;
mod jobs;
mod keeping;
mod layout;
mod leaving;
mod merging;
mod oracle;
mod random_bodies;
mod random_edits;
mod random_operations;
mod random_references;
mod references;
mod resolution;
mod results;
mod rewriting;
mod rounds;
mod rules;
mod scenarios;
mod stories;
mod surroundings;

/// A module that is not declared above would never run.
#[test]
fn every_file_is_a_module() {
    let main = include_str!("main.rs");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/docx");
    let files =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let forgotten: Vec<String> = files
        .filter(|file| {
            let name = file.trim_end_matches(".rs");
            name != "main" && !main.contains(&format!("\nmod {name};"))
        })
        .collect();
    assert_eq!(forgotten, Vec::<String>::new());
}
