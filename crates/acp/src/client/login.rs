//! What engross knows of the logins of agents: which files they are in, and whether one renews itself.
//!
//! Must never tell what is in a login.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use engross_store::files::by_path;
use serde_json::Value;

use super::login_files::LoginFiles;

/// The most bytes of a login file.
pub(super) const LOGIN_BYTES: u64 = 4 << 20;

/// What a login calls that by which it renews itself.
const RENEWALS: &[&str] = &["refresh_token", "refreshToken", "refresh"];

/// Folder, variable and names of login files of one agent.
pub(super) type KnownLogin = (&'static str, Option<&'static str>, &'static [&'static str]);

/// The login files of programs that are no agents of the catalogue, by their names.
const OF_PROGRAMS: &[(&[&str], &[KnownLogin])] = &[
    (
        &["claude-agent-acp", "claude-code-acp"],
        &[
            (".claude", Some("CLAUDE_CONFIG_DIR"), &[".credentials.json", "settings.json"]),
            ("", None, &[".claude.json"]),
        ],
    ),
    (&["qwen"], &[(".qwen", None, &["settings.json", "oauth_creds.json", ".env"])]),
];

/// The login files of a program by its name; none when they are not known.
pub(super) fn of_program(program: &str) -> Vec<LoginFiles> {
    let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let known = OF_PROGRAMS.iter().find(|(names, _)| names.contains(&name));
    known.map(|(_, files)| files.iter().map(files_of).collect()).unwrap_or_default()
}

/// Login files as a provider has them.
pub(super) fn files_of((folder, variable, files): &KnownLogin) -> LoginFiles {
    LoginFiles {
        folder: (*folder).to_owned(),
        variable: variable.map(str::to_owned),
        files: files.iter().map(|file| (*file).to_owned()).collect(),
    }
}

/// Where a person has login files.
pub(super) fn place(login: &LoginFiles, environment: &[(OsString, OsString)]) -> Option<PathBuf> {
    let value =
        |name: &str| environment.iter().find(|(one, _)| one == name).map(|(_, value)| PathBuf::from(value));
    let own = login.variable.as_deref().and_then(value);
    own.or_else(|| Some(value("HOME")?.join(&login.folder)))
}

/// The login file that its program renews by itself. Such a login has one place alone: a copy that is renewed elsewhere leaves the
/// person's own one behind, which is good for nothing then.
pub(super) fn renewed(logins: &[LoginFiles], environment: &[(OsString, OsString)]) -> Option<String> {
    for login in logins {
        let Some(folder) = place(login, environment) else { continue };
        for file in &login.files {
            let Ok((bytes, _)) = by_path::read(&folder.join(file), LOGIN_BYTES) else { continue };
            let renews = serde_json::from_slice(&bytes).is_ok_and(|login| has_renewal(&login));
            if renews {
                return Some(login.path(file));
            }
        }
    }
    None
}

fn has_renewal(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(name, value)| {
            let is_one = RENEWALS.contains(&name.as_str());
            (is_one && value.as_str().is_some_and(|value| !value.is_empty())) || has_renewal(value)
        }),
        Value::Array(values) => values.iter().any(has_renewal),
        _ => false,
    }
}
