//! Calls that are printed as objects: a name, and arguments.
//!
//! Must never hold an object back whose first field says that it is no call.

use serde_json::{Map, Value};

use super::form::{CallForms, FoundCalls, FoundResult, PrintedCall};
use super::literal::{LiteralReader, NoValue};

/// Fields of an object that name a tool.
const NAME: [&str; 6] = ["name", "tool", "tool_name", "function", "action", "recipient_name"];
/// Fields of an object with the arguments.
const ARGUMENTS: [&str; 8] =
    ["arguments", "parameters", "args", "input", "action_input", "tool_input", "params", "kwargs"];
/// Fields that say nothing more.
const BESIDE: [&str; 4] = ["type", "id", "index", "call_id"];
/// What a field `type` may say.
const KINDS: [&str; 5] = ["function", "tool_call", "tool_use", "function_call", "tool"];

impl CallForms<'_> {
    /// Objects that name a tool and its arguments, one behind the other.
    pub(super) fn values<'a>(&self, text: &'a str) -> FoundResult<'a> {
        self.may_name(text)?;
        let mut calls = Vec::new();
        let mut rest = text;
        loop {
            let mut reader = LiteralReader::new(rest);
            let value = reader.value().map_err(|no| self.settled(no))?;
            calls.extend(self.of_value(&value).ok_or(NoValue::Invalid)?);
            rest = reader.rest();
            let next = rest.trim_start_matches([' ', '\t', ';', ',']);
            if !next.starts_with('{') {
                return Ok(FoundCalls { calls, rest, is_certain: false });
            }
            rest = next;
        }
    }

    /// Whether the beginning of an object can be that of a call: what cannot is not held back to its end.
    fn may_name(&self, text: &str) -> Result<(), NoValue> {
        let mut reader = LiteralReader::new(text);
        while reader.skip('[')? {}
        if !reader.skip('{')? {
            return Err(NoValue::Invalid);
        }
        reader.skip_blanks();
        if !reader.rest().starts_with(['"', '\'']) {
            return if reader.rest().is_empty() { self.more() } else { Err(NoValue::Invalid) };
        }
        let Value::String(key) = reader.value()? else { return Err(NoValue::Invalid) };
        if !reader.skip(':')? {
            return Err(NoValue::Invalid);
        }
        reader.skip_blanks();
        if reader.rest().is_empty() {
            return self.more();
        }
        let is_text = reader.rest().starts_with(['"', '\'']);
        match key.as_str() {
            "type" if is_text => {
                let kind = reader.value()?;
                if KINDS.iter().any(|known| kind == *known) { Ok(()) } else { Err(NoValue::Invalid) }
            }
            name if NAME.contains(&name) && is_text => {
                let Value::String(name) = reader.value()? else { return Err(NoValue::Invalid) };
                self.known(&name).map(|_| ()).ok_or(NoValue::Invalid)
            }
            "tool_calls" | "function_call" | "tool_call" | "function" => Ok(()),
            key if ARGUMENTS.contains(&key) || BESIDE.contains(&key) || self.known(key).is_some() => Ok(()),
            _ => Err(NoValue::Invalid),
        }
    }

    fn of_value(&self, value: &Value) -> Option<Vec<PrintedCall>> {
        match value {
            Value::Array(values) if !values.is_empty() => {
                let calls: Option<Vec<Vec<PrintedCall>>> =
                    values.iter().map(|value| self.of_value(value)).collect();
                calls.map(|calls| calls.into_iter().flatten().collect())
            }
            Value::Object(object) => self.of_object(object),
            _ => None,
        }
    }

    fn of_object(&self, object: &Map<String, Value>) -> Option<Vec<PrintedCall>> {
        for around in ["tool_calls", "tool_call", "function_call", "function"] {
            if let Some(inner @ (Value::Object(_) | Value::Array(_))) = object.get(around) {
                return self.of_value(inner);
            }
        }
        if let (Some((name, arguments @ Value::Object(_))), 1) = (object.iter().next(), object.len()) {
            let name = self.known(name)?;
            return Some(vec![PrintedCall { name, arguments: arguments.clone() }]);
        }
        let field = NAME.iter().find(|field| object.get(**field).is_some_and(Value::is_string))?;
        let name = self.known(object.get(*field)?.as_str()?)?;
        let arguments = match ARGUMENTS.iter().find_map(|field| object.get(*field)) {
            Some(Value::String(text)) => LiteralReader::new(text).value().ok()?,
            Some(Value::Null) => Value::Object(Map::new()),
            Some(arguments) => arguments.clone(),
            None => {
                let beside = |key: &str| key == *field || BESIDE.contains(&key);
                let own = object.iter().filter(|(key, _)| !beside(key));
                Value::Object(own.map(|(key, value)| (key.clone(), value.clone())).collect())
            }
        };
        arguments.is_object().then(|| vec![PrintedCall { name, arguments }])
    }
}
