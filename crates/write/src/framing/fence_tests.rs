//! What opens and closes a fence.

use super::fence::FenceTracker;

#[test]
fn fences_follow_commonmark() {
    let cases = [
        ("```", true),
        ("   ~~~ text", true),
        ("    ```", false),
        ("``", false),
        ("```a`b", false),
        ("~~~a`b", true),
        ("x```", false),
        ("\t```", false),
        ("```\n```", false),
        ("````\n```", true),
        ("```\n````  ", false),
        ("```\n``` x", true),
        ("```\n~~~", true),
        ("```\r\n```\r\n", false),
        ("```\n    ```", true),
    ];
    for (text, open) in cases {
        let mut fences = FenceTracker::default();
        for (number, line) in (1..).zip(text.split('\n')) {
            fences.begin_line();
            for piece in line.as_bytes().chunks(1) {
                fences.feed(piece);
            }
            fences.end_line(number);
        }
        assert_eq!(fences.open().is_some(), open, "{text:?}");
        let mut at_once = FenceTracker::default();
        for (number, line) in (1..).zip(text.split('\n')) {
            if at_once.whole_line(line.as_bytes()) {
                at_once.opened_on(number);
            }
        }
        assert_eq!(at_once.open(), fences.open(), "{text:?}");
    }
}
