//! The JSON in a model's answer, which likes to put words and fences round it.

use serde_json::Value;

/// The first whole JSON object in `text`.
///
/// # Errors
/// Why there is none.
pub(super) fn object(text: &str) -> Result<Value, String> {
    let mut problem = "it holds no JSON object".to_owned();
    let mut rest = text;
    // A few words before the object may hold braces of their own.
    for _ in 0..64 {
        let Some(at) = rest.find('{') else { break };
        rest = rest.get(at..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value @ Value::Object(_))) => return Ok(value),
            Some(Err(error)) => problem = format!("its JSON is not valid: {error}"),
            _ => {}
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    Err(problem)
}
