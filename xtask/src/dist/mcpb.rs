//! The bundle for Claude Desktop and others that open `.mcpb`: the program, and what it asks a person for.

use serde_json::{Value, json};

use super::package_tree::PackageTree;
use super::program::Program;
use super::read;
use super::release::{DESCRIPTION, Release, SUMMARY};
use crate::{Error, Result, root};

/// The tools of the server, as the bundle lists them before it is started; the test of bundles asks the server.
const TOOLS: [(&str, &str); 6] = [
    ("read_document", "Read a Word document as numbered paragraphs"),
    ("edit_document", "Edit a Word document as tracked changes, proven before they are written"),
    ("describe_operations", "List the operations of edit_document, or tell the fields of some"),
    ("resolve_changes", "Accept or reject tracked changes, all or some"),
    ("compare_documents", "Make a redline of two documents"),
    ("check_document", "Look for damage and broken references"),
];

/// The bundle: the name of its file, and its bytes.
pub(super) fn bundle(release: &Release, program: &Program, licences: &str) -> Result<(String, Vec<u8>)> {
    let (system, file) = match release.target.split_once('-').map(|(_, system)| system) {
        Some("unknown-linux-gnu") => ("linux", "engross"),
        Some("apple-darwin") => ("darwin", "engross"),
        Some("pc-windows-msvc") => ("win32", "engross.exe"),
        _ => return Err(Error::Missed(format!("there are no bundles for {}", release.target))),
    };
    let mut tree = PackageTree::default();
    tree.file("manifest.json", format!("{:#}\n", manifest(release, system, file)));
    tree.program(&format!("server/{file}"), program.bytes.clone());
    tree.file("LICENSE", read(&root().join("LICENSE"))?);
    tree.file("THIRD-PARTY-LICENSES", licences);
    Ok((format!("engross-{}-{}.mcpb", release.version, release.target), tree.zip()?))
}

/// What the bundle says of itself.
pub(super) fn manifest(release: &Release, system: &str, file: &str) -> Value {
    let tools: Vec<Value> =
        TOOLS.iter().map(|(name, description)| json!({"name": name, "description": description})).collect();
    json!({
        "manifest_version": "0.3",
        "name": "engross",
        "display_name": "engross",
        "version": release.version,
        "description": SUMMARY,
        "long_description": DESCRIPTION,
        "author": {"name": "engross authors"},
        "license": "MIT",
        "keywords": ["docx", "word", "redline", "tracked-changes", "contracts"],
        "server": {
            "type": "binary",
            "entry_point": format!("server/{file}"),
            "mcp_config": {
                "command": format!("${{__dirname}}/server/{file}"),
                "args": ["mcp", "--root", "${user_config.folder}"],
                "env": {},
            },
        },
        "tools": tools,
        "user_config": {
            "folder": {
                "type": "directory",
                "title": "Documents",
                "description": "The folder whose Word documents Claude may read and edit. Redlines are written beside them.",
                "required": true,
                "default": "${DOCUMENTS}",
            },
        },
        "compatibility": {"platforms": [system]},
    })
}
