//! Routes as they are counted and logged: few, whatever clients ask for.

/// A route, for counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RouteName(&'static str);

impl RouteName {
    /// The route of a path.
    pub fn of(path: &str) -> Self {
        Self(match path {
            "/v1/chat/completions" => "/v1/chat/completions",
            "/healthz" => "/healthz",
            "/readyz" => "/readyz",
            "/v1/compare" => "/v1/compare",
            "/v1/view" => "/v1/view",
            "/v1/review" => "/v1/review",
            "/metrics" => "/metrics",
            "/mcp" => "/mcp",
            _ if path == "/v1/models" || path.starts_with("/v1/models/") => "/v1/models",
            _ if path == "/v1/responses" || path.starts_with("/v1/responses/") => "/v1/responses",
            _ if path == "/v1/sessions" || path.starts_with("/v1/sessions/") => "/v1/sessions",
            "/v1/own-model" => "/v1/own-model",
            "/v1/skills" => "/v1/skills",
            _ if path == "/v1/threads" || path.starts_with("/v1/threads/") => "/v1/threads",
            _ if path.starts_with("/v1/write-sessions") => "/v1/write-sessions",
            _ if path.starts_with("/api/write-session") => "/api/write-session",
            "/acp" | "/acp/rpc" => "/acp",
            "/a2a" => "/a2a",
            "/artifacts/openclaw/download" => "/artifacts",
            _ if path == "/v1/workspaces" || path.starts_with("/v1/workspaces/") => "/v1/workspaces",
            _ if path == "/v1/errors" || path.starts_with("/v1/errors/") => "/v1/errors",
            _ if path == "/" || path.starts_with("/assets/") => "/",
            _ => "other",
        })
    }

    /// As it is counted.
    pub(crate) fn as_str(self) -> &'static str {
        self.0
    }
}
