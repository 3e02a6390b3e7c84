//! `acp.capabilities`: who can carry out what here.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{Bridge, PROTOCOL};
use crate::runner::Health;
use crate::runs::{RunProvider, Target};

pub(super) async fn capabilities(bridge: &Bridge) -> Value {
    let config = bridge.runs.config();
    let probes = join_all(config.providers.iter().map(probe)).await;
    let entry = |(provider, (available, _, reason)): (&RunProvider, &(bool, &'static str, String))| {
        json!({
            "providerId": provider.id,
            "label": provider.label,
            "targets": [provider.target.as_str()],
            "category": provider.category,
            "providerDisplay": { "logoEmoji": "", "badge": "" },
            "enabled": available,
            "unavailableReason": reason,
        })
    };
    let of = |target: Target| -> Vec<Value> {
        config
            .providers
            .iter()
            .zip(&probes)
            .filter(|(provider, _)| provider.target == target)
            .map(entry)
            .collect()
    };
    let summary: Vec<Value> = config
        .providers
        .iter()
        .zip(&probes)
        .map(|(provider, (available, status, _))| {
            json!({ "providerId": provider.id, "available": available, "status": status })
        })
        .collect();
    json!({
        "protocolVersion": PROTOCOL,
        "server": { "name": "engross", "version": bridge.config.version },
        "singleAgent": true,
        "multiAgent": false,
        "availableExecutionTargets": ["agent", "gateway"],
        "providerCatalog": of(Target::Agent),
        "gatewayProviders": of(Target::Gateway),
        "providerProbeSummary": summary,
        "capabilities": {
            "single_agent": true, "multi_agent": false, "resume": true, "waitMs": true, "idempotency": true,
            "artifacts": true, "jobs": true,
        },
        "roleRouting": { "configured": false, "valid": false, "enabled": false, "policyVersion": "", "roles": [] },
        "permissionRelay": true,
    })
}

/// Whether a provider can be given turns, the word for how it is, and why it cannot.
pub(super) async fn probe(provider: &RunProvider) -> (bool, &'static str, String) {
    let Some(runner) = &provider.runner else { return (false, "not_configured", provider.help.clone()) };
    match runner.health().await {
        Health::Ready => (true, "ok", String::new()),
        Health::Missing { help } => (false, "missing", help),
        Health::Failing { message } => (false, "failing", message),
    }
}
