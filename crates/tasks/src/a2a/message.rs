//! A client's message: what is to be done, for which context, with which files.
//!
//! Must never fetch anything from an address that a message names, or leave a part of it out silently.

use serde_json::{Map, Value, json};

use super::error::A2aError;

/// The longest id of a message or a context, in bytes.
const LONGEST_ID: usize = 200;

/// What an agent is told before the words of the message.
const BRIEFING: &str = "Work in the folder $XWORKMATE_ARTIFACT_DIRECTORY only. Only files that are in it when you end are delivered; a file that is only named in text is not.\n\nUser request:\n";

/// A message that can be carried out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) context: Option<String>,
    pub(super) task: Option<String>,
    /// Its words.
    pub(super) text: String,
    files: Vec<Value>,
    metadata: Map<String, Value>,
}

impl Message {
    /// Reads the parameters of a request.
    pub(super) fn of(params: &Map<String, Value>) -> Result<Self, A2aError> {
        let message = params
            .get("message")
            .and_then(Value::as_object)
            .ok_or_else(|| A2aError::params("`message` is missing"))?;
        let id = |name: &str| -> Result<Option<String>, A2aError> {
            match message.get(name).and_then(Value::as_str).unwrap_or_default() {
                "" => Ok(None),
                id if id.len() > LONGEST_ID => {
                    Err(A2aError::params(format!("`message.{name}` has more than {LONGEST_ID} bytes")))
                }
                id => Ok(Some(id.to_owned())),
            }
        };
        if let Some(role) = message.get("role").and_then(Value::as_str)
            && role != "ROLE_USER"
        {
            return Err(A2aError::params("`message.role` is ROLE_USER in what is sent to an agent"));
        }
        let (mut words, mut files) = (Vec::new(), Vec::new());
        for part in message.get("parts").and_then(Value::as_array).into_iter().flatten() {
            read_part(part, &mut words, &mut files)?;
        }
        let text = words.join("\n\n");
        if text.trim().is_empty() && files.is_empty() {
            return Err(A2aError::params("`message.parts` says nothing: send a part with `text`"));
        }
        // What holds for the request holds unless the message says otherwise.
        let mut metadata = Map::new();
        for place in [params.get("metadata"), message.get("metadata")] {
            metadata.extend(place.and_then(Value::as_object).cloned().unwrap_or_default());
        }
        Ok(Self {
            id: id("messageId")?.ok_or_else(|| A2aError::params("`message.messageId` is missing"))?,
            context: id("contextId")?,
            task: id("taskId")?,
            text,
            files,
            metadata,
        })
    }

    /// The parameters of the session that carries it out in the thread `context`.
    pub(super) fn session(&self, context: &str) -> Map<String, Value> {
        let word = |name: &str| self.metadata.get(name).and_then(Value::as_str);
        let mut routing = json!({ "explicitExecutionTarget": "agent" });
        if let Some(provider) = word("provider") {
            routing["explicitProviderId"] = json!(provider);
        }
        let said = if self.text.trim().is_empty() { "See attached." } else { &self.text };
        let mut fields = json!({
            "sessionId": context,
            "threadId": context,
            "taskPrompt": format!("{BRIEFING}{said}"),
            "userText": self.text,
            "routing": routing,
            "idempotencyKey": format!("a2a:{context}:{}", self.id),
            "inlineAttachments": self.files,
        });
        if let Some(model) = word("model") {
            fields["model"] = json!(model);
        }
        for name in ["requiredArtifactExtensions", "expectedFileCountByExtension", "runBudgetMs"] {
            if let Some(asked) = self.metadata.get(name) {
                fields[name] = asked.clone();
            }
        }
        let Value::Object(fields) = fields else { return Map::new() };
        fields
    }
}

/// One part: words, data that are told as JSON, or the bytes of a file.
fn read_part(part: &Value, words: &mut Vec<String>, files: &mut Vec<Value>) -> Result<(), A2aError> {
    let text = |name: &str| part[name].as_str().unwrap_or_default();
    if let Some(said) = part["text"].as_str() {
        words.push(said.to_owned());
    } else if let Some(raw) = part["raw"].as_str() {
        let usual = format!("attachment-{}", files.len() + 1);
        let name = Some(text("filename")).filter(|name| !name.is_empty()).unwrap_or(&usual);
        files.push(json!({ "name": name, "mimeType": text("mediaType"), "content": raw }));
    } else if !part["data"].is_null() {
        words.push(part["data"].to_string());
    } else if part["url"].is_string() {
        return Err(A2aError::content_type(
            "no file is fetched from an address that a message names: send its bytes as `raw`",
        ));
    } else {
        return Err(A2aError::content_type("a part has `text`, `raw` or `data`; this one has none of them"));
    }
    Ok(())
}
