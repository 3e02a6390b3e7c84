//! A certificate for this machine: an authority that may vouch for `localhost` and nothing else, and the certificate that it signs.
//!
//! Must never let the key of the authority out: it is gone when the certificate is signed, so that nobody can sign another one.

use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DnType, ExtendedKeyUsagePurpose, GeneralSubtree, IsCa,
    KeyPair, KeyUsagePurpose, NameConstraints, SanType, date_time_ymd,
};

use super::TlsError;

/// How long both are good: Apple takes none that is longer.
pub const LIFETIME_DAYS: u64 = 397;

const DAY: u64 = 24 * 60 * 60;

/// What was made, in PEM.
pub struct LocalCertificate {
    /// The certificate of the authority, which a person has their system trust.
    pub authority: String,
    /// The certificate of the server and that of the authority.
    pub chain: String,
    /// The key of the server.
    pub key: String,
    /// The last moment at which it is good, in seconds since 1970.
    pub until: u64,
}

/// Makes an authority called `name` and a certificate for `localhost`, `127.0.0.1` and `::1`, good from a day before `unix_seconds`
/// on, since clocks differ.
///
/// # Errors
/// [`TlsError::NotMade`].
pub fn make_local(name: &str, unix_seconds: u64) -> Result<LocalCertificate, TlsError> {
    made(name, unix_seconds, &["localhost", "127.0.0.1", "::1"])
}

/// The same with a certificate for other names. Nobody outside the tests asks for these.
pub(super) fn made(name: &str, unix_seconds: u64, hosts: &[&str]) -> Result<LocalCertificate, TlsError> {
    let from = unix_seconds.saturating_sub(DAY);
    let until = unix_seconds + (LIFETIME_DAYS - 1) * DAY;
    let failed = |error: rcgen::Error| TlsError::NotMade(error.to_string());
    let moment = |seconds| date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds);

    let mut authority = CertificateParams::default();
    authority.distinguished_name.push(DnType::CommonName, name);
    authority.not_before = moment(from);
    authority.not_after = moment(until);
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    authority.name_constraints = Some(NameConstraints {
        permitted_subtrees: vec![
            GeneralSubtree::DnsName("localhost".to_owned()),
            GeneralSubtree::IpAddress(CidrSubnet::V4([127, 0, 0, 1], [255; 4])),
            GeneralSubtree::IpAddress(CidrSubnet::V6(std::net::Ipv6Addr::LOCALHOST.octets(), [255; 16])),
        ],
        excluded_subtrees: Vec::new(),
    });
    let authority_key = KeyPair::generate().map_err(failed)?;
    let authority_certificate = authority.self_signed(&authority_key).map_err(failed)?;

    let mut server = CertificateParams::default();
    server.distinguished_name.push(DnType::CommonName, "localhost");
    for host in hosts {
        server.subject_alt_names.push(match host.parse() {
            Ok(address) => SanType::IpAddress(address),
            Err(_) => SanType::DnsName((*host).try_into().map_err(failed)?),
        });
    }
    server.not_before = moment(from);
    server.not_after = moment(until);
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    server.use_authority_key_identifier_extension = true;
    let key = KeyPair::generate().map_err(failed)?;
    let certificate = server.signed_by(&key, &authority_certificate, &authority_key).map_err(failed)?;

    let authority = authority_certificate.pem();
    Ok(LocalCertificate {
        chain: format!("{}{authority}", certificate.pem()),
        authority,
        key: key.serialize_pem(),
        until,
    })
}
