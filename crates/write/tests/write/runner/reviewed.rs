//! Files that somebody has to agree to before they take their place.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use engross_write::runner::{ProposedFile, Reviewer};
use engross_write::session::{State, WriteOperation};

use super::desk::{TestBench, problem};

/// A file that was shown: its path, what it was and what it is to be.
type ShownFile = (String, Option<String>, Option<String>);

/// Agrees as its test says, and passes on what it was shown.
struct TestReviewer {
    shown: Mutex<Sender<ShownFile>>,
    answers: Mutex<Receiver<bool>>,
}

impl Reviewer for TestReviewer {
    fn agrees(&self, file: &ProposedFile<'_>) -> bool {
        let text = |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8(bytes.to_vec()).unwrap());
        let shown = (file.path.to_owned(), text(file.before), text(file.text));
        self.shown.lock().unwrap().send(shown).unwrap();
        self.answers.lock().unwrap().recv().unwrap()
    }
}

fn reviewed() -> (TestBench, Receiver<ShownFile>, Sender<bool>) {
    let ((shown, seen), (answer, answers)) = (channel(), channel());
    let reviewer = TestReviewer { shown: Mutex::new(shown), answers: Mutex::new(answers) };
    (TestBench::reviewed(Arc::new(reviewer)), seen, answer)
}

#[test]
fn a_file_takes_its_place_only_when_it_was_agreed_to() {
    let (desk, seen, answer) = reviewed();
    desk.put("a.txt", "old\n");
    answer.send(false).unwrap();
    let declined = desk.write("a.txt", WriteOperation::Overwrite, "new\n").unwrap();
    assert_eq!((declined.state, problem(&declined)), (State::Failed, Some("WRITE_DECLINED")));
    assert_eq!(desk.read("a.txt").unwrap(), "old\n");
    assert_eq!(desk.contents(), ["a.txt"], "nothing of it is left");
    let shown = ("a.txt".to_owned(), Some("old\n".to_owned()), Some("new\n".to_owned()));
    assert_eq!(seen.try_recv().unwrap(), shown);

    answer.send(true).unwrap();
    let view = desk.write("a.txt", WriteOperation::Append, "more\n").unwrap();
    assert_eq!(view.state, State::Committed);
    let shown = ("a.txt".to_owned(), Some("old\n".to_owned()), Some("old\nmore\n".to_owned()));
    assert_eq!(seen.try_recv().unwrap(), shown, "all of the file is shown, not only what was sent");
}

#[test]
fn what_has_errors_is_not_shown() {
    let (desk, seen, _answer) = reviewed();
    let view = desk.write("a.json", WriteOperation::Create, "{").unwrap();
    assert_eq!(view.state, State::NeedsRepair);
    assert!(seen.try_recv().is_err());
}

/// A person who does not answer, but stops.
#[test]
fn a_file_can_be_cancelled_while_it_is_shown() {
    let (desk, seen, answer) = reviewed();
    let id = desk.begin("a.txt", WriteOperation::Create).unwrap().id;
    desk.send(id, "text\n").unwrap();
    std::thread::scope(|scope| {
        let finalised = scope.spawn(|| desk.sessions.finalise(id));
        seen.recv().unwrap();
        assert_eq!(desk.sessions.cancel(id).unwrap().state, State::Cancelled);
        answer.send(true).unwrap();
        assert_eq!(finalised.join().unwrap().unwrap().state, State::Cancelled);
    });
    assert_eq!(desk.contents(), [""; 0]);
}
