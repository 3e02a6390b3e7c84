use serde_json::{Value, json};

use crate::arguments::CallArguments;
use crate::table::tools;

fn read(name: &str, sent: Value) -> Result<CallArguments, String> {
    CallArguments::read(sent, tools(true).find(|row| row.name == name).unwrap())
        .map_err(|failure| failure.message)
}

#[test]
fn one_call_in_the_forms_of_many_clients() {
    let operations = json!([{"op": "delete_paragraph", "paragraphIndex": 4}]);
    let plain = json!({"path": "nda.docx", "operations": operations, "dry_run": true});
    let sent = [
        plain.clone(),
        json!(plain.to_string()),
        json!({"arguments": plain}),
        json!({"input": {"arguments": plain.to_string()}}),
        json!({"edit_document": plain}),
        json!({"path": "nda.docx", "operations": operations.to_string(), "dryRun": "True", "author": null}),
        json!({"file_path": "nda.docx", "Operations": operations, "dry-run": true, "output": ""}),
        json!({"path": "nda.docx", "op": "delete_paragraph", "paragraphIndex": 4, "dry_run": true}),
        json!({"path": "nda.docx", "operations": {"operations": operations, "dryRun": true}}),
        json!({"path": "nda.docx", "operations": operations[0], "dry_run": true}),
    ];
    for sent in sent {
        let arguments =
            read("edit_document", sent.clone()).unwrap_or_else(|message| panic!("{sent}: {message}"));
        assert_eq!(arguments.required("path"), "nda.docx", "{sent}");
        assert!(arguments.flag("dry_run"), "{sent}");
        assert_eq!(arguments.value("operations"), Some(&operations), "{sent}");
        assert_eq!(arguments.text("author"), None);
        assert!(sent != plain || arguments.remarks.is_empty(), "{:?}", arguments.remarks);
    }
}

#[test]
fn numbers_words_and_lists_in_other_forms() {
    let arguments =
        read("read_document", json!({"path": "a.docx", "limit": "20", "from": 7, "view": "Markup"})).unwrap();
    assert_eq!(
        (arguments.count("limit"), arguments.text("from"), arguments.text("view")),
        (Some(20), Some("7"), Some("markup"))
    );
    for ids in [json!([3, "4"]), json!("[\"3\", 4]")] {
        let arguments =
            read("resolve_changes", json!({"path": "a.docx", "action": "ACCEPT", "ids": ids})).unwrap();
        assert_eq!(
            (arguments.texts("ids"), arguments.required("action")),
            (vec!["3".to_owned(), "4".to_owned()], "accept")
        );
    }
    assert_eq!(
        read("describe_operations", json!({"names": "edit_table"})).unwrap().texts("names"),
        ["edit_table"]
    );
    assert_eq!(read("describe_operations", Value::Null).unwrap().texts("names"), Vec::<String>::new());
}

#[test]
fn what_cannot_be_meant_is_refused_by_name() {
    let cases = [
        ("read_document", json!({}), "read_document needs 'path'; it takes path, mode"),
        ("read_document", json!({"path": null}), "needs 'path'"),
        ("read_document", json!({"path": ["a.docx"]}), "'path' is no text"),
        (
            "read_document",
            json!({"path": "a.docx", "serach": "x"}),
            "no argument 'serach'; did you mean 'search'?",
        ),
        ("read_document", json!({"path": "a.docx", "limit": -1}), "'limit' is no whole number from 1"),
        ("read_document", json!({"path": "a.docx", "limit": 2.5}), "'limit' is no whole number"),
        (
            "read_document",
            json!({"path": "a.docx", "view": "plain"}),
            "'view' cannot be 'plain'; it takes accepted, original, markup",
        ),
        (
            "edit_document",
            json!({"path": "a.docx", "dry_run": "yes please"}),
            "'dry_run' is no true or false",
        ),
        ("edit_document", json!("{\"path\": "), "not valid JSON"),
        ("edit_document", json!([1]), "are no object"),
    ];
    for (name, sent, says) in cases {
        let message = read(name, sent.clone()).unwrap_err();
        assert!(message.contains(says), "{sent}: {message}");
    }
}

#[test]
fn what_people_and_shells_put_around_a_path_is_taken_off() {
    for (sent, path) in [
        ("\"nda.docx\"", "nda.docx"),
        ("'my nda.docx'", "my nda.docx"),
        ("`nda.docx`", "nda.docx"),
        ("@nda.docx", "nda.docx"),
        ("contracts\\nda.docx", "contracts/nda.docx"),
        ("my\\ contracts/nda\\ \\(2\\).docx", "my contracts/nda (2).docx"),
    ] {
        if cfg!(windows) && sent.contains('\\') {
            continue;
        }
        let arguments = read("read_document", json!({"path": sent})).unwrap();
        assert_eq!(arguments.required("path"), path);
        assert!(!arguments.remarks.is_empty(), "{sent}");
    }
}

#[test]
fn more_names_and_forms_that_mean_one_thing() {
    let read = |name: &str, sent: Value| read(name, sent).unwrap();
    let compared = read("compare_documents", json!({"original": "a.docx", "modified": "b.docx"}));
    assert_eq!((compared.required("before"), compared.required("after")), ("a.docx", "b.docx"));
    assert_eq!(read("describe_operations", json!({"name": "edit_table"})).texts("names"), ["edit_table"]);
    assert_eq!(
        read("describe_operations", json!({"names": "edit_table, format_text"})).texts("names").len(),
        2
    );
    let resolved = read("resolve_changes", json!({"path": "a.docx", "action": "accept_all", "ids": "1,2"}));
    assert_eq!((resolved.text("action"), resolved.texts("ids").len()), (Some("accept"), 2));
    let zeros = read("read_document", json!({"path": "a.docx", "limit": 0, "max_tokens": 0}));
    assert_eq!((zeros.count("limit"), zeros.count("max_tokens")), (None, None));
    let operations = json!([{"op": "delete_paragraph", "paragraphIndex": 4}]);
    let fenced = format!("```json\n{operations}\n```");
    for sent in [
        json!({"path": "a.docx", "edits": operations, "dry_run": 1}),
        json!({"path": "a.docx", "operations": fenced, "dry_run": "yes"}),
    ] {
        let edited = read("edit_document", sent);
        assert_eq!(edited.value("operations"), Some(&operations));
        assert!(edited.flag("dry_run"));
    }
    let made = read("edit_document", json!({"path": "a.docx", "operations": [], "from_markdown": "# A"}));
    assert!(made.value("operations").is_none());
}

#[test]
fn operations_in_the_words_of_other_tools() {
    let meant = json!([{"op": "modify_text", "originalText": "three", "replacementText": "five"}]);
    for sent in [
        json!({"path": "a.docx", "old_string": "three", "new_string": "five"}),
        json!({"path": "a.docx", "operations": [{"oldText": "three", "newText": "five"}]}),
        json!({"path": "a.docx", "operations": [{"type": "replace", "find": "three", "replace": "five"}]}),
        json!({"path": "a.docx", "edits": [{"op": "find_and_replace", "find": "three", "replace_with": "five"}]}),
        json!({"path": "a.docx", "operations": [{"op": "modify_text", "find": "three", "replacementText": "five"}]}),
    ] {
        let arguments = read("edit_document", sent.clone()).unwrap();
        assert_eq!(arguments.value("operations"), Some(&meant), "{sent}");
        assert!(!arguments.remarks.is_empty());
    }
    for (sent, operation) in [
        (
            json!({"op": "insert_paragraph", "after": 4, "content": "New."}),
            json!({"op": "insert_paragraph", "after": 4, "content": "New."}),
        ),
        (
            json!({"op": "edit_paragraph", "paragraph": "P4", "text": "New."}),
            json!({"op": "edit_paragraph", "paragraphIndex": 4, "newContent": "New."}),
        ),
        (
            json!({"op": "insert_comment", "paragraph": 4, "comment": "Why?"}),
            json!({"op": "insert_comment", "paragraphIndex": 4, "commentContent": "Why?"}),
        ),
        // Two that can be meant, or none.
        (
            json!({"op": "edit_paragraph", "paragraphIndex": 4, "text": "a", "content": "b"}),
            json!({"op": "edit_paragraph", "paragraphIndex": 4, "text": "a", "content": "b"}),
        ),
        (
            json!({"op": "delete_table", "find": "a", "replace": "b"}),
            json!({"op": "delete_table", "find": "a", "replace": "b"}),
        ),
        (
            json!({"op": "modify_text", "pattern": "[0-9]+", "find": "a", "replacementText": "b"}),
            json!({"op": "modify_text", "pattern": "[0-9]+", "find": "a", "replacementText": "b"}),
        ),
    ] {
        let flat = {
            let mut fields = sent.as_object().unwrap().clone();
            fields.insert("path".to_owned(), json!("a.docx"));
            Value::Object(fields)
        };
        for sent in [json!({"path": "a.docx", "operations": [sent]}), flat] {
            let arguments = read("edit_document", sent.clone()).unwrap();
            assert_eq!(arguments.value("operations"), Some(&json!([operation])), "{sent}");
        }
    }
}

#[test]
fn arguments_that_say_nothing_cost_nothing() {
    let sent = json!({"path": "a.docx", "cursor": "", "filters": [], "options": {}, "password": null});
    assert_eq!(read("read_document", sent).unwrap().required("path"), "a.docx");
    let named =
        read("resolve_changes", json!({"path": "a.docx", "action": "reject", "author": "Ada"})).unwrap();
    assert_eq!(named.text("by_author"), Some("Ada"));
    let made = read("edit_document", json!({"path": "a.docx", "content": "# A"})).unwrap();
    assert_eq!(made.text("from_markdown"), Some("# A"));
}

#[test]
fn a_call_that_was_cut_is_told_so() {
    let cut = "[{\"op\": \"modify_text\", \"originalText\": \"three";
    let problem = read("edit_document", json!({"path": "nda.docx", "operations": cut})).unwrap_err();
    assert!(problem.contains("not valid JSON") && problem.contains("if it was cut"), "{problem}");
}
