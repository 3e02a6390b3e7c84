//! Models behind one trait: language-model providers and recorded scripts.
//!
//! Must never know what a document or a session is, read a file or read the environment. Only this crate reaches a
//! model provider. Start at [`Model`], then [`open`].

mod attachment;
pub mod codes;
mod collect;
mod dialect;
mod endpoint;
mod error;
mod http;
mod model;
mod open;
mod options;
mod provider;
mod script;
mod spec;
mod text_tools;
mod thought;
mod withdrawn;

#[cfg(test)]
mod attachment_tests;
#[cfg(test)]
mod collect_tests;
#[cfg(test)]
mod endpoint_tests;
#[cfg(test)]
mod error_tests;
#[cfg(test)]
mod open_tests;
#[cfg(test)]
mod options_tests;
#[cfg(test)]
mod provider_tests;
#[cfg(test)]
mod spec_tests;
#[cfg(test)]
mod thought_tests;

pub use attachment::{
    AttachmentKind, AttachmentSource, MessageAttachment, attachment_refusal, attachment_table,
};
pub use collect::{Limits, collect, collect_within};
pub use error::Error;
pub use http::{HttpPolicy, RetryCount};
pub use model::{
    Answer, AnswerText, Event, FinishReason, Message, Model, ModelInfo, Request, Source, ToolCall,
    ToolChoice, ToolSpec, Usage,
};
pub use open::{ProviderSettings, open};
pub use options::{
    AnswerOptions, OptionTreatment, Provider, asks_nothing, option_names, option_table, treatment,
};
pub use script::ScriptModel;
pub use secrecy::{ExposeSecret, SecretString};
pub use spec::ModelSpec;
pub use thought::{Thought, ThoughtForm, seal_thoughts, unseal_thoughts};
pub use withdrawn::WithdrawnModel;
