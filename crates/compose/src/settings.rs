//! Settings: a TOML file, then the environment, then flags; each value knows where it came from.
//!
//! The only place of this program that reads the environment. Must never print or store a key.

mod agents;
mod environment;
mod layers;
mod serve;
mod serve_rows;
mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engross_agent::writing::ContentTools;
use engross_llm::{HttpPolicy, ProviderSettings, RetryCount, SecretString};

use crate::files;
pub use agents::{AgentSetting, SandboxSetting, SandboxWhen};
#[cfg(all(feature = "server", target_os = "linux", target_env = "gnu"))]
pub use environment::ALLOCATOR;
pub use environment::{
    ADDRESSES, COLLECTOR, Environment, GATEWAY_HOME, GATEWAY_TOKEN, GATEWAY_URL, KEYS, SIGNING_SECRET,
};
pub use layers::KEYS as SETTINGS;
use layers::Layers;
pub use serve::ServeSettings;
pub use value::{Error, Origin, Setting};

/// What the command line says, above all other sources.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// The settings file, instead of the platform's.
    pub config: Option<PathBuf>,
    /// The author of changes.
    pub author: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// Whether changes are written without tracking.
    pub untracked: bool,
}

/// All settings.
#[derive(Debug, Clone)]
pub struct ProgramSettings {
    /// The settings file, if the platform has a place for it.
    pub file: Option<SettingsFile>,
    /// Author of changes.
    pub author: Setting<String>,
    /// The model; `None` means the embedded rules.
    pub model: Setting<Option<String>>,
    /// Whether changes are written without tracking.
    pub untracked: Setting<bool>,
    /// Model calls that one edit may make.
    pub max_rounds: Setting<u32>,
    /// A second model, which sessions choose by the name `slow`.
    pub slow_model: Setting<Option<String>>,
    /// Standing instructions for sessions.
    pub system_prompt: Setting<Option<String>>,
    /// Turns of the stored history that a session's model is given.
    pub history_turns: Setting<usize>,
    /// Tokens of it at most, by estimate; 0 for no bound.
    pub history_tokens: Setting<usize>,
    /// Whether the model is asked for a summary of what it is not given.
    pub history_summary: Setting<bool>,
    /// File with the tools that every client of a server carries out.
    pub client_tools: Setting<Option<PathBuf>>,
    /// Whether models may give a file's content as an argument.
    pub tool_json_fallback: Setting<bool>,
    /// Whether models may give a file's content as the free text of a call.
    pub tool_free_text: Setting<bool>,
    /// Whether the field `user` of a request names its session.
    pub session_by_user: Setting<bool>,
    /// Seconds that a provider may be silent.
    pub model_timeout: Setting<u64>,
    /// The skillbook whose lessons sessions are given; without one they are given none.
    pub skillbook: Setting<Option<PathBuf>>,
    /// Tokens of lessons that a session is given at once.
    pub skill_tokens: Setting<usize>,
    /// Whether delivered changes are kept, and what people make of them is learnt.
    pub document_lessons: Setting<bool>,
    /// Agents by command line, and what is changed of those that are known.
    pub agents: BTreeMap<String, AgentSetting>,
    /// How these are fenced in.
    pub sandbox: SandboxSetting,
    /// What is set for a server.
    pub serve: ServeSettings,
    /// Counts requests to models that are repeated, for all that is made of these settings.
    pub retries: RetryCount,
}

/// A settings file that is or could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    /// Where it is, or would be.
    pub path: PathBuf,
    /// Whether it is there.
    pub exists: bool,
}

impl ProgramSettings {
    /// Gathers all sources.
    pub fn load(flags: &Flags, environment: &Environment) -> Result<Self, Error> {
        let file = settings_file(flags, environment)?;
        let mut layers = Layers::default();
        if let Some((file, text)) = &file
            && let Some(text) = text
        {
            layers.add_file(&file.path, text)?;
        }
        layers.add_environment(environment);
        layers.add_flag("author", flags.author.as_deref());
        layers.add_flag("model", flags.model.as_deref());
        layers.add_flag("untracked", flags.untracked.then_some("true"));
        let values = layers.resolve()?;
        let file = file.map(|(file, _)| file);
        let client_tools = beside(values.optional_text("client_tools")?, file.as_ref());
        let skillbook = beside(values.optional_text("skillbook")?, file.as_ref());
        let table = values.serve().zip(file.as_ref().map(|file| file.path.as_path()));
        let serve = ServeSettings::load(table, environment)?;
        Ok(Self {
            file,
            author: values.text("author", "engross")?,
            model: values.optional_text("model")?,
            untracked: values.switch("untracked")?,
            max_rounds: values.number("max_rounds", 6, 1..=100)?,
            slow_model: values.optional_text("slow_model")?,
            system_prompt: values.optional_text("system_prompt")?,
            history_turns: values.number("history_turns", 10, 1..=1000)?,
            history_tokens: values.number("history_tokens", 0, 0..=10_000_000)?,
            history_summary: values.switch("history_summary")?,
            client_tools,
            tool_json_fallback: values.switch("tool_json_fallback")?,
            tool_free_text: values.switch("tool_free_text")?,
            session_by_user: values.switch("session_by_user")?,
            model_timeout: values.number("model_timeout", 120, 1..=86_400)?,
            skillbook,
            skill_tokens: values.number("skill_tokens", 800, 50..=20_000)?,
            document_lessons: values.switch("document_lessons")?,
            agents: values.agents()?,
            sandbox: values.sandbox()?,
            serve,
            retries: RetryCount::default(),
        })
    }

    /// Where the agents were set: only a file can.
    pub fn agents_origin(&self) -> Origin {
        match &self.file {
            Some(file) if !self.agents.is_empty() => Origin::Given(file.path.display().to_string()),
            _ => Origin::Default,
        }
    }

    /// What models may write with beside `WritePlanTool_begin`.
    pub fn content_tools(&self) -> ContentTools {
        ContentTools { argument: self.tool_json_fallback.value, free_text: self.tool_free_text.value }
    }

    /// What the providers of models need.
    pub fn providers(&self, environment: &Environment) -> ProviderSettings {
        let text = |name: &str| environment.get(name).map(str::to_owned);
        let key = |name: &str| environment.get(name).map(SecretString::from);
        ProviderSettings {
            openai_api_key: key("OPENAI_API_KEY"),
            anthropic_api_key: key("ANTHROPIC_API_KEY"),
            gemini_api_key: key("GEMINI_API_KEY").or_else(|| key("GOOGLE_API_KEY")),
            compatible_api_key: key("OPENAI_COMPATIBLE_API_KEY"),
            openai_base_url: text("OPENAI_BASE_URL"),
            anthropic_base_url: text("ANTHROPIC_BASE_URL"),
            gemini_base_url: text("GEMINI_BASE_URL").or_else(|| text("GOOGLE_GEMINI_BASE_URL")),
            ollama_host: text("OLLAMA_HOST"),
            keys_called: None,
            policy: HttpPolicy {
                idle_timeout: Duration::from_secs(self.model_timeout.value),
                ..HttpPolicy::default()
            },
            retries: self.retries.clone(),
        }
    }
}

/// The path that a setting names. In the settings file it is one beside that file.
fn beside(setting: Setting<Option<String>>, file: Option<&SettingsFile>) -> Setting<Option<PathBuf>> {
    let Setting { value, origin } = setting;
    let folder = file.filter(|file| origin == Origin::Given(file.path.display().to_string()));
    let folder = folder.and_then(|file| file.path.parent()).unwrap_or(Path::new(""));
    Setting { value: value.map(|path| folder.join(path)), origin }
}

/// The settings file and its text. One that was asked for must be there.
fn settings_file(
    flags: &Flags,
    environment: &Environment,
) -> Result<Option<(SettingsFile, Option<String>)>, Error> {
    let asked = flags.config.as_deref().or_else(|| environment.get("ENGROSS_CONFIG").map(Path::new));
    if let Some(path) = asked {
        let text = files::read_text(path)?;
        return Ok(Some((SettingsFile { path: path.to_owned(), exists: true }, Some(text))));
    }
    let Some(folders) = directories::ProjectDirs::from("", "", "engross") else { return Ok(None) };
    let path = folders.config_dir().join("config.toml");
    let text = files::read_optional_text(&path)?;
    Ok(Some((SettingsFile { path, exists: text.is_some() }, text)))
}
