use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use engross_llm::{Error, Event, Usage};
use engross_store::MemoryStore;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};

use super::model_name;
use super::service_support::{
    Pieces, ScriptedModel, Shed, calls, config, heard, in_shed, request, text, user, with_tools,
};
use super::{Sessions, SessionsConfig};

/// A span: its name and fields.
type SpanFields = (&'static str, BTreeMap<&'static str, String>);

/// Remembers all spans, in the order they were opened.
#[derive(Clone, Default)]
struct Watcher(Arc<Mutex<Vec<SpanFields>>>);

struct Fields<'a>(&'a mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let before = self.0.insert(field.name(), format!("{value:?}"));
        assert_eq!(before, None, "{field} is recorded once");
    }
}

impl Subscriber for Watcher {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span()
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields = BTreeMap::new();
        attributes.record(&mut Fields(&mut fields));
        let mut seen = self.0.lock().unwrap();
        seen.push((attributes.metadata().name(), fields));
        Id::from_u64(seen.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut seen = self.0.lock().unwrap();
        let index = usize::try_from(span.into_u64()).unwrap() - 1;
        values.record(&mut Fields(&mut seen[index].1));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn costing(mut answer: Pieces, input_tokens: u64, output_tokens: u64) -> Pieces {
    answer.insert(0, Ok(Event::Usage(Usage { input_tokens, output_tokens })));
    answer
}

fn span(name: &'static str, fields: &[(&'static str, &str)]) -> SpanFields {
    (name, fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect())
}

#[tokio::test]
async fn spans_have_names_and_numbers_and_nothing_that_was_said() {
    let watcher = Watcher::default();
    let _watching = tracing::subscriber::set_default(watcher.clone());
    watched().await;
    // Another test, in a thread without a subscriber, may have been about to register a span that then is off for all: by now
    // each one is registered, and is asked for once more.
    tracing::callsite::rebuild_interest_cache();
    watcher.0.lock().unwrap().clear();
    let expected = watched().await;
    assert_eq!(*watcher.0.lock().unwrap(), expected);
}

/// Runs three turns; gives the spans that they have.
async fn watched() -> Vec<SpanFields> {
    let hit =
        calls("secret", &[("c1", "hammer", r#"{"at":"secret"}"#), ("c2", "hammer", r#"{"at":"wall"}"#)]);
    let answers = [
        costing(hit, 10, 2),
        costing(text("secret done"), 20, 3),
        calls("secret", &[("c3", "look", "{}")]),
        vec![Err(Error::Truncated)],
    ];
    let (store, model) = (Arc::new(MemoryStore::default()), ScriptedModel::new(answers));
    let (_, toolboxes) = Shed::with_hammer();
    let sessions = Sessions::new(SessionsConfig { toolboxes, ..config(&store, &model) });
    let ask = [request, with_tools, request];
    let mut id = String::new();
    for ask in ask {
        let answer = sessions.submit(in_shed(ask(vec![user("secret")]))).await.unwrap();
        id = answer.session.to_string();
        heard(answer).await;
    }
    sessions.drain(std::time::Duration::from_secs(5)).await;
    vec![
        span(
            "turn",
            &[
                ("session", &id),
                ("turn", "1"),
                ("model", "\"told\""),
                ("input_tokens", "30"),
                ("output_tokens", "5"),
                ("finish", "\"stop\""),
            ],
        ),
        span("model_call", &[("model", "\"told\"")]),
        span("tool_round", &[("calls", "2")]),
        span("model_call", &[("model", "\"told\"")]),
        span("turn", &[("session", &id), ("turn", "2"), ("model", "\"told\""), ("finish", "\"tool_calls\"")]),
        span("model_call", &[("model", "\"told\"")]),
        span("turn", &[("session", &id), ("turn", "3"), ("finish", "\"MODEL_TRUNCATED\"")]),
        span("model_call", &[("model", "\"told\"")]),
    ]
}

#[test]
fn a_models_name_has_no_address() {
    for (spec, name) in [
        ("anthropic/claude", "anthropic/claude"),
        ("rules", "rules"),
        ("openai-compatible:https://user:key@host/v1#maker/model", "maker/model"),
        ("script:a#b", "script:a#b"),
    ] {
        assert_eq!(model_name(spec), name);
    }
}
