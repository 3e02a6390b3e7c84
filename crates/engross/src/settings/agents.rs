//! Agents of other makers, and how they are fenced in, as the settings have it.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// An agent of another maker.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentSetting {
    /// The program and its arguments, in words as a shell takes them.
    pub(crate) command: String,
    /// Names of our environment that it sees too; `NAME*` stands for all that begin so.
    #[serde(default)]
    pub(crate) pass: Vec<String>,
    /// Variables that it gets.
    #[serde(default)]
    pub(crate) set: BTreeMap<String, String>,
    /// Whether it is fenced in.
    #[serde(default)]
    pub(crate) sandbox: Option<bool>,
    /// Where else it may write when it is.
    #[serde(default)]
    pub(crate) write: Vec<PathBuf>,
    /// Files of the home that it finds in its own.
    #[serde(default)]
    pub(crate) login: Vec<String>,
}

/// How agents of other makers are fenced in: `[sandbox]`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SandboxSetting {
    /// When: `auto`, `on` or `off`.
    pub(crate) mode: SandboxWhen,
    /// Whether they may use the network.
    pub(crate) network: bool,
    /// How many files, bytes and processes they may have.
    pub(crate) max_files: Option<u64>,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) max_processes: Option<u64>,
    /// What they may not read.
    pub(crate) hide: Vec<PathBuf>,
}

impl Default for SandboxSetting {
    fn default() -> Self {
        Self {
            mode: SandboxWhen::Auto,
            network: true,
            max_files: None,
            max_bytes: None,
            max_processes: None,
            hide: Vec::new(),
        }
    }
}

/// When agents are fenced in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SandboxWhen {
    /// Where the kernel can do it.
    Auto,
    /// Always.
    On,
    /// Only when a task asks for it.
    Off,
}
