//! Nodes that pass requests on: to whom, what comes back, and what never happens twice.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, WebSocketUpgrade};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use engross_agent::session::RequestError;
use engross_protocol::shared;
use futures_util::{SinkExt, StreamExt, stream};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tower::ServiceExt;

use super::access::Token;
use super::homes::{HomeDoor, HomeFinder, HomeNews, HomePlace, HomeUse, HomeUses};
use super::{Owners, app_of_homes};
use crate::testing::client::{CHAT, Got, HI, get as asked, post, send};
use crate::testing::fake::{Fake, server, text};

/// Says what a test wants.
struct ToldPlace {
    place: Mutex<HomePlace>,
    others: Option<Vec<String>>,
    news: Notify,
    uses: HomeUses,
}

impl ToldPlace {
    fn of(place: HomePlace) -> Self {
        Self {
            place: Mutex::new(place),
            others: Some(Vec::new()),
            news: Notify::new(),
            uses: HomeUses::default(),
        }
    }

    fn new(place: HomePlace) -> Arc<Self> {
        Arc::new(Self::of(place))
    }

    fn set(&self, place: HomePlace) {
        *self.place.lock().unwrap() = place;
        self.news.notify_waiters();
    }
}

impl HomeFinder for ToldPlace {
    fn begin(&self, _: &str) -> HomeUse {
        self.uses.begin()
    }

    fn find(&self, _: &str) -> HomePlace {
        self.place.lock().unwrap().clone()
    }

    fn changed(&self) -> HomeNews<'_> {
        let news = self.news.notified();
        Box::pin(async move {
            let _ = tokio::time::timeout(Duration::from_millis(50), news).await;
        })
    }

    fn others(&self) -> Option<Vec<String>> {
        self.others.clone()
    }
}

/// A node whose own sessions are `fake`'s.
fn node(fake: &Fake, told: &Arc<ToldPlace>) -> Router {
    let finder = Arc::clone(told) as Arc<dyn HomeFinder>;
    let door = HomeDoor::new(finder, "node-1", false).unwrap();
    app_of_homes(Arc::new(server(fake)), Owners::default(), door)
}

/// Another node, as a server at a port.
async fn elsewhere(routes: Router, running: &mut JoinSet<()>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    running.spawn(async move { axum::serve(listener, routes).await.unwrap() });
    format!("http://{address}")
}

/// Answers with what came.
async fn echo(request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let header = |name: &str| parts.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    let told = format!(
        "{} {} {} {}",
        parts.method,
        parts.uri,
        header("x-engross-forwarded-by").unwrap_or_default(),
        header("authorization").unwrap_or_default()
    );
    let bytes = to_bytes(body, usize::MAX).await.unwrap();
    (StatusCode::IM_A_TEAPOT, [("etag", "\"1\"")], format!("{told} {}", String::from_utf8_lossy(&bytes)))
        .into_response()
}

/// The bytes of [`HI`].
const HI_LENGTH: &str = "61";

const FILE: &str = "/v1/workspaces/w/files/a.md";

#[tokio::test]
async fn what_is_at_another_node_is_asked_there() {
    let mut running = JoinSet::new();
    let address = elsewhere(Router::new().fallback(echo), &mut running).await;
    let told = ToldPlace::new(HomePlace::At(address));
    let fake = Fake::default();
    let app = node(&fake, &told);
    let got = send(
        &app,
        Method::PUT,
        &format!("{FILE}?x=1"),
        &[("authorization", "Bearer t"), ("content-length", "3")],
        "abc",
    )
    .await;
    assert_eq!((got.status, got.header("etag").as_deref()), (418, Some("\"1\"")));
    assert_eq!(got.text, format!("PUT {FILE}?x=1 node-1 Bearer t abc"));
    // A body of unknown length flows through, too.
    let pieces = stream::iter(["one ", "two"].map(|piece| Ok::<_, std::io::Error>(Bytes::from(piece))));
    let got = send(
        &app,
        Method::PATCH,
        "/v1/write-sessions/w",
        &[("transfer-encoding", "chunked")],
        Body::from_stream(pieces),
    )
    .await;
    assert_eq!(got.text, "PATCH /v1/write-sessions/w node-1  one two");
    // What any node has is answered here, and who may not come in is told so here.
    fake.answer(text("here"));
    assert_eq!(post(&app, CHAT, &[], HI).await.status, 200);
    assert_eq!(asked(&app, "/healthz", &[]).await.status, 200);
    let mut locked = server(&fake);
    locked.access.token = Some(Token::new("t"));
    let finder = Arc::clone(&told) as Arc<dyn HomeFinder>;
    let door = HomeDoor::new(finder, "node-1", false).unwrap();
    let locked = app_of_homes(Arc::new(locked), Owners::default(), door);
    assert_eq!(asked(&locked, FILE, &[]).await.error().1, "UNAUTHORIZED");
    assert_eq!(asked(&locked, FILE, &[(AUTHORIZATION.as_str(), "Bearer t")]).await.status, 418);
}

#[tokio::test]
async fn a_request_is_passed_on_once() {
    let told = ToldPlace::new(HomePlace::At("http://127.0.0.1:1".to_owned()));
    let fake = Fake::default();
    let app = node(&fake, &told);
    let got = asked(&app, FILE, &[("x-engross-forwarded-by", "node-2")]).await;
    assert_eq!((got.status, got.error().1.as_str()), (503, "HOME_AWAY"));
    assert_eq!(got.header("retry-after").as_deref(), Some("1"));
    fake.refuse(RequestError::home_away());
    let got = post(&app, CHAT, &[("x-engross-forwarded-by", "node-2")], HI).await;
    assert_eq!(got.error().1, "HOME_AWAY");
}

#[tokio::test]
async fn who_finds_nobody_waits_for_somebody() {
    let mut running = JoinSet::new();
    let address = elsewhere(Router::new().fallback(echo), &mut running).await;
    let told = ToldPlace::new(HomePlace::Nowhere);
    let app = node(&Fake::default(), &told);
    let waiting = async {
        let got = send(&app, Method::PUT, FILE, &[("content-length", "3")], "abc").await;
        assert_eq!(got.text, format!("PUT {FILE} node-1  abc"));
    };
    let coming = async {
        tokio::time::sleep(Duration::from_millis(120)).await;
        // First one that takes no connection: what was not read of the body goes to the next.
        told.set(HomePlace::At("http://127.0.0.1:1".to_owned()));
        tokio::time::sleep(Duration::from_millis(120)).await;
        told.set(HomePlace::At(address.clone()));
    };
    tokio::join!(waiting, coming);
}

/// A session of a workspace that another node has is answered there, with the very same body.
#[tokio::test]
async fn a_session_goes_where_its_workspace_is() {
    let mut running = JoinSet::new();
    let there = Fake::default();
    let address = elsewhere(super::app(Arc::new(server(&there)), Router::new()), &mut running).await;
    let here = Fake::default();
    let app = node(&here, &ToldPlace::new(HomePlace::At(address)));
    for refusal in [
        RequestError::home_away(),
        RequestError::of(engross_llm::codes::MODEL_NOT_OFFERED, "the owner has brought it"),
    ] {
        here.refuse(refusal);
        there.answer(text("from there"));
        let got = post(&app, CHAT, &[("content-length", HI_LENGTH)], HI).await;
        assert_eq!(got.json()["choices"][0]["message"]["content"], "from there", "{}", got.text);
    }
    assert_eq!(there.submitted().len(), 2);
    // Any other refusal is the answer.
    here.refuse(RequestError::no_workspace("w"));
    assert_eq!(post(&app, CHAT, &[("content-length", HI_LENGTH)], HI).await.error().1, "WORKSPACE_UNKNOWN");
    assert!(there.submitted().is_empty());
}

#[tokio::test]
async fn an_answer_breaks_off_when_its_node_has_lost_what_it_answers_from() {
    let mut running = JoinSet::new();
    let stream_of_one = || async {
        let pieces = stream::iter([Ok::<_, std::io::Error>(Bytes::from("one"))]).chain(stream::pending());
        Body::from_stream(pieces)
    };
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let silent = move || {
        let counted = Arc::clone(&counted);
        async move {
            counted.fetch_add(1, Ordering::Relaxed);
            std::future::pending::<()>().await;
        }
    };
    let routes = Router::new().route("/v1/threads", get(stream_of_one)).fallback(any(silent));
    let address = elsewhere(routes, &mut running).await;
    let next = elsewhere(Router::new().fallback(echo), &mut running).await;
    let told = ToldPlace::new(HomePlace::At(address.clone()));
    let app = node(&Fake::default(), &told);
    let request = Request::builder().uri("/v1/threads").header("host", "localhost").body(Body::empty());
    let mut body = app.clone().oneshot(request.unwrap()).await.unwrap().into_body().into_data_stream();
    assert_eq!(body.next().await.unwrap().unwrap(), "one");
    told.set(HomePlace::At(next.clone()));
    assert!(body.next().await.unwrap().is_err(), "what was cut off must not look whole");

    // What may have been done there is not asked again; what only looks is.
    for (method, status) in [(Method::POST, 503), (Method::GET, 418)] {
        told.set(HomePlace::At(address.clone()));
        let asking = send(&app, method, "/v1/skills", &[], "");
        let moving = async {
            tokio::time::sleep(Duration::from_millis(150)).await;
            told.set(HomePlace::At(next.clone()));
        };
        let (got, ()): (Got, ()) = tokio::join!(asking, moving);
        assert_eq!(got.status, status, "{}", got.text);
    }
    assert_eq!(count.load(Ordering::Relaxed), 2);
}

/// What one node leads to another while that one gives the home away was not done there, and is done at the next one.
#[tokio::test]
async fn what_comes_too_late_for_a_home_follows_it() {
    let mut running = JoinSet::new();
    let next = elsewhere(Router::new().fallback(echo), &mut running).await;
    // It has just gone to the next node, and this one knows that.
    let gone = node(&Fake::default(), &ToldPlace::new(HomePlace::At(next.clone())));
    let got = send(&gone, Method::POST, "/v1/skills", &[("x-engross-forwarded-by", "node-2")], "").await;
    assert_eq!((got.status, got.headers.contains_key("x-engross-undone")), (503, true));
    let gone = elsewhere(gone, &mut running).await;
    for method in [Method::POST, Method::GET] {
        let told = ToldPlace::new(HomePlace::At(gone.clone()));
        let app = node(&Fake::default(), &told);
        let asking = send(&app, method, "/v1/skills", &[], "");
        let hearing = async {
            tokio::time::sleep(Duration::from_millis(150)).await;
            told.set(HomePlace::At(next.clone()));
        };
        let (got, ()): (Got, ()) = tokio::join!(asking, hearing);
        assert_eq!((got.status, got.headers.contains_key("x-engross-undone")), (418, false), "{}", got.text);
    }
}

/// Whoever wants to give a home away sees who uses what is there: until the end of an answer, and of a socket.
#[tokio::test]
async fn what_is_here_is_in_use_until_the_end_of_each_answer() {
    let told = ToldPlace::new(HomePlace::Here);
    let fake = Fake::default();
    let (taken, mut sockets) = mpsc::channel(1);
    let socket = move |used: Option<axum::Extension<HomeUse>>, upgrade: WebSocketUpgrade| {
        let taken = taken.clone();
        async move {
            upgrade.on_upgrade(async move |socket| {
                let _ = taken.send((socket, used)).await;
            })
        }
    };
    let stream_of_one = || async {
        let pieces = stream::iter([Ok::<_, std::io::Error>(Bytes::from("one"))]).chain(stream::pending());
        Body::from_stream(pieces)
    };
    let routes = Router::new().route("/acp", any(socket)).route("/v1/threads", get(stream_of_one));
    let finder = Arc::clone(&told) as Arc<dyn HomeFinder>;
    let door = HomeDoor::new(finder, "node-1", false).unwrap();
    let owners = Owners::default();
    let default = (Arc::default(), super::OwnerQuota::default());
    owners.add(super::DEFAULT_OWNER, routes, default.0, default.1);
    let app = app_of_homes(Arc::new(server(&fake)), owners, door);
    assert!(told.uses.are_over());
    let request = Request::builder().uri("/v1/threads").header("host", "localhost").body(Body::empty());
    let mut body = app.clone().oneshot(request.unwrap()).await.unwrap().into_body().into_data_stream();
    assert_eq!(body.next().await.unwrap().unwrap(), "one");
    assert!(!told.uses.are_over());
    drop(body);
    assert!(told.uses.are_over());

    let mut running = JoinSet::new();
    let address = elsewhere(app, &mut running).await;
    let url = format!("{}/acp", address.replace("http", "ws"));
    let (client, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    let socket = sockets.recv().await.unwrap();
    assert!(!told.uses.are_over());
    drop((client, socket));
    let waited = async {
        while !told.uses.are_over() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), waited).await.expect("a socket that is closed uses nothing");
}

/// A signed link says nothing of its owner: the others are asked where this node does not know it.
#[tokio::test]
async fn links_are_followed_at_other_nodes() {
    let mut running = JoinSet::new();
    let refused = Router::new().fallback(|| async { StatusCode::FORBIDDEN });
    let first = elsewhere(refused, &mut running).await;
    let second = elsewhere(Router::new().fallback(echo), &mut running).await;
    let told = ToldPlace {
        place: Mutex::new(HomePlace::Nowhere),
        others: Some(vec!["http://127.0.0.1:1".to_owned(), first, second]),
        news: Notify::new(),
        uses: HomeUses::default(),
    };
    let app = node(&Fake::default(), &Arc::new(told));
    let link = "/artifacts/openclaw/download?sig=1";
    let got = asked(&app, link, &[]).await;
    assert_eq!(got.text, format!("GET {link} node-1  "));
    let got = asked(&app, link, &[("x-engross-forwarded-by", "node-2")]).await;
    assert_eq!(got.status, 403);
    // Not all is open there: it may be theirs.
    let told = ToldPlace { others: None, ..ToldPlace::of(HomePlace::Nowhere) };
    let opening = node(&Fake::default(), &Arc::new(told));
    let got = asked(&opening, link, &[("x-engross-forwarded-by", "node-2")]).await;
    assert_eq!(got.status, 503);
    // One that another node opens is waited for there.
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let late = Router::new().fallback(async move || match counted.fetch_add(1, Ordering::Relaxed) {
        0 => (StatusCode::SERVICE_UNAVAILABLE, String::new()),
        _ => (StatusCode::OK, "there".to_owned()),
    });
    let address = elsewhere(late, &mut running).await;
    let told = ToldPlace { others: Some(vec![address]), ..ToldPlace::of(HomePlace::Nowhere) };
    assert_eq!(asked(&node(&Fake::default(), &Arc::new(told)), link, &[]).await.text, "there");
}

#[tokio::test]
async fn a_websocket_is_led_through() {
    let mut running = JoinSet::new();
    let (heard, mut said) = mpsc::channel(4);
    let talk = move |upgrade: WebSocketUpgrade, headers: HeaderMap| {
        let heard = heard.clone();
        async move {
            assert!(headers.contains_key("x-engross-forwarded-by"));
            upgrade.on_upgrade(async move |mut socket| {
                while let Some(Ok(message)) = socket.recv().await {
                    heard.send(message.to_text().unwrap_or_default().to_owned()).await.unwrap();
                    let _ = socket.send(message).await;
                }
            })
        }
    };
    let address = elsewhere(Router::new().route("/acp", get(talk)), &mut running).await;
    let told = ToldPlace::new(HomePlace::At(address));
    let door = elsewhere(node(&Fake::default(), &told), &mut running).await;
    let url = format!("{}/acp", door.replace("http", "ws"));
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    socket.send(Message::text("hello")).await.unwrap();
    assert_eq!(socket.next().await.unwrap().unwrap().to_text().unwrap(), "hello");
    assert_eq!(said.recv().await.unwrap(), "hello");
    // It ends with the home.
    told.set(HomePlace::Here);
    let end = tokio::time::timeout(Duration::from_secs(5), socket.next()).await.unwrap();
    assert!(!matches!(end, Some(Ok(Message::Text(_)))));
}

#[test]
fn sessions_are_anywhere_and_all_else_is_at_home() {
    for path in [
        CHAT,
        "/v1/responses",
        "/v1/responses/1",
        "/v1/sessions/a/events",
        "/v1/models",
        "/v1/errors/X",
        "/v1/view",
    ] {
        assert!(!super::homes::is_at_home(path), "{path}");
    }
    for path in [
        FILE,
        "/v1/write-sessions",
        "/acp/rpc",
        "/v1/threads",
        "/v1/skills",
        "/mcp",
        "/v1/sessionsx",
        "/none",
    ] {
        assert!(super::homes::is_at_home(path), "{path}");
    }
    assert_eq!(shared::HOME_AWAY.status, 503);
}
