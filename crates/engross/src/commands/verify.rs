//! `engross verify`: whether a redline is what it says, checked without trusting the one who made it.
//!
//! Must never take a receipt's word for what can be looked at.

use std::collections::BTreeMap;
use std::path::Path;

use engross_attest::{
    DocumentFile, PublicKey, ReceiptFinding, ReceiptFindings, RedlineStatement, RevisionEntry, SignedReceipt,
    SignerKnown, Statement,
};
use engross_documents::change::printable;
use engross_documents::redline;
use engross_docx::read::View;
use engross_docx::{CompareOptions, ComparedView, Granularity, Limits, WordDocument};
use engross_protocol::{Clock as _, Exit, Failure, SystemClock, hex};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::CommandEnd;
use crate::cli::VerifyArgs;
use crate::output::Output;
use engross_compose::failure;
use engross_compose::files::{self, by_path};
use engross_compose::settings::Environment;
use engross_compose::signing;

/// The bytes of the largest document and receipt.
const LARGEST: u64 = 256 << 20;

pub(crate) fn run(args: &VerifyArgs, output: Output) -> Result<CommandEnd, Failure> {
    let trusted = args.key.as_deref().map(trusted).transpose()?;
    let source = files::read_bytes(&args.source, LARGEST)?;
    let redline_bytes = files::read_bytes(&args.redline, LARGEST)?;
    let mut findings = ReceiptFindings::default();
    rejecting_gives(&source, &redline_bytes, args, &mut findings)?;
    let found = looked_at(&source, &redline_bytes, args)?;
    let receipt = match &args.receipt {
        Some(path) => Some(SignedReceipt::parse(&files::read_bytes(path, LARGEST)?)?),
        None => None,
    };
    let mut signed = None;
    if let Some(receipt) = &receipt {
        let (statement, of_receipt) = receipt.check(trusted.as_ref());
        findings.signer = of_receipt.signer;
        findings.all.extend(of_receipt.all);
        match statement {
            Some(Statement::Redline(statement)) => {
                compare(&statement, &found, &mut findings);
                signed = Some(statement);
            }
            Some(Statement::TaskRun(_)) => {
                findings.add(ReceiptFinding::Document(
                    "the receipt is one of a task, not of a redline".to_owned(),
                ));
            }
            None => {}
        }
    }
    let holds = findings.is_intact();
    let told = json!({
        "holds": holds,
        "rejectGivesSource": !findings.all.iter().any(|one| matches!(one, ReceiptFinding::Document(text) if text.starts_with(REJECT))),
        "changes": &found.revisions, "receipt": &signed,
        "signerKnown": matches!(findings.signer, SignerKnown::Known(_)),
        "findings": findings.all.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    output.answer(&told, || shown(&found, signed.as_ref(), &findings))?;
    Ok(CommandEnd::With(if holds { Exit::Done } else { Exit::Refused }))
}

/// How the finding begins that says that the source does not come back.
const REJECT: &str = "rejecting the tracked changes does not give the source";

/// Whether nothing differs between the two when every tracked change is rejected.
fn rejecting_gives(
    source: &[u8],
    redlined: &[u8],
    args: &VerifyArgs,
    findings: &mut ReceiptFindings,
) -> Result<(), Failure> {
    let options = CompareOptions {
        author: "verify".to_owned(),
        date: "2000-01-01T00:00:00Z".to_owned(),
        view: ComparedView::Original,
        keep_revisions: false,
        formatting: true,
        moves: false,
        granularity: Granularity::Word,
    };
    let compared = redline(source.to_vec(), redlined.to_vec(), &options).map_err(|error| {
        let file = if error.is_after { &args.redline } else { &args.source };
        failure::of_document(file, &error.error)
    })?;
    let others = compared.report.limitations.iter().filter(|other| !other.only_brings_comments()).count();
    let changes = compared.report.changes.len();
    if changes + others > 0 {
        findings.add(ReceiptFinding::Document(format!("{REJECT}: {} places differ", changes + others)));
    }
    Ok(())
}

/// What can be said of a redline without a receipt.
fn looked_at(source: &[u8], redlined: &[u8], args: &VerifyArgs) -> Result<RedlineStatement, Failure> {
    let open = |bytes: &[u8], path: &Path| {
        WordDocument::open(bytes.to_vec(), &Limits::default())
            .map_err(|error| failure::of_document(path, &error))
    };
    statement(&open(source, &args.source)?, &open(redlined, &args.redline)?)
        .map_err(|error| failure::of_document(&args.redline, &error))
}

/// The statement about a redline: all of it that is in the two documents.
fn statement(
    source: &WordDocument,
    redlined: &WordDocument,
) -> Result<RedlineStatement, engross_docx::Error> {
    let file = |document: &WordDocument| DocumentFile {
        size: document.source().len() as u64,
        sha256: hash(document.source()),
    };
    let entries = |document: &WordDocument| -> Result<Vec<RevisionEntry>, engross_docx::Error> {
        let revisions = document.revisions()?.into_iter().map(|placed| RevisionEntry {
            kind: word(&placed.revision.kind),
            author: placed.revision.stamp.author,
            date: placed.revision.stamp.date.unwrap_or_default(),
            text_sha256: hash(placed.revision.text.as_bytes()),
        });
        Ok(revisions.collect())
    };
    let mut before = entries(source)?;
    let mut revisions = entries(redlined)?;
    // Those that the source had are nobody's of this change.
    revisions.retain(|revision| match before.iter().position(|old| old == revision) {
        Some(at) => {
            before.swap_remove(at);
            false
        }
        None => true,
    });
    Ok(RedlineStatement {
        maker: concat!("engross ", env!("CARGO_PKG_VERSION")).to_owned(),
        source: file(source),
        redline: file(redlined),
        accepted_text_sha256: hash(redlined.to_markdown(View::Accepted)?.as_bytes()),
        rejected_text_sha256: hash(redlined.to_markdown(View::Original)?.as_bytes()),
        author: String::new(),
        model: String::new(),
        operations_sha256: String::new(),
        operations: BTreeMap::new(),
        revisions,
        made_at: String::new(),
    })
}

/// What was signed against what is there.
fn compare(signed: &RedlineStatement, found: &RedlineStatement, findings: &mut ReceiptFindings) {
    let rows = [
        (signed.source == found.source, "the source is not the file that the receipt speaks of"),
        (signed.redline == found.redline, "the redline is not the file that the receipt speaks of"),
        (
            signed.accepted_text_sha256 == found.accepted_text_sha256,
            "accepting the tracked changes does not give the text of the receipt",
        ),
        (
            signed.rejected_text_sha256 == found.rejected_text_sha256,
            "rejecting the tracked changes does not give the text of the receipt",
        ),
        (signed.revisions == found.revisions, "the tracked changes are not those of the receipt"),
    ];
    for (holds, problem) in rows {
        if !holds {
            findings.add(ReceiptFinding::Document(problem.to_owned()));
        }
    }
}

fn shown(found: &RedlineStatement, signed: Option<&RedlineStatement>, findings: &ReceiptFindings) -> String {
    let mut text: String =
        findings.all.iter().map(|finding| format!("! {}\n", printable(&finding.to_string()))).collect();
    let mut by: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for revision in &found.revisions {
        *by.entry((&revision.author, &revision.kind)).or_default() += 1;
    }
    for ((author, kind), count) in by {
        text.push_str(&format!("  {}: {count} × {}\n", printable(author), printable(kind)));
    }
    if let Some(signed) = signed {
        let model = if signed.model.is_empty() { "no model" } else { &signed.model };
        let operations: Vec<String> =
            signed.operations.iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
        text.push_str(&format!(
            "  made by {} at {} with {}: {}\n",
            printable(&signed.maker),
            printable(&signed.made_at),
            printable(model),
            printable(&operations.join(", "))
        ));
    }
    let who = match findings.signer {
        SignerKnown::Known(key) => format!(", signed by the key {}", key.id()),
        SignerKnown::Unknown(_) => ", signer unknown".to_owned(),
        SignerKnown::Nobody => String::new(),
    };
    let state = if findings.is_intact() { "holds" } else { "DOES NOT HOLD" };
    text.push_str(&format!("{state}{who}: {} tracked changes\n", found.revisions.len()));
    text
}

/// How a redline came about, for its receipt.
pub(crate) struct RedlineOrigin<'a> {
    /// The document before.
    pub(crate) source: &'a [u8],
    /// Where the redline is.
    pub(crate) redline: &'a Path,
    /// Where the receipt goes.
    pub(crate) receipt: &'a Path,
    pub(crate) author: &'a str,
    pub(crate) model: &'a str,
}

/// Writes the receipt of a redline that was made just now. `operations` are their results.
pub(crate) fn write_receipt<O: Serialize>(
    of: &RedlineOrigin<'_>,
    operations: &[O],
    environment: &Environment,
) -> Result<(), Failure> {
    let wrong = |error| failure::of_document(of.redline, &error);
    let redlined = files::read_bytes(of.redline, LARGEST)?;
    let open = |bytes: Vec<u8>| WordDocument::open(bytes, &Limits::default()).map_err(wrong);
    let (source, redlined) = (open(of.source.to_vec())?, open(redlined)?);
    let results = serde_json::to_value(operations).unwrap_or_default();
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for result in results.as_array().into_iter().flatten().filter(|result| result["status"] == "applied") {
        *kinds.entry(result["op"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
    }
    let statement = RedlineStatement {
        author: of.author.to_owned(),
        model: of.model.to_owned(),
        operations_sha256: hash(results.to_string().as_bytes()),
        operations: kinds,
        made_at: SystemClock.now().to_string(),
        ..statement(&source, &redlined).map_err(wrong)?
    };
    let receipt =
        SignedReceipt::sign(&signing::persons(environment)?, &Statement::Redline(statement), Vec::new());
    Ok(by_path::write(of.receipt, &receipt.to_bytes(), None)?)
}

/// A public key, given itself or as a file.
pub(crate) fn trusted(given: &str) -> Result<PublicKey, Failure> {
    if let Ok(key) = PublicKey::parse(given) {
        return Ok(key);
    }
    let text = files::read_text(Path::new(given))?;
    Ok(PublicKey::parse(&text)?)
}

fn word(kind: &impl Serialize) -> String {
    match serde_json::to_value(kind) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

fn hash(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
