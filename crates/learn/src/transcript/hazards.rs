//! What is odd about a file, in one word each.
//!
//! A word says what stands in the file, never how it came there.

use super::entry::{Block, Content, Entry, Kind, Message};
use super::lines::LineEnd;
use super::parse::Bad;
use super::reader::{Item, Reading};
use super::stats::Stats;
use super::tree::Tree;

/// A line of at least so many bytes is huge; the word says how many times it holds them.
const HUGE: u64 = 1_000_000;

/// Gathers what is odd.
#[derive(Debug, Default)]
pub(super) struct Hazards {
    words: std::collections::BTreeSet<&'static str>,
    huge: std::collections::BTreeSet<u64>,
    headers: u32,
}

impl Hazards {
    fn note(&mut self, word: &'static str, is_so: bool) {
        if is_so {
            self.words.insert(word);
        }
    }

    pub(super) fn line(&mut self, reading: &Reading<'_>) {
        let line = reading.line;
        let odd = reading.oddities;
        self.note("bom", odd.bom);
        self.note("crlf", line.end == LineEnd::CrLf);
        self.note("lone_surrogate", odd.lone_surrogate);
        self.note("unicode_line_sep", odd.line_separator);
        self.note("control_char", odd.control);
        self.note("duplicate_key", odd.duplicate_key);
        let is_last = line.end == LineEnd::File;
        let is_torn_tail = is_last && matches!(reading.item, Item::Bad(Bad::Torn));
        self.note("truncated_tail", is_torn_tail);
        self.note("no_final_newline", is_last && !is_torn_tail && line.length > 0);
        if line.length >= HUGE {
            self.huge.insert(line.length / HUGE);
        }
        match &reading.item {
            Item::Blank => self.note("blank_line", true),
            Item::Bad(bad) if !is_torn_tail => self.note(word_of(*bad), true),
            Item::Bad(_) | Item::Entry(_) => {}
        }
    }

    pub(super) fn entry(&mut self, entry: &Entry<'_>) {
        match &entry.kind {
            Kind::Session(_) => self.headers += 1,
            Kind::Message(message) => self.message(message),
            Kind::NoMessage => self.note("message_null", true),
            Kind::Compaction => self.note("compaction", true),
            Kind::Reset => self.note("reset", true),
            Kind::Unknown => self.note("unknown_event", true),
            _ => {}
        }
    }

    fn message(&mut self, message: &Message<'_>) {
        let is_user = message.role.raw() == "user";
        self.note("user_content_string", is_user && matches!(message.content, Content::Text(_)));
        self.note("aborted", message.stop_reason.is_some_and(|reason| reason.raw() == "aborted"));
        for block in message.content.blocks() {
            match block {
                Block::Image { .. } => self.note("image", true),
                Block::Result(_) => self.note("result_as_item", true),
                Block::Odd => self.note("odd_content_items", true),
                Block::HalfCall => self.note("half_call", true),
                // Such an id says which call of a message it is, so every message has it again.
                Block::Call(call) => self.note("id_reuse", is_position(call.id.raw())),
                Block::Text(_) | Block::Thinking(_) => {}
            }
        }
    }

    /// Puts the words into `stats`, which is otherwise whole.
    pub(super) fn finish(mut self, stats: &mut Stats, tree: &Tree, is_shuffled: bool) {
        let has_messages = !stats.roles.is_empty();
        self.note("empty_file", stats.bytes == 0);
        self.note("header_only", stats.bytes > 0 && self.headers > 0 && !has_messages);
        self.note("no_header", stats.events > 0 && self.headers == 0);
        self.note("two_headers", self.headers > 1);
        self.note("branch", tree.has_branches());
        self.note("dangling_parent", !tree.dangling().is_empty());
        self.note("duplicate_id", !tree.twice().is_empty());
        self.note("results_out_of_order", is_shuffled);
        self.note("result_before_call", stats.paired_late > 0);
        self.note("duplicate_result", stats.duplicate_results > 0);
        self.note("orphan_result", stats.orphan_results > 0);
        stats.flags = self.words.iter().map(|word| (*word).to_owned()).collect();
        stats.flags.extend(self.huge.iter().map(|times| format!("huge_line_{times}MB")));
    }
}

fn word_of(bad: Bad) -> &'static str {
    match bad {
        Bad::InvalidUtf8 => "invalid_utf8",
        Bad::NotAnObject => "non_object_json",
        Bad::Torn => "torn_line",
        Bad::NotANumber => "nan_literal",
        Bad::Garbage => "garbage_prefix",
        Bad::Malformed => "malformed_line",
        Bad::TooDeep => "too_deep",
        Bad::TooLong => "too_long_line",
    }
}

/// Whether an id is `call_` and a number.
fn is_position(id: &str) -> bool {
    let digits = id.strip_prefix("call_").unwrap_or_default();
    (1..4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}
