//! `cargo xtask dist --try`: each package is installed in a fresh place, without a network, and redlines the example agreement.
//!
//! A trial is a stranger's first minute: it knows nothing but the packages in the folder. Must never find a program, a library or a
//! setting of this machine: every command gets an environment of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::DistPart;
use super::program::target_folder;
use super::release::Release;
use crate::{Error, Result, root, say};

/// What every trial changes in the agreement.
const INSTRUCTION: &str = r#"replace "thirty (30)" with "sixty (60)""#;

/// The program in Python that does the same by the API.
const PYTHON: &str = r#"
import engross
document = engross.open("nda.docx")
results = document.apply([{"op": "modify_text", "originalText": "thirty (30)", "replacementText": "sixty (60)"}], author="Ada")
assert [result["status"] for result in results] == ["applied"], results
document.save("by-python.docx")
"#;

/// The same in JavaScript by the engine as WebAssembly; and the client must load.
const JAVASCRIPT: &str = r#"
import { readFileSync, writeFileSync } from "node:fs";
import { WordFile, start } from "engross-wasm";
import { createSessionClient, beginWrite, ServerClient, TasksClient } from "engross-client";
await start(readFileSync("node_modules/engross-wasm/dist/pkg/engross_wasm_bg.wasm"));
const file = WordFile.open(readFileSync("nda.docx"));
const [result] = file.apply(
  [{ op: "modify_text", originalText: "thirty (30)", replacementText: "sixty (60)" }],
  { author: "Ada", date: "2026-01-31T09:30:00Z" },
);
if (result.status !== "applied") throw new Error(JSON.stringify(result));
writeFileSync("by-javascript.docx", file.save());
const session = createSessionClient({ baseUrl: "http://127.0.0.1:9/v1", sessionId: "nda.docx", tries: 0 });
for await (const segment of session.send("Hello")) if (segment.kind !== "error") throw new Error(segment.kind);
if (![beginWrite, ServerClient, TasksClient].every((one) => typeof one === "function")) throw new Error("exports");
"#;

/// A program that is checked against the types of both packages.
const TYPESCRIPT: &str = r#"
import { WordFile, type OperationResult, type Reading } from "engross-wasm";
import { createSessionClient, type Segment } from "engross-client/session";
import { beginWrite, type Standing } from "engross-client/write";
export function edit(file: WordFile): OperationResult[] {
  const reading: Reading = file.read({ search: "thirty" });
  return file.apply([{ op: "delete_paragraph", paragraphIndex: reading.total }], { author: "Ada", date: "2026-01-31T09:30:00Z" });
}
export async function ask(): Promise<Segment | undefined> {
  // @ts-expect-error an address is needed
  createSessionClient({});
  for await (const segment of createSessionClient({ baseUrl: "/v1" }).send("Hello")) return segment;
  return undefined;
}
export const write = async (): Promise<Standing> =>
  (await beginWrite({ baseUrl: "/v1" }, { target_file: "a.md", operation: "create" })).finalize();
"#;

/// Installs packages in a fresh place, and redlines the example.
type Trial = fn(&[PathBuf]) -> Result<()>;

/// A fresh folder, and commands that know nothing else.
struct FreshPlace {
    folder: PathBuf,
}

impl FreshPlace {
    fn new(name: &str) -> Result<Self> {
        let folder = target_folder().join("dist-trials").join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(Error::file(&folder))?;
        }
        let home = folder.join("home");
        std::fs::create_dir_all(&home).map_err(Error::file(&home))?;
        let example = root().join("examples/nda.docx");
        std::fs::copy(&example, folder.join("nda.docx")).map_err(Error::file(&example))?;
        Ok(Self { folder })
    }

    /// Runs a program found on the `path`s, then on the machine's; what it prints.
    fn run(&self, program: &str, arguments: &[&str], paths: &[PathBuf]) -> Result<String> {
        let path = std::env::join_paths(paths.iter().cloned().chain(machine_path()));
        let path = path.map_err(|error| Error::Missed(error.to_string()))?;
        let mut command = Command::new(program);
        command.args(arguments).env_clear().env("PATH", &path).env("HOME", self.folder.join("home"));
        // A network would be found by these alone; npm, pip and cargo are told besides to ask none.
        command.env("CARGO_NET_OFFLINE", "true").env("PIP_NO_INDEX", "1").env("npm_config_offline", "true");
        command.env("npm_config_audit", "false").env("npm_config_fund", "false");
        let shown = format!("{program} {}", arguments.join(" "));
        let failed = |how: String| Error::Command { command: shown.clone(), how };
        let ran = command.current_dir(&self.folder).output();
        let ran = ran.map_err(|error| failed(format!("could not be started: {error}")))?;
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        if ran.status.success() {
            return Ok(said);
        }
        Err(failed(format!("ended with {}: {said}{}", ran.status, String::from_utf8_lossy(&ran.stderr))))
    }

    /// Has the program make a redline, and a judge that shares no code look at it: the words must be there as tracked changes.
    fn redline(&self, paths: &[PathBuf]) -> Result<()> {
        self.run("engross", &["edit", "nda.docx", INSTRUCTION, "-o", "redline.docx"], paths)?;
        self.run("engross", &["verify", "nda.docx", "redline.docx"], paths)?;
        has_redline(&self.folder.join("redline.docx"))
    }

    fn remove(self) -> Result<()> {
        std::fs::remove_dir_all(&self.folder).map_err(Error::file(&self.folder))
    }
}

/// Where this machine keeps programs, cargo's among them.
#[expect(clippy::disallowed_methods, reason = "a chore's own setting")]
fn machine_path() -> Vec<PathBuf> {
    let here = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&here).collect()
}

/// Whether the main part holds the change: `thirty` deleted, `sixty` inserted.
fn has_redline(path: &Path) -> Result<()> {
    let bytes = super::read(path)?;
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes))?;
    let mut part = archive.by_name("word/document.xml")?;
    let mut text = String::new();
    std::io::Read::read_to_string(&mut part, &mut text).map_err(Error::file(path))?;
    let is_deleted = text.split("<w:del ").skip(1).any(|rest| {
        rest.split("</w:del>")
            .next()
            .is_some_and(|change| change.contains("<w:delText") && change.contains("thirty"))
    });
    let is_inserted = text
        .split("<w:ins ")
        .skip(1)
        .any(|rest| rest.split("</w:ins>").next().is_some_and(|change| change.contains(">sixty")));
    if is_deleted && is_inserted {
        return Ok(());
    }
    Err(Error::Missed(format!("{} is no redline of the example", path.display())))
}

/// Tries the packages in the folder that are wanted, and prints a line for each.
pub(super) fn run(release: &Release, out: &Path, wants: impl Fn(DistPart) -> bool) -> Result<()> {
    let trials: [(DistPart, &str, Trial); 5] = [
        (DistPart::Archive, "archive", archive),
        (DistPart::Deb, "deb", debian),
        (DistPart::Wheel, "wheel in a fresh environment", wheel),
        (DistPart::Npm, "npm packages in a fresh project", npm),
        (DistPart::Sources, "sources with a fresh cargo home", sources),
    ];
    say("| Package | Bytes | Installed and redlined in |\n|---|---|---|");
    for (part, name, trial) in trials {
        if !wants(part) {
            continue;
        }
        let packages = packages(release, out, part)?;
        let size = |path: &PathBuf| std::fs::metadata(path).map(|data| data.len()).map_err(Error::file(path));
        let bytes: u64 = packages.iter().map(size).sum::<Result<_>>()?;
        let started = Instant::now();
        trial(&packages)?;
        say(&format!("| {name} | {bytes} | {:.1} s |", started.elapsed().as_secs_f64()));
    }
    Ok(())
}

/// The packages of a kind, as they lie in the folder.
fn packages(release: &Release, out: &Path, part: DistPart) -> Result<Vec<PathBuf>> {
    let version = &release.version;
    let file = |name: String| vec![out.join(name)];
    Ok(match part {
        DistPart::Archive => file(format!("engross-{version}-{}.tar.gz", release.target)),
        DistPart::Sources => file(format!("engross-{version}-sources.tar.gz")),
        DistPart::Deb => vec![find(out, "engross_", ".deb")?],
        DistPart::Wheel => vec![find(out, "engross-", ".whl")?],
        DistPart::Npm => vec![
            out.join(format!("engross-{version}.tgz")),
            find(out, "engross-linux-", ".tgz").or_else(|_| find(out, "engross-darwin-", ".tgz"))?,
            out.join(format!("engross-wasm-{version}.tgz")),
            out.join(format!("engross-client-{version}.tgz")),
        ],
        DistPart::Rpm | DistPart::Sbom | DistPart::Mcpb | DistPart::Registries => Vec::new(),
    })
}

/// The package whose name begins and ends so.
fn find(out: &Path, begin: &str, end: &str) -> Result<PathBuf> {
    let mut names: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(out).map_err(Error::file(out))? {
        let path = entry.map_err(Error::file(out))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with(begin) && name.ends_with(end) {
            names.push(path);
        }
    }
    names.pop().ok_or_else(|| Error::Missed(format!("{} has no {begin}*{end}", out.display())))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn archive(packages: &[PathBuf]) -> Result<()> {
    let place = FreshPlace::new("archive")?;
    for package in packages {
        place.run("tar", &["xzf", &shown(package), "--strip-components=1"], &[])?;
    }
    place.redline(std::slice::from_ref(&place.folder))?;
    place.remove()
}

fn debian(packages: &[PathBuf]) -> Result<()> {
    let place = FreshPlace::new("deb")?;
    for package in packages {
        place.run("dpkg-deb", &["--extract", &shown(package), "system"], &[])?;
    }
    place.redline(&[place.folder.join("system/usr/bin")])?;
    place.remove()
}

fn wheel(packages: &[PathBuf]) -> Result<()> {
    let place = FreshPlace::new("wheel")?;
    place.run("python3", &["-m", "venv", "environment"], &[])?;
    let bin = [place.folder.join("environment/bin")];
    for package in packages {
        place.run("environment/bin/pip", &["install", "--quiet", "--no-deps", &shown(package)], &bin)?;
    }
    place.redline(&bin)?;
    place.run("environment/bin/python", &["-c", PYTHON], &bin)?;
    has_redline(&place.folder.join("by-python.docx"))?;
    place.remove()
}

fn npm(packages: &[PathBuf]) -> Result<()> {
    let place = FreshPlace::new("npm")?;
    super::write_file(
        &place.folder.join("package.json"),
        br#"{"name": "fresh", "private": true, "type": "module"}"#,
    )?;
    let packages: Vec<String> = packages.iter().map(|path| shown(path)).collect();
    // The packages of other platforms are in no registry here, so that npm is given that of this one beside the launcher.
    let arguments: Vec<&str> = ["install", "--omit=optional", "--ignore-scripts"]
        .into_iter()
        .chain(packages.iter().map(String::as_str))
        .collect();
    place.run("npm", &arguments, &[])?;
    place.redline(&[place.folder.join("node_modules/.bin")])?;
    super::write_file(&place.folder.join("redline.mjs"), JAVASCRIPT.as_bytes())?;
    place.run("node", &["redline.mjs"], &[])?;
    has_redline(&place.folder.join("by-javascript.docx"))?;
    super::write_file(&place.folder.join("typed.ts"), TYPESCRIPT.as_bytes())?;
    let compiler = shown(&root().join("web/node_modules/typescript/bin/tsc"));
    let options = [
        "--noEmit",
        "--strict",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--lib",
        "es2023,dom,dom.iterable,esnext.disposable",
        "typed.ts",
    ];
    place.run("node", &[&[compiler.as_str()], options.as_slice()].concat(), &[])?;
    place.remove()
}

fn sources(packages: &[PathBuf]) -> Result<()> {
    let place = FreshPlace::new("sources")?;
    for package in packages {
        place.run("tar", &["xzf", &shown(package)], &[])?;
    }
    let folder = find(&place.folder, "engross-", "-sources")?;
    let toolchain = std::env::home_dir().unwrap_or_default().join(".rustup");
    let build = format!(
        "cd {} && RUSTUP_HOME=${{RUSTUP_HOME:-{}}} CARGO_HOME=../home/.cargo cargo install --quiet --offline --locked \
         --path crates/engross --no-default-features --features word --root ../installed",
        shown(&folder),
        shown(&toolchain),
    );
    place.run("sh", &["-c", &build], &[])?;
    place.redline(&[place.folder.join("installed/bin")])?;
    place.remove()
}
