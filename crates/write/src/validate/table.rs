//! Has every row as many columns as the first?

use csv::{ErrorKind, ReaderBuilder};

use super::{Finding, Severity, Subject, Validator};
use crate::codes;

/// Rows that are reported.
const ROWS: usize = 10;

/// Rows of values with this byte between them.
pub(super) struct Rows(pub(super) u8);

impl Validator for Rows {
    fn name(&self) -> &'static str {
        if self.0 == b',' { "csv" } else { "tsv" }
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut reader = ReaderBuilder::new().has_headers(false).delimiter(self.0).from_reader(subject.bytes);
        let wrong = reader.byte_records().filter_map(Result::err).filter_map(|error| match error.kind() {
            ErrorKind::UnequalLengths { pos, expected_len, len } => {
                let line = pos.as_ref().map_or(1, csv::Position::line);
                let message = format!("the row has {len} columns, the first has {expected_len}");
                let finding = Finding::new(codes::UNEVEN_COLUMNS.name, Severity::Error, message);
                Some(finding.at(subject.bytes, usize::try_from(line).unwrap_or(1), 0))
            }
            _ => None,
        });
        wrong.take(ROWS).collect()
    }
}
