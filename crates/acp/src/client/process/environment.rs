//! Selects the variables of our environment that an agent may see.
//!
//! Must never pass on a name that is not listed: the server's tokens and database passwords are none of an agent's business.

use std::ffi::{OsStr, OsString};

/// What programs need to work at all.
const USUAL: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TERM",
    // Who may vouch for servers, and the way to them.
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    // Windows.
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
];

/// What names of that kind start with.
const USUAL_STARTS: &[&str] = &["LC_", "XDG_"];

/// The part of `parent` that is passed on: the usual names, and those in `pass`, where `NAME*` stands for all that begin so.
pub(super) fn allowed(
    parent: &[(OsString, OsString)],
    pass: &[String],
) -> impl Iterator<Item = (OsString, OsString)> {
    parent.iter().filter(|(name, _)| is_allowed(name, pass)).cloned()
}

fn is_allowed(name: &OsStr, pass: &[String]) -> bool {
    let Some(name) = name.to_str() else { return false };
    USUAL.contains(&name)
        || USUAL_STARTS.iter().any(|start| name.starts_with(start))
        || pass.iter().any(|one| match one.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => one == name,
        })
}

/// The values of `environment` that nobody is to read in a message.
pub(super) fn secrets(environment: &[(OsString, OsString)]) -> Vec<String> {
    const KINDS: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];
    /// Shorter ones stand in too many words.
    const SHORTEST: usize = 6;
    let named = environment.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
    let secret = named.filter(|(name, value)| {
        value.len() >= SHORTEST && KINDS.iter().any(|kind| name.to_ascii_uppercase().contains(kind))
    });
    secret.map(|(_, value)| value.to_owned()).collect()
}
