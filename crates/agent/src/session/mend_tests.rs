//! Clients that break the histories they keep, one way each.

use engross_llm::{Message, ToolCall};

use super::mend::mend;

fn user(text: &str) -> Message {
    Message::user(text)
}

fn called(ids: &[&str]) -> Message {
    let call = |id: &&str| ToolCall {
        id: (*id).to_owned(),
        name: "look".to_owned(),
        arguments: format!("{{\"at\":\"{id}\"}}"),
    };
    Message::Assistant {
        content: String::new(),
        tool_calls: ids.iter().map(call).collect(),
        thoughts: Vec::new(),
    }
}

fn said(text: &str) -> Message {
    Message::Assistant { content: text.to_owned(), tool_calls: Vec::new(), thoughts: Vec::new() }
}

fn result(id: &str, content: &str) -> Message {
    Message::Tool {
        tool_call_id: id.to_owned(),
        name: "look".to_owned(),
        content: content.to_owned(),
        is_error: false,
        attachments: Vec::new(),
    }
}

fn mended(sent: &[Message]) -> Option<(Vec<Message>, usize, usize)> {
    mend(sent, &[], true).map(|mended| (mended.messages, mended.left_out, mended.moved))
}

#[test]
fn a_whole_history_is_left_alone() {
    let sent = [user("a"), called(&["x", "y"]), result("y", "Y"), result("x", "X"), said("done"), user("b")];
    assert_eq!(mended(&sent), None);
    // A call without a result is for the intake, which closes it or waits for it.
    assert_eq!(mended(&[user("a"), called(&["x"]), user("b")]), None);
    // Ids that a client wrote anew: one call of that name is open.
    assert_eq!(mended(&[user("a"), called(&["x"]), result("other", "X"), user("b")]), None);
}

#[test]
fn a_window_that_begins_behind_the_call_loses_its_result() {
    let sent = [result("gone", "?"), said("It says so."), user("b")];
    assert_eq!(mended(&sent), Some((vec![said("It says so."), user("b")], 1, 0)));
    let sent = [result("gone", "?"), user("b")];
    assert_eq!(mended(&sent), Some((vec![user("b")], 1, 0)));
}

#[test]
fn results_that_came_late_are_put_behind_their_calls() {
    let sent = [user("a"), called(&["x", "y"]), result("y", "Y"), user("wait"), result("x", "X"), user("b")];
    let right =
        vec![user("a"), called(&["x", "y"]), result("y", "Y"), result("x", "X"), user("wait"), user("b")];
    assert_eq!(mended(&sent), Some((right, 0, 1)));
    // Two rounds, both reordered: each result finds its own.
    let sent = [called(&["x"]), called(&["y"]), user("a"), result("y", "Y"), result("x", "X"), user("b")];
    let right =
        vec![called(&["x"]), result("x", "X"), called(&["y"]), result("y", "Y"), user("a"), user("b")];
    assert_eq!(mended(&sent), Some((right, 0, 2)));
}

#[test]
fn results_that_came_early_are_put_behind_their_calls() {
    let sent = [user("a"), result("x", "X"), result("y", "Y"), called(&["x", "y"]), user("b")];
    let right = vec![user("a"), called(&["x", "y"]), result("x", "X"), result("y", "Y"), user("b")];
    assert_eq!(mended(&sent), Some((right.clone(), 0, 2)));
    // Where it comes in its place as well, that one is meant.
    let sent =
        [user("a"), result("x", "?"), called(&["x", "y"]), result("x", "X"), result("y", "Y"), user("b")];
    assert_eq!(mended(&sent), Some((right, 1, 0)));
    let sent = [user("a"), called(&["x"]), result("x", "X"), result("x", "?"), called(&["x"]), user("b")];
    let right = vec![user("a"), called(&["x"]), result("x", "X"), called(&["x"]), user("b")];
    assert_eq!(mended(&sent), Some((right, 1, 0)), "nobody knows what a second result is of");
}

#[test]
fn doubled_and_invented_results_are_left_out() {
    let whole = vec![user("a"), called(&["x"]), result("x", "X"), user("b")];
    let doubled = [user("a"), called(&["x"]), result("x", "X"), result("x", "X"), user("b")];
    assert_eq!(mended(&doubled), Some((whole.clone(), 1, 0)));
    let again = [user("a"), called(&["x"]), result("x", "X"), user("b"), result("x", "X")];
    assert_eq!(mended(&again), Some((whole, 1, 0)));
}

/// Then the client has to know: it brought nothing else that could be answered.
#[test]
fn results_alone_are_not_mended() {
    assert_eq!(mended(&[result("x", "X")]), None);
    assert_eq!(mended(&[user("a"), result("x", "X")]), None);
    assert_eq!(mended(&[user("a"), said("b"), result("x", "X")]), None);
    assert_eq!(
        mend(&[user("a"), result("x", "X"), user("b")], &[], false),
        None,
        "a session knows its history"
    );
}

/// Whatever is sent: nothing is invented, calls and words stay in their order, and a mended history needs no mending.
#[test]
fn random_histories_keep_their_words() {
    let mut seed = 7_u64;
    let mut next = move |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    for _ in 0..5_000 {
        let ids = ["a", "b", "c", "d", "e"];
        let mut sent = Vec::new();
        for _ in 0..=next(9) {
            let id = ids[next(5) as usize];
            sent.push(match next(4) {
                0 => user(id),
                1 => said(id),
                2 => called(&ids[..=next(3) as usize]),
                _ => result(id, id),
            });
        }
        sent.push(user("end"));
        let Some(mended) = mend(&sent, &[], true) else { continue };
        let words = |messages: &[Message]| -> Vec<Message> {
            messages.iter().filter(|message| !matches!(message, Message::Tool { .. })).cloned().collect()
        };
        assert_eq!(words(&mended.messages), words(&sent), "{sent:?}");
        assert_eq!(mended.messages.len() + mended.left_out, sent.len(), "{sent:?}");
        assert_eq!(mend(&mended.messages, &[], true), None, "{sent:?} became {:?}", mended.messages);
    }
}
