//! The files of the page that are in the repository are those that its sources give.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use xtask::root;

const REMEDY: &str =
    "the page is not built from its sources: run `cargo xtask web` and commit crates/http/assets";

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn beneath(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { beneath(&path) } else { vec![path] }).collect()
}

/// The same is done in web/build.mjs.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test of the repository reads its files")]
fn the_page_is_built_from_its_sources() {
    let root = root();
    let mut files = Vec::new();
    for folder in ["web/workbench/src", "web/taskpane/src", "web/shared/src"] {
        files.extend(beneath(&root.join(folder)));
    }
    let others = [
        "crates/docx/src/html/style.css",
        "web/build.mjs",
        "web/workbench/index.html",
        "web/taskpane/index.html",
        "web/engine/src/client.ts",
        "web/engine/src/types.ts",
        "web/package-lock.json",
    ];
    for file in others {
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
    let assets = root.join("crates/http/assets");
    let noted = std::fs::read_to_string(assets.join("built-from.txt")).unwrap();
    for line in noted.lines() {
        let (name, expected) = line.split_once(' ').unwrap();
        let found = match name {
            "sources" => hash(all.as_bytes()),
            file => hash(&std::fs::read(assets.join(file)).unwrap()),
        };
        assert_eq!(found, expected, "{name}: {REMEDY}");
    }
    assert_eq!(noted.lines().count(), 8, "{REMEDY}");
}
