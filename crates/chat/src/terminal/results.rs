//! What came of a round of tools or of a file, on the screen.
//!
//! Must never say that something was changed before it is.

use engross_agent::session::{Standing, WriteReport};
use engross_documents::change::{describe, printable};
use engross_write::session::WriteWarning;
use serde_json::Value;

use super::changes;
use super::events::{ScreenAction, UndoStep};
use super::screen::Screen;
use super::styled::{Style, StyledLine};
use crate::approvals::{Change, FileChange};
use crate::tell::{EditDetails, FileOutcome, ReceiptDetails, refusal_of};

/// Lines of a change that are shown with the question.
const SHOWN: usize = 24;

/// Lines of a change that nobody is asked about.
const GLANCE: usize = 8;

impl Screen {
    pub(super) fn agree(&mut self, change: Change, is_shown: bool) {
        match change {
            Change::Edits(edits) => {
                self.is_shown = is_shown;
                self.changes.push(Change::Edits(edits));
            }
            Change::File(file) => self.agreed.push((file, is_shown)),
        }
    }

    pub(super) fn proposed(&mut self, change: Change, asks: bool) {
        let is_stopping = self.work.as_ref().is_none_or(|work| work.is_stopping);
        if asks && is_stopping {
            return self.out.push(ScreenAction::Reply(false));
        }
        if !asks {
            return self.agree(change, false);
        }
        self.flush();
        let mut shown = vec![changes::title(&change)];
        shown.extend(changes::lines(&change, (self.theme, self.width), SHOWN));
        self.print(&shown);
        self.questions.push_back(change);
        self.out.push(ScreenAction::Bell);
    }

    pub(super) fn edited(&mut self, details: Value) {
        let Ok(edit) = serde_json::from_value::<EditDetails>(details) else { return };
        if edit.operations.is_empty() {
            return;
        }
        if !std::mem::take(&mut self.is_shown) {
            self.flush();
            let lines = changes::edit_lines(&edit.operations, (self.theme, self.width), describe);
            self.print(&lines);
        }
        if self.made.add(&edit) {
            self.undo.push(UndoStep::Document);
        }
    }

    pub(super) fn wrote(&mut self, report: &WriteReport) {
        let receipt = FileOutcome::of(report);
        let file = receipt.target_file.as_str();
        let place = self.agreed.iter().position(|(change, _)| change.path == file);
        let agreed = place.map(|place| self.agreed.swap_remove(place));
        let (bytes, lines) = (report.bytes, report.lines);
        match report.standing {
            Standing::GoesOn => {}
            Standing::Written => {
                self.flush();
                self.good(&format!("{file} is written: {bytes} bytes, {lines} lines"));
                for WriteWarning { code, message } in &receipt.receipt.warnings {
                    self.warn(&format!("{message} [{code}]"));
                }
                if let Some((change, is_shown)) = agreed {
                    let ReceiptDetails { sha256, previous_sha256, .. } = receipt.receipt;
                    // What was there and could not be shown cannot be put back either.
                    if change.before.is_some() || previous_sha256.is_none() {
                        let (path, before) = (change.path.clone(), change.before.clone());
                        self.undo.push(UndoStep::File { path, before, sha256 });
                    }
                    let change = Change::File(change);
                    if !is_shown && matches!(&change, Change::File(FileChange { before: Some(_), .. })) {
                        let lines = changes::lines(&change, (self.theme, self.width), GLANCE);
                        self.print(&lines);
                    }
                    self.changes.push(change);
                }
            }
            Standing::Left => {
                self.flush();
                self.warn(&format!(
                    "{file} is incomplete: {bytes} bytes are kept. Say \"go on\" to have the rest"
                ));
            }
            Standing::Failed => {
                self.flush();
                let declined = report.code == "WRITE_DECLINED";
                let text = if declined { "was not written" } else { "could not be written" };
                self.warn(&format!("{file} {text} [{}]", report.code));
            }
        }
    }

    pub(super) fn refused(&mut self, content: &str) {
        if let Some(refusal) = refusal_of(content) {
            self.flush();
            self.print(&[StyledLine::of(&format!("· {}", printable(&refusal)), Style::DIM)]);
        }
    }
}
