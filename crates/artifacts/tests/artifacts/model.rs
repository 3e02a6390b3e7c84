//! Random steps of an agent in its folder, against a model of what should be delivered.

use std::collections::BTreeMap;

use engross_artifacts::{ArtifactQuery, PageRequest};
use proptest::prelude::*;

use super::TestBench;

#[derive(Debug, Clone)]
enum Step {
    Write(usize, usize, u8),
    Remove(usize, usize),
    Link(usize, usize),
    Export,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..2_usize, 0..5_usize, any::<u8>()).prop_map(|(scope, name, byte)| Step::Write(scope, name, byte)),
        2 => (0..2_usize, 0..5_usize).prop_map(|(scope, name)| Step::Remove(scope, name)),
        1 => (0..2_usize, 0..5_usize).prop_map(|(scope, name)| Step::Link(scope, name)),
        2 => Just(Step::Export),
    ]
}

const NAMES: [&str; 5] = ["a.md", "x/b.pdf", "x/y/c", "node_modules/d", "back\\slash"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn exactly_what_is_in_the_scope_is_delivered(steps in prop::collection::vec(step(), 1..30)) {
        let desk = TestBench::new();
        // Two keys that read alike.
        let scopes = [desk.scope("a/b", "r"), desk.scope("a:b", "r")];
        let mut models: [BTreeMap<&str, Option<Vec<u8>>>; 2] = Default::default();
        for step in steps.into_iter().chain([Step::Export]) {
            match step {
                Step::Write(scope, name, byte) => {
                    let path = desk.within(&scopes[scope], NAMES[name]);
                    if models[scope].get(NAMES[name]) == Some(&None) {
                        std::fs::remove_file(&path).unwrap();
                    }
                    let content = vec![byte; usize::from(byte) * 7];
                    desk.put(&scopes[scope], NAMES[name], &content);
                    models[scope].insert(NAMES[name], Some(content));
                }
                Step::Remove(scope, name) => {
                    if models[scope].remove(NAMES[name]).is_some() {
                        std::fs::remove_file(desk.within(&scopes[scope], NAMES[name])).unwrap();
                    }
                }
                Step::Link(scope, name) => {
                    let path = desk.within(&scopes[scope], NAMES[name]);
                    if cfg!(unix) && !models[scope].contains_key(NAMES[name]) {
                        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                        #[cfg(unix)]
                        std::os::unix::fs::symlink(desk.beside("outside/secret.pdf"), &path).unwrap();
                        models[scope].insert(NAMES[name], None);
                    }
                }
                Step::Export => {
                    for (scope, model) in scopes.iter().zip(&models) {
                        let page = desk.page(scope, PageRequest::default());
                        let mut found = BTreeMap::new();
                        for artifact in &page.artifacts {
                            let wanted = ArtifactQuery { artifact_ref: Some(&artifact.artifact_ref), ..Default::default() };
                            let mut bytes = Vec::new();
                            let open = desk.open(scope, wanted).unwrap();
                            std::io::Read::read_to_end(&mut open.stream_all().unwrap(), &mut bytes).unwrap();
                            found.insert(artifact.relative_path.clone(), bytes);
                        }
                        let files = model.iter().filter(|(name, _)| !name.starts_with("node_modules"));
                        let expected: BTreeMap<String, Vec<u8>> = files
                            .filter_map(|(name, content)| Some(((*name).to_owned(), content.clone()?)))
                            .collect();
                        prop_assert_eq!(found, expected);
                    }
                }
            }
        }
        prop_assert_eq!(std::fs::read(desk.beside("outside/secret.pdf")).unwrap(), b"secret");
    }
}
