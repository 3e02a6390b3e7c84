//! The wheel for PyPI: one package with the program and the Python API.
//!
//! One, because who installs `engross` expects both `engross` in the shell and `import engross`. The API is `bindings/python`, a crate
//! outside of the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::package_tree::PackageTree;
use super::program::{Program, glibc_minor, reproducible, target_folder};
use super::release::{Release, SUMMARY};
use super::{read, read_text};
use crate::{Error, Result, root, run_command};

/// The modules of the API beside the one that is compiled.
const MODULES: [&str; 4] = ["__init__.py", "types.py", "_engine.pyi", "py.typed"];

/// Builds the API and packs it with the program: the name of the wheel, and its bytes.
pub(super) fn package(
    release: &Release,
    program: &Program,
    profile: &str,
    licences: &str,
) -> Result<(String, Vec<u8>)> {
    let engine = read(&build_engine(profile, release)?)?;
    let readme = read_text(&root().join("bindings/python/README.md"))?;
    let mut tree = PackageTree::default();
    for name in MODULES {
        tree.file(&format!("engross/{name}"), read(&root().join("bindings/python/engross").join(name))?);
    }
    let newest = glibc_minor(&program.bytes).max(glibc_minor(&engine));
    tree.program(&format!("engross/{}", module_name(release)), engine);
    tree.file("LICENSE", read(&root().join("LICENSE"))?);
    tree.file("THIRD-PARTY-LICENSES", licences);
    packed(release, program, &platform_tag(release, newest)?, &readme, &tree)
}

/// Packs modules, licences and the program.
pub(super) fn packed(
    release: &Release,
    program: &Program,
    platform: &str,
    readme: &str,
    modules: &PackageTree,
) -> Result<(String, Vec<u8>)> {
    let version = &release.version;
    let (about, data) = (format!("engross-{version}.dist-info"), format!("engross-{version}.data"));
    let tag = format!("cp310-abi3-{platform}");
    let mut tree = PackageTree::default();
    for (path, file) in modules.files() {
        match path {
            "LICENSE" | "THIRD-PARTY-LICENSES" => {
                tree.file(&format!("{about}/licenses/{path}"), file.bytes.clone());
            }
            _ if file.is_program => tree.program(path, file.bytes.clone()),
            _ => tree.file(path, file.bytes.clone()),
        }
    }
    let name = if release.target.contains("windows") { "engross.exe" } else { "engross" };
    tree.program(&format!("{data}/scripts/{name}"), program.bytes.clone());
    let owner =
        release.registry_name().map(|name| format!("\n<!-- mcp-name: {name} -->\n")).unwrap_or_default();
    tree.file(
        &format!("{about}/METADATA"),
        format!(
            "Metadata-Version: 2.4\nName: engross\nVersion: {version}\nSummary: {SUMMARY}\nLicense-Expression: MIT\n\
             License-File: LICENSE\nLicense-File: THIRD-PARTY-LICENSES\nKeywords: docx,word,redline,tracked-changes,mcp\n\
             Classifier: Typing :: Typed\nRequires-Python: >=3.10\nDescription-Content-Type: text/markdown\n\n{readme}{owner}"
        ),
    );
    tree.file(
        &format!("{about}/WHEEL"),
        format!(
            "Wheel-Version: 1.0\nGenerator: engross-xtask ({version})\nRoot-Is-Purelib: false\nTag: {tag}\n"
        ),
    );
    let record = format!("{about}/RECORD");
    let mut lines: String = tree
        .files()
        .map(|(path, file)| {
            let digest = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&file.bytes));
            format!("{path},sha256={digest},{}\n", file.bytes.len())
        })
        .collect();
    lines.push_str(&format!("{record},,\n"));
    tree.file(&record, lines);
    Ok((format!("engross-{version}-{tag}.whl"), tree.zip()?))
}

/// The platform in the words of wheels; on Linux with the version of the C library that is needed.
fn platform_tag(release: &Release, glibc: u32) -> Result<String> {
    let processor = release.architecture();
    match release.target.split_once('-').map(|(_, system)| system) {
        Some("unknown-linux-gnu") => Ok(format!("manylinux_2_{}_{processor}", glibc.max(17))),
        Some("apple-darwin") if processor == "aarch64" => Ok("macosx_11_0_arm64".to_owned()),
        Some("apple-darwin") => Ok(format!("macosx_10_12_{processor}")),
        Some("pc-windows-msvc") if processor == "x86_64" => Ok("win_amd64".to_owned()),
        _ => Err(Error::Missed(format!("the tag of wheels for {} is not known here", release.target))),
    }
}

/// The name under which Python finds the compiled module.
pub(super) fn module_name(release: &Release) -> String {
    format!("_engine.{}", if release.target.contains("windows") { "pyd" } else { "abi3.so" })
}

/// Builds the compiled module; its path.
pub(super) fn build_engine(profile: &str, release: &Release) -> Result<PathBuf> {
    let target = target_folder().join("python");
    let manifest = root().join("bindings/python/Cargo.toml");
    let profile = if profile == "ci" { "dev" } else { profile };
    let mut command = Command::new(env!("CARGO"));
    command.args(["build", "--locked", "--manifest-path"]).arg(&manifest);
    command.args(["--profile", profile, "--target", &release.target, "--target-dir"]).arg(&target);
    run_command(reproducible(&mut command, &root(), &target, release).current_dir(root()))?;
    let folder = target.join(&release.target).join(if profile == "dev" { "debug" } else { profile });
    Ok(built_library(&folder))
}

fn built_library(folder: &Path) -> PathBuf {
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    folder.join(format!("{prefix}_engine{suffix}"))
}
