//! Every link of our Markdown to a file leads to one.

use std::path::{Path, PathBuf};

use xtask::root;

/// Folders without pages of ours.
const NOT_OURS: &[&str] = &["target", "node_modules", ".git", "tests"];

#[test]
fn links_lead_to_files() {
    let mut pages = Vec::new();
    collect(&root(), &mut pages);
    assert!(pages.len() > 300, "only {} pages were found", pages.len());
    let broken: Vec<String> = pages.iter().flat_map(|page| broken_links(page)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn collect(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            if !NOT_OURS.contains(&name.as_str()) {
                collect(&path, pages);
            }
        } else if name.ends_with(".md") {
            pages.push(path);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the test reads the pages")]
fn broken_links(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let mut broken = Vec::new();
    let mut is_code = false;
    for (number, line) in text.lines().enumerate() {
        is_code ^= line.trim_start().starts_with("```");
        if is_code {
            continue;
        }
        // What stands between backquotes is no link.
        let prose: String = line.split('`').step_by(2).collect();
        for rest in prose.split("](").skip(1) {
            let target = rest.split([')', '#', ' ']).next().unwrap_or_default();
            let is_file = !target.is_empty() && !target.contains(':');
            let exists = page.parent().is_some_and(|folder| folder.join(target).exists());
            if is_file && !exists {
                broken.push(format!("{}:{}: {target}", page.display(), number + 1));
            }
        }
    }
    broken
}
