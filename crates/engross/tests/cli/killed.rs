//! What a kill leaves behind: the messages, the words that were streamed, and a session that goes on. And what no log may
//! hold.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use engross_testkit::scripted::ModelServer;
use serde_json::{Value, json};

use crate::serve::{Server, said};

/// Opens a stream and reads until `end` was heard; the connection stays open.
fn listen(server: &Server, body: &Value, end: &str) -> TcpStream {
    let body = body.to_string();
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(
        stream,
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\nx-openclaw-session-key: s\r\ncontent-length: {}\r\n\r\n{body}",
        server.address(),
        body.len()
    )
    .unwrap();
    let (mut heard, mut piece) = (Vec::new(), [0; 4096]);
    while !String::from_utf8_lossy(&heard).contains(end) {
        let length = match stream.read(&mut piece) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read.unwrap_or_else(|error| panic!("{error} after {}", String::from_utf8_lossy(&heard))),
        };
        assert!(length > 0, "{}", String::from_utf8_lossy(&heard));
        heard.extend_from_slice(&piece[..length]);
    }
    stream
}

/// The words of an answer are stored while they come: after a kill at most those of the last second are missing, and never the
/// person's message.
#[test]
fn what_was_streamed_is_there_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let words: Vec<String> = (0..200).map(|n| format!("word{n}")).collect();
    let script =
        json!({"turns": [{"text": words.join(" "), "delay_ms": 20}], "default": {"text": "well again"}});
    let provider = ModelServer::start(script);
    let model = format!("openai-compatible:{}/v1#m", provider.url());
    let start = || Server::try_start(folder.path(), &["--model", &model]).unwrap();
    let server = start();
    let stream = listen(&server, &json!({"messages": said("go"), "stream": true}), "word70");
    server.kill();
    drop(stream);
    let server = start();
    let (status, session) = server.get("/v1/sessions/s").unwrap();
    assert_eq!((status, &session["messages"]), (200, &said("go")));
    let heard = server.get_text("/v1/sessions/s/events").unwrap();
    assert!(heard.contains("word0"), "{heard}");
    // So much was heard that the first seconds of it are stored for certain.
    assert!(heard.contains("word10"), "{heard}");
    let (status, answer) = server.chat("s", "2", &said("again")).unwrap();
    assert_eq!((status, &answer["choices"][0]["message"]["content"]), (200, &json!("well again")));
}

/// contracts/word.md §8 case 170: the provider's key and the server's token are in no log, no address and no answer.
#[test]
fn case_170_secrets_are_in_no_log_and_no_address() {
    const KEY: &str = "sk-c0ffee-provider-secret";
    const TOKEN: &str = "t0ken-of-the-server-secret";
    let folder = tempfile::tempdir().unwrap();
    let refuses =
        json!({"when": {"contains": "refused"}, "fault": {"kind": "status", "code": 401}, "times": 0});
    let provider = ModelServer::start(json!({"turns": [refuses], "default": {"text": "ok"}}));
    let config = folder.path().join("config.toml");
    std::fs::write(&config, "").unwrap();
    let log = folder.path().join("log");
    let mut command = Command::new(env!("CARGO_BIN_EXE_engross"));
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(folder.path().join("data"))
        .args(["--model", &format!("openai-compatible:{}/v1#m", provider.url())])
        .env("ENGROSS_CONFIG", &config)
        .env("ENGROSS_LOG", "trace")
        .env("ENGROSS_TOKEN", TOKEN)
        .env("OPENAI_COMPATIBLE_API_KEY", KEY)
        .stderr(std::fs::File::create(&log).unwrap());
    let mut child = command.spawn().unwrap();
    let read_log = || std::fs::read_to_string(&log).unwrap();
    let since = Instant::now();
    let address = loop {
        let said = read_log();
        if let Some((_, rest)) = said.split_once("Listening at http://") {
            break rest.split('/').next().unwrap().to_owned();
        }
        assert!(since.elapsed() < Duration::from_secs(20), "{said}");
        std::thread::sleep(Duration::from_millis(10));
    };
    let server = Server::of(address);
    let mut answers = String::new();
    for (token, words) in [(TOKEN, "hello"), (TOKEN, "refused"), ("wrong", "hello")] {
        let bearer = format!("Bearer {token}");
        let (_, answer) = server
            .post("/v1/chat/completions", &[("authorization", &bearer)], &json!({"messages": said(words)}))
            .unwrap();
        answers.push_str(&answer.to_string());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let written = read_log();
    assert!(written.len() > 2_000, "the log is a talkative one: {written}");
    for secret in [KEY, TOKEN] {
        assert!(!written.contains(secret), "{secret} is in the log");
        assert!(!answers.contains(secret), "{secret} is in an answer");
    }
    let asked = provider.requests();
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|asked| !asked.path.contains(KEY) && !asked.body.to_string().contains(KEY)));
    assert_eq!(
        asked[0].headers["authorization"],
        format!("Bearer {KEY}"),
        "it is sent, in the one place for it"
    );
    // Nor does it stand in what is kept.
    for file in std::fs::read_dir(folder.path().join("data")).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let bytes = std::fs::read(path).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("-secret"));
    }
}

/// `doctor` says that a key is set, and not which.
#[test]
fn case_170_doctor_shows_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.toml");
    std::fs::write(&config, "").unwrap();
    for arguments in [&["doctor"][..], &["doctor", "--json"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_engross"))
            .args(arguments)
            .env("ENGROSS_CONFIG", &config)
            .env("ENGROSS_TOKEN", "token-secret")
            .env("OPENAI_API_KEY", "sk-secret")
            .env("OPENAI_BASE_URL", "https://user:pass-secret@example.invalid/v1")
            .output()
            .unwrap();
        let said =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("OPENAI_API_KEY") && !said.contains("secret"), "{said}");
    }
}
