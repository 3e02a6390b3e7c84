//! Where the operating system keeps secrets for a person: the keychain of a Mac, the secret service of a desktop. Both are reached by the
//! programs that come with them, since a library for them would bring more packages than the whole server may have.
//!
//! Must never put a secret on a command line, which every process of the machine can read, nor wait for ever for a person who
//! is not there to unlock anything.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use engross_llm::{ExposeSecret as _, SecretString};

use crate::settings::Environment;

/// How secrets of ours are called there.
const SERVICE: &str = "engross";

/// How long a program may take. A locked store asks the person at the screen, who may be there.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long between two looks whether it has ended.
const PAUSE: Duration = Duration::from_millis(10);

/// The most that a program may answer.
const LARGEST: u64 = 16 << 10;

/// A kind of store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoreKind {
    /// The keychain, by `security`.
    Keychain,
    /// The secret service (GNOME Keyring, KWallet, KeePassXC), by `secret-tool`.
    SecretService,
}

impl StoreKind {
    /// As it stands in files and answers.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Keychain => "keychain",
            Self::SecretService => "secret-service",
        }
    }
}

/// The store of this system, and the program that leads to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SecretStore {
    kind: StoreKind,
    program: PathBuf,
    patience: Duration,
}

/// What a program is told.
struct StoreCall<'a> {
    arguments: Vec<&'a str>,
    input: Option<SecretString>,
}

impl SecretStore {
    /// The one that this system has, if it has one.
    pub(super) fn of_system(environment: &Environment) -> Option<Self> {
        let (kind, name) = match cfg!(target_os = "macos") {
            true => (StoreKind::Keychain, "security"),
            false => (StoreKind::SecretService, "secret-tool"),
        };
        Some(Self::by(kind, environment.find_program(name)?))
    }

    /// A store behind a program.
    pub(super) fn by(kind: StoreKind, program: PathBuf) -> Self {
        Self { kind, program, patience: PATIENCE }
    }

    #[cfg(test)]
    pub(super) fn within(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    pub(super) fn kind(&self) -> StoreKind {
        self.kind
    }

    /// Keeps a secret under a name; tells whether it is there afterwards, which alone counts.
    pub(super) fn keep(&self, account: &str, secret: &SecretString) -> bool {
        let call = match self.kind {
            // Its interactive form reads whole commands, so that the secret is in none that can be seen.
            StoreKind::Keychain => StoreCall {
                arguments: vec!["-i"],
                input: Some(SecretString::from(format!(
                    "add-generic-password -U -a \"{account}\" -s \"{SERVICE}\" -w \"{}\"\n",
                    secret.expose_secret()
                ))),
            },
            StoreKind::SecretService => StoreCall {
                arguments: vec![
                    "store",
                    "--label",
                    "engross: key of a provider",
                    "application",
                    SERVICE,
                    "account",
                    account,
                ],
                input: Some(secret.clone()),
            },
        };
        self.run(&call).is_some()
            && self.find(account).is_some_and(|found| found.expose_secret() == secret.expose_secret())
    }

    /// The secret of that name.
    pub(super) fn find(&self, account: &str) -> Option<SecretString> {
        let arguments = match self.kind {
            StoreKind::Keychain => vec!["find-generic-password", "-a", account, "-s", SERVICE, "-w"],
            StoreKind::SecretService => vec!["lookup", "application", SERVICE, "account", account],
        };
        let found = self.run(&StoreCall { arguments, input: None })?;
        let found = found.expose_secret().trim_end_matches(['\r', '\n']);
        (!found.is_empty()).then(|| SecretString::from(found))
    }

    /// Forgets the secret of that name; tells whether it is gone.
    pub(super) fn forget(&self, account: &str) -> bool {
        let arguments = match self.kind {
            StoreKind::Keychain => vec!["delete-generic-password", "-a", account, "-s", SERVICE],
            StoreKind::SecretService => vec!["clear", "application", SERVICE, "account", account],
        };
        // Nothing to forget ends one of them as a failure, and a store that is locked ends the other as a success.
        let ended = self.run(&StoreCall { arguments, input: None }).is_some();
        match self.kind {
            StoreKind::Keychain => ended || self.find(account).is_none(),
            StoreKind::SecretService => ended && self.find(account).is_none(),
        }
    }

    /// What the program answers; nothing where it fails, is not there, or does not end.
    fn run(&self, call: &StoreCall<'_>) -> Option<SecretString> {
        let mut child = Command::new(&self.program)
            .args(&call.arguments)
            .stdin(if call.input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        if let (Some(input), Some(mut stdin)) = (&call.input, child.stdin.take()) {
            // One that ends before it has read tells by its status what it did.
            let _ = stdin.write_all(input.expose_secret().as_bytes());
        }
        // Read beside, so that one who answers without end is not waited for.
        let stdout = child.stdout.take()?;
        let (answered, answer) = mpsc::channel();
        thread::spawn(move || {
            let mut answer = String::new();
            let read = stdout.take(LARGEST).read_to_string(&mut answer);
            let _ = answered.send(read.ok().map(|_| SecretString::from(answer)));
        });
        // What the program has begun may hold its output after it has ended; the thread ends with it.
        match ends_well(&mut child, self.patience) {
            true => answer.recv_timeout(self.patience).ok().flatten(),
            false => None,
        }
    }
}

/// Waits for a program, and ends it when it takes too long; tells whether it did what it was told.
fn ends_well(child: &mut Child, patience: Duration) -> bool {
    let limit = Instant::now() + patience;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < limit => thread::sleep(PAUSE),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}
