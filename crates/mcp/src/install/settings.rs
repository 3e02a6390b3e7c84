//! A client's settings with the server, and without it. All else in them stays as it is written, comments too.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Value, json};
use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::clients::{EntryForm, McpClient, ServerStart};

/// The name of the entry.
const NAME: &str = "engross";

impl McpClient {
    /// The key that entries stand beneath.
    fn key(&self) -> &'static str {
        match self.form {
            EntryForm::Json(key)
            | EntryForm::TypedJson(key, _)
            | EntryForm::ToolsJson(key, _)
            | EntryForm::Toml(key) => key,
            EntryForm::ListJson => "mcp",
        }
    }

    /// The entry.
    fn entry(&self, start: &ServerStart) -> Vec<(&'static str, Value)> {
        let (command, arguments) = (json!(start.command), json!(start.arguments));
        match self.form {
            EntryForm::Json(_) | EntryForm::Toml(_) => vec![("command", command), ("args", arguments)],
            EntryForm::TypedJson(_, kind) => {
                vec![("type", json!(kind)), ("command", command), ("args", arguments)]
            }
            EntryForm::ToolsJson(_, kind) => {
                vec![
                    ("type", json!(kind)),
                    ("command", command),
                    ("args", arguments),
                    ("tools", json!(["*"])),
                ]
            }
            EntryForm::ListJson => {
                let list: Vec<&String> = std::iter::once(&start.command).chain(&start.arguments).collect();
                vec![("type", json!("local")), ("command", json!(list)), ("enabled", json!(true))]
            }
        }
    }
}

/// The block for a person to put into the settings.
///
/// # Errors
/// As [`with_server`]: none for settings that are not there yet.
pub fn print_server(client: &McpClient, start: &ServerStart) -> Result<String, String> {
    with_server(client, "", start)
}

/// Settings with the entry for the server. What a person has put into the entry besides stays.
///
/// # Errors
/// When the settings cannot be read, or something else stands where entries stand.
pub fn with_server(client: &McpClient, settings: &str, start: &ServerStart) -> Result<String, String> {
    let entry = client.entry(start);
    match client.form {
        EntryForm::Toml(table) => toml_with(settings, table, &entry),
        _ => json_with(settings, client.key(), entry),
    }
}

/// Settings without the entry for the server.
///
/// # Errors
/// When the settings cannot be read.
pub fn without_server(client: &McpClient, settings: &str) -> Result<String, String> {
    match client.form {
        EntryForm::Toml(table) => {
            let mut document = toml(settings)?;
            let Some(servers) = document.get_mut(table).and_then(Item::as_table_like_mut) else {
                return Ok(settings.to_owned());
            };
            Ok(if servers.remove(NAME).is_some() { document.to_string() } else { settings.to_owned() })
        }
        _ => {
            let root = json(settings)?;
            let servers = root.object_value().and_then(|object| object.object_value(client.key()));
            match servers.and_then(|servers| servers.get(NAME)) {
                Some(entry) => {
                    entry.remove();
                    Ok(root.to_string())
                }
                None => Ok(settings.to_owned()),
            }
        }
    }
}

fn json(settings: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(settings, &ParseOptions::default()).map_err(|error| format!("it is no JSON: {error}"))
}

fn json_with(settings: &str, key: &str, entry: Vec<(&'static str, Value)>) -> Result<String, String> {
    let root = json(settings)?;
    let top = root.object_value_or_create().ok_or("it is no JSON object")?;
    let servers = object(&top, key)?;
    let own = object(&servers, NAME)?;
    let mut is_changed = false;
    for (name, wanted) in entry {
        match own.get(name) {
            Some(there) if there.value().and_then(|node| plain(&node)).as_ref() == Some(&wanted) => continue,
            Some(there) => there.set_value(written(wanted)),
            None => drop(own.append(name, written(wanted))),
        }
        is_changed = true;
    }
    if !is_changed {
        return Ok(settings.to_owned());
    }
    let text = root.to_string();
    Ok(if text.ends_with('\n') { text } else { text + "\n" })
}

fn object(parent: &CstObject, name: &str) -> Result<CstObject, String> {
    parent.object_value_or_create(name).ok_or_else(|| format!("'{name}' in it is no object"))
}

fn plain(node: &CstNode) -> Option<Value> {
    node.to_serde_value()
}

fn written(value: Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text),
        Value::Array(items) => CstInputValue::Array(items.into_iter().map(written).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.into_iter().map(|(name, value)| (name, written(value))).collect())
        }
    }
}

fn toml(settings: &str) -> Result<DocumentMut, String> {
    settings.parse().map_err(|error| format!("it is no TOML: {error}"))
}

fn toml_with(settings: &str, table: &str, entry: &[(&str, Value)]) -> Result<String, String> {
    let mut document = toml(settings)?;
    let implicit = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let no_table = |name: &str| format!("'{name}' in it is no table");
    let servers = document.entry(table).or_insert_with(implicit);
    let servers = servers.as_table_like_mut().ok_or_else(|| no_table(table))?;
    if !servers.contains_key(NAME) {
        servers.insert(NAME, Item::Table(Table::new()));
    }
    let own = servers.get_mut(NAME).and_then(Item::as_table_like_mut).ok_or_else(|| no_table(NAME))?;
    let mut is_changed = false;
    for (name, wanted) in entry {
        let item = match wanted {
            Value::Array(items) => value(items.iter().filter_map(Value::as_str).collect::<Array>()),
            other => value(other.as_str().unwrap_or_default()),
        };
        let is_there = own.get(name).is_some_and(|there| same(there, wanted));
        if !is_there {
            own.insert(name, item);
            is_changed = true;
        }
    }
    Ok(if is_changed { document.to_string() } else { settings.to_owned() })
}

/// Whether a value of TOML says the same.
fn same(there: &Item, wanted: &Value) -> bool {
    match wanted {
        Value::Array(items) => {
            let there =
                there.as_array().map(|list| list.iter().map(|item| item.as_str()).collect::<Vec<_>>());
            there == Some(items.iter().map(Value::as_str).collect())
        }
        other => there.as_str() == other.as_str(),
    }
}
