use std::collections::BTreeSet;

use engross_protocol::Failure;

use super::error::ScopeError;
use crate::codes;

fn all() -> Vec<ScopeError> {
    let text = || "x\n".repeat(300);
    vec![
        ScopeError::KeyInvalid { what: "run id", problem: text() },
        ScopeError::scope_invalid(&text()),
        ScopeError::ScopeMismatch,
        ScopeError::ScopeMissing { scope: "tasks/s/r".to_owned() },
        ScopeError::dir(&text(), "it is absolute"),
        ScopeError::ScopeRequired,
        ScopeError::path(&text(), "it is empty"),
        ScopeError::not_found(&text()),
        ScopeError::refused(&text(), "it is a folder"),
        ScopeError::changed(&text()),
        ScopeError::RefInvalid { problem: "it is too long" },
        ScopeError::RefExpired,
        ScopeError::RefMismatch { what: "path" },
        ScopeError::LinkInvalid,
        ScopeError::LinkExpired,
        ScopeError::RangeInvalid { size: 3 },
        ScopeError::CursorInvalid,
        ScopeError::Stopped,
        ScopeError::KeyUnusable { problem: "its secret is too short" },
    ]
}

#[test]
fn every_error_has_its_code_and_the_list_has_no_other() {
    let codes: BTreeSet<&str> = all().iter().map(ScopeError::code).collect();
    assert_eq!(codes, codes::ALL.iter().map(|row| row.name).collect());
    assert_eq!(codes.len(), all().len());
}

#[test]
fn every_error_says_what_to_do_and_repeats_no_more_than_a_line() {
    for error in all().into_iter().skip(1) {
        let text = error.to_string();
        assert!(text.contains(": ") && !text.contains('\n') && text.chars().count() < 600, "{text}");
    }
}

#[test]
fn the_code_goes_through_to_the_failure() {
    for error in all() {
        assert_eq!(Failure::from(error.clone()).code, error.code());
    }
}
