use std::time::Duration;

use engross_protocol::SessionId;

use super::waiting::{Next, Waiting};

fn id(number: u8) -> SessionId {
    SessionId::from_bytes([number; 16])
}

#[test]
fn each_session_waits_once_in_the_order_they_came() {
    let waiting = Waiting::new(9, Duration::from_secs(60));
    for number in [2, 1, 2, 3, 1] {
        waiting.add(id(number));
    }
    waiting.stop();
    let next: Vec<Next> = (0..4).map(|_| waiting.next(true)).collect();
    assert_eq!(next, [Next::Session(id(2)), Next::Session(id(1)), Next::Session(id(3)), Next::Stop]);
}

#[test]
fn too_many_are_all() {
    let waiting = Waiting::new(2, Duration::from_secs(60));
    for number in 0..9 {
        waiting.add(id(number));
    }
    let next: Vec<Next> = (0..4).map(|_| waiting.next(true)).collect();
    assert_eq!(next, [Next::Session(id(0)), Next::Session(id(1)), Next::All, Next::More]);
}

#[test]
fn those_behind_are_counted_once() {
    let waiting = Waiting::new(9, Duration::from_secs(60));
    for number in [1, 2, 1] {
        waiting.add(id(number));
    }
    waiting.failed(id(2));
    waiting.failed(id(3));
    assert_eq!(waiting.behind(), 3);
    waiting.written(id(3));
    assert_eq!(waiting.next(false), Next::Session(id(1)));
    assert_eq!(waiting.behind(), 1);
}

#[test]
fn what_failed_comes_again() {
    let waiting = Waiting::new(2, Duration::from_millis(1));
    assert!(waiting.failed(id(1)), "told once");
    assert!(!waiting.failed(id(1)));
    assert_eq!(waiting.next(false), Next::Session(id(1)));
    waiting.written(id(1));
    assert!(waiting.failed(id(1)) && waiting.failed(id(2)) && !waiting.failed(id(3)));
    let mut next: Vec<Next> = (0..2).map(|_| waiting.next(false)).collect();
    next.sort_by_key(|next| matches!(next, Next::Session(session) if *session == id(2)));
    assert_eq!(next, [Next::Session(id(1)), Next::Session(id(2))]);
    assert_eq!(waiting.next(false), Next::All, "one was not remembered");
}
