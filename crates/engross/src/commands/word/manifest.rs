//! The manifests by which Word finds the pane, for an address. They are those of `web/taskpane`.
//!
//! Must never leave an address of the repository in them.

use engross_compose::failure::usage;
use engross_protocol::Failure;

const XML: &str = include_str!("../../../../../web/taskpane/manifest.xml");
const JSON: &str = include_str!("../../../../../web/taskpane/manifest.json");

/// The address in the repository's manifests, and the part of it that names a machine.
const ORIGIN: &str = "https://localhost:18789";
const HOST: &str = "localhost:18789";
/// Where the pane is beneath it.
const PANE: &str = "https://localhost:18789/word/";

/// Names the pane among all others; Word knows it by this.
pub(super) const ID: &str = "6f0f3c1e-5a0d-4b7e-9f43-3f6d2a8c1b57";

/// Icons that the unified manifest has beside it.
pub(super) const ICONS: [(&str, &[u8]); 2] = [
    ("icon-192.png", include_bytes!("../../../../../web/taskpane/icons/icon-192.png")),
    ("icon-32.png", include_bytes!("../../../../../web/taskpane/icons/icon-32.png")),
];

/// Where a pane is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PaneAddress {
    /// `https://localhost:18789`
    origin: String,
    /// `https://localhost:18789/word/`
    pub(super) pane: String,
    /// What stands for people who want to know more: the workbench, or the pane where there is none.
    home: String,
}

impl PaneAddress {
    /// That of a server on this machine.
    pub(super) fn local(port: u16) -> Self {
        let origin = format!("https://localhost:{port}");
        Self { pane: format!("{origin}/word/"), home: format!("{origin}/"), origin }
    }

    /// That of files on a web server.
    pub(super) fn hosted(text: &str) -> Result<Self, Failure> {
        let wrong = |why: &str| {
            usage("USAGE", format!("'{text}' is no address of a pane: {why}; write https://HOST/FOLDER/"))
        };
        let rest = text.strip_prefix("https://").ok_or_else(|| wrong("Word loads only https"))?;
        let allowed = |character: char| character.is_ascii_alphanumeric() || "-._~/:".contains(character);
        if !rest.chars().all(allowed) {
            return Err(wrong("it holds other characters than letters, digits and -._~/:"));
        }
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
        let is_name = !name.is_empty() && name.split('.').all(|part| !part.is_empty());
        if !is_name || port.is_some_and(|port| port.parse::<u16>().is_err()) {
            return Err(wrong("it names no machine"));
        }
        if path.starts_with('/') || path.contains("//") || path.contains(':') {
            return Err(wrong("its folder is none"));
        }
        let slash = if path.is_empty() || path.ends_with('/') { "" } else { "/" };
        let pane = format!("https://{host}/{path}{slash}");
        Ok(Self { origin: format!("https://{host}"), home: pane.clone(), pane })
    }

    fn host(&self) -> &str {
        self.origin.trim_start_matches("https://")
    }

    /// The manifest that every Word takes.
    pub(super) fn xml(&self) -> String {
        self.put_into(XML)
    }

    /// The unified one.
    pub(super) fn json(&self) -> String {
        self.put_into(JSON).replace(&format!("\"{HOST}\""), &format!("\"{}\"", self.host()))
    }

    fn put_into(&self, manifest: &str) -> String {
        // One pass, so that what was put in is not taken for what is to be replaced.
        let mut made = String::with_capacity(manifest.len() + 1024);
        let mut rest = manifest;
        while let Some(at) = rest.find(ORIGIN) {
            made.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(behind) = rest.strip_prefix(PANE) {
                made.push_str(&self.pane);
                rest = behind;
            } else {
                made.push_str(&self.home);
                rest = rest[ORIGIN.len()..].strip_prefix('/').unwrap_or(&rest[ORIGIN.len()..]);
            }
        }
        made.push_str(rest);
        made
    }
}
