//! Codes and their pages.

use std::collections::BTreeSet;

use crate::continuation::{JoinError, Limit};
use crate::framing::InvalidUtf8;
use crate::json_field::ArgsError;
use crate::patch::PatchError;
use crate::{Error, codes};

fn all() -> Vec<Error> {
    let text = || "words".to_owned();
    vec![
        Error::TargetRequired,
        Error::InvalidOperation(text()),
        Error::Options(text()),
        Error::Args(ArgsError::Invalid { at: 1, content: 1, problem: text() }),
        Error::Args(ArgsError::Incomplete { at: 1, content: 1 }),
        Error::Args(ArgsError::ContentMissing { at: 1 }),
        Error::UnsupportedTarget(text()),
        Error::NotComposed(text()),
        Error::EmptyContent,
        Error::TooLarge { limit: 1 },
        Error::Encoding(InvalidUtf8 { offset: 1 }),
        Error::ValidationFailed { errors: 1, line: 1, message: text() },
        Error::Incomplete { bytes: 1, line: 1, cause: "stop" },
        Error::AmbiguousEnd { line: 1 },
        Error::MarkerInContent { line: 1 },
        Error::ContinuationLimit(Limit::Loop),
        Error::ContinuationUnclean(JoinError::Fence),
        Error::OffsetMismatch { offset: 1, expected: 2, problem: "differ" },
        Error::SessionNotFound(text()),
        Error::SessionExpired,
        Error::SessionConflict(text()),
        Error::Cancelled,
        Error::Patch(PatchError::NoMatch { what: text() }),
        Error::Patch(PatchError::Ambiguous { what: text(), count: 2, lines: vec![1, 2] }),
        Error::Patch(PatchError::Invalid { problem: text() }),
    ]
}

#[test]
fn every_error_has_a_code_that_is_listed() {
    let elsewhere = ["TARGET_REQUIRED", "INVALID_OPERATION", "TOO_LARGE"];
    let listed: BTreeSet<&str> = codes::ALL.iter().map(|row| row.name).chain(elsewhere).collect();
    let given: BTreeSet<&str> = all().iter().map(Error::code).collect();
    assert!(given.is_subset(&listed), "{:?}", given.difference(&listed));
}
