use serde_json::{Value, json};

use super::{
    Address, Batch, CommentPolicy, Edit, Occurrence, Operation, OwnPolicy, Place, ReferencePolicy, Search,
    Where, parse_batch,
};

fn operation(edit: Edit) -> Operation {
    Operation {
        edit,
        expected_text: None,
        plain: false,
        author: None,
        allows_untracked: false,
        references: ReferencePolicy::Refuse,
    }
}

fn place(address: Address) -> Place {
    Place::in_body(address)
}

fn address_of(target: &Value) -> Result<Address, String> {
    let batch = parse_batch(&json!([{"op": "delete_paragraph", "target": target}]));
    match batch.map_err(|error| error.to_string())?.operations.remove(0).edit {
        Edit::DeleteParagraph { place, .. } => Ok(place.address),
        edit => Err(format!("{edit:?}")),
    }
}

#[test]
fn a_batch_says_all_it_can_say() {
    let batch = parse_batch(&json!({
        "operations": [
            {"op": "modify_text", "paragraphIndex": 3, "originalText": "a", "replacementText": "b", "occurrence": "last",
             "expectedText": "a a", "plain": true, "author": "Ann"},
            {"operation": "edit_paragraph", "target": "P4", "newContent": "c"},
            {"op": "insert_paragraph", "before": "first", "content": "d", "style": "Heading1"},
            {"op": "delete_paragraph", "target": {"text": "e"}, "occurrence": 2},
        ],
        "author": "Bob", "date": "2026-01-31T09:30:00Z", "atomic": true, "expectedRevision": "r1",
    }));
    let modify = Operation {
        edit: Edit::ModifyText {
            place: Some(place(Address::Number(3))),
            search: Search { occurrence: Some(Occurrence::Last), ..Search::words("a") },
            replacement: "b".to_owned(),
        },
        expected_text: Some("a a".to_owned()),
        plain: true,
        allows_untracked: false,
        author: Some("Ann".to_owned()),
        references: ReferencePolicy::Refuse,
    };
    let insert = Edit::InsertParagraph {
        continues: false,
        place: place(Address::First),
        side: Where::Before,
        content: "d".to_owned(),
        style: Some("Heading1".to_owned()),
    };
    let delete = Edit::DeleteParagraph {
        place: Place { occurrence: Some(Occurrence::Nth(2)), ..place(Address::Text("e".to_owned())) },
        end: None,
        comments: CommentPolicy::Refuse,
    };
    let edit = Edit::EditParagraph { place: place(Address::Number(4)), content: "c".to_owned() };
    let wanted = Batch {
        operations: vec![modify, operation(edit), operation(insert), operation(delete)],
        author: Some("Bob".to_owned()),
        date: Some("2026-01-31T09:30:00Z".to_owned()),
        atomic: true,
        expected_revision: Some("r1".to_owned()),
        track_revisions: false,
        own: OwnPolicy::Recorded,
    };
    assert_eq!(batch.unwrap(), wanted);
}

#[test]
fn every_form_of_an_address() {
    let id = || Address::ParagraphId("1A2B3C4D".to_owned());
    let table = [
        (json!(12), Address::Number(12)),
        (json!("12"), Address::Number(12)),
        (json!("p12"), Address::Number(12)),
        (json!("[P12|Heading1|L:0]"), Address::Number(12)),
        (json!({"paragraphIndex": 12}), Address::Number(12)),
        (json!("first"), Address::First),
        (json!("last"), Address::Last),
        (json!("1A2B3C4D"), id()),
        (json!("paraId:1A2B3C4D"), id()),
        (json!({"paraId": "1A2B3C4D"}), id()),
        (json!("fp:abc"), Address::Fingerprint("abc".to_owned())),
        (json!({"fingerprint": "abc"}), Address::Fingerprint("abc".to_owned())),
        (json!({"text": "late payment"}), Address::Text("late payment".to_owned())),
        (json!("§4.2(b)"), Address::Provision("4.2(b)".to_owned())),
        (json!("footnote:3/P1"), Address::Number(1)),
        (json!("header:default@2/last"), Address::Last),
        (json!("textbox:1"), Address::Any),
        (json!({"story": "endnote:2", "text": "a"}), Address::Text("a".to_owned())),
    ];
    for (target, wanted) in table {
        assert_eq!(address_of(&target), Ok(wanted), "{target}");
    }
}

#[test]
fn what_is_wrong_is_named_with_what_would_be_right() {
    let table = [
        (json!("x"), "give {\"operations\""),
        (json!({"operatons": []}), "did you mean 'operations'?"),
        (json!({"author": "x"}), "has no 'operations'"),
        (json!({"operations": {}}), "give a list"),
        (json!({"operations": [], "atomic": "yes"}), "'atomic' is neither true nor false"),
        (json!([1]), "operation 0: it is no object"),
        (json!([{}]), "it has no 'op'; give one of modify_text"),
        (json!([{"op": "modify_txt"}]), "did you mean 'modify_text'?"),
        (json!([{"op": "modify_text", "operation": "edit_paragraph"}]), "'op' and 'operation' differ"),
        (json!([{"op": "modify_text", "originalTxt": "a"}]), "did you mean 'originalText'?"),
        (json!([{"op": "modify_text", "originalText": "a"}]), "needs 'replacementText'"),
        (
            json!([{"op": "modify_text", "originalText": "", "replacementText": "a"}]),
            "'originalText' is empty",
        ),
        (
            json!([{"op": "modify_text", "originalText": 5, "replacementText": "a"}]),
            "'originalText' is no text",
        ),
        (json!([{"op": "delete_paragraph"}]), "needs 'paragraphIndex' or 'target'"),
        (json!([{"op": "delete_paragraph", "paragraphIndex": 1, "target": 2}]), "not both"),
        (json!([{"op": "delete_paragraph", "paragraphIndex": 0}]), "counted from 1"),
        (json!([{"op": "delete_paragraph", "paragraphIndex": -1}]), "an address is a number"),
        (json!([{"op": "delete_paragraph", "target": "the end"}]), "'the end' is no address"),
        (json!([{"op": "delete_paragraph", "target": "P99999999999999999999"}]), "no paragraph number"),
        (json!([{"op": "delete_paragraph", "target": {"text": ""}}]), "no usable value"),
        (json!([{"op": "delete_paragraph", "target": {"text": "a", "paraId": "b"}}]), "exactly one"),
        (json!([{"op": "delete_paragraph", "target": {"txt": "a"}}]), "did you mean 'text'?"),
        (
            json!([{"op": "delete_paragraph", "target": 1, "occurrence": 0}]),
            "'occurrence' is a number from 1",
        ),
        (json!([{"op": "insert_paragraph", "content": "a"}]), "needs either 'after' or 'before'"),
        (json!([{"op": "insert_paragraph", "after": 1, "before": 1, "content": "a"}]), "needs either"),
        (json!([{"op": "edit_paragraph", "target": 1}]), "needs 'newContent'"),
        (json!([{"op": "edit_paragraph", "target": 1, "append": "a", "prepend": "b"}]), "give one of"),
        (json!([{"op": "delete_paragraph", "target": 1}, {"op": "x"}]), "'x' is no operation"),
    ];
    for (json, wanted) in table {
        let message = match parse_batch(&json) {
            Ok(batch) => format!("{batch:?}"),
            Err(error) => error.to_string(),
        };
        assert!(message.contains(wanted), "{json}\n{message}\nlacks {wanted}");
    }
}
