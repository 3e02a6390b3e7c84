//! Short texts are the texts that they were made of.

use proptest::prelude::*;

use super::session::{StepKind, StepResult, TranscriptStep};
use super::short_text::{SharedName, SharedNames, ShortText, StepTime};

#[test]
fn times_that_agents_write_need_no_memory_and_others_stay_as_they_are() {
    for text in [
        "2026-11-28T02:38:38.123Z",
        "0000-00-00T00:00:00.000Z",
        "9999-99-99T99:99:99.999Z",
        "2026-11-28T02:38:38Z",
        "2026-11-28T02:38:38.123456Z",
        "2026-11-28T02:38:38.123z",
        "1764297518123",
        "",
        "٢026-11-28T02:38:38.12Z",
    ] {
        assert_eq!(StepTime::from(text).to_string(), text);
    }
}

#[test]
fn one_name_stands_once() {
    let mut names = SharedNames::default();
    let (one, other) = (names.name("exec"), names.name("exec"));
    assert_eq!(std::ptr::from_ref::<str>(&one), std::ptr::from_ref::<str>(&other));
    assert_eq!(names.name("read"), "read");
}

/// A session of 300 MB may have half a million messages: what each takes is counted in bytes.
#[test]
fn a_step_is_small() {
    assert_eq!(size_of::<Option<ShortText>>(), 24);
    assert_eq!(size_of::<Option<StepTime>>(), 16);
    assert_eq!(size_of::<SharedName>(), 8);
    assert!(size_of::<StepResult>() <= 40, "{}", size_of::<StepResult>());
    assert!(size_of::<StepKind>() <= 88, "{}", size_of::<StepKind>());
    assert!(size_of::<TranscriptStep>() <= 144, "{}", size_of::<TranscriptStep>());
}

proptest! {
    #[test]
    fn a_short_text_is_the_text(text in "\\PC{0,40}") {
        let short = ShortText::from(text.as_str());
        prop_assert_eq!(&*short, text.as_str());
        prop_assert_eq!(&short, &short.clone());
        prop_assert_eq!(StepTime::from(text.as_str()).to_string(), text);
    }
}
