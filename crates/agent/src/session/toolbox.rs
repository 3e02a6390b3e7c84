//! Tools that the server carries out in a session.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use engross_llm::{Model, ToolCall};
use engross_protocol::SessionId;
use tokio_util::sync::CancellationToken;

use super::error::RequestError;
use super::log::{SeenFile, ToolResult};
use super::server_tool::ServerTool;
use super::settings::Settings;
use crate::writing::Writer;

/// The results of a round's calls, in their order.
pub type ToolResultsFuture<'a> = Pin<Box<dyn Future<Output = Vec<ToolResult>> + Send + 'a>>;

/// A toolbox on its way.
pub type ToolboxFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Arc<dyn Toolbox>, RequestError>> + Send + 'a>>;

/// The description of a workspace for the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Briefing {
    /// Standing instructions; empty for none.
    pub text: String,
    /// Files that are shown in them.
    pub seen: Vec<SeenFile>,
}

/// A briefing on its way.
pub type BriefingFuture<'a> = Pin<Box<dyn Future<Output = Briefing> + Send + 'a>>;

/// The calls of one answer of the model that the server carries out.
pub struct ToolRound {
    /// The session.
    pub session: SessionId,
    /// The calls, in the model's order.
    pub calls: Vec<ToolCall>,
    /// Files as the model last saw them: name and revision.
    pub seen: BTreeMap<String, String>,
    /// What is set for the session.
    pub settings: Settings,
    /// Who may be asked while a call is carried out.
    pub model: Arc<dyn Model>,
    /// Cancelled when the turn is to stop: nothing more may be changed then.
    pub cancelled: CancellationToken,
}

/// The tools of a workspace.
pub trait Toolbox: Send + Sync {
    /// What is on offer; the same for a whole turn.
    fn tools(&self) -> Vec<ServerTool>;

    /// Standing instructions for the model before each of its answers.
    fn briefing(&self) -> BriefingFuture<'_>;

    /// A status line for people while a call is carried out: "Applying edits …".
    fn status(&self, call: &ToolCall) -> String;

    /// Who writes files for the model, if it may write any.
    fn writer(&self) -> Option<Writer> {
        None
    }

    /// Carries a round out: one result for each call. What is wrong with a call is a result, too.
    fn run(&self, round: ToolRound) -> ToolResultsFuture<'_>;
}

/// Opens workspaces.
pub trait Toolboxes: Send + Sync {
    /// The toolbox of a workspace of `principal`, who reaches no others.
    ///
    /// # Errors
    /// When there is no such workspace, or it cannot be reached; [`RequestError::home_away`] when another node has it.
    fn open<'a>(&'a self, principal: &'a str, workspace: &'a str) -> ToolboxFuture<'a>;
}

/// A server without workspaces.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoToolboxes;

impl Toolboxes for NoToolboxes {
    fn open<'a>(&'a self, _: &'a str, workspace: &'a str) -> ToolboxFuture<'a> {
        Box::pin(async move { Err(RequestError::no_workspace(workspace)) })
    }
}
