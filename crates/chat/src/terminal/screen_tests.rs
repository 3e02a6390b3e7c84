use engross_agent::session::{AnswerFinish, Standing, ToolStep, TurnEvent, WriteReport};
use engross_agent::workspace::ProposedEdits;
use engross_llm::Usage;
use engross_protocol::WriteSessionId;
use serde_json::{Value, json};

use super::events::{ChatEnd, Choice, ScreenAction, ScreenEvent, UndoStep};
use super::screen::Screen;
use super::status::status;
use super::styled::Theme;
use crate::approvals::{Change, FileChange};
use crate::commands::Command;

/// A screen with what it printed, and the time.
struct TestScreen {
    screen: Screen,
    now: u64,
    printed: String,
}

impl TestScreen {
    fn new() -> Self {
        let screen = Screen::new(Theme { colour: false }, 80, Some("nda.redline.docx".into()));
        Self { screen, now: 1_000_000, printed: String::new() }
    }

    /// What is to be done beside printing.
    fn step(&mut self, event: ScreenEvent) -> Vec<ScreenAction> {
        let actions = self.screen.step(event, self.now);
        self.take(actions)
    }

    fn take(&mut self, actions: Vec<ScreenAction>) -> Vec<ScreenAction> {
        let mut left = Vec::new();
        for action in actions {
            match action {
                ScreenAction::Print(text) => self.printed.push_str(&text),
                ScreenAction::Bell => {}
                other => left.push(other),
            }
        }
        left
    }

    fn line(&mut self, text: &str) -> Vec<ScreenAction> {
        self.step(ScreenEvent::Line(text.to_owned()))
    }

    fn answer(&mut self, event: TurnEvent) {
        assert_eq!(self.step(ScreenEvent::Answer(event)), []);
    }

    fn says(&mut self, text: &str) {
        self.answer(TurnEvent::Text(text.to_owned()));
    }

    fn tool(&mut self, step: ToolStep, message: &str) {
        self.answer(TurnEvent::Status {
            message: message.to_owned(),
            id: "a".to_owned(),
            tool: "apply_redlines".to_owned(),
            step,
        });
    }

    fn done(&mut self) {
        let usage = Some(Usage { input_tokens: 10, output_tokens: 5 });
        self.answer(TurnEvent::Done { finish: AnswerFinish::Stop, usage });
    }

    fn status(&self) -> String {
        status(&self.screen, self.now).text()
    }
}

fn send(text: &str) -> Vec<ScreenAction> {
    vec![ScreenAction::Send(text.to_owned())]
}

#[test]
fn a_message_and_its_answer() {
    let mut desk = TestScreen::new();
    desk.screen.about = "script · s".to_owned();
    assert_eq!(desk.status(), "script · s · /help");
    assert_eq!(desk.line("  "), []);
    assert_eq!(desk.line("hello\nthere"), send("hello\nthere"));
    desk.now += 3_100;
    assert!(desk.status().ends_with("Thinking · 3 s · Ctrl-C stops"), "{}", desk.status());
    let latest = "First I look\n at the \u{1b}[31mterms, then ".to_owned() + &"at all the rest ".repeat(20);
    desk.answer(TurnEvent::Thinking {
        bytes: 900,
        latest: "so I look\n at \u{1b}[2Jit".to_owned(),
        more: String::new(),
    });
    let thinks = desk.status();
    assert!(thinks.contains("Thinking · 3 s · 900 bytes · Ctrl-C stops · … so I look at"), "{thinks}");
    assert!(!thinks.contains('\u{1b}'), "{thinks:?}");
    desk.answer(TurnEvent::Thinking { bytes: 901, latest, more: String::new() });
    assert!(desk.status().ends_with("all the rest") && desk.status().chars().count() < desk.screen.width);
    desk.says("It is **so**.\n");
    assert!(desk.status().contains("Answering"));
    desk.done();
    assert_eq!(desk.step(ScreenEvent::AnswerOver), []);
    assert_eq!(desk.printed, "It is \u{1b}[1mso\u{1b}[0m.\n\n");
    assert_eq!(desk.status(), "script · s · 15 tokens · /help");
}

#[test]
fn what_is_typed_meanwhile_waits_and_goes_out_in_order() {
    let mut desk = TestScreen::new();
    desk.line("one");
    assert_eq!(desk.line("two"), [ScreenAction::Steer("two".to_owned())]);
    assert_eq!(desk.line("/undo"), []);
    assert_eq!(desk.line("three"), []);
    assert_eq!(desk.line("/status"), [ScreenAction::Run(Command::Status)], "this one disturbs nobody");
    assert!(desk.status().ends_with("3 messages wait"));
    desk.done();
    assert_eq!(desk.step(ScreenEvent::AnswerOver), send("two"));
    desk.done();
    assert_eq!(desk.step(ScreenEvent::AnswerOver), [ScreenAction::Run(Command::Undo)]);
    let actions = desk.screen.resume(desk.now);
    assert_eq!(desk.take(actions), send("three"));
}

#[test]
fn what_the_model_has_read_waits_no_more() {
    let mut desk = TestScreen::new();
    desk.line("one");
    assert_eq!(desk.line("and mind the gap"), [ScreenAction::Steer("and mind the gap".to_owned())]);
    assert_eq!(desk.line("two"), [ScreenAction::Steer("two".to_owned())]);
    desk.step(ScreenEvent::Steered);
    assert!(desk.printed.contains("· the model has read: and mind the gap"), "{}", desk.printed);
    assert!(desk.status().ends_with("1 message waits"));
    desk.done();
    assert_eq!(desk.step(ScreenEvent::AnswerOver), send("two"));
}

#[test]
fn ctrl_c_at_the_prompt_keeps_the_line_and_ends_the_second_time() {
    let mut desk = TestScreen::new();
    let press = |line: &str| ScreenEvent::Interrupt(line.to_owned());
    assert_eq!(desk.step(press("half a line")), []);
    assert!(desk.status().contains("your line is kept"));
    assert_eq!(desk.step(press("half a line, more")), [], "somebody went on typing");
    desk.now += 6_000;
    assert_eq!(desk.step(press("half a line, more")), [], "that was long ago");
    desk.now += 1_000;
    assert_eq!(desk.step(press("half a line, more")), [ScreenAction::End(ChatEnd::Quit)]);
}

#[test]
fn ctrl_c_stops_an_answer_and_what_waits_goes_out_at_once() {
    let mut desk = TestScreen::new();
    desk.line("one");
    desk.line("rather this");
    assert_eq!(desk.step(ScreenEvent::Interrupt(String::new())), [ScreenAction::Stop]);
    assert_eq!(desk.line("and this"), [], "nobody reads it any more");
    desk.screen.queue.pop_back();
    assert!(desk.status().contains("Stopping"));
    let cancelled = TurnEvent::Failed {
        code: "TURN_CANCELLED".to_owned(),
        message: "the turn was cancelled".to_owned(),
        retry_after: None,
    };
    desk.answer(cancelled);
    assert_eq!(desk.step(ScreenEvent::AnswerOver), send("rather this"));
    assert!(desk.printed.contains("Stopped") && !desk.printed.contains("TURN_CANCELLED"), "{}", desk.printed);
    // Twice ends the chat.
    assert_eq!(desk.step(ScreenEvent::Interrupt(String::new())), [ScreenAction::Stop]);
    assert_eq!(desk.step(ScreenEvent::Interrupt(String::new())), [ScreenAction::End(ChatEnd::Interrupted)]);
}

/// The answer is over between the two presses.
#[test]
fn two_presses_at_once_end_the_chat_also_when_the_first_was_quick() {
    let press = || ScreenEvent::Interrupt(String::new());
    let stopped = || {
        let mut desk = TestScreen::new();
        desk.line("one");
        assert_eq!(desk.step(press()), [ScreenAction::Stop]);
        assert_eq!(desk.step(ScreenEvent::AnswerOver), []);
        desk
    };
    assert_eq!(stopped().step(press()), [ScreenAction::End(ChatEnd::Interrupted)]);
    // Who presses later wants something else, and is asked.
    let mut desk = stopped();
    desk.now += 2_000;
    assert_eq!(desk.step(press()), []);
    assert!(desk.status().contains("once more"), "{}", desk.status());
    assert_eq!(desk.step(press()), [ScreenAction::End(ChatEnd::Quit)]);
}

fn edits() -> Change {
    Change::Edits(ProposedEdits {
        file: "nda.redline.docx".to_owned(),
        operations: vec![serde_json::from_value(operation()).unwrap()],
    })
}

fn operation() -> Value {
    json!({"index": 0, "op": "modify_text", "status": "applied", "address": "P12", "revisionIds": [1], "goneRevisionIds": [], "commentIds": [], "untracked": [], "before": "three years", "after": "five years"})
}

fn proven() -> Value {
    json!({"operations": [operation()], "proof": {"reject": "holds", "accept": "holds"}})
}

#[test]
fn edits_are_made_only_after_a_yes() {
    let mut desk = TestScreen::new();
    desk.line("edit");
    assert_eq!(desk.step(ScreenEvent::Proposed(edits(), true)), []);
    assert!(
        desk.printed.contains("1 edit of nda.redline.docx") && desk.printed.contains("[-three-]{+five+}")
    );
    assert!(desk.status().starts_with("Agree? yes  no  always"));
    assert_eq!(desk.line("why?"), [ScreenAction::Steer("why?".to_owned())], "another message waits");
    assert_eq!(desk.step(ScreenEvent::Choice(Choice::No)), [ScreenAction::Reply(false)]);
    assert!(desk.screen.changes().is_empty());
    assert_eq!(desk.line("o"), [], "the word may be typed as a whole");

    desk.step(ScreenEvent::Proposed(edits(), true));
    assert_eq!(desk.line("Yes"), [ScreenAction::Reply(true)], "the word is as good as the key");
    let shown = desk.printed.len();
    desk.step(ScreenEvent::Edited(proven()));
    assert!(!desk.printed[shown..].contains("{+five+}"), "it was shown with the question");
    desk.done();
    desk.step(ScreenEvent::AnswerOver);
    assert!(desk.printed.contains("✓ 1 applied. Wrote nda.redline.docx: rejecting all"), "{}", desk.printed);
    assert_eq!(desk.screen.undo_step(), Some(UndoStep::Document));
}

#[test]
fn always_agrees_to_all_that_waits_and_asks_no_more() {
    let mut desk = TestScreen::new();
    desk.line("edit");
    desk.step(ScreenEvent::Proposed(edits(), true));
    desk.step(ScreenEvent::Proposed(file(Some("a\n"), "b\n"), true));
    let all = [ScreenAction::AgreeToAll, ScreenAction::Reply(true), ScreenAction::Reply(true)];
    assert_eq!(desk.step(ScreenEvent::Choice(Choice::Always)), all);
    // From here on they are only seen.
    assert_eq!(desk.step(ScreenEvent::Proposed(edits(), false)), []);
    desk.step(ScreenEvent::Edited(proven()));
    assert!(desk.printed.contains("{+five+}"));
}

#[test]
fn what_is_asked_while_the_answer_stops_is_declined() {
    let mut desk = TestScreen::new();
    desk.line("edit");
    desk.step(ScreenEvent::Proposed(edits(), true));
    let declined = [ScreenAction::Reply(false), ScreenAction::Stop];
    assert_eq!(desk.step(ScreenEvent::Interrupt(String::new())), declined);
    assert_eq!(desk.step(ScreenEvent::Proposed(edits(), true)), [ScreenAction::Reply(false)]);
}

fn file(before: Option<&str>, after: &str) -> Change {
    Change::File(FileChange {
        path: "a.txt".to_owned(),
        before: before.map(str::to_owned),
        after: Some(after.to_owned()),
        bytes: after.len() as u64,
    })
}

fn report(standing: Standing, code: &str, say: &Value) -> ScreenEvent {
    let id: WriteSessionId = "wri_01900000000070008000000000000000"
        .parse()
        .unwrap_or_else(|_| WriteSessionId::new(&engross_protocol::CountingIds::default(), 0));
    ScreenEvent::Wrote(WriteReport {
        id,
        standing,
        bytes: 2,
        lines: 1,
        part: 2,
        part_sha256: String::new(),
        say: say.to_string(),
        code: code.to_owned(),
        usage: None,
        model: String::new(),
    })
}

#[test]
fn a_file_is_shown_with_its_warnings_and_can_be_taken_back() {
    let mut desk = TestScreen::new();
    desk.line("write");
    desk.tool(ToolStep::Running, "Writing a.txt: 2 bytes, 1 lines …");
    desk.now += 65_000;
    assert!(desk.status().contains("Writing a.txt: 2 bytes, 1 lines · 1 min 05 s"), "{}", desk.status());
    desk.step(ScreenEvent::Proposed(file(Some("one\ntwo\n"), "one\n2\n"), true));
    assert!(
        desk.printed.contains("Change a.txt · +1 −1") && desk.printed.contains("  - two\n\u{1b}[0m")
            || desk.printed.contains("  - two\n  + 2"),
        "{}",
        desk.printed
    );
    desk.step(ScreenEvent::Choice(Choice::Yes));
    let say = json!({"target_file": "a.txt", "receipt": {"sha256": "new", "previous_sha256": "old",
        "warnings": [{"code": "SYNTAX_ERROR", "message": "line 2: it does not parse"}]}});
    desk.step(report(Standing::Written, "", &say));
    assert!(
        desk.printed
            .contains("✓ a.txt is written: 2 bytes, 1 lines\n! line 2: it does not parse [SYNTAX_ERROR]\n"),
        "{}",
        desk.printed
    );
    let step = UndoStep::File {
        path: "a.txt".to_owned(),
        before: Some("one\ntwo\n".to_owned()),
        sha256: "new".to_owned(),
    };
    assert_eq!(desk.screen.undo_step(), Some(step));
    assert_eq!(desk.screen.changes().len(), 1);
}

#[test]
fn a_file_that_was_there_and_not_shown_is_not_taken_back() {
    let mut desk = TestScreen::new();
    desk.line("write");
    desk.step(ScreenEvent::Proposed(file(None, "x\n"), false));
    let say = json!({"target_file": "a.txt", "receipt": {"sha256": "new", "previous_sha256": "old"}});
    desk.step(report(Standing::Written, "", &say));
    assert_eq!(desk.screen.undo_step(), None);
}

#[test]
fn states_that_need_the_person_are_told() {
    let mut desk = TestScreen::new();
    desk.line("write");
    let about = json!({"target_file": "a.txt"});
    desk.step(report(Standing::Left, "INCOMPLETE", &about));
    assert!(
        desk.printed.contains("! a.txt is incomplete: 2 bytes are kept. Say \"go on\""),
        "{}",
        desk.printed
    );
    desk.step(report(Standing::Failed, "WRITE_DECLINED", &about));
    assert!(desk.printed.contains("! a.txt was not written [WRITE_DECLINED]"));
    desk.step(ScreenEvent::Refused(
        json!({"error": {"code": "TARGET_EXISTS", "message": "a.txt is there"}}).to_string(),
    ));
    assert!(desk.printed.contains("· a.txt is there [TARGET_EXISTS]"));
    desk.step(ScreenEvent::Refused("There is no tool 'edit'. There are: read_file.".to_owned()));
    let printed = &desk.printed;
    assert!(printed.contains("· There is no tool 'edit'.") && !printed.contains("There are"), "{printed}");
    desk.answer(TurnEvent::Warning { code: "HISTORY_LEFT_OUT".to_owned(), message: "much".to_owned() });
    assert!(desk.printed.contains("! much [HISTORY_LEFT_OUT]"));
    let failed = TurnEvent::Failed {
        code: "MODEL_TIMEOUT".to_owned(),
        message: "it is silent".to_owned(),
        retry_after: None,
    };
    desk.answer(failed);
    assert!(
        desk.printed.contains("✗ it is silent [MODEL_TIMEOUT]\n")
            && desk.printed.contains("/retry asks again")
    );
}

#[test]
fn the_status_line_fits_a_narrow_terminal() {
    let mut desk = TestScreen::new();
    desk.screen.width = 30;
    desk.line("write");
    desk.tool(ToolStep::Started, "Writing a-file-with-a-very-long-name.txt …");
    assert!(status(&desk.screen, desk.now).width() <= 29);
}
