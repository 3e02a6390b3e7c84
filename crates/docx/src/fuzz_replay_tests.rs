//! What fuzzing has found worth keeping (`fuzz/kept`), held against the promises that it is held against when it runs.
//!
//! The promises are the code of the fuzz targets itself. `cargo xtask fuzz --keep` writes the inputs.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

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
fn comments() {
    replay("comments", targets::comments);
}

#[test]
fn compare() {
    replay("compare", targets::compare);
}
