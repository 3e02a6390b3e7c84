//! From the name of a model to the model.
//!
//! Must never read a file or the environment: keys, addresses, scripts and the embedded model are handed in.

use std::sync::Arc;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use crate::dialect::{Anthropic, Dialect, Gemini, OpenAi, TokenLimit};
use crate::http::{Endpoint, Key};
use crate::provider::ProviderModel;
use crate::script::ScriptModel;
use crate::text_tools::TextTools;
use crate::{Error, HttpPolicy, Model, ModelSpec, RetryCount, endpoint};

/// What providers need from outside. Blank values count as missing.
#[derive(Debug, Clone, Default)]
pub struct ProviderSettings {
    /// `OPENAI_API_KEY`
    pub openai_api_key: Option<SecretString>,
    /// `ANTHROPIC_API_KEY`
    pub anthropic_api_key: Option<SecretString>,
    /// `GEMINI_API_KEY`, else `GOOGLE_API_KEY`
    pub gemini_api_key: Option<SecretString>,
    /// `OPENAI_COMPATIBLE_API_KEY`, for `openai-compatible:` servers that want one. The key for OpenAI itself is never
    /// sent there.
    pub compatible_api_key: Option<SecretString>,
    /// `OPENAI_BASE_URL`, by default `https://api.openai.com/v1`
    pub openai_base_url: Option<String>,
    /// `ANTHROPIC_BASE_URL`, by default `https://api.anthropic.com`
    pub anthropic_base_url: Option<String>,
    /// `GEMINI_BASE_URL`, else `GOOGLE_GEMINI_BASE_URL`, by default `https://generativelanguage.googleapis.com`
    pub gemini_base_url: Option<String>,
    /// `OLLAMA_HOST`, by default `127.0.0.1:11434`
    pub ollama_host: Option<String>,
    /// What messages call the keys, where they are not the environment's.
    pub keys_called: Option<&'static str>,
    /// Limits of the conversation with a provider.
    pub policy: HttpPolicy,
    /// Counts repeated requests.
    pub retries: RetryCount,
}

/// Makes the model that `spec` names. Nothing is sent before the first answer is asked for. `read_script` is called
/// for `script:FILE` only, with FILE, and gives the file's text; `embedded` for `rules` only, and gives the model that the
/// program has in itself.
///
/// # Errors
/// [`Error::KeyMissing`], [`Error::UnknownModel`] for an address that is no URL, [`Error::ScriptInvalid`],
/// [`Error::Unavailable`] when the machine has no root certificates, and the errors of `read_script`.
pub fn open<E: From<Error>>(
    spec: &ModelSpec,
    settings: &ProviderSettings,
    embedded: impl FnOnce() -> Arc<dyn Model>,
    read_script: impl FnOnce(&str) -> Result<String, E>,
) -> Result<Arc<dyn Model>, E> {
    Ok(match spec {
        ModelSpec::Rules => embedded(),
        ModelSpec::Script { file } => Arc::new(ScriptModel::new(file, &read_script(file)?)?),
        ModelSpec::OpenAi { name } => Arc::new(TextTools::new(openai(spec, name, settings)?)),
        ModelSpec::Anthropic { name } => Arc::new(TextTools::new(anthropic(spec, name, settings)?)),
        ModelSpec::Gemini { name } => Arc::new(TextTools::new(gemini(spec, name, settings)?)),
        ModelSpec::Ollama { name } => Arc::new(TextTools::new(ollama(spec, name, settings)?)),
        ModelSpec::Compatible { url, name } => {
            Arc::new(TextTools::new(compatible(spec, url, name, settings)?))
        }
    })
}

fn openai(spec: &ModelSpec, name: &str, settings: &ProviderSettings) -> Result<ProviderModel, Error> {
    let key = Key {
        secret: Some(required(&settings.openai_api_key, "openai", "OPENAI_API_KEY")?),
        ..bearer("OPENAI_API_KEY")
    };
    let base = base_url(spec, &settings.openai_base_url, "https://api.openai.com/v1", "OPENAI_BASE_URL")?;
    let dialect = OpenAi { name: name.to_owned(), token_limit: TokenLimit::MaxCompletionTokens };
    let url = endpoint::join(base, None, &["chat", "completions"]);
    model(spec, "openai", url, HeaderMap::new(), key, dialect, settings)
}

fn anthropic(spec: &ModelSpec, name: &str, settings: &ProviderSettings) -> Result<ProviderModel, Error> {
    let key = Key {
        secret: Some(required(&settings.anthropic_api_key, "anthropic", "ANTHROPIC_API_KEY")?),
        variable: "ANTHROPIC_API_KEY",
        header: HeaderName::from_static("x-api-key"),
        prefix: "",
    };
    let base =
        base_url(spec, &settings.anthropic_base_url, "https://api.anthropic.com", "ANTHROPIC_BASE_URL")?;
    let url = endpoint::join(base, Some("v1"), &["messages"]);
    let version = (HeaderName::from_static("anthropic-version"), HeaderValue::from_static("2023-06-01"));
    let dialect = Anthropic { name: name.to_owned() };
    model(spec, "anthropic", url, HeaderMap::from_iter([version]), key, dialect, settings)
}

fn gemini(spec: &ModelSpec, name: &str, settings: &ProviderSettings) -> Result<ProviderModel, Error> {
    let key = Key {
        secret: Some(required(&settings.gemini_api_key, "gemini", "GEMINI_API_KEY")?),
        variable: "GEMINI_API_KEY",
        header: HeaderName::from_static("x-goog-api-key"),
        prefix: "",
    };
    let base = base_url(
        spec,
        &settings.gemini_base_url,
        "https://generativelanguage.googleapis.com",
        "GEMINI_BASE_URL",
    )?;
    let (collection, name) = name.split_once('/').unwrap_or(("models", name));
    let method = format!("{name}:streamGenerateContent");
    let mut url = endpoint::join(base, Some("v1beta"), &[collection, &method]);
    url.set_query(Some("alt=sse"));
    model(spec, "gemini", url, HeaderMap::new(), key, Gemini::default(), settings)
}

fn ollama(spec: &ModelSpec, name: &str, settings: &ProviderSettings) -> Result<ProviderModel, Error> {
    let host = given(settings.ollama_host.as_deref()).unwrap_or("127.0.0.1:11434");
    let base = endpoint::ollama_base_url(host).map_err(|reason| bad_address(spec, "OLLAMA_HOST", reason))?;
    let dialect = OpenAi { name: name.to_owned(), token_limit: TokenLimit::MaxTokens };
    let url = endpoint::join(base, Some("v1"), &["chat", "completions"]);
    model(spec, "ollama", url, HeaderMap::new(), bearer("OLLAMA_HOST"), dialect, settings)
}

fn compatible(
    spec: &ModelSpec,
    url: &str,
    name: &str,
    settings: &ProviderSettings,
) -> Result<ProviderModel, Error> {
    let base = endpoint::base_url(url)
        .map_err(|reason| Error::UnknownModel { spec: spec.to_string(), reason: reason.to_owned() })?;
    let key = Key { secret: trimmed(&settings.compatible_api_key), ..bearer("OPENAI_COMPATIBLE_API_KEY") };
    let dialect = OpenAi { name: name.to_owned(), token_limit: TokenLimit::MaxTokens };
    let url = endpoint::join(base, None, &["chat", "completions"]);
    model(spec, "the openai-compatible server", url, HeaderMap::new(), key, dialect, settings)
}

fn model(
    spec: &ModelSpec,
    provider: &'static str,
    url: Url,
    headers: HeaderMap,
    key: Key,
    dialect: impl Dialect,
    settings: &ProviderSettings,
) -> Result<ProviderModel, Error> {
    let key = Key { variable: settings.keys_called.unwrap_or(key.variable), ..key };
    let endpoint =
        Endpoint::new(provider, url, headers, key, settings.policy)?.counting(settings.retries.clone());
    Ok(ProviderModel::new(spec.to_string(), endpoint, dialect))
}

fn bearer(variable: &'static str) -> Key {
    Key { secret: None, variable, header: AUTHORIZATION, prefix: "Bearer " }
}

fn required(
    key: &Option<SecretString>,
    provider: &'static str,
    variable: &'static str,
) -> Result<SecretString, Error> {
    trimmed(key).ok_or(Error::KeyMissing { provider, variable, problem: "is not set" })
}

/// The key without the white space that files and copying add to it.
fn trimmed(key: &Option<SecretString>) -> Option<SecretString> {
    let key = key.as_ref()?.expose_secret().trim();
    (!key.is_empty()).then(|| SecretString::from(key))
}

fn given(value: Option<&str>) -> Option<&str> {
    value.map(str::trim).filter(|value| !value.is_empty())
}

fn base_url(
    spec: &ModelSpec,
    given_url: &Option<String>,
    default: &str,
    variable: &str,
) -> Result<Url, Error> {
    let url = given(given_url.as_deref()).unwrap_or(default);
    endpoint::base_url(url).map_err(|reason| bad_address(spec, variable, reason))
}

fn bad_address(spec: &ModelSpec, variable: &str, reason: &str) -> Error {
    Error::UnknownModel { spec: spec.to_string(), reason: format!("{reason} ({variable})") }
}
