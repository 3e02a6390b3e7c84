//! What owners other than the default one have: routes of their own, which hold nothing of anybody else. So a route that is
//! added reaches no other owner's things, whatever it does.
//!
//! Must never choose an owner by anything but the key of the request, or by a link that only this owner can have signed.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::Response;
use tower::ServiceExt;

use super::metrics::Metrics;
use super::quota::OwnerQuota;

/// What one owner reaches.
#[derive(Clone)]
pub(crate) struct OwnerRoutes {
    pub(crate) routes: Router,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) quota: OwnerQuota,
    /// Whether what the owner has is at another node, so that nothing of it is here.
    pub(crate) is_elsewhere: bool,
}

/// The owners besides the default one, by their names. Clones share them.
#[derive(Clone, Default)]
pub struct Owners(Arc<RwLock<BTreeMap<String, OwnerRoutes>>>);

impl Owners {
    /// Adds an owner with what it reaches, or gives it what it reaches from now on.
    pub fn add(&self, name: &str, routes: Router, metrics: Arc<Metrics>, quota: OwnerQuota) {
        self.put(name, OwnerRoutes { routes, metrics, quota, is_elsewhere: false });
    }

    /// Adds an owner whose things are at another node: `routes` lead to what any node has.
    pub fn add_elsewhere(&self, name: &str, routes: Router, metrics: Arc<Metrics>, quota: OwnerQuota) {
        self.put(name, OwnerRoutes { routes, metrics, quota, is_elsewhere: true });
    }

    fn put(&self, name: &str, routes: OwnerRoutes) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), routes);
    }

    /// Whether there is such an owner.
    pub fn has(&self, name: &str) -> bool {
        self.of(name).is_some()
    }

    pub(crate) fn of(&self, name: &str) -> Option<OwnerRoutes> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Follows a signed link which the default owner has not signed; `None` where nobody has.
    pub(crate) async fn follow(&self, link: &LinkRequest) -> Option<Response> {
        let all: Vec<OwnerRoutes> =
            self.0.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for owner in all.into_iter().filter(|owner| !owner.is_elsewhere) {
            let response = answer(owner.routes, link.request()).await;
            if response.status() != StatusCode::FORBIDDEN {
                return Some(response);
            }
        }
        None
    }
}

/// What the routes answer.
pub(crate) async fn answer(routes: Router, request: Request) -> Response {
    routes.oneshot(request).await.unwrap_or_else(|never| match never {})
}

/// A request that has no body, to be asked more than once.
pub(crate) struct LinkRequest {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
}

impl LinkRequest {
    pub(crate) fn of(request: &Request) -> Self {
        Self {
            method: request.method().clone(),
            uri: request.uri().clone(),
            headers: request.headers().clone(),
        }
    }

    pub(crate) fn request(&self) -> Request {
        let mut request = Request::new(Body::empty());
        self.method.clone_into(request.method_mut());
        self.uri.clone_into(request.uri_mut());
        self.headers.clone_into(request.headers_mut());
        request
    }
}
