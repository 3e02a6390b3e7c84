//! Texts that are not held are the same texts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{SessionText, TextPlace, TextSource, Transcript, text_in};

/// The lines of a file, which may be changed behind a reader's back.
#[derive(Debug)]
struct Lines(Vec<u8>, AtomicBool);

impl TextSource for Lines {
    fn text(&self, place: &TextPlace) -> Option<String> {
        let begin = usize::try_from(place.offset).unwrap();
        let line = self.0.get(begin..begin + usize::try_from(place.length).unwrap());
        let text = line.and_then(|line| text_in(line, place));
        self.1.fetch_or(text.is_none(), Ordering::Relaxed);
        text
    }

    fn has_failed(&self) -> bool {
        self.1.load(Ordering::Relaxed)
    }
}

fn both(bytes: &[u8], later: Vec<u8>) -> (Transcript, Transcript, Arc<Lines>) {
    let texts = Arc::new(Lines(later, AtomicBool::new(false)));
    let source: Arc<dyn TextSource> = Arc::<Lines>::clone(&texts);
    let spared = Transcript::read_sparing(bytes, true, source).unwrap();
    (Transcript::read(bytes, true).unwrap(), spared, texts)
}

/// A session of every kind of text, each longer than what is held.
fn long_session(ending: &str) -> Vec<u8> {
    let long = |word: &str| format!("{word} \"é☃\\ud800 {}", word.repeat(3_000));
    let message = |value: Value| json!({"type": "message", "message": value});
    let lines = [
        json!({"type": "session", "version": 3, "id": "s", "cwd": "/w"}),
        message(json!({"role": "user", "content": long("ask")})),
        message(json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": long("think")}, {"type": "text", "text": "short"}, {"type": "text", "text": long("say")},
            {"type": "toolCall", "id": "a", "name": "exec", "arguments": {"command": long("run")}},
            {"type": "toolCall", "id": "b", "name": "exec", "arguments": {"command": "ls"}}]})),
        message(
            json!({"role": "toolResult", "toolCallId": "a", "toolName": "exec", "isError": true, "content": [{"type": "text", "text": long("one")}, {"type": "text", "text": long("two")}]}),
        ),
        // Results of Anthropic's form stand among words of a user.
        message(json!({"role": "user", "content": [
            {"type": "text", "text": long("more")}, {"type": "tool_result", "tool_use_id": "b", "content": long("b")}]})),
        message(json!({"role": "bashExecution", "command": "ls", "output": long("list"), "exitCode": 0})),
        json!({"type": "custom_message", "content": long("hook")}),
        message(
            json!({"role": "toolResult", "toolCallId": "stray", "content": [{"type": "text", "text": long("stray")}]}),
        ),
        json!({"type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": json!({"command": ["ls"], "why": long("codex")}).to_string(), "call_id": "c"}}),
        json!({"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c", "output": long("out")}}),
    ];
    let mut bytes = b"\xef\xbb\xbf".to_vec();
    for line in lines {
        bytes.extend_from_slice(line.to_string().as_bytes());
        bytes.extend_from_slice(ending.as_bytes());
    }
    bytes
}

#[test]
fn what_is_not_held_is_read_again_to_the_letter() {
    for ending in ["\n", "\r\n", "\n\n"] {
        let bytes = long_session(ending);
        let (whole, spared, texts) = both(&bytes, bytes.clone());
        assert_eq!(serde_json::to_string(&whole).unwrap(), serde_json::to_string(&spared).unwrap());
        assert_eq!(whole, spared);
        // Eleven texts are long, and none of these is held.
        let held = format!("{spared:?}");
        assert_eq!(held.matches("TextPlace").count(), 11, "{held}");
        assert!(held.len() < 20_000);
        assert!(!texts.has_failed());
    }
}

#[test]
fn the_session_of_a_helper_is_read_again_too() {
    let line = json!({"type": "assistant", "isSidechain": true, "uuid": "u", "parentUuid": null,
        "message": {"role": "assistant", "content": [{"type": "text", "text": "h".repeat(9_000)}]}});
    let bytes = format!("{line}\n").into_bytes();
    let (whole, spared, _) = both(&bytes, bytes.clone());
    assert_eq!((spared.steps.len(), whole), (1, spared));
}

#[test]
fn a_changed_line_gives_no_other_text_and_says_so() {
    let bytes = long_session("\n");
    let changed = String::from_utf8(bytes.clone()).unwrap().replace("thinkthink", "thinkthonk").into_bytes();
    let shorter = bytes[..bytes.len() / 2].to_vec();
    for later in [changed, shorter, Vec::new()] {
        let (whole, spared, texts) = both(&bytes, later);
        assert!(whole != spared);
        assert!(texts.has_failed());
    }
}

#[test]
fn many_short_texts_are_not_held_either() {
    let mut bytes = Vec::new();
    for number in 0..12_000 {
        let said = format!("{number} {}", "word ".repeat(500));
        let line = json!({"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": said}]}});
        bytes.extend_from_slice(format!("{line}\n").as_bytes());
    }
    let (whole, spared, _) = both(&bytes, bytes.clone());
    let held = format!("{spared:?}");
    assert!(held.len() < 26 << 20, "{}", held.len());
    assert!(held.contains("TextPlace"));
    assert_eq!(whole, spared);
}

#[test]
fn a_text_that_is_held_is_as_small_as_it_can_be() {
    assert_eq!(size_of::<SessionText>(), 16);
}
