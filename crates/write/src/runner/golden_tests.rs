//! The names that a write session's journal is stored under. What is here was written by 0.1.0 and stays readable; a type or a
//! variant may be renamed, what it is stored as may not.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use engross_store::files::Root;

use super::journal::{Checkpoint, Journal, JournalOpening};
use crate::session::{BeginOptions, PromptKind, State, WriteEvent};
use crate::validate::{FileKind, Language, ValidationReport};

const PATCHES: &str = r#"[{"type":"insert_after_line","line":1},{"type":"insert_before_line","line":1},
    {"type":"replace_lines","start_line":1,"end_line":2},{"type":"prepend"},{"type":"replace_text","find":"f"},
    {"type":"replace_pattern","pattern":"p","flags":"i"}]"#;

fn read_and_written<T: Serialize + DeserializeOwned>(golden: &Value) {
    let value: T = serde_json::from_value(golden.clone()).unwrap_or_else(|error| panic!("{error}: {golden}"));
    assert_eq!(serde_json::to_value(&value).unwrap(), *golden);
}

/// The value with `word` at `path`, in each of its turns.
fn with(mut value: Value, path: &str, words: &[Value], check: impl Fn(&Value)) {
    for word in words {
        *value.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = word.clone();
        check(&value);
    }
}

fn options() -> Value {
    json!({
        "target_file": "a.md", "operation": "create", "intent": "i", "root": "r", "terminator": "auto",
        "allow_empty": true, "must_exist": true, "expect_sha256": "h", "join": "newline", "escape": "backslash",
        "encoding": "utf-8", "validate": "warn", "validate_as": "md", "repair_attempts": 2, "unwrap": "auto",
        "max_bytes": 9,
        "continuation": {"overlap": "dedupe", "min_overlap_bytes": 24, "restart": "detect", "max_rounds": 3},
        "patch": {"type": "prepend"}
    })
}

fn session() -> Value {
    let candidate = json!({
        "offset": 1, "line": 2, "fenced": true, "whole": true, "genuine": false, "answer": true
    });
    json!({
        "options": options(), "marker": "<<END>>", "state": "receiving", "problem": {"code": "C", "message": "m"},
        "received": 1,
        "framer": {
            "framing": {"terminator": "sentinel", "marker": "<<END>>", "escape": true, "encoding": "replace"},
            "spots": {"done": [1, 2], "marker": [3, 4], "escape": 5},
            "carry": {"bytes": [0, 0, 0, 0], "length": 0},
            "received": 1, "replaced": 2, "released": 3, "newlines": 4, "blank": true, "last": 10,
            "fences": {"open": {"mark": "`", "length": 3, "info": "md", "line": 1}, "scan": "Other", "info": [1]},
            "free": true, "held": [1], "line": 1, "virtual_start": "Cut", "candidate": candidate,
            "passed": candidate, "asked": candidate, "ended": {"by": "marker", "length": 4}, "after_end": 5
        },
        "joiner": {
            "stage": "Through", "held": [1], "removed": 2, "chatter": "c", "doubt": {"removed": 1, "other": 2}
        },
        "recent": {"head": [1], "tail": [2], "total": 3},
        "guard": {"rounds": 1, "before": 2, "added": 3, "hash": 4, "hashes": [5]},
        "next_turn": "Reply", "asked_to_go_on": true, "unclean": "fence", "asked_again": true, "replace": true,
        "patch": {"type": "prepend"}, "repairs": 1, "earlier_rounds": 2, "synced": 3, "told": 4,
        "validators": ["json"], "warnings": [{"code": "W", "message": "m"}], "receipt": receipt(),
        "asked": {"kind": "continue", "text": "t"}
    })
}

fn receipt() -> Value {
    json!({
        "path": "a.md", "bytes": 1, "lines": 2, "sha256": "h", "previous_sha256": "p", "validators": ["json"],
        "repairs": 1, "continuations": 2, "warnings": [{"code": "W", "message": "m"}]
    })
}

fn content() -> Value {
    let part = json!({"number": 1, "print": {"length": 2, "crc": 3, "newlines": 4, "last": 5}});
    json!({"next": 2, "now": part, "aside": part, "file": part})
}

fn opening() -> Value {
    json!({
        "id": "wri_00000000000000000000000000000001", "created": 1, "path": "w/a.md", "shown": "a.md",
        "base": "h", "session": session(), "content": content()
    })
}

#[test]
fn records_keep_the_names_they_are_stored_under() {
    read_and_written::<JournalOpening>(&opening());
    let part = &content()["now"];
    let intent = json!({
        "part": part, "sha256": "h", "previous_sha256": "p", "changes": [{"code": "W", "message": "m"}]
    });
    read_and_written::<Checkpoint>(&json!({
        "at": 1, "events": 2, "session": session(), "content": content(), "intent": intent
    }));
}

#[test]
fn words_of_a_session_keep_their_spelling() {
    let check = read_and_written::<JournalOpening>;
    let words = |words: &str| -> Vec<Value> { words.split(' ').map(Value::from).collect() };
    let patches: Vec<Value> = serde_json::from_str(PATCHES).unwrap();
    for (path, words) in [
        ("/session/options/operation", words("create overwrite append patch")),
        ("/session/options/terminator", words("done sentinel auto none")),
        ("/session/options/encoding", words("utf-8 replace")),
        ("/session/options/validate", words("off warn strict")),
        ("/session/options/unwrap", words("off auto")),
        ("/session/options/continuation/overlap", words("none dedupe")),
        ("/session/options/continuation/restart", words("off detect")),
        ("/session/options/patch", patches.clone()),
        ("/session/patch", patches),
        (
            "/session/state",
            [
                words("open receiving incomplete ambiguous validating needs_repair committing committed"),
                words("cancelled expired failed"),
                vec![json!({"paused": "idle"}), json!({"paused": "length"}), json!({"paused": "disconnect"})],
            ]
            .concat(),
        ),
        (
            "/session/framer/fences/scan",
            vec![
                json!("Other"),
                json!({"Indent": 1}),
                json!({"Run": [96, 3]}),
                json!({"Info": [96, 3, true]}),
            ],
        ),
        ("/session/framer/virtual_start", words("Cut Reply")),
        ("/session/framer/ended/by", words("marker done request")),
        (
            "/session/joiner/stage",
            vec![
                json!("Through"),
                json!("Deciding"),
                json!({"Restarting": 3}),
                json!({"Refused": "chatter"}),
                json!({"Refused": {"restarted": 4}}),
            ],
        ),
        ("/session/next_turn", words("Cut Reply")),
        ("/session/unclean", [words("chatter fence elsewhere"), vec![json!({"restarted": 4})]].concat()),
        ("/session/asked/kind", words("begin idle continue ambiguous repair receipt")),
    ] {
        with(opening(), path, &words, check);
    }
}

#[test]
fn what_clients_read_keeps_its_spelling() {
    read_and_written::<BeginOptions>(&options());
    let state = json!({"state": {"state": "failed", "offset": 1, "error": {"code": "C", "message": "m"}}});
    for event in [state, json!({"progress": {"bytes": 1, "lines": 2}}), json!({"receipt": receipt()})] {
        read_and_written::<WriteEvent>(&event);
    }
    let finding = json!({
        "code": "C", "severity": "hint", "line": 1, "column": 2, "message": "m", "context": ["a"]
    });
    let report = json!({"validators": ["json"], "findings": [finding]});
    let words = ["hint", "warning", "error"].map(Value::from);
    with(report, "/findings/0/severity", &words, read_and_written::<ValidationReport>);
    for word in ["json", "jsonlines", "toml", "yaml", "xml", "html", "csv", "tsv", "markdown", "docx", "text"]
    {
        read_and_written::<FileKind>(&word.into());
    }
    for word in ["bash", "c", "css", "go", "java", "javascript", "python", "rust", "tsx", "typescript"] {
        read_and_written::<Language>(&word.into());
        read_and_written::<FileKind>(&json!({ "code": word }));
    }
    read_and_written::<PromptKind>(&"begin".into());
    read_and_written::<State>(&"open".into());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test writes what a newer version would")]
fn a_record_of_a_newer_version_refuses_its_journal_and_is_left_as_it_is() {
    let place = tempfile::tempdir().unwrap();
    let folder = Root::open(place.path()).unwrap().top();
    let opening: JournalOpening = serde_json::from_value(opening()).unwrap();
    drop(Journal::create(&folder, &opening).unwrap());
    let path = std::fs::read_dir(place.path()).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&path).unwrap();
    for newer in [record(9, b"{}"), record(3, b"{\"newer\":1}")] {
        let bytes = [whole.as_slice(), &newer].concat();
        std::fs::write(&path, &bytes).unwrap();
        let error = Journal::open(&folder, opening.id).unwrap_err();
        assert!(error.to_string().contains("a newer engross"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        // Half a record is what a crash leaves.
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(Journal::open(&folder, opening.id).unwrap().is_some());
    }
}

fn record(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&[kind]);
    crc.update(body);
    let length = u32::try_from(body.len()).unwrap().to_le_bytes();
    [&length[..], &crc.finalize().to_le_bytes(), &[kind], body].concat()
}

/// A folder has the journals of a whole day: of those that are over only the end is looked into.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test writes what nobody else does")]
fn of_a_session_that_is_over_only_the_end_is_understood() {
    let place = tempfile::tempdir().unwrap();
    let folder = Root::open(place.path()).unwrap().top();
    let opened: JournalOpening = serde_json::from_value(opening()).unwrap();
    drop(Journal::create(&folder, &opened).unwrap());
    let path = std::fs::read_dir(place.path()).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&path).unwrap();
    let checkpoint = |state: &str, content: Value| {
        let mut session = opening()["session"].clone();
        session["state"] = state.into();
        let last = json!({"at": 7, "events": 9, "session": session, "content": content, "intent": null});
        record(3, last.to_string().as_bytes())
    };
    let nothing = || json!({"next": 1, "now": null, "aside": null, "file": null});
    let last = |state: &str| checkpoint(state, nothing());
    let write =
        |records: &[Vec<u8>]| std::fs::write(&path, [&whole[..], &records.concat()].concat()).unwrap();
    let is_over = || Journal::is_over(&folder, opened.id).unwrap();
    assert!(!is_over(), "it has only begun");
    write(&[record(3, b"not understood"), record(2, b"bytes"), last("committed")]);
    assert!(is_over());
    for not_over in [last("open"), record(2, b"{}"), record(3, b"not understood"), record(9, b"{}")] {
        write(&[last("committed"), not_over]);
        assert!(!is_over());
    }
    write(&[checkpoint("committed", content())]);
    assert!(!is_over(), "it has left content");
    let mut torn = last("committed");
    torn.pop();
    for torn in
        [torn, [last("committed"), b"torn".to_vec()].concat(), [last("committed"), vec![0xff; 9]].concat()]
    {
        write(&[torn]);
        assert!(!is_over(), "what is torn is looked into");
    }
    write(&[record(3, b"not understood"), record(2, b"bytes"), last("committed"), b"torn".to_vec()]);
    let (_, read) = Journal::open(&folder, opened.id).unwrap().unwrap();
    let end = read.checkpoint.unwrap();
    assert_eq!((end.at, end.events, end.session.state()), (7, 9, State::Committed));
    assert_eq!((read.opening, read.before.len(), read.since.len()), (opened.clone(), 0, 0));
    assert!(!std::fs::read(&path).unwrap().ends_with(b"torn"));
    write(&[record(3, b"not understood"), record(2, b"bytes"), last("open")]);
    assert!(Journal::open(&folder, opened.id).is_err(), "of one that goes on everything counts");
    write(&[record(2, b"bytes"), last("open"), record(2, b"more")]);
    let (_, read) = Journal::open(&folder, opened.id).unwrap().unwrap();
    assert_eq!(read.since, [b"more".to_vec()]);
}
