use super::*;

fn only(old: &str, new: &str) -> DeliveredChange {
    let changes = changes_of(old, new);
    assert_eq!(changes.len(), 1, "{changes:?}");
    changes.into_iter().next().unwrap()
}

fn paragraph(accepted: &str, original: &str) -> ParagraphViews {
    ParagraphViews { accepted: accepted.to_owned(), original: original.to_owned() }
}

const OLD: &str = "The Supplier shall deliver the Goods within 60 days of the order.";
const NEW: &str = "The Supplier must deliver the Goods within 60 days of the order.";

#[test]
fn a_change_is_known_by_what_stands_around_it() {
    let change = only(OLD, NEW);
    assert_eq!((change.old.as_str(), change.new.as_str()), ("shall", "must"));
    for (accepted, original, expected) in [
        (NEW, OLD, ChangeFate::Pending),
        (NEW, NEW, ChangeFate::Accepted),
        (OLD, OLD, ChangeFate::Rejected),
        // The person took it back with a tracked change of their own.
        (OLD, NEW, ChangeFate::Rejected),
    ] {
        let others = paragraph("Nothing else is said here.", "Nothing else is said here.");
        assert_eq!(fate_of(&change, &[others, paragraph(accepted, original)]), expected, "{accepted}");
    }
    let reworded = OLD.replace("shall", "is to");
    assert_eq!(
        fate_of(&change, &[paragraph(&reworded, &reworded)]),
        ChangeFate::Reworded("is to".to_owned())
    );
}

#[test]
fn what_cannot_be_found_or_stands_twice_is_unclear() {
    let change = only(OLD, NEW);
    let twice = [paragraph(OLD, OLD), paragraph(OLD, OLD)];
    assert_eq!(fate_of(&change, &twice), ChangeFate::Unclear);
    assert_eq!(fate_of(&change, &[paragraph("All is new.", "All is new.")]), ChangeFate::Unclear);
    let whole = only("", "We agree.");
    assert_eq!(fate_of(&whole, &[paragraph("We agree.", "We agree.")]), ChangeFate::Unclear);
}

#[test]
fn preferences_say_what_to_write() {
    let change = only(OLD, NEW);
    let content =
        |change: &DeliveredChange, fate: &ChangeFate| lesson_of(change, fate).map(|lesson| lesson.content);
    assert_eq!(
        content(&change, &ChangeFate::Rejected).as_deref(),
        Some("Keep \"shall\": do not change it to \"must\"")
    );
    assert_eq!(
        content(&change, &ChangeFate::Accepted).as_deref(),
        Some("Write \"must\" instead of \"shall\"")
    );
    let terms = only("Payment is due within 45 days.", "Payment is due within 60 days.");
    assert_eq!(
        content(&terms, &ChangeFate::Reworded("30".to_owned())).as_deref(),
        Some("Write \"30\" after \"due within\", never \"60\"")
    );
    assert_eq!(content(&terms, &ChangeFate::Pending), None);
    let deleted = only("Time is of the essence here.", "Time is here.");
    assert_eq!(
        content(&deleted, &ChangeFate::Rejected).as_deref(),
        Some("Keep \"of the essence\": do not delete it")
    );
    // A comma is no preference.
    assert_eq!(content(&only("one two", "one, two"), &ChangeFate::Rejected), None);
}

#[test]
fn preferences_of_other_words_do_not_meet() {
    use crate::skillbook::{Likeness, likeness};
    let keep = |old: &str, new: &str| format!("Keep \"{old}\": do not change it to \"{new}\"");
    let like = |one: &str, other: &str| likeness(one, other);
    assert_eq!(like(&keep("shall", "must"), &keep("shall", "must")), Likeness::Same);
    for (one, other) in [
        (keep("shall", "must"), keep("may", "will")),
        (keep("shall", "must"), keep("must", "shall")),
        (keep("30 days", "60 days"), keep("30 days", "90 days")),
        (keep("Supplier", "Vendor"), keep("Supplier", "Seller")),
        (
            "Write \"30\" after \"due within\", never \"60\"".to_owned(),
            "Write \"60\" after \"due within\", never \"30\"".to_owned(),
        ),
    ] {
        assert_ne!(like(&one, &other), Likeness::Same, "{one} | {other}");
    }
}
