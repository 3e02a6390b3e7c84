//! The card of this server: who is here, and how it is spoken to.
//!
//! Must never tell what a stranger may not know: it is shown without a token, so that agents and owners are not in it.

use serde_json::{Value, json};

use super::VERSION;

/// The card of a server whose address is `base`; `is_locked` when a token is needed.
#[must_use]
pub fn card(base: &str, version: &str, is_locked: bool) -> Value {
    let mut card = json!({
        "name": "engross",
        "description": "Hands a task to an agent of this machine, and gives back the files that it made, with their hashes.",
        "version": version,
        "supportedInterfaces": [{
            "url": format!("{}/a2a", base.trim_end_matches('/')),
            "protocolBinding": "JSONRPC",
            "protocolVersion": VERSION,
        }],
        "capabilities": { "streaming": true, "pushNotifications": false, "extendedAgentCard": false },
        "defaultInputModes": ["text/plain", "application/json", "application/octet-stream"],
        "defaultOutputModes": ["text/plain", "application/octet-stream"],
        "skills": [{
            "id": "task",
            "name": "Carry out a task",
            "description": "Writes, edits and checks documents and other files as it is told; what is made comes back as artifacts.",
            "tags": ["documents", "docx", "files", "tasks"],
            "examples": ["Write a one-page brief on the attached lease as brief.docx"],
        }],
    });
    if is_locked {
        card["securitySchemes"] = json!({ "token": { "httpAuthSecurityScheme": { "scheme": "Bearer" } } });
        card["securityRequirements"] = json!([{ "schemes": { "token": { "list": [] } } }]);
    }
    card
}
