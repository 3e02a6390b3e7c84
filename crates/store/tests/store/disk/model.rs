//! Random requests, each answered as a model says.

use std::collections::{BTreeMap, BTreeSet};

use engross_store::files::Precondition;
use proptest::prelude::*;

use super::{TestBench, path, sha256, staged, tree};

const NAMES: &[&str] = &["a", "b", "a/a", "a/b", "a/b/c", "b/a/c"];

#[derive(Debug, Clone)]
enum Request {
    Write(&'static str, u8, Precondition),
    Stage(&'static str, u8, Precondition),
    Remove(&'static str, Precondition),
    RemoveFolder(&'static str),
    Read(&'static str),
}

/// What an answer says: the hash of what was there, or a code.
type Answer = Result<Option<String>, &'static str>;

#[derive(Default)]
struct Model {
    files: BTreeMap<String, Vec<u8>>,
    folders: BTreeSet<String>,
}

impl Model {
    fn answer(&mut self, request: &Request) -> Answer {
        match request {
            Request::Write(name, content, condition) | Request::Stage(name, content, condition) => {
                let old = self.permitted(name, condition)?;
                self.files.insert((*name).to_owned(), vec![*content]);
                self.folders.extend(above(name).map(str::to_owned));
                Ok(old)
            }
            Request::Remove(name, condition) => {
                let old = self.permitted(name, condition)?;
                self.files.remove(*name);
                Ok(old.map(|_| String::new()))
            }
            Request::RemoveFolder(name) => {
                if above(name).chain([*name]).any(|path| self.files.contains_key(path)) {
                    return Err("PATH_INVALID");
                }
                let within = format!("{name}/");
                self.files.retain(|path, _| !path.starts_with(&within));
                let there = self.folders.contains(*name);
                self.folders.retain(|path| path != name && !path.starts_with(&within));
                Ok(there.then(String::new))
            }
            Request::Read(name) => self.permitted(name, &Precondition::Any),
        }
    }

    fn permitted(&self, name: &str, condition: &Precondition) -> Answer {
        if above(name).any(|path| self.files.contains_key(path)) {
            return Err("PATH_INVALID");
        }
        if self.folders.contains(name) {
            return Err("TARGET_IS_DIR");
        }
        let old = self.files.get(name).map(sha256);
        match (condition, &old) {
            (Precondition::Absent, Some(_)) => Err("TARGET_EXISTS"),
            (Precondition::Exists | Precondition::Sha256(_), None) => Err("TARGET_MISSING"),
            (Precondition::Sha256(expected), Some(found)) if expected != found => Err("TARGET_CHANGED"),
            _ => Ok(old),
        }
    }

    fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        let folders = self.folders.iter().map(|path| (format!("{path}/"), Vec::new()));
        self.files.clone().into_iter().chain(folders).collect()
    }
}

/// The folders on the way to `name`.
fn above(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('/').map(|(at, _)| &name[..at])
}

fn ask(desk: &TestBench, request: &Request) -> Answer {
    let answer = match request {
        Request::Write(name, content, condition) => {
            desk.top.write(&path(name), &[*content][..], condition).map(|written| {
                assert_eq!((written.info.size, written.sha256), (1, sha256([*content])));
                written.previous_sha256
            })
        }
        Request::Stage(name, content, condition) => {
            let mut file = desk.top.stage(&staged("s")).unwrap();
            file.append(&[*content]).unwrap();
            let committed = file.commit(&desk.top, &path(name), condition);
            committed.map(|written| written.previous_sha256).map_err(|refused| {
                refused.staged.discard().unwrap();
                refused.error
            })
        }
        Request::Remove(name, condition) => {
            desk.top.remove(&path(name), condition).map(|there| there.then(String::new))
        }
        Request::RemoveFolder(name) => {
            desk.top.remove_folder(&path(name)).map(|there| there.then(String::new))
        }
        Request::Read(name) => {
            desk.top.read(&path(name), 9).map(|found| found.map(|(bytes, _)| sha256(bytes)))
        }
    };
    answer.map_err(|error| error.code())
}

fn requests() -> impl Strategy<Value = Request> {
    let name = || prop::sample::select(NAMES);
    let condition = || {
        let known = (0..3_u8).prop_map(|content| Precondition::Sha256(sha256([content])));
        prop_oneof![Just(Precondition::Absent), Just(Precondition::Exists), known, Just(Precondition::Any)]
    };
    prop_oneof![
        4 => (name(), 0..3_u8, condition()).prop_map(|(name, content, condition)| Request::Write(name, content, condition)),
        2 => (name(), 0..3_u8, condition()).prop_map(|(name, content, condition)| Request::Stage(name, content, condition)),
        3 => (name(), condition()).prop_map(|(name, condition)| Request::Remove(name, condition)),
        1 => name().prop_map(Request::RemoveFolder),
        1 => name().prop_map(Request::Read),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn every_answer_is_the_models(requests in prop::collection::vec(requests(), 1..30)) {
        let (desk, mut model) = (TestBench::new(), Model::default());
        for request in &requests {
            prop_assert_eq!(ask(&desk, request), model.answer(request), "{:?}", request);
            prop_assert_eq!(tree(&desk.at("")), model.tree(), "after {:?}", request);
        }
    }
}
