//! `cargo xtask circles`: files of one crate that import each other in a loop.
//!
//! A name is followed through re-exports to the file that defines it; a re-export by itself ties nothing. Tests are left out.
//! Must never change a file. The test beside it holds the count at zero.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::Visit;

use crate::{Error, Result, root, say};

/// A module's way from the root of its crate.
type ModulePath = Vec<String>;

/// What a name in a module stands for.
enum Definition {
    /// It is defined in this module.
    Here,
    /// It is imported, or handed on, from there.
    Elsewhere(Vec<String>),
}

/// A module, which is a file or stands in one.
#[derive(Default)]
struct Module {
    file: PathBuf,
    names: BTreeMap<String, Definition>,
    /// Modules whose names are all handed on.
    globs: Vec<Vec<String>>,
    /// Paths that the module names, as they stand there.
    named: Vec<Vec<String>>,
}

/// All modules of a crate.
#[derive(Default)]
struct Modules(BTreeMap<ModulePath, Module>);

/// One circle: its files, and who takes which names from whom.
pub(crate) struct Circle {
    pub(crate) arrows: Vec<String>,
}

/// Prints all circles.
pub(crate) fn run() -> Result<()> {
    let circles = circles(&root().join("crates"))?;
    for circle in &circles {
        say(&format!("circle:\n  {}", circle.arrows.join("\n  ")));
    }
    say(&format!("{} circles", circles.len()));
    Ok(())
}

/// The circles of all crates beneath a folder.
pub(crate) fn circles(crates: &Path) -> Result<Vec<Circle>> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(crates).map_err(Error::file(crates))?.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    for folder in folders {
        for entry in ["src/lib.rs", "src/main.rs"] {
            let entry = folder.join(entry);
            if entry.is_file() {
                found.extend(circles_of(&entry)?);
            }
        }
    }
    Ok(found)
}

/// The circles of the crate that begins with this file.
pub(crate) fn circles_of(entry: &Path) -> Result<Vec<Circle>> {
    let mut modules = Modules::default();
    read(&mut modules, entry, entry.parent().unwrap_or(entry), Vec::new())?;
    let arrows = modules.arrows();
    let place = entry.ancestors().nth(2).unwrap_or(entry);
    Ok(loops(&arrows)
        .into_iter()
        .map(|files| Circle {
            arrows: arrows
                .iter()
                .filter(|((from, to), _)| files.contains(from) && files.contains(to))
                .map(|((from, to), names)| {
                    let short = |file: &Path| file.strip_prefix(place).unwrap_or(file).display().to_string();
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    format!("{} -> {}: {}", short(from), short(to), names.join(", "))
                })
                .collect(),
        })
        .collect())
}

/// Reads a file and the files of its modules. `folder` holds the files of the modules that it declares.
#[expect(clippy::disallowed_methods, reason = "a chore reads files of the repository")]
fn read(modules: &mut Modules, file: &Path, folder: &Path, path: ModulePath) -> Result<()> {
    let text = std::fs::read_to_string(file).map_err(Error::file(file))?;
    let parsed = syn::parse_file(&text).map_err(|source| Error::Rust { path: file.to_owned(), source })?;
    take_in(modules, file, folder, path, &parsed.items)
}

fn take_in(
    modules: &mut Modules,
    file: &Path,
    folder: &Path,
    path: ModulePath,
    items: &[syn::Item],
) -> Result<()> {
    let mut module = Module { file: file.to_owned(), ..Module::default() };
    for item in items.iter().filter(|item| !is_test(attributes(item))) {
        if let syn::Item::Mod(inner) = item {
            let name = inner.ident.to_string();
            module.names.insert(name.clone(), Definition::Here);
            let below: ModulePath = path.iter().cloned().chain([name.clone()]).collect();
            let folder_below = folder.join(&name);
            match &inner.content {
                Some((_, items)) => take_in(modules, file, &folder_below, below, items)?,
                None => {
                    let beside = folder.join(format!("{name}.rs"));
                    let inside = folder_below.join("mod.rs");
                    let file = [beside, inside].into_iter().find(|file| file.is_file());
                    if let Some(file) = file {
                        read(modules, &file, &folder_below, below)?;
                    }
                }
            }
            continue;
        }
        if let Some(name) = name_of(item) {
            module.names.insert(name, Definition::Here);
        }
        let mut seen = NamedPaths::default();
        seen.visit_item(item);
        for import in seen.imports {
            match import.name {
                Some(name) => {
                    module.names.insert(name, Definition::Elsewhere(import.path.clone()));
                }
                None => module.globs.push(import.path.clone()),
            }
            if !import.handed_on {
                module.named.push(import.path);
            }
        }
        module.named.extend(seen.paths);
    }
    modules.0.insert(path, module);
    Ok(())
}

/// One name of a `use`.
struct Import {
    path: Vec<String>,
    /// Under which name; none for `*`.
    name: Option<String>,
    handed_on: bool,
}

/// The paths that an item names, tests left out.
#[derive(Default)]
struct NamedPaths {
    imports: Vec<Import>,
    paths: Vec<Vec<String>>,
}

impl<'ast> Visit<'ast> for NamedPaths {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_test(attributes(item)) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let handed_on = !matches!(item.vis, syn::Visibility::Inherited);
        leaves(&item.tree, &mut Vec::new(), handed_on, &mut self.imports);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if segments.len() > 1 && matches!(segments[0].as_str(), "crate" | "super" | "self") {
            self.paths.push(segments);
        }
        syn::visit::visit_path(self, path);
    }
}

fn leaves(tree: &syn::UseTree, before: &mut Vec<String>, handed_on: bool, into: &mut Vec<Import>) {
    let mut leaf = |last: Option<String>, name: Option<String>| {
        let path = before.iter().cloned().chain(last).collect();
        into.push(Import { path, name, handed_on });
    };
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves(&path.tree, before, handed_on, into);
            before.pop();
        }
        syn::UseTree::Name(name) if name.ident == "self" => {
            let name = before.last().cloned();
            leaf(None, name);
        }
        syn::UseTree::Name(name) => leaf(Some(name.ident.to_string()), Some(name.ident.to_string())),
        syn::UseTree::Rename(name) => leaf(Some(name.ident.to_string()), Some(name.rename.to_string())),
        syn::UseTree::Glob(_) => leaf(None, None),
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                leaves(tree, before, handed_on, into);
            }
        }
    }
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute
                    .parse_args::<syn::Meta>()
                    .is_ok_and(|meta| meta.path().is_ident("test") || is_any_with_test(&meta))
    })
}

/// `any(test, feature = "testing")` and its like: support for tests.
fn is_any_with_test(meta: &syn::Meta) -> bool {
    let syn::Meta::List(list) = meta else { return false };
    (list.path.is_ident("any") || list.path.is_ident("all"))
        && list
            .parse_args_with(syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated)
            .is_ok_and(|metas| metas.iter().any(|meta| meta.path().is_ident("test")))
}

fn name_of(item: &syn::Item) -> Option<String> {
    Some(match item {
        syn::Item::Const(item) => item.ident.to_string(),
        syn::Item::Enum(item) => item.ident.to_string(),
        syn::Item::Fn(item) => item.sig.ident.to_string(),
        syn::Item::Macro(item) => item.ident.as_ref()?.to_string(),
        syn::Item::Static(item) => item.ident.to_string(),
        syn::Item::Struct(item) => item.ident.to_string(),
        syn::Item::Trait(item) => item.ident.to_string(),
        syn::Item::Type(item) => item.ident.to_string(),
        syn::Item::Union(item) => item.ident.to_string(),
        _ => return None,
    })
}

impl Modules {
    /// Which file takes which names from which other one.
    fn arrows(&self) -> BTreeMap<(PathBuf, PathBuf), BTreeSet<String>> {
        let mut arrows: BTreeMap<(PathBuf, PathBuf), BTreeSet<String>> = BTreeMap::new();
        for (place, module) in &self.0 {
            for path in &module.named {
                let Some(file) = self.file_of(place, path, 0) else { continue };
                if file != module.file {
                    let name = path.last().cloned().unwrap_or_default();
                    arrows.entry((module.file.clone(), file)).or_default().insert(name);
                }
            }
        }
        arrows
    }

    /// The file that defines what a path means in a module; none when it stands outside of the crate.
    fn file_of(&self, place: &ModulePath, path: &[String], depth: usize) -> Option<PathBuf> {
        // Globs that hand each other on would never end.
        if depth > 16 {
            return None;
        }
        let mut here = place.clone();
        let mut rest = path;
        loop {
            match rest.first().map(String::as_str) {
                Some("crate") => here.clear(),
                Some("super") => {
                    here.pop();
                }
                Some("self") => {}
                _ => break,
            }
            rest = &rest[1..];
        }
        for (at, name) in rest.iter().enumerate() {
            let below: ModulePath = here.iter().cloned().chain([name.clone()]).collect();
            if self.0.contains_key(&below) {
                here = below;
                continue;
            }
            let module = self.0.get(&here)?;
            return match module.names.get(name) {
                Some(Definition::Here) => Some(module.file.clone()),
                Some(Definition::Elsewhere(other)) => {
                    let whole: Vec<String> =
                        other.iter().cloned().chain(rest[at + 1..].iter().cloned()).collect();
                    // A name that is imported under itself stands outside of the crate.
                    if whole.first() == Some(name) { None } else { self.file_of(&here, &whole, depth + 1) }
                }
                None => module.globs.iter().find_map(|glob| {
                    let whole: Vec<String> = glob.iter().cloned().chain(rest[at..].iter().cloned()).collect();
                    self.file_of(&here, &whole, depth + 1)
                }),
            };
        }
        self.0.get(&here).map(|module| module.file.clone())
    }
}

/// Sets of files each of which reaches all others of its set.
fn loops(arrows: &BTreeMap<(PathBuf, PathBuf), BTreeSet<String>>) -> Vec<BTreeSet<PathBuf>> {
    let mut next: BTreeMap<&PathBuf, Vec<&PathBuf>> = BTreeMap::new();
    for (from, to) in arrows.keys() {
        next.entry(from).or_default().push(to);
    }
    let reached: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> = next
        .keys()
        .map(|start| {
            let mut seen = BTreeSet::new();
            let mut waiting = vec![*start];
            while let Some(file) = waiting.pop() {
                for &other in next.get(file).into_iter().flatten() {
                    if seen.insert(other) {
                        waiting.push(other);
                    }
                }
            }
            (*start, seen)
        })
        .collect();
    let reaches = |from: &PathBuf, to: &PathBuf| reached.get(from).is_some_and(|seen| seen.contains(to));
    let mut found: Vec<BTreeSet<PathBuf>> = Vec::new();
    for &file in next.keys().filter(|file| reaches(file, file)) {
        if !found.iter().any(|circle| circle.contains(file)) {
            let circle = next.keys().filter(|other| reaches(file, other) && reaches(other, file));
            found.push(circle.map(|other| PathBuf::clone(other)).collect());
        }
    }
    found
}

#[cfg(test)]
#[path = "circles_tests.rs"]
mod tests;
