//! What fuzzing has found worth keeping (`fuzz/kept`), held against the promises that it is held against when it runs.
//!
//! The promises are the code of the fuzz targets itself. `cargo xtask fuzz --keep` writes the inputs.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use crate::read::{ReadOptions, View};
use crate::{Limits, WordDocument};

#[expect(unused_imports, reason = "the fuzzer's examples use the rest")]
#[path = "../../../fuzz/src/lib.rs"]
mod targets;

/// The most that is kept of each target, so that the files stay small in the repository and the tests quick.
const MOST: (usize, usize) = (300, 300 << 10);

/// Runs a target on all that is kept of it.
fn replay(name: &str, target: fn(&[u8])) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../fuzz/kept/{name}.txt"));
    #[expect(clippy::disallowed_methods, reason = "the test reads a file of the repository")]
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    assert!(!text.is_empty() && text.len() <= MOST.1, "{name}: {} bytes", text.len());
    assert!(text.lines().count() <= MOST.0, "{name}: {} inputs", text.lines().count());
    for (line, input) in text.lines().enumerate() {
        let input = STANDARD.decode(input).unwrap_or_else(|error| panic!("{name}:{}: {error}", line + 1));
        let held = std::panic::catch_unwind(|| target(&input));
        assert!(held.is_ok(), "{name}:{} breaks a promise", line + 1);
    }
}

/// Documents of people with operations that random bytes choose: those of `examples/`, or of a folder, if `ENGROSS_TEST_CORPUS` names one, for
/// `ENGROSS_RANDOM_SECONDS`.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "how long a long run takes, and what it looks at, are said to the test alone"
)]
fn operations_on_real_documents_hold() {
    let seconds = std::env::var("ENGROSS_RANDOM_SECONDS").ok().and_then(|text| text.parse().ok());
    let examples = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folder = std::env::var_os("ENGROSS_TEST_CORPUS").map_or_else(examples, PathBuf::from);
    let documents = documents_in(&folder);
    assert!(!documents.is_empty(), "{}", folder.display());
    let config =
        Config { cases: 24, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    let started = Instant::now();
    loop {
        let mut runner = match seconds {
            Some(_) => TestRunner::new(config.clone()),
            None => {
                let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
                TestRunner::new_with_rng(config.clone(), random)
            }
        };
        let held = runner.run(&(any::<Index>(), vec(any::<u8>(), 8..48)), |(document, chosen)| {
            let file = document.get(&documents);
            #[expect(clippy::disallowed_methods, reason = "the test reads documents of a folder")]
            let bytes = std::fs::read(file).unwrap();
            let Ok(document) = WordDocument::open(bytes, &Limits::default()) else { return Ok(()) };
            let options = ReadOptions { view: View::Accepted, ..ReadOptions::default() };
            let Ok(reading) = document.read(&options) else { return Ok(()) };
            let lines: Vec<String> = reading.paragraphs.into_iter().map(|paragraph| paragraph.text).collect();
            let batch = targets::operations_for(&chosen, &lines);
            let held = std::panic::catch_unwind(|| {
                targets::hold_on(document.clone(), &batch);
                targets::hold_in_rounds(document, &chosen);
            });
            held.map_err(|_| {
                TestCaseError::fail(format!("{}: {batch}, or rounds of {chosen:?}", file.display()))
            })
        });
        assert!(held.is_ok(), "{held:?}");
        if seconds.is_none_or(|seconds| started.elapsed() > Duration::from_secs(seconds)) {
            return;
        }
    }
}

/// The small `.docx` files below a folder, in order.
fn documents_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(documents_in(&path));
        } else if path.extension().is_some_and(|extension| extension == "docx")
            && path.metadata().unwrap().len() < 100_000
        {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn bytes_choose_operations_that_mean_something() {
    let chosen = targets::batch(&[7; 64]);
    let outcomes = targets::outcomes(&chosen);
    assert!(!outcomes.is_empty(), "{chosen}");
}

#[test]
fn xml_parse() {
    replay("xml_parse", targets::xml_parse);
}

#[test]
fn package_open() {
    replay("package_open", targets::package_open);
}

#[test]
fn document_read() {
    replay("document_read", targets::document_read);
}

#[test]
fn apply() {
    replay("apply", targets::apply);
}

#[test]
fn objects() {
    replay("objects", targets::objects);
}

#[test]
fn resolve() {
    replay("resolve", targets::resolve);
}

#[test]
fn markdown() {
    replay("markdown", targets::markdown);
}

#[test]
fn rounds() {
    replay("rounds", targets::rounds);
}

#[test]
fn comments() {
    replay("comments", targets::comments);
}

#[test]
fn compare() {
    replay("compare", targets::compare);
}
