//! What a long thread costs the store: snapshots are rarer the longer its log is.

use engross_artifacts::SessionKey;
use engross_journal::{Creation, Log, NewLog, read_all};
use engross_protocol::SessionId;
use engross_store::{MemoryStore, Name, Store};

use super::answer_text::AnswerText;
use super::decide::{Input, decide};
use super::log::RunEvent;
use super::machine_tests::{contract, order, run};
use super::state::RunThread;
use crate::runner::{AgentEvent, Policy};

#[tokio::test]
async fn a_thread_of_five_thousand_entries_has_few_snapshots_and_is_read_back_as_it_was() {
    let (store, id) = (MemoryStore::new(), SessionId::from_bytes([1; 16]));
    let opened = RunEvent::Opened {
        principal: "p".to_owned(),
        thread: "t".to_owned(),
        session_key: SessionKey::parse("agent:main:t").unwrap(),
    };
    let new = NewLog { id, at: 1_000, key: Name::new("t").unwrap(), names: Vec::new() };
    let Creation::New(mut log) = Log::<RunThread>::create(&store, new, &[opened]).await.unwrap() else {
        panic!("it is new");
    };
    let (mut taken, mut bytes, mut number) = (0, 0, 0);
    while log.head() < 5_000 {
        number += 1;
        let inputs = [
            Input::Submit(Box::new(order(number, contract(0), Policy::Deny))),
            Input::Admit,
            Input::Event(AgentEvent::Started { agent_session: Some("a".to_owned()) }),
            Input::Lost("AGENT_LOST".to_owned(), "it is gone".to_owned()),
        ];
        for input in inputs {
            let decision = decide(log.state(), &run(number), input, &AnswerText::default(), 1_000);
            assert!(!decision.events.is_empty());
            for event in &decision.events {
                log.state_mut().apply(event, 1_000);
            }
            log.append(&store, None, &decision.events, Vec::new(), 1_000).await.unwrap();
            let stored = store.load_by_id(id).await.unwrap().unwrap();
            let snapshot = stored.snapshot.filter(|snapshot| snapshot.seq == log.head());
            taken += usize::from(snapshot.is_some());
            bytes += snapshot.map_or(0, |snapshot| snapshot.state.len());
        }
    }
    // At even distances of 64 entries there were 78, with 7 MB of JSON for a state of 190 kB.
    assert!((10..=25).contains(&taken), "{taken} snapshots");
    let whole = serde_json::to_vec(log.state()).unwrap().len();
    assert!(bytes < 7 * whole, "{bytes} bytes of snapshots for a state of {whole}");
    let read = Log::<RunThread>::load(&store, id).await.unwrap().unwrap();
    assert_eq!(read.state(), log.state());
    let mut fold = RunThread::default();
    for entry in read_all::<RunThread>(&store, id).await.unwrap() {
        fold.apply(&entry.event, entry.at);
    }
    assert_eq!(read.state(), &fold);
}
