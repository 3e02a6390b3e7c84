//! How agents of this machine are fenced in, put together from the settings.
//!
//! Must never leave our own data out of what they may not read: it opens the runner to anybody who has it.

use std::path::Path;

use engross_acp::client::{SandboxHost, SandboxMode};
use engross_protocol::hex;
use engross_sandbox::Quota;
use sha2::{Digest, Sha256};

use crate::settings::{SandboxSetting, SandboxWhen};

/// The folder for the homes of threads.
const HOMES: &str = "agents.homes";

/// The digits of the name of a home.
const NAME: usize = 24;

pub(super) fn host(data: &Path, root: &Path, setting: &SandboxSetting) -> SandboxHost {
    let mut host = SandboxHost::new(Vec::new(), data.join(HOMES), name);
    host.mode = match setting.mode {
        SandboxWhen::Auto => SandboxMode::Auto,
        SandboxWhen::On => SandboxMode::On,
        SandboxWhen::Off => SandboxMode::Off,
    };
    host.network = setting.network;
    host.quota =
        Quota { files: setting.max_files, bytes: setting.max_bytes, processes: setting.max_processes };
    host.hide = [data, root].into_iter().map(Path::to_owned).chain(setting.hide.iter().cloned()).collect();
    host
}

/// The name of the home of a thread: no two threads have one.
fn name(principal: &str, thread: &str) -> String {
    let whole = format!("{}:{principal}{thread}", principal.len());
    hex::encode_prefix(Sha256::digest(whole), NAME)
}
