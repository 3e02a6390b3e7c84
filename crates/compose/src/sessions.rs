//! What `serve`, `chat` and `acp` make sessions of: where they are kept, who answers, and what holds for them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engross_agent::session::{
    ClientTool, Models, Observer, Sessions, SessionsConfig, Settings as SessionSettings, Toolboxes, TurnRules,
};
use engross_documents::signature;
use engross_learn::disk::BookPaths;
use engross_learn::recall::RecallingModel;
use engross_llm::Model;
use engross_protocol::{Clock, Exit, Failure, IdSource, RandomIds, SystemClock};
use engross_store::files::Root;
use engross_store::{SqliteStore, Store};

use super::model;
use crate::console::note;
use crate::failure::usage;
use crate::files;
use crate::settings::{Environment, ProgramSettings};
use engross_http::client_tools as read_tools;

/// How requests name the second model: `engross/slow`.
const SLOW: &str = "slow";

/// What the sessions of one process are made of, whatever the model.
pub struct SessionParts {
    /// What holds for each session.
    pub settings: SessionSettings,
    /// Where their logs are.
    pub store: Arc<dyn Store>,
    /// The tools of each session.
    pub toolboxes: Arc<dyn Toolboxes>,
    /// Who is told what a session stored.
    pub observers: Vec<Arc<dyn Observer>>,
}

impl SessionParts {
    /// The sessions, with a model that answers.
    pub fn open(&self, model: Arc<dyn Model>) -> Sessions {
        Sessions::new(SessionsConfig {
            store: Arc::clone(&self.store),
            models: Models::one(model),
            rules: TurnRules::default(),
            settings: self.settings.clone(),
            client_tools: Vec::new(),
            toolboxes: Arc::clone(&self.toolboxes),
            observers: self.observers.clone(),
            grace: Duration::from_secs(30),
            queue: 32,
            turns: 32,
            working: 32,
            node: Some(process_name()),
            clock: Arc::new(SystemClock),
            ids: Arc::new(RandomIds),
        })
    }
}

/// A name that no other process has.
pub fn process_name() -> String {
    format!("node_{:032x}", u128::from_be_bytes(RandomIds.next(SystemClock.millis())))
}

/// The file of a data folder with its sessions.
pub const FILE: &str = "sessions.sqlite";

/// The file with the sessions in the folder for data, which other processes may have open, too.
pub fn open_file(folder: &Path) -> Result<SqliteStore, Failure> {
    SqliteStore::open_shared(&folder.join(FILE)).map_err(|error| store_failure(&error))
}

/// A store's failure, as the program ends with it.
pub fn store_failure(error: &engross_store::Error) -> Failure {
    Failure::new(Exit::Io, error.code(), error.to_string())
}

/// Opens the folder that documents may be in.
pub fn open_root(path: &Path) -> Result<Root, Failure> {
    Root::open(path).map_err(|error| {
        let failure = Failure::from(error);
        Failure { message: format!("{}: {}", path.display(), failure.message), ..failure }
    })
}

/// The models on offer.
pub fn models(settings: &ProgramSettings, environment: &Environment) -> Result<Models, Failure> {
    let models = Models::one(recalling(model::open(settings, environment)?, settings));
    match &settings.slow_model.value {
        Some(spec) => {
            let slow = model::open_spec(&spec.parse()?, settings, environment)?;
            Ok(models.with(SLOW, recalling(slow, settings)))
        }
        None => Ok(models),
    }
}

/// The model with the lessons of the skillbook that the settings name.
pub fn recalling(model: Arc<dyn Model>, settings: &ProgramSettings) -> Arc<dyn Model> {
    let Some(json) = settings.skillbook.value.clone() else { return model };
    let complain = |error: &engross_learn::Error| {
        note(&format!("Sessions go on without new lessons: {error} [{}]", error.code()));
    };
    let clock = Arc::new(SystemClock);
    Arc::new(RecallingModel::new(model, BookPaths { json }, settings.skill_tokens.value, clock, complain))
}

/// What holds for sessions that have no settings of their own.
pub fn session_settings(settings: &ProgramSettings) -> Result<SessionSettings, Failure> {
    let set = SessionSettings {
        model: None,
        author: Some(signature::author(&settings.author.value)?.to_owned()),
        redlines: Some(!settings.untracked.value),
        system_prompt: settings.system_prompt.value.clone(),
        history_turns: Some(settings.history_turns.value),
        history_tokens: Some(settings.history_tokens.value),
        history_summary: Some(settings.history_summary.value),
        max_rounds: Some(settings.max_rounds.value),
    };
    match set.problem() {
        Some((field, problem)) => Err(usage("CONFIG_INVALID", format!("the setting '{field}' {problem}"))),
        None => Ok(set),
    }
}

/// Tools that every client carries out, from the file that the settings name.
pub fn client_tools(settings: &ProgramSettings) -> Result<Vec<ClientTool>, Failure> {
    let Some(path) = &settings.client_tools.value else { return Ok(Vec::new()) };
    let text = files::read_text(path)?;
    let invalid = |problem: &str| usage("CONFIG_INVALID", format!("{}: {problem}", path.display()));
    let tools = serde_json::from_str(&text)
        .map_err(|error| invalid(&format!("the file is not valid JSON: {error}; give a list of tools")))?;
    read_tools(tools).map_err(|error| invalid(&error.to_string()))
}

/// A runtime for what waits.
pub fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        let message = format!("the machine gives no room for threads: {error}; close other programs");
        Failure::new(Exit::Io, "LISTEN_FAILED", message)
    })
}
