//! What a model thought before it called tools, in the form in which its provider wants it back with their results.
//!
//! Must never reach another model than the one that thought it, nor a conversation once its turn is over.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How sealed thoughts begin: what follows is their JSON as base64.
const SEAL: &str = "engross1.";

/// A piece of a model's reasoning that goes back to it unchanged.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thought {
    /// The model, by the name that its provider has for it. Signatures hold for it alone. Empty where a client brings reasoning
    /// and does not say whose it was.
    pub by: String,
    /// In which form.
    #[serde(flatten)]
    pub form: ThoughtForm,
}

/// The forms that providers give reasoning in.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum ThoughtForm {
    /// Anthropic's thinking. Its signature vouches for the text.
    Signed {
        /// What was thought; empty where the provider keeps it to itself.
        text: String,
        /// The signature.
        signature: String,
    },
    /// Anthropic's thinking that only the provider can read.
    Sealed {
        /// What it gave for it.
        data: String,
    },
    /// The text that servers of chat completions send beside the answer.
    Plain {
        /// Their name for it: `reasoning_content` or `reasoning`.
        field: String,
        /// The text.
        text: String,
    },
    /// The list `reasoning_details` of servers that put several models behind chat completions. It goes back as it came.
    Details {
        /// Its items, each in one piece.
        items: Vec<Value>,
    },
}

/// Thoughts as a text that a client keeps for the model, and gives back unread.
#[must_use]
pub fn seal_thoughts(thoughts: &[Thought]) -> String {
    // What is made of texts alone can be written.
    let json = serde_json::to_vec(thoughts).unwrap_or_default();
    format!("{SEAL}{}", URL_SAFE_NO_PAD.encode(json))
}

/// The thoughts of such a text; `None` for one of somebody else.
#[must_use]
pub fn unseal_thoughts(sealed: &str) -> Option<Vec<Thought>> {
    let json = URL_SAFE_NO_PAD.decode(sealed.strip_prefix(SEAL)?).ok()?;
    serde_json::from_slice(&json).ok()
}

impl Thought {
    /// Whether the model of that name can be given it.
    pub(crate) fn is_for(&self, name: &str) -> bool {
        self.by.is_empty() || self.by == name
    }

    /// How much room it takes, in bytes.
    pub(crate) fn size(&self) -> usize {
        match &self.form {
            ThoughtForm::Signed { text, signature } => text.len() + signature.len(),
            ThoughtForm::Sealed { data } => data.len(),
            ThoughtForm::Plain { text, .. } => text.len(),
            ThoughtForm::Details { items } => items.iter().map(|item| item.to_string().len()).sum(),
        }
    }
}

/// Never what was thought: it is for the model.
impl fmt::Debug for Thought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of reasoning by {}", self.size(), self.by)
    }
}
