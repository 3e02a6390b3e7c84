//! Decides which files of a scope are no deliverables: folders of tools, and what `artifact-ignore.md` names.
//!
//! Must never hide a file without a rule that says so.

use super::error::shown;
use super::soundness::is_leftover;
use super::warnings::Warnings;

/// The file with the rules, at the top of the scope.
pub(super) const RULES: &str = "artifact-ignore.md";

/// The bytes of the longest file of rules.
pub(super) const RULES_MAX: u64 = 64 << 10;

/// Folders that tools keep for themselves, at any depth.
const EXCLUDED: &[&str] =
    &[".git", ".openclaw", ".xworkmate", ".pi", ".dart_tool", ".next", ".turbo", "node_modules"];

const FENCE: &str = "```";

/// Whether a folder of this name is a tool's own. Some file systems do not tell cases apart.
pub(super) fn is_excluded(folder: &str) -> bool {
    EXCLUDED.iter().any(|name| name.eq_ignore_ascii_case(folder))
}

/// Folders in which agents keep what is theirs.
const AGENTS: &[&str] = &[
    ".claude",
    ".codex",
    ".gemini",
    ".qwen",
    ".opencode",
    ".hermes",
    ".cursor",
    ".aider",
    ".continue",
    ".windsurf",
];

/// Folders and files that programs act on when the folder around them is opened, or when a person logs in.
const ACTED_ON: &[&str] = &[
    ".vscode",
    ".idea",
    ".devcontainer",
    ".mcp.json",
    ".envrc",
    ".env",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".npmrc",
    ".yarnrc",
    ".gitconfig",
    ".direnv",
    ".tool-versions",
    ".mise.toml",
];

/// Why a file or folder of this name is held back unless it is asked for; `None` when it is not. Some file systems do not
/// tell cases apart.
pub(super) fn is_hidden(name: &str) -> Option<&'static str> {
    let among = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    if among(AGENTS) {
        Some("held back, as an agent keeps it for itself")
    } else if among(ACTED_ON) {
        Some("held back, as programs act on it by themselves")
    } else if is_leftover(name) {
        Some("held back, as a program left it when it was not done")
    } else {
        None
    }
}

/// The rules of a scope.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ignore {
    rules: Vec<Rule>,
}

#[derive(Debug, PartialEq, Eq)]
enum Rule {
    /// `dir/`: everything beneath the folder at this path.
    Folder(String),
    /// A path.
    Exact(String),
    /// `*suffix`: files at the top.
    Top(String),
    /// `**/*suffix`: files anywhere.
    Anywhere(String),
}

impl Ignore {
    /// Reads the rules: those in blocks fenced as `artifact-ignore`, else every line. Blank lines and those that begin with
    /// `#` say nothing.
    pub(super) fn parse(text: &str, warnings: &mut Warnings) -> Self {
        let lines = fenced(text).unwrap_or_else(|| text.lines().collect());
        let mut rules = Vec::new();
        for line in lines.into_iter().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            match Rule::parse(line) {
                Some(rule) => rules.push(rule),
                None => {
                    warnings
                        .add(RULES, &format!("the rule '{}' is not known and has no effect", shown(line)));
                }
            }
        }
        Self { rules }
    }

    /// Whether the file at `path` is no deliverable.
    pub(super) fn hides(&self, path: &str) -> bool {
        path == RULES || self.rules.iter().any(|rule| rule.hides(path))
    }

    /// Whether no file beneath the folder at `path` is a deliverable.
    pub(super) fn hides_folder(&self, path: &str) -> bool {
        let beneath = |rule: &Rule| match rule {
            Rule::Folder(folder) => path
                .strip_prefix(folder.trim_end_matches('/'))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
            _ => false,
        };
        self.rules.iter().any(beneath)
    }
}

impl Rule {
    /// Backslashes separate folders, too, and a separator that is there twice counts once.
    fn parse(line: &str) -> Option<Self> {
        let plain = |text: &str| !text.is_empty() && !text.contains(['*', '?', '[', ']', '!']);
        if line.starts_with(['/', '\\', '!']) {
            return None;
        }
        let mut parts: Vec<&str> = line.split(['/', '\\']).collect();
        if parts.iter().any(|part| matches!(*part, "." | "..")) {
            return None;
        }
        let is_folder = parts.pop_if(|last| last.is_empty()).is_some();
        parts.retain(|part| !part.is_empty());
        let path = parts.join("/");
        let line = path.as_str();
        if is_folder {
            plain(line).then(|| Self::Folder(format!("{line}/")))
        } else if let Some(suffix) = line.strip_prefix("**/*") {
            (plain(suffix) && !suffix.contains('/')).then(|| Self::Anywhere(suffix.to_owned()))
        } else if let Some(suffix) = line.strip_prefix('*') {
            (plain(suffix) && !suffix.contains('/')).then(|| Self::Top(suffix.to_owned()))
        } else {
            plain(line).then_some(Self::Exact(path))
        }
    }

    fn hides(&self, path: &str) -> bool {
        match self {
            Self::Folder(folder) => path.starts_with(folder.as_str()),
            Self::Exact(exact) => path == exact,
            Self::Top(suffix) => !path.contains('/') && path.ends_with(suffix.as_str()),
            Self::Anywhere(suffix) => path.ends_with(suffix.as_str()),
        }
    }
}

/// The lines in blocks of rules; `None` where there is no such block. An empty one says that there are no rules.
fn fenced(text: &str) -> Option<Vec<&str>> {
    let mut inside = false;
    let mut is_there = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let mark = line.trim().strip_prefix(FENCE);
        match mark {
            Some(info) if !inside => {
                inside = info.trim() == "artifact-ignore";
                is_there |= inside;
            }
            Some(_) => inside = false,
            None if inside => lines.push(line),
            None => {}
        }
    }
    is_there.then_some(lines)
}
