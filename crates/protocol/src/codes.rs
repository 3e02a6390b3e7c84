//! Error codes: one row for each, from which exit codes, statuses, JSON-RPC numbers and the pages in docs/errors are made.
//!
//! Must never hold two rows of one name: a test over all tables fails then.

use crate::exit::Exit;

/// The row of one error code. Each crate declares its rows with [`codes!`](crate::codes!).
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The code itself, upper snake case. It never changes.
    pub name: &'static str,
    /// The exit status of a command that ends with it; [`Exit::Done`] of a warning or a finding.
    pub exit: Exit,
    /// The HTTP status of a request that fails with it; 200 of a warning or a finding.
    pub status: u16,
    /// Its number in JSON-RPC, if a method answers with it.
    pub rpc: Option<i64>,
    /// What happened, in one sentence.
    pub summary: &'static str,
    /// Why it happens.
    pub why: &'static str,
    /// What to do next.
    pub remedy: &'static str,
}

/// The row called `name` in one of `tables`.
#[must_use]
pub fn find(tables: &[&[&'static Code]], name: &str) -> Option<&'static Code> {
    tables.iter().copied().flatten().copied().find(|code| code.name == name)
}

/// Declares the table of a crate: a constant for each code, and `ALL` with all of them.
///
/// ```
/// mod codes {
///     engross_protocol::codes! {
///         KETTLE_EMPTY: Refused, 409, rpc -32602 {
///             summary: "The kettle is empty.",
///             why: "There is no water in it.",
///             remedy: "Fill it.",
///         }
///     }
/// }
/// assert_eq!(codes::KETTLE_EMPTY.name, "KETTLE_EMPTY");
/// assert_eq!(codes::ALL.len(), 1);
/// ```
#[macro_export]
macro_rules! codes {
    ($($name:ident: $exit:ident, $status:literal $(, rpc $rpc:literal)? {
        summary: $summary:literal, why: $why:literal, remedy: $remedy:literal $(,)?
    })+) => {
        $(
            #[doc = $summary]
            pub const $name: &$crate::Code = &$crate::Code {
                name: stringify!($name),
                exit: $crate::Exit::$exit,
                status: $status,
                rpc: [$(Some($rpc),)? None][0],
                summary: $summary,
                why: $why,
                remedy: $remedy,
            };
        )+

        /// All rows of this table.
        pub const ALL: &[&$crate::Code] = &[$($name),+];
    };
}
