//! The file that a person keeps: the signed statement, the key, and the files that it speaks of.
//!
//! Must never be accepted in another spelling than the one it is written in: so no byte can be altered unseen.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::envelope::Envelope;
use super::error::ReceiptError;
use super::findings::{ReceiptFinding, ReceiptFindings, SignerKnown};
use super::key::{PublicKey, SigningIdentity};
use super::merkle::merkle_root;
use super::statement::Statement;
use engross_protocol::hex;

/// The one version.
const FORMAT: &str = "engross-receipt/1";

/// A receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignedReceipt {
    /// `engross-receipt/1`.
    pub format: String,
    /// The public key of the signature.
    pub public_key: String,
    /// What is signed.
    pub envelope: Envelope,
    /// The files of a run in the order of their paths; the signed root stands for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileEntry>,
    /// ReceiptTexts that a person asked to have with it; the signed hashes stand for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<ReceiptTexts>,
}

/// A file of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its path as the run named it.
    pub path: String,
    /// Its length.
    pub size: u64,
    /// The hash of its bytes.
    pub sha256: String,
    /// Where it is in the folder of the thread, when its name was taken there: a [`name_beside`] of its path. It is not signed,
    /// as the one who signs does not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub here: Option<String>,
}

impl FileEntry {
    /// What the signed root holds of it.
    #[must_use]
    pub fn leaf(&self) -> super::merkle::Leaf<'_> {
        (&self.path, self.size, &self.sha256)
    }

    /// Whether it is said to lie where a run's file can lie, and nowhere else.
    fn is_placed(&self) -> bool {
        let Some(here) = &self.here else { return true };
        let digits =
            here.split(".v").filter_map(|part| part.split('.').next()).filter_map(|part| part.parse().ok());
        let mut versions = digits.filter(|version| (FIRST_BESIDE..=LAST_BESIDE).contains(version));
        versions.any(|version| name_beside(&self.path, version) == *here)
    }
}

/// The first and the last version of a name that is taken.
pub const FIRST_BESIDE: u32 = 2;
/// See [`FIRST_BESIDE`].
pub const LAST_BESIDE: u32 = 999;

/// The path of a file whose own is taken by something else: `folder/name.v2.ext`.
#[must_use]
pub fn name_beside(path: &str, version: u32) -> String {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
        _ => (name, String::new()),
    };
    let slash = if folder.is_empty() { "" } else { "/" };
    format!("{folder}{slash}{stem}.v{version}{extension}")
}

/// What was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiptTexts {
    /// All that the agent was told.
    pub prompt: String,
    /// Its answer.
    pub answer: String,
}

impl SignedReceipt {
    /// Signs a statement. `files` are those of a run, in any order.
    #[must_use]
    pub fn sign(identity: &SigningIdentity, statement: &Statement, files: Vec<FileEntry>) -> Self {
        let payload = serde_json::to_vec(statement).unwrap_or_default();
        let envelope = Envelope::sign(identity, statement.payload_type(), &payload);
        Self::of(identity.public().to_string(), envelope, files)
    }

    /// Of an envelope that was signed elsewhere.
    #[must_use]
    pub fn of(public_key: String, envelope: Envelope, mut files: Vec<FileEntry>) -> Self {
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Self { format: FORMAT.to_owned(), public_key, envelope, files, texts: None }
    }

    /// As it is written to a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Reads one. Nothing of it is believed before [`SignedReceipt::check`].
    ///
    /// # Errors
    /// [`ReceiptError::Invalid`]: it is none, or is spelled otherwise than it was written.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReceiptError> {
        let receipt: Self =
            serde_json::from_slice(bytes).map_err(|error| ReceiptError::invalid(error.to_string()))?;
        if receipt.format != FORMAT {
            return Err(ReceiptError::invalid("it is of another version"));
        }
        if receipt.to_bytes() != bytes {
            return Err(ReceiptError::invalid("it was written anew by another program"));
        }
        Ok(receipt)
    }

    /// The signed statement, with what is wrong with it. `trusted` is the key that the caller knows the signer by.
    #[must_use]
    pub fn check(&self, trusted: Option<&PublicKey>) -> (Option<Statement>, ReceiptFindings) {
        let mut findings = ReceiptFindings::default();
        let Ok(key) = PublicKey::parse(&self.public_key) else {
            findings.add(ReceiptFinding::Signature);
            return (None, findings);
        };
        findings.signer = match trusted {
            None => SignerKnown::Unknown(key),
            Some(trusted) if *trusted == key => SignerKnown::Known(key),
            Some(trusted) => {
                findings.add(ReceiptFinding::Signer { expected: *trusted, found: key });
                SignerKnown::Unknown(key)
            }
        };
        let statement = self.envelope.verified(&key).and_then(|payload| statement(&payload, &self.envelope));
        let Some(statement) = statement else {
            findings.add(ReceiptFinding::Signature);
            return (None, findings);
        };
        if let Statement::TaskRun(run) = &statement {
            let is_sorted = self.files.is_sorted_by(|one, next| one.path < next.path);
            let is_whole = run.files.count == self.files.len() as u64
                && run.files.merkle_root == merkle_root(self.files.iter().map(FileEntry::leaf))
                && is_sorted;
            if !is_whole {
                findings.add(ReceiptFinding::List);
            }
            for file in self.files.iter().filter(|file| !file.is_placed()) {
                findings.add(ReceiptFinding::Place(file.path.clone()));
            }
            if let Some(texts) = &self.texts {
                let is_same = |text: &str, hash: &str| hex::encode(Sha256::digest(text)) == hash;
                if !is_same(&texts.prompt, &run.prompt_sha256) || !is_same(&texts.answer, &run.answer_sha256)
                {
                    findings.add(ReceiptFinding::ReceiptTexts);
                }
            }
        } else if !self.files.is_empty() || self.texts.is_some() {
            findings.add(ReceiptFinding::List);
        }
        (Some(statement), findings)
    }

    /// Where the files are that it speaks of: the place here, what it must be. Two files that are said to be at one place are
    /// both looked for there: the place is not signed, and one of them could be hidden behind the other.
    pub fn places(&self) -> impl Iterator<Item = (&str, &FileEntry)> {
        self.files.iter().map(|file| (file.here.as_deref().unwrap_or(&file.path), file))
    }
}

/// Reads signed bytes, in the one spelling that they are written in.
fn statement(payload: &[u8], envelope: &Envelope) -> Option<Statement> {
    let statement: Statement = serde_json::from_slice(payload).ok()?;
    let is_same = serde_json::to_vec(&statement).ok()? == payload;
    (is_same && statement.payload_type() == envelope.payload_type).then_some(statement)
}
