//! What the server counts, and how Prometheus reads it.
//!
//! Must never grow with what clients send: every label has a bounded set of values.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engross_agent::session::{LogEvent, Observer, StoredEntries};
use engross_llm::RetryCount;

use engross_write::runner::{WriteCounters, WriteService};

use super::recent_errors::RecentErrors;
use crate::exports::Arrears;
use crate::route_name::RouteName;

/// What is counted for an owner, and for all of them together.
#[derive(Default)]
pub struct Metrics {
    all: Arc<Counters>,
    recent_errors: RecentErrors,
}

/// The counters of a server.
#[derive(Default)]
struct Counters {
    requests: Mutex<BTreeMap<(RouteName, u16), u64>>,
    durations: Mutex<BTreeMap<RouteName, Histogram>>,
    input_tokens: AtomicU64,
    output_tokens: AtomicU64,
    store_bytes: AtomicU64,
    /// Requests to models that were repeated.
    retries: Mutex<Option<RetryCount>>,
    /// The write sessions of each owner.
    writes: Mutex<Vec<Arc<WriteCounters>>>,
    model_errors: Mutex<BTreeMap<String, u64>>,
    turns: AtomicU64,
    open_streams: AtomicI64,
    arrears: Arrears,
}

/// The upper bounds of the buckets of durations, in seconds: from an answer out of memory to a long turn.
const BUCKETS: [f64; 14] =
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0];

/// How long something took, by buckets.
#[derive(Default)]
struct Histogram {
    /// How many took at most so long, each bucket for itself.
    buckets: [u64; BUCKETS.len()],
    count: u64,
    sum: Duration,
}

impl Histogram {
    fn add(&mut self, taken: Duration) {
        let seconds = taken.as_secs_f64();
        if let Some((_, bucket)) = BUCKETS.iter().zip(&mut self.buckets).find(|(most, _)| seconds <= **most) {
            *bucket += 1;
        }
        self.count += 1;
        self.sum += taken;
    }

    fn write(&self, text: &mut String, name: &str, label: &str) {
        let mut so_far = 0;
        for (most, count) in BUCKETS.iter().zip(self.buckets) {
            so_far += count;
            line(text, &format!("{name}_bucket"), &format!("{{{label},le=\"{most}\"}}"), &so_far);
        }
        line(text, &format!("{name}_bucket"), &format!("{{{label},le=\"+Inf\"}}"), &self.count);
        line(text, &format!("{name}_sum"), &format!("{{{label}}}"), &self.sum.as_secs_f64());
        line(text, &format!("{name}_count"), &format!("{{{label}}}"), &self.count);
    }
}

impl Observer for Counters {
    fn stored(&self, stored: StoredEntries<'_>) {
        for event in stored.events {
            let usage = match event {
                LogEvent::Answered { usage, .. } | LogEvent::Summarised { usage, .. } => *usage,
                LogEvent::Wrote(wrote) => wrote.usage,
                _ => None,
            };
            let Some(usage) = usage else { continue };
            self.input_tokens.fetch_add(usage.input_tokens, Ordering::Relaxed);
            self.output_tokens.fetch_add(usage.output_tokens, Ordering::Relaxed);
        }
    }
}

impl Metrics {
    /// Counters of a server with exports.
    pub fn with(arrears: Arrears) -> Self {
        let all = Counters { arrears, ..Counters::default() };
        Self { all: Arc::new(all), recent_errors: RecentErrors::default() }
    }

    /// The same counters for another owner, whose failed requests nobody else sees.
    #[must_use]
    pub fn of_owner(&self) -> Self {
        Self { all: Arc::clone(&self.all), recent_errors: RecentErrors::default() }
    }

    /// A request was answered, and its answer sent.
    pub fn request(&self, route: RouteName, status: u16, taken: Duration) {
        let mut requests = self.all.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((route, status)).or_default() += 1;
        drop(requests);
        let mut durations = self.all.durations.lock().unwrap_or_else(PoisonError::into_inner);
        durations.entry(route).or_default().add(taken);
    }

    /// Who counts what sessions store.
    pub fn observer(&self) -> Arc<dyn Observer> {
        Arc::clone(&self.all) as Arc<dyn Observer>
    }

    /// Counts these write sessions, too.
    pub fn watch_writes(&self, service: &WriteService) {
        let counters = Arc::clone(service.sessions().counters());
        self.all.writes.lock().unwrap_or_else(PoisonError::into_inner).push(counters);
    }

    /// Counts how often requests to models are repeated.
    pub fn watch_retries(&self, count: RetryCount) {
        *self.all.retries.lock().unwrap_or_else(PoisonError::into_inner) = Some(count);
    }

    /// How large the store of sessions is, in bytes.
    pub fn store_bytes(&self, bytes: u64) {
        self.all.store_bytes.store(bytes, Ordering::Relaxed);
    }

    /// The newest requests that failed.
    pub(crate) fn recent_errors(&self) -> &RecentErrors {
        &self.recent_errors
    }

    /// A turn was started or went on.
    pub fn turn(&self) {
        self.all.turns.fetch_add(1, Ordering::Relaxed);
    }

    /// An answer failed.
    pub fn answer_failed(&self, code: &str) {
        let mut errors = self.all.model_errors.lock().unwrap_or_else(PoisonError::into_inner);
        match errors.get_mut(code) {
            Some(count) => *count += 1,
            None => drop(errors.insert(code.to_owned(), 1)),
        }
    }

    /// A stream was opened (1) or closed (-1).
    pub fn streams(&self, change: i64) {
        self.all.open_streams.fetch_add(change, Ordering::Relaxed);
    }

    /// All of them, in the text format of Prometheus. `waiting` are the requests that wait for their session, and the turns that
    /// wait for a place to work.
    pub fn text(&self, running: usize, waiting: (usize, usize)) -> String {
        let mut text = String::new();
        head(&mut text, "requests_total", "counter", "Requests answered.");
        for ((route, status), count) in &*self.all.requests.lock().unwrap_or_else(PoisonError::into_inner) {
            line(
                &mut text,
                "requests_total",
                &format!("{{route=\"{}\",status=\"{status}\"}}", route.as_str()),
                count,
            );
        }
        head(
            &mut text,
            "turns_total",
            "counter",
            "Requests to sessions that were accepted, repeated ones left out.",
        );
        line(&mut text, "turns_total", "", &self.all.turns.load(Ordering::Relaxed));
        let name = "request_duration_seconds";
        head(
            &mut text,
            name,
            "histogram",
            "How long requests took, from their head to the end of their answer.",
        );
        for (route, histogram) in &*self.all.durations.lock().unwrap_or_else(PoisonError::into_inner) {
            histogram.write(&mut text, name, &format!("route=\"{}\"", route.as_str()));
        }
        for (kind, tokens) in [("input", &self.all.input_tokens), ("output", &self.all.output_tokens)] {
            let name = format!("model_{kind}_tokens_total");
            head(&mut text, &name, "counter", "Tokens of models, as they count them.");
            line(&mut text, &name, "", &tokens.load(Ordering::Relaxed));
        }
        let stored = self.all.store_bytes.load(Ordering::Relaxed);
        if stored > 0 {
            head(&mut text, "store_bytes", "gauge", "Bytes of the file that sessions are kept in.");
            line(&mut text, "store_bytes", "", &stored);
        }
        let mut written: BTreeMap<&str, u64> = BTreeMap::new();
        for counters in &*self.all.writes.lock().unwrap_or_else(PoisonError::into_inner) {
            for (what, count) in counters.all() {
                *written.entry(what).or_default() += count;
            }
        }
        for (what, count) in written {
            let name = format!("write_sessions_{what}_total");
            let help = match what {
                "bytes" => "Bytes of files that write sessions put in their place.",
                "repairs" => "Times that a model was asked to mend a file.",
                _ => "Write sessions, by what became of them.",
            };
            head(&mut text, &name, "counter", help);
            line(&mut text, &name, "", &count);
        }
        head(&mut text, "turns_running", "gauge", "Turns that run now.");
        line(&mut text, "turns_running", "", &running);
        head(&mut text, "requests_waiting", "gauge", "Requests that wait for their session.");
        line(&mut text, "requests_waiting", "", &waiting.0);
        head(&mut text, "turns_waiting", "gauge", "Turns that wait for a place to work.");
        line(&mut text, "turns_waiting", "", &waiting.1);
        if let Some(count) = &*self.all.retries.lock().unwrap_or_else(PoisonError::into_inner) {
            let name = "model_retries_total";
            head(&mut text, name, "counter", "Requests to models that failed and were repeated.");
            line(&mut text, name, "", &count.get());
        }
        head(&mut text, "open_streams", "gauge", "Event streams that are open.");
        line(&mut text, "open_streams", "", &self.all.open_streams.load(Ordering::Relaxed));
        head(&mut text, "answer_errors_total", "counter", "Answers that failed, by code.");
        for (code, count) in &*self.all.model_errors.lock().unwrap_or_else(PoisonError::into_inner) {
            line(&mut text, "answer_errors_total", &format!("{{code=\"{code}\"}}"), count);
        }
        if let Some(count) = self.all.arrears.transcripts_behind() {
            let name = "transcripts_behind";
            head(&mut text, name, "gauge", "Sessions whose transcript lacks something.");
            line(&mut text, name, "", &count);
        }
        if let Some(count) = self.all.arrears.traces_lost() {
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
