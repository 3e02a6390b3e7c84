//! `/openapi.json`, `/favicon.ico`, and which paths need no token: what a program and a browser see who know no more than the address.
//!
//! Must never tell what a stranger may not know: these need no token.

use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::{a2a, taskpane, workbench};
use crate::reply;

/// The description of all routes.
pub(crate) const DESCRIPTION: &str = "/openapi.json";
/// The icon.
pub(crate) const ICON: &str = "/favicon.ico";

/// Whether a path is one of these.
pub(crate) fn is_public(path: &str) -> bool {
    matches!(path, DESCRIPTION | ICON | a2a::CARD | workbench::PAGE | workbench::SCRIPT | workbench::STYLE)
        || taskpane::is_public(path)
}

const ICON_TEXT: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\"><path d=\"M6 3h14l6 6v20H6z\" \
    fill=\"#fff\" stroke=\"#345\" stroke-width=\"2\"/><path d=\"M10 14h12\" stroke=\"#b22\" stroke-width=\"2\"/><path \
    d=\"M10 20h12\" stroke=\"#186\" stroke-width=\"3\"/></svg>";

/// What can be asked, besides preflights: method, path, what it does.
pub(crate) const ROUTES: &[(&str, &str, &str)] = &[
    ("get", "/", "The workbench, for people"),
    ("get", "/assets/workbench.js", "Its program"),
    ("get", "/assets/workbench.css", "Its appearance"),
    ("get", "/word/", "The pane of Word"),
    ("get", "/word/policy.js", "What may become a script in it"),
    ("get", "/word/taskpane.js", "Its program"),
    ("get", "/word/taskpane.css", "Its appearance"),
    ("get", "/openapi.json", "This description"),
    ("get", "/favicon.ico", "The icon of the page"),
    ("get", "/healthz", "Whether the process runs"),
    ("get", "/readyz", "Whether requests can be accepted"),
    ("get", "/metrics", "Counters for Prometheus"),
    ("post", "/v1/chat/completions", "One request to a session, answered whole or as a stream"),
    ("post", "/v1/responses", "The same in the shape of the Responses API"),
    ("get", "/v1/responses/{id}", "A response as it is"),
    ("delete", "/v1/responses/{id}", "Deletes a response"),
    ("get", "/v1/responses/{id}/input_items", "What its request brought"),
    ("post", "/v1/responses/{id}/cancel", "Stops a response that is being made"),
    ("get", "/v1/models", "The models on offer"),
    ("get", "/v1/models/{id}", "One model"),
    ("get", "/v1/sessions", "A page of all sessions"),
    ("delete", "/v1/sessions/{key}", "Deletes a session for good"),
    ("get", "/v1/sessions/{key}", "A session with its conversation"),
    ("get", "/v1/sessions/{key}/settings", "What is set for a session"),
    ("put", "/v1/sessions/{key}/settings", "Sets it, all anew"),
    ("post", "/v1/sessions/{key}/cancel", "Stops the turn that runs or waits for its client"),
    ("get", "/v1/sessions/{key}/events", "Listens to the newest answer of a session"),
    ("post", "/v1/compare", "A redline of two documents"),
    ("post", "/v1/review", "A document by a playbook: verdicts, citations, tracked changes"),
    ("post", "/v1/view", "A document as HTML"),
    ("get", "/v1/errors", "Requests that failed in the last hour"),
    ("get", "/v1/errors/{code}", "What a code means, and what to do"),
    ("get", "/v1/workspaces", "All workspaces"),
    ("get", "/v1/workspaces/{name}/files", "The files of a workspace"),
    ("get", "/v1/workspaces/{name}/files/{path}", "A file, what the document in it says, or its changes"),
    ("put", "/v1/workspaces/{name}/files/{path}", "Puts a file"),
    ("delete", "/v1/workspaces/{name}/files/{path}", "Removes a file"),
    ("post", "/v1/workspaces/{name}/files/{path}", "Applies operations to a document"),
    (
        "get",
        "/v1/workspaces/{name}/checkpoints/{path}",
        "What a file was before each change, and its bytes then",
    ),
    ("post", "/v1/workspaces/{name}/checkpoints/{path}", "Puts a file back"),
    ("delete", "/v1/workspaces/{name}/checkpoints/{path}", "Forgets for good what a file was"),
    ("get", "/v1/own-model", "The model that you have answers from by a key of your own; never the key"),
    ("put", "/v1/own-model", "Takes such a model: provider, name, key, and whether the key is remembered"),
    ("delete", "/v1/own-model", "Forgets it, with its key"),
    ("get", "/v1/skills", "The lessons that were learnt, with their evidence"),
    ("post", "/v1/skills", "Decides about lessons: accept, retire, decline, edit"),
    ("get", "/v1/threads", "The records of task threads, those of the terminal too"),
    ("post", "/v1/threads/{id}", "Puts a thread away, or takes it back"),
    ("post", "/v1/write-sessions", "Begins a file that is streamed"),
    ("get", "/v1/write-sessions", "All write sessions"),
    ("get", "/v1/write-sessions/{id}", "One write session"),
    ("patch", "/v1/write-sessions/{id}", "Sends content"),
    ("delete", "/v1/write-sessions/{id}", "Cancels it"),
    ("post", "/v1/write-sessions/{id}/turn-end", "Says that an answer has ended"),
    ("post", "/v1/write-sessions/{id}/finalize", "Puts the file in its place"),
    ("post", "/v1/write-sessions/{id}/patch", "Applies a patch to what came"),
    ("get", "/v1/write-sessions/{id}/events", "Listens to a write session"),
    ("post", "/api/write-session/begin", "The same in the words of the reference: begins a file"),
    ("post", "/api/write-session/finalize", "Puts it in its place"),
    ("get", "/api/write-session/status", "How it stands"),
    ("delete", "/api/write-session", "Cancels it"),
    ("get", "/acp/rpc", "A line that says that tasks are taken"),
    ("post", "/acp/rpc", "Tasks, in JSON-RPC"),
    ("get", "/acp", "The same over a WebSocket"),
    ("get", "/artifacts/openclaw/download", "A file of a task, by a signed link"),
    ("post", "/a2a", "Tasks for other people's agents, in the Agent2Agent protocol"),
    ("get", "/.well-known/agent-card.json", "The card that this protocol begins with"),
    ("get", "/api/ping", "Whether tasks are taken, with counters"),
    ("post", "/mcp", "Documents for clients of agents, in the Model Context Protocol"),
];

/// All routes, as OpenAPI.
pub(crate) async fn description() -> Response {
    let mut paths = Map::new();
    for (method, path, summary) in ROUTES {
        let parameters: Vec<Value> = path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
            .collect();
        let mut operation = json!({"summary": summary, "responses": {
            "200": {"description": "Done"}, "default": {"description": "An error object: {\"error\": {\"code\", \"message\"}}"},
        }});
        if !parameters.is_empty() {
            operation["parameters"] = Value::Array(parameters);
        }
        if is_public(path) || matches!(*path, "/healthz" | "/readyz" | "/artifacts/openclaw/download") {
            operation["security"] = json!([]);
        }
        paths.entry(*path).or_insert_with(|| json!({}))[*method] = operation;
    }
    let description = json!({
        "openapi": "3.1.0",
        "info": {"title": "engross", "version": env!("CARGO_PKG_VERSION"),
            "description": "Sessions in the shapes of the OpenAI API, documents with tracked changes, streamed files, tasks."},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
        "paths": paths,
    });
    typed(description.to_string(), "application/json")
}

/// The icon.
pub(crate) async fn icon() -> Response {
    let mut response = typed(ICON_TEXT.to_owned(), "image/svg+xml");
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("max-age=86400"));
    response
}

fn typed(text: String, kind: &'static str) -> Response {
    let mut response = reply::json(text);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
