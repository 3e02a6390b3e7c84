//! Transport security toward other machines: the one configuration that every client of this program uses.
//!
//! Must never trust a certificate that the system does not trust, or offer less than TLS 1.2.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

/// Why no connection can be made safe.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The library refuses its own defaults.
    #[error("no TLS can be made: {0}")]
    Protocol(rustls::Error),
    /// The machine has no root certificates, or they cannot be read.
    #[error("no root certificates can be read from this machine: {0}")]
    Roots(rustls::Error),
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

fn builder() -> Result<rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>, TlsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Protocol)
}
