use engross_docx::ops::{OperationResult, Status};
use serde_json::{Value, json};

use crate::outcome::EditRunOperation;
use crate::repair::mark_repaired;

/// Operations as (round, status, JSON); gives which later one repaired each.
fn check(operations: &[(u32, Status, Value)]) -> Vec<Option<usize>> {
    let proposed: Vec<Value> = operations.iter().map(|(_, _, json)| json.clone()).collect();
    let mut run: Vec<EditRunOperation> = operations
        .iter()
        .enumerate()
        .map(|(index, (round, status, _))| EditRunOperation {
            result: OperationResult {
                index,
                op: String::new(),
                status: *status,
                code: None,
                message: None,
                address: None,
                revision_ids: vec![],
                gone_revision_ids: Vec::new(),
                more_revisions: 0,
                comment_ids: vec![],
                untracked: Vec::new(),
                before: None,
                after: None,
            },
            round: *round,
            repaired_by: None,
        })
        .collect();
    mark_repaired(&mut run, &proposed);
    run.into_iter().map(|operation| operation.repaired_by).collect()
}

fn replace(original: &str, replacement: &str) -> Value {
    json!({"op": "modify_text", "originalText": original, "replacementText": replacement})
}

#[test]
fn the_same_words_in_a_later_round_repair() {
    use Status::{Applied, NoChange, Refused};
    let again = [(1, Refused, replace("teh", "the")), (2, Applied, replace("tеh", "the"))];
    assert_eq!(check(&again), [Some(1), None]);
    let found =
        [(1, Refused, replace("a", "")), (1, Applied, replace("b", "")), (3, NoChange, replace("a", ""))];
    assert_eq!(check(&found), [Some(2), None, None]);
    let deletion = json!({"op": "delete_paragraph", "target": {"text": "x"}});
    let numbered = json!({"op": "delete_paragraph", "paragraphIndex": 3});
    assert_eq!(check(&[(1, Refused, deletion), (2, Applied, numbered)]), [Some(1), None]);
}

#[test]
fn anything_else_does_not() {
    use Status::{Applied, Failed, Refused};
    let other = [(1, Refused, replace("teh", "the")), (2, Applied, replace("fee", "price"))];
    assert_eq!(check(&other), [None, None]);
    let same_round = [(1, Refused, replace("a", "b")), (1, Applied, replace("a", "b"))];
    assert_eq!(check(&same_round), [None, None]);
    let both_delete_words = [(1, Refused, replace("a", "")), (2, Applied, replace("b", ""))];
    assert_eq!(check(&both_delete_words), [None, None]);
    let refused_again = [(1, Failed, replace("a", "b")), (2, Refused, replace("a", "b"))];
    assert_eq!(check(&refused_again), [None, None]);
    let one_for_two =
        [(1, Refused, replace("a", "b")), (1, Refused, replace("c", "b")), (2, Applied, replace("a", "b"))];
    assert_eq!(check(&one_for_two), [Some(2), None, None]);
}
