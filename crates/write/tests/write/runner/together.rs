//! Many sessions, and many who use one.

use std::sync::Barrier;

use engross_write::runner::{ChunkEnd, Limits, WriteCaller};
use engross_write::session::{BeginOptions, State, WriteOperation};

use super::desk::{TestBench, code};

#[test]
fn case_56_sixty_four_at_once_do_not_mix() {
    let desk = TestBench::new();
    let ids: Vec<_> =
        (0..64).map(|n| desk.begin(&format!("{n}.txt"), WriteOperation::Create).unwrap().id).collect();
    assert_eq!(code(desk.begin("more.txt", WriteOperation::Create)), "SERVER_BUSY");
    std::thread::scope(|scope| {
        for (n, id) in ids.iter().enumerate() {
            let sessions = &desk.sessions;
            scope.spawn(move || {
                for line in 0..20 {
                    let text = format!("{n} {line}\n");
                    sessions.chunk(*id, None, text.as_bytes(), ChunkEnd::More).unwrap();
                }
                assert_eq!(sessions.finalise(*id).unwrap().state, State::Committed);
            });
        }
    });
    for n in 0..64 {
        let expected: String = (0..20).map(|line| format!("{n} {line}\n")).collect();
        assert_eq!(desk.read(&format!("{n}.txt")), Some(expected));
    }
    desk.begin("more.txt", WriteOperation::Create).unwrap();
    assert_eq!(desk.sessions.list().len(), 65);
}

#[test]
fn sessions_that_were_begun_and_left_do_not_stand_in_the_way_of_others() {
    let desk = TestBench::with(Limits { sessions: 4, ..Limits::default() });
    let one = desk.begin("one.txt", WriteOperation::Create).unwrap().id;
    desk.send(one, "content\n").unwrap();
    for n in 0..3 {
        desk.time.pass(10);
        desk.begin(&format!("{n}.txt"), WriteOperation::Create).unwrap();
    }
    assert_eq!(code(desk.begin("more.txt", WriteOperation::Create)), "SERVER_BUSY");
    desk.time.pass(11_000);
    for n in 0..100 {
        desk.time.pass(20_000);
        let more = desk.begin(&format!("more{n}.txt"), WriteOperation::Create).unwrap();
        assert_eq!(more.state, State::Open);
    }
    // What has content is not taken away, and what waits to be gone on with counts for nothing.
    assert_eq!(desk.sessions.get(one).unwrap().state, State::Receiving);
    desk.sessions.turn_end(one, engross_write::framing::TurnFinish::Length).unwrap();
    desk.begin("last.txt", WriteOperation::Create).unwrap();
    assert_eq!(desk.sessions.get(one).unwrap().bytes, 8);
}

/// A session of the agent has its own bound: it gives up its own oldest empty one, never one of others, and others begin.
#[test]
fn agent_sessions_that_leave_files_behind_stand_in_nobodys_way() {
    let desk = TestBench::with(Limits { sessions: 16, ..Limits::default() });
    let begin = |caller: &str, name: &str| {
        desk.time.pass(1);
        let caller = match caller {
            "" => WriteCaller::default(),
            key => WriteCaller::AgentSession(key.to_owned()),
        };
        desk.sessions.begin_for(&caller, &BeginOptions::new(name, WriteOperation::Create))
    };
    let other = begin("other", "other.txt").unwrap().id;
    let ids: Vec<_> = (0..20).map(|n| begin("one", &format!("{n}.txt")).unwrap().id).collect();
    let state = |id| desk.sessions.get(id).unwrap().state;
    let open: Vec<bool> = ids.iter().map(|id| state(*id) == State::Open).collect();
    assert_eq!(open, [vec![false; 18], vec![true; 2]].concat());
    assert_eq!(state(other), State::Open);
    // What has content is not given up: this caller is told, and others begin.
    for id in &ids[18..] {
        desk.send(*id, "content\n").unwrap();
    }
    assert_eq!(code(begin("one", "more.txt")), "SERVER_BUSY");
    begin("two", "two.txt").unwrap();
    begin("", "nobody.txt").unwrap();
    // Nor does what was left with content block anybody for good, itself included.
    desk.time.pass(11_000);
    begin("one", "more.txt").unwrap();
    assert_eq!(ids[18..].iter().map(|id| desk.sessions.get(*id).unwrap().bytes).sum::<u64>(), 16);
}

/// Clients of one owner are bounded one by one: one that has all it may have is told, and the next begins.
#[test]
fn clients_that_leave_sessions_behind_stand_in_nobodys_way() {
    let desk = TestBench::with(Limits { sessions: 4, ..Limits::default() });
    let client = |name: &str| WriteCaller::Client(name.to_owned());
    let begin = |caller: &str, file: &str| {
        desk.sessions.begin_for(&client(caller), &BeginOptions::new(file, WriteOperation::Create))
    };
    for n in 0..4 {
        let id = begin("one", &format!("one{n}.txt")).unwrap().id;
        desk.send(id, "content\n").unwrap();
    }
    assert_eq!(code(begin("one", "more.txt")), "SERVER_BUSY");
    for n in 0..4 {
        begin("two", &format!("two{n}.txt")).unwrap();
    }
    // What was begun just now is no less wanted than what is to be begun.
    assert_eq!(code(begin("two", "more.txt")), "SERVER_BUSY");
    desk.time.pass(11_000);
    begin("two", "two-more.txt").unwrap();
    let open = |name: &str| {
        let views = desk.sessions.list();
        views
            .iter()
            .filter(|view| view.options.target_file.starts_with(name) && !view.state.is_final())
            .count()
    };
    assert_eq!((open("one"), open("two")), (4, 4), "its own oldest gave way");
}

/// Those that begin at the same time count, too.
#[test]
fn a_client_that_begins_many_at_once_gets_no_more_than_it_may() {
    let desk = TestBench::with(Limits { sessions: 4, ..Limits::default() });
    let start = Barrier::new(24);
    let begun = std::thread::scope(|scope| {
        let begin = |n: usize| {
            let (desk, start) = (&desk, &start);
            scope.spawn(move || {
                start.wait();
                let options = BeginOptions::new(format!("{n}.txt"), WriteOperation::Create);
                desk.sessions.begin_for(&WriteCaller::Client("one".to_owned()), &options).is_ok()
            })
        };
        let threads: Vec<_> = (0..24).map(begin).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|begun| *begun).count()
    });
    assert_eq!(begun, 4);
}

#[test]
fn sessions_that_were_left_in_great_number_expire_rather_than_block() {
    let desk = TestBench::with(Limits { sessions: 1, ..Limits::default() });
    for n in 0..40 {
        let id = desk.begin(&format!("{n}.txt"), WriteOperation::Create).unwrap().id;
        desk.send(id, "content\n").unwrap();
        desk.time.pass(11_000);
    }
    let live = desk.sessions.list().iter().filter(|view| !view.state.is_final()).count();
    assert_eq!(live, 16);
}

#[test]
fn case_52_two_who_finalise_have_one_effect() {
    for operation in [WriteOperation::Append, WriteOperation::Create] {
        let desk = TestBench::new();
        if operation == WriteOperation::Append {
            desk.put("a.txt", "old\n");
        }
        let id = desk.begin("a.txt", operation).unwrap().id;
        desk.send(id, "X\n").unwrap();
        let start = Barrier::new(4);
        let receipts: Vec<_> = std::thread::scope(|scope| {
            let finalise = || {
                start.wait();
                desk.sessions.finalise(id).unwrap().receipt.unwrap()
            };
            let running: Vec<_> = (0..4).map(|_| scope.spawn(finalise)).collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(receipts.windows(2).all(|two| two[0] == two[1]));
        let expected = if operation == WriteOperation::Append { "old\nX\n" } else { "X\n" };
        assert_eq!(desk.read("a.txt").as_deref(), Some(expected));
    }
}

#[test]
fn only_the_newest_of_those_that_are_over_are_remembered() {
    let desk = TestBench::with(Limits { finished: 3, ..Limits::default() });
    for n in 0..6 {
        desk.write(&format!("{n}.txt"), WriteOperation::Create, "x\n").unwrap();
        desk.time.pass(10);
    }
    desk.sessions.watch();
    let left: Vec<String> = desk.sessions.list().into_iter().map(|view| view.options.target_file).collect();
    assert_eq!(left, ["3.txt", "4.txt", "5.txt"]);
}

/// What was left can be gone on with, and keeps nobody from the file meanwhile: who writes it first wins, and the other is told.
#[test]
fn a_file_that_was_left_is_free_for_others() {
    let desk = TestBench::new();
    let left = desk.begin("a.txt", WriteOperation::Create).unwrap().id;
    desk.send(left, "one\n").unwrap();
    desk.sessions.turn_end(left, engross_write::framing::TurnFinish::Length).unwrap();
    assert_eq!(code(desk.begin("a.txt", WriteOperation::Create)), "SESSION_CONFLICT");
    desk.sessions.leave(left).unwrap();
    let other = desk.begin("a.txt", WriteOperation::Create).unwrap().id;
    assert_eq!(code(desk.send(left, "two\n")), "SESSION_CONFLICT");
    desk.send(other, "other\n").unwrap();
    desk.sessions.finalise(other).unwrap();
    desk.send(left, "two\nDONE\n").unwrap();
    let view = desk.sessions.turn_end(left, engross_write::framing::TurnFinish::Stop).unwrap();
    assert_eq!(view.problem.map(|problem| problem.code).as_deref(), Some("TARGET_EXISTS"));
    assert_eq!(desk.read("a.txt").as_deref(), Some("other\n"));
}
