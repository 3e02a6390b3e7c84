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
    ("34 a text box says the same in both forms", "controls, headers and own revisions"),
    ("37 a contents table", "references as operations"),
];
