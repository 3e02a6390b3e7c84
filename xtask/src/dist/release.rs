//! What every package says of the release.

use std::process::Command;

use crate::{Error, Result, root};

/// What the project is, in a line.
pub(super) const SUMMARY: &str = "Agents that edit Word documents and prove every change";

/// The same at length.
pub(super) const DESCRIPTION: &str = "\
engross lets an AI agent work on a Word document and hands back tracked changes that a person can trust. It changes the words \
that are meant and nothing else, and proves every edit before it is saved: rejecting it gives back the source, accepting it \
gives the requested text. It works with any model, and is useful with none at all.";

/// A release for one platform.
#[derive(Debug, Clone)]
pub(super) struct Release {
    /// Such as `0.2.0`.
    pub(super) version: String,
    /// The platform in the compiler's words, such as `x86_64-unknown-linux-gnu`.
    pub(super) target: String,
    /// When the commit was made, in seconds since 1970.
    pub(super) epoch: u64,
    /// The same as a date.
    pub(super) date: String,
    /// Who answers for the packages.
    pub(super) maintainer: String,
    /// Where packages will be, without the version.
    pub(super) downloads: Option<String>,
    /// The namespace of the registry of MCP servers, such as `io.github.NAME`.
    pub(super) namespace: Option<String>,
}

impl Release {
    /// The release of the last commit, for the platform that the compiler runs on.
    pub(super) fn of_repository(
        maintainer: &str,
        downloads: Option<String>,
        namespace: Option<String>,
    ) -> Result<Self> {
        let compiler = said(Command::new("rustc").arg("-vV"))?;
        let target = compiler.lines().find_map(|line| line.strip_prefix("host: "));
        let commit = said(
            Command::new("git")
                .args(["show", "--no-patch", "--format=%ct %cd"])
                .args(["--date=format-local:%Y-%m-%dT%H:%M:%SZ", "HEAD"]),
        )?;
        let (epoch, date) = commit.trim().split_once(' ').unwrap_or_default();
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            target: target.unwrap_or_default().to_owned(),
            epoch: epoch.parse().map_err(|_| Error::Missed(format!("git tells no date: {commit}")))?,
            date: date.to_owned(),
            maintainer: maintainer.to_owned(),
            downloads,
            namespace,
        })
    }

    /// The name in the registry of MCP servers.
    pub(super) fn registry_name(&self) -> Option<String> {
        self.namespace.as_ref().map(|namespace| format!("{namespace}/engross"))
    }

    /// Where people read about it: what is above the downloads.
    pub(super) fn homepage(&self) -> &str {
        let downloads = self.downloads.as_deref().unwrap_or_default().trim_end_matches('/');
        downloads.strip_suffix("/releases/download").unwrap_or(downloads)
    }

    /// The processor, in the compiler's words.
    pub(super) fn architecture(&self) -> &str {
        self.target.split('-').next().unwrap_or_default()
    }

    /// The processor in Debian's words.
    pub(super) fn debian_architecture(&self) -> Result<&'static str> {
        match self.architecture() {
            "x86_64" => Ok("amd64"),
            "aarch64" => Ok("arm64"),
            other => Err(Error::Missed(format!("Debian's name of {other} is not known here"))),
        }
    }
}

/// What a command prints.
pub(super) fn said(command: &mut Command) -> Result<String> {
    let shown = format!("{command:?}");
    let failed = |how: String| Error::Command { command: shown.clone(), how };
    let ran = command.env("TZ", "UTC0").current_dir(root()).output();
    let ran = ran.map_err(|error| failed(format!("could not be started: {error}")))?;
    if !ran.status.success() {
        return Err(failed(format!("ended with {}: {}", ran.status, String::from_utf8_lossy(&ran.stderr))));
    }
    String::from_utf8(ran.stdout).map_err(|_| failed("does not speak UTF-8".to_owned()))
}
