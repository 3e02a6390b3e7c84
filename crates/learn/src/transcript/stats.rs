//! Counts a transcript and names what is odd about it: what a reader can be held to.
//!
//! Must never keep more than ids and one text, so that a file of any size can be counted.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use engross_protocol::hex;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::entry::{Block, Content, Entry, Kind, Message};
use super::lines::LineEnd;
use super::pairing::{Fate, Pairing, Pairs};
use super::parse::Bad;
use super::reader::{Item, Reader, Reading};
use super::tree::Tree;

/// A line of at least so many bytes is huge; the word says how many times it holds them.
const HUGE: u64 = 1_000_000;

/// Counts of one file. `sha` fields hash the text as UTF-8, half a surrogate pair as three bytes; 16 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Stats {
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
pub fn count(source: impl Read) -> std::io::Result<Stats> {
    let mut counting = Counting::default();
    let mut reader = Reader::new(source);
    while let Some(reading) = reader.next_reading()? {
        counting.stats.bytes = reading.line.next_offset();
        counting.hazards.line(&reading);
        match reading.item {
            Item::Blank => continue,
            Item::Bad(_) => counting.stats.bad_lines += 1,
            Item::Entry(entry) => {
                counting.stats.events += 1;
                counting.entry(&entry);
            }
        }
        counting.stats.lines += 1;
    }
    Ok(counting.finish())
}

#[derive(Default)]
struct Counting {
    stats: Stats,
    pairing: Pairing,
    tree: Tree,
    /// Whether the entry at each place is a message.
    is_message: Vec<bool>,
    /// For each call the number of its message, so that siblings are known.
    message_of_call: Vec<u64>,
    last_words: Option<Vec<u8>>,
    hazards: Hazards,
}

impl Counting {
    fn entry(&mut self, entry: &Entry<'_>) {
        self.hazards.entry(entry);
        match &entry.kind {
            Kind::Session(_) | Kind::NoMessage => return,
            Kind::Leaf { target: Some(target) } => {
                self.tree.move_leaf(&target.decode());
                return;
            }
            Kind::Message(message) => self.message(message),
            _ => {}
        }
        let id = entry.id.map(|id| id.decode());
        self.tree.add(id.as_deref(), entry.parent);
        self.is_message.push(matches!(entry.kind, Kind::Message(_)));
    }

    fn message(&mut self, message: &Message<'_>) {
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

    fn words(&mut self, message: &Message<'_>, is_user: bool) {
        if let Content::Text(text) = &message.content {
            self.text(*text, is_user);
        }
        for block in message.content.blocks() {
            match block {
                Block::Text(text) => self.text(*text, is_user),
                Block::Thinking(text) => self.stats.thinking_chars += count_of(text.chars()),
                Block::Call(call) => {
                    self.pairing.call(&call.id.decode());
                    self.message_of_call.push(self.stats.events);
                }
                Block::Result(result) => {
                    self.stats.results_as_item += 1;
                    self.pairing.result(&result.call_id.decode());
                }
                Block::Image { .. } | Block::HalfCall | Block::Odd => {}
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

    fn finish(self) -> Stats {
        let mut stats = self.stats;
        stats.last_assistant_sha = self.last_words.as_deref().map(sha);
        let pairs = self.pairing.finish();
        stats.tool_calls = count_of(pairs.of_call.len());
        stats.tool_results = stats.results_as_message + stats.results_as_item;
        stats.orphan_calls = count_of(pairs.of_call.iter().filter(|result| result.is_none()).count());
        for fate in &pairs.of_result {
            match fate {
                Fate::Paired { is_late, .. } => {
                    stats.paired += 1;
                    stats.paired_late += u64::from(*is_late);
                }
                Fate::Duplicate { .. } => stats.duplicate_results += 1,
                Fate::Orphan => stats.orphan_results += 1,
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
fn has_shuffled(pairs: &Pairs, message_of_call: &[u64]) -> bool {
    let results = pairs.of_call.iter().zip(message_of_call).filter_map(|(result, message)| {
        let result = (*result)?;
        let is_late = matches!(pairs.of_result.get(result), Some(Fate::Paired { is_late: true, .. }));
        (!is_late).then_some((*message, result))
    });
    let results: Vec<(u64, usize)> = results.collect();
    results.windows(2).any(|two| matches!(two, [(a, first), (b, second)] if a == b && second < first))
}

/// Gathers the flags of a file. A flag says what stands in the file, never how it came there.
#[derive(Debug, Default)]
struct Hazards {
    words: BTreeSet<&'static str>,
    huge: BTreeSet<u64>,
    headers: u32,
}

impl Hazards {
    fn note(&mut self, word: &'static str, is_so: bool) {
        if is_so {
            self.words.insert(word);
        }
    }

    fn line(&mut self, reading: &Reading<'_>) {
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

    fn entry(&mut self, entry: &Entry<'_>) {
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
    fn finish(mut self, stats: &mut Stats, tree: &Tree, is_shuffled: bool) {
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

/// The first 16 hexadecimal digits of the hash.
pub(crate) fn sha(bytes: &[u8]) -> String {
    hex::encode_prefix(Sha256::digest(bytes), 8)
}

fn count_of(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
