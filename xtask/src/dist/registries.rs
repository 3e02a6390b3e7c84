//! What registries and package managers want to know of a release: Homebrew, Scoop, winget, the registry of MCP servers.
//!
//! They name addresses and digests, so they are made of archives that are there, for a release that says where it will be (`--downloads`). Must
//! never name an archive that was not made.

use std::path::Path;

use serde_json::{Value, json};

use super::release::{Release, SUMMARY};
use super::{read, sha256};
use crate::Result;

/// A file for a registry: its path beneath the folder of packages, and its text.
pub(super) type RegistryFile = (String, String);

/// A package that was made.
pub(super) struct MadePackage {
    url: String,
    sha256: String,
}

/// The package with that name, if it was made and the release says where it will be.
fn made(release: &Release, out: &Path, name: &str) -> Result<Option<MadePackage>> {
    let path = out.join(name);
    let Some(downloads) = release.downloads.as_ref().filter(|_| path.is_file()) else { return Ok(None) };
    Ok(Some(MadePackage {
        url: format!("{}/v{}/{name}", downloads.trim_end_matches('/'), release.version),
        sha256: sha256(&read(&path)?),
    }))
}

/// All files that can be made of the packages in the folder.
pub(super) fn files(release: &Release, out: &Path) -> Result<Vec<RegistryFile>> {
    let version = &release.version;
    let mut files = Vec::new();
    if let Some(sources) = made(release, out, &format!("engross-{version}-sources.tar.gz"))? {
        files.push(("registries/homebrew/engross.rb".to_owned(), homebrew(release, &sources)));
    }
    if let Some(archive) = made(release, out, &format!("engross-{version}-x86_64-pc-windows-msvc.zip"))? {
        files.push(("registries/scoop/engross.json".to_owned(), scoop(release, &archive)));
        for (name, text) in winget(release, &archive) {
            files.push((format!("registries/winget/{name}"), text));
        }
    }
    let mut bundles = Vec::new();
    for (_, _, target) in super::npm::PLATFORMS {
        bundles.extend(made(release, out, &format!("engross-{version}-{target}.mcpb"))?);
    }
    if let Some(server) = server(release, &bundles) {
        files.push(("registries/mcp/server.json".to_owned(), format!("{server:#}\n")));
    }
    Ok(files)
}

/// A formula of Homebrew: it builds the archive of sources, which holds all libraries.
fn homebrew(release: &Release, sources: &MadePackage) -> String {
    format!(
        r##"class Engross < Formula
  desc "{SUMMARY}"
  homepage "{}"
  url "{}"
  sha256 "{}"
  license "MIT"

  depends_on "rust" => :build

  def install
    system "cargo", "install", "--offline", "--features", "full", *std_cargo_args(path: "crates/engross")
    generate_completions_from_executable(bin/"engross", "completions")
    system bin/"engross", "man", "--out", buildpath/"man1"
    man1.install Dir[buildpath/"man1/*.1"]
    pkgshare.install "examples/nda.docx"
  end

  test do
    cp pkgshare/"nda.docx", testpath
    system bin/"engross", "edit", "nda.docx", 'replace "thirty (30)" with "sixty (60)"', "-o", "redline.docx"
    assert_match "sixty", shell_output("#{{bin}}/engross revisions redline.docx")
  end
end
"##,
        release.homepage(),
        sources.url,
        sources.sha256,
    )
}

/// A manifest of Scoop.
fn scoop(release: &Release, archive: &MadePackage) -> String {
    let folder = format!("engross-{}-x86_64-pc-windows-msvc", release.version);
    let manifest = json!({
        "version": release.version,
        "description": SUMMARY,
        "homepage": release.homepage(),
        "license": "MIT",
        "architecture": {"64bit": {"url": archive.url, "hash": archive.sha256, "extract_dir": folder}},
        "bin": "engross.exe",
        "checkver": {"url": format!("{}/latest", release.homepage()), "regex": "v([\\d.]+)"},
    });
    format!("{manifest:#}\n")
}

/// The three manifests of winget.
fn winget(release: &Release, archive: &MadePackage) -> [RegistryFile; 3] {
    let version = &release.version;
    let head = |kind: &str, rest: &str| {
        format!(
            "# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.1.10.0.schema.json\n\
             PackageIdentifier: engross.engross\nPackageVersion: {version}\n{rest}ManifestType: {kind}\nManifestVersion: 1.10.0\n"
        )
    };
    let folder = format!("engross-{version}-x86_64-pc-windows-msvc");
    let installer = format!(
        "InstallerType: zip\nNestedInstallerType: portable\nNestedInstallerFiles:\n- RelativeFilePath: {folder}\\engross.exe\n  \
         PortableCommandAlias: engross\nInstallers:\n- Architecture: x64\n  InstallerUrl: {}\n  InstallerSha256: {}\n",
        archive.url,
        archive.sha256.to_uppercase(),
    );
    let locale = format!(
        "PackageLocale: en-GB\nPublisher: engross authors\nPackageName: engross\nPackageUrl: {}\nLicense: MIT\n\
         ShortDescription: {SUMMARY}\n",
        release.homepage()
    );
    [
        ("engross.engross.yaml".to_owned(), head("version", "DefaultLocale: en-GB\n")),
        ("engross.engross.installer.yaml".to_owned(), head("installer", &installer)),
        ("engross.engross.locale.en-GB.yaml".to_owned(), head("defaultLocale", &locale)),
    ]
}

/// What the registry of MCP servers wants to know.
fn server(release: &Release, bundles: &[MadePackage]) -> Option<Value> {
    let name = release.registry_name()?;
    let folder = json!({"type": "named", "name": "--root", "isRequired": true, "isRepeated": true, "format": "filepath",
                        "description": "A folder whose Word documents may be read and edited"});
    let package = |kind: &str, runner: &str| {
        json!({"registryType": kind, "identifier": "engross", "version": release.version, "runtimeHint": runner,
               "transport": {"type": "stdio"},
               "packageArguments": [{"type": "positional", "value": "mcp"}, folder]})
    };
    let mut packages = vec![package("npm", "npx"), package("pypi", "uvx")];
    packages.extend(bundles.iter().map(|bundle| {
        json!({"registryType": "mcpb", "identifier": bundle.url, "fileSha256": bundle.sha256, "transport": {"type": "stdio"}})
    }));
    Some(json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": name,
        "title": "engross",
        "description": "Word documents with proven tracked changes: read, redline, review, compare, check",
        "version": release.version,
        "websiteUrl": release.homepage(),
        "packages": packages,
    }))
}
