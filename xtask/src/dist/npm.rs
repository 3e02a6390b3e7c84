//! The packages for npm: `engross` with one package for each platform, the engine as WebAssembly, and the client of sessions.
//!
//! A package is the archive that `npm pack` would make. Must never run anything when it is installed: `engross` finds the program in the
//! package of its platform, which npm chooses by `os` and `cpu`.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::package_tree::PackageTree;
use super::program::{Program, target_folder};
use super::release::{Release, SUMMARY};
use super::{read, read_text};
use crate::{Error, Result, root, run_command};

/// The platforms for which `engross` asks npm: npm's names of system and processor, and the compiler's.
pub(super) const PLATFORMS: [(&str, &str, &str); 5] = [
    ("linux", "x64", "x86_64-unknown-linux-gnu"),
    ("linux", "arm64", "aarch64-unknown-linux-gnu"),
    ("darwin", "x64", "x86_64-apple-darwin"),
    ("darwin", "arm64", "aarch64-apple-darwin"),
    ("win32", "x64", "x86_64-pc-windows-msvc"),
];

/// A package: the name of its file, and its bytes.
pub(super) type NpmPackage = (String, Vec<u8>);

/// What the packages of a release say alike.
fn manifest(release: &Release, name: &str, description: &str) -> Value {
    json!({"name": name, "version": release.version, "description": description, "license": "MIT",
           "keywords": ["docx", "word", "redline", "tracked-changes", "mcp"]})
}

/// `engross`, which starts the program of the platform.
pub(super) fn launcher(release: &Release) -> Result<NpmPackage> {
    let mut manifest = manifest(release, "engross", SUMMARY);
    let platforms: serde_json::Map<String, Value> = PLATFORMS
        .iter()
        .map(|(system, processor, _)| (platform_name(system, processor), json!(release.version)))
        .collect();
    manifest["bin"] = json!({"engross": "bin/engross.js"});
    manifest["files"] = json!(["bin"]);
    manifest["engines"] = json!({"node": ">=18"});
    manifest["optionalDependencies"] = Value::Object(platforms);
    if let Some(name) = release.registry_name() {
        manifest["mcpName"] = json!(name);
    }
    let folder = root().join("packaging/npm/engross");
    let mut tree = PackageTree::default();
    tree.program("bin/engross.js", read(&folder.join("bin/engross.js"))?);
    tree.file("README.md", read(&folder.join("README.md"))?);
    packed(release, "engross", tree, &manifest)
}

/// The program for this platform.
pub(super) fn platform(release: &Release, program: &Program, licences: &str) -> Result<NpmPackage> {
    let known = PLATFORMS.iter().find(|(_, _, target)| *target == release.target);
    let (system, processor, _) =
        known.ok_or_else(|| Error::Missed(format!("npm has no package for {}", release.target)))?;
    let name = platform_name(system, processor);
    let description = format!("The program of engross for {system}-{processor}");
    let mut manifest = manifest(release, &name, &description);
    manifest["os"] = json!([system]);
    manifest["cpu"] = json!([processor]);
    if *system == "linux" {
        manifest["libc"] = json!(["glibc"]);
    }
    let mut tree = PackageTree::default();
    let file = if *system == "win32" { "bin/engross.exe" } else { "bin/engross" };
    tree.program(file, program.bytes.clone());
    tree.file("THIRD-PARTY-LICENSES", licences);
    tree.file(
        "README.md",
        format!("# {name}\n\n{description}. Install `engross`; it takes this package by itself.\n"),
    );
    packed(release, &format!("engross-{system}-{processor}"), tree, &manifest)
}

/// The client of sessions, writes and tasks.
pub(super) fn client(release: &Release) -> Result<NpmPackage> {
    let mut manifest = manifest(
        release,
        "engross-client",
        "Sessions, streamed writes and tasks of an engross server, typed",
    );
    let entry =
        |name: &str| json!({"types": format!("./dist/{name}.d.ts"), "default": format!("./dist/{name}.js")});
    manifest["type"] = json!("module");
    manifest["exports"] = json!({
        ".": entry("package/index"),
        "./session": entry("src/session-client"),
        "./write": entry("src/write-session"),
        "./server": entry("src/server-client"),
        "./tasks": entry("src/tasks-client"),
    });
    manifest["files"] = json!(["dist"]);
    manifest["engines"] = json!({"node": ">=20"});
    manifest["sideEffects"] = json!(false);
    let mut tree = compiled("shared")?;
    tree.file("README.md", read(&root().join("web/shared/README.md"))?);
    packed(release, "engross-client", tree, &manifest)
}

/// The engine as WebAssembly.
pub(super) fn engine(release: &Release) -> Result<NpmPackage> {
    let mut manifest = manifest(
        release,
        "engross-wasm",
        "The engine of engross in a page, a worker or Node: Word documents with proven tracked changes",
    );
    let entry = |name: &str| json!({"types": format!("./dist/src/{name}.d.ts"), "default": format!("./dist/src/{name}.js")});
    manifest["type"] = json!("module");
    manifest["exports"] = json!({
        ".": entry("index"),
        "./client": entry("client"),
        "./worker": entry("worker"),
        "./module.wasm": "./dist/pkg/engross_wasm_bg.wasm",
    });
    manifest["files"] = json!(["dist"]);
    let mut tree = PackageTree::default();
    for (path, file) in compiled("engine")?.files() {
        tree.file(&path.replacen("dist/", "dist/src/", 1), file.bytes.clone());
    }
    let pkg = root().join("web/engine/pkg");
    for name in ["engross_wasm.js", "engross_wasm.d.ts", "engross_wasm_bg.wasm", "engross_wasm_bg.wasm.d.ts"]
    {
        tree.file(&format!("dist/pkg/{name}"), read(&pkg.join(name))?);
    }
    // In the package the engine is found by its name.
    let readme = read_text(&root().join("web/engine/README.md"))?;
    let readme = readme.replace("\"./src/index.ts\"", "\"engross-wasm\"").replace("](../../docs/", "](docs/");
    tree.file(
        "README.md",
        readme.replace("readFileSync(\"pkg/", "readFileSync(\"node_modules/engross-wasm/dist/pkg/"),
    );
    packed(release, "engross-wasm", tree, &manifest)
}

/// The name of the package with the program for a platform.
fn platform_name(system: &str, processor: &str) -> String {
    format!("@engross/{system}-{processor}")
}

/// The archive of a package.
fn packed(release: &Release, name: &str, mut tree: PackageTree, manifest: &Value) -> Result<NpmPackage> {
    tree.file("package.json", format!("{manifest:#}\n"));
    tree.file("LICENSE", read(&root().join("LICENSE"))?);
    Ok((format!("{name}-{}.tgz", release.version), tree.tar_gz("package/", release.epoch)?))
}

/// The sources of `web/FOLDER/src` as JavaScript with types, beneath `dist`.
fn compiled(folder: &str) -> Result<PackageTree> {
    let web = root().join("web");
    if !web.join("node_modules/typescript").is_dir() {
        run_command(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&web))?;
    }
    let out = target_folder().join("dist-npm").join(folder);
    let project = format!("{folder}/tsconfig.package.json");
    let mut compiler = Command::new(web.join("node_modules/.bin/tsc"));
    run_command(compiler.args(["--project", &project, "--outDir"]).arg(&out).current_dir(&web))?;
    let mut tree = PackageTree::default();
    add_folder(&mut tree, &out, "dist")?;
    std::fs::remove_dir_all(&out).map_err(Error::file(&out))?;
    Ok(tree)
}

/// Adds all files of a folder beneath `prefix`.
pub(super) fn add_folder(tree: &mut PackageTree, folder: &Path, prefix: &str) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(Error::file(folder))? {
        let path = entry.map_err(Error::file(folder))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            add_folder(tree, &path, &format!("{prefix}/{name}"))?;
        } else {
            tree.file(&format!("{prefix}/{name}"), read(&path)?);
        }
    }
    Ok(())
}
