//! Real documents: unchanged ones come out identical, and changing the text changes nothing else.
//!
//! They lie in the folder named by `ENGROSS_TEST_CORPUS`, or beside the repository.

use std::path::{Path, PathBuf};

use super::package_oracle::expect_only_changed;
use super::{Limits, Package};

#[expect(clippy::disallowed_methods, reason = "a test setting, not one of the program")]
fn corpus() -> PathBuf {
    std::env::var_os("ENGROSS_TEST_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"), PathBuf::from)
}

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "docx") {
            found.push(path);
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "reads test documents")]
fn real_documents_keep_everything_that_was_not_changed() {
    let mut found = Vec::new();
    documents(&corpus(), &mut found);
    found.sort();
    if found.is_empty() {
        eprintln!("skipped: no documents in {}", corpus().display());
        return;
    }
    for path in &found {
        let source = std::fs::read(path).unwrap();
        let mut package = Package::open(source.clone(), &Limits::default())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(package.write().unwrap() == source, "{}", path.display());
        for name in package.names() {
            package.part(name).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        let name =
            package.names().find(|name| name.eq_ignore_ascii_case("word/document.xml")).map(str::to_owned);
        let Some(name) = name else { continue };
        let mut content = package.part(&name).unwrap().into_owned();
        content.extend(b"<!-- changed -->");
        package.set_part(&name, content.clone());
        expect_only_changed(&source, &package.write().unwrap(), &name, &content);
    }
    eprintln!("{} documents", found.len());
}
