use std::sync::Arc;
use std::time::Duration;

use engross_llm::{Error, Event, Model, ModelInfo, Request};
use engross_protocol::SessionId;
use engross_store::MemoryStore;
use futures_util::stream::{self, BoxStream, StreamExt};

use super::event::TurnEvent;
use super::log::LogEvent;
use super::service_support::*;
use super::{Models, Sessions, SessionsConfig, record};

/// Streams pieces of 1 KiB, one every 10 ms, and then never ends.
struct SlowModel(usize);

impl Model for SlowModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { spec: "slow".to_owned(), language_model: false }
    }

    fn answer(&self, _request: Request) -> BoxStream<'static, Result<Event, Error>> {
        let pieces = stream::iter(0..self.0).then(|piece| async move {
            tokio::time::sleep(Duration::from_millis(10)).await;
            Ok(Event::Text(format!("{piece:<1023}\n")))
        });
        pieces.chain(stream::pending()).boxed()
    }
}

async fn streamed(store: &MemoryStore, id: SessionId) -> String {
    let mut told = String::new();
    for recorded in record::read_log(store, id).await.unwrap() {
        if let LogEvent::Streamed { text, from } = recorded.event {
            assert_eq!(from, told.len(), "no byte is stored twice, and none left out");
            told.push_str(&text);
        }
    }
    told
}

fn slow(store: &Arc<MemoryStore>, pieces: usize) -> Sessions {
    let model: Arc<dyn Model> = Arc::new(SlowModel(pieces));
    Sessions::new(SessionsConfig {
        models: Models::one(model),
        grace: Duration::from_secs(60),
        ..config(store, &ScriptedModel::new([]))
    })
}

/// A crash loses at most what streamed in since the last checkpoint: 4 KiB, or one second.
#[tokio::test]
async fn what_streams_is_in_the_log_while_it_streams() {
    tokio::time::pause();
    let store = Arc::new(MemoryStore::default());
    let sessions = slow(&store, 21);
    let mut answer = sessions.submit(request(vec![user("a")])).await.unwrap();
    let id = answer.session;
    let mut heard = String::new();
    while heard.len() < 21 * 1024 {
        let Some(TurnEvent::Text(text)) = answer.next().await.map(|placed| placed.event) else { panic!() };
        heard.push_str(&text);
    }
    let early = streamed(&store, id).await;
    assert!(heard.starts_with(&early) && heard.len() - early.len() <= 5 * 1024, "{}", early.len());
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_eq!(streamed(&store, id).await, heard, "what is left is stored after a second");
    // Another process finds it, and says that it is not whole.
    let again = Sessions::new(config(&store, &ScriptedModel::new([])));
    let mut found = again.listen("", &super::SessionName::Named("doc".to_owned())).await.unwrap();
    let mut text = String::new();
    let end = loop {
        match found.next().await.unwrap().event {
            TurnEvent::Text(more) => text.push_str(&more),
            other => break other,
        }
    };
    assert_eq!(text, heard);
    assert!(matches!(end, TurnEvent::Failed { code, .. } if code == "ANSWER_INTERRUPTED"));
}

#[tokio::test]
async fn what_streamed_before_a_cancel_is_kept() {
    tokio::time::pause();
    let store = Arc::new(MemoryStore::default());
    let sessions = slow(&store, 2);
    let mut answer = sessions.submit(request(vec![user("a")])).await.unwrap();
    answer.next().await.unwrap();
    assert!(sessions.cancel("", &super::SessionName::Named("doc".to_owned())).await.unwrap());
    let id = answer.session;
    let (_, _, end) = heard(answer).await;
    assert!(matches!(end, TurnEvent::Failed { code, .. } if code == "TURN_CANCELLED"));
    assert_eq!(streamed(&store, id).await.len(), 1024);
}

/// What was streamed does not lie about in pieces, and comes in its order with true places.
#[tokio::test]
async fn text_is_kept_in_large_pieces_however_it_came_and_is_heard() {
    let store = Arc::new(MemoryStore::default());
    let words: Vec<String> = (0..100_000).map(|number| format!("{number} ")).collect();
    let model = ScriptedModel::new([text(&words.concat())]);
    let sessions = Sessions::new(config(&store, &model));
    let mut answer = sessions.submit(request(vec![user("a")])).await.unwrap();
    let first = answer.next().await.unwrap();
    let again = async || sessions.listen("", &super::SessionName::Named("doc".to_owned())).await.unwrap();
    let mut heard = (String::new(), 0);
    let mut live = again().await;
    while let Some(placed) = live.next().await {
        if let TurnEvent::Text(more) = placed.event {
            heard = (heard.0 + &more, heard.1 + 1);
            assert_eq!(placed.position, heard.0.len() as u64);
        }
    }
    assert_eq!(heard.0, words.concat());
    let (mut late, mut told, mut pieces) = (again().await, String::new(), 0);
    while let Some(placed) = late.next().await {
        if let TurnEvent::Text(more) = placed.event {
            told.push_str(&more);
            assert_eq!(placed.position, told.len() as u64);
            pieces += 1;
        }
    }
    assert_eq!((told.as_str(), pieces), (heard.0.as_str(), heard.0.len().div_ceil(250 << 10)));
    // One that has heard a part hears the rest, and nothing twice.
    let begun = usize::try_from(first.position).unwrap();
    let mut rest = String::new();
    while let Some(placed) = answer.next().await {
        if let TurnEvent::Text(more) = placed.event {
            rest.push_str(&more);
        }
    }
    assert_eq!(rest, heard.0[begun..]);
    let mut resumed = again().await;
    resumed.resume_after(first.position);
    let Some(TurnEvent::Text(more)) = resumed.next().await.map(|placed| placed.event) else { panic!() };
    assert!(heard.0[begun..].starts_with(&more));
}
