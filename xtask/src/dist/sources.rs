//! The archive of sources with all libraries, which builds without a network.

use std::process::Command;

use super::package_tree::PackageTree;
use super::program::target_folder;
use super::read;
use super::release::{Release, said};
use crate::{Error, Result, root};

/// What cargo is to take in the place of registries.
const VENDORED: &str =
    "\n[source.crates-io]\nreplace-with = \"vendored\"\n\n[source.vendored]\ndirectory = \"vendor\"\n";

/// The archive: the name of its file, and its bytes.
pub(super) fn archive(release: &Release) -> Result<(String, Vec<u8>)> {
    let name = format!("engross-{}-sources", release.version);
    let mut tree = PackageTree::default();
    for path in said(Command::new("git").arg("ls-files"))?.lines() {
        let bytes = read(&root().join(path))?;
        if bytes.starts_with(b"#!") {
            tree.program(path, bytes);
        } else if path == ".cargo/config.toml" {
            tree.file(path, [bytes.as_slice(), VENDORED.as_bytes()].concat());
        } else {
            tree.file(path, bytes);
        }
    }
    let vendor = target_folder().join("dist-vendor");
    said(
        Command::new(env!("CARGO")).args(["vendor", "--quiet", "--locked", "--versioned-dirs"]).arg(&vendor),
    )?;
    super::npm::add_folder(&mut tree, &vendor, "vendor")?;
    std::fs::remove_dir_all(&vendor).map_err(Error::file(&vendor))?;
    Ok((format!("{name}.tar.gz"), tree.tar_gz(&format!("{name}/"), release.epoch)?))
}
