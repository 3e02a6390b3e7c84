//! What came whole of a call of operations that was cut.
//!
//! Must never mend an operation: one that is not complete is left out.

use serde_json::{Map, Value, json};

/// The argument that says so of a call. The session sets it.
pub(super) const CUT: &str = "cut";

/// The arguments of a cut call with the operations that are complete; `None` if there is none.
pub(crate) fn complete_operations(arguments: &str) -> Option<String> {
    let mut ends = operation_ends(arguments);
    while let Some(end) = ends.pop() {
        let whole = format!("{}]}}", arguments.get(..end)?);
        let Ok(Value::Object(mut fields)) = serde_json::from_str::<Value>(&whole) else { continue };
        let operations = fields.get("operations").and_then(Value::as_array)?;
        if operations.is_empty() {
            return None;
        }
        fields.insert(CUT.to_owned(), json!(true));
        return Some(Value::Object(fields).to_string());
    }
    None
}

/// Where objects end that stand in a list which stands in the outermost object.
fn operation_ends(arguments: &str) -> Vec<usize> {
    let (mut ends, mut depth) = (Vec::new(), 0_usize);
    let (mut in_text, mut is_escaped) = (false, false);
    for (at, byte) in arguments.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if byte == b'}' && depth == 2 {
                    ends.push(at + 1);
                }
            }
            _ => {}
        }
    }
    ends
}

/// The result of such a call, which says that there was more.
pub(crate) fn tell_cut(arguments: &str, result: String) -> String {
    let cut = serde_json::from_str::<Map<String, Value>>(arguments).unwrap_or_default();
    if cut.get(CUT) != Some(&json!(true)) {
        return result;
    }
    let count = cut.get("operations").and_then(Value::as_array).map_or(0, Vec::len);
    let told = format!(
        "Your answer was cut within this call. Only its first {count} operations came whole, and these alone were looked at; send \
         the others in another call. A text of more than 4 KiB goes as a file: write it with {}, and name its session_id in \
         contentFrom.",
        crate::writing::BEGIN
    );
    match serde_json::from_str::<Value>(&result) {
        Ok(Value::Object(mut fields)) => {
            fields.insert(CUT.to_owned(), Value::from(told));
            Value::Object(fields).to_string()
        }
        _ => format!("{told}\n{result}"),
    }
}
