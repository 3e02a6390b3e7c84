//! Optional parts of the tests: how each is found, and whether it must be there.

use std::path::Path;
use std::process::{Command, Stdio};

/// Something a test needs that not every machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The compiler's target for the browser.
    Wasm,
    /// Python with lxml, for the independent judge of redlines.
    Judge,
    /// LibreOffice, as a second reader of documents.
    Soffice,
    /// Node with npm, for the session client of web pages and the workbench.
    Node,
    /// A browser, for the workbench.
    Chromium,
    /// The programs of a Postgres server, or the address of one.
    Postgres,
    /// What shares a database's connections.
    Pgbouncer,
    /// A server that plays object storage.
    Moto,
}

impl Part {
    pub(crate) const ALL: [Self; 8] = [
        Self::Wasm,
        Self::Judge,
        Self::Soffice,
        Self::Postgres,
        Self::Pgbouncer,
        Self::Moto,
        Self::Node,
        Self::Chromium,
    ];

    /// The name in `ENGROSS_REQUIRE`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Wasm => "wasm",
            Self::Judge => "judge",
            Self::Soffice => "soffice",
            Self::Node => "node",
            Self::Chromium => "chromium",
            Self::Postgres => "postgres",
            Self::Pgbouncer => "pgbouncer",
            Self::Moto => "moto",
        }
    }

    /// How to get it.
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Self::Wasm => "rustup target add wasm32-unknown-unknown",
            Self::Judge => "python3 with the package lxml",
            Self::Soffice => "LibreOffice Writer on the PATH, or ENGROSS_TEST_SOFFICE",
            Self::Node => "Node 20 or newer with npm",
            Self::Chromium => "Chromium on the PATH, or ENGROSS_TEST_CHROMIUM",
            Self::Moto => "pip install 'moto[server]', or ENGROSS_TEST_MOTO",
            Self::Pgbouncer => "pgbouncer in /usr/sbin or /usr/bin",
            Self::Postgres => "PostgreSQL on the PATH or in /usr/lib/postgresql, or ENGROSS_TEST_POSTGRES",
        }
    }

    pub(crate) fn is_there(self) -> bool {
        match self {
            Self::Wasm => {
                succeeds(Command::new("rustc").args([
                    "--target",
                    "wasm32-unknown-unknown",
                    "--print",
                    "target-libdir",
                ])) && wasm_library()
            }
            Self::Judge => succeeds(Command::new("python3").args(["-c", "import lxml.etree"])),
            Self::Soffice => succeeds(Command::new(soffice()).arg("--version")),
            Self::Node => succeeds(Command::new("npm").arg("--version")),
            Self::Chromium => succeeds(Command::new(chromium()).arg("--version")),
            Self::Postgres => has_postgres(),
            Self::Pgbouncer => ["/usr/sbin", "/usr/bin", "/opt/homebrew/bin"]
                .iter()
                .any(|folder| Path::new(folder).join("pgbouncer").exists()),
            Self::Moto => succeeds(Command::new(moto()).arg("--help")),
        }
    }
}

/// The command of LibreOffice.
#[expect(clippy::disallowed_methods, reason = "a chore's own setting")]
pub(crate) fn soffice() -> String {
    std::env::var("ENGROSS_TEST_SOFFICE").unwrap_or_else(|_| "soffice".to_owned())
}

/// The command of the browser; `web/workbench/test` looks for it in the same way.
#[expect(clippy::disallowed_methods, reason = "a chore's own setting")]
fn chromium() -> String {
    std::env::var("ENGROSS_TEST_CHROMIUM").unwrap_or_else(|_| "chromium".to_owned())
}

/// The server that plays object storage.
#[expect(clippy::disallowed_methods, reason = "a chore's own setting")]
fn moto() -> String {
    std::env::var("ENGROSS_TEST_MOTO").unwrap_or_else(|_| "moto_server".to_owned())
}

/// The parts whose absence is a failure.
#[expect(clippy::disallowed_methods, reason = "a chore's own setting")]
pub(crate) fn required() -> Vec<String> {
    let list = std::env::var("ENGROSS_REQUIRE").unwrap_or_default();
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// As the tests look for it.
#[expect(clippy::disallowed_methods, reason = "a chore's own setting")]
fn has_postgres() -> bool {
    let given = std::env::var("ENGROSS_TEST_POSTGRES").is_ok_and(|url| !url.is_empty());
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    given
        || installed.into_iter().any(|version| version.path().join("bin/initdb").exists())
        || succeeds(Command::new("initdb").arg("--version"))
}

fn wasm_library() -> bool {
    let output = Command::new("rustc")
        .args(["--target", "wasm32-unknown-unknown", "--print", "target-libdir"])
        .output();
    output.is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Path::new(&folder).is_dir()
    })
}

fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
