//! The house's layers: which crate may depend on which (ARCHITECTURE.md).

use std::collections::BTreeMap;

use cargo_metadata::{DependencyKind, MetadataCommand};

/// What each crate may depend on, besides itself.
const LAYERS: &[(&str, &[&str])] = &[
    ("engross-xml", &[]),
    ("engross-protocol", &[]),
    ("engross-tls", &[]),
    ("engross-attest", &["engross-protocol"]),
    ("engross-sandbox", &[]),
    ("engross-docx", &["engross-xml"]),
    ("engross-llm", &["engross-protocol", "engross-tls"]),
    ("engross-rules", &["engross-llm"]),
    ("engross-store", &["engross-protocol", "engross-tls"]),
    ("engross-documents", &["engross-docx", "engross-protocol", "engross-store"]),
    (
        "engross-mcp",
        &["engross-docx", "engross-documents", "engross-playbook", "engross-protocol", "engross-store"],
    ),
    ("engross-playbook", &["engross-docx", "engross-llm", "engross-protocol"]),
    ("engross-write", &["engross-protocol", "engross-store"]),
    ("engross-journal", &["engross-protocol", "engross-store"]),
    ("engross-artifacts", &["engross-protocol", "engross-store"]),
    (
        "engross-tasks",
        &["engross-artifacts", "engross-attest", "engross-journal", "engross-protocol", "engross-store"],
    ),
    (
        "engross-acp",
        &[
            "engross-agent",
            "engross-documents",
            "engross-docx",
            "engross-llm",
            "engross-protocol",
            "engross-sandbox",
            "engross-store",
            "engross-tasks",
        ],
    ),
    (
        "engross-openclaw",
        &["engross-artifacts", "engross-protocol", "engross-store", "engross-tasks", "engross-tls"],
    ),
    (
        "engross-threads",
        &[
            "engross-artifacts",
            "engross-attest",
            "engross-journal",
            "engross-protocol",
            "engross-store",
            "engross-tasks",
            "engross-tls",
        ],
    ),
    ("engross-transcript", &["engross-protocol"]),
    ("engross-learn", &["engross-llm", "engross-protocol", "engross-store", "engross-transcript"]),
    (
        "engross-agent",
        &[
            "engross-docx",
            "engross-documents",
            "engross-journal",
            "engross-llm",
            "engross-playbook",
            "engross-protocol",
            "engross-store",
            "engross-write",
        ],
    ),
    (
        "engross-http",
        &[
            "engross-agent",
            "engross-artifacts",
            "engross-documents",
            "engross-docx",
            "engross-llm",
            "engross-playbook",
            "engross-protocol",
            "engross-store",
            "engross-tasks",
            "engross-tls",
            "engross-write",
        ],
    ),
    (
        "engross-compose",
        &[
            "engross-acp",
            "engross-agent",
            "engross-artifacts",
            "engross-attest",
            "engross-docx",
            "engross-documents",
            "engross-http",
            "engross-learn",
            "engross-llm",
            "engross-mcp",
            "engross-openclaw",
            "engross-playbook",
            "engross-protocol",
            "engross-rules",
            "engross-sandbox",
            "engross-store",
            "engross-tasks",
            "engross-threads",
            "engross-write",
        ],
    ),
    (
        "engross-chat",
        &[
            "engross-agent",
            "engross-compose",
            "engross-docx",
            "engross-documents",
            "engross-http",
            "engross-llm",
            "engross-protocol",
            "engross-store",
            "engross-write",
        ],
    ),
    (
        "engross",
        &[
            "engross-acp",
            "engross-agent",
            "engross-artifacts",
            "engross-attest",
            "engross-chat",
            "engross-compose",
            "engross-docx",
            "engross-documents",
            "engross-http",
            "engross-learn",
            "engross-llm",
            "engross-mcp",
            "engross-openclaw",
            "engross-playbook",
            "engross-protocol",
            "engross-sandbox",
            "engross-store",
            "engross-tasks",
            "engross-threads",
            "engross-tls",
            "engross-transcript",
            "engross-write",
        ],
    ),
    ("engross-wasm", &["engross-docx"]),
    ("engross-testkit", &[]),
    ("engross-bench", &["engross-protocol", "engross-store", "engross-testkit", "xtask"]),
    ("xtask", &["engross-docx"]),
];

/// Libraries that only one crate may know.
const PRIVATE: &[(&str, &[&str])] = &[
    ("agent-client-protocol-schema", &["engross-acp"]),
    ("axum", &["engross-compose", "engross-http", "engross-bench"]),
    ("cap-std", &["engross-store"]),
    ("clap", &["engross", "engross-bench", "xtask"]),
    ("clap_complete", &["engross"]),
    ("clap_mangen", &["engross"]),
    ("deadpool-postgres", &["engross-store"]),
    ("hyper", &["engross-http"]),
    ("hyper-util", &["engross-http"]),
    ("indicatif", &["engross"]),
    ("landlock", &["engross-sandbox"]),
    ("libc", &["engross-sandbox"]),
    ("opentelemetry", &["engross-http"]),
    ("opentelemetry-http", &["engross-http"]),
    ("opentelemetry-otlp", &["engross-http"]),
    ("opentelemetry_sdk", &["engross-http"]),
    ("object_store", &["engross-store"]),
    (
        "reqwest",
        &[
            "engross-bench",
            "engross-http",
            "engross-llm",
            "engross-openclaw",
            "engross-store",
            "engross-threads",
        ],
    ),
    ("rawzip", &["engross-docx"]),
    ("pulldown-cmark", &["engross-chat"]),
    ("rcgen", &["engross-tls"]),
    ("ring", &["engross-attest", "engross-openclaw"]),
    ("rmcp", &["engross-mcp"]),
    ("rustyline", &["engross-chat"]),
    ("seccompiler", &["engross-sandbox"]),
    ("rusqlite", &["engross-learn", "engross-store"]),
    ("rustls-platform-verifier", &["engross-tls"]),
    ("tempfile", &["engross-http"]),
    ("tokio-postgres", &["engross-store"]),
    ("tokio-rustls", &["engross-http", "engross-openclaw"]),
    ("tokio-tungstenite", &["engross-openclaw"]),
    ("tower-http", &["engross-http"]),
    ("tracing-opentelemetry", &["engross-http"]),
    ("wasm-bindgen", &["engross-wasm"]),
];

#[test]
fn crates_depend_on_lower_layers_only() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let allowed: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    let private: BTreeMap<&str, &[&str]> = PRIVATE.iter().copied().collect();
    let mut wrong = Vec::new();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        let Some(lower) = allowed.get(name) else {
            wrong.push(format!("{name} has no place in the layers"));
            continue;
        };
        let ordinary =
            package.dependencies.iter().filter(|dependency| dependency.kind != DependencyKind::Development);
        for dependency in ordinary {
            let other = dependency.name.as_str();
            if allowed.contains_key(other) && !lower.contains(&other) {
                wrong.push(format!("{name} must not depend on {other}"));
            }
            if private.get(other).is_some_and(|owners| !owners.contains(&name)) {
                wrong.push(format!("{name} must not know {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
