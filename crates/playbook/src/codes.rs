//! The codes of playbooks and of what is wrong with the answers to them.
//!
//! Must never lose a row: codes are in reports and in the programs of clients.

engross_protocol::codes! {
    CHANGE_REFUSED: Refused, 200 {
        summary: "The change that the model proposed for a position was not made.",
        why: "\
            Its words are not in the clause, it is about another clause, or the engine refused the operation. The \
            verdict stands, and the reason is in a comment.",
        remedy: "Read the position's entry in the report, and make the change yourself or by `engross edit`.",
    }
    CITATION_REFUSED: Refused, 200 {
        summary: "The model cited words that are not in the clause, so its verdict was not taken.",
        why: "\
            Every verdict needs a quotation that is in the document, word by word, in the clause that the position is \
            about. The model was told so and asked once more.",
        remedy: "Read the clause yourself, or run the review again with another model.",
    }
    NO_LANGUAGE_MODEL: Refused, 200 {
        summary: "The position needs a language model, and none is set.",
        why: "Without one only missing clauses and the quoted words of `Never:` are found.",
        remedy: "Name a model: `--model ollama/NAME`, or another one of `docs/guide/models.md`.",
    }
    PLAYBOOK_INVALID: Usage, 400 {
        summary: "The playbook cannot be used; the message names the line.",
        why: "\
            A position begins with `## Clause` and has at least one paragraph that begins with `Standard:`. A label is \
            misspelt, stands twice or is empty, or two positions have one name.",
        remedy: "Correct that line. The format is in `docs/guide/playbooks.md`.",
    }
    POSITION_UNANSWERED: Refused, 200 {
        summary: "The model left a position out, or its answer could not be used.",
        why: "\
            It answered in prose, with a verdict that there is not, without a reason, or not at all. It was told so and \
            asked once more.",
        remedy: "Run the review again, with another model if it happens again.",
    }
}
