//! Which files an answer names.

use engross_artifacts::{media_references, media_tokens};
use proptest::prelude::*;
use serde_json::json;

#[test]
fn tokens_are_found_in_text() {
    let table: [(&str, &[&str]); 21] = [
        ("Done.\nMEDIA:/m/a.png\n", &["/m/a.png"]),
        ("see MEDIA:/m/a.png, MEDIA:/m/b.png.", &["/m/a.png", "/m/b.png"]),
        ("MEDIA: /m/a.png", &["/m/a.png"]),
        ("MEDIA:\"/m/a b.png\" x", &["/m/a b.png"]),
        ("MEDIA:`/m/a b.png`", &["/m/a b.png"]),
        ("(MEDIA:/m/a.png)", &["/m/a.png"]),
        ("**MEDIA:/m/a.png**", &["/m/a.png"]),
        ("MEDIA:file:///m/a%20b.png", &["/m/a b.png"]),
        ("MEDIA:/m/a.png MEDIA:/m/a.png", &["/m/a.png"]),
        ("MULTIMEDIA:/m/a.png _MEDIA:/m/b.png", &[]),
        ("MEDIA:", &[]),
        ("MEDIA:\n/m/a.png", &[]),
        ("media:/m/a.png", &[]),
        ("Done.\n MEDIA:/m/a b.png\n", &["/m/a b.png"]),
        ("MEDIA:/m/a b c.pdf, as asked", &["/m/a b c.pdf"]),
        ("MEDIA:/m/a.png is the file x.png", &["/m/a.png"]),
        ("MEDIA:/m/a and no name", &["/m/a"]),
        ("MEDIA:/m/a MEDIA:/m/b.png", &["/m/a", "/m/b.png"]),
        ("see MEDIA:/m/a b.png", &["/m/a"]),
        ("MEDIA:see also b.png", &["see"]),
        ("MEDIA:MEDIA:/m/a.png", &["MEDIA:/m/a.png", "/m/a.png"]),
    ];
    for (text, expected) in table {
        assert_eq!(media_tokens(text), expected, "{text}");
    }
}

#[test]
fn fields_are_found_at_any_depth() {
    let result = json!({
        "output": "text MEDIA:/m/out.png",
        "mediaUrl": "/m/one.png",
        "payload": {"mediaUrls": ["/m/two.png", 7, "/m/one.png"], "note": "MEDIA:/m/no.png"},
        "list": [{"mediaUrl": "file://localhost/m/three.png"}],
        "mediaUrls": null
    });
    assert_eq!(media_references(&result), ["/m/out.png", "/m/one.png", "/m/two.png", "/m/three.png"]);
}

#[test]
fn a_deep_result_ends_the_search_and_nothing_else() {
    let mut result = json!({"mediaUrl": "/m/deep.png"});
    (0..100).for_each(|_| result = json!({ "x": result.take() }));
    assert_eq!(media_references(&result), Vec::<String>::new());
}

proptest! {
    #[test]
    fn any_text_is_looked_through(text in "(MEDIA:|[ \"'`<>/a.é\n:_]){0,12}") {
        let found = media_tokens(&text);
        prop_assert!(found.iter().all(|path| text.contains(path.as_str()) && !path.trim().is_empty()));
    }
}
