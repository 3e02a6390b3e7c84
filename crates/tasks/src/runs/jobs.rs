//! Which jobs a principal has: a log of their ids, one for each principal.
//!
//! Must never show a job to anybody else.

use engross_journal::{ListLine, add_to_list};
use engross_protocol::SessionId;
use engross_store::Millis;

use super::error::RunError;
use super::names::list_name;
use super::service::Runs;
use super::ticket::Ticket;

impl Runs {
    /// Adds a job to the list of its principal.
    ///
    /// # Errors
    /// When the store cannot be written to.
    pub async fn list_job(&self, principal: &str, job: &str) -> Result<(), RunError> {
        let at = self.now();
        let id = SessionId::new(&*self.inner.config.ids, at);
        let line = ListLine { kind: "task_job", at, text: job, is_unique: false };
        Ok(add_to_list(self.inner.journal.store(), id, &list_name(principal)?, line).await?)
    }

    /// The newest jobs of a principal, the oldest of them first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn jobs(&self, principal: &str, most: usize) -> Result<Vec<String>, RunError> {
        let store = &self.inner.config.store;
        let Some(session) = store.load(&list_name(principal)?).await? else { return Ok(Vec::new()) };
        let after = session.head.saturating_sub(most as u64);
        let entries = store.entries(session.id, after, most).await?;
        Ok(entries.into_iter().map(|entry| String::from_utf8_lossy(&entry.body).into_owned()).collect())
    }
}

impl Ticket {
    /// The job that the run belongs to, as long as it waits or is under way.
    ///
    /// # Errors
    /// [`RunError::Damaged`].
    pub async fn job(&self) -> Result<Option<String>, RunError> {
        Ok(self.order().await?.and_then(|order| order.job))
    }

    /// When the run was accepted, as long as it waits or is under way.
    ///
    /// # Errors
    /// [`RunError::Damaged`].
    pub async fn accepted(&self) -> Result<Option<Millis>, RunError> {
        Ok(self.order().await?.map(|order| order.face.accepted))
    }
}
