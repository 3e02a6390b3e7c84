//! Lists against a model.

use engross_store::files::Listing;
use proptest::prelude::*;

use super::{TestBench, path, tree};

fn paths(listing: &Listing) -> Vec<&str> {
    listing.files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn what_cannot_be_named_is_left_out() {
    let desk = TestBench::new();
    for name in [
        "a.txt",
        "a/b",
        "a-b",
        ".git/config",
        "sub/.git",
        "x\\y",
        "bad.",
        ".engross-tmp-9-9",
        "ok/.hidden",
        "new\nline",
    ] {
        desk.put(name, name);
    }
    std::os::unix::fs::symlink(desk.outside(""), desk.at("link")).unwrap();
    std::os::unix::fs::symlink(desk.outside("secret"), desk.at("secret")).unwrap();
    let listing = desk.top.list("", None, 100).unwrap();
    assert_eq!((paths(&listing), listing.more), (vec!["a-b", "a.txt", "a/b", "ok/.hidden"], false));
    let info = desk.top.info(&path("a/b")).unwrap().unwrap();
    assert_eq!(listing.files[2].info, info);
}

#[test]
fn depth_is_bounded() {
    let desk = TestBench::new();
    desk.put(&format!("{}a", "d/".repeat(64)), "");
    desk.put(&format!("{}a", "e/".repeat(65)), "");
    let listing = desk.top.list("", None, 100).unwrap();
    assert_eq!(paths(&listing), [format!("{}a", "d/".repeat(64))]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn pages_together_are_all_files_in_order(
        names in prop::collection::btree_set("[a.-]{1,2}x(/[a.-]{1,2}x){0,2}", 0..25),
        prefix in "([a.-]{1,2}x?/?){0,2}",
        limit in 1..6_usize,
    ) {
        let desk = TestBench::new();
        for name in &names {
            let folder = desk.at(name).parent().unwrap().to_owned();
            // A name may be a folder's already, or the other way round.
            if std::fs::create_dir_all(folder).is_ok() {
                let _ = std::fs::write(desk.at(name), name);
            }
        }
        let all = tree(&desk.at(""));
        let expected: Vec<&str> =
            all.keys().map(String::as_str).filter(|name| !name.ends_with('/') && name.starts_with(&prefix)).collect();
        let mut found: Vec<String> = Vec::new();
        loop {
            let after = found.last().map(|last| path(last));
            let page = desk.top.list(&prefix, after.as_ref(), limit).unwrap();
            prop_assert!(page.files.len() <= limit && (page.files.len() == limit || !page.more));
            found.extend(paths(&page).into_iter().map(str::to_owned));
            if !page.more {
                break;
            }
        }
        prop_assert_eq!(found, expected);
    }
}
