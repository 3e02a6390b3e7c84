//! The rule of pairing, case by case, and what holds of any order.

use proptest::prelude::*;

use super::pairing::{CallPairs, Pairing, ResultMatch};

/// `a`, `b`: calls of these ids; `A`, `B`: results.
fn pairs(marks: &str) -> CallPairs {
    let mut pairing = Pairing::default();
    for mark in marks.chars() {
        let id = mark.to_lowercase().to_string();
        if mark.is_lowercase() {
            pairing.call(&id);
        } else {
            pairing.result(&id);
        }
    }
    pairing.finish()
}

fn paired(call: usize) -> ResultMatch {
    ResultMatch::Paired { call, is_late: false }
}

fn late(call: usize) -> ResultMatch {
    ResultMatch::Paired { call, is_late: true }
}

#[test]
fn case_37_results_out_of_order_are_bound_by_id() {
    assert_eq!(pairs("abBA").of_result, [paired(1), paired(0)]);
}

#[test]
fn case_38_a_result_before_its_call_is_bound_late() {
    assert_eq!(pairs("Aa").of_result, [late(0)]);
    assert_eq!(pairs("AaA").of_result, [late(0), ResultMatch::Duplicate { call: 0 }]);
    assert_eq!(pairs("AAa").of_result, [late(0), ResultMatch::Duplicate { call: 0 }]);
    assert_eq!(pairs("Aaa").of_result, [ResultMatch::Orphan], "two calls follow, so it could be either's");
}

#[test]
fn case_39_of_two_results_the_first_counts() {
    let pairs = pairs("aAA");
    assert_eq!(pairs.of_result, [paired(0), ResultMatch::Duplicate { call: 0 }]);
    assert_eq!(pairs.of_call, [Some(0)]);
}

#[test]
fn case_40_a_call_without_a_result_has_none() {
    assert_eq!(pairs("abA").of_call, [Some(0), None]);
}

#[test]
fn case_41_a_result_without_a_call_is_an_orphan() {
    assert_eq!(pairs("aAB").of_result, [paired(0), ResultMatch::Orphan]);
}

#[test]
fn case_42_an_id_used_again_means_the_newest_open_call() {
    assert_eq!(pairs("aAaA").of_result, [paired(0), paired(1)]);
    assert_eq!(pairs("aaA").of_call, [None, Some(0)], "the first call was aborted");
}

#[test]
fn case_43_four_calls_at_once_make_four_pairs() {
    assert_eq!(pairs("abcdDBAC").of_call, [Some(2), Some(1), Some(3), Some(0)]);
}

proptest! {
    #[test]
    fn a_call_and_its_result_know_each_other(marks in "[abcABC]{0,30}") {
        let pairs = pairs(&marks);
        for (call, result) in pairs.of_call.iter().enumerate() {
            if let Some(result) = result {
                let ResultMatch::Paired { call: known, .. } = pairs.of_result[*result] else { panic!("a pair is mutual") };
                prop_assert_eq!(known, call);
            }
        }
        let bound = pairs.of_result.iter().filter(|fate| matches!(fate, ResultMatch::Paired { .. })).count();
        prop_assert_eq!(bound, pairs.of_call.iter().flatten().count());
        for fate in &pairs.of_result {
            if let ResultMatch::Duplicate { call } = fate {
                prop_assert!(pairs.of_call[*call].is_some(), "only a call with a result has a second one");
            }
        }
    }
}
