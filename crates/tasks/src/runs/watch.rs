//! Looks after runs when nobody asks: those that wait too long, and prepared ones that nobody ends.
//!
//! Must never end a run that has its place: its own task attends to that one.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use super::answer_text::AnswerText;
use super::decide::Input;
use super::error::RunError;
use super::names::{Kind, name};
use super::notifications;
use super::service::Runs;
use super::state::Phase;
use crate::codes;

/// How often positions are told.
const POSITIONS: u64 = 20_000;

impl Runs {
    /// Looks after runs every so often, until the server stops.
    pub async fn watch(&self, every: Duration) {
        let mut told = self.now();
        loop {
            tokio::select! {
                () = self.inner.stopping.cancelled() => return,
                () = sleep(every) => {}
            }
            let tell = self.now().saturating_sub(told) >= POSITIONS;
            if tell {
                told = self.now();
            }
            // What fails now is tried again the next time.
            let _ = self.look_after(tell).await;
        }
    }

    /// Ends what has waited too long; tells the others their position if `tell`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn look_after(&self, tell_positions: bool) -> Result<(), RunError> {
        let now = self.now();
        for (_, waiting, position, queued) in self.waiting() {
            let found = name(Kind::Run, &waiting.principal, waiting.run.as_str())?;
            let Some(row) = self.find(&found).await? else { continue };
            let loaded = self.thread(row.session);
            let thread = self.open(&loaded).await?;
            let Some(Phase::Queued(order)) = thread.run(&waiting.run).map(|run| run.phase.clone()) else {
                continue;
            };
            drop(thread);
            let waited = now.saturating_sub(order.face.accepted);
            if waited >= order.patience {
                let message =
                    format!("no place became free within {} seconds: ask again later", order.patience / 1000);
                let input = Input::Refuse(codes::OPENCLAW_GATEWAY_BUSY.name, message);
                self.step(&loaded, &waiting.run, input, &AnswerText::default()).await?;
            } else if tell_positions {
                let queue = json!({ "queue": { "position": position, "queued": queued } });
                loaded.extra.updates.passing(&waiting.run, |seq| {
                    notifications::update(&order.face, seq, "status", "queued", queue)
                });
            }
        }
        for id in self.inner.config.store.due(u64::MAX >> 1, usize::MAX >> 1).await? {
            let loaded = self.thread(id);
            let thread = self.open(&loaded).await?;
            let late = |phase: &Phase| matches!(phase, Phase::Prepared(_, deadline) if *deadline <= now);
            let late: Vec<_> =
                thread.open().filter(|run| late(&run.phase)).map(|run| run.id.clone()).collect();
            drop(thread);
            for run in late {
                self.step(&loaded, &run, Input::Deadline, &AnswerText::default()).await?;
            }
        }
        Ok(())
    }
}
