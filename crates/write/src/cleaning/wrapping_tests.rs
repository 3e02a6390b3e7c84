//! What is taken from around a text, and what stays.

use super::clean;
use crate::validate::{FileKind, Language};

fn cleaned(text: &str, kind: FileKind) -> String {
    clean(text.as_bytes(), kind).map_or_else(|| text.to_owned(), |cleaned| text[cleaned.content].to_owned())
}

#[test]
fn one_fence_around_all_of_it_goes_with_the_words_outside() {
    let code = FileKind::Code(Language::Rust);
    for text in [
        "```rust\nfn a() {}\n```\n",
        "\n~~~\nfn a() {}\n~~~",
        "Here is the file:\n\n```\nfn a() {}\n```\n\n",
        "I've updated the file.\n\n```rust\nfn a() {}\n```\n\nLet me know if you want more!\n",
        "Ich habe die Datei so geändert:\n```\nfn a() {}\n```\nSag mir bitte, ob das so passt.\n",
        "<think>\nLet me see.\n</think>\n\nfn a() {}\n",
        "fn a() {}\n```\n",
        "Now I write it.\n</think>\n\nfn a() {}\n",
        "fn a() {}\n</content>\n",
        "fn a() {}\n<|im_end|>\n",
        "\u{200b}fn a() {}\n",
        "\u{feff}\u{200b}```rust\nfn a() {}\n```\n",
    ] {
        assert_eq!(cleaned(text, code).trim_end(), "fn a() {}", "{text:?}");
    }
    for text in [
        "```\na\n```\n```\nb\n```\n",
        "```\na\n",
        "plain\n",
        "let x = 1;\n```\na\n```\n",
        "\"\"\"\n```\na\n```\n\"\"\"\n",
        // A mark of byte order may be meant; a tag within a line, or that something opens, is of the text.
        "\u{feff}a,b\n",
        "It ends with </think> as a rule.\n",
        "<content>\na\n</content>\n",
        "Tokens:\n<|im_end|>\nand\n<|im_end|>\n",
        "The form:\n<think>\nwords\n</think>\n",
    ] {
        assert_eq!(cleaned(text, code), text);
    }
}

#[test]
fn text_keeps_fences_that_may_be_its_own() {
    for text in [
        "To build:\n\n```\nmake\n```\n\nThen call it.\n",
        "```rust\nfn a() {}\n```\n",
        "# A\n\n```sh\nls\n```\n",
    ] {
        assert_eq!(cleaned(text, FileKind::Markdown), text);
    }
    let wrapped = "Here is it:\n```markdown\n# A\n\n```sh\nls\n```\n\nText.\n```\nLet me know!\n";
    assert_eq!(cleaned(wrapped, FileKind::Markdown), "# A\n\n```sh\nls\n```\n\nText.\n");
    assert_eq!(cleaned("# A\n\ntext\n```\n", FileKind::Markdown), "# A\n\ntext\n");
    let small = "To build:\n```\nmake\n```\nLet me know.\n";
    assert_eq!(cleaned(small, FileKind::Text), small);
}
