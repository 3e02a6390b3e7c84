//! Models behind one trait: language-model providers, recorded scripts, and the embedded rules.
//!
//! Must never know what a document or a session is. Only this crate reaches a model provider.

mod error;
mod model;

pub use error::Error;
pub use model::{
    Answer, Event, FinishReason, Message, Model, ModelInfo, Request, ToolCall, ToolSpec, Usage,
};
