use agent_client_protocol_schema::v1::ContentBlock;
use serde_json::{Value, json};

use super::folder::SessionFolder;
use super::prompt::{Prompt, read};

fn understood(blocks: &Value) -> Result<Prompt, i32> {
    let folder = tempfile::tempdir().unwrap();
    let blocks = blocks.to_string().replace("FOLDER", folder.path().to_str().unwrap());
    let blocks: Vec<ContentBlock> = serde_json::from_str(&blocks).unwrap();
    read(&blocks, &SessionFolder::open(folder.path()).unwrap()).map_err(|error| error.code.into())
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
