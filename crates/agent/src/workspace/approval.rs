//! Who agrees to edits of a document before they are made.
//!
//! Must never change anything: what is proposed was tried on a copy in memory.

use std::future::Future;
use std::pin::Pin;

use engross_documents::{Error, Workspace};
use engross_docx::EditOptions;
use engross_docx::ops::{OperationResult, Status};
use engross_store::files::RelPath;

use crate::codes;
use crate::tools::{Round, ToolError};

/// An agreement on its way.
pub type ApprovalFuture<'a> = Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

/// Edits as they would come out.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedEdits {
    /// The document.
    pub file: String,
    /// What each operation would do, in order.
    pub operations: Vec<OperationResult>,
}

/// Agrees to edits before they are made.
pub trait Approver: Send + Sync {
    /// Whether the edits may be made. May take as long as a person thinks.
    fn approve(&self, edits: ProposedEdits) -> ApprovalFuture<'_>;
}

/// Has the edits of a round on a document agreed to; what is declined is an error of its call.
pub(super) async fn propose(
    approver: &dyn Approver,
    (workspace, path): (Workspace, RelPath),
    round: &mut Round,
    options: &EditOptions,
) -> Result<(), Error> {
    let (tried, options) = (round.clone(), options.clone());
    let preview = tokio::task::spawn_blocking(move || preview(&workspace, &path, &tried, &options));
    let edits = preview.await.map_err(|_| Error::Stopped)??;
    let would_change = edits.operations.iter().any(|result| result.status == Status::Applied);
    if would_change && !approver.approve(edits).await {
        round.refuse_edits(&ToolError::new(
            codes::EDITS_DECLINED.name,
            "the person did not agree to these edits, so nothing was changed; ask what they want instead",
        ));
    }
    Ok(())
}

/// What the edits of a round would do to the document.
fn preview(
    workspace: &Workspace,
    path: &RelPath,
    round: &Round,
    options: &EditOptions,
) -> Result<ProposedEdits, Error> {
    let mut document = workspace.open(path)?.document;
    let tried = round.carry_out(&mut document, options);
    let tried = tried.map_err(|error| Error::document(path.as_str(), error))?;
    let operations = tried.operations.into_iter().map(|(result, _)| result).collect();
    Ok(ProposedEdits { file: path.as_str().to_owned(), operations })
}
