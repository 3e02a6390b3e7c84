//! The text of a session that is over, for those who use it again.

use engross_write::session::WriteOperation;

use super::desk::TestBench;

fn code(
    desk: &TestBench,
    id: engross_write::runner::WriteSessionId,
    folder: Option<&str>,
    limit: u64,
) -> &'static str {
    desk.sessions.text(id, folder, limit).unwrap_err().code()
}

#[test]
fn a_text_is_given_when_it_is_whole_and_as_it_was_written() {
    let desk = TestBench::new();
    let id = desk.begin("room/a.md", WriteOperation::Create).unwrap().id;
    desk.send(id, "größer\n").unwrap();
    assert_eq!(code(&desk, id, None, 100), "CONTENT_NOT_WRITTEN");
    desk.sessions.finalise(id).unwrap();
    assert_eq!(desk.sessions.text(id, None, 100).unwrap(), "größer\n");
    assert_eq!(desk.sessions.text(id, Some("room"), 9).unwrap(), "größer\n");
    assert_eq!(code(&desk, id, Some("roo"), 100), "SESSION_NOT_FOUND");
    assert_eq!(code(&desk, id, None, 8), "TOO_LARGE");
    desk.put("room/a.md", "grosser\n");
    assert_eq!(code(&desk, id, None, 100), "CONTENT_CHANGED");
    std::fs::remove_file(desk.path("room/a.md")).unwrap();
    assert_eq!(code(&desk, id, None, 100), "CONTENT_CHANGED");
}

#[test]
fn a_document_has_no_text_to_give() {
    let desk = TestBench::new();
    let id = desk.begin("a.docx", WriteOperation::Create).unwrap().id;
    desk.send(id, "one\n").unwrap();
    desk.sessions.finalise(id).unwrap();
    assert_eq!(code(&desk, id, None, 100), "UNSUPPORTED_TARGET");
}
