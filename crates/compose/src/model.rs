//! The model that a command works with.

use std::path::Path;
use std::sync::Arc;

use engross_llm::{Model, ModelSpec};
use engross_protocol::Failure;
use engross_rules::RulesModel;

use crate::console::note;
use crate::files::read_text;
use crate::settings::{Environment, ProgramSettings};

/// The model that the settings name, else the embedded rules.
pub fn open(settings: &ProgramSettings, environment: &Environment) -> Result<Arc<dyn Model>, Failure> {
    let spec: ModelSpec = match &settings.model.value {
        Some(spec) => spec.parse()?,
        None => {
            note(
                "No model is set, so the embedded rules are used: a few patterns, not a language model (see --model).",
            );
            ModelSpec::Rules
        }
    };
    open_spec(&spec, settings, environment)
}

/// The model of that name.
pub fn open_spec(
    spec: &ModelSpec,
    settings: &ProgramSettings,
    environment: &Environment,
) -> Result<Arc<dyn Model>, Failure> {
    let embedded = || -> Arc<dyn Model> { Arc::new(RulesModel) };
    engross_llm::open(spec, &settings.providers(environment), embedded, |file| {
        read_text(Path::new(file)).map_err(Failure::from)
    })
}
