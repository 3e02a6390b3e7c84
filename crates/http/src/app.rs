//! The router: what stands before every route, and which routes there are.
//!
//! Must never answer in another shape than the error object when something is wrong.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{ALLOW, CONTENT_DISPOSITION, CONTENT_RANGE, ETAG, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use super::access::{Access, Caller, DEFAULT_OWNER, Right};
use super::access_log::{ReportedBody, RequestReport};
use super::connections::{Overload, Peer};
use super::error::{Error, ErrorCode};
use super::headers::{
    OPENCLAW_SESSION_KEY, REQUEST_ID, REVISION, SESSION_ID, SESSION_KEY, SHOULD_RETRY, TURN, WARNINGS,
};
use super::homes::{HomeDoor, is_at_home};
use super::owners::{LinkRequest, OwnerRoutes, Owners, answer};
use super::recent_errors::RecentError;
use super::route_name::RouteName;
use super::routes::{
    about, acp, chat, compare, errors, events, health, models, responses, sessions, taskpane, view,
    workbench, workspaces,
};
use super::server::Server;
use super::service::Service;

/// The whole server of one owner as a router. `further` routes stand behind the same front door.
pub fn app<S: Service>(server: Arc<Server<S>>, further: Router) -> Router {
    app_of_owners(server, further, Owners::default())
}

/// The same with further owners: whose key a request carries decides which routes it reaches. `server` and `further` are those
/// of the default owner.
pub fn app_of_owners<S: Service>(server: Arc<Server<S>>, further: Router, owners: Owners) -> Router {
    let access = server.access.clone();
    let own = routes(Arc::clone(&server), further);
    app_at_door(Arc::new(FrontDoor { server, own, owners, homes: None }), access)
}

/// The same for one of several nodes that share what owners have: `server` answers of the default owner what any node may. Of the
/// others, and of the default owner where this node is its home, `owners` has the routes.
pub fn app_of_homes<S: Service>(server: Arc<Server<S>>, owners: Owners, homes: HomeDoor) -> Router {
    let access = server.access.clone();
    let own = routes(Arc::clone(&server), Router::new());
    app_at_door(Arc::new(FrontDoor { server, own, owners, homes: Some(homes) }), access)
}

fn app_at_door<S: Service>(door: Arc<FrontDoor<S>>, access: Access) -> Router {
    // The owner is known before the path is looked at.
    Router::new().fallback(enter::<S>).with_state(door).layer(cors(access)).layer(from_fn(acp::preflight))
}

/// What one owner reaches, without a door before it.
pub fn routes<S: Service>(server: Arc<Server<S>>, further: Router) -> Router {
    Router::new()
        .route(workbench::PAGE, get(workbench::page))
        .route(workbench::SCRIPT, get(workbench::script))
        .route(workbench::STYLE, get(workbench::style))
        .merge(taskpane::routes())
        .route(about::DESCRIPTION, get(about::description))
        .route(about::ICON, get(about::icon))
        .route("/v1/chat/completions", post(chat::create::<S>))
        .route("/v1/responses", post(responses::create::<S>))
        .route("/v1/responses/{id}", get(responses::look::<S>).delete(responses::remove::<S>))
        .route("/v1/responses/{id}/input_items", get(responses::input::<S>))
        .route("/v1/responses/{id}/cancel", post(responses::cancel::<S>))
        .route("/v1/models", get(models::list::<S>))
        .route("/v1/models/{*id}", get(models::one::<S>))
        .route("/v1/sessions", get(sessions::list::<S>))
        .route("/v1/sessions/{key}", get(sessions::look::<S>).delete(sessions::remove::<S>))
        .route("/v1/sessions/{key}/settings", get(sessions::settings::<S>).put(sessions::configure::<S>))
        .route("/v1/sessions/{key}/cancel", post(sessions::cancel::<S>))
        .route("/v1/sessions/{key}/events", get(events::listen::<S>))
        .route("/v1/compare", post(compare::create::<S>))
        .route("/v1/view", post(view::create::<S>))
        .route("/v1/errors", get(errors::recent::<S>))
        .route("/v1/errors/{code}", get(errors::explain::<S>))
        .route("/v1/workspaces", get(workspaces::names::<S>))
        .route("/v1/workspaces/{name}/files", get(workspaces::list::<S>))
        .route(
            "/v1/workspaces/{name}/files/{*path}",
            get(workspaces::get::<S>)
                .put(workspaces::put::<S>)
                .delete(workspaces::remove::<S>)
                .post(workspaces::apply::<S>),
        )
        .route(
            "/v1/workspaces/{name}/checkpoints/{*path}",
            get(workspaces::checkpoints::<S>).post(workspaces::restore::<S>).delete(workspaces::forget::<S>),
        )
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready::<S>))
        .route("/metrics", get(health::metrics::<S>))
        .merge(further.with_state(()))
        .fallback(no_route)
        .method_not_allowed_fallback(wrong_method)
        .with_state(server)
}

/// What stands before all routes.
struct FrontDoor<S> {
    server: Arc<Server<S>>,
    /// What the default owner reaches.
    own: Router,
    owners: Owners,
    /// The other nodes, where what owners have is shared with them.
    homes: Option<HomeDoor>,
}

/// Who may come in, and whose things they reach.
enum Entry {
    /// The default owner's, and what everybody may see.
    Own,
    /// Another owner's.
    Of(OwnerRoutes),
    /// Who signed the link.
    Link,
}

/// Checks access, leads the request to its owner's things, names and counts it.
async fn enter<S: Service>(State(door): State<Arc<FrontDoor<S>>>, mut request: Request) -> Response {
    let server = &door.server;
    let path = request.uri().path();
    let speaks_rpc = acp::speaks(path);
    let id = request.headers().get(REQUEST_ID).filter(|id| is_request_id(id)).cloned().or_else(|| {
        let number = u128::from_be_bytes(server.ids.next(server.clock.millis()));
        HeaderValue::from_str(&format!("req_{number:032x}")).ok()
    });
    let mut report = RequestReport {
        log: server.access_log.clone(),
        metrics: Arc::clone(&server.metrics),
        at: server.clock.millis(),
        began: Instant::now(),
        id: id.as_ref().and_then(|id| id.to_str().ok()).unwrap_or_default().to_owned(),
        peer: request.extensions().get().map(|Peer(address)| *address),
        method: request.method().clone(),
        path: shown_path(&request),
        route: RouteName::of(path),
        caller: None,
        status: 0,
        code: String::new(),
        bytes: 0,
        is_whole: false,
    };
    let entry = entry(&door, &request).map(|(entry, caller)| {
        if let Some(caller) = caller.clone() {
            request.extensions_mut().insert(caller);
        }
        report.caller = caller;
        entry
    });
    let mut quota = &server.quota;
    if let Ok(Entry::Of(owner)) = &entry {
        report.metrics = Arc::clone(&owner.metrics);
        quota = &owner.quota;
    }
    // Who may not come in hears of that alone, and adds nothing.
    let is_led = door.homes.is_some() && report.caller.is_some();
    let admitted = match &entry {
        Ok(_) => quota.admit(request.method(), request.uri().path(), request.headers()),
        Err(_) => Ok(()),
    };
    let entry = admitted.and(entry);
    let mut response = match entry {
        Ok(Entry::Own | Entry::Of(_)) if is_led => at_home(&door, report.caller.clone(), request).await,
        Ok(Entry::Own) => answer(door.own.clone(), request).await,
        Ok(Entry::Of(owner)) => answer(owner.routes, request).await,
        Ok(Entry::Link) => {
            let link = LinkRequest::of(&request);
            let response = answer(door.own.clone(), request).await;
            let is_known = !matches!(response.status(), StatusCode::FORBIDDEN | StatusCode::NOT_FOUND);
            match (is_known, &door.homes) {
                (true, _) => response,
                (false, None) => door.owners.follow(&link).await.unwrap_or(response),
                (false, Some(homes)) => match door.owners.follow(&link).await {
                    Some(followed) => followed,
                    None => homes.ask_others(link.request()).await.unwrap_or(response),
                },
            }
        }
        Err(error) if speaks_rpc => acp::refused(&error),
        Err(error) => error.into_response(),
    };
    if let Some(id) = id {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    report.status = response.status().as_u16();
    if report.status >= 400 {
        report.code = response.extensions_mut().remove::<ErrorCode>().map(|code| code.0).unwrap_or_default();
        let (at, route, status) = (server.clock.millis(), report.route, report.status);
        report.metrics.recent_errors().add(RecentError { at, route, status, code: report.code.clone() });
    }
    response.map(|body| Body::new(ReportedBody::new(body, report)))
}

/// Has the node answer a request that has what it needs.
async fn at_home<S: Service>(door: &Arc<FrontDoor<S>>, caller: Option<Caller>, request: Request) -> Response {
    let owner = caller.map_or_else(|| DEFAULT_OWNER.into(), |caller| caller.owner);
    let (at, name) = (Arc::clone(door), owner.clone());
    // What this node has of an owner changes while a request waits.
    let here = move |request| {
        let routes = at.owners.of(&name).map_or_else(|| at.own.clone(), |owner| owner.routes);
        Box::pin(answer(routes, request)) as std::pin::Pin<Box<dyn Future<Output = Response> + Send>>
    };
    match &door.homes {
        Some(homes) if is_at_home(request.uri().path()) => homes.answer(&owner, request, &here).await,
        Some(homes) => homes.answer_anywhere(&owner, request, &here).await,
        None => here(request).await,
    }
}

/// Whether a request may come in, and whose things it reaches.
fn entry<S>(door: &FrontDoor<S>, request: &Request) -> Result<(Entry, Option<Caller>), Error> {
    let (method, path) = (request.method(), request.uri().path());
    if matches!(path, "/healthz" | "/readyz") {
        return Ok((Entry::Own, None));
    }
    if request.extensions().get::<Overload>().is_some() {
        return Err(Error::NoRoom);
    }
    // A link that the server has signed stands for the token.
    if acp::is_download(path) {
        return Ok((Entry::Link, None));
    }
    if about::is_public(path) || acp::is_liveness(method, path) {
        return Ok((Entry::Own, None));
    }
    let caller = check(&door.server, request)?;
    let needed = Right::needed(method, path);
    if caller.right < needed {
        return Err(Error::RightMissing { needed: needed.as_str(), right: caller.right.as_str() });
    }
    if &*caller.owner == DEFAULT_OWNER {
        return Ok((Entry::Own, Some(caller)));
    }
    // An owner whose things could not be opened has none.
    let owner = door.owners.of(&caller.owner).ok_or(Error::NoRoom)?;
    Ok((Entry::Of(owner), Some(caller)))
}

/// Who a request comes from. Wrong secrets are counted by the address that they come from.
fn check<S>(server: &Server<S>, request: &Request) -> Result<Caller, Error> {
    let access = server.access.check(request.headers());
    let Some(Peer(address)) = request.extensions().get().copied() else { return access };
    if !server.access.is_locked() || matches!(access, Err(Error::OriginNotAllowed { .. })) {
        return access;
    }
    match server.brake.refuses(address, access.is_ok(), server.clock.millis()) {
        Some(seconds) => Err(Error::TooManyAttempts { seconds }),
        None => access,
    }
}

/// Whether a client's id of a request can be repeated to it.
fn is_request_id(id: &HeaderValue) -> bool {
    !id.is_empty() && id.len() <= 128 && id.as_bytes().iter().all(u8::is_ascii_graphic)
}

async fn no_route(request: Request) -> Error {
    Error::RouteNotFound { path: shown_path(&request) }
}

async fn wrong_method(request: Request) -> Error {
    Error::MethodNotAllowed { method: request.method().to_string(), path: shown_path(&request) }
}

/// The path, short enough for a message.
fn shown_path(request: &Request) -> String {
    request.uri().path().chars().take(100).collect()
}

fn cors(access: Access) -> CorsLayer {
    let headers: [HeaderName; 13] = [
        OPENCLAW_SESSION_KEY,
        SESSION_KEY,
        SESSION_ID,
        TURN,
        REVISION,
        REQUEST_ID,
        SHOULD_RETRY,
        WARNINGS,
        RETRY_AFTER,
        ALLOW,
        ETAG,
        CONTENT_RANGE,
        CONTENT_DISPOSITION,
    ];
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(move |origin, _| {
            origin.to_str().is_ok_and(|origin| access.allows_origin(origin))
        }))
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(headers)
        .allow_private_network(true)
        .max_age(Duration::from_secs(600))
}
