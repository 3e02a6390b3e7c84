//! The envelopes of the protocol: JSON-RPC 2.0 with the fields beside it that its clients read.
//!
//! Must never change the id of a request, nor give an answer both a result and an error.

use serde_json::{Map, Value, json};

use super::error::RpcError;

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcRequest {
    /// Its id; without one nothing is answered.
    pub id: Option<Value>,
    /// What is asked for.
    pub method: String,
    /// With what.
    pub params: Map<String, Value>,
}

impl RpcRequest {
    /// Reads one request.
    ///
    /// # Errors
    /// -32700 when it is no JSON object with a method, -32602 when its parameters are no object; with the id, if there is one.
    pub fn parse(bytes: &[u8]) -> Result<Self, Box<(Value, RpcError)>> {
        let parse = |problem: String| Box::new((Value::Null, RpcError::parse(&problem)));
        let value: Value = serde_json::from_slice(bytes).map_err(|error| parse(error.to_string()))?;
        let Value::Object(mut fields) = value else {
            return Err(parse("it is no object; batches are not taken".to_owned()));
        };
        let id = fields.remove("id").filter(|id| !id.is_null());
        let told = id.clone().unwrap_or_default();
        let method = match fields.remove("method") {
            Some(Value::String(method)) if !method.trim().is_empty() => method.trim().to_owned(),
            _ => return Err(Box::new((told, RpcError::parse("`method` is missing")))),
        };
        let params = match fields.remove("params") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => {
                let problem = "`params` is no object: send an object, or nothing";
                return Err(Box::new((told, RpcError::params(problem))));
            }
        };
        Ok(Self { id, method, params })
    }
}

/// The answer to a request.
#[must_use]
pub fn reply(id: &Value, answer: Result<Value, &RpcError>) -> Value {
    match answer {
        Ok(result) => json!({
            "jsonrpc": "2.0", "id": id, "result": result, "ok": true, "type": "res", "payload": result, "seq": 0,
        }),
        Err(error) => json!({
            "jsonrpc": "2.0", "id": id, "error": error.body(), "ok": false, "type": "res", "payload": null, "seq": 0,
        }),
    }
}

/// Something that is told without being an answer.
#[must_use]
pub fn notification(method: &str, params: &Value, seq: Option<u64>) -> Value {
    let mut told = json!({
        "jsonrpc": "2.0", "method": method, "params": params, "type": "event", "event": method, "payload": params,
    });
    if let (Some(seq), Value::Object(told)) = (seq, &mut told) {
        told.insert("seq".to_owned(), seq.into());
    }
    told
}
