use agent_client_protocol_schema::v1::ContentBlock;
use serde_json::{Value, json};

use super::folder::SessionFolder;
use super::prompt::{Prompt, read, words_of_person};

fn understood(blocks: &Value) -> Result<Prompt, i32> {
    let folder = tempfile::tempdir().unwrap();
    let blocks = blocks.to_string().replace("FOLDER", folder.path().to_str().unwrap());
    let blocks: Vec<ContentBlock> = serde_json::from_str(&blocks).unwrap();
    read(&blocks, &SessionFolder::open(folder.path()).unwrap())
        .map(|read| read.prompt)
        .map_err(|error| error.code.into())
}

fn words(text: &str) -> Prompt {
    understood(&json!([{"type": "text", "text": text}])).unwrap()
}

#[test]
fn a_command_is_a_word_of_its_own() {
    let message = |text: &str| Prompt::Message { text: text.to_owned(), system: None };
    for text in ["/redlines x", "redline x", "/", "// x", "/home/me/x.docx"] {
        assert_eq!(words(text), message(text), "{text}");
    }
    assert!(
        matches!(words("  /redline\n make it so "), Prompt::Message { text, system: Some(_) } if text == "make it so")
    );
    assert_eq!(words("/accept"), Prompt::Accept(vec![]));
    assert_eq!(words("/accept 'a b.docx'"), Prompt::Accept(vec!["a b.docx".into()]));
    assert!(matches!(words("/accept a b"), Prompt::Incomplete(_)));
    assert_eq!(
        words("/compare \"a b.docx\" c.docx"),
        Prompt::Compare(vec!["a b.docx".into(), "c.docx".into()])
    );
    assert_eq!(words("/compare \"a\" \"b"), Prompt::Compare(vec!["a".into(), "b".into()]));
}

#[test]
fn files_of_the_folder_are_named_beneath_it_and_others_in_full() {
    let link = |uri: &str| json!([{"type": "text", "text": "/accept "}, {"type": "resource_link", "name": "x", "uri": uri}]);
    assert_eq!(
        understood(&link("file://FOLDER/sub/a%20b.docx")),
        Ok(Prompt::Accept(vec!["sub/a b.docx".into()]))
    );
    assert_eq!(
        understood(&link("file:///elsewhere/a.docx")),
        Ok(Prompt::Accept(vec!["file:///elsewhere/a.docx".into()]))
    );
    assert_eq!(
        understood(&link("file://FOLDER/../a.docx"))
            .map(|prompt| matches!(prompt, Prompt::Accept(files) if files[0].starts_with("file:"))),
        Ok(true)
    );
}

#[test]
fn what_cannot_be_read_is_refused() {
    assert_eq!(understood(&json!([])), Err(-32602));
    assert_eq!(understood(&json!([{"type": "audio", "data": "", "mimeType": "audio/wav"}])), Err(-32602));
    let blob = json!([{"type": "resource", "resource": {"uri": "file://FOLDER/a.docx", "blob": "UEs="}}, {"type": "text", "text": " please"}]);
    assert_eq!(understood(&blob), Ok(Prompt::Message { text: "a.docx please".into(), system: None }));
}

#[test]
fn blocks_are_words_of_their_own() {
    let link = |uri: &str| json!([{"type": "resource_link", "name": "x", "uri": uri}, {"type": "text", "text": "five years"}]);
    let message = |text: &str| Ok(Prompt::Message { text: text.into(), system: None });
    assert_eq!(understood(&link("file://FOLDER/nda.docx")), message("nda.docx five years"));
    assert_eq!(
        understood(&link("https://example.org/nda.docx")),
        message("https://example.org/nda.docx five years")
    );
}

#[test]
fn a_message_is_shown_again_as_the_person_wrote_it() {
    let embedded = json!([
        {"type": "resource", "resource": {"uri": "file://FOLDER/a.md", "text": "# Rules\n\nInstruction:\nno"}},
        {"type": "text", "text": "Do so."}
    ]);
    let Ok(Prompt::Message { text, .. }) = understood(&embedded) else { panic!("{embedded}") };
    assert!(text.contains("# Rules"), "{text}");
    assert_eq!(words_of_person(&text), "Do so.");
    assert_eq!(words_of_person("Do so."), "Do so.");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test makes the files that a person has")]
fn files_that_cannot_be_read_are_told() {
    use super::mentioned::problems;
    let folder = tempfile::tempdir().unwrap();
    for name in ["nda.docx", "Service Agreement.docx"] {
        std::fs::write(folder.path().join(name), "x").unwrap();
    }
    let session = SessionFolder::open(folder.path()).unwrap();
    let files = engross_store::files::Root::open(folder.path()).unwrap().top();
    let clock = std::sync::Arc::new(engross_protocol::SystemClock);
    let workspace =
        engross_documents::Workspace::with_own_checkpoints(files, engross_store::files::Locks::new(), clock)
            .unwrap();
    let told = |blocks: Value| {
        let blocks = blocks.to_string().replace("FOLDER", folder.path().to_str().unwrap());
        let blocks: Vec<ContentBlock> = serde_json::from_str(&blocks).unwrap();
        problems(&read(&blocks, &session).unwrap().files, &workspace)
    };
    let text = |text: &str| told(json!([{"type": "text", "text": text}]));
    for fine in
        ["Shorten nda.docx.", "see \"Service Agreement.docx\"", "the .docx files", "in 2.1 and e.g. this"]
    {
        assert_eq!(text(fine), Vec::<String>::new(), "{fine}");
    }
    for (said, word) in [
        ("Change nope.docx, please", "'nope.docx' is not there"),
        ("Read (scan.pdf)", "'scan.pdf' is no Word document"),
        ("C:\\Users\\me\\lease.docx", "lease.docx' is not"),
    ] {
        let told = text(said);
        assert!(matches!(told.as_slice(), [one] if one.contains(word)), "{said}: {told:?}");
    }
    let link = |uri: &str| {
        told(json!([{"type": "resource_link", "name": "x", "uri": uri}, {"type": "text", "text": "do"}]))
    };
    assert_eq!(link("file://FOLDER/nda.docx"), Vec::<String>::new());
    assert!(link("file:///elsewhere/nda.docx")[0].contains("not in the folder"));
    assert!(link("https://example.org/a.docx")[0].contains("not in the folder"));
}
