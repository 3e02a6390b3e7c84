//! The program of a release, with what it says of itself: completions and manual pages.
//!
//! Must never depend on where it is built: paths are replaced, so that another folder gives the same bytes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::release::{Release, said};
use super::{read, sha256};
use crate::{Error, Result, root, run_command, say};

/// The program, and what belongs beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) bytes: Vec<u8>,
    pub(super) completions: Vec<(ShellKind, Vec<u8>)>,
    /// Names such as `engross-read.1`, and pages.
    pub(super) pages: Vec<(String, Vec<u8>)>,
}

/// How the program is built.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProgramBuild<'a> {
    pub(super) profile: &'a str,
    pub(super) features: &'a str,
}

/// A shell that completes commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShellKind {
    Bash,
    Zsh,
    Fish,
    PowerShell,
}

impl ShellKind {
    const ALL: [Self; 4] = [Self::Bash, Self::Zsh, Self::Fish, Self::PowerShell];

    /// Its name on the command line of engross.
    fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::PowerShell => "powershell",
        }
    }

    /// The name of the script in archives.
    pub(super) fn file_name(self) -> &'static str {
        match self {
            Self::Bash => "engross.bash",
            Self::Zsh => "_engross",
            Self::Fish => "engross.fish",
            Self::PowerShell => "engross.ps1",
        }
    }

    /// The name of the script where a system looks for it.
    pub(super) fn system_name(self) -> &'static str {
        if self == Self::Bash { "engross" } else { self.file_name() }
    }

    /// Where a Linux system looks for it.
    pub(super) fn system_folder(self, zsh_folder: &str) -> Option<&str> {
        match self {
            Self::Bash => Some("usr/share/bash-completion/completions"),
            Self::Zsh => Some(zsh_folder),
            Self::Fish => Some("usr/share/fish/vendor_completions.d"),
            Self::PowerShell => None,
        }
    }
}

impl Program {
    /// Builds it.
    pub(super) fn built(sources: &Path, how: &ProgramBuild, release: &Release) -> Result<Self> {
        Self::at(&build(sources, &target_folder(), how, release)?)
    }

    /// The one at `path`, which must run here.
    pub(super) fn at(path: &Path) -> Result<Self> {
        let run = |arguments: &[&str]| said(Command::new(path).args(arguments));
        let completions = ShellKind::ALL
            .into_iter()
            .map(|shell| Ok((shell, run(&["completions", shell.name()])?.into_bytes())))
            .collect::<Result<_>>()?;
        let folder = target_folder().join("dist-pages");
        run(&["man", "--out", &folder.display().to_string()])?;
        let mut pages = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(Error::file(&folder))? {
            let path = entry.map_err(Error::file(&folder))?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            pages.push((name, read(&path)?));
        }
        std::fs::remove_dir_all(&folder).map_err(Error::file(&folder))?;
        pages.sort();
        Ok(Self { bytes: read(path)?, completions, pages })
    }

    /// Builds it once more, of a copy of the sources in a folder of another name; other bytes are an error.
    pub(super) fn is_built_again(&self, how: &ProgramBuild, release: &Release) -> Result<()> {
        let copy = target_folder().join("dist-again/elsewhere/engross-sources");
        for path in said(Command::new("git").args(["ls-files"]))?.lines() {
            let (from, to) = (root().join(path), copy.join(path));
            if let Some(folder) = to.parent() {
                std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
            }
            std::fs::copy(&from, &to).map_err(Error::file(&from))?;
        }
        let target = target_folder().join("dist-again/target");
        let again = read(&build(&copy, &target, how, release)?)?;
        let (one, other) = (sha256(&self.bytes), sha256(&again));
        if one != other {
            return Err(Error::Missed(format!(
                "two builds differ: {one} and {other}; see {}",
                target.display()
            )));
        }
        say(&format!("two builds in two folders give the same {} bytes, {one}", again.len()));
        Ok(())
    }
}

/// The newest version of the C library that a program asks for, such as 34 of 2.34.
pub(super) fn glibc_minor(program: &[u8]) -> u32 {
    let mark = b"GLIBC_2.";
    let digits = program.windows(mark.len() + 2).filter_map(|window| window.strip_prefix(mark));
    let minor = digits.filter_map(|digits| {
        let digits: String =
            digits.iter().map(|byte| char::from(*byte)).take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    });
    minor.max().unwrap_or_default()
}

/// Builds the program; the path of what was built.
fn build(sources: &Path, target: &Path, how: &ProgramBuild, release: &Release) -> Result<PathBuf> {
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "build",
        "--locked",
        "--package",
        "engross",
        "--no-default-features",
        "--features",
        how.features,
    ]);
    command.args(["--profile", how.profile, "--target", &release.target, "--target-dir"]).arg(target);
    run_command(reproducible(&mut command, sources, target, release).current_dir(sources))?;
    let folder = if how.profile == "dev" { "debug" } else { how.profile };
    Ok(target.join(&release.target).join(folder).join(format!("engross{}", std::env::consts::EXE_SUFFIX)))
}

/// Has a build depend on nothing of the machine but its compilers.
pub(super) fn reproducible<'a>(
    command: &'a mut Command,
    sources: &Path,
    target: &Path,
    release: &Release,
) -> &'a mut Command {
    // Libraries in C have the paths of their sources in what they assert.
    let mut c_flags = OsString::from("-g0");
    let mut flags = Vec::new();
    // The last that fits counts: the folder of the build may be in that of the sources.
    for (folder, name) in [(sources, "/engross"), (target, "/target"), (&cargo_home(), "/cargo")] {
        flags.push(format!("--remap-path-prefix={}={name}", folder.display()));
        c_flags.push(format!(" -ffile-prefix-map={}/={name}/", folder.display()));
    }
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")).env("CFLAGS", c_flags);
    command.env("SOURCE_DATE_EPOCH", release.epoch.to_string()).env("CARGO_INCREMENTAL", "0")
}

/// Where cargo builds.
#[expect(clippy::disallowed_methods, reason = "a chore's own setting")]
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Where cargo keeps the sources of libraries.
#[expect(clippy::disallowed_methods, reason = "a chore's own setting")]
fn cargo_home() -> PathBuf {
    let home = || std::env::home_dir().unwrap_or_default().join(".cargo");
    std::env::var_os("CARGO_HOME").map_or_else(home, PathBuf::from)
}
