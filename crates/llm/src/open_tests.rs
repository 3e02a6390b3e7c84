//! Tests of [`super::open`].

use std::sync::Arc;

use secrecy::SecretString;

use crate::{Error, Model, ModelInfo, ModelSpec, ProviderSettings, ScriptModel, open};

fn opened(spec: &str, settings: &ProviderSettings) -> Result<ModelInfo, Error> {
    let spec: ModelSpec = spec.parse().unwrap();
    let embedded = || -> Arc<dyn Model> { Arc::new(ScriptModel::new("embedded", "{}").unwrap()) };
    open(&spec, settings, embedded, |file| match file {
        "good.json" => Ok("{}".to_owned()),
        "bad.json" => Ok("{\n \"turn\": []}".to_owned()),
        _ => Err(Error::Truncated),
    })
    .map(|model| model.info())
}

fn info(spec: &str, language_model: bool) -> Result<ModelInfo, Error> {
    Ok(ModelInfo { spec: spec.to_owned(), language_model })
}

#[test]
fn models_without_keys() {
    let settings = ProviderSettings::default();
    assert_eq!(opened("rules", &settings), info("script:embedded", false));
    assert_eq!(opened("script:good.json", &settings), info("script:good.json", false));
    assert_eq!(opened("ollama/a", &settings), info("ollama/a", true));
    let compatible = "openai-compatible:http://127.0.0.1:1#a";
    assert_eq!(opened(compatible, &settings), info(compatible, true));
}

#[test]
fn scripts_come_from_the_caller() {
    let settings = ProviderSettings::default();
    assert_eq!(opened("script:gone.json", &settings), Err(Error::Truncated));
    let expected = Error::ScriptInvalid {
        file: "bad.json".to_owned(),
        line: 2,
        column: 7,
        message: "unknown field `turn`, expected `turns` or `default`".to_owned(),
    };
    assert_eq!(opened("script:bad.json", &settings), Err(expected));
}

#[test]
fn keys_must_be_there_and_fit_to_send() {
    let variable = "OPENAI_API_KEY";
    let missing = |problem| Err(Error::KeyMissing { provider: "openai", variable, problem });
    for (key, expected) in [
        (None, missing("is not set")),
        (Some(""), missing("is not set")),
        (Some(" \n"), missing("is not set")),
        (Some("a\nb"), missing("holds characters that no key has")),
        (Some(" key\r\n"), info("openai/a", true)),
    ] {
        let settings = ProviderSettings {
            openai_api_key: key.map(SecretString::from),
            openai_base_url: Some("http://127.0.0.1:1".to_owned()),
            ..ProviderSettings::default()
        };
        assert_eq!(opened("openai/a", &settings), expected, "{key:?}");
    }
}

#[test]
fn addresses_are_checked() {
    let key = || Some(SecretString::from("a"));
    let settings = ProviderSettings {
        openai_api_key: key(),
        openai_base_url: Some("host".to_owned()),
        anthropic_api_key: key(),
        anthropic_base_url: Some("http://me:password@host".to_owned()),
        gemini_api_key: key(),
        gemini_base_url: Some("ftp://host".to_owned()),
        ollama_host: Some("http://".to_owned()),
        ..ProviderSettings::default()
    };
    for (spec, variable) in [
        ("openai/a", "OPENAI_BASE_URL"),
        ("anthropic/a", "ANTHROPIC_BASE_URL"),
        ("gemini/a", "GEMINI_BASE_URL"),
        ("ollama/a", "OLLAMA_HOST"),
    ] {
        let error = opened(spec, &settings).unwrap_err();
        assert_eq!(error.code(), "MODEL_UNKNOWN");
        let message = error.to_string();
        assert!(message.contains(variable) && !message.contains("password"), "{message}");
    }
}
