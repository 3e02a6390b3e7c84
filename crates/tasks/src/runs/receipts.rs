//! What is signed of a run that has ended with a success.
//!
//! Must never sign what is not in the log, or a text.

use engross_artifacts::Manifest;
use engross_attest::{
    FileSummary, MerkleTree, PermissionCount, RunStatement, SignedReceipt, SigningIdentity, Statement,
};
use engross_protocol::hex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::log::RunEnd;
use super::notifications::moment;

/// The root over the files of a manifest.
pub(super) fn root(manifest: &Manifest) -> String {
    let mut files: Vec<_> = manifest.files.iter().collect();
    files.sort_unstable_by(|a, b| a.relative_path.cmp(&b.relative_path));
    let mut tree = MerkleTree::default();
    for file in files {
        tree.add((&file.relative_path, file.size_bytes, &file.sha256.to_string()));
    }
    tree.root()
}

/// The receipt of a run without the list of its files, which its client has: `None` when there is nothing to sign.
pub(super) fn receipt(end: &RunEnd, signer: &SigningIdentity) -> Option<Value> {
    let manifest = end.manifest.as_ref().filter(|manifest| end.success && manifest.count() > 0)?;
    let asked = end.asked.unwrap_or_default();
    let statement = Statement::TaskRun(RunStatement {
        run: end.face.run.as_str().to_owned(),
        thread: end.face.thread.clone(),
        agent: end.face.provider.as_str().to_owned(),
        model: end.face.model.clone().unwrap_or_default(),
        maker: concat!("engross ", env!("CARGO_PKG_VERSION")).to_owned(),
        prompt_sha256: end.prompt_sha256.clone()?,
        answer_sha256: hex::encode(Sha256::digest(&end.text)),
        permissions: PermissionCount { asked: asked.asked, allowed: asked.allowed },
        accepted_at: moment(end.face.accepted),
        started_at: end.started.map(moment).unwrap_or_default(),
        ended_at: moment(end.ended),
        files: FileSummary { count: manifest.count() as u64, merkle_root: end.merkle_root.clone()? },
    });
    let receipt = SignedReceipt::sign(signer, &statement, Vec::new());
    Some(json!({ "publicKey": receipt.public_key, "envelope": receipt.envelope }))
}
