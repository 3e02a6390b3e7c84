//! `engross word`: the pane in Word on this machine, and as files for a web server.
//!
//! Must never leave anything behind that `uninstall` does not know of, nor change whom the system trusts unasked.

mod doctor;
mod manifest;
mod places;
pub(crate) mod record;

#[cfg(test)]
mod manifest_tests;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use engross_protocol::{Clock, Exit, Failure, SystemClock, Timestamp};
use engross_tls::make_local;
use serde_json::{Value, json};

use super::CommandEnd;
use crate::cli::{WordArgs, WordCommand, WordExportArgs, WordInstallArgs, WordUninstallArgs};
use crate::output::{Output, note};
use engross_compose::data::{data_folder, data_path};
use engross_compose::files::{by_path, make_folder, make_private_folder, read_bytes, write_private};
use engross_compose::settings::{Environment, Flags, ProgramSettings};
use manifest::{ICONS, PaneAddress};
use places::{Platform, ProgramCall, Sideload, Trust, last_step, sideload, trust};
use record::{WordFolder, WordRecord};

/// A certificate that is good for less than this many seconds is made anew.
const SOON: u64 = 30 * 24 * 60 * 60;

/// The largest file of the engine for pages.
const LARGEST: u64 = 16 << 20;

pub(crate) fn run(args: &WordArgs, environment: &Environment, output: Output) -> Result<CommandEnd, Failure> {
    match &args.command {
        WordCommand::Install(args) => install(args, environment, output),
        WordCommand::Uninstall(args) => uninstall(args, environment, output),
        WordCommand::Doctor(args) => {
            let data = data_path(wanted(args.data.as_deref(), environment)?.as_deref())?;
            doctor::run(&WordFolder::beneath(&data), &home()?, output)
        }
        WordCommand::Export(args) => export(args, output),
    }
}

/// The folder for data that a person names, or that the settings of the server name.
fn wanted(flag: Option<&Path>, environment: &Environment) -> Result<Option<PathBuf>, Failure> {
    let set = ProgramSettings::load(&Flags::default(), environment)?.serve.path("data");
    Ok(flag.map(Path::to_owned).or(set))
}

fn home() -> Result<PathBuf, Failure> {
    directories::BaseDirs::new().map(|folders| folders.home_dir().to_owned()).ok_or_else(|| {
        engross_compose::failure::usage(
            "USAGE",
            "this platform tells no folder of yours, so that Word's is not known",
        )
    })
}

fn install(args: &WordInstallArgs, environment: &Environment, output: Output) -> Result<CommandEnd, Failure> {
    let data = data_folder(wanted(args.place.data.as_deref(), environment)?.as_deref())?;
    let folder = WordFolder::beneath(&data);
    let _lock = folder.lock()?;
    let (home, platform) = (home()?, Platform::here());
    let before = folder.record()?;
    let now = SystemClock.millis() / 1000;
    let good = before.clone().filter(|record| {
        let is_there = folder.chain().is_file() && folder.key().is_file() && folder.authority().is_file();
        !args.renew && is_there && record.until > now + SOON
    });
    let mut record = match good {
        Some(record) => WordRecord { port: args.port, ..record },
        None => {
            // Whom the system trusted for the old one it has no use for.
            if let Some(old) = before.as_ref().filter(|old| old.trusted) {
                take_trust(&folder, &home, platform, &old.authority);
            }
            let (copies, registered) =
                before.map_or((Vec::new(), false), |before| (before.copies, before.registered));
            let authority = format!("engross on this machine, {}", &day(now).replace('-', ""));
            let authority = format!("{authority}-{:05}", now % 100_000);
            let made = make_local(&authority, now)
                .map_err(|error| Failure::new(Exit::Io, "WRITE_FAILED", error.to_string()))?;
            let record = WordRecord {
                port: args.port,
                authority,
                until: made.until,
                trusted: false,
                copies,
                registered,
            };
            folder.keep(&record)?;
            write_private(&folder.key(), made.key.as_bytes())?;
            by_path::write(&folder.chain(), made.chain.as_bytes(), None)?;
            by_path::write(&folder.authority(), made.authority.as_bytes(), None)?;
            record
        }
    };
    let address = PaneAddress::local(args.port);
    write_manifests(&address, &folder.manifest(), &folder.unified())?;
    let way = sideload(platform, &home, &folder.manifest());
    match &way {
        Sideload::Copy(copy) => {
            if let Some(parent) = copy.parent() {
                make_folder(parent)?;
            }
            // Said before it is done, so that it is found again whatever happens.
            if !record.copies.contains(copy) {
                record.copies.push(copy.clone());
                folder.keep(&record)?;
            }
            by_path::write(copy, address.xml().as_bytes(), None)?;
        }
        Sideload::Registry { give, .. } => {
            record.registered = true;
            folder.keep(&record)?;
            carry_out(give)?;
        }
        Sideload::ByHand => {}
    }
    let trust = trust(platform, &home, &folder.authority(), &record.authority);
    if args.trust && !record.trusted {
        // There is none where no browser was started yet.
        if let Some(store) = &trust.store {
            make_private_folder(store)?;
        }
        carry_out(&trust.give)?;
        record.trusted = true;
    }
    folder.keep(&record)?;
    let answer = json!({
        "address": address.pane,
        "certificate": folder.chain(),
        "authority": folder.authority(),
        "until": day(record.until),
        "manifest": folder.manifest(),
        "unifiedManifest": folder.unified(),
        "sideloaded": sideloaded(&way),
        "trusted": record.trusted,
        "trustCommand": by_hand(&trust),
        "serve": "engross serve --word",
    });
    output.answer(&answer, || {
        let mut steps = Vec::new();
        if !record.trusted {
            steps.push(format!(
                "Have your system trust the certificate (it is for {}):\n       {}\n     or: engross word install --trust",
                trust.whose,
                by_hand(&trust)
            ));
        }
        steps.push("Start the server: engross serve --word".to_owned());
        steps.push(last_step(platform).to_owned());
        let steps: String =
            steps.iter().enumerate().map(|(at, step)| format!("  {}. {step}\n", at + 1)).collect();
        format!(
            "The pane of Word will be at {}\n\n  Certificate  {}, good until {}. It is for this machine alone, and the key that \
             signed it is gone.\n  Manifest     {}\n  Word         {}\n\nNext:\n{steps}\n`engross word doctor` looks whether \
             all is well, `engross word uninstall` takes everything away.\n",
            address.pane,
            folder.chain().display(),
            day(record.until),
            folder.manifest().display(),
            match &way {
                Sideload::Copy(copy) => format!("finds it at {}", copy.display()),
                Sideload::Registry { .. } => "finds it by the registry".to_owned(),
                Sideload::ByHand => "is not on this system".to_owned(),
            }
        )
    })?;
    if !has_engine() {
        note(
            "this program was built without the engine for pages, so the pane can answer and change nothing: see docs/guide/word.md",
        );
    }
    Ok(CommandEnd::With(Exit::Done))
}

/// Whether this program holds the engine that the pane runs.
pub(super) fn has_engine() -> bool {
    cfg!(feature = "word-engine")
}

fn sideloaded(way: &Sideload) -> Value {
    match way {
        Sideload::Copy(copy) => json!(copy),
        Sideload::Registry { .. } => json!("registry"),
        Sideload::ByHand => Value::Null,
    }
}

fn write_manifests(address: &PaneAddress, xml: &Path, unified: &Path) -> Result<(), Failure> {
    by_path::write(xml, address.xml().as_bytes(), None)?;
    make_folder(unified)?;
    by_path::write(&unified.join("manifest.json"), address.json().as_bytes(), None)?;
    for (name, bytes) in ICONS {
        by_path::write(&unified.join(name), bytes, None)?;
    }
    Ok(())
}

fn uninstall(
    args: &WordUninstallArgs,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let data = data_path(wanted(args.place.data.as_deref(), environment)?.as_deref())?;
    let folder = WordFolder::beneath(&data);
    if !folder.path().is_dir() {
        output
            .answer(&json!({"removed": false}), || "Nothing of the pane was installed here.\n".to_owned())?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    let lock = folder.lock()?;
    let (home, platform) = (home()?, Platform::here());
    let record = folder.record()?;
    let mut left = Vec::new();
    if let Some(record) = &record {
        for copy in &record.copies {
            record::remove(copy)?;
        }
        if record.registered
            && let Sideload::Registry { take, .. } = sideload(platform, &home, &folder.manifest())
            && let Err(failure) = carry_out(&take)
        {
            left.push((take.text(), failure.message));
        }
        if record.trusted || args.untrust {
            left.extend(take_trust(&folder, &home, platform, &record.authority));
        }
    }
    // What could not be taken back needs the certificate by which the system knows it.
    if left.is_empty() {
        drop(lock);
        folder.remove()?;
    } else if let Some(record) = record {
        folder.keep(&WordRecord { copies: Vec::new(), ..record })?;
    }
    let still: Vec<Value> =
        left.iter().map(|(command, problem)| json!({"command": command, "problem": problem})).collect();
    output.answer(&json!({"removed": left.is_empty(), "left": still}), || {
        if left.is_empty() {
            return "The pane is gone from Word, and its certificate from this machine.\n".to_owned();
        }
        let lines: String =
            left.iter().map(|(command, problem)| format!("  {command}\n    {problem}\n")).collect();
        format!(
            "The pane is gone from Word. These did not work; run them by hand, then uninstall again:\n{lines}"
        )
    })?;
    Ok(CommandEnd::With(if left.is_empty() { Exit::Done } else { Exit::Refused }))
}

/// Has the system forget an authority; gives what did not work.
fn take_trust(folder: &WordFolder, home: &Path, platform: Platform, name: &str) -> Vec<(String, String)> {
    let calls = trust(platform, home, &folder.authority(), name).take;
    let failed = |call: &ProgramCall| carry_out(call).err().map(|failure| (call.text(), failure.message));
    calls.iter().filter_map(failed).collect()
}

/// Runs a program of the system.
/// What a person types who gives the trust by hand.
fn by_hand(trust: &Trust) -> String {
    let folder = trust.store.as_ref().filter(|store| !store.is_dir());
    let first = folder.map(|folder| format!("mkdir -p \"{}\" && ", folder.display()));
    format!("{}{}", first.unwrap_or_default(), trust.give.text())
}

fn carry_out(call: &ProgramCall) -> Result<(), Failure> {
    let refused = |why: String| {
        let message = format!("`{}` did not work: {why}; run it by hand, and then this again", call.text());
        Failure::new(Exit::Io, "WRITE_FAILED", message)
    };
    let ran = Command::new(call.program).args(&call.arguments).stdin(Stdio::inherit()).output().map_err(
        |error| match error.kind() {
            ErrorKind::NotFound if cfg!(target_os = "linux") && call.program == "certutil" => {
                refused("there is no certutil here; it is in the package libnss3-tools".to_owned())
            }
            _ => refused(error.to_string()),
        },
    )?;
    if ran.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(if ran.stderr.is_empty() { &ran.stdout } else { &ran.stderr });
    let said: String = said.trim().chars().take(300).collect();
    Err(refused(if said.is_empty() { format!("it ended with {}", ran.status) } else { said }))
}

fn export(args: &WordExportArgs, output: Output) -> Result<CommandEnd, Failure> {
    let address = PaneAddress::hosted(&args.address)?;
    let mut files: Vec<(String, Vec<u8>)> = engross_http::hosted_pane_files();
    match &args.engine {
        Some(folder) => {
            for name in engross_http::ENGINE_FILES {
                files.retain(|(known, _)| known != name);
                files.push((name.to_owned(), read_bytes(&folder.join(name), LARGEST)?));
            }
        }
        None if !has_engine() => return Err(Failure::left_out("the engine of the pane", "word-engine")),
        None => {}
    }
    make_folder(&args.output)?;
    for (name, bytes) in &files {
        by_path::write(&args.output.join(name), bytes, None)?;
    }
    write_manifests(&address, &args.output.join("manifest.xml"), &args.output.join("unified"))?;
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let answer = json!({"address": address.pane, "folder": args.output, "files": names});
    output.answer(&answer, || {
        format!(
            "{} files of the pane are in {}.\nPut them on a web server so that they are found at {}, and give Word {}.\n",
            files.len() + 4,
            args.output.display(),
            address.pane,
            args.output.join("manifest.xml").display()
        )
    })?;
    Ok(CommandEnd::With(Exit::Done))
}

/// A moment as its day.
fn day(unix_seconds: u64) -> String {
    let text = Timestamp::from_millis(unix_seconds * 1000).to_string();
    text.split('T').next().unwrap_or_default().to_owned()
}
