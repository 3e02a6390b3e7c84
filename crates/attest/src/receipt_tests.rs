//! Whatever is altered is found; what is not is good, with the public key alone.

use proptest::prelude::*;
use proptest::sample::Index;

use super::{
    FileEntry, FileSummary, PermissionCount, PublicKey, ReceiptFinding, ReceiptTexts, RunStatement,
    SignedReceipt, SignerKnown, SigningIdentity, Statement, merkle_root,
};
use engross_protocol::hex;
use sha2::{Digest, Sha256};

fn identity(byte: u8) -> SigningIdentity {
    SigningIdentity::from_seed(&[byte; 32]).unwrap()
}

fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

fn files(count: usize) -> Vec<FileEntry> {
    let file = |number: usize| FileEntry {
        path: format!("out/{number:03}.md"),
        size: number as u64,
        sha256: hash(&number.to_string()),
        here: (number % 3 == 1).then(|| format!("out/{number:03}.v2.md")),
    };
    (0..count).map(file).collect()
}

fn run(files: &[FileEntry]) -> RunStatement {
    RunStatement {
        run: "run-1".to_owned(),
        thread: "lease".to_owned(),
        agent: "codex".to_owned(),
        model: String::new(),
        maker: "engross 0".to_owned(),
        prompt_sha256: hash("prompt"),
        answer_sha256: hash("answer"),
        permissions: PermissionCount { asked: 2, allowed: 1 },
        accepted_at: "2026-01-01T00:00:00Z".to_owned(),
        started_at: "2026-01-01T00:00:01Z".to_owned(),
        ended_at: "2026-01-01T00:00:09Z".to_owned(),
        files: FileSummary {
            count: files.len() as u64,
            merkle_root: merkle_root(files.iter().map(FileEntry::leaf)),
        },
    }
}

fn receipt(count: usize) -> SignedReceipt {
    let files = files(count);
    let statement = Statement::TaskRun(run(&files));
    let mut receipt = SignedReceipt::sign(&identity(1), &statement, files);
    receipt.texts = Some(ReceiptTexts { prompt: "prompt".to_owned(), answer: "answer".to_owned() });
    receipt
}

/// Whether anything is found in a file that should be a receipt.
fn is_found(bytes: &[u8], trusted: Option<&PublicKey>) -> bool {
    SignedReceipt::parse(bytes).is_ok_and(|receipt| receipt.check(trusted).1.is_intact())
}

#[test]
fn a_receipt_is_checked_with_the_public_key_alone() {
    let receipt = SignedReceipt::parse(&receipt(5).to_bytes()).unwrap();
    let key = identity(1).public();
    let (statement, findings) = receipt.check(Some(&key));
    assert_eq!((findings.is_intact(), findings.signer), (true, SignerKnown::Known(key)));
    let Some(Statement::TaskRun(run)) = statement else { panic!() };
    assert_eq!((run.agent.as_str(), run.files.count), ("codex", 5));
    let (_, findings) = receipt.check(None);
    assert_eq!((findings.is_intact(), findings.signer), (true, SignerKnown::Unknown(key)));
    let other = identity(2).public();
    let (_, findings) = receipt.check(Some(&other));
    assert_eq!(findings.all, [ReceiptFinding::Signer { expected: other, found: key }]);
    assert_eq!(receipt.places().map(|(place, _)| place).nth(1), Some("out/001.v2.md"));
}

/// Who has the file and no key can sign it anew; then it is another signer's.
#[test]
fn what_is_signed_anew_has_another_signer() {
    let files = files(2);
    let mut statement = run(&files);
    statement.ended_at = "2020-01-01T00:00:00Z".to_owned();
    let forged = SignedReceipt::sign(&identity(3), &Statement::TaskRun(statement), files);
    assert!(!is_found(&forged.to_bytes(), Some(&identity(1).public())));
    assert!(is_found(&forged.to_bytes(), None), "intact, and nobody says by whom");
}

#[test]
fn a_shared_secret_is_one_signer_and_a_short_one_is_none() {
    let one = SigningIdentity::from_secret(b"a secret of sixteen").unwrap();
    let other = SigningIdentity::from_secret(b"a secret of sixteen").unwrap();
    assert_eq!(one.public(), other.public());
    assert!(SigningIdentity::from_secret(b"short").is_err() && SigningIdentity::from_seed(&[1; 31]).is_err());
    assert!(PublicKey::parse(&one.public().to_string().to_uppercase()).is_err());
}

#[test]
fn a_root_is_of_one_list() {
    let mut roots = std::collections::BTreeSet::new();
    for count in 0..70 {
        assert!(roots.insert(merkle_root(files(count).iter().map(FileEntry::leaf))), "{count}");
    }
    // As RFC 6962 has it: nothing hashed, and a tree that is not full is split at the largest power of two.
    assert_eq!(merkle_root([]), hash(""));
    let node = |left: &str, right: &str| {
        let mut bytes = vec![1];
        bytes.extend(hex::decode::<32>(left).unwrap());
        bytes.extend(hex::decode::<32>(right).unwrap());
        hex::encode(Sha256::digest(bytes))
    };
    let of = |range: std::ops::Range<usize>| merkle_root(files(5)[range].iter().map(FileEntry::leaf));
    assert_eq!(of(0..3), node(&of(0..2), &of(2..3)));
    assert_eq!(of(0..5), node(&of(0..4), &of(4..5)));
    assert_eq!(of(0..4), node(&of(0..2), &of(2..4)));
}

/// The one field that is not signed leads nowhere but to a name beside its own.
#[test]
fn a_file_lies_under_its_name_or_beside_it() {
    let placed = |path: &str, here: &str| {
        let file =
            FileEntry { path: path.to_owned(), size: 1, sha256: hash("1"), here: Some(here.to_owned()) };
        let statement = Statement::TaskRun(run(std::slice::from_ref(&file)));
        is_found(&SignedReceipt::sign(&identity(1), &statement, vec![file]).to_bytes(), None)
    };
    for (path, here) in [
        ("a.md", "a.v2.md"),
        ("out/a", "out/a.v999"),
        ("r.tar.gz", "r.tar.v3.gz"),
        (".env", ".env.v2"),
        ("a.v2.md", "a.v2.v4.md"),
    ] {
        assert!(placed(path, here), "{path} as {here}");
    }
    for here in [
        "b.md",
        "copy/a.md",
        "a.md.v2",
        "a.v1.md",
        "a.v02.md",
        "a.v1000.md",
        "../a.v2.md",
        "a.v2.txt",
        "a.v+2.md",
        "A.v2.md",
        "",
    ] {
        assert!(!placed("a.md", here), "a.md as {here}");
    }
}

proptest! {
    /// One bit anywhere in the file.
    #[test]
    fn every_altered_bit_is_found(count in 0_usize..6, at: Index, bit in 0_u8..8) {
        let mut bytes = receipt(count).to_bytes();
        let at = at.index(bytes.len());
        // Which of the names beside its own a file has is not signed; that it lies there is looked for. Nothing else is spared.
        let text = String::from_utf8(bytes.clone()).unwrap();
        let is_version = text.match_indices(".v2.md").any(|(dot, _)| dot + 2 == at);
        bytes[at] ^= 1 << bit;
        prop_assume!(!(is_version && matches!(bytes[at], b'3'..=b'9')));
        prop_assert!(!is_found(&bytes, None));
        prop_assert!(!is_found(&bytes, Some(&identity(1).public())));
    }

    /// A piece cut out, or put in.
    #[test]
    fn every_cut_and_every_addition_is_found(count in 0_usize..6, from: Index, length in 1_usize..40, more in "[ -~]{1,9}") {
        let whole = receipt(count).to_bytes();
        let from = from.index(whole.len());
        let mut cut = whole.clone();
        cut.drain(from..(from + length).min(whole.len()));
        let mut longer = whole.clone();
        longer.splice(from..from, more.bytes());
        for bytes in [cut, longer] {
            // Only another version of a name that was taken can be read.
            let told = |receipt: &SignedReceipt| {
                let mut receipt = receipt.clone();
                receipt.files.iter_mut().for_each(|file| file.here = None);
                receipt
            };
            let is_version = SignedReceipt::parse(&bytes).is_ok_and(|one| told(&one) == told(&receipt(count)) && one.places().all(|(place, file)| {
                let version = place.strip_prefix(&file.path[..7]).and_then(|rest| rest.strip_suffix(".md"));
                version.is_some_and(|version| version.is_empty() || version.starts_with(".v"))
            }));
            prop_assert!(is_version || !is_found(&bytes, None));
        }
    }

    /// Fields of the statement, signed with another key under the first one's name.
    #[test]
    fn no_other_statement_has_the_signature(field in 0_usize..8, text in "[a-z0-9]{1,20}") {
        let good = receipt(3);
        let list = files(3);
        let mut run = run(&list);
        let fields = [&mut run.run, &mut run.thread, &mut run.agent, &mut run.model, &mut run.accepted_at, &mut run.ended_at, &mut run.prompt_sha256, &mut run.files.merkle_root];
        for (at, old) in fields.into_iter().enumerate() {
            if at == field {
                prop_assume!(*old != text);
                old.clone_from(&text);
            }
        }
        let mut forged = SignedReceipt::sign(&identity(9), &Statement::TaskRun(run), list);
        forged.public_key.clone_from(&good.public_key);
        forged.envelope.signatures.clone_from(&good.envelope.signatures);
        prop_assert!(!is_found(&forged.to_bytes(), None));
    }
}
