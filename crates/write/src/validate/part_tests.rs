//! Parts of files that were sent in the place of all of them.

use super::part::missing_part;

fn program(functions: usize) -> String {
    (0..functions).map(|n| format!("def f{n}(x):\n    total = x + {n}\n    return total\n\n")).collect()
}

#[test]
fn a_part_is_told_from_all_of_it() {
    let whole = program(6);
    let (head, tail) = whole.split_at(whole.len() / 2);
    let chatty = format!("Sure, here it is:\n\n```python\n{whole}```\n\nLet me know if you need more!\n");
    for part in [head, tail, "def f3(x):\n    return x\n", &whole[100..], &whole[..whole.len() - 100]] {
        for refused in [&whole, &chatty] {
            let found = missing_part(part.as_bytes(), refused.as_bytes());
            assert!(found.is_some(), "{part}");
        }
    }
    let mended = whole.replace("x + 3", "x - 3");
    let renamed = whole.replace("total", "sum");
    let longer = format!("{whole}{}", program(9));
    let without_first = whole.split_once('\n').unwrap().1;
    for all in [&whole, &mended, &renamed, &longer, without_first] {
        for refused in [&whole, &chatty] {
            assert_eq!(missing_part(all.as_bytes(), refused.as_bytes()), None, "{all}");
        }
    }
    // A short file that was wrapped in words, and one of which nothing is left.
    let short = "I've updated the file.\n\n```python\ndef f():\n    return 2\n```\n\nLet me know!\n";
    assert_eq!(missing_part(b"def f():\n    return 2\n", short.as_bytes()), None);
    assert_eq!(missing_part(b"", b""), None);
    assert!(missing_part(b"", whole.as_bytes()).is_some());
}
