//! The router: what stands before every route, and which routes there are.
//!
//! Must never answer in another shape than the error object when something is wrong.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{ALLOW, CONTENT_DISPOSITION, CONTENT_RANGE, ETAG, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, Method};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use super::access::Access;
use super::connections::{Overload, Peer};
use super::error::Error;
use super::headers::{
    OPENCLAW_SESSION_KEY, REQUEST_ID, SESSION_ID, SESSION_KEY, SHOULD_RETRY, TURN, WARNINGS,
};
use super::metrics::RouteName;
use super::routes::{about, acp, chat, events, health, models, responses, sessions, workspaces};
use super::server::Server;
use super::service::Service;

/// The whole server as a router. `further` routes stand behind the same front door.
pub fn app<S: Service>(server: Arc<Server<S>>, further: Router) -> Router {
    Router::new()
        .route(about::PAGE, get(about::page))
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
            get(workspaces::checkpoints::<S>).post(workspaces::restore::<S>),
        )
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready::<S>))
        .route("/metrics", get(health::metrics::<S>))
        .merge(further.with_state(()))
        .fallback(no_route)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&server), front_door::<S>))
        .layer(cors(server.access.clone()))
        .layer(from_fn(acp::preflight))
        .with_state(server)
}

/// Checks access, names the request, and counts it.
async fn front_door<S: Service>(
    State(server): State<Arc<Server<S>>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    let route = RouteName::of(path);
    let is_health = matches!(path, "/healthz" | "/readyz");
    // A link that the server has signed stands for the token.
    let is_open = is_health || about::is_public(path) || acp::is_download(path);
    let speaks_rpc = acp::speaks(path);
    let id = request.headers().get(REQUEST_ID).filter(|id| is_request_id(id)).cloned();
    let access = if is_health {
        Ok(())
    } else if request.extensions().get::<Overload>().is_some() {
        Err(Error::NoRoom)
    } else if is_open {
        Ok(())
    } else {
        check(&server, &request)
    };
    let mut response = match access {
        Ok(()) => next.run(request).await,
        Err(error) if speaks_rpc => acp::refused(&error),
        Err(error) => error.into_response(),
    };
    let id = id.or_else(|| {
        let number = u128::from_be_bytes(server.ids.next(server.clock.millis()));
        HeaderValue::from_str(&format!("req_{number:032x}")).ok()
    });
    if let Some(id) = id {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    server.metrics.request(route, response.status().as_u16());
    response
}

/// Whether a request may come in. Wrong tokens are counted by the address that they come from.
fn check<S>(server: &Server<S>, request: &Request) -> Result<(), Error> {
    let access = server.access.check(request.headers());
    let Some(Peer(address)) = request.extensions().get().copied() else { return access };
    if server.access.token.is_none() || matches!(access, Err(Error::OriginNotAllowed { .. })) {
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
    let headers: [HeaderName; 12] = [
        OPENCLAW_SESSION_KEY,
        SESSION_KEY,
        SESSION_ID,
        TURN,
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
