use super::telemetry::address;

#[test]
fn spans_are_posted_beneath_the_collector() {
    for (endpoint, expected) in [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        (" https://host/ ", "https://host/v1/traces"),
        ("https://host/otlp", "https://host/otlp/v1/traces"),
        ("https://host/otlp/?team=a", "https://host/otlp/v1/traces?team=a"),
    ] {
        assert_eq!(address(endpoint).as_deref(), Ok(expected), "{endpoint}");
    }
    for (endpoint, word) in [
        ("collector:4317", "web server"),
        ("127.0.0.1:4318", "no address"),
        ("grpc://host:4317", "web server"),
        ("https://user:secret@host", "OTEL_EXPORTER_OTLP_HEADERS"),
    ] {
        let problem = address(endpoint).unwrap_err();
        assert!(problem.contains(word) && !problem.contains("secret"), "{endpoint}: {problem}");
    }
}
