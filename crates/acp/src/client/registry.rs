//! The registry of configured agents.
//!
//! Must never start one that nobody asked for.

use super::limits::Limits;
use super::process::sweep;
use super::provider::{AgentProvider, Host};
use super::runner::AcpRunner;
use engross_tasks::runner::ProviderId;

/// All agents of a server.
pub struct AgentRegistry {
    owner: String,
    runners: Vec<AcpRunner>,
}

impl AgentRegistry {
    /// Nothing is started yet. Of two providers with one id the last one counts, in the place of the first.
    #[must_use]
    pub fn new(providers: Vec<AgentProvider>, host: &Host, limits: &Limits) -> Self {
        let mut chosen: Vec<AgentProvider> = Vec::new();
        for provider in providers {
            match chosen.iter_mut().find(|other| other.id == provider.id) {
                Some(other) => *other = provider,
                None => chosen.push(provider),
            }
        }
        let runners =
            chosen.into_iter().map(|one| AcpRunner::new(one, host.clone(), limits.clone())).collect();
        Self { owner: host.owner.clone(), runners }
    }

    /// All of them, in the order of the catalog.
    #[must_use]
    pub fn runners(&self) -> &[AcpRunner] {
        &self.runners
    }

    /// One by its id.
    #[must_use]
    pub fn runner(&self, id: &ProviderId) -> Option<&AcpRunner> {
        self.runners.iter().find(|runner| runner.provider().id == *id)
    }

    /// Kills what an earlier server of the same owner left behind. To be called before the first turn, and only by the one
    /// server of that owner. Works on Linux; elsewhere agents end by themselves when their input closes.
    pub fn sweep(&self) {
        sweep(&self.owner);
    }

    /// Whether one of them has conversations that a next turn may go on with.
    #[must_use]
    pub fn have_conversations(&self) -> bool {
        self.runners.iter().any(AcpRunner::has_conversations)
    }

    /// Ends all processes, and waits until they are gone.
    pub async fn shut_down(&self) {
        for runner in &self.runners {
            runner.shut_down().await;
        }
    }
}
