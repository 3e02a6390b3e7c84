//! The whole server for tests: routes, real sessions, a store in memory, and a provider with a script behind real HTTP.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Method;
use engross_agent::session::{Models, NoToolboxes, Sessions, SessionsConfig, Settings, TurnRules};
use engross_llm::{Error, HttpPolicy, ProviderSettings};
use engross_protocol::{RandomIds, SystemClock};
use engross_store::{MemoryStore, Store};
use engross_testkit::scripted::{ModelServer, RecordedCall};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::super::{Access, AllSessions, Brake, Limits, OwnerQuota, Server, app};
use crate::testing::client::{CHAT, Got, get, send};
use crate::testing::fake::documents;

/// The session that the tests speak to.
pub(super) const DOC: &str = "/v1/sessions/doc";

/// How long a turn goes on when its client is gone.
pub(super) const GRACE: Duration = Duration::from_millis(60);

/// The server with all that is around it.
pub(super) struct Whole {
    pub(super) app: Router,
    store: Arc<MemoryStore>,
    provider: ModelServer,
    /// Where it listens, if it does.
    listening: Option<(SocketAddr, JoinSet<()>)>,
}

/// A server whose provider follows a script: waits of milliseconds stand for those of seconds.
pub(super) fn whole(script: Value) -> Whole {
    whole_of("compatible", script)
}

/// The same with the wire of another provider.
pub(super) fn whole_of(provider_name: &str, script: Value) -> Whole {
    let provider = ModelServer::start(script);
    let policy = HttpPolicy {
        idle_timeout: Duration::from_millis(250),
        first_backoff: Duration::from_millis(5),
        longest_wait: Duration::from_secs(2),
        ..HttpPolicy::default()
    };
    let url = provider.url();
    let spec = match provider_name {
        "compatible" => format!("openai-compatible:{url}/v1#m"),
        name => format!("{name}/m"),
    };
    let spec = spec.parse().unwrap();
    let key = || Some("key".to_owned().into());
    let settings = ProviderSettings {
        openai_api_key: key(),
        anthropic_api_key: key(),
        gemini_api_key: key(),
        openai_base_url: Some(format!("{url}/v1")),
        anthropic_base_url: Some(url.clone()),
        gemini_base_url: Some(url),
        policy,
        ..ProviderSettings::default()
    };
    let model = engross_llm::open::<Error>(
        &spec,
        &settings,
        || Arc::new(engross_rules::RulesModel),
        |_| Ok(String::new()),
    )
    .unwrap();
    let store = Arc::new(MemoryStore::new());
    let sessions = |store: &Arc<MemoryStore>| {
        Sessions::new(SessionsConfig {
            store: Arc::<MemoryStore>::clone(store),
            models: Models::one(Arc::clone(&model)).with("rules", Arc::new(engross_rules::RulesModel)),
            rules: TurnRules::default(),
            settings: Settings::default(),
            client_tools: Vec::new(),
            toolboxes: Arc::new(NoToolboxes),
            observers: Vec::new(),
            grace: GRACE,
            queue: 8,
            turns: 100,
            working: 100,
            node: None,
            clock: Arc::new(SystemClock),
            ids: Arc::new(RandomIds),
        })
    };
    let service = AllSessions::new(sessions(&store), sessions(&Arc::new(MemoryStore::new())));
    let server = Server {
        service,
        model: "scripted".to_owned(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        access: Access::default(),
        access_log: None,
        brake: Brake::default(),
        strict_models: false,
        session_by_user: false,
        codes: &[],
        limits: Limits::default(),
        quota: OwnerQuota::default(),
        metrics: Arc::default(),
        // The folder is gone at once: no test here has documents.
        documents: documents(tempfile::tempdir().unwrap().path()),
    };
    Whole { app: app(Arc::new(server), Router::new()), store, provider, listening: None }
}

impl Whole {
    /// The bodies of all entries in the store.
    pub(super) async fn everything_stored(&self) -> String {
        let mut all = String::new();
        for summary in self.store.list(None, None, 100).await.unwrap() {
            for entry in self.store.entries(summary.id, 0, 1000).await.unwrap() {
                all.push_str(&String::from_utf8_lossy(&entry.body));
            }
        }
        all
    }

    /// A request to the session `doc`.
    pub(super) async fn chat(&self, body: Value) -> Got {
        self.chat_with(&[], body).await
    }

    /// The same with further headers.
    pub(super) async fn chat_with(&self, headers: &[(&str, &str)], body: Value) -> Got {
        let mut all = vec![("x-openclaw-session-key", "doc")];
        all.extend_from_slice(headers);
        send(&self.app, Method::POST, CHAT, &all, body.to_string()).await
    }

    /// The session `doc` as it is shown.
    pub(super) async fn session(&self) -> Value {
        get(&self.app, DOC, &[]).await.json()
    }

    /// The roles of its conversation.
    pub(super) async fn roles(&self) -> Vec<String> {
        roles(&self.session().await["messages"])
    }

    /// The log of the session `doc`; empty when there is none.
    pub(super) async fn log(&self) -> Vec<Value> {
        let Some(id) = self.session().await["id"].as_str().map(str::to_owned) else { return Vec::new() };
        let entries = self.store.entries(id.parse().unwrap(), 0, 1000).await.unwrap();
        entries.iter().map(|entry| serde_json::from_slice(&entry.body).unwrap()).collect()
    }

    /// The end of the last turn in the log: its kind, and its code.
    pub(super) async fn ending(&self) -> (Value, Value) {
        let last = self.log().await.pop().unwrap_or_default();
        (last["kind"].clone(), last["code"].clone())
    }

    /// How many sessions there are.
    pub(super) async fn sessions(&self) -> usize {
        self.store.list(None, None, 1000).await.unwrap().len()
    }

    /// What the provider was asked.
    pub(super) fn asked(&self) -> Vec<RecordedCall> {
        self.provider.requests()
    }

    /// The messages of the `n`th question to the provider.
    pub(super) fn asked_messages(&self, n: usize) -> Value {
        self.asked()[n].body["messages"].clone()
    }

    /// Waits until so many connections of the provider were closed by us while it was silent.
    pub(super) async fn wait_for_hang_ups(&self, count: usize) {
        for _ in 0..400 {
            if self.provider.hang_ups() >= count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the connection to the provider stays open");
    }

    /// Sends a request over a connection of its own, which is left open.
    pub(super) async fn connect(&mut self, body: &Value) -> TcpStream {
        if self.listening.is_none() {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let router = self.app.clone();
            let mut tasks = JoinSet::new();
            tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
            self.listening = Some((address, tasks));
        }
        let (address, _) = self.listening.as_ref().unwrap();
        let mut socket = TcpStream::connect(address).await.unwrap();
        let body = body.to_string();
        let head = format!(
            "POST {CHAT} HTTP/1.1\r\nhost: localhost\r\nx-openclaw-session-key: doc\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        socket.write_all((head + &body).as_bytes()).await.unwrap();
        socket
    }

    /// Waits until the provider was asked so often.
    pub(super) async fn wait_for_asked(&self, count: usize) {
        for _ in 0..400 {
            if self.asked().len() >= count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the provider was not asked");
    }
}

/// The roles of messages.
pub(super) fn roles(messages: &Value) -> Vec<String> {
    messages.as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap().to_owned()).collect()
}

/// A message of the person.
pub(super) fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// The result of a call.
pub(super) fn tool(id: &str, content: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": content})
}

/// Functions of the client.
pub(super) fn functions(names: &[&str]) -> Value {
    names
        .iter()
        .map(|name| json!({"type": "function", "function": {"name": name, "parameters": {}}}))
        .collect()
}

/// What an answer calls: ids and names.
pub(super) fn calls(got: &Got) -> Vec<(String, String)> {
    let body = got.json();
    let calls = body["choices"][0]["message"]["tool_calls"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    calls.iter().map(|call| (text(&call["id"]), text(&call["function"]["name"]))).collect()
}

/// What an answer says.
pub(super) fn said(got: &Got) -> String {
    assert_eq!(got.status, 200, "{}", got.text);
    got.json()["choices"][0]["message"]["content"].as_str().unwrap_or_default().to_owned()
}
