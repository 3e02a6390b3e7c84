//! The sources laid over each other by the crate `config`.
//!
//! Must never ignore a key of the settings file that it does not know.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use config::builder::DefaultState;
use config::{Config, ConfigBuilder, ConfigError, FileFormat, Format, Map, Source, Value};

use super::agents::{AgentSetting, SandboxSetting};
use super::environment::{Environment, PREFIX};
use super::value::{Error, Origin, Setting};

/// What can be set.
pub const KEYS: &[&str] = &[
    "author",
    "model",
    "slow_model",
    "untracked",
    "max_rounds",
    "system_prompt",
    "history_turns",
    "history_tokens",
    "history_summary",
    "client_tools",
    "tool_json_fallback",
    "tool_free_text",
    "model_timeout",
    "session_by_user",
    "skillbook",
    "skill_tokens",
    "document_lessons",
    "agents",
    "sandbox",
    "serve",
];

/// The sources, lowest first.
#[derive(Debug, Default)]
pub(super) struct Layers(Vec<Layer>);

/// One source.
#[derive(Debug, Clone)]
struct Layer(Map<String, Value>);

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, ConfigError> {
        Ok(self.0.clone())
    }
}

/// The values that count.
#[derive(Debug)]
pub(super) struct Values(Map<String, Value>);

impl Layers {
    /// Adds the settings file.
    pub(super) fn add_file(&mut self, path: &Path, text: &str) -> Result<(), Error> {
        let origin = path.display().to_string();
        let values = FileFormat::Toml.parse(Some(&origin), text).map_err(|error| Error::Invalid {
            origin: origin.clone(),
            message: format!("the file is not valid TOML: {}", error.to_string().trim_end()),
        })?;
        if let Some(unknown) = values.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(Error::Invalid {
                origin,
                message: format!("there is no setting '{unknown}'{}", hint(unknown)),
            });
        }
        self.0.push(Layer(values));
        Ok(())
    }

    /// Adds the environment. Of our variables only those of known settings count; `doctor` names the others.
    pub(super) fn add_environment(&mut self, environment: &Environment) {
        let values = environment.own().filter_map(|(name, value)| {
            let key = name.to_ascii_lowercase();
            let origin = format!("{PREFIX}{name}");
            KEYS.contains(&key.as_str()).then(|| (key, Value::new(Some(&origin), value)))
        });
        self.0.push(Layer(values.collect()));
    }

    /// Adds a flag, if it was given.
    pub(super) fn add_flag(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            let origin = format!("--{key}");
            self.0.push(Layer(Map::from_iter([(key.to_owned(), Value::new(Some(&origin), value))])));
        }
    }

    /// Lays the sources over each other.
    pub(super) fn resolve(self) -> Result<Values, Error> {
        let builder = self.0.into_iter().fold(Config::builder(), ConfigBuilder::<DefaultState>::add_source);
        let config = builder.build().and_then(|config| config.collect());
        config
            .map(Values)
            .map_err(|error| Error::Invalid { origin: "settings".to_owned(), message: error.to_string() })
    }
}

impl Values {
    pub(super) fn text(&self, key: &str, default: &str) -> Result<Setting<String>, Error> {
        let Setting { value, origin } = self.optional_text(key)?;
        Ok(Setting { value: value.unwrap_or_else(|| default.to_owned()), origin })
    }

    pub(super) fn optional_text(&self, key: &str) -> Result<Setting<Option<String>>, Error> {
        self.read(key, "a text", |value| value.into_string().ok()).map(|found| match found {
            Some((value, origin)) => Setting { value: Some(value), origin },
            None => Setting { value: None, origin: Origin::Default },
        })
    }

    pub(super) fn switch(&self, key: &str) -> Result<Setting<bool>, Error> {
        let (value, origin) = self
            .read(key, "true or false", |value| value.into_bool().ok())?
            .unwrap_or((false, Origin::Default));
        Ok(Setting { value, origin })
    }

    pub(super) fn number<N: TryFrom<u64> + PartialOrd + std::fmt::Display>(
        &self,
        key: &str,
        default: N,
        range: RangeInclusive<N>,
    ) -> Result<Setting<N>, Error> {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        let convert = |value: Value| {
            let number = value.into_uint().ok().and_then(|number| N::try_from(number).ok())?;
            range.contains(&number).then_some(number)
        };
        let (value, origin) = self.read(key, &wanted, convert)?.unwrap_or((default, Origin::Default));
        Ok(Setting { value, origin })
    }

    /// What is said of each agent by its id. Only a file can.
    pub(super) fn agents(&self) -> Result<BTreeMap<String, AgentSetting>, Error> {
        let Some(value) = self.0.get("agents") else { return Ok(BTreeMap::new()) };
        let origin = value.origin().unwrap_or_default().to_owned();
        // The tables of an agent have no origin of their own where they were read.
        value.clone().try_deserialize().map_err(|error| Error::Invalid {
            origin,
            message: format!("'agents' is not understood ({error}); write `[agents.NAME]` and `command = \"PROGRAM ARGUMENTS\"`"),
        })
    }

    /// How agents are fenced in. Only a file can say.
    pub(super) fn sandbox(&self) -> Result<SandboxSetting, Error> {
        let Some(value) = self.0.get("sandbox") else { return Ok(SandboxSetting::default()) };
        let origin = value.origin().unwrap_or_default().to_owned();
        value.clone().try_deserialize().map_err(|error| Error::Invalid {
            origin,
            message: format!("'sandbox' is not understood ({error}); write `[sandbox]` and `mode = \"on\"`"),
        })
    }

    /// What is said of `engross serve`. Only a file can.
    pub(super) fn serve(&self) -> Option<&Value> {
        self.0.get("serve")
    }

    fn read<T>(
        &self,
        key: &str,
        wanted: &str,
        convert: impl FnOnce(Value) -> Option<T>,
    ) -> Result<Option<(T, Origin)>, Error> {
        let Some(value) = self.0.get(key) else { return Ok(None) };
        let origin = value.origin().unwrap_or_default().to_owned();
        match convert(value.clone()) {
            Some(converted) => Ok(Some((converted, Origin::Given(origin)))),
            None => Err(Error::Invalid { origin, message: format!("'{key}' is not {wanted}") }),
        }
    }
}

/// What an unknown key may have meant.
pub(super) fn hint(unknown: &str) -> String {
    nearest(unknown, KEYS)
}

/// What an unknown one of `keys` may have meant.
pub(super) fn nearest(unknown: &str, keys: &[&str]) -> String {
    let score = |key: &str| strsim::jaro_winkler(unknown, key);
    let nearest = keys.iter().max_by(|left, right| score(left).total_cmp(&score(right)));
    match nearest.filter(|key| score(key) > 0.75) {
        Some(key) => format!("; did you mean '{key}'?"),
        None => format!("; there are {}", keys.join(", ")),
    }
}
