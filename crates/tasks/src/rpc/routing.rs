//! Who is to carry out a request: what it says, and nothing else.
//!
//! Must never turn an explicit choice of an agent into one of a gateway.

use serde_json::{Value, json};

use super::catalog::probe;
use super::error::RpcError;
use super::params::Params;
use crate::codes;
use crate::runner::ProviderId;
use crate::runs::{RunProvider, RunsConfig, Target};

/// Who was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Route {
    pub(super) target: Target,
    pub(super) provider: ProviderId,
    pub(super) model: Option<String>,
    pub(super) skills: Vec<String>,
}

/// Fields that nobody here carries out.
const UNSUPPORTED: &[&str] = &["orchestrationMode", "role", "roleModel"];

pub(super) async fn route(params: Params<'_>, config: &RunsConfig) -> Result<Route, RpcError> {
    let Some(routing) = params.object("routing")? else {
        return Err(RpcError::token(
            codes::ROUTING_REQUIRED,
            "say in `routing` who is to carry it out, such as {\"explicitExecutionTarget\":\"agent\",\"explicitProviderId\":\"engross\"}",
        ));
    };
    for field in UNSUPPORTED {
        if routing.text(field)?.is_some() {
            let message = format!("`routing.{field}` is not carried out here: choose a provider");
            return Err(RpcError::token(codes::ROUTING_UNSUPPORTED, &message));
        }
    }
    let explicit = routing.text("explicitExecutionTarget")?;
    let target = match explicit {
        Some("agent" | "single-agent" | "singleAgent") => Target::Agent,
        Some("gateway") => Target::Gateway,
        Some(other) => {
            return Err(RpcError::params(format!(
                "there is no target '{}': it is agent or gateway",
                short(other)
            )));
        }
        None => match routing.text("explicitProviderId")? {
            Some(id) if is_gateway(id, config) => Target::Gateway,
            Some(_) => Target::Agent,
            None => implied(params, routing)?,
        },
    };
    let asked = match target {
        Target::Agent => match routing.text("explicitProviderId")? {
            Some(id) => Some(id),
            None => params.text("provider")?,
        },
        Target::Gateway => match routing.text("preferredGatewayProviderId")? {
            Some(id) => Some(id),
            None => params.first(&["gatewayProviderId", "gatewayProvider"])?,
        },
    };
    let provider = match asked {
        Some(id) => find(id, config)?,
        None => first_enabled(target, config).await.ok_or_else(|| {
            RpcError::token(codes::GATEWAY_PROVIDER_REQUIRED, "no such provider is set up: name one")
        })?,
    };
    if provider.target != target {
        let message = format!("'{}' is no {}", provider.id, target.as_str());
        return Err(RpcError::token(codes::PROVIDER_NOT_FOUND, &message));
    }
    let model = match routing.text("explicitModel")? {
        Some(model) => Some(model),
        None => params.text("model")?,
    };
    let mut skills = routing.texts("explicitSkills")?;
    skills.extend(params.texts("selectedSkills")?);
    Ok(Route {
        target,
        provider: provider.id.clone(),
        // A gateway chooses its model itself.
        model: model.map(str::to_owned).filter(|_| target == Target::Agent),
        skills,
    })
}

/// Without a word the first that the catalogue calls enabled; if none is, the first, whose refusal says what would bring it.
async fn first_enabled(target: Target, config: &RunsConfig) -> Option<&RunProvider> {
    let mut first = None;
    for provider in config.providers.iter().filter(|provider| provider.target == target) {
        if probe(provider).await.0 {
            return Some(provider);
        }
        first = first.or(Some(provider));
    }
    first
}

/// What the fields beside the routing say.
fn implied(params: Params<'_>, routing: Params<'_>) -> Result<Target, RpcError> {
    for name in ["requestedExecutionTarget", "executionTarget"] {
        match params.text(name)? {
            Some("gateway") => return Ok(Target::Gateway),
            Some("agent" | "single-agent" | "singleAgent") => return Ok(Target::Agent),
            _ => {}
        }
    }
    let gateway = params.first(&["gatewayProviderId", "gatewayProvider"])?.is_some()
        || (params.text("provider")?.is_none() && routing.text("preferredGatewayProviderId")?.is_some());
    Ok(if gateway { Target::Gateway } else { Target::Agent })
}

fn is_gateway(id: &str, config: &RunsConfig) -> bool {
    config.providers.iter().any(|provider| provider.id.as_str() == id && provider.target == Target::Gateway)
}

fn find<'a>(id: &str, config: &'a RunsConfig) -> Result<&'a RunProvider, RpcError> {
    config.providers.iter().find(|provider| provider.id.as_str() == id).ok_or_else(|| {
        let known: Vec<&str> = config.providers.iter().map(|provider| provider.id.as_str()).collect();
        let message = format!("{}; there are: {}", short(id), known.join(", "));
        RpcError::token(codes::PROVIDER_NOT_FOUND, &message)
    })
}

fn short(text: &str) -> String {
    text.chars().take(64).collect()
}

/// `xworkmate.routing.resolve`: what a request would be routed to.
pub(super) async fn resolve(params: Params<'_>, config: &RunsConfig) -> Result<Value, RpcError> {
    let route = route(params, config).await?;
    let (available, _, reason) = match config.provider(&route.provider) {
        Some(provider) => probe(provider).await,
        None => (false, "missing", String::new()),
    };
    let missing = !available;
    let gateway = route.target == Target::Gateway;
    Ok(json!({
        "resolvedExecutionTarget": if gateway { "gateway" } else { "single-agent" },
        "resolvedProviderId": if gateway { "" } else { route.provider.as_str() },
        "resolvedGatewayProviderId": if gateway { route.provider.as_str() } else { "" },
        "resolvedModel": route.model.unwrap_or_default(),
        "resolvedSkills": route.skills,
        "status": if missing { "unavailable" } else { "available" },
        "unavailable": missing,
        "unavailableCode": if missing { codes::PROVIDER_UNAVAILABLE.name } else { "" },
        "unavailableMessage": reason,
        "skillResolutionSource": "explicit",
        "needsSkillInstall": false,
        "skillInstallRequestId": "",
    }))
}
