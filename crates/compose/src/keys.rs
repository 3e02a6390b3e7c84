//! The keys of a server: a file in the folder for data, which `engross keys` writes and `engross serve` reads.
//!
//! Must never keep a key itself, only its SHA-256, nor use a file that others can read.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engross_http::{AccessKey, Right, Token};
use engross_protocol::{Clock as _, Failure, SystemClock, hex};
use engross_store::files::{FolderLock, Precondition, RelPath, Root, by_path};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::owner::name_problem;
use super::signing::fresh_secret;
use crate::codes;

/// The file in the folder for data.
const FILE: &str = "keys.json";

/// The largest one that is read.
const LARGEST: u64 = 16 << 20;

/// How keys begin, so that programs that look for secrets in the open find them.
const PREFIX: &str = "engross_";

/// The longest name of a key.
const LONGEST_NAME: usize = 64;

/// The file whose lock those hold who change the keys.
const LOCK: &str = "keys.lock";

/// How long one waits for another who changes the keys.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// A key as the file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyRow {
    /// How people call it.
    pub name: String,
    /// Whose things it reaches.
    pub owner: String,
    /// What may be done with it: `read`, `write` or `admin`.
    pub right: String,
    /// Its SHA-256 in lower-case hexadecimal digits.
    pub sha256: String,
    /// When it was made.
    pub created: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    version: u32,
    keys: Vec<KeyRow>,
}

/// The file of keys in a folder for data.
pub struct KeyStore {
    data: PathBuf,
}

impl KeyStore {
    /// That of the folder `data`, which need not be there.
    pub fn of(data: &Path) -> Self {
        Self { data: data.to_owned() }
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.data.join(FILE)
    }

    /// All keys, in the order in which they were made; `None` when there never was one.
    pub fn read(&self) -> Result<Option<Vec<KeyRow>>, Failure> {
        if !self.data.is_dir() {
            return Ok(None);
        }
        Ok(self.load()?.map(|(rows, _)| rows))
    }

    /// What the server lets in by; `None` when there never was a key.
    pub fn access_keys(&self) -> Result<Option<Vec<AccessKey>>, Failure> {
        let Some(rows) = self.read()? else { return Ok(None) };
        let keys = rows.iter().map(|row| access_key(row).map_err(|problem| self.invalid(&problem)));
        keys.collect::<Result<_, _>>().map(Some)
    }

    /// Makes a key; gives it, which nobody can do again.
    pub fn add(&self, name: &str, owner: &str, right: Right) -> Result<String, Failure> {
        let key = format!("{PREFIX}{}", hex::encode(fresh_secret()));
        let row = KeyRow {
            name: name.to_owned(),
            owner: owner.to_owned(),
            right: right.as_str().to_owned(),
            sha256: hex::encode(Sha256::digest(&key)),
            created: SystemClock.now().to_string(),
        };
        access_key(&row).map_err(|problem| crate::failure::usage("USAGE", problem))?;
        crate::files::make_private_folder(&self.data)?;
        self.change(|rows| {
            if rows.iter().any(|other| other.name == row.name) {
                let message =
                    format!("there is a key '{name}' already; choose another name, or revoke it first");
                return Err(crate::failure::usage("USAGE", message));
            }
            rows.push(row);
            Ok(())
        })?;
        Ok(key)
    }

    /// Takes a key away.
    pub fn revoke(&self, name: &str) -> Result<KeyRow, Failure> {
        let missing = || {
            let message = format!("there is no key '{name}' in {}", self.path().display());
            Failure::of(codes::KEY_UNKNOWN, format!("{message}; `engross keys list` shows all"))
        };
        if !self.data.is_dir() {
            return Err(missing());
        }
        let mut gone = None;
        self.change(|rows| {
            let at = rows.iter().position(|row| row.name == name).ok_or_else(missing)?;
            gone = Some(rows.remove(at));
            Ok(())
        })?;
        gone.ok_or_else(missing)
    }

    /// Changes the file as a whole; of two who do at once the second one waits.
    fn change(&self, change: impl FnOnce(&mut Vec<KeyRow>) -> Result<(), Failure>) -> Result<(), Failure> {
        let (folder, path) = (Root::open(&self.data)?.top(), RelPath::parse(FILE)?);
        let _alone = self.lock()?;
        // Whoever changes the file by hand holds no lock: the condition finds that.
        let (mut rows, precondition) = match self.load()? {
            Some((rows, sha256)) => (rows, Precondition::Sha256(sha256)),
            None => (Vec::new(), Precondition::Absent),
        };
        change(&mut rows)?;
        let mut text = serde_json::to_string_pretty(&KeyFile { version: 1, keys: rows })
            .map_err(|error| self.invalid(&error.to_string()))?;
        text.push('\n');
        folder.write_private(&path, text.as_bytes(), &precondition)?;
        Ok(())
    }

    /// Waits until nobody else changes the keys.
    fn lock(&self) -> Result<FolderLock, Failure> {
        let (path, limit) = (self.data.join(LOCK), Instant::now() + PATIENCE);
        loop {
            if let Some(lock) = by_path::lock_by(&path)? {
                return Ok(lock);
            }
            if Instant::now() >= limit {
                let message = format!("another program has held {} for ten seconds", path.display());
                return Err(Failure::of(codes::KEYS_INVALID, format!("{message}; end it, then try again")));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// The rows and the SHA-256 of the file.
    fn load(&self) -> Result<Option<(Vec<KeyRow>, String)>, Failure> {
        let path = self.path();
        let bytes = match by_path::read_private(&path, LARGEST) {
            Ok(bytes) => bytes,
            Err(by_path::PathError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let file: KeyFile =
            serde_json::from_slice(&bytes).map_err(|error| self.invalid(&error.to_string()))?;
        if file.version != 1 {
            return Err(self.invalid(&format!("its version is {}, and this program knows 1", file.version)));
        }
        for (at, row) in file.keys.iter().enumerate() {
            access_key(row).map_err(|problem| self.invalid(&problem))?;
            if file.keys.iter().take(at).any(|other| other.name == row.name || other.sha256 == row.sha256) {
                return Err(self.invalid(&format!("the key '{}' is there twice", row.name)));
            }
        }
        Ok(Some((file.keys, hex::encode(Sha256::digest(&bytes)))))
    }

    fn invalid(&self, problem: &str) -> Failure {
        Failure::of(codes::KEYS_INVALID, format!("{} cannot be used: {problem}", self.path().display()))
    }
}

/// A row as the server compares it.
fn access_key(row: &KeyRow) -> Result<AccessKey, String> {
    let is_name = !row.name.is_empty()
        && row.name.len() <= LONGEST_NAME
        && row.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte));
    if !is_name {
        return Err(format!(
            "'{}' cannot be the name of a key: it must have 1 to 64 letters, digits, '-', '_', '.' and '@'",
            row.name.chars().filter(|letter| !letter.is_control()).take(80).collect::<String>()
        ));
    }
    if let Some(problem) = name_problem(&row.owner) {
        return Err(format!("the owner '{}' of the key '{}' cannot be: {problem}", row.owner, row.name));
    }
    let right = Right::ALL.into_iter().find(|right| right.as_str() == row.right).ok_or_else(|| {
        format!("the key '{}' has the right '{}'; there are read, write and admin", row.name, row.right)
    })?;
    let digest = hex::decode::<32>(&row.sha256);
    let digest = digest.ok_or_else(|| format!("the key '{}' has no SHA-256", row.name))?;
    let secret = Token::of_digest(digest);
    Ok(AccessKey { name: row.name.as_str().into(), owner: row.owner.as_str().into(), right, secret })
}
