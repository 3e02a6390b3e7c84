//! Opening models on a scripted server, and reading their answers.

use std::sync::Arc;
use std::time::Duration;

use engross_llm::{
    Error, Event, HttpPolicy, Message, Model, ModelSpec, ProviderSettings, Request, SecretString, ToolSpec,
    open,
};
use engross_testkit::scripted::ModelServer;
use futures_util::StreamExt;
use serde_json::{Value, json};

pub const KEY: &str = "sk-very-secret-0123456789";

/// Each provider, by the spec of its model on the server at `url`.
pub fn specs(url: &str) -> Vec<String> {
    let providers = ["openai/scripted", "anthropic/scripted", "gemini/scripted", "ollama/scripted"];
    let mut specs: Vec<String> = providers.map(str::to_owned).to_vec();
    specs.push(format!("openai-compatible:{url}/v1#scripted"));
    specs
}

pub fn settings(url: &str) -> ProviderSettings {
    let key = || Some(SecretString::from(KEY));
    ProviderSettings {
        openai_api_key: key(),
        anthropic_api_key: key(),
        gemini_api_key: key(),
        compatible_api_key: key(),
        openai_base_url: Some(format!("{url}/v1")),
        anthropic_base_url: Some(url.to_owned()),
        gemini_base_url: Some(url.to_owned()),
        ollama_host: Some(url.to_owned()),
        policy: HttpPolicy { first_backoff: Duration::from_millis(1), ..HttpPolicy::default() },
        ..ProviderSettings::default()
    }
}

/// The embedded model of these tests: there is none.
#[expect(clippy::panic, reason = "a test that asks for it is wrong")]
pub fn no_rules() -> Arc<dyn Model> {
    panic!("the tests name other models")
}

pub fn open_with(spec: &str, settings: &ProviderSettings) -> Arc<dyn Model> {
    let spec: ModelSpec = spec.parse().unwrap();
    open(&spec, settings, no_rules, |_| Err(Error::Truncated)).unwrap()
}

pub fn open_on(server: &ModelServer, spec: &str) -> Arc<dyn Model> {
    open_with(spec, &settings(&server.url()))
}

/// A user's words, with one tool on offer.
pub fn question(text: &str) -> Request {
    Request {
        system: "Be brief.".to_owned(),
        messages: vec![Message::User { content: text.to_owned(), attachments: Vec::new() }],
        tools: vec![weather_tool()],
        ..Request::default()
    }
}

pub fn weather_tool() -> ToolSpec {
    ToolSpec {
        name: "get_weather".to_owned(),
        description: "The weather of a city.".to_owned(),
        parameters: weather_parameters(),
        strict: None,
    }
}

pub fn weather_parameters() -> Value {
    json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
}

/// Everything the stream gives, to its end.
pub async fn stream(model: &Arc<dyn Model>, request: Request) -> Vec<Result<Event, Error>> {
    model.answer(request).collect().await
}

/// What the stream of `question("go")` gives.
pub async fn answer(server: &ModelServer, spec: &str) -> Vec<Result<Event, Error>> {
    stream(&open_on(server, spec), question("go")).await
}

pub fn text(text: &str) -> Result<Event, Error> {
    Ok(Event::Text(text.to_owned()))
}

pub fn reasoning(text: &str) -> Result<Event, Error> {
    Ok(Event::Reasoning(text.to_owned()))
}

pub fn call(index: usize, id: &str) -> Result<Event, Error> {
    Ok(Event::ToolCallStart { index, id: id.to_owned(), name: "get_weather".to_owned() })
}

pub fn arguments(index: usize, delta: &str) -> Result<Event, Error> {
    Ok(Event::ToolCallArguments { index, delta: delta.to_owned() })
}
