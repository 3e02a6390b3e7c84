//! What is mended and what is left out.

use super::repair::repair;
use super::{LineError, Transcript};

fn mended(text: &[u8]) -> (String, super::repair::RepairReport) {
    let mut out = Vec::new();
    let repair = repair(text, &mut out, "s9").unwrap();
    (String::from_utf8(out).unwrap(), repair)
}

#[test]
fn whole_lines_stay_as_they_were_and_others_go() {
    let first = r#"{"type":"session","id":"s1"}"#;
    let said = r#"{ "type" : "message","id":"a","parentId":null,"message":{"role":"user","content":"x"} }"#;
    let text = format!("\u{feff}/speci{first}\r\n{said}\r\n\r\n42\r\n{first}\r\n{{\"type\":\"mess");
    let (out, repair) = mended(text.as_bytes());
    assert_eq!(out, format!("{first}\n{said}\n"));
    assert_eq!((repair.kept, repair.trimmed, repair.headers_left_out), (2, vec![1], vec![5]));
    assert_eq!(repair.left_out, [(4, LineError::NotAnObject), (6, LineError::Torn)]);
    assert_eq!(mended(out.as_bytes()).0, out, "what is whole stays");
}

#[test]
fn a_header_is_added_where_there_is_none() {
    let said = r#"{"type":"message","id":"a","parentId":"gone","message":{"role":"user","content":"x"}}"#;
    let (out, repair) = mended(said.as_bytes());
    assert!(repair.header_added);
    let session = Transcript::read(out.as_bytes(), true).unwrap();
    assert_eq!((session.id.as_deref(), session.steps.len()), (Some("s9"), 1));
}
