//! The gateway to agents elsewhere, as the environment names it.
//!
//! Must never keep a server from starting: a gateway that cannot be used is one that is not there, and says why.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engross_artifacts::SourceRoot;
use engross_openclaw::{GatewayConfig, GatewayLimits, GatewayRunner, media_sources};
use engross_protocol::{Failure, SystemClock};
use engross_tasks::runner::TaskRunner;

use crate::settings::{Environment, GATEWAY_HOME, GATEWAY_TOKEN, GATEWAY_URL};

/// The folder beneath the folder for data.
const FOLDER: &str = "gateway";

/// Where the gateway's tools leave what is not to stay.
const TEMPORARY: &str = "/tmp/openclaw";

/// A gateway, or what would bring one.
pub struct Gateway {
    /// What takes tasks there, if it can be used.
    pub runner: Option<Arc<dyn TaskRunner>>,
    /// What would bring one, or why this one cannot be used.
    pub help: String,
    /// Folders that files may be taken from which an answer names.
    pub sources: Vec<SourceRoot>,
}

impl Gateway {
    /// None, and what would bring one.
    pub fn missing() -> Self {
        let help = format!("set {GATEWAY_URL} and {GATEWAY_TOKEN} where this server is started");
        Self { runner: None, help, sources: Vec::new() }
    }
}

/// The gateway that `environment` names. Its key is kept beneath `data`.
pub fn gateway(data: &Path, environment: &Environment) -> Result<Gateway, Failure> {
    let Some(url) = environment.get(GATEWAY_URL) else { return Ok(Gateway::missing()) };
    let identity = data.join(FOLDER);
    crate::files::make_folder(&identity)?;
    let config = GatewayConfig {
        url: url.to_owned(),
        token: environment.get(GATEWAY_TOKEN).map(|token| token.to_owned().into()),
        identity,
        clock: Arc::new(SystemClock),
    };
    let runner = match GatewayRunner::new(config, GatewayLimits::default()) {
        Ok(runner) => runner,
        Err(fault) => {
            let help = format!("{GATEWAY_URL}: {fault}");
            return Ok(Gateway { runner: None, help, sources: Vec::new() });
        }
    };
    let sources = if runner.is_here() { sources(environment) } else { Vec::new() };
    Ok(Gateway { runner: Some(Arc::new(runner)), help: String::new(), sources })
}

fn sources(environment: &Environment) -> Vec<SourceRoot> {
    let person = directories::UserDirs::new().map(|person| person.home_dir().to_owned());
    let home = environment
        .get(GATEWAY_HOME)
        .map(PathBuf::from)
        .or_else(|| person.as_ref().map(|person| person.join(".openclaw")));
    let media: Vec<PathBuf> = home.into_iter().map(|home| home.join("media")).collect();
    let mut sources = media_sources(&media, &[PathBuf::from(TEMPORARY)]);
    // Agents write the folder of a person as `~`, and a gateway leaves it so.
    let person = person.as_ref().and_then(|person| person.to_str()).unwrap_or_default().trim_end_matches('/');
    for source in sources.iter_mut().filter(|_| !person.is_empty()) {
        let short = |place: &String| {
            place.strip_prefix(person).filter(|rest| rest.starts_with('/')).map(|rest| format!("~{rest}"))
        };
        let shorter: Vec<String> = source.places.iter().filter_map(short).collect();
        source.places.extend(shorter);
    }
    sources
}
