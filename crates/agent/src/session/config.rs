//! What the session service is made of.

use std::sync::Arc;
use std::time::Duration;

use engross_llm::{Model, WithdrawnModel};
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

/// The name by which a request asks for the model that a person has brought.
pub const OWN_MODEL: &str = "own";

/// Models that persons have brought, with keys of theirs: for each principal its own, and nobody else's.
pub trait OwnModels: Send + Sync {
    /// That of a principal.
    fn of(&self, principal: &str) -> Option<Arc<dyn Model>>;
}

/// The models on offer.
#[derive(Clone)]
pub struct Models {
    usual: Arc<dyn Model>,
    named: Vec<(String, Arc<dyn Model>)>,
    own: Option<Arc<dyn OwnModels>>,
}

impl Models {
    /// One model for everything.
    #[must_use]
    pub fn one(usual: Arc<dyn Model>) -> Self {
        Self { usual, named: Vec::new(), own: None }
    }

    /// A further model, which requests and settings choose by its name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, model: Arc<dyn Model>) -> Self {
        self.named.push((name.into(), model));
        self
    }

    /// Those that persons have brought, which requests and settings choose as [`OWN_MODEL`].
    #[must_use]
    pub fn with_own(mut self, own: Arc<dyn OwnModels>) -> Self {
        self.own = Some(own);
        self
    }

    /// The one that answers when nobody chooses.
    #[must_use]
    pub fn usual(&self) -> Arc<dyn Model> {
        Arc::clone(&self.usual)
    }

    /// The model of that name, if it is offered to the principal.
    fn find(&self, principal: &str, name: &str) -> Option<Arc<dyn Model>> {
        let named = self.named.iter().find(|(known, _)| known == name);
        named.map(|(_, model)| Arc::clone(model)).or_else(|| match name {
            OWN_MODEL => self.own.as_ref().and_then(|own| own.of(principal)),
            _ => None,
        })
    }

    /// Whether a principal is offered a model of that name.
    #[must_use]
    pub fn has(&self, principal: &str, name: &str) -> bool {
        self.find(principal, name).is_some()
    }

    /// The names that a principal may choose from.
    #[must_use]
    pub fn names(&self, principal: &str) -> Vec<String> {
        let own = self.own.as_ref().and_then(|own| own.of(principal)).map(|_| OWN_MODEL.to_owned());
        self.named.iter().map(|(name, _)| name.clone()).chain(own).collect()
    }

    /// The model of that name; the usual one for none. One that is not offered any more answers nothing: nobody else may read
    /// what was meant for it.
    #[must_use]
    pub fn get(&self, principal: &str, name: Option<&str>) -> Arc<dyn Model> {
        let Some(name) = name else { return self.usual() };
        self.find(principal, name).unwrap_or_else(|| Arc::new(WithdrawnModel { name: name.to_owned() }))
    }
}
