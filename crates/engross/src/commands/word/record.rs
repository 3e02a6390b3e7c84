//! What `engross word install` has made, so that all of it can be found again and taken away.
//!
//! Must never hold a secret.

use std::path::{Path, PathBuf};

use engross_protocol::{Exit, Failure};
use serde::{Deserialize, Serialize};

use engross_compose::files::{self, by_path, make_private_folder, write_private};

/// The largest record in bytes.
const LARGEST: u64 = 64 << 10;

/// The files of the pane beneath the folder for data.
#[derive(Debug, Clone)]
pub(crate) struct WordFolder(PathBuf);

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WordRecord {
    /// The port of the server.
    pub(crate) port: u16,
    /// The name of the authority.
    pub(crate) authority: String,
    /// The last moment of the certificate, in seconds since 1970.
    pub(crate) until: u64,
    /// Whether the system was told to trust it.
    pub(crate) trusted: bool,
    /// Where copies of the manifest are that Word reads.
    pub(crate) copies: Vec<PathBuf>,
    /// Whether the registry knows of it.
    pub(crate) registered: bool,
}

impl WordFolder {
    pub(crate) fn beneath(data: &Path) -> Self {
        Self(data.join("word"))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn chain(&self) -> PathBuf {
        self.0.join("chain.pem")
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.0.join("key.pem")
    }

    pub(super) fn authority(&self) -> PathBuf {
        self.0.join("authority.pem")
    }

    pub(super) fn manifest(&self) -> PathBuf {
        self.0.join("manifest.xml")
    }

    /// The folder of the unified manifest and its icons.
    pub(super) fn unified(&self) -> PathBuf {
        self.0.join("unified")
    }

    fn file(&self) -> PathBuf {
        self.0.join("word.json")
    }

    /// Holds others off who install or uninstall at the same time.
    pub(super) fn lock(&self) -> Result<impl Sized + use<>, Failure> {
        make_private_folder(&self.0)?;
        by_path::lock_by(&self.0.join("lock"))?.ok_or_else(|| {
            let message = format!(
                "{} is being changed by another engross; try again when it is done",
                self.0.display()
            );
            Failure::new(Exit::Io, "WRITE_FAILED", message)
        })
    }

    /// What was made here; nothing if nothing was.
    pub(crate) fn record(&self) -> Result<Option<WordRecord>, Failure> {
        let path = self.file();
        let text = match by_path::read_text(&path, LARGEST) {
            Ok(text) => text,
            Err(files::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let record = serde_json::from_str(&text).map_err(|error| {
            let message = format!("{}: {error}; remove it, and install again", path.display());
            engross_compose::failure::usage("CONFIG_INVALID", message)
        })?;
        Ok(Some(record))
    }

    pub(super) fn keep(&self, record: &WordRecord) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(record)
            .map_err(|error| Failure::new(Exit::Io, "WRITE_FAILED", error.to_string()))?;
        Ok(write_private(&self.file(), text.as_bytes())?)
    }

    /// Removes what was made in it, and the folder if nothing else is there.
    pub(super) fn remove(&self) -> Result<(), Failure> {
        let unified = self.unified();
        for (name, _) in super::manifest::ICONS {
            remove(&unified.join(name))?;
        }
        remove(&unified.join("manifest.json"))?;
        let _ = std::fs::remove_dir(&unified);
        // The record last: what is broken off can be done again.
        for file in
            [self.key(), self.chain(), self.authority(), self.manifest(), self.file(), self.0.join("lock")]
        {
            remove(&file)?;
        }
        let _ = std::fs::remove_dir(&self.0);
        Ok(())
    }
}

/// Removes a file that need not be there, nor the folder that it is in.
pub(super) fn remove(path: &Path) -> Result<(), Failure> {
    if !path.parent().is_some_and(Path::is_dir) {
        return Ok(());
    }
    Ok(by_path::remove(path)?)
}
