#![expect(clippy::disallowed_methods, reason = "the tests make the files that are attached")]

use super::attachments::{attach, mentions};

#[test]
fn mentions_are_words_that_begin_with_the_sign() {
    assert_eq!(mentions("see @a.md and (@b/c.txt) me@example.org"), ["a.md", "b/c.txt)"]);
    assert_eq!(mentions("@\"a b.txt\" @c\\ d.md @a.md @a.md"), ["a b.txt", "c d.md", "a.md"]);
    assert_eq!(mentions("@ @@x a@b"), ["@x"]);
    assert_eq!(mentions("@\"open"), ["open"]);
    assert!(mentions("").is_empty());
}

#[test]
fn the_model_is_given_what_is_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a b.md");
    std::fs::write(&path, "# Title").unwrap();
    let message = format!("Sum up @\"{}\", please; ask @alice.", path.display());
    let attached = attach(&message);
    assert_eq!(attached.text, format!("{message}\n\n<file path=\"{}\">\n# Title\n</file>", path.display()));
    assert_eq!(attached.files, [(path.display().to_string(), 7)]);
    assert!(attached.problems.is_empty());

    // A full stop behind the name is no part of it, unless it is.
    std::fs::write(folder.path().join("c.md"), "c").unwrap();
    let attached = attach(&format!("See @{}/c.md.", folder.path().display()));
    assert_eq!(attached.files.len(), 1);

    let attached = attach(&format!("@{}/none.md", folder.path().display()));
    assert!(attached.files.is_empty() && attached.problems[0].contains("there is no file"), "{attached:?}");
    std::fs::write(folder.path().join("bytes.txt"), b"\xff\xfe").unwrap();
    let attached = attach(&format!("@{}/bytes.txt", folder.path().display()));
    assert!(attached.files.is_empty() && attached.problems.len() == 1, "{attached:?}");
}

#[test]
fn a_document_is_attached_as_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nda.docx");
    std::fs::write(&path, include_bytes!("../../../examples/nda.docx")).unwrap();
    let attached = attach(&format!("@{}", path.display()));
    assert!(attached.text.contains("three (3) years"), "{attached:?}");
}
