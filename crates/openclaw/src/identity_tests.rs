#![expect(clippy::disallowed_methods, reason = "the tests look at the file")]

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use engross_protocol::hex;
use ring::signature::{ED25519, UnparsedPublicKey};
use sha2::{Digest, Sha256};

use super::identity::{Identity, Login};

const LOGIN: Login<'_> = Login {
    client: "gateway-client",
    mode: "backend",
    role: "operator",
    scopes: &["operator.read", "operator.write"],
    token: "secret",
    nonce: "n-1",
    at: 1_700_000_000_000,
};

#[test]
fn a_key_is_made_once_and_only_its_owner_can_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let first = Identity::open(folder.path()).unwrap().device(LOGIN);
    let second = Identity::open(folder.path()).unwrap().device(LOGIN);
    assert_eq!(first, second, "Ed25519 signs the same in the same way");
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["gateway.key"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(folder.path().join("gateway.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn what_is_signed_is_the_whole_login() {
    let folder = tempfile::tempdir().unwrap();
    let identity = Identity::open(folder.path()).unwrap();
    let device = identity.device(LOGIN);
    let bytes = |name: &str| URL_SAFE_NO_PAD.decode(device[name].as_str().unwrap()).unwrap();
    let public = bytes("publicKey");
    let id = hex::encode(Sha256::digest(&public));
    assert_eq!(device["id"], id);
    let told = format!(
        "v2|{id}|gateway-client|backend|operator|operator.read,operator.write|1700000000000|secret|n-1"
    );
    let key = UnparsedPublicKey::new(&ED25519, public);
    assert!(key.verify(told.as_bytes(), &bytes("signature")).is_ok());
    let other = identity.device(Login { nonce: "n-2", ..LOGIN });
    let other = URL_SAFE_NO_PAD.decode(other["signature"].as_str().unwrap()).unwrap();
    assert!(key.verify(told.as_bytes(), &other).is_err());
}

#[test]
fn a_damaged_key_is_left_alone_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gateway.key");
    std::fs::write(&path, "no key").unwrap();
    let fault = Identity::open(folder.path()).unwrap_err();
    assert_eq!(fault.code(), "GATEWAY_IDENTITY_UNUSABLE");
    assert!(fault.to_string().contains("gateway.key"), "{fault}");
    assert_eq!(std::fs::read(&path).unwrap(), b"no key");
}

#[test]
fn a_key_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let identity = Identity::open(folder.path()).unwrap();
    let shown = format!("{identity:?}");
    assert!(shown.starts_with("Identity { id: \"") && shown.ends_with("\", .. }"), "{shown}");
}
