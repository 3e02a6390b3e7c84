//! Parameters of requests, read strictly: a field of the wrong type is refused, not guessed at.
//!
//! Must never take anything from the words of a prompt.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::error::RpcError;
use crate::runs::{Contract, Lookup};

/// The fields of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Params<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Params<'a> {
    /// A text that is not blank.
    pub(super) fn text(self, name: &str) -> Result<Option<&'a str>, RpcError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
            Some(_) => Err(wrong(name, "a text")),
        }
    }

    /// The first of several names that has a text.
    pub(super) fn first(self, names: &[&str]) -> Result<Option<&'a str>, RpcError> {
        for name in names {
            if let Some(text) = self.text(name)? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    pub(super) fn required(self, name: &str) -> Result<&'a str, RpcError> {
        self.text(name)?.ok_or_else(|| RpcError::params(format!("`{name}` is missing: send a text")))
    }

    pub(super) fn flag(self, name: &str) -> Result<Option<bool>, RpcError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(wrong(name, "true or false")),
        }
    }

    /// A whole number that is not negative.
    pub(super) fn number(self, name: &str) -> Result<Option<u64>, RpcError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                value.as_u64().map(Some).ok_or_else(|| wrong(name, "a whole number, not negative"))
            }
        }
    }

    pub(super) fn object(self, name: &str) -> Result<Option<Params<'a>>, RpcError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(Params(fields))),
            Some(_) => Err(wrong(name, "an object")),
        }
    }

    pub(super) fn list(self, name: &str) -> Result<&'a [Value], RpcError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(wrong(name, "a list")),
        }
    }

    /// A list of texts; blank ones and what is no text are left out.
    pub(super) fn texts(self, name: &str) -> Result<Vec<String>, RpcError> {
        let texts = self.list(name)?.iter().filter_map(Value::as_str).map(str::trim);
        Ok(texts.filter(|text| !text.is_empty()).map(str::to_owned).collect())
    }

    fn counts(self, name: &str) -> Result<BTreeMap<String, u64>, RpcError> {
        let Some(fields) = self.object(name)? else { return Ok(BTreeMap::new()) };
        fields.0.keys().map(|key| Ok((key.clone(), fields.number(key)?.unwrap_or_default()))).collect()
    }

    /// What is to be delivered: of the request itself, its metadata, and the contract in it.
    pub(super) fn contract(self) -> Result<Contract, RpcError> {
        let mut contract = Contract::default();
        let metadata = self.object("metadata")?;
        let nested = match metadata {
            Some(metadata) => [
                metadata.object("xworkmateTaskArtifactContract")?,
                metadata.object("xworkmateArtifactConstraints")?,
            ],
            None => [None, None],
        };
        for place in [Some(self), metadata].into_iter().chain(nested).flatten() {
            for name in ["requiresExportBeforeFinalResponse", "requiresArtifactExport"] {
                contract.export |= place.flag(name)?.unwrap_or_default();
            }
            contract.include_hidden |= place.flag("includeHiddenArtifacts")?.unwrap_or_default();
            add(&mut contract.extensions, place.texts("requiredArtifactExtensions")?);
            add(&mut contract.expected_dirs, place.texts("expectedArtifactDirs")?);
            for (extension, count) in place.counts("expectedFileCountByExtension")? {
                let most = contract.counts.entry(extension).or_default();
                *most = count.max(*most);
            }
        }
        Ok(contract)
    }

    /// Which run is meant.
    pub(super) fn lookup(self) -> Result<Lookup, RpcError> {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Ok(Lookup {
            session_id: owned(self.text("sessionId")?),
            thread: owned(self.first(&["appThreadKey", "threadId"])?),
            turn: owned(self.text("turnId")?),
            run: owned(self.first(&["runId", "taskId"])?),
            session_key: owned(self.text("openclawSessionKey")?),
            provider: None,
        })
    }

    /// What the agent is told: the first of the fields for it that is not empty, flattened.
    pub(super) fn prompt(self) -> Option<String> {
        for name in ["taskPrompt", "prompt", "message"] {
            if let Some(text) = self.0.get(name).map(flat).filter(|text| !text.trim().is_empty()) {
                return Some(text);
            }
        }
        let is_user = |message: &&Value| message.get("role").and_then(Value::as_str) == Some("user");
        let messages = self.0.get("messages").and_then(Value::as_array);
        let last = messages.and_then(|messages| messages.iter().rev().find(is_user));
        let last = last.and_then(|message| message.get("content")).map(flat);
        last.into_iter()
            .chain(["input", "content"].into_iter().filter_map(|name| self.0.get(name).map(flat)))
            .find(|text| !text.trim().is_empty())
    }
}

fn add(all: &mut Vec<String>, more: Vec<String>) {
    for text in more {
        if !all.contains(&text) {
            all.push(text);
        }
    }
}

/// The texts in a value, one a line.
fn flat(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().map(flat).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
        }
        Value::Object(fields) => ["text", "content", "message", "value"]
            .iter()
            .find_map(|name| fields.get(*name).map(flat).filter(|text| !text.is_empty()))
            .unwrap_or_default(),
        _ => String::new(),
    }
}

fn wrong(name: &str, what: &str) -> RpcError {
    RpcError::params(format!("`{name}` has another type: send {what}"))
}
