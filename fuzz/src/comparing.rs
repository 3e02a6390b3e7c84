//! Two versions of one document, made by arbitrary operations, and their redlines.

use super::operations::batch;
use super::sample::sample;
use engross_docx::ops::parse_batch;
use engross_docx::read::{ReadOptions, View};
use engross_docx::revisions::Side;
use engross_docx::{
    CompareOptions, ComparedView, EditOptions, Granularity, Limits, MergeOptions, Tracking, WordDocument,
    changes_of, compare as redline_of, compare_three, merged,
};

/// Rejecting a redline gives the first version, accepting it the second; with kept revisions, too. A version against itself has no
/// change, and two equal sides are one.
pub fn compare(data: &[u8]) {
    let (Some((half, rest)), limits) = (data.split_at_checked(data.len() / 2), Limits::default()) else {
        return;
    };
    let (Some(before), Some(after)) = (version(half), version(rest)) else { return };
    let options = |keep_revisions| CompareOptions {
        author: "G".to_owned(),
        date: "2026-02-02T00:00:00Z".to_owned(),
        view: ComparedView::Accepted,
        keep_revisions,
        formatting: true,
        moves: !data.len().is_multiple_of(3),
        granularity: Granularity::Word,
    };
    for version in [&before, &after] {
        let same = redline_of(version.clone(), version.clone(), &options(false), &limits)
            .expect("a document is one");
        assert!(same.bytes == *version, "a document against itself is itself");
    }
    // What is the same to the byte stays so, with the changes that are pending in it.
    for keep in [false, true].into_iter().filter(|_| before != after) {
        let made = match redline_of(before.clone(), after.clone(), &options(keep), &limits) {
            Ok(made) => made,
            Err(error) => panic!("both are documents: {error} of {} and {}", batch(half), batch(rest)),
        };
        let (first, second) =
            if keep { (View::Original, View::Accepted) } else { (View::Accepted, View::Accepted) };
        assert!(
            says(&made.bytes, Side::Reject) == text(&before, first),
            "rejecting gives the first, kept: {keep}, of {} and {}",
            batch(half),
            batch(rest)
        );
        assert!(
            says(&made.bytes, Side::Accept) == text(&after, second),
            "accepting gives the second, kept: {keep}, of {} and {}",
            batch(half),
            batch(rest)
        );
        assert!(changes_of(made.bytes, &limits).is_ok(), "changes can be listed");
    }
    let sides = MergeOptions {
        authors: ["Ada".to_owned(), "Bob".to_owned()],
        date: "2026-02-02T00:00:00Z".to_owned(),
        view: ComparedView::Accepted,
        granularity: Granularity::Word,
    };
    let met =
        compare_three(before, after.clone(), after.clone(), &sides, &limits).expect("all are documents");
    assert!(met.conflicts.is_empty(), "equal sides have no conflict: {:?}", met.conflicts);
    assert!(says(&met.bytes, Side::Accept) == text(&after, View::Accepted), "equal sides are one");
    assert!(
        merged(&met, &limits).is_ok_and(|done| text(&done, View::Accepted) == text(&after, View::Accepted))
    );
}

/// The sample after a batch that the bytes choose.
fn version(data: &[u8]) -> Option<Vec<u8>> {
    let batch = parse_batch(&batch(data)).ok()?;
    let mut document = sample();
    let options = EditOptions { author: "F".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    document.apply(&batch, &options).ok()?;
    document.save(Tracking::Tracked).ok().map(|saved| saved.bytes)
}

fn says(redline: &[u8], side: Side) -> Vec<String> {
    let mut document =
        WordDocument::open(redline.to_vec(), &Limits::default()).expect("a redline can be opened");
    document.resolve_all(side).expect("a redline can be resolved");
    let saved = document.save(Tracking::Tracked).expect("a resolved redline can be saved");
    text(&saved.bytes, View::Accepted)
}

/// The paragraphs of the body; boxes, notes and headers are empty or unseen when their text goes.
fn text(bytes: &[u8], view: View) -> Vec<String> {
    let mut document =
        WordDocument::open(bytes.to_vec(), &Limits::default()).expect("a version can be opened");
    // Accepted for good: what a reading leaves out of a view is no paragraph there.
    let side = if view == View::Original { Side::Reject } else { Side::Accept };
    document.resolve_all(side).expect("a version can be resolved");
    let options = ReadOptions { view: View::Accepted, labels: false, ..ReadOptions::default() };
    document
        .read(&options)
        .map(|reading| reading.paragraphs.into_iter().map(|p| p.text).collect())
        .unwrap_or_default()
}
