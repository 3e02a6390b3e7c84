//! Every code has its page in `docs/errors`, and every page its code.

use std::collections::BTreeSet;

use engross_docx::RefusalCode;

/// Where the layers below give their codes.
const SOURCES: &[&str] = &[
    include_str!("../../xml/src/error.rs"),
    include_str!("../../docx/src/package/error.rs"),
    include_str!("../../docx/src/error.rs"),
    include_str!("../../llm/src/error.rs"),
    include_str!("../../artifacts/src/error.rs"),
    include_str!("../../acp/src/client/error.rs"),
    include_str!("../../store/src/files/by_path.rs"),
];

/// The codes in `source`: what stands in quotes behind an arrow or an equals sign, in capitals.
fn codes_in(source: &str) -> impl Iterator<Item = String> {
    let quoted = source.lines().filter_map(|line| {
        let (_, value) = line.split_once("=> \"").or_else(|| line.split_once(" = \""))?;
        value.split('"').next()
    });
    let is_code = |text: &&str| {
        text.len() > 3 && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    quoted.filter(is_code).map(str::to_owned)
}

fn known() -> BTreeSet<String> {
    let lists = [
        engross_agent::CODES,
        engross_agent::session::CODES,
        engross_agent::workspace::CODES,
        engross_documents::CODES,
        engross_tasks::runs::CODES,
        engross_store::CODES,
        engross_store::blobs::CODES,
        engross_write::CODES,
        engross_tasks::runs::CODES,
        engross_threads::CODES,
        engross_learn::CODES,
        engross_openclaw::CODES,
        crate::failure::CODES,
        crate::serve::CODES,
    ];
    let listed = lists.into_iter().flatten().map(|code| (*code).to_owned());
    let refusals = RefusalCode::ALL.iter().map(|code| code.as_str().to_owned());
    SOURCES.iter().flat_map(|source| codes_in(source)).chain(listed).chain(refusals).collect()
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let pages: BTreeSet<String> =
        names.map(|name| name.into_string().unwrap().trim_end_matches(".md").to_owned()).collect();
    let known = known();
    assert_eq!(known.difference(&pages).collect::<Vec<_>>(), Vec::<&String>::new(), "codes without a page");
    assert_eq!(pages.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "pages without a code");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test reads the pages")]
fn every_page_says_what_why_and_what_to_do() {
    for code in known() {
        let path = format!("{}/../../docs/errors/{code}.md", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(page.starts_with(&format!("# {code}\n")), "{code}: the title");
        for heading in ["\n## Why\n", "\n## What to do\n"] {
            assert!(page.contains(heading), "{code}: {heading:?}");
        }
    }
}

#[test]
fn codes_are_found_in_sources() {
    let source =
        "Self::A => \"NOT_A_ZIP\",\n    /// x\n    TextNotFound = \"TEXT_NOT_FOUND\",\n let a = \"Not\";";
    assert_eq!(codes_in(source).collect::<Vec<_>>(), ["NOT_A_ZIP", "TEXT_NOT_FOUND"]);
}
