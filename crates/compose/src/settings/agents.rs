//! Agents of other makers, and how they are fenced in, as the settings have it.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// An agent of another maker.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSetting {
    /// The program and its arguments, in words as a shell takes them.
    pub command: String,
    /// Names of our environment that it sees too; `NAME*` stands for all that begin so.
    #[serde(default)]
    pub pass: Vec<String>,
    /// Variables that it gets.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// Whether it is fenced in.
    #[serde(default)]
    pub sandbox: Option<bool>,
    /// Where else it may write when it is.
    #[serde(default)]
    pub write: Vec<PathBuf>,
    /// Files of the home that it finds in its own.
    #[serde(default)]
    pub login: Vec<String>,
}

/// How agents of other makers are fenced in: `[sandbox]`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxSetting {
    /// When: `auto`, `on` or `off`.
    pub mode: SandboxWhen,
    /// Whether they may use the network.
    pub network: bool,
    /// Files that a run may leave in its folder.
    pub max_files: Option<u64>,
    /// Bytes that a run may leave in its folder.
    pub max_bytes: Option<u64>,
    /// Processes that it may have at once.
    pub max_processes: Option<u64>,
    /// What they may not read.
    pub hide: Vec<PathBuf>,
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
pub enum SandboxWhen {
    /// Where the kernel can do it.
    Auto,
    /// Always.
    On,
    /// Only when a task asks for it.
    Off,
}
