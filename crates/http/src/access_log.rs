//! What is told of each request once it is answered: a line of JSON for the one who looks after the server, and counters.
//!
//! Must never tell a secret, a query, or what was said: who asked by the name of a key, where, how it ended, how long it took.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::Method;
use engross_protocol::Timestamp;
use hyper::body::{Frame, SizeHint};
use serde_json::json;

use super::access::Caller;
use super::metrics::Metrics;
use super::route_name::RouteName;

/// Takes lines about requests. Must return at once: what cannot be written soon is lost, never waited for.
pub trait AccessLog: Send + Sync {
    /// Takes a line, which ends with a line feed.
    fn write(&self, line: String);
}

/// A request that is being answered. It is told of when it is dropped.
pub(crate) struct RequestReport {
    pub(crate) log: Option<Arc<dyn AccessLog>>,
    pub(crate) metrics: Arc<Metrics>,
    /// When it came, in milliseconds since 1970.
    pub(crate) at: u64,
    pub(crate) began: Instant,
    pub(crate) id: String,
    pub(crate) peer: Option<IpAddr>,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) route: RouteName,
    pub(crate) caller: Option<Caller>,
    pub(crate) status: u16,
    pub(crate) code: String,
    /// The bytes of its answer that were taken.
    pub(crate) bytes: u64,
    /// Whether the answer was sent to its end.
    pub(crate) is_whole: bool,
}

impl Drop for RequestReport {
    fn drop(&mut self) {
        let taken = self.began.elapsed();
        self.metrics.request(self.route, self.status, taken);
        let Some(log) = &self.log else { return };
        let millis = u64::try_from(taken.as_millis()).unwrap_or(u64::MAX);
        let caller = self.caller.as_ref();
        let line = json!({
            "at": Timestamp::from_millis(self.at).to_string(),
            "request": self.id,
            "peer": self.peer.map(|peer| peer.to_string()),
            "owner": caller.map(|caller| &*caller.owner),
            "key": caller.map(|caller| &*caller.key).filter(|key| !key.is_empty()),
            "method": self.method.as_str(),
            "path": self.path,
            "status": self.status,
            "code": Some(&self.code).filter(|code| !code.is_empty()),
            "bytes": self.bytes,
            "ms": millis,
            "whole": self.is_whole,
        });
        log.write(format!("{line}\n"));
    }
}

/// The body of an answer, with what is to be told when it is sent.
pub(crate) struct ReportedBody {
    body: Body,
    report: RequestReport,
}

impl ReportedBody {
    pub(crate) fn new(body: Body, mut report: RequestReport) -> Self {
        // What has no bytes may never be asked for any.
        report.is_whole = body.is_end_stream();
        Self { body, report }
    }
}

impl HttpBody for ReportedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        match &frame {
            Some(Ok(frame)) => {
                let bytes = frame.data_ref().map(Bytes::len).unwrap_or_default();
                self.report.bytes += u64::try_from(bytes).unwrap_or_default();
                self.report.is_whole = self.body.is_end_stream();
            }
            Some(Err(_)) => {}
            None => self.report.is_whole = true,
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
