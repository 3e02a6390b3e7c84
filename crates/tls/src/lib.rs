//! Transport security toward other machines: the one configuration that every client of this program uses, and that of its
//! server.
//!
//! Must never trust a certificate that the system does not trust, or offer less than TLS 1.2.

#[cfg(feature = "local")]
mod local;
#[cfg(test)]
mod local_tests;

use std::sync::Arc;

#[cfg(feature = "local")]
pub use local::{LIFETIME_DAYS, LocalCertificate, make_local};
pub use rustls::ServerConfig;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::{BuilderVerifierExt, Verifier};

/// Why no connection can be made safe.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The library refuses its own defaults.
    #[error("no TLS can be made: {0}")]
    Protocol(rustls::Error),
    /// The machine has no root certificates, or they cannot be read.
    #[error("no root certificates can be read from this machine: {0}")]
    Roots(rustls::Error),
    /// What a server is to show cannot be read.
    #[error("{0}")]
    Pem(String),
    /// Certificate and key of a server do not belong together.
    #[error("the certificate cannot be used with this key: {0}")]
    Identity(rustls::Error),
    /// A certificate could not be made.
    #[error("no certificate can be made: {0}")]
    NotMade(String),
    /// The machine does not trust a certificate.
    #[error("this machine does not trust the certificate: {0}")]
    NotTrusted(rustls::Error),
}

/// For connections that are secured: certificates are checked against those that the machine trusts, so that those which a
/// company installs are trusted, too.
///
/// # Errors
/// [`TlsError`].
pub fn secured() -> Result<ClientConfig, TlsError> {
    let builder = builder()?.with_platform_verifier().map_err(TlsError::Roots)?;
    Ok(builder.with_no_client_auth())
}

/// For clients that want a configuration and will not use it, as their address says `http`: it trusts nobody. A machine without
/// root certificates can use them.
///
/// # Errors
/// [`TlsError::Protocol`].
pub fn unused() -> Result<ClientConfig, TlsError> {
    Ok(builder()?.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

/// [`secured`] for `https` and `wss`, [`unused`] for any other scheme.
///
/// # Errors
/// [`TlsError`].
pub fn of_scheme(scheme: &str) -> Result<ClientConfig, TlsError> {
    if matches!(scheme, "https" | "wss") { secured() } else { unused() }
}

/// For a server that shows the certificates of `chain`, its own first, and holds their `key`: both PEM.
///
/// # Errors
/// [`TlsError::Pem`] and [`TlsError::Identity`].
pub fn server(chain: &[u8], key: &[u8]) -> Result<ServerConfig, TlsError> {
    let chain: Result<Vec<CertificateDer<'static>>, _> = CertificateDer::pem_slice_iter(chain).collect();
    let chain = chain.map_err(|error| TlsError::Pem(format!("the certificate is not PEM: {error}")))?;
    if chain.is_empty() {
        return Err(TlsError::Pem("the file holds no certificate in PEM".to_owned()));
    }
    let key = PrivateKeyDer::from_pem_slice(key);
    let key = key.map_err(|error| TlsError::Pem(format!("the private key is not PEM: {error}")))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Protocol)?;
    let mut config =
        builder.with_no_client_auth().with_single_cert(chain, key).map_err(TlsError::Identity)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Whether this machine trusts the first certificate of `chain`, in PEM, for the name `host` at this moment.
///
/// # Errors
/// [`TlsError::NotTrusted`] if it does not, the others if nobody can tell.
pub fn check_trusted(chain: &[u8], host: &str, unix_seconds: u64) -> Result<(), TlsError> {
    let chain: Result<Vec<CertificateDer<'static>>, _> = CertificateDer::pem_slice_iter(chain).collect();
    let chain = chain.map_err(|error| TlsError::Pem(format!("the certificate is not PEM: {error}")))?;
    let (leaf, above) = chain
        .split_first()
        .ok_or_else(|| TlsError::Pem("the file holds no certificate in PEM".to_owned()))?;
    let name = ServerName::try_from(host.to_owned())
        .map_err(|error| TlsError::Pem(format!("'{host}' is no name of a server: {error}")))?;
    let verifier =
        Verifier::new(Arc::new(rustls::crypto::ring::default_provider())).map_err(TlsError::Roots)?;
    let now = UnixTime::since_unix_epoch(std::time::Duration::from_secs(unix_seconds));
    verifier.verify_server_cert(leaf, above, &name, &[], now).map_err(TlsError::NotTrusted)?;
    Ok(())
}

fn builder() -> Result<rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>, TlsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Protocol)
}
