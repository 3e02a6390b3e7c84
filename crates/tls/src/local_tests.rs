//! What the authority of this machine may vouch for, as another library judges it.
#![cfg(feature = "local")]

use std::sync::Arc;
use std::time::Duration;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{Error, RootCertStore};

use super::local::made;
use super::{LIFETIME_DAYS, LocalCertificate, check_trusted, make_local, server};

/// 2026-01-31.
const NOW: u64 = 1_769_817_600;
const DAY: u64 = 24 * 60 * 60;

/// What one who trusts the authority says to the certificate.
fn verdict(certificate: &LocalCertificate, host: &str, moment: u64) -> Result<(), Error> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(certificate.authority.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
    let chain: Vec<CertificateDer<'static>> =
        CertificateDer::pem_slice_iter(certificate.chain.as_bytes()).map(Result::unwrap).collect();
    let name = ServerName::try_from(host.to_owned()).unwrap();
    let now = UnixTime::since_unix_epoch(Duration::from_secs(moment));
    verifier.verify_server_cert(&chain[0], &chain[1..], &name, &[], now).map(|_| ())
}

#[test]
fn this_machine_and_nothing_else_is_vouched_for() {
    let certificate = make_local("engross of a test", NOW).unwrap();
    for host in ["localhost", "127.0.0.1", "::1"] {
        verdict(&certificate, host, NOW).unwrap();
    }
    assert!(verdict(&certificate, "example.com", NOW).is_err());
    // Even if somebody had kept the key of the authority and signed with it.
    for others in
        [&["example.com"][..], &["localhost", "example.com"], &["192.0.2.1"], &["evil.localhost.example"]]
    {
        let forged = made("engross of a test", NOW, others).unwrap();
        assert!(verdict(&forged, others[others.len() - 1], NOW).is_err(), "{others:?}");
        assert!(verdict(&forged, "localhost", NOW).is_err(), "{others:?}");
    }
}

#[test]
fn it_is_good_for_its_time_only() {
    let certificate = make_local("engross of a test", NOW).unwrap();
    assert_eq!(certificate.until, NOW + (LIFETIME_DAYS - 1) * DAY);
    verdict(&certificate, "localhost", certificate.until - 1).unwrap();
    assert!(verdict(&certificate, "localhost", certificate.until + DAY).is_err());
    assert!(verdict(&certificate, "localhost", NOW - 2 * DAY).is_err());
}

#[test]
fn a_server_can_show_it_and_this_machine_does_not_trust_it_by_itself() {
    let certificate = make_local("engross of a test", NOW).unwrap();
    server(certificate.chain.as_bytes(), certificate.key.as_bytes()).unwrap();
    let other = make_local("engross of a test", NOW).unwrap();
    assert!(server(certificate.chain.as_bytes(), other.key.as_bytes()).is_err());
    assert_ne!(certificate.authority, other.authority);
    assert!(check_trusted(certificate.chain.as_bytes(), "localhost", NOW).is_err());
}
