//! What receipts are signed with.
//!
//! Must never leave a secret readable by anybody but its owner.

use std::path::Path;

use engross_attest::SigningIdentity;
use engross_protocol::{Clock as _, Failure, IdSource as _, RandomIds, SystemClock};
use engross_store::files::{FileError, Precondition, RelPath, Root};
use sha2::{Digest, Sha256};

use crate::settings::{Environment, SIGNING_SECRET};

/// The file with the key, in the folder for data of the one who signs.
const SIGNING_KEY: &str = "tasks.sign";

/// What receipts are signed with: the secret that several nodes share, or the key of the folder for data, made if there is none.
pub fn signer(data: &Path, environment: &Environment) -> Result<SigningIdentity, Failure> {
    if let Some(secret) = environment.get(SIGNING_SECRET) {
        return Ok(SigningIdentity::from_secret(secret.as_bytes())?);
    }
    Ok(SigningIdentity::from_seed(&kept_secret(data, SIGNING_KEY)?)?)
}

/// The same for documents of the person: the key of the person's runner of tasks.
pub fn persons(environment: &Environment) -> Result<SigningIdentity, Failure> {
    let data = super::data::data_folder(None)?.join("tasks");
    crate::files::make_folder(&data)?;
    signer(&data, environment)
}

/// The secret in a file of the folder for data, made if there is none, and its owner's alone.
pub fn kept_secret(data: &Path, file: &str) -> Result<Vec<u8>, Failure> {
    let (folder, path) = (Root::open(data)?.top(), RelPath::parse(file)?);
    // Of two processes that begin at once the second takes what the first has made.
    if folder.read(&path, 1024)?.is_none() {
        match folder.write_private(&path, fresh_secret().as_slice(), &Precondition::Absent) {
            Ok(_) | Err(FileError::TargetExists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(folder.read(&path, 1024)?.map(|(bytes, _)| bytes).unwrap_or_default())
}

/// 32 bytes from the system's randomness, of which each id has 74 bits.
pub fn fresh_secret() -> [u8; 32] {
    let now = SystemClock.millis();
    let mut digest = Sha256::new();
    for _ in 0..8 {
        digest.update(RandomIds.next(now));
    }
    digest.finalize().into()
}
