//! Tests of [`super::calls`].

use std::collections::VecDeque;

use super::calls::Calls;
use super::decoding_tests::endpoint;
use crate::{Error, Request};

#[test]
fn calls_are_bounded() {
    let (mut calls, mut events, from) = (Calls::new(&Request::default()), VecDeque::new(), endpoint());
    for number in 0..128 {
        calls.start(number, "", "f", &from, &mut events).unwrap();
    }
    let error = Error::TooLarge { what: "tool calls", limit: 128 };
    assert_eq!(calls.start(128, "", "f", &from, &mut events), Err(error));
    assert_eq!((calls.len(), events.len()), (128, 128));
}
