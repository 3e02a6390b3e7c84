//! `engross word doctor`: whether Word would find the pane, and load it.
//!
//! Must never change anything, and never speak with another machine.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use engross_protocol::{Clock, Exit, Failure, SystemClock};
use engross_tls::{TlsError, check_trusted};
use serde::Serialize;
use serde_json::json;

use super::manifest::PaneAddress;
use super::places::{Platform, Sideload, sideload, trust};
use super::record::{WordFolder, WordRecord};
use super::{CommandEnd, SOON, day, has_engine};
use crate::output::Output;
use engross_compose::files::{self, by_path};

/// The longest file that is looked at.
const LONGEST: u64 = 1 << 20;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Good,
    /// Something to know; Word loads the pane all the same, or nobody can tell from here.
    Look,
    Bad,
}

#[derive(Debug, Serialize)]
struct WordCheck {
    name: &'static str,
    verdict: Verdict,
    message: String,
}

pub(super) fn run(folder: &WordFolder, home: &Path, output: Output) -> Result<CommandEnd, Failure> {
    let checks = match folder.record()? {
        None => vec![WordCheck {
            name: "installed",
            verdict: Verdict::Bad,
            message: "nothing is installed; run `engross word install`".to_owned(),
        }],
        Some(record) => checks(folder, &record, home),
    };
    let is_well = checks.iter().all(|check| check.verdict != Verdict::Bad);
    output.answer(&json!({"ok": is_well, "checks": checks}), || {
        let line = |check: &WordCheck| {
            let mark = match check.verdict {
                Verdict::Good => "ok  ",
                Verdict::Look => "look",
                Verdict::Bad => "BAD ",
            };
            format!("{mark}  {:<13} {}\n", check.name, check.message)
        };
        checks.iter().map(line).collect()
    })?;
    Ok(CommandEnd::With(if is_well { Exit::Done } else { Exit::Refused }))
}

fn checks(folder: &WordFolder, record: &WordRecord, home: &Path) -> Vec<WordCheck> {
    let platform = Platform::here();
    let now = SystemClock.millis() / 1000;
    let check = |name, verdict, message: String| WordCheck { name, verdict, message };
    vec![
        match has_engine() {
            true => check("engine", Verdict::Good, "the engine for pages is in this program".to_owned()),
            false => check(
                "engine",
                Verdict::Bad,
                "this program was built without the engine for pages; build it with the feature word-engine"
                    .to_owned(),
            ),
        },
        certificate(folder, record, now),
        trusted(folder, record, home, platform, now),
        manifest(folder, record),
        word(folder, record, home, platform),
        server(record),
    ]
}

fn certificate(folder: &WordFolder, record: &WordRecord, now: u64) -> WordCheck {
    let name = "certificate";
    let bad = |message: String| WordCheck { name, verdict: Verdict::Bad, message };
    let read = || -> Result<(Vec<u8>, Vec<u8>), files::Error> {
        Ok((by_path::read(&folder.chain(), LONGEST)?.0, by_path::read_private(&folder.key(), LONGEST)?))
    };
    let (chain, key) = match read() {
        Ok(both) => both,
        Err(error) => return bad(format!("{error}; run `engross word install --renew`")),
    };
    if let Err(error) = engross_tls::server(&chain, &key) {
        return bad(format!("{error}; run `engross word install --renew`"));
    }
    if record.until <= now {
        return bad(format!("it was good until {}; run `engross word install`", day(record.until)));
    }
    let verdict = if record.until <= now + SOON { Verdict::Look } else { Verdict::Good };
    let more = if verdict == Verdict::Look { "; `engross word install` makes a new one" } else { "" };
    WordCheck { name, verdict, message: format!("it is good until {}{more}", day(record.until)) }
}

fn trusted(folder: &WordFolder, record: &WordRecord, home: &Path, platform: Platform, now: u64) -> WordCheck {
    let name = "trust";
    let asked = by_path::read(&folder.chain(), LONGEST)
        .map_err(|error| TlsError::Pem(error.to_string()))
        .and_then(|(chain, _)| check_trusted(&chain, "localhost", now));
    let way = trust(platform, home, &folder.authority(), &record.authority);
    match asked {
        Ok(()) => WordCheck { name, verdict: Verdict::Good, message: "this system trusts it".to_owned() },
        // Browsers there have a store of their own, which is theirs to read.
        Err(_) if platform == Platform::Other && record.trusted => WordCheck {
            name,
            verdict: Verdict::Look,
            message: format!("it was put into the store of {}", way.whose),
        },
        Err(error) => WordCheck {
            name,
            verdict: Verdict::Bad,
            message: format!("{error}; run `engross word install --trust`, or: {}", way.give.text()),
        },
    }
}

fn manifest(folder: &WordFolder, record: &WordRecord) -> WordCheck {
    let name = "manifest";
    let wanted = PaneAddress::local(record.port);
    let is_same =
        |path: &Path, text: &str| by_path::read_text(path, LONGEST).is_ok_and(|found| found == text);
    let path = folder.manifest();
    if is_same(&path, &wanted.xml()) && is_same(&folder.unified().join("manifest.json"), &wanted.json()) {
        let message = format!("{} leads to {}", path.display(), wanted.pane);
        return WordCheck { name, verdict: Verdict::Good, message };
    }
    let message = format!("{} is not the one of this program; run `engross word install`", path.display());
    WordCheck { name, verdict: Verdict::Bad, message }
}

fn word(folder: &WordFolder, record: &WordRecord, home: &Path, platform: Platform) -> WordCheck {
    let name = "word";
    match sideload(platform, home, &folder.manifest()) {
        Sideload::Copy(copy) => {
            let wanted = PaneAddress::local(record.port).xml();
            if by_path::read_text(&copy, LONGEST).is_ok_and(|text| text == wanted) {
                let message = format!("Word finds the manifest at {}", copy.display());
                WordCheck { name, verdict: Verdict::Good, message }
            } else {
                let message =
                    format!("{} is missing or another one; run `engross word install`", copy.display());
                WordCheck { name, verdict: Verdict::Bad, message }
            }
        }
        Sideload::Registry { .. } => {
            let verdict = if record.registered { Verdict::Good } else { Verdict::Bad };
            let message = if record.registered {
                "the registry leads to the manifest"
            } else {
                "the registry does not know of the pane; run `engross word install`"
            };
            WordCheck { name, verdict, message: message.to_owned() }
        }
        Sideload::ByHand => WordCheck {
            name,
            verdict: Verdict::Look,
            message: "no Word runs on this system; upload the manifest in Word on the web".to_owned(),
        },
    }
}

fn server(record: &WordRecord) -> WordCheck {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, record.port));
    let name = "server";
    if TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok() {
        let message = format!("something listens at port {}", record.port);
        return WordCheck { name, verdict: Verdict::Good, message };
    }
    let message = format!("nothing listens at port {}; run `engross serve --word`", record.port);
    WordCheck { name, verdict: Verdict::Look, message }
}
