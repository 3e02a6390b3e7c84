//! Every fault at every byte: the file is exact, or there is a typed error and the old file. `cargo xtask write-matrix`
//! tries all of it, an ordinary run some.

use serde_json::{Value, json};

use super::server::{Answer, Server};

const OLD: &str = "old\n";

/// Whether all is tried.
fn all() -> bool {
    std::env::var_os("ENGROSS_WRITE_MATRIX").is_some()
}

#[derive(Debug, Clone, Copy)]
struct Shape {
    terminator: &'static str,
    line_end: &'static str,
}

fn shapes() -> impl Iterator<Item = Shape> {
    ["done", "sentinel", "auto"]
        .into_iter()
        .flat_map(|terminator| ["\n", "\r\n"].into_iter().map(move |line_end| Shape { terminator, line_end }))
}

impl Shape {
    fn content(self) -> String {
        "# é DONE\n\n- DONE: one\nDONERIGHT\n```\nDONE\n```\nlast ⅓\n".replace('\n', self.line_end)
    }

    fn begin(self, server: &Server, target: &str) -> (String, String) {
        server.put(target, OLD);
        let options = json!({"target_file": target, "operation": "append", "terminator": self.terminator});
        let (id, marker) = server.begun(&options);
        let end = if self.terminator == "sentinel" { &marker } else { "DONE" };
        (id, format!("{}{end}{}", self.content(), self.line_end))
    }

    /// The splits to be tried: all, or some, other ones in each row.
    fn splits(self, step: usize, shift: usize) -> impl Iterator<Item = usize> {
        // The end line is longer for a marker, and is always tried as a whole.
        let length = self.content().len() + 5;
        let step = if all() { 1 } else { step };
        (0..=length).skip(shift % step).step_by(step)
    }

    /// What holds in the end.
    fn check(self, server: &Server, target: &str, answer: &Answer, what: &str) {
        let got = server.read(target).unwrap();
        if answer.1["state"] == "committed" {
            assert_eq!(got, format!("{OLD}{}", self.content()), "{self:?} {what}");
        } else {
            assert_eq!(got, OLD, "{self:?} {what}");
            let code = answer.1["error"]["code"].as_str().unwrap_or_default();
            assert!(!code.is_empty(), "{self:?} {what}: {answer:?}");
        }
    }
}

fn offset(answer: &Answer) -> usize {
    usize::try_from(answer.1["offset"].as_u64().unwrap()).unwrap()
}

/// Turns end until the file does, as a model would that is asked.
fn end(server: &Server, id: &str, marker_or_done: &str) -> Answer {
    let mut answer = server.turn_end(id, "stop");
    for _ in 0..2 {
        if answer.1["state"] == "committed" {
            break;
        }
        // Nothing is missing, so only the end line is said again.
        let at = offset(&answer);
        server.content(id, at, marker_or_done);
        answer = server.turn_end(id, "stop");
    }
    answer
}

fn end_line(sent: &str) -> &str {
    sent.trim_end().rsplit('\n').next().unwrap()
}

#[test]
fn no_fault_a_cut_a_lost_connection_two_who_finalise() {
    let server = Server::start();
    std::thread::scope(|scope| {
        for (row, shape) in shapes().enumerate() {
            let server = &server;
            scope.spawn(move || {
                for split in shape.splits(9, row) {
                    in_one_process(server, shape, split, row);
                }
            });
        }
    });
}

fn in_one_process(server: &Server, shape: Shape, split: usize, row: usize) {
    for fault in ["none", "cut", "gone", "twice"] {
        let target = format!("{row}-{split}-{fault}.md");
        let (id, sent) = shape.begin(server, &target);
        let (first, second) = sent.as_bytes().split_at(split);
        let answer = match fault {
            "none" => {
                server.content(&id, 0, first);
                server.content(&id, split, second);
                let answer = server.turn_end(&id, "stop");
                assert_eq!(answer.1["state"], "committed", "{shape:?} {split}");
                answer
            }
            "cut" => {
                server.content(&id, 0, first);
                server.turn_end(&id, "length");
                server.content(&id, split, second);
                end(server, &id, end_line(&sent))
            }
            "gone" => {
                server.break_off(&id, 0, sent.len(), first);
                let at = wait(server, &id, |body| body["state"] != "receiving" && body["offset"] == split);
                server.content(&id, at, &sent.as_bytes()[at..]);
                end(server, &id, end_line(&sent))
            }
            _ => {
                let content = shape.content();
                server.content(&id, 0, &content);
                let both: Vec<Value> = std::thread::scope(|scope| {
                    let two = [(); 2].map(|()| scope.spawn(|| server.finalise(&id)));
                    two.map(|one| one.join().unwrap().1["receipt"].clone()).into()
                });
                assert_eq!(both[0], both[1], "{shape:?}");
                server.finalise(&id)
            }
        };
        shape.check(server, &target, &answer, &format!("{fault} at {split}"));
        assert_eq!(answer.1["state"], "committed", "{shape:?} {fault} at {split}: {answer:?}");
    }
}

/// Waits until the server has noticed; gives the offset. A connection that is gone before the server looks at it has
/// brought nothing.
fn wait(server: &Server, id: &str, noticed: impl Fn(&Value) -> bool) -> usize {
    for _ in 0..200 {
        let answer = server.look(id);
        if noticed(&answer.1) || answer.1["state"] == "committed" {
            return offset(&answer);
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let answer = server.look(id);
    assert_eq!(answer.1["state"], "open", "{answer:?}");
    offset(&answer)
}

/// Many sessions are somewhere when the server is killed; all go on behind what was acknowledged.
#[test]
fn killed_at_every_byte() {
    let mut server = Server::start();
    for (row, shape) in shapes().enumerate() {
        for group in shape.splits(5, row).collect::<Vec<_>>().chunks(20) {
            let sessions: Vec<(usize, String, String, String)> = group
                .iter()
                .map(|split| {
                    let target = format!("{row}-{split}.md");
                    let (id, sent) = shape.begin(&server, &target);
                    server.content(&id, 0, &sent.as_bytes()[..*split]);
                    // More is on its way and never acknowledged.
                    let more = &sent.as_bytes()[*split..(*split + 3).min(sent.len())];
                    server.break_off(&id, *split, sent.len(), more);
                    (*split, target, id, sent)
                })
                .collect();
            server.kill_and_restart();
            for (split, target, id, sent) in sessions {
                let looked = server.look(&id);
                let at = offset(&looked);
                assert!(at >= split || looked.1["state"] == "committed", "{shape:?} {split}: {looked:?}");
                if looked.1["state"] != "committed" && split > 0 {
                    assert_ne!(server.finalise(&id).1["state"], "committed", "nobody said that this is all");
                }
                server.content(&id, at, &sent.as_bytes()[at.min(sent.len())..]);
                let answer = end(&server, &id, end_line(&sent));
                shape.check(&server, &target, &answer, &format!("killed at {split}"));
                assert_eq!(answer.1["state"], "committed", "{shape:?} {split}: {answer:?}");
            }
        }
    }
}

/// There is room for the content up to some byte only.
#[test]
fn no_room_at_every_place() {
    let server = Server::limited(Some(64));
    let length = 80 << 10;
    let text = "0123456789abcde\n".repeat(length / 16);
    let step = if all() { 1 << 10 } else { 11 << 10 };
    for (row, shape) in shapes().enumerate() {
        for split in (0..length).step_by(step) {
            let target = format!("{row}-{split}.txt");
            let (id, _) = shape.begin(&server, &target);
            let first = server.content(&id, 0, &text.as_bytes()[..split]);
            let second = server.content(&id, split, &text.as_bytes()[split..]);
            let third = server.finalise(&id);
            for answer in [&first, &second, &third] {
                assert!(answer.0 == 200 || answer.0 == 507, "{answer:?}");
            }
            assert_eq!(third.1["error"]["code"], "NO_SPACE", "{third:?}");
            shape.check(&server, &target, &third, &format!("no room, {split}"));
        }
    }
    assert_eq!(server.spooled(), Vec::<String>::new());
}
