//! Spans of turns, sent to an OpenTelemetry collector (OTLP over HTTP, protobuf).
//!
//! The only file that knows OpenTelemetry. Must never block or fail a turn: spans wait in a bounded queue that a thread of
//! its own empties, and what does not fit, or no collector takes, is gone. Sends spans of sessions only, and no events: those
//! may repeat what a provider said.

use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use reqwest::Url;
use reqwest::blocking::Client;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

/// Where the spans come from that are sent.
const SOURCE: &str = "engross_agent::session";

/// How long one request to the collector may take.
const REQUEST: Duration = Duration::from_secs(4);

/// How long the last spans may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Sends spans while it lives.
pub struct Telemetry {
    provider: SdkTracerProvider,
}

impl Telemetry {
    /// Begins to send to the collector at `endpoint`. Must not be called within an async runtime.
    pub fn start(endpoint: &str) -> Result<Self, String> {
        let url = address(endpoint)?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client(&url)?)
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(REQUEST)
            .with_endpoint(url)
            .build()
            .map_err(|error| error.to_string())?;
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder().with_service_name("engross").with_attribute(version).build();
        let provider =
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
        Ok(Self { provider })
    }

    /// Takes spans in from the program.
    pub fn layer<S: Subscriber + for<'a> LookupSpan<'a>>(&self) -> impl Layer<S> + use<S> {
        let is_ours = filter_fn(|metadata| metadata.is_span() && metadata.target().starts_with(SOURCE));
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("engross"))
            .with_location(false)
            .with_target(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(is_ours.with_max_level_hint(LevelFilter::INFO))
    }

    /// Returns when all spans are sent, or it takes too long.
    pub fn finish(&self) {
        if let Err(error) = self.provider.shutdown_with_timeout(PATIENCE) {
            tracing::warn!("the last spans could not be sent: {error}");
        }
    }
}

/// Where spans are posted, beneath the collector at `endpoint`.
pub fn address(endpoint: &str) -> Result<String, String> {
    let mut url = Url::parse(endpoint.trim()).map_err(|error| format!("it is no address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("it is no address of a web server; give one such as http://127.0.0.1:4318".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        let message = "a password in it is not sent; put it into OTEL_EXPORTER_OTLP_HEADERS";
        return Err(message.to_owned());
    }
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(["v1", "traces"]);
    }
    Ok(url.into())
}

/// A client that goes to the collector and nowhere else.
fn client(url: &str) -> Result<Client, String> {
    let scheme = url.split(':').next().unwrap_or_default();
    let tls = engross_tls::of_scheme(scheme).map_err(|error| error.to_string())?;
    Client::builder()
        .tls_backend_preconfigured(tls)
        .timeout(REQUEST)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .build()
        .map_err(|error| format!("no HTTP client can be made: {error}"))
}
