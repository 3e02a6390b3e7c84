//! `cargo xtask fuzz` and `cargo xtask random`: long runs on inputs that nobody thought of.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::{Error, Result, root, run_command, say};

const TARGETS: [&str; 10] = [
    "xml_parse",
    "package_open",
    "document_read",
    "apply",
    "objects",
    "rounds",
    "resolve",
    "markdown",
    "comments",
    "compare",
];

/// Bytes of the longest input that is kept of a target, and of the file with all of them.
const MOST: (usize, usize) = (8 << 10, 300 << 10);

/// The most inputs that are kept of a target: the tests replay them each time.
fn most_inputs(target: &str) -> usize {
    match target {
        // One is a comparison of two documents, and takes as long as three of others.
        "compare" => 100,
        _ => 300,
    }
}

/// How long inputs of a target may grow, for libFuzzer.
fn lengths(target: &str) -> &'static [&'static str] {
    match target {
        // Bytes choose operations, some of them each. Left alone the fuzzer tries a single operation for hours, since one that is tried
        // again with another byte is new to it.
        "apply" | "objects" | "rounds" | "compare" | "comments" => &["-max_len=160", "-len_control=0"],
        _ => &["-max_len=65536"],
    }
}

/// Runs every fuzz target, or the one named, for some seconds each; keeps what is worth it. Needs `cargo install cargo-fuzz`.
pub(crate) fn run(target: Option<&str>, seconds: u64, keep: bool, plain: bool) -> Result<()> {
    let chosen: Vec<&str> =
        TARGETS.into_iter().filter(|name| target.is_none_or(|only| only == *name)).collect();
    if chosen.is_empty() {
        return Err(Error::Missed(format!("there is no such target; there are {}", TARGETS.join(", "))));
    }
    for name in chosen {
        let found = root().join("fuzz/corpus").join(name);
        let seeds = root().join("target/fuzz-seeds").join(name);
        for folder in [&found, &seeds] {
            fs::create_dir_all(folder).map_err(Error::file(folder))?;
        }
        plant(name, &seeds)?;
        if seconds > 0 {
            let bounds = lengths(name).iter().chain(&["-print_final_stats=1"]).map(ToString::to_string);
            fuzz(name, plain, &[&found, &seeds], bounds.chain([format!("-max_total_time={seconds}")]))?;
        }
        if keep {
            keep_fewest(name, plain, &[&found, &seeds])?;
        }
    }
    Ok(())
}

/// Runs a target on folders, the first of which takes what is found.
fn fuzz(name: &str, plain: bool, folders: &[&Path], options: impl IntoIterator<Item = String>) -> Result<()> {
    run_command(
        Command::new("cargo")
            // The sanitizers of the compiler in use, without a second one.
            .env("RUSTC_BOOTSTRAP", "1")
            .current_dir(root())
            .args(["fuzz", "run", "--sanitizer"])
            .args(if plain { ["none", "--no-trace-compares"].as_slice() } else { &["address"] })
            .arg(name)
            .args(folders)
            .args(["--", "-timeout=20", "-rss_limit_mb=4096"])
            .args(options),
    )
}

/// Keeps the fewest of the inputs that reach what all of them do. What the repository holds anyway is not kept twice.
#[expect(clippy::disallowed_methods, reason = "a chore reads and writes files of the repository")]
fn keep_fewest(name: &str, plain: bool, folders: &[&Path]) -> Result<()> {
    let (all, fewest) =
        (root().join("target/fuzz-all").join(name), root().join("target/fuzz-fewest").join(name));
    for folder in [&all, &fewest] {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(Error::file(folder))?;
        }
        fs::create_dir_all(folder).map_err(Error::file(folder))?;
    }
    for (index, input) in inputs_in(folders)?.iter().filter(|input| input.len() <= MOST.0).enumerate() {
        let file = all.join(index.to_string());
        fs::write(&file, input).map_err(Error::file(&file))?;
    }
    fuzz(name, plain, &[&fewest, &all], ["-set_cover_merge=1".to_owned()])?;
    let ours: Vec<Vec<u8>> = seeds_of(name)?
        .iter()
        .map(|seed| fs::read(seed).map_err(Error::file(seed)))
        .collect::<Result<_>>()?;
    let mut kept: Vec<Vec<u8>> = inputs_in(&[&fewest])?
        .into_iter()
        .filter(|input| !input.is_empty() && !ours.contains(input))
        .collect();
    kept.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    kept.dedup();
    let mut text = String::new();
    for line in kept.iter().take(most_inputs(name)).map(|input| STANDARD.encode(input) + "\n") {
        if text.len() + line.len() <= MOST.1 {
            text.push_str(&line);
        }
    }
    let file = kept_file(name);
    fs::write(&file, &text).map_err(Error::file(&file))?;
    say(&format!("{name}: {} inputs are kept, {} bytes", text.lines().count(), text.len()));
    Ok(())
}

/// The inputs in folders.
#[expect(clippy::disallowed_methods, reason = "a chore reads and writes files of the repository")]
fn inputs_in(folders: &[&Path]) -> Result<Vec<Vec<u8>>> {
    let mut inputs = Vec::new();
    for folder in folders {
        for entry in fs::read_dir(folder).map_err(Error::file(folder))? {
            let path = entry.map_err(Error::file(folder))?.path();
            inputs.push(fs::read(&path).map_err(Error::file(&path))?);
        }
    }
    Ok(inputs)
}

/// Where what is kept of a target stands, an input a line.
fn kept_file(name: &str) -> PathBuf {
    root().join("fuzz/kept").join(format!("{name}.txt"))
}

/// Random documents with random operations, judged by the oracle of the engine's tests, for some seconds; then documents of people, those of
/// `examples/` or of the folder that `ENGROSS_TEST_CORPUS` names, for as long.
pub(crate) fn random(seconds: u64) -> Result<()> {
    let tests = [["--test", "docx"].as_slice(), &["--lib"]];
    for (tests, name) in tests.into_iter().zip(["random_edits_hold", "operations_on_real_documents_hold"]) {
        run_command(
            Command::new("cargo")
                .env("ENGROSS_RANDOM_SECONDS", seconds.to_string())
                .current_dir(root())
                .args(["test", "--profile", "ci", "--package", "engross-docx"])
                .args(tests)
                .args([name, "--", "--nocapture"]),
        )?;
    }
    Ok(())
}

/// Writes what a target begins with: the example, the scenarios of the engine, and what earlier runs have found.
#[expect(clippy::disallowed_methods, reason = "a chore reads and writes files of the repository")]
fn plant(target: &str, folder: &Path) -> Result<()> {
    let seeds = seeds_of(target)?;
    for (index, seed) in seeds.iter().enumerate() {
        fs::copy(seed, folder.join(index.to_string())).map_err(Error::file(seed))?;
    }
    let file = kept_file(target);
    let kept = fs::read_to_string(&file).map_err(Error::file(&file))?;
    for (index, line) in kept.lines().enumerate() {
        let input = STANDARD.decode(line);
        let input = input.map_err(|error| Error::Missed(format!("{}: {error}", file.display())))?;
        let file = folder.join(format!("kept-{index}"));
        fs::write(&file, input).map_err(Error::file(&file))?;
    }
    say(&format!("{target} begins with {} seeds and {} that were kept", seeds.len(), kept.lines().count()));
    Ok(())
}

/// The files of the repository with which a target begins.
fn seeds_of(target: &str) -> Result<Vec<PathBuf>> {
    let example = root().join("examples");
    let scenarios = root().join("crates/docx/tests/scenarios");
    Ok(match target {
        "package_open" => vec![example.join("nda.docx")],
        "document_read" => [vec![example.join("nda.docx")], named(&scenarios, "body.xml")?].concat(),
        "markdown" => vec![root().join("README.md"), root().join("docs/guide/editing.md")],
        // Its bytes are choices, which no file of ours holds.
        "objects" | "rounds" | "comments" | "compare" => vec![],
        "apply" => named(&scenarios, "operations.json")?,
        "xml_parse" => vec![
            example.join("nda/word/document.xml"),
            example.join("nda/word/styles.xml"),
            example.join("nda/word/numbering.xml"),
        ],
        _ => named(&scenarios, "body.xml")?,
    })
}

fn named(scenarios: &Path, name: &str) -> Result<Vec<PathBuf>> {
    let folders = fs::read_dir(scenarios).map_err(Error::file(scenarios))?;
    let files = folders.filter_map(|folder| Some(folder.ok()?.path().join(name)));
    Ok(files.filter(|file| file.is_file()).collect())
}
