//! Thoughts that clients keep come back as they were, and nothing else does.

use serde_json::json;

use crate::{Thought, ThoughtForm, seal_thoughts, unseal_thoughts};

#[test]
fn what_was_sealed_comes_back() {
    let form = |form| Thought { by: "m".to_owned(), form };
    let thoughts = vec![
        form(ThoughtForm::Signed { text: "why – ü".to_owned(), signature: "s".to_owned() }),
        form(ThoughtForm::Sealed { data: "d".to_owned() }),
        form(ThoughtForm::Plain { field: "reasoning".to_owned(), text: "t".to_owned() }),
        form(ThoughtForm::Details { items: vec![json!({"type": "reasoning.text", "text": "t"})] }),
    ];
    let sealed = seal_thoughts(&thoughts);
    assert_eq!(unseal_thoughts(&sealed), Some(thoughts));
    for foreign in ["", "gAAAAABo", "engross1.", "engross1.!!", "engross1.e30", &sealed[..sealed.len() - 3]] {
        assert_eq!(unseal_thoughts(foreign), None, "{foreign}");
    }
}
