//! What a model thought before it called tools, in the form in which its provider wants it back with their results.
//!
//! Must never reach another model than the one that thought it, nor a conversation once its turn is over.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A piece of a model's reasoning that goes back to it unchanged.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thought {
    /// The model, by the name that its provider has for it. Signatures hold for it alone.
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
}

impl Thought {
    /// How much room it takes, in bytes.
    pub(crate) fn size(&self) -> usize {
        match &self.form {
            ThoughtForm::Signed { text, signature } => text.len() + signature.len(),
            ThoughtForm::Sealed { data } => data.len(),
            ThoughtForm::Plain { text, .. } => text.len(),
        }
    }
}

/// Never what was thought: it is for the model.
impl fmt::Debug for Thought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of reasoning by {}", self.size(), self.by)
    }
}
