//! A server that speaks TLS, and whose certificate is renewed while it runs.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;

use super::{ConnectionLimits, Tls, app, serve};
use crate::testing::fake::{Fake, server};

const CHAIN: &[u8] = include_bytes!("testing/tls/localhost.crt");
const KEY: &[u8] = include_bytes!("testing/tls/localhost.key");
const HEALTH: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

#[tokio::test]
async fn health_is_told_over_tls_and_nothing_to_those_who_speak_none() {
    let tls = Tls::new(CHAIN, KEY).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let routes = app(Arc::new(server(&Fake::default())), axum::Router::new());
    let mut tasks = JoinSet::new();
    tasks.spawn(serve(
        listener,
        Some(tls.clone()),
        routes,
        ConnectionLimits::default(),
        std::future::pending(),
    ));
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(CHAIN).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let connector = TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth()));
    for _ in 0..2 {
        let socket = TcpStream::connect(address).await.unwrap();
        let mut socket = connector.connect(ServerName::try_from("localhost").unwrap(), socket).await.unwrap();
        socket.write_all(HEALTH).await.unwrap();
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer).await;
        assert!(String::from_utf8_lossy(&answer).contains("\"status\":\"live\""), "{answer:?}");
        tls.renew(CHAIN, KEY).unwrap();
    }
    let mut plain = TcpStream::connect(address).await.unwrap();
    plain.write_all(HEALTH).await.unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!String::from_utf8_lossy(&answer).contains("live"), "{answer:?}");
}

#[test]
fn files_that_are_no_certificate_are_refused_and_the_old_one_stays() {
    let tls = Tls::new(CHAIN, KEY).unwrap();
    for (chain, key) in [(KEY, KEY), (CHAIN, CHAIN), (&b""[..], KEY), (CHAIN, &b"-----BEGIN"[..])] {
        assert!(Tls::new(chain, key).is_err());
        assert!(tls.renew(chain, key).is_err());
    }
}
