//! Jobs that no operation does yet. An entry goes when its job is done.

/// Jobs that wait for an operation, with the reason.
pub(super) const WAITING: &[(&str, &str)] = &[
    ("05 references follow a new clause", "references as operations"),
    ("05 stale references are told wholly", "references as operations"),
    ("16 a clause moves and is still meant", "references as operations"),
    ("16 the last paragraph moves", "references as operations"),
    ("17 a clause is struck and references become words or mean another", "references as operations"),
    ("17 a clause that is meant elsewhere is not struck in silence", "references as operations"),
    ("23 accepted and edited in one batch", "controls, headers and own revisions"),
    ("26 a paragraph becomes a table", "tables and blocks"),
    ("33 a footnote is edited commented and added", "the content model and its operations"),
    ("34 a text box says the same in both forms", "controls, headers and own revisions"),
    ("37 a contents table", "references as operations"),
    ("37 a picture goes", "the content model and its operations"),
    ("37 a picture is put in and changed", "the content model and its operations"),
    ("37 links are made changed and taken away", "the content model and its operations"),
    ("38 a list at a clause does not join the clauses", "the content model and its operations"),
    ("38 a new document of markdown", "the content model and its operations"),
    ("39 nothing is lost on the way to markdown", "the content model and its operations"),
];
