//! `engross task verify` and `engross task key`: whether files are what a run made, and who says so.
//!
//! Must never call files intact of which one was not read to its end.

use engross_artifacts::segment;
use engross_attest::{
    PublicKey, ReceiptFinding, ReceiptFindings, RunStatement, SignedReceipt, SignerKnown, Statement,
};
use engross_documents::change::printable;
use engross_protocol::{Exit, Failure};
use engross_store::files::{Folder, RelPath};
use engross_threads::RECEIPTS;
use serde_json::json;

use super::CommandEnd;
use crate::cli::{KeyArgs, VerifyFilesArgs};
use crate::commands::verify::trusted;
use crate::output::Output;
use engross_compose::failure::usage;
use engross_compose::files;
use engross_compose::settings::Environment;
use engross_compose::{sessions, signing};

/// The bytes of the longest receipt.
const LONGEST: u64 = 256 << 20;

/// How many receipts a folder is looked through for.
const MOST: usize = 100_000;

/// A receipt with what is found of it.
struct CheckedReceipt {
    run: RunStatement,
    receipt: SignedReceipt,
    findings: ReceiptFindings,
}

pub(super) fn files(args: &VerifyFilesArgs, output: Output) -> Result<CommandEnd, Failure> {
    let trusted = args.key.as_deref().map(trusted).transpose()?;
    // Opening would make it, and it need not be one that can be written to.
    if !args.folder.is_dir() {
        let message = format!(
            "there is no folder {}: give the one that a thread's files are in",
            args.folder.display()
        );
        return Err(usage("NOT_FOUND", message));
    }
    let folder = sessions::open_root(&args.folder)?.top();
    let CheckedReceipt { run, receipt, mut findings } = chosen(&folder, args, trusted.as_ref())?;
    let mut good = 0_u64;
    for (place, file) in receipt.places() {
        // A path that leads elsewhere is none of a run.
        let found = RelPath::parse(place).and_then(|path| folder.sha256(&path));
        match found {
            Ok(Some((sha256, info))) if sha256 == file.sha256 && info.size == file.size => good += 1,
            Ok(Some(_)) => findings.add(ReceiptFinding::Altered(place.to_owned())),
            Ok(None) | Err(_) => findings.add(ReceiptFinding::Missing(place.to_owned())),
        }
    }
    // What lies under the name of such a file is somebody else's, and is told apart from what the run made.
    let elsewhere: Vec<(&str, &str)> = receipt
        .places()
        .filter(|(place, file)| *place != file.path)
        .map(|(place, file)| (file.path.as_str(), place))
        .collect();
    let is_intact = findings.is_intact();
    let (signer, known) = match findings.signer {
        SignerKnown::Known(key) => (Some(key.to_string()), true),
        SignerKnown::Unknown(key) => (Some(key.to_string()), false),
        SignerKnown::Nobody => (None, false),
    };
    let told = json!({
        "intact": is_intact, "signerKnown": known, "publicKey": signer, "run": run.run, "thread": run.thread,
        "agent": run.agent, "acceptedAt": run.accepted_at, "startedAt": run.started_at, "endedAt": run.ended_at,
        "permissions": run.permissions, "files": run.files.count, "filesIntact": good,
        "elsewhere": elsewhere.iter().map(|(path, here)| json!({ "path": path, "here": here })).collect::<Vec<_>>(),
        "findings": findings.all.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    output.answer(&told, || shown(&run, &findings, good, &elsewhere))?;
    Ok(CommandEnd::With(if is_intact { Exit::Done } else { Exit::Refused }))
}

fn shown(run: &RunStatement, findings: &ReceiptFindings, good: u64, elsewhere: &[(&str, &str)]) -> String {
    let mut text: String =
        findings.all.iter().map(|finding| format!("! {}\n", printable(&finding.to_string()))).collect();
    for (path, here) in elsewhere {
        let (path, here) = (printable(path), printable(here));
        text.push_str(&format!(
            "  {here} is what this run made as {path}; {path} itself was not looked at\n"
        ));
    }
    let who = match findings.signer {
        SignerKnown::Known(key) => format!("signed by the key {}", key.id()),
        SignerKnown::Unknown(_) | SignerKnown::Nobody => "signer unknown".to_owned(),
    };
    let state = if findings.is_intact() { "intact" } else { "ALTERED" };
    let (run_id, agent) = (printable(&run.run), printable(&run.agent));
    text.push_str(&format!("{state}, {who}: {good} of {} files of {run_id}", run.files.count));
    text.push_str(&format!(", made by {agent}, ended {}\n", printable(&run.ended_at)));
    text
}

/// The receipt that is meant: of the run that was named, else of the one that ended last.
fn chosen(
    folder: &Folder,
    args: &VerifyFilesArgs,
    trusted: Option<&PublicKey>,
) -> Result<CheckedReceipt, Failure> {
    let receipts = folder.folder(&RelPath::parse(RECEIPTS)?)?;
    let listing = receipts.as_ref().map(|receipts| receipts.list("", None, MOST)).transpose()?;
    let mut newest: Option<CheckedReceipt> = None;
    let mut broken = None;
    for file in listing.into_iter().flat_map(|listing| listing.files) {
        let read = receipts.as_ref().map(|receipts| receipts.read(&file.path, LONGEST)).transpose()?;
        let Some((bytes, _)) = read.flatten() else { continue };
        let name = file.path.name().trim_end_matches(".json").to_owned();
        if args.run.as_ref().is_some_and(|run| *run != name) {
            continue;
        }
        let checked = SignedReceipt::parse(&bytes).map_err(Failure::from).and_then(|receipt| {
            let (statement, findings) = receipt.check(trusted);
            match statement {
                Some(Statement::TaskRun(run)) if segment(&run.run) != name => Err(altered(&format!(
                    "{} is the receipt of another run, {}",
                    file.path,
                    printable(&run.run)
                ))),
                Some(Statement::TaskRun(run)) => Ok(CheckedReceipt { run, receipt, findings }),
                _ => Err(altered(&format!("the signature of {} is not of what it says", file.path))),
            }
        });
        match checked {
            Ok(checked)
                if newest.as_ref().is_none_or(|newest| newest.run.ended_at < checked.run.ended_at) =>
            {
                newest = Some(checked);
            }
            Ok(_) => {}
            Err(failure) => broken = Some(failure),
        }
    }
    // One that cannot be read may have been the newest: it is not passed over.
    match (broken, newest) {
        (Some(failure), _) => Err(Failure { exit: Exit::Refused, ..failure }),
        (None, Some(newest)) => Ok(newest),
        (None, None) => Err(usage(
            "NOT_FOUND",
            format!(
                "there is no receipt in {}; give the folder of a thread whose run was signed, as `engross task get` shows it",
                args.folder.join(RECEIPTS).display()
            ),
        )),
    }
}

fn altered(problem: &str) -> Failure {
    let row = engross_attest::codes::RECEIPT_ALTERED;
    Failure::of(row, format!("{problem}: take files and receipt from where they were made"))
}

pub(super) fn key(args: &KeyArgs, environment: &Environment, output: Output) -> Result<CommandEnd, Failure> {
    let data = engross_compose::data::data_folder(args.place.data.as_deref())?.join("tasks");
    files::make_folder(&data)?;
    let key = signing::signer(&data, environment)?.public();
    output.answer(&json!({ "publicKey": key.to_string(), "id": key.id() }), || format!("{key}\n"))?;
    Ok(CommandEnd::With(Exit::Done))
}
