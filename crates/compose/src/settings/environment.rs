//! A snapshot of the variables that matter.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// Variables that hold keys: shown only as set or not set.
pub const KEYS: &[&str] =
    &["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_COMPATIBLE_API_KEY"];

/// Variables that hold addresses of providers.
pub const ADDRESSES: &[&str] =
    &["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_HOST"];

/// The variable that holds the address of an OpenTelemetry collector.
pub const COLLECTOR: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

/// Variables that say where OpenClaw keeps its sessions, and which agent is meant.
const OPENCLAW: &[&str] = &["OPENCLAW_HOME", "OPENCLAW_AGENT_ID", "OPENCLAW_WORKSPACE"];
/// The variable that holds the address of an OpenClaw gateway.
pub const GATEWAY_URL: &str = "OPENCLAW_GATEWAY_URL";

/// The variable that holds the token of that gateway.
pub const GATEWAY_TOKEN: &str = "OPENCLAW_GATEWAY_TOKEN";

/// The variable by which the C library of Linux is told which memory goes back to the system at once.
pub const ALLOCATOR: &str = "MALLOC_MMAP_THRESHOLD_";

/// The variable that holds the folder of a gateway of this machine.
pub const GATEWAY_HOME: &str = "OPENCLAW_STATE_DIR";

/// The variable that holds the secret with which several servers sign receipts as one.
pub const SIGNING_SECRET: &str = "ENGROSS_SIGNING_SECRET";

/// What begins the names of variables that say where object storage is, and with which key.
const OBJECT_STORAGE: &str = "AWS_";

/// What begins the names of our own variables.
pub(super) const PREFIX: &str = "ENGROSS_";

/// Our own variables that are no settings.
const OTHERS: &[&str] = &[
    "CONFIG",
    "LOG",
    "REQUIRE",
    "RUNNER_IDLE",
    "RUNNER_KEEP_DAYS",
    "SERVER",
    "SIGNING_SECRET",
    "SUPERVISE",
    "TOKEN",
];

/// What begins the names of variables that only tests read.
const TEST_PREFIX: &str = "TEST_";

/// The variables that matter, as they were at the start.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// Reads the process's own. What is not Unicode counts as not set.
    pub fn of_process() -> Self {
        let known = |name: &str| {
            name.starts_with(PREFIX)
                || name.starts_with(OBJECT_STORAGE)
                || KEYS.contains(&name)
                || ADDRESSES.contains(&name)
                || OPENCLAW.contains(&name)
                || matches!(name, GATEWAY_URL | GATEWAY_TOKEN | GATEWAY_HOME)
                || matches!(name, ALLOCATOR | COLLECTOR | "NO_COLOR" | "TERM" | "PATH")
        };
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| known(name));
        Self { variables: variables.collect() }
    }

    /// The value of a variable, unless it is blank.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.trim().is_empty())
    }

    /// The value of a variable, also a blank one.
    pub fn given(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// Whether terminals may be sent colours (no-color.org).
    pub fn allows_colour(&self) -> bool {
        self.get("NO_COLOR").is_none() && self.get("TERM") != Some("dumb")
    }

    /// The variables that a runner of tasks depends on: all but those that only say how one command speaks.
    pub fn of_runner(&self) -> impl Iterator<Item = (&str, &str)> {
        // Programs are looked for in the PATH of the one who asks.
        const PASSING: &[&str] =
            &["ENGROSS_SERVER", "ENGROSS_TOKEN", "ENGROSS_LOG", "NO_COLOR", "TERM", "PATH"];
        let mattering = self.variables.iter().filter(|(name, _)| !PASSING.contains(&name.as_str()));
        mattering.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether only our own agent depends on a variable: the model, and the way and the keys to it.
    pub fn is_of_model(&self, name: &str) -> bool {
        KEYS.contains(&name) || ADDRESSES.contains(&name) || name == "ENGROSS_MODEL"
    }

    /// All variables of the process: what agents are given a part of.
    pub fn whole() -> Vec<(OsString, OsString)> {
        std::env::vars_os().collect()
    }

    /// The variables that say where object storage is, and with which key.
    pub fn object_storage(&self) -> Vec<(String, String)> {
        let named = self.variables.iter().filter(|(name, _)| name.starts_with(OBJECT_STORAGE));
        named.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Where a program is found.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let folders = std::env::split_paths(self.get("PATH").unwrap_or_default()).collect::<Vec<_>>();
        folders.into_iter().map(|folder| folder.join(name)).find(|path| path.is_file())
    }

    /// Variables with our prefix that mean nothing, where `settings` can be set.
    pub fn unknown(&self, settings: &[&str]) -> Vec<String> {
        let unknown = self.own().filter(|(name, _)| {
            let of_server =
                |key: &str| super::serve_rows::ROWS.iter().any(|row| row.key.eq_ignore_ascii_case(key));
            let is_setting = settings.iter().any(|key| key.eq_ignore_ascii_case(name))
                || name.strip_prefix("SERVE_").is_some_and(of_server);
            !is_setting && !OTHERS.contains(name) && !name.starts_with(TEST_PREFIX)
        });
        unknown.map(|(name, _)| format!("{PREFIX}{name}")).collect()
    }

    /// Our own variables, without their prefix, and their values.
    pub(super) fn own(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.keys().filter_map(|name| Some((name.strip_prefix(PREFIX)?, self.get(name)?)))
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Environment {
    fn from(variables: [(&str, &str); N]) -> Self {
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self { variables: variables.into() }
    }
}
