//! What is cut and what must not be.

use proptest::prelude::*;

use super::{Segment, SegmentKind, Trace, TraceDetails};

fn segment(line: usize, text: &str) -> Segment {
    let kind = if line.is_multiple_of(2) { SegmentKind::Result } else { SegmentKind::Response };
    Segment { line: line as u64, kind, label: format!("s{line}").as_str().into(), text: text.into() }
}

fn trace(segments: Vec<Segment>) -> Trace {
    let shown: Vec<String> = segments.iter().map(Segment::shown).collect();
    Trace {
        question: "q".to_owned(),
        reasoning: shown.join("\n"),
        answer: String::new(),
        skill_ids: Vec::new(),
        feedback: String::new(),
        ground_truth: None,
        extra: TraceDetails::default(),
        segments,
    }
}

fn passes(trace: &Trace, budget: usize) -> Vec<String> {
    trace.passes(budget, &str::to_owned).collect()
}

#[test]
fn a_view_leaves_out_the_longest_result_first_and_says_where() {
    let trace = trace(vec![segment(1, &"w".repeat(2000)), segment(2, &"r".repeat(3000)), segment(3, "end")]);
    let view = trace.view(3000, &str::to_owned);
    assert_eq!((view.left_out, view.lines.as_slice()), (2600, &[2][..]));
    assert!(view.text.contains("[… 2600 characters of line 2 left out …]"), "{}", view.text);
    assert!(view.text.contains(&"w".repeat(2000)));
    assert_eq!(trace.view(10_000, &str::to_owned).text, trace.reasoning);
}

#[test]
fn a_part_without_text_still_needs_room_for_its_label() {
    let trace = trace(vec![segment(0, &"w".repeat(240)), segment(1, "")]);
    assert_eq!(passes(&trace, 250), [format!("[s0] {}\n", "w".repeat(240)), "[s1] \n".to_owned()]);
}

#[test]
fn a_label_longer_than_the_budget_is_clipped_and_the_text_goes_on() {
    let long = Segment { label: "l".repeat(300).as_str().into(), ..segment(1, &"w".repeat(150)) };
    let passes = passes(&trace(vec![long]), 100);
    assert_eq!(passes.iter().map(|pass| pass.matches('w').count()).sum::<usize>(), 150);
    assert!(passes.iter().all(|pass| pass.chars().count() <= 100), "{passes:?}");
}

proptest! {
    #[test]
    fn passes_hold_everything(texts in prop::collection::vec("[a-zé☃]{0,400}", 1..12), budget in 100usize..500) {
        let segments: Vec<Segment> = texts.iter().enumerate().map(|(at, text)| segment(at, text)).collect();
        let passes = passes(&trace(segments), budget);
        let held: usize = passes.iter().map(|pass| pass.chars().filter(|c| "é☃".contains(*c)).count()).sum();
        let all: usize = texts.iter().map(|text| text.chars().filter(|c| "é☃".contains(*c)).count()).sum();
        prop_assert_eq!(held, all);
        for pass in &passes {
            prop_assert!(pass.chars().count() <= budget, "{} > {budget}", pass.chars().count());
        }
    }
}
