//! What is in the program: every crate that is linked into it, as CycloneDX.
//!
//! Must never list what is only built or tested with: the list is that of `cargo tree` for the program as it is published.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::read;
use super::release::{Release, SUMMARY, said};
use crate::{Error, Result, root};

/// A crate in the program.
#[derive(Debug, Clone)]
pub(super) struct Component {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) licence: String,
    /// The folder of its sources.
    pub(super) folder: PathBuf,
    /// Whether it is one of ours.
    pub(super) is_own: bool,
    /// The digest that the registry gives of it.
    checksum: Option<String>,
    depends_on: BTreeSet<String>,
}

impl Component {
    /// Its address among packages.
    fn purl(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }
}

/// The crates in the program by cargo's ids.
#[derive(Debug, Default)]
pub(super) struct Inventory {
    pub(super) components: BTreeMap<String, Component>,
}

impl Inventory {
    /// Asks cargo.
    pub(super) fn of(release: &Release) -> Result<Self> {
        let features = ["--locked", "--features", "full"];
        let mut tree = Command::new(env!("CARGO"));
        tree.args(["tree", "--package", "engross", "--edges", "normal", "--prefix", "none"]).args(features);
        let linked = said(tree.args(["--format", "{p}", "--target", &release.target]))?;
        let linked: BTreeSet<(&str, &str)> = linked.lines().filter_map(name_and_version).collect();
        let mut metadata = Command::new(env!("CARGO"));
        metadata
            .args(["metadata", "--format-version", "1", "--filter-platform", &release.target])
            .args(features);
        metadata.arg("--manifest-path").arg(root().join("crates/engross/Cargo.toml"));
        let metadata = serde_json::from_str(&said(&mut metadata)?)
            .map_err(|error| Error::Missed(format!("cargo metadata: {error}")))?;
        let lock = String::from_utf8_lossy(&read(&root().join("Cargo.lock"))?).into_owned();
        Ok(Self::from_metadata(&metadata, &linked, &checksums(&lock)))
    }

    /// The crates of `metadata` that are `linked`.
    pub(super) fn from_metadata(
        metadata: &Value,
        linked: &BTreeSet<(&str, &str)>,
        checksums: &BTreeMap<(&str, &str), &str>,
    ) -> Self {
        let mut components = BTreeMap::new();
        for package in list(&metadata["packages"]) {
            let key = (text(&package["name"]), text(&package["version"]));
            if linked.contains(&key) {
                let manifest = PathBuf::from(text(&package["manifest_path"]));
                let component = Component {
                    name: key.0.to_owned(),
                    version: key.1.to_owned(),
                    licence: text(&package["license"]).replace('/', " OR "),
                    folder: manifest.parent().map(PathBuf::from).unwrap_or_default(),
                    is_own: package["source"].is_null(),
                    checksum: checksums.get(&key).map(|sum| (*sum).to_owned()),
                    depends_on: BTreeSet::new(),
                };
                components.insert(text(&package["id"]).to_owned(), component);
            }
        }
        let known: BTreeSet<String> = components.keys().cloned().collect();
        for node in list(&metadata["resolve"]["nodes"]) {
            let Some(component) = components.get_mut(text(&node["id"])) else { continue };
            let linked = list(&node["deps"]).filter(|dependency| {
                list(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null())
                    && known.contains(text(&dependency["pkg"]))
            });
            component.depends_on = linked.map(|dependency| text(&dependency["pkg"]).to_owned()).collect();
        }
        Self { components }
    }

    /// The list in the form CycloneDX 1.5.
    pub(super) fn cyclone_dx(&self, release: &Release) -> String {
        let purl = |id: &String| self.components.get(id).map(Component::purl);
        // The program itself is what the list is about.
        let parts = self.components.values().filter(|component| component.name != "engross");
        let components: Vec<Value> = parts.map(component).collect();
        let dependencies: Vec<Value> = self
            .components
            .values()
            .map(|component| {
                let depends_on: BTreeSet<String> = component.depends_on.iter().filter_map(purl).collect();
                json!({"ref": component.purl(), "dependsOn": depends_on})
            })
            .collect();
        let root = format!("pkg:cargo/engross@{}", release.version);
        let document = json!({
            "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": {
                "timestamp": release.date,
                "component": {
                    "type": "application",
                    "bom-ref": root,
                    "name": "engross",
                    "version": release.version,
                    "description": SUMMARY,
                    "licenses": [{"expression": "MIT"}],
                    "purl": root,
                },
                "properties": [{"name": "engross:target", "value": release.target}],
            },
            "components": components,
            "dependencies": dependencies,
        });
        format!("{document:#}\n")
    }
}

fn component(component: &Component) -> Value {
    let mut value = json!({
        "type": "library",
        "bom-ref": component.purl(),
        "name": component.name,
        "version": component.version,
        "licenses": [{"expression": component.licence}],
        "purl": component.purl(),
    });
    if let Some(checksum) = &component.checksum {
        value["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    value
}

/// Of a line of `cargo tree` such as `serde v1.0.228` or `engross-xml v0.1.0 (/folder)`.
fn name_and_version(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split(' ');
    Some((words.next()?, words.next()?.strip_prefix('v')?))
}

/// The digests in a lock file, by name and version.
fn checksums(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let value = |block: &'_ str, key: &str| {
        let start = block.find(&format!("\n{key} = \""))? + key.len() + 5;
        let length = block.get(start..)?.find('"')?;
        Some((start, start + length))
    };
    lock.split("[[package]]")
        .filter_map(|block| {
            let part = |key| value(block, key).and_then(|(from, to)| block.get(from..to));
            Some(((part("name")?, part("version")?), part("checksum")?))
        })
        .collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
