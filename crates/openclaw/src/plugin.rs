//! Speaks with a gateway that has the plugin for tasks: it makes the folder of a run on its machine and hands over its files.
//!
//! Must never write anywhere but beneath the folder of the run, take a file whose bytes are not those it was listed with, or be
//! content with some of the files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engross_protocol::hex;
use engross_store::files::{Precondition, RelPath, Root};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::connection::Connection;
use super::error::{GatewayFault, shown};
use super::frame::text;
use super::turn::same_session;
use engross_tasks::runner::Turn;

/// The version of the plugin's parameters.
const SCHEMA: u8 = 1;

/// Files of a run that are asked for.
const FILES: usize = 10_000;

/// A folder on the gateway's machine for one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RemoteFolder {
    /// Its absolute path there.
    pub(super) directory: String,
    /// What the gateway calls it.
    pub(super) scope: String,
}

/// What is known of the plugin for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plugin {
    /// It was not asked yet.
    Unknown,
    /// The gateway does not have it.
    Absent,
    /// It has made this.
    Made(RemoteFolder),
}

/// Has a folder made for `turn`, where the gateway has the plugin. Asked again, it is the same folder.
pub(super) async fn prepare(connection: &Connection, turn: &Turn) -> Result<Plugin, GatewayFault> {
    let key = turn.session_key.as_str();
    // The key stands for the thread, too: the thread itself stays here.
    let params = json!({
        "schemaVersion": SCHEMA, "appThreadKey": key, "openclawSessionKey": key, "runId": turn.turn,
    });
    let limit = connection.limits().request;
    let made = match connection.request("xworkmate.session.prepare", params, limit).await {
        Err(fault) if fault.is_unknown_method() => return Ok(Plugin::Absent),
        made => made?,
    };
    for name in ["openclawSessionKey", "sessionKey"] {
        let found = text(&made[name]);
        if !found.is_empty() && !same_session(found, key) {
            return Err(GatewayFault::Session { asked: key.to_owned(), found: shown(found) });
        }
    }
    let (directory, scope) = (text(&made["artifactDirectory"]), text(&made["artifactScope"]));
    if directory.is_empty() {
        return Ok(Plugin::Absent);
    }
    Ok(Plugin::Made(RemoteFolder { directory: directory.to_owned(), scope: scope.to_owned() }))
}

/// Brings all files of the run here, also those elsewhere that its answer `named`. Those of them that the plugin did not collect
/// are given back; what it collected besides is left there.
pub(super) async fn deliver(
    connection: &Connection,
    turn: &Turn,
    prepared: &RemoteFolder,
    named: &[String],
) -> Result<Vec<String>, GatewayFault> {
    let limits = connection.limits();
    let with = |more: Value| {
        let mut params = json!({
            "openclawSessionKey": turn.session_key, "runId": turn.turn, "artifactScope": prepared.scope,
        });
        if let (Value::Object(params), Value::Object(more)) = (&mut params, more) {
            params.extend(more);
        }
        params
    };
    // What is in the folder of the run is exported as it stands, and a link elsewhere is no file of the gateway.
    let beneath = |path: &str| {
        let rest = path.strip_prefix(prepared.directory.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    let elsewhere = |path: &&String| !beneath(path) && !path.contains("://");
    let mut named: Vec<String> = named.iter().filter(elsewhere).cloned().collect();
    let mut swept: Vec<String> = Vec::new();
    if !named.is_empty() {
        let params = with(json!({ "sourceFiles": named, "maxFiles": FILES }));
        let method = "xworkmate.artifacts.collect-and-snapshot";
        let collected = connection.request(method, params, limits.request).await?;
        // Versions of the plugin give files other folders, and none gives them another name.
        let copied = collected["copiedFiles"].as_array().map(Vec::as_slice).unwrap_or_default();
        let copied: Vec<&str> = copied.iter().filter_map(Value::as_str).collect();
        let is_named = |copy: &str| named.iter().any(|path| base(path) == base(copy));
        // Some take everything that lies there, of other runs and of the gateway itself.
        swept = copied.iter().filter(|copy| !is_named(copy)).map(|copy| (*copy).to_owned()).collect();
        named.retain(|path| !copied.iter().any(|copy| base(copy) == base(path)));
    }
    let params = with(json!({ "maxFiles": FILES, "maxInlineBytes": 0, "includeContent": false }));
    let exported = connection.request("xworkmate.artifacts.export", params, limits.request).await?;
    for file in exported["artifacts"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let path = text(&file["relativePath"]);
        if swept.iter().any(|swept| swept == path) {
            continue;
        }
        let size = file["sizeBytes"].as_u64().unwrap_or_default();
        if size > limits.largest_file {
            let problem = format!("it has {size} bytes, and at most {} are fetched", limits.largest_file);
            return Err(unreachable(path, &problem));
        }
        let mut wanted = json!({ "relativePath": path, "maxInlineBytes": limits.largest_file });
        if let Some(reference) = file["artifactRef"].as_str() {
            wanted["artifactRef"] = reference.into();
        }
        let read = connection.request("xworkmate.artifacts.read", with(wanted), limits.file).await?;
        put(turn, path, bytes(file, &read["artifacts"][0])?).await?;
    }
    Ok(named)
}

/// The name of a file without its folders.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The bytes of a file that was listed and read.
fn bytes(listed: &Value, read: &Value) -> Result<Vec<u8>, GatewayFault> {
    let path = text(&listed["relativePath"]);
    let content = read["content"].as_str().ok_or_else(|| unreachable(path, "it came without content"))?;
    let bytes = STANDARD.decode(content).map_err(|_| unreachable(path, "its content is no base64"))?;
    if let Some(listed) = listed["sha256"].as_str() {
        let found = hex::encode(Sha256::digest(&bytes));
        if found != listed {
            return Err(unreachable(path, "it has other bytes than it was listed with"));
        }
    }
    Ok(bytes)
}

async fn put(turn: &Turn, path: &str, bytes: Vec<u8>) -> Result<(), GatewayFault> {
    let (directory, name) = (turn.directory.clone(), path.to_owned());
    let written = tokio::task::spawn_blocking(move || {
        let path = RelPath::parse(&name)?;
        Root::open(&directory)?.top().write(&path, bytes.as_slice(), &Precondition::Any)
    });
    match written.await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(unreachable(path, &error.to_string())),
        Err(_) => Err(unreachable(path, "this server is stopping")),
    }
}

fn unreachable(path: &str, problem: &str) -> GatewayFault {
    GatewayFault::Unreachable { path: shown(path), problem: shown(problem) }
}
