//! Tools that the server carries out in a session.

use std::future::Future;
use std::pin::Pin;

use engross_llm::ToolCall;

use super::decide::ServerTool;

/// What a model reads in answer to a call, and whether the call failed.
pub type ToolAnswer<'a> = Pin<Box<dyn Future<Output = (String, bool)> + Send + 'a>>;

/// The tools of a workspace. Calls of one turn come one after the other, in the model's order.
pub trait Toolbox: Send + Sync {
    /// What is on offer; the same for a whole turn.
    fn tools(&self) -> Vec<ServerTool>;

    /// What people are told while a call is carried out: "Applying edits: …".
    fn status(&self, call: &ToolCall) -> String;

    /// Carries a call out. What is wrong with the call is an answer, too. A call that is dropped before its answer has
    /// done all or nothing.
    fn run(&self, call: ToolCall) -> ToolAnswer<'_>;
}
