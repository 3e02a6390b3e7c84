//! What the session service is made of.

use std::sync::Arc;
use std::time::Duration;

use engross_llm::Model;
use engross_protocol::{Clock, IdSource};
use engross_store::Store;

use super::decide::TurnRules;
use super::observe::Observer;
use super::request::ClientTool;
use super::settings::Settings;
use super::toolbox::Toolboxes;

/// What a service needs.
pub struct SessionsConfig {
    /// Where logs are kept.
    pub store: Arc<dyn Store>,
    /// Who answers.
    pub models: Models,
    /// What is allowed.
    pub rules: TurnRules,
    /// What holds for sessions that have no settings of their own.
    pub settings: Settings,
    /// Tools that every client carries out, whether it says so or not.
    pub client_tools: Vec<ClientTool>,
    /// Where workspaces come from.
    pub toolboxes: Arc<dyn Toolboxes>,
    /// Who hears of what was stored.
    pub observers: Vec<Arc<dyn Observer>>,
    /// How long a turn goes on when nobody listens.
    pub grace: Duration,
    /// How many requests may wait for one session.
    pub queue: usize,
    /// How many turns may be under way at once; more are refused.
    pub turns: usize,
    /// How many of them may ask a model or use tools at once; the others wait in the order they came, each session with one.
    pub working: usize,
    /// This process's name where others work on the same store: then a lease says who works on a session. `None` where the
    /// store is its own.
    pub node: Option<String>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn IdSource>,
}

/// The models on offer.
#[derive(Clone)]
pub struct Models {
    usual: Arc<dyn Model>,
    named: Vec<(String, Arc<dyn Model>)>,
}

impl Models {
    /// One model for everything.
    #[must_use]
    pub fn one(usual: Arc<dyn Model>) -> Self {
        Self { usual, named: Vec::new() }
    }

    /// A further model, which requests and settings choose by its name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, model: Arc<dyn Model>) -> Self {
        self.named.push((name.into(), model));
        self
    }

    /// Whether there is a model of that name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.named.iter().any(|(known, _)| known == name)
    }

    /// The names on offer.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(|(name, _)| name.as_str())
    }

    /// The model of that name; the usual one for none, and for one that is not offered any more.
    #[must_use]
    pub fn get(&self, name: Option<&str>) -> Arc<dyn Model> {
        let named = name.and_then(|name| self.named.iter().find(|(known, _)| known == name));
        Arc::clone(named.map_or(&self.usual, |(_, model)| model))
    }
}
