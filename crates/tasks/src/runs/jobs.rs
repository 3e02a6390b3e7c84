//! Which jobs a principal has: a log of their ids, one for each principal.
//!
//! Must never show a job to anybody else.

use engross_protocol::SessionId;
use engross_store::{Append, Millis, Name, NewEntry, NewSession};

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
        let store = &self.inner.config.store;
        let now = self.now();
        let name: Name = list_name(principal)?;
        let entry = || NewEntry { kind: "task_job", at: now, body: job.as_bytes().to_vec() };
        loop {
            let new = NewSession {
                id: SessionId::new(&*self.inner.config.ids, now),
                at: now,
                key: name.clone(),
                names: Vec::new(),
                entries: vec![entry()],
                snapshot: None,
                wake_at: None,
            };
            let (session, created) = store.create(new).await?;
            if created {
                return Ok(());
            }
            let append = Append {
                session: session.id,
                fence: None,
                expected_head: session.head,
                entries: vec![entry()],
                names: Vec::new(),
                // Only the entries count; a snapshot keeps them from being read when the list grows.
                snapshot: Some(Vec::new()),
                wake_at: None,
            };
            match store.append(append).await {
                Err(engross_store::Error::Conflict { .. }) => {}
                appended => return Ok(appended.map(|_| ())?),
            }
        }
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
