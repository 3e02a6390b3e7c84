//! The package for Red Hat and its kin.
//!
//! A crate outside of the workspace (`packaging/rpm`) writes it, so that nobody compiles the library who does not need it. It gets the files
//! in a folder, and what to say of them as JSON.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::program::{Program, glibc_minor, target_folder};
use super::release::{DESCRIPTION, Release, SUMMARY};
use super::{read, system, write_file};
use crate::{Error, Result, root, run_command};

/// Writes the package.
pub(super) fn write(release: &Release, program: &Program, licences: &str, to: &Path) -> Result<()> {
    let mut tree = system(program, licences, "usr/share/zsh/site-functions")?;
    tree.file("usr/share/licenses/engross/LICENSE", read(&root().join("LICENSE"))?);
    let folder = target_folder().join("dist-rpm");
    let mut files = Vec::new();
    for (number, (path, file)) in tree.files().enumerate() {
        write_file(&folder.join(number.to_string()), &file.bytes)?;
        files.push(
            json!({"path": format!("/{path}"), "mode": file.mode(), "from": folder.join(number.to_string())}),
        );
    }
    let described = json!({
        "name": "engross",
        "version": release.version,
        "license": "MIT",
        "architecture": release.architecture(),
        "summary": SUMMARY,
        "description": DESCRIPTION,
        "packager": release.maintainer,
        "epoch": release.epoch,
        "requires": [format!("libc.so.6(GLIBC_2.{})(64bit)", glibc_minor(&program.bytes))],
        "files": files,
    });
    write_file(&folder.join("package.json"), described.to_string().as_bytes())?;
    let mut writer = Command::new(env!("CARGO"));
    writer
        .args(["run", "--quiet", "--locked", "--manifest-path"])
        .arg(root().join("packaging/rpm/Cargo.toml"));
    writer.arg("--target-dir").arg(target_folder().join("rpm-writer"));
    run_command(writer.arg("--").arg(folder.join("package.json")).arg(to))?;
    std::fs::remove_dir_all(&folder).map_err(Error::file(&folder))
}
