//! The disk under the store is full, and later it is not.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use engross_testkit::scripted::ModelServer;
use serde_json::json;

use super::Trial;
use super::server::{Server, ServerReply, failed, messages, say};
use crate::Result;

/// A file system in memory; gone when dropped.
pub(crate) struct Disk(PathBuf);

impl Disk {
    /// One of a size such as `3m`; `None` where nobody may mount.
    pub(crate) fn mount(folder: &Path, size: &str) -> Option<Self> {
        let is_mounted = mount(&["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"], folder);
        is_mounted.then(|| Self(folder.to_owned()))
    }

    /// Gives it another size, which is not less than what is on it.
    pub(crate) fn resize(&self, size: &str) -> bool {
        mount(&["-o", &format!("remount,size={size}")], &self.0)
    }

    /// How many KiB are on it.
    pub(crate) fn used(&self) -> Option<u64> {
        let told = Command::new("df").args(["-k", "--output=used"]).arg(&self.0).output().ok()?;
        String::from_utf8_lossy(&told.stdout).lines().last()?.trim().parse().ok()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

fn mount(arguments: &[&str], folder: &Path) -> bool {
    let status = Command::new("mount").args(arguments).arg(folder).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

pub(super) fn run(trial: &Trial<'_>) -> Result<String> {
    let Some(disk) = Disk::mount(trial.folder, "3m") else {
        return Ok("skipped: no small disk can be mounted here".to_owned());
    };
    let model = ModelServer::start(json!({"default": {"text": "noted"}}));
    let server = Server::start(trial.folder, "sqlite", &model.url())?;
    let text = |n: usize| format!("{n} {}", "x".repeat(40_000));
    let (mut taken, mut refused) = (Vec::new(), Vec::new());
    for n in 0..400 {
        match say(server.address, &format!("d{}", n % 4), &format!("once-{n}"), &text(n), false) {
            ServerReply::Answer(_) => taken.push(n),
            ServerReply::Refused(503 | 507, error) => {
                refused.push((n, error["code"].as_str().unwrap_or_default().to_owned()));
            }
            other => return Err(failed(format!("request {n} on a full disk: {other:?}"))),
        }
        if refused.len() >= 40 {
            break;
        }
    }
    if refused.len() < 40 {
        return Err(failed("the disk was never full"));
    }
    if let Some((n, code)) = refused.iter().find(|(_, code)| code != "STORE_FULL") {
        return Err(failed(format!("request {n} was refused with {code}, not STORE_FULL")));
    }
    if !disk.resize("64m") {
        return Err(failed("the disk cannot be made larger"));
    }
    let holds = |server: &Server| -> Result<()> {
        for n in &taken {
            let all = messages(server.address, &format!("d{}", n % 4))?;
            let times = all.iter().filter(|message| message["content"] == text(*n).as_str()).count();
            if times != 1 {
                return Err(failed(format!(
                    "message {n} of {} was acknowledged and is there {times} times, among {} messages",
                    taken.len(),
                    all.len()
                )));
            }
        }
        Ok(())
    };
    holds(&server)?;
    for (n, _) in &refused {
        match say(server.address, &format!("d{}", n % 4), &format!("once-{n}"), &text(*n), false) {
            ServerReply::Answer(_) => {}
            // It was stored, its answer was not, and a later message came.
            told if told.code() == "TURN_SUPERSEDED" => {}
            other => return Err(failed(format!("request {n} with space again: {other:?}"))),
        }
    }
    drop(server);
    let server = Server::start(trial.folder, "sqlite", &model.url())?;
    holds(&server)?;
    Ok(format!(
        "{} messages of 40 kB taken, then {} refused with STORE_FULL; with space again all are answered, and nothing is lost",
        taken.len(),
        refused.len()
    ))
}
