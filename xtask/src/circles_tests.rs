use std::path::PathBuf;

use super::{circles, circles_of};
use crate::root;

/// A crate of the given files, in a folder that goes with it.
#[expect(clippy::disallowed_methods, reason = "the test writes files of its own")]
fn crate_of(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("engross-circles-{name}-{}", std::process::id())).join("src");
    for (path, text) in files {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    folder
}

fn arrows_of(name: &str, files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let folder = crate_of(name, files);
    let found = circles_of(&folder.join("lib.rs")).unwrap();
    std::fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    found.into_iter().map(|circle| circle.arrows).collect()
}

#[test]
fn files_that_take_from_each_other_are_a_circle() {
    let found = arrows_of(
        "two",
        &[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::B; pub struct A(B);"),
            ("b.rs", "pub struct B; pub fn f() { let _ = crate::a::A::new; }"),
            ("c.rs", "use crate::a::A;"),
        ],
    );
    assert_eq!(found, [["src/a.rs -> src/b.rs: B", "src/b.rs -> src/a.rs: new"]]);
}

#[test]
fn a_name_is_followed_through_re_exports_which_tie_nothing_themselves() {
    let files = [
        ("lib.rs", "mod room;"),
        ("room/mod.rs", "mod a; mod b; pub(crate) use a::A; pub use b::*;"),
        ("room/a.rs", "use super::B; pub struct A(B);"),
        ("room/b.rs", "pub struct B; #[cfg(test)] mod tests { use super::super::A; }"),
    ];
    assert_eq!(arrows_of("through", &files), Vec::<Vec<String>>::new());
}

#[test]
fn no_files_import_each_other_in_a_loop() {
    let found: Vec<String> = circles(&root().join("crates"))
        .unwrap()
        .into_iter()
        .map(|circle| circle.arrows.join("\n  "))
        .collect();
    assert!(found.is_empty(), "{} circles:\n  {}", found.len(), found.join("\n\n  "));
}
