//! `cargo xtask version`: one version for all that is published.

use crate::{Error, Result, root, say};

/// The files that say it, and how.
const FILES: [(&str, &str); 13] = [
    ("Cargo.toml", "\nversion = \"VERSION\"\n"),
    ("bindings/python/Cargo.toml", "\nversion = \"VERSION\"\n"),
    (".claude-plugin/plugin.json", "\"version\": \"VERSION\""),
    (".claude-plugin/marketplace.json", "\"version\": \"VERSION\""),
    ("gemini-extension.json", "\"version\": \"VERSION\""),
    ("web/engine/package.json", "\"version\": \"VERSION\""),
    ("web/fakeword/package.json", "\"version\": \"VERSION\""),
    ("web/fakeword/package.json", "\"engross-wasm\": \"VERSION\""),
    ("web/taskpane/manifest.json", "\"version\": \"VERSION\""),
    ("web/taskpane/manifest.xml", "<Version>VERSION.0</Version>"),
    ("packaging/acp-registry/engross/agent.json", "\"version\": \"VERSION\""),
    ("packaging/acp-registry/engross/agent.json", "engross@VERSION"),
    ("packaging/acp-registry/engross/agent.json", "engross==VERSION"),
];

/// Replaces the version of the workspace in all of them; lock files follow with the next build.
#[expect(clippy::disallowed_methods, reason = "a chore writes files of the repository")]
pub(crate) fn set(version: &str) -> Result<()> {
    let is_version = version.split('.').count() == 3
        && version.split('.').all(|part| part.parse::<u32>().is_ok_and(|number| number.to_string() == part));
    if !is_version {
        return Err(Error::Missed(format!("'{version}' is no version; it must be as in 0.2.0")));
    }
    for (name, how) in FILES {
        let path = root().join(name);
        if path.exists() {
            let before = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
            let (old, new) =
                (how.replace("VERSION", env!("CARGO_PKG_VERSION")), how.replace("VERSION", version));
            std::fs::write(&path, before.replace(&old, &new)).map_err(Error::file(&path))?;
            say(&format!("{name}: {version}"));
        }
    }
    Ok(())
}
