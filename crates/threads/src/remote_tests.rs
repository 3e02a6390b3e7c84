//! A bridge over HTTP, played by a server that answers as it is told.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use futures_util::StreamExt;
use serde_json::{Value, json};

use super::link::{BridgeCall, BridgeFrame, Link, LinkError};
use super::outcome::RemoteArtifact;
use super::remote::RemoteBridge;
use super::sync::{FetchError, Sink};

/// Answers each connection with the next reply and closes it; tells what was asked.
fn bridge(replies: Vec<String>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, asked) = channel();
    std::thread::spawn(move || {
        for reply in replies {
            let (mut stream, _) = listener.accept().unwrap();
            let mut heard = Vec::new();
            let mut piece = [0; 4096];
            loop {
                let text = String::from_utf8_lossy(&heard).into_owned();
                let length = text
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok())
                    .unwrap_or_default();
                if text.find("\r\n\r\n").is_some_and(|end| heard.len() >= end + 4 + length) {
                    break;
                }
                let read = stream.read(&mut piece).unwrap();
                heard.extend_from_slice(&piece[..read]);
            }
            sender.send(String::from_utf8(heard).unwrap()).unwrap();
            stream.write_all(reply.as_bytes()).unwrap();
        }
    });
    (address, asked)
}

fn sse(events: &[(&str, Value)], is_whole: bool) -> String {
    let body: String = events.iter().map(|(id, data)| format!("id: {id}\ndata: {data}\n\n")).collect();
    let length = body.len() + usize::from(!is_whole);
    // Without it the client may send its next request on a connection that is about to close.
    format!(
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

fn plain(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}

async fn frames(
    link: &RemoteBridge,
    last: Option<&str>,
) -> Result<Vec<Result<BridgeFrame, LinkError>>, LinkError> {
    let call = BridgeCall {
        method: "session.start",
        params: json!({"sessionId": "k"}),
        last_event: last.map(str::to_owned),
    };
    Ok(link.call(call).await?.collect().await)
}

fn code(result: &Result<BridgeFrame, LinkError>) -> (&str, bool) {
    result.as_ref().err().map_or(("", false), |error| (error.code.as_str(), error.is_passing))
}

#[tokio::test]
async fn frames_come_as_they_are_sent_and_the_answer_is_the_last() {
    let update =
        json!({"jsonrpc": "2.0", "method": "session.update", "params": {"sessionId": "k", "delta": "a"}});
    let (address, asked) = bridge(vec![
        sse(
            &[
                ("1", json!({"method": "xworkmate.bridge.accepted", "params": {}})),
                ("2", update),
                ("3", json!({"id": "other", "result": {"wrong": true}})),
                ("4", json!({"jsonrpc": "2.0", "id": "0", "result": {"status": "running"}})),
            ],
            false,
        ),
        sse(
            &[("1", json!({"method": "session.update", "params": {"event": "completed", "text": "Done"}}))],
            true,
        ),
        sse(&[("5", json!({"method": "session.update", "params": {}}))], false),
        plain(
            "200 OK",
            "content-type: application/json\r\n",
            r#"{"id":"3","error":{"code":-32602,"message":"no"}}"#,
        ),
        plain(
            "200 OK",
            "content-type: application/json\r\n",
            r#"{"id":"4","error":{"code":-32002,"message":"busy","data":{"code":"OPENCLAW_GATEWAY_SOCKET_CLOSED","retryable":true}}}"#,
        ),
        plain("200 OK", "content-type: application/json\r\n", "<html>"),
        plain("401 Unauthorized", "", r#"{"error":{"message":"missing bearer authorization"}}"#),
        plain("502 Bad Gateway", "", "oops"),
    ]);
    let link = RemoteBridge::new(&format!("{address}/acp/rpc"), Some("secret".to_owned().into())).unwrap();
    let heard = frames(&link, Some("e7")).await.unwrap();
    assert_eq!(
        heard,
        [
            Ok(BridgeFrame::Update(json!({"sessionId": "k", "delta": "a"}), Some("2".to_owned()))),
            Ok(BridgeFrame::Answer(json!({"status": "running"})))
        ],
        "case 95: the answer counts although the body was cut behind it"
    );
    let request = asked.recv().unwrap();
    assert!(request.starts_with("POST /acp/rpc "), "{request}");
    assert!(
        request.contains("last-event-id: e7") && request.contains("authorization: Bearer secret"),
        "{request}"
    );

    let heard = frames(&link, None).await.unwrap();
    assert!(matches!(heard[..], [Ok(BridgeFrame::Update(..))]), "case 96: an update is no answer: {heard:?}");
    let heard = frames(&link, None).await.unwrap();
    assert_eq!(code(&heard[1]), ("ACP_HTTP_CONNECTION_CLOSED", true));
    let heard = frames(&link, None).await.unwrap();
    assert_eq!(heard, [Ok(BridgeFrame::Refused { code: "-32602".to_owned(), message: "no".to_owned() })]);
    let heard = frames(&link, None).await.unwrap();
    assert_eq!(code(&heard[0]), ("OPENCLAW_GATEWAY_SOCKET_CLOSED", true));
    let heard = frames(&link, None).await.unwrap();
    assert_eq!(code(&heard[0]), ("ACP_SSE_NO_RESULT", true));
    let refused = frames(&link, None).await.unwrap_err();
    assert_eq!((refused.code.as_str(), refused.is_passing), ("ACP_HTTP_401", false));
    assert!(!format!("{refused:?}").contains("secret"));
    let refused = frames(&link, None).await.unwrap_err();
    assert_eq!((refused.code.as_str(), refused.is_passing), ("ACP_HTTP_502", true));
}

#[tokio::test]
async fn a_bridge_that_is_not_there_is_told() {
    let link = RemoteBridge::new("http://127.0.0.1:1", None).unwrap();
    let error = frames(&link, None).await.unwrap_err();
    assert_eq!((error.code.as_str(), error.is_passing), ("ACP_HTTP_CONNECT_FAILED", true));
    for wrong in ["ftp://x", "x", "http://h/gateway/openclaw", "http://h/acp-server/codex"] {
        assert!(RemoteBridge::new(wrong, None).is_err(), "{wrong}");
    }
}

#[derive(Default)]
struct ReceivedRequests(Vec<u8>);

impl Sink for ReceivedRequests {
    fn begin(&mut self, from: u64) -> Result<(), engross_store::files::FileError> {
        self.0.truncate(usize::try_from(from).unwrap());
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), engross_store::files::FileError> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// Case 116: links to other hosts are not followed, signed ones lead to this bridge.
#[tokio::test]
async fn case_116_files_come_from_this_bridge_alone() {
    let (address, asked) = bridge(vec![
        plain("200 OK", "", "whole"),
        plain("206 Partial Content", "", "le"),
        plain("410 Gone", "", ""),
        plain("403 Forbidden", "", ""),
        plain("500 Internal Server Error", "", ""),
    ]);
    let link = RemoteBridge::new(&address, Some("secret".to_owned().into())).unwrap();
    let fetched = tokio::task::spawn_blocking(move || {
        let files = link.files();
        let mut kept = ReceivedRequests(b"who".to_vec());
        let fetch = |url: &str, from: u64, kept: &mut ReceivedRequests| {
            let file = RemoteArtifact { download_url: url.to_owned(), ..RemoteArtifact::default() };
            files.fetch(&file, from, kept)
        };
        fetch("https://elsewhere.example/artifacts/download?sig=ab", 0, &mut kept).unwrap();
        assert_eq!(kept.0, b"whole");
        kept.0.truncate(3);
        fetch("/artifacts/download?x=1", 3, &mut kept).unwrap();
        assert_eq!(kept.0, b"whole");
        let elsewhere = fetch("https://elsewhere.example/artifacts/x", 0, &mut kept).unwrap_err();
        assert!(matches!(elsewhere, FetchError::Refused(_)));
        assert!(matches!(fetch("/a", 0, &mut kept), Err(FetchError::Gone)));
        assert!(matches!(fetch("/a", 0, &mut kept), Err(FetchError::Refused(_))));
        assert!(matches!(fetch("/a", 0, &mut kept), Err(FetchError::Lost(_))));
        let inline = RemoteArtifact { content: Some("b25l".to_owned()), ..RemoteArtifact::default() };
        files.fetch(&inline, 0, &mut kept).unwrap();
        assert_eq!(kept.0, b"one");
    });
    fetched.await.unwrap();
    assert!(asked.recv().unwrap().starts_with("GET /artifacts/download?sig=ab "));
    assert!(asked.recv().unwrap().contains("range: bytes=3-"));
}
