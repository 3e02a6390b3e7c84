//! Counts a transcript and names what is odd about it: what a reader can be held to.
//!
//! Must never keep more than ids and one text, so that a file of any size can be counted.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use engross_protocol::hex;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::entry::{Content, ContentBlock, EntryKind, TranscriptEntry, TranscriptMessage};
use super::lines::LineEnd;
use super::pairing::{CallPairs, Pairing, ResultMatch};
use super::parse::LineError;
use super::reader::{LineContent, LineReading, TranscriptReader};
use super::tree::EntryTree;

/// A line of at least so many bytes is huge; the word says how many times it holds them.
const HUGE: u64 = 1_000_000;

/// Counts of one file. `sha` fields hash the text as UTF-8, half a surrogate pair as three bytes; 16 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct TranscriptStats {
    /// Bytes of the file.
    pub bytes: u64,
    /// Lines that are not blank.
    pub lines: u64,
    /// Lines that are no JSON object.
    pub bad_lines: u64,
    /// Lines that are JSON objects.
    pub events: u64,
    /// Calls of tools.
    pub tool_calls: u64,
    /// Results of calls, in either shape.
    pub tool_results: u64,
    /// Results that are messages.
    pub results_as_message: u64,
    /// Results that are pieces of a message.
    pub results_as_item: u64,
    /// Results that belong to a call.
    pub paired: u64,
    /// Of these, results that stand before their call.
    pub paired_late: u64,
    /// Calls without a result.
    pub orphan_calls: u64,
    /// Results without a call.
    pub orphan_results: u64,
    /// Further results of a call.
    pub duplicate_results: u64,
    /// Code points of thoughts.
    pub thinking_chars: u64,
    /// Code points of words of users and assistants.
    pub text_chars: u64,
    /// Messages by role.
    pub roles: BTreeMap<String, u64>,
    /// Hash of the first words of a user.
    pub first_user_sha: Option<String>,
    /// Hash of the last words of an assistant.
    pub last_assistant_sha: Option<String>,
    /// Messages from the leaf to the root.
    pub leaf_messages: u64,
    /// What is odd about the file.
    pub flags: BTreeSet<String>,
}

/// Counts a file.
///
/// # Errors
/// Whatever the source says.
pub fn count(source: impl Read) -> std::io::Result<TranscriptStats> {
    let mut counting = Counter::default();
    let mut reader = TranscriptReader::new(source);
    while let Some(reading) = reader.next_reading()? {
        counting.stats.bytes = reading.line.next_offset();
        counting.hazards.line(&reading);
        match reading.item {
            LineContent::Blank => continue,
            LineContent::Bad(_) => counting.stats.bad_lines += 1,
            LineContent::Entry(entry) => {
                counting.stats.events += 1;
                counting.entry(&entry);
            }
        }
        counting.stats.lines += 1;
    }
    Ok(counting.finish())
}

#[derive(Default)]
struct Counter {
    stats: TranscriptStats,
    pairing: Pairing,
    tree: EntryTree,
    /// Whether the entry at each place is a message.
    is_message: Vec<bool>,
    /// For each call the number of its message, so that siblings are known.
    message_of_call: Vec<u64>,
    last_words: Option<Vec<u8>>,
    hazards: FlagCollector,
}

impl Counter {
    fn entry(&mut self, entry: &TranscriptEntry<'_>) {
        self.hazards.entry(entry);
        match &entry.kind {
            EntryKind::Session(_) | EntryKind::NoMessage => return,
            EntryKind::Leaf { target: Some(target) } => {
                self.tree.move_leaf(&target.decode());
                return;
            }
            EntryKind::Message(message) => self.message(message),
            _ => {}
        }
        let id = entry.id.map(|id| id.decode());
        self.tree.add(id.as_deref(), entry.parent);
        self.is_message.push(matches!(entry.kind, EntryKind::Message(_)));
    }

    fn message(&mut self, message: &TranscriptMessage<'_>) {
        let role = message.role.decode();
        match self.stats.roles.get_mut(role.as_ref()) {
            Some(count) => *count += 1,
            None => {
                self.stats.roles.insert(role.clone().into_owned(), 1);
            }
        }
        match role.as_ref() {
            "user" | "assistant" => self.words(message, role == "user"),
            "toolResult" | "tool" => {
                self.stats.results_as_message += 1;
                if let Some(id) = message.call_id {
                    self.pairing.result(&id.decode());
                }
            }
            _ => {}
        }
    }

    fn words(&mut self, message: &TranscriptMessage<'_>, is_user: bool) {
        if let Content::Text(text) = &message.content {
            self.text(*text, is_user);
        }
        for block in message.content.blocks() {
            match block {
                ContentBlock::Text(text) => self.text(*text, is_user),
                ContentBlock::Thinking(text) => self.stats.thinking_chars += count_of(text.chars()),
                ContentBlock::Call(call) => {
                    self.pairing.call(&call.id.decode());
                    self.message_of_call.push(self.stats.events);
                }
                ContentBlock::Result(result) => {
                    self.stats.results_as_item += 1;
                    self.pairing.result(&result.call_id.decode());
                }
                ContentBlock::Image { .. } | ContentBlock::HalfCall | ContentBlock::Odd => {}
            }
        }
    }

    fn text(&mut self, text: crate::Text<'_>, is_user: bool) {
        self.stats.text_chars += count_of(text.chars());
        if is_user {
            if self.stats.first_user_sha.is_none() {
                self.stats.first_user_sha = Some(sha(&text.bytes()));
            }
        } else {
            let last = self.last_words.get_or_insert_default();
            last.clear();
            last.extend_from_slice(&text.bytes());
        }
    }

    fn finish(self) -> TranscriptStats {
        let mut stats = self.stats;
        stats.last_assistant_sha = self.last_words.as_deref().map(sha);
        let pairs = self.pairing.finish();
        stats.tool_calls = count_of(pairs.of_call.len());
        stats.tool_results = stats.results_as_message + stats.results_as_item;
        stats.orphan_calls = count_of(pairs.of_call.iter().filter(|result| result.is_none()).count());
        for fate in &pairs.of_result {
            match fate {
                ResultMatch::Paired { is_late, .. } => {
                    stats.paired += 1;
                    stats.paired_late += u64::from(*is_late);
                }
                ResultMatch::Duplicate { .. } => stats.duplicate_results += 1,
                ResultMatch::Orphan => stats.orphan_results += 1,
            }
        }
        let path = self.tree.path();
        let on_path = path.iter().filter(|place| self.is_message.get(**place) == Some(&true));
        stats.leaf_messages = count_of(on_path.count());
        let is_shuffled = has_shuffled(&pairs, &self.message_of_call);
        self.hazards.finish(&mut stats, &self.tree, is_shuffled);
        stats
    }
}

/// Whether results of one message's calls stand in another order than the calls.
fn has_shuffled(pairs: &CallPairs, message_of_call: &[u64]) -> bool {
    let results = pairs.of_call.iter().zip(message_of_call).filter_map(|(result, message)| {
        let result = (*result)?;
        let is_late = matches!(pairs.of_result.get(result), Some(ResultMatch::Paired { is_late: true, .. }));
        (!is_late).then_some((*message, result))
    });
    let results: Vec<(u64, usize)> = results.collect();
    results.windows(2).any(|two| matches!(two, [(a, first), (b, second)] if a == b && second < first))
}

/// Gathers the flags of a file. A flag says what stands in the file, never how it came there.
#[derive(Debug, Default)]
struct FlagCollector {
    words: BTreeSet<&'static str>,
    huge: BTreeSet<u64>,
    headers: u32,
}

impl FlagCollector {
    fn note(&mut self, word: &'static str, is_so: bool) {
        if is_so {
            self.words.insert(word);
        }
    }

    fn line(&mut self, reading: &LineReading<'_>) {
        let line = reading.line;
        let odd = reading.oddities;
        self.note("bom", odd.bom);
        self.note("crlf", line.end == LineEnd::CrLf);
        self.note("lone_surrogate", odd.lone_surrogate);
        self.note("unicode_line_sep", odd.line_separator);
        self.note("control_char", odd.control);
        self.note("duplicate_key", odd.duplicate_key);
        let is_last = line.end == LineEnd::File;
        let is_torn_tail = is_last && matches!(reading.item, LineContent::Bad(LineError::Torn));
        self.note("truncated_tail", is_torn_tail);
        self.note("no_final_newline", is_last && !is_torn_tail && line.length > 0);
        if line.length >= HUGE {
            self.huge.insert(line.length / HUGE);
        }
        match &reading.item {
            LineContent::Blank => self.note("blank_line", true),
            LineContent::Bad(bad) if !is_torn_tail => self.note(word_of(*bad), true),
            LineContent::Bad(_) | LineContent::Entry(_) => {}
        }
    }

    fn entry(&mut self, entry: &TranscriptEntry<'_>) {
        match &entry.kind {
            EntryKind::Session(_) => self.headers += 1,
            EntryKind::Message(message) => self.message(message),
            EntryKind::NoMessage => self.note("message_null", true),
            EntryKind::Compaction => self.note("compaction", true),
            EntryKind::Reset => self.note("reset", true),
            EntryKind::Unknown => self.note("unknown_event", true),
            _ => {}
        }
    }

    fn message(&mut self, message: &TranscriptMessage<'_>) {
        let is_user = message.role.raw() == "user";
        self.note("user_content_string", is_user && matches!(message.content, Content::Text(_)));
        self.note("aborted", message.stop_reason.is_some_and(|reason| reason.raw() == "aborted"));
        for block in message.content.blocks() {
            match block {
                ContentBlock::Image { .. } => self.note("image", true),
                ContentBlock::Result(_) => self.note("result_as_item", true),
                ContentBlock::Odd => self.note("odd_content_items", true),
                ContentBlock::HalfCall => self.note("half_call", true),
                // Such an id says which call of a message it is, so every message has it again.
                ContentBlock::Call(call) => self.note("id_reuse", is_position(call.id.raw())),
                ContentBlock::Text(_) | ContentBlock::Thinking(_) => {}
            }
        }
    }

    /// Puts the words into `stats`, which is otherwise whole.
    fn finish(mut self, stats: &mut TranscriptStats, tree: &EntryTree, is_shuffled: bool) {
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

fn word_of(bad: LineError) -> &'static str {
    match bad {
        LineError::InvalidUtf8 => "invalid_utf8",
        LineError::NotAnObject => "non_object_json",
        LineError::Torn => "torn_line",
        LineError::NotANumber => "nan_literal",
        LineError::Garbage => "garbage_prefix",
        LineError::Malformed => "malformed_line",
        LineError::TooDeep => "too_deep",
        LineError::TooLong => "too_long_line",
    }
}

/// Whether an id is `call_` and a number.
fn is_position(id: &str) -> bool {
    let digits = id.strip_prefix("call_").unwrap_or_default();
    (1..4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The first 16 hexadecimal digits of the hash.
pub fn sha(bytes: &[u8]) -> String {
    hex::encode_prefix(Sha256::digest(bytes), 8)
}

fn count_of(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
