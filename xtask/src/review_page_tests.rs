//! The page for reviews in chats is what its sources give, small, and needs nothing of anybody.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use xtask::root;

const REMEDY: &str =
    "the page is not built from its sources: run `cargo xtask web` and commit crates/mcp/assets";

/// The most bytes of the page.
const MOST: usize = 150_000;

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn beneath(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { beneath(&path) } else { vec![path] }).collect()
}

/// The same is done in web/build-review.mjs.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test of the repository reads its files")]
fn the_page_for_reviews_is_built_from_its_sources() {
    let root = root();
    let mut files = beneath(&root.join("web/review/src"));
    for file in [
        "web/build-review.mjs",
        "web/review/index.html",
        "web/shared/src/shown.ts",
        "web/workbench/src/document/rows.ts",
        "web/package-lock.json",
    ] {
        files.push(root.join(file));
    }
    let named: BTreeMap<String, PathBuf> = files
        .into_iter()
        .map(|path| (path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/"), path))
        .collect();
    let mut all = String::new();
    for (name, path) in &named {
        all.push_str(&format!("{name} {}\n", hash(&std::fs::read(path).unwrap())));
    }
    let page = std::fs::read(root.join("crates/mcp/assets/review.html")).unwrap();
    let noted = std::fs::read_to_string(root.join("crates/mcp/assets/built-from.txt")).unwrap();
    let expected = format!("sources {}\nreview.html {}\n", hash(all.as_bytes()), hash(&page));
    assert_eq!(noted, expected, "{REMEDY}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test of the repository reads its files")]
fn the_page_for_reviews_needs_nothing_of_anybody() {
    let page = std::fs::read_to_string(root().join("crates/mcp/assets/review.html")).unwrap();
    assert!(page.len() <= MOST, "{} bytes", page.len());
    for outside in
        [" src=", "<link", "@import", "url(", "fetch(", "XMLHttpRequest", "WebSocket", "import(", "eval("]
    {
        assert!(!page.contains(outside), "the page has {outside}");
    }
    // The address of the SVG name space is that of no machine.
    let addresses = page.matches("http").count() - page.matches("http://www.w3.org/").count();
    assert_eq!(addresses, 0, "the page names an address");
}
