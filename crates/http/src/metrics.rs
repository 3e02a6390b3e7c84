//! What the server counts, and how Prometheus reads it.
//!
//! Must never grow with what clients send: every label has a bounded set of values.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::exports::Arrears;

/// A route, for counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RouteName(&'static str);

impl RouteName {
    /// The route of a path.
    pub fn of(path: &str) -> Self {
        Self(match path {
            "/v1/chat/completions" => "/v1/chat/completions",
            "/healthz" => "/healthz",
            "/readyz" => "/readyz",
            "/v1/compare" => "/v1/compare",
            "/metrics" => "/metrics",
            "/mcp" => "/mcp",
            _ if path == "/v1/models" || path.starts_with("/v1/models/") => "/v1/models",
            _ if path == "/v1/responses" || path.starts_with("/v1/responses/") => "/v1/responses",
            _ if path == "/v1/sessions" || path.starts_with("/v1/sessions/") => "/v1/sessions",
            _ if path.starts_with("/v1/write-sessions") => "/v1/write-sessions",
            _ if path.starts_with("/api/write-session") => "/api/write-session",
            "/acp" | "/acp/rpc" => "/acp",
            "/artifacts/openclaw/download" => "/artifacts",
            _ if path.starts_with("/v1/workspaces/") => "/v1/workspaces",
            _ => "other",
        })
    }
}

/// The counters of a server.
#[derive(Default)]
pub struct Metrics {
    requests: Mutex<BTreeMap<(RouteName, u16), u64>>,
    model_errors: Mutex<BTreeMap<String, u64>>,
    turns: AtomicU64,
    open_streams: AtomicI64,
    arrears: Arrears,
}

impl Metrics {
    /// Counters of a server with exports.
    pub fn with(arrears: Arrears) -> Self {
        Self { arrears, ..Self::default() }
    }

    /// A request was answered.
    pub fn request(&self, route: RouteName, status: u16) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((route, status)).or_default() += 1;
    }

    /// A turn was started or went on.
    pub fn turn(&self) {
        self.turns.fetch_add(1, Ordering::Relaxed);
    }

    /// An answer failed.
    pub fn answer_failed(&self, code: &str) {
        let mut errors = self.model_errors.lock().unwrap_or_else(PoisonError::into_inner);
        match errors.get_mut(code) {
            Some(count) => *count += 1,
            None => drop(errors.insert(code.to_owned(), 1)),
        }
    }

    /// A stream was opened (1) or closed (-1).
    pub fn streams(&self, change: i64) {
        self.open_streams.fetch_add(change, Ordering::Relaxed);
    }

    /// All of them, in the text format of Prometheus.
    pub fn text(&self) -> String {
        let mut text = String::new();
        head(&mut text, "requests_total", "counter", "Requests answered.");
        for ((route, status), count) in &*self.requests.lock().unwrap_or_else(PoisonError::into_inner) {
            line(
                &mut text,
                "requests_total",
                &format!("{{route=\"{}\",status=\"{status}\"}}", route.0),
                count,
            );
        }
        head(
            &mut text,
            "turns_total",
            "counter",
            "Requests to sessions that were accepted, repeated ones left out.",
        );
        line(&mut text, "turns_total", "", &self.turns.load(Ordering::Relaxed));
        head(&mut text, "open_streams", "gauge", "Event streams that are open.");
        line(&mut text, "open_streams", "", &self.open_streams.load(Ordering::Relaxed));
        head(&mut text, "answer_errors_total", "counter", "Answers that failed, by code.");
        for (code, count) in &*self.model_errors.lock().unwrap_or_else(PoisonError::into_inner) {
            line(&mut text, "answer_errors_total", &format!("{{code=\"{code}\"}}"), count);
        }
        if let Some(count) = self.arrears.transcripts_behind() {
            let name = "transcripts_behind";
            head(&mut text, name, "gauge", "Sessions whose transcript lacks something.");
            line(&mut text, name, "", &count);
        }
        if let Some(count) = self.arrears.traces_lost() {
            let name = "traces_lost_total";
            head(&mut text, name, "counter", "Events of which no trace could be kept.");
            line(&mut text, name, "", &count);
        }
        text
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "# HELP engross_{name} {help}\n# TYPE engross_{name} {kind}");
}

fn line(text: &mut String, name: &str, labels: &str, value: &dyn std::fmt::Display) {
    let _ = writeln!(text, "engross_{name}{labels} {value}");
}
