//! When a file is taken out of its fence.

use super::unwrap;

/// What is inside, and the line before it.
type Inside = Option<(&'static str, Option<&'static str>)>;

#[test]
fn only_one_fence_around_everything_is_taken_away() {
    let cases: [(&str, Inside); 9] = [
        ("```rust\nfn a() {}\n```\n", Some(("fn a() {}\n", None))),
        ("\n~~~\na\n~~~", Some(("a\n", None))),
        ("Here is the file:\n\n```\na\n```\n\n", Some(("a\n", Some("Here is the file:")))),
        ("````\n```\na\n```\n````\n", Some(("```\na\n```\n", None))),
        ("Here it is.\n```\na\n```\n", None),
        ("```\na\n```\nEnjoy!\n", None),
        ("```\na\n```\n```\nb\n```\n", None),
        ("```\na\n", None),
        ("plain\n", None),
    ];
    for (text, expected) in cases {
        let got = unwrap(text.as_bytes());
        let got = got.as_ref().map(|found| (&text[found.content.clone()], found.introduction.as_deref()));
        assert_eq!(got, expected, "{text:?}");
    }
}
