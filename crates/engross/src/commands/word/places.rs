//! Where a Word of each platform looks for panes, and by which commands its system is told whom to trust.
//!
//! Must never touch the disk or run anything: it only says what there is to do.

use std::path::{Path, PathBuf};

use super::manifest::ID;

/// What a system does with panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Platform {
    Windows,
    Mac,
    /// No Word runs there, but browsers with Word on the web do.
    Other,
}

impl Platform {
    pub(super) fn here() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::Mac
        } else {
            Self::Other
        }
    }
}

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProgramCall {
    pub(super) program: &'static str,
    pub(super) arguments: Vec<String>,
}

impl ProgramCall {
    fn new<const COUNT: usize>(program: &'static str, arguments: [&str; COUNT]) -> Self {
        Self { program, arguments: arguments.map(str::to_owned).to_vec() }
    }

    /// As a person types it.
    pub(super) fn text(&self) -> String {
        let quoted = self.arguments.iter().map(|argument| {
            let is_plain = |character: char| character.is_alphanumeric() || "-._/:=,\\".contains(character);
            if !argument.is_empty() && argument.chars().all(is_plain) {
                argument.clone()
            } else {
                format!("\"{}\"", argument.replace('"', "\\\""))
            }
        });
        std::iter::once(self.program.to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
    }
}

/// How a system is told of an authority, and told to forget it. `name` is that of the authority.
pub(super) struct Trust {
    pub(super) give: ProgramCall,
    pub(super) take: Vec<ProgramCall>,
    /// Whose trust it is.
    pub(super) whose: &'static str,
    /// The folder in which it is kept, where the program that gives it does not make that.
    pub(super) store: Option<PathBuf>,
}

pub(super) fn trust(platform: Platform, home: &Path, authority: &Path, name: &str) -> Trust {
    let file = authority.display().to_string();
    match platform {
        Platform::Windows => Trust {
            give: ProgramCall::new("certutil", ["-user", "-addstore", "Root", &file]),
            take: vec![ProgramCall::new("certutil", ["-user", "-delstore", "Root", name])],
            whose: "your Windows account, and with it Word and its browsers",
            store: None,
        },
        Platform::Mac => {
            let keychain = home.join("Library/Keychains/login.keychain-db").display().to_string();
            Trust {
                give: ProgramCall::new(
                    "security",
                    ["add-trusted-cert", "-r", "trustRoot", "-p", "ssl", "-k", &keychain, &file],
                ),
                take: vec![
                    ProgramCall::new("security", ["remove-trusted-cert", &file]),
                    ProgramCall::new("security", ["delete-certificate", "-c", name, &keychain]),
                ],
                whose: "your keychain, and with it Word and Safari",
                store: None,
            }
        }
        Platform::Other => {
            let folder = home.join(".pki/nssdb");
            let store = format!("sql:{}", folder.display());
            Trust {
                give: ProgramCall::new(
                    "certutil",
                    ["-d", &store, "-A", "-t", "C,,", "-n", name, "-i", &file],
                ),
                take: vec![ProgramCall::new("certutil", ["-d", &store, "-D", "-n", name])],
                whose: "Chromium and what is made of it; certutil is in the package libnss3-tools",
                store: Some(folder),
            }
        }
    }
}

/// How the manifest comes to Word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sideload {
    /// A copy in a folder that Word reads.
    Copy(PathBuf),
    /// An entry of the registry, made and removed by these.
    Registry { give: ProgramCall, take: ProgramCall },
    /// By hand: there is no Word on this system.
    ByHand,
}

pub(super) fn sideload(platform: Platform, home: &Path, manifest: &Path) -> Sideload {
    match platform {
        Platform::Mac => Sideload::Copy(
            home.join("Library/Containers/com.microsoft.Word/Data/Documents/wef/engross.manifest.xml"),
        ),
        Platform::Windows => {
            let key = r"HKCU\Software\Microsoft\Office\16.0\WEF\Developer";
            let file = manifest.display().to_string();
            Sideload::Registry {
                give: ProgramCall::new("reg", ["add", key, "/v", ID, "/t", "REG_SZ", "/d", &file, "/f"]),
                take: ProgramCall::new("reg", ["delete", key, "/v", ID, "/f"]),
            }
        }
        Platform::Other => Sideload::ByHand,
    }
}

/// What a person does in Word then.
pub(super) fn last_step(platform: Platform) -> &'static str {
    match platform {
        Platform::Windows | Platform::Mac => "Start Word anew: Home > Add-ins > engross",
        Platform::Other => {
            "No Word runs on this system. In Word on the web: Home > Add-ins > More Settings > Upload My Add-in, and \
             choose the manifest; the browser asks whether the page may speak with this machine"
        }
    }
}
