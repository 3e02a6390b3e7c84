//! Notices a model that makes the same call again and again.

use engross_llm::ToolCall;
use serde_json::Value;

use crate::tools::CallResult;

/// Remembers the last call and its result.
#[derive(Debug, Clone, Default)]
pub(super) struct RepeatGuard {
    last: Option<(String, Arguments)>,
    /// How often in a row the last call was made.
    count: u32,
    result: Option<CallResult>,
}

/// Arguments, compared by meaning where they are JSON.
#[derive(Debug, Clone, PartialEq)]
enum Arguments {
    Json(Value),
    Text(String),
}

impl RepeatGuard {
    /// Counts a call; gives how often it was made in a row, this time included.
    pub(super) fn count(&mut self, call: &ToolCall) -> u32 {
        let arguments = serde_json::from_str(&call.arguments)
            .map_or_else(|_| Arguments::Text(call.arguments.clone()), Arguments::Json);
        let key = (call.name.clone(), arguments);
        if self.last.as_ref() == Some(&key) {
            self.count += 1;
        } else {
            self.last = Some(key);
            self.count = 1;
        }
        self.count
    }

    /// Keeps the result of a call, for the case that the call is repeated.
    pub(super) fn keep(&mut self, result: &CallResult) {
        self.result = Some(result.clone());
    }

    /// The result of the call before.
    pub(super) fn earlier(&self) -> Option<&CallResult> {
        self.result.as_ref()
    }
}
