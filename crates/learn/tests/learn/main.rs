//! The crate from outside: transcripts of real programs and of a generator.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::disallowed_methods, reason = "the tests look at files")]

mod cases_agents;
mod cases_files;
mod cases_foreign;
mod cases_hand_edits;
mod cases_makers;
mod cases_parse;
mod cases_run;
mod golden;
mod home;
mod lines;
mod safety;
mod stats;
mod store;
mod transcripts;
mod world;

#[test]
fn no_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/learn");
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") {
            assert!(main.contains(&format!("mod {module};")), "{name} is in no module");
        }
    }
}
