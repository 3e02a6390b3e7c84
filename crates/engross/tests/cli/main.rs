//! The command line as people and programs use it: files in, files out, exit codes, JSON.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::panic, reason = "a server that does not start or answer is a test that has failed")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at the files that the program reads and writes"
)]

mod altering;
mod apply;
mod bad_input;
mod bomb;
mod chat;
mod checkpoints;
mod client_pages;
mod comparing;
mod desk;
mod edit;
#[cfg(feature = "acp")]
mod editors;
mod fake_agent;
mod guide;
mod interrupt;
mod isolation;
mod keys;
mod killed;
mod learning;
mod learning_runs;
mod lists;
mod mcp;
mod old_data;
mod output_files;
mod own_key;
mod owners;
mod package_files;
mod playbook_chat;
mod preferences;
mod read;
mod receipts;
mod resolve;
mod retention;
mod reviewing;
mod serve;
mod serve_settings;
mod sessions;
mod settings;
#[cfg(feature = "cluster")]
mod sharing;
mod side_by_side;
mod skill;
mod task_runner;
#[cfg(target_os = "linux")]
mod task_sandbox;
mod task_verify;
mod tasks;
#[cfg(feature = "otel")]
mod telemetry;
#[cfg(unix)]
mod terminal;
mod transcripts;
mod verifying;
#[cfg(unix)]
mod word;
mod workspaces;
mod writes;

/// A module that is not declared above would never run.
#[test]
fn every_file_is_a_module() {
    let main = include_str!("main.rs");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
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
