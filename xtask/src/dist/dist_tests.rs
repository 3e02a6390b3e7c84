//! Packages of a small program: what is in them, and that they are the same twice.

use std::io::Read;

use super::package_tree::PackageTree;
use super::program::Program;
use super::release::Release;
use serde_json::{Value, json};

use super::*;
use crate::schema_tests::violations;

fn release() -> Release {
    Release {
        version: "0.2.0".to_owned(),
        target: "x86_64-unknown-linux-gnu".to_owned(),
        epoch: 1_767_225_600,
        date: "2026-01-01T00:00:00Z".to_owned(),
        maintainer: "Ada <ada@example.org>".to_owned(),
        downloads: Some("https://github.com/ada/engross/releases/download".to_owned()),
        namespace: Some("io.github.ada".to_owned()),
    }
}

fn program() -> Program {
    Program {
        bytes: b"\x7fELF GLIBC_2.9 GLIBC_2.34 GLIBC_2.17".to_vec(),
        completions: vec![
            (program::ShellKind::Bash, b"complete".to_vec()),
            (program::ShellKind::Zsh, b"z".to_vec()),
        ],
        pages: vec![("engross.1".to_owned(), b".TH".to_vec())],
    }
}

/// Path, mode and size of the entries of a compressed tape archive.
fn entries(bytes: &[u8]) -> Vec<(String, u32, u64)> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes));
    let entries = archive.entries().unwrap().map(|entry| {
        let entry = entry.unwrap();
        let header = entry.header();
        assert_eq!((header.mtime().unwrap(), header.uid().unwrap()), (1_767_225_600, 0));
        (entry.path().unwrap().display().to_string(), header.mode().unwrap(), header.size().unwrap())
    });
    entries.collect()
}

#[test]
fn folders_come_before_their_files_and_long_paths_are_kept() {
    let mut tree = PackageTree::default();
    let long = format!("{}/b", "a".repeat(120));
    tree.file(&long, "words");
    tree.program("run", "code");
    let bytes = tree.tar_gz("x/", 1_767_225_600).unwrap();
    let wanted = [
        ("x/".to_owned(), 0o755, 0),
        (format!("x/{}/", "a".repeat(120)), 0o755, 0),
        (format!("x/{long}"), 0o644, 5),
        ("x/run".to_owned(), 0o755, 4),
    ];
    assert_eq!(entries(&bytes), wanted);
    assert_eq!(bytes, tree.tar_gz("x/", 1_767_225_600).unwrap());
    assert_eq!(tree.zip().unwrap(), tree.zip().unwrap());
}

#[test]
fn a_package_of_debian_has_three_files_and_says_what_it_needs() {
    let bytes = debian::package(&release(), &program(), "licences").unwrap();
    assert_eq!(bytes, debian::package(&release(), &program(), "licences").unwrap());
    let mut rest = bytes.strip_prefix(b"!<arch>\n").unwrap();
    let mut files = Vec::new();
    while !rest.is_empty() {
        let (header, after) = rest.split_at(60);
        let header = String::from_utf8(header.to_vec()).unwrap();
        let size: usize = header[48..58].trim().parse().unwrap();
        files.push((header[..16].trim().to_owned(), after[..size].to_vec()));
        rest = &after[size + size % 2..];
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["debian-binary", "control.tar.gz", "data.tar.gz"]);
    let mut control = String::new();
    tar::Archive::new(flate2::read::GzDecoder::new(files[1].1.as_slice()))
        .entries()
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .read_to_string(&mut control)
        .unwrap();
    assert!(control.contains("\nVersion: 0.2.0\nArchitecture: amd64\n"), "{control}");
    assert!(control.contains("Depends: libc6 (>= 2.34), libgcc-s1\n"), "{control}");
    assert!(
        control
            .lines()
            .skip_while(|line| !line.starts_with("Description"))
            .skip(1)
            .all(|line| line.starts_with(' ') && line.len() <= 80)
    );
    let data = entries(&files[2].1);
    for path in [
        "usr/share/bash-completion/completions/engross",
        "usr/share/zsh/vendor-completions/_engross",
        "usr/share/man/man1/engross.1.gz",
        "usr/share/doc/engross/copyright",
    ] {
        assert!(data.iter().any(|(name, mode, _)| name == path && *mode == 0o644), "{path}: {data:?}");
    }
    assert!(data.contains(&("usr/bin/engross".to_owned(), 0o755, program().bytes.len() as u64)), "{data:?}");
}

#[test]
fn the_inventory_lists_what_is_linked_and_no_more() {
    let package = |name: &str, source: Value| {
        json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0", "source": source,
               "manifest_path": format!("/sources/{name}/Cargo.toml")})
    };
    let depends = |on: &str, kind: Value| json!({"pkg": on, "dep_kinds": [{"kind": kind}]});
    let metadata = json!({
        "packages": [package("engross", Value::Null), package("inflate", json!("registry")), package("oracle", json!("registry"))],
        "resolve": {"nodes": [
            {"id": "engross", "deps": [depends("inflate", Value::Null), depends("oracle", json!("dev"))]},
            {"id": "inflate", "deps": []},
            {"id": "oracle", "deps": []},
        ]},
    });
    let linked = [("engross", "1.0.0"), ("inflate", "1.0.0")].into();
    let inventory =
        sbom::Inventory::from_metadata(&metadata, &linked, &[(("inflate", "1.0.0"), "ab")].into());
    let list: Value = serde_json::from_str(&inventory.cyclone_dx(&release())).unwrap();
    let names: Vec<&str> =
        list["components"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["inflate"], "what it is about stands at the top");
    assert_eq!(list["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
    assert_eq!(list["components"][0]["hashes"][0]["content"], "ab");
    assert_eq!(list["dependencies"][0]["dependsOn"], json!(["pkg:cargo/inflate@1.0.0"]));
    assert_eq!(list["metadata"]["timestamp"], "2026-01-01T00:00:00Z");
}

fn schema(name: &str) -> Value {
    serde_json::from_slice(&read(&root().join("packaging/schemas").join(name)).unwrap()).unwrap()
}

#[test]
fn a_bundle_holds_to_the_schema_and_names_the_tools_of_the_server() {
    let (name, bytes) = mcpb::bundle(&release(), &program(), "licences").unwrap();
    assert_eq!(name, "engross-0.2.0-x86_64-unknown-linux-gnu.mcpb");
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let manifest: Value = serde_json::from_reader(archive.by_name("manifest.json").unwrap()).unwrap();
    let wrong = violations(&schema("mcpb-manifest-v0.3.schema.json"), &manifest);
    assert_eq!(wrong, Vec::<String>::new());
    let entry = manifest["server"]["entry_point"].as_str().unwrap();
    assert_eq!(archive.by_name(entry).unwrap().unix_mode().map(|mode| mode & 0o777), Some(0o755));
    let guide = read_text(&root().join("docs/guide/mcp.md")).unwrap();
    for tool in manifest["tools"].as_array().unwrap() {
        assert!(guide.contains(&format!("\n| `{}` |", tool["name"].as_str().unwrap())), "{tool}");
    }
}

#[test]
fn registries_get_addresses_and_digests_of_what_was_made() {
    let out = target_for_tests("registries");
    let release = release();
    assert!(registries::files(&release, &out).unwrap().iter().all(|(name, _)| name.ends_with("server.json")));
    for name in [
        "engross-0.2.0-sources.tar.gz",
        "engross-0.2.0-x86_64-pc-windows-msvc.zip",
        "engross-0.2.0-x86_64-unknown-linux-gnu.mcpb",
    ] {
        write_file(&out.join(name), b"bytes").unwrap();
    }
    let files: std::collections::BTreeMap<String, String> =
        registries::files(&release, &out).unwrap().into_iter().collect();
    let server: Value = serde_json::from_str(&files["registries/mcp/server.json"]).unwrap();
    let wrong = violations(&schema("mcp-server-2025-12-11.schema.json"), &server);
    assert_eq!(wrong, Vec::<String>::new());
    let digest = sha256(b"bytes");
    let bundle = &server["packages"][2];
    assert_eq!(bundle["fileSha256"], digest);
    let address = "https://github.com/ada/engross/releases/download/v0.2.0/engross-0.2.0-";
    assert_eq!(bundle["identifier"], format!("{address}x86_64-unknown-linux-gnu.mcpb"));
    let formula = &files["registries/homebrew/engross.rb"];
    assert!(
        formula.contains(&format!("url \"{address}sources.tar.gz\"\n  sha256 \"{digest}\"")),
        "{formula}"
    );
    assert!(
        formula.contains("homepage \"https://github.com/ada/engross\"") && formula.contains("#{bin}/engross")
    );
    let scoop: Value = serde_json::from_str(&files["registries/scoop/engross.json"]).unwrap();
    assert_eq!(scoop["architecture"]["64bit"]["hash"], digest);
    let winget = &files["registries/winget/engross.engross.installer.yaml"];
    assert!(winget.contains(&format!("InstallerSha256: {}", digest.to_uppercase())), "{winget}");
    std::fs::remove_dir_all(&out).unwrap();
    let unnamed = Release { downloads: None, namespace: None, ..release };
    assert_eq!(registries::files(&unnamed, &out).unwrap(), [], "nobody knows where the packages will be");
}

fn target_for_tests(name: &str) -> PathBuf {
    let folder = target_folder().join(format!("dist-tests/{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_wheel_records_every_file_with_its_digest() {
    let mut modules = PackageTree::default();
    modules.file("engross/__init__.py", "x = 1\n");
    modules.program("engross/_engine.abi3.so", "code");
    modules.file("LICENSE", "MIT");
    let (name, bytes) =
        wheel::packed(&release(), &program(), "manylinux_2_34_x86_64", "# engross\n", &modules).unwrap();
    assert_eq!(name, "engross-0.2.0-cp310-abi3-manylinux_2_34_x86_64.whl");
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut record = String::new();
    archive.by_name("engross-0.2.0.dist-info/RECORD").unwrap().read_to_string(&mut record).unwrap();
    let names: Vec<String> =
        (0..archive.len()).map(|at| archive.by_index(at).unwrap().name().unwrap().into_owned()).collect();
    assert_eq!(record.lines().count(), names.len());
    // The digest of `x = 1` and a line end, as Python's hashlib and base64 give it.
    assert!(
        record.contains("engross/__init__.py,sha256=nia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q,6\n"),
        "{record}"
    );
    for name in &names {
        assert!(record.lines().any(|line| line.starts_with(&format!("{name},"))), "{name}: {record}");
    }
    assert!(names.contains(&"engross-0.2.0.data/scripts/engross".to_owned()));
    assert!(names.contains(&"engross-0.2.0.dist-info/licenses/LICENSE".to_owned()));
    let mut about = String::new();
    archive.by_name("engross-0.2.0.dist-info/METADATA").unwrap().read_to_string(&mut about).unwrap();
    assert!(
        about.contains("\n\n# engross\n") && about.contains("mcp-name: io.github.ada/engross"),
        "{about}"
    );
}

#[test]
fn the_launcher_asks_for_the_package_of_every_platform() {
    let (name, bytes) = npm::launcher(&release()).unwrap();
    assert_eq!(name, "engross-0.2.0.tgz");
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
    let mut manifest = String::new();
    let mut entries = archive.entries().unwrap().map(|entry| entry.unwrap());
    entries
        .find(|entry| entry.path().unwrap().ends_with("package.json"))
        .unwrap()
        .read_to_string(&mut manifest)
        .unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["optionalDependencies"].as_object().unwrap().len(), npm::PLATFORMS.len());
    assert_eq!(manifest["optionalDependencies"]["@engross/linux-x64"], "0.2.0");
    assert_eq!(
        (&manifest["bin"]["engross"], &manifest["mcpName"]),
        (&json!("bin/engross.js"), &json!("io.github.ada/engross"))
    );
    assert_eq!(manifest.get("scripts"), None, "nothing runs when it is installed");
    let (name, bytes) = npm::platform(&release(), &program(), "licences").unwrap();
    assert_eq!(name, "engross-linux-x64-0.2.0.tgz");
    let entries = entries_of(&bytes);
    assert!(entries.contains(&("package/bin/engross".to_owned(), 0o755)), "{entries:?}");
}

fn entries_of(bytes: &[u8]) -> Vec<(String, u32)> {
    entries(bytes).into_iter().map(|(path, mode, _)| (path, mode)).collect()
}
