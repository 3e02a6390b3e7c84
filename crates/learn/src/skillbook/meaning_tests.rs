//! What means the same, what does not, and what is the opposite.

use super::meaning::{Likeness, likeness};

#[track_caller]
fn assert_all(pairs: &[(&str, &str)], expected: Likeness) {
    let wrong: Vec<_> = pairs
        .iter()
        .flat_map(|(one, other)| [(one, other), (other, one)])
        .filter(|(one, other)| likeness(one, other) != expected)
        .map(|(one, other)| format!("{one} | {other}: {:?}", likeness(one, other)))
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn other_words_for_the_same_are_the_same() {
    assert_all(
        &[
            (
                "Pass `limit: 50` when calling `list_invoices`",
                "Never ask list_invoices for more than 50 at once",
            ),
            (
                "Set `limit` to at most 50 for list_invoices",
                "Keep page sizes of list_invoices at fifty or below",
            ),
            ("Always put reports into out/reports", "Every report you write goes to out/reports"),
            ("Write commit messages in the imperative mood", "Phrase commit subjects as imperatives"),
            ("Run pytest with xdist, the suite is slow", "Never run pytest without xdist here"),
            ("Run `make gen` before `make test`", "Run make test after make gen"),
            (
                "Production settings are in config/prod.yaml, not settings.yaml",
                "Read config/prod.yaml when asked about production settings",
            ),
            ("Never use em dashes in our emails", "Emails without em dashes from now on, I don't like them"),
            ("We use pnpm here, not npm", "Always pnpm instead of npm"),
            ("When you write SQL, always qualify the columns", "Qualify column names in SQL"),
            (
                "Always round amounts to whole euros in summaries",
                "Always round to full euros when you summarise",
            ),
            ("Keep summaries below 120 words", "A summary must not be longer than 120 words"),
            ("Keep summaries under 120 words", "Summaries are never longer than 120 words"),
            ("Use pnpm, not npm, in this repository", "In this repo we work with pnpm rather than npm"),
            (
                "Delete temporary folders when the job ends",
                "Remove temporary directories at the end of the job",
            ),
        ],
        Likeness::Same,
    );
}

#[test]
fn another_value_is_another_lesson() {
    assert_all(
        &[
            ("Use port 8080 for the billing service", "Use port 9090 for the billing service"),
            ("Use two spaces in YAML files", "Use four spaces in YAML files"),
            ("Run the linter before pushing", "Run the formatter before pushing"),
            ("Ask for at most 50 rows per page", "Ask for at least 50 rows per page"),
            ("Keep summaries below 120 words", "Keep summaries above 120 words"),
            ("Use pnpm, not npm, in this repository", "Use npm, not pnpm, in this repository"),
            ("Run `make gen` before `make test`", "Run `make test` before `make gen`"),
            ("Pass `limit: 50` when calling `list_invoices`", "Pass `limit: 50` when calling `list_orders`"),
            ("Stat a path before reading it", "Stat a path before deleting it"),
            ("Write summaries in German", "Write summaries in French"),
            (
                "Archive the contract annexes with two dated witness statements",
                "Print the large drawings with two coloured pens",
            ),
        ],
        Likeness::Other,
    );
}

#[test]
fn an_order_and_its_ban_are_opposites() {
    assert_all(
        &[
            (
                "Use rebase to update a shared feature branch",
                "Never use rebase to update a shared feature branch",
            ),
            ("Commit generated files of the parser", "Do not commit generated files of the parser"),
            ("Use tabs in a Makefile recipe", "Do not use tabs in a Makefile recipe"),
        ],
        Likeness::Opposite,
    );
}
