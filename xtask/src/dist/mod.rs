//! `cargo xtask dist`: all that is handed out of a release, in one folder, with its checksums.
//!
//! Each file here makes one kind of package of the same [`Program`]; the bytes of a package depend on nothing else than that program, the
//! files of the repository and the date of the commit. Must never publish, sign or ask for a key: docs/release.md says who does.

mod debian;
#[cfg(test)]
mod dist_tests;
mod licences;
mod mcpb;
mod npm;
mod package_tree;
mod program;
mod redhat;
mod registries;
mod release;
mod sbom;
mod sources;
mod trial;
mod wheel;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use sha2::{Digest, Sha256};

use crate::{Error, Result, root, say};
use package_tree::PackageTree;
pub(crate) use program::target_folder;
use program::{Program, ProgramBuild};
use release::Release;

/// What is made, and of what.
#[derive(Debug, Args)]
pub(crate) struct DistArguments {
    /// The profile of the program; `release` is built sooner.
    #[arg(long, default_value = "dist")]
    profile: String,
    /// What is in the program; what is published is `full`.
    #[arg(long, default_value = "full")]
    features: String,
    /// Only these; all without.
    #[arg(long, value_enum)]
    part: Vec<DistPart>,
    /// Where the packages go.
    #[arg(long, default_value = "target/dist-packages")]
    out: PathBuf,
    /// Take this program instead of building one.
    #[arg(long)]
    program: Option<PathBuf>,
    /// Build the program once more, of a copy of the sources in another folder, and compare the bytes.
    #[arg(long, conflicts_with = "program")]
    again: bool,
    /// Install the packages of the folder in fresh places, without a network, and redline the example with each (or with those of
    /// --part); nothing is made.
    #[arg(long = "try", conflicts_with_all = ["program", "again"])]
    is_trial: bool,
    /// Where packages will be, without the version, such as https://github.com/NAME/engross/releases/download. Files for registries need it.
    #[arg(long)]
    downloads: Option<String>,
    /// The namespace of the registry of MCP servers, such as io.github.NAME.
    #[arg(long)]
    namespace: Option<String>,
    /// Who answers for the packages of Debian and Red Hat.
    #[arg(long, default_value = "engross authors <engross@users.noreply.invalid>")]
    maintainer: String,
}

impl DistArguments {
    fn wants(&self, part: DistPart) -> bool {
        self.part.is_empty() || self.part.contains(&part)
    }

    fn build(&self) -> ProgramBuild<'_> {
        ProgramBuild { profile: &self.profile, features: &self.features }
    }
}

/// A kind of package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DistPart {
    /// The archive for this platform.
    Archive,
    /// Debian and its kin.
    Deb,
    /// Red Hat and its kin; compiles a writer of such packages the first time.
    Rpm,
    /// The list of what is in the program.
    Sbom,
    /// npm: `engross` and the package of this platform, `engross-client`, `engross-wasm`. Needs Node, and `cargo xtask wasm` before.
    Npm,
    /// PyPI: the wheel for this platform.
    Wheel,
    /// The bundle for Claude Desktop.
    Mcpb,
    /// The sources with all libraries.
    Sources,
    /// Files for Homebrew, Scoop, winget and the registry of MCP servers, of the packages that are in the folder.
    Registries,
}

/// Makes the packages.
pub(crate) fn run(arguments: &DistArguments) -> Result<()> {
    let DistArguments { maintainer, downloads, namespace, .. } = arguments;
    let release = Release::of_repository(maintainer, downloads.clone(), namespace.clone())?;
    let out = root().join(&arguments.out);
    if arguments.is_trial {
        return trial::run(&release, &out, |part| arguments.wants(part));
    }
    std::fs::create_dir_all(&out).map_err(Error::file(&out))?;
    let program = match &arguments.program {
        Some(path) => Program::at(path)?,
        None => Program::built(&root(), &arguments.build(), &release)?,
    };
    if arguments.again {
        program.is_built_again(&arguments.build(), &release)?;
    }
    make(arguments, &release, &program, &out)?;
    checksums(&out)
}

/// Builds the module for Python soon rather than small: the name under which Python finds it, and where it is.
pub(crate) fn built_module() -> Result<(String, PathBuf)> {
    let release = Release::of_repository("", None, None)?;
    Ok((wheel::module_name(&release), wheel::build_engine("dev", &release)?))
}

/// Makes the parts that are wanted.
fn make(arguments: &DistArguments, release: &Release, program: &Program, out: &Path) -> Result<()> {
    let wants = |part| arguments.wants(part);
    let keep = |(name, bytes): (String, Vec<u8>)| save(out, &name, &bytes);
    let inventory = sbom::Inventory::of(release)?;
    let licences = licences::texts(&inventory)?;
    let version = &release.version;
    if wants(DistPart::Archive) {
        let folder = format!("engross-{version}-{}", release.target);
        let tree = archive(program, &licences)?;
        keep((format!("{folder}.tar.gz"), tree.tar_gz(&format!("{folder}/"), release.epoch)?))?;
    }
    if wants(DistPart::Deb) {
        let name = format!("engross_{version}_{}.deb", release.debian_architecture()?);
        keep((name, debian::package(release, program, &licences)?))?;
    }
    if wants(DistPart::Rpm) {
        let path = out.join(format!("engross-{version}-1.{}.rpm", release.architecture()));
        redhat::write(release, program, &licences, &path)?;
    }
    if wants(DistPart::Sbom) {
        keep((format!("engross-{version}.cdx.json"), inventory.cyclone_dx(release).into_bytes()))?;
    }
    if wants(DistPart::Npm) {
        keep(npm::launcher(release)?)?;
        keep(npm::platform(release, program, &licences)?)?;
        keep(npm::client(release)?)?;
        keep(npm::engine(release)?)?;
    }
    if wants(DistPart::Wheel) {
        keep(wheel::package(release, program, &arguments.profile, &licences)?)?;
    }
    if wants(DistPart::Mcpb) {
        keep(mcpb::bundle(release, program, &licences)?)?;
    }
    if wants(DistPart::Sources) {
        keep(sources::archive(release)?)?;
    }
    if wants(DistPart::Registries) {
        let files = registries::files(release, out)?;
        if files.is_empty() {
            say("no files for registries: say where the packages will be (--downloads, --namespace)");
        }
        for (name, text) in files {
            keep((name, text.into_bytes()))?;
        }
    }
    Ok(())
}

/// What is in the archive for a platform.
fn archive(program: &Program, licences: &str) -> Result<PackageTree> {
    let mut tree = PackageTree::default();
    tree.program("engross", program.bytes.clone());
    for name in ["README.md", "LICENSE", "CHANGELOG.md"] {
        tree.file(name, read(&root().join(name))?);
    }
    tree.file("THIRD-PARTY-LICENSES", licences.as_bytes().to_vec());
    for (shell, script) in &program.completions {
        tree.file(&format!("completions/{}", shell.file_name()), script.clone());
    }
    for (name, page) in &program.pages {
        tree.file(&format!("man/man1/{name}"), page.clone());
    }
    Ok(tree)
}

/// The tree of a package that is unpacked at the root of a system.
fn system(program: &Program, licences: &str, zsh_folder: &str) -> Result<PackageTree> {
    let mut tree = PackageTree::default();
    tree.program("usr/bin/engross", program.bytes.clone());
    for (shell, script) in &program.completions {
        if let Some(folder) = shell.system_folder(zsh_folder) {
            tree.file(&format!("{folder}/{}", shell.system_name()), script.clone());
        }
    }
    for (name, page) in &program.pages {
        tree.file(&format!("usr/share/man/man1/{name}.gz"), package_tree::gzip(page)?);
    }
    tree.file("usr/share/doc/engross/THIRD-PARTY-LICENSES.gz", package_tree::gzip(licences.as_bytes())?);
    Ok(tree)
}

/// Writes SHA256SUMS over all packages in the folder, in the form of `sha256sum --check`.
fn checksums(out: &Path) -> Result<()> {
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(out).map_err(Error::file(out))? {
        let path = entry.map_err(Error::file(out))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_file() && name != "SHA256SUMS" {
            lines.push(format!("{}  {name}\n", sha256(&read(&path)?)));
        }
    }
    lines.sort_by(|one, other| one.get(64..).cmp(&other.get(64..)));
    save(out, "SHA256SUMS", lines.concat().as_bytes())
}

/// The digest in hexadecimal digits.
fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[expect(clippy::disallowed_methods, reason = "a chore reads files of the repository")]
fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(Error::file(path))
}

fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read(path)?).map_err(|_| Error::Missed(format!("{} is not UTF-8", path.display())))
}

/// Writes a package, and says so.
fn save(out: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = out.join(name);
    write_file(&path, bytes)?;
    say(&format!("{} ({} bytes)", path.display(), bytes.len()));
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a chore writes files of its own")]
fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
    }
    std::fs::write(path, bytes).map_err(Error::file(path))
}
