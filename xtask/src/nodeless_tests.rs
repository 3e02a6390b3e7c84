//! engross is built and installed on a machine without Node: what its pages are is committed, and no step of cargo makes it.
//!
//! The gate looks at the same from the other side: while it builds, each program of Node is one that fails and says so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, PackageId, TargetKind};
use regex::Regex;
use xtask::root;

/// The name of a program of Node, or of what stands in for it, as code names it to start it.
fn program_of_node() -> Regex {
    Regex::new(r#""(?:node|nodejs|npm|npx|yarn|pnpm|corepack|bun|deno)(?:\.exe|\.cmd)?""#).unwrap()
}

/// What cargo would build of `engross` on this machine, with all that is published.
fn all_of_it() -> Metadata {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    let about = String::from_utf8(output.stdout).unwrap();
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    MetadataCommand::new()
        .manifest_path(root().join("crates/engross/Cargo.toml"))
        .features(CargoOpt::SomeFeatures(vec!["full".to_owned()]))
        .other_options(["--locked", "--filter-platform", host].map(str::to_owned))
        .exec()
        .unwrap()
}

/// Everything that is reached from some packages by dependencies of some kinds.
fn reached(
    metadata: &Metadata,
    from: impl IntoIterator<Item = PackageId>,
    kinds: &[DependencyKind],
) -> BTreeSet<PackageId> {
    let nodes: BTreeMap<_, _> =
        metadata.resolve.iter().flat_map(|resolve| &resolve.nodes).map(|node| (&node.id, node)).collect();
    let mut open: Vec<PackageId> = from.into_iter().collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id.clone()) {
            continue;
        }
        for dependency in &nodes[&id].deps {
            if dependency.dep_kinds.iter().any(|kind| kinds.contains(&kind.kind)) {
                open.push(dependency.pkg.clone());
            }
        }
    }
    seen
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// Code that runs while engross is built: build scripts with what they are made of, and macros.
fn run_by_the_build(metadata: &Metadata) -> Vec<PathBuf> {
    let engross = metadata.packages.iter().find(|package| package.name.as_str() == "engross").unwrap();
    let built = reached(metadata, [engross.id.clone()], &[DependencyKind::Normal, DependencyKind::Build]);
    let mut files = Vec::new();
    let mut helpers = BTreeSet::new();
    for id in &built {
        let package = &metadata[id];
        for target in &package.targets {
            if target.kind.contains(&TargetKind::ProcMacro) {
                helpers.insert(id.clone());
            }
            if target.kind.contains(&TargetKind::CustomBuild) {
                let script = target.src_path.as_std_path();
                let folder = script.parent().unwrap();
                // A script with modules has a folder of its own.
                files.push(script.to_owned());
                if Some(folder) != package.manifest_path.as_std_path().parent() {
                    files.extend(sources(folder));
                }
                let nodes = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
                let own = nodes.filter(|node| node.id == *id).flat_map(|node| &node.deps);
                let made_of =
                    own.filter(|one| one.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Build));
                helpers.extend(made_of.map(|one| one.pkg.clone()));
            }
        }
    }
    for id in reached(metadata, helpers, &[DependencyKind::Normal]) {
        files.extend(sources(&metadata[&id].manifest_path.as_std_path().parent().unwrap().join("src")));
    }
    files
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test of the repository reads its files, and those it is built from"
)]
fn no_step_of_a_build_calls_node() {
    let called = program_of_node();
    // It would be found: the chore that builds the pages calls it.
    assert!(called.is_match(&std::fs::read_to_string(root().join("xtask/src/web.rs")).unwrap()));
    let metadata = all_of_it();
    for package in metadata.workspace_packages() {
        let has_script = package.targets.iter().any(|target| target.kind.contains(&TargetKind::CustomBuild));
        assert!(
            !has_script,
            "{}: what a build script would make is committed, and guarded by a test",
            package.name
        );
    }
    let files = run_by_the_build(&metadata);
    assert!(files.len() > 100, "only {} files run while it is built", files.len());
    for file in files {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(!called.is_match(&text), "{} starts a program of Node", file.display());
    }
}
