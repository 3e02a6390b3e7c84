//! The licences of the libraries in the program, as their own conditions ask for: each text once, with those who use it.

use std::collections::BTreeMap;
use std::path::Path;

use super::read;
use super::sbom::Inventory;
use crate::{Error, Result};

/// How the names of files with a licence begin.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// All licences as one text. A library without a text is named with its licence.
pub(super) fn texts(inventory: &Inventory) -> Result<String> {
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for component in inventory.components.values().filter(|component| !component.is_own) {
        let name = format!("{} {} ({})", component.name, component.version, component.licence);
        let texts = texts_in(&component.folder)?;
        if texts.is_empty() {
            without.push(name.clone());
        }
        for text in texts {
            users.entry(text).or_default().push(name.clone());
        }
    }
    let mut out =
        String::from("engross is under the MIT licence. These libraries are part of the program.\n");
    for (text, names) in &users {
        let rule = "=".repeat(80);
        out.push_str(&format!("\n{rule}\n{}\n{rule}\n\n{}\n", names.join("\n"), text.trim()));
    }
    if !without.is_empty() {
        out.push_str(&format!("\nTheir sources hold no text of their licence:\n{}\n", without.join("\n")));
    }
    Ok(out)
}

fn texts_in(folder: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::file(folder))? {
        let path = entry.map_err(Error::file(folder))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().to_uppercase()).unwrap_or_default();
        if path.is_file() && NAMES.iter().any(|begin| name.starts_with(begin)) {
            paths.push(path);
        }
    }
    paths.sort();
    let text = |path| Ok(String::from_utf8_lossy(&read(path)?).replace("\r\n", "\n"));
    paths.iter().map(|path| text(path)).collect()
}
