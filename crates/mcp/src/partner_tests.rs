//! A client that misbehaves in the ordinary ways, and one that does the whole job.
#![expect(clippy::disallowed_methods, reason = "the tests look at the files that are read and written")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engross_docx::read::ReadOptions;
use engross_docx::revisions::Side;
use engross_docx::{Limits, WordDocument};
use engross_protocol::SystemClock;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split};

use crate::budget::tokens;
use crate::{AllowedFolders, McpDocuments, McpTools, serve};

const NDA: &[u8] = include_bytes!("../../../examples/nda.docx");

/// A client at the other end of a server's connection.
pub(crate) struct Client {
    folder: TempDir,
    _data: TempDir,
    lines: BufReader<ReadHalf<DuplexStream>>,
    out: WriteHalf<DuplexStream>,
    server: tokio::task::JoinHandle<Result<(), engross_protocol::Failure>>,
    next: u64,
}

impl Client {
    /// A server over a folder with `nda.docx`.
    pub(crate) fn silent() -> Self {
        Self::with(McpTools::default())
    }

    /// The same with further tools.
    pub(crate) fn with(tools: McpTools) -> Self {
        let (folder, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(folder.path().join("nda.docx"), NDA).unwrap();
        let folders = AllowedFolders::open(&[folder.path().to_owned()]).unwrap();
        let documents =
            McpDocuments::new(folders, data.path().to_owned(), "Ada", Arc::new(SystemClock)).unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = split(theirs);
        let server = tokio::spawn(serve(Arc::new(documents), tools, read, write));
        let (read, out) = split(ours);
        Self { folder, _data: data, lines: BufReader::new(read), out, server, next: 0 }
    }

    /// The same, after the greeting of `revision`.
    async fn greeted(revision: &str) -> (Self, Value) {
        let mut client = Self::silent();
        let greeting = client.greet(revision, json!({})).await;
        (client, greeting)
    }

    /// A client with abilities of its own.
    pub(crate) async fn able(capabilities: Value) -> (Self, Value) {
        let mut client = Self::silent();
        let greeting = client.greet("2025-11-25", capabilities).await;
        (client, greeting)
    }

    /// Greets the server.
    pub(crate) async fn greet(&mut self, revision: &str, capabilities: Value) -> Value {
        let params = json!({"protocolVersion": revision, "capabilities": capabilities, "clientInfo": {"name": "partner", "version": "1"}});
        let greeting = self.ask("initialize", params).await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string()).await;
        greeting
    }

    pub(crate) async fn ready() -> Self {
        Self::greeted("2025-11-25").await.0
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) async fn send(&mut self, line: &str) {
        self.out.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    pub(crate) async fn hear(&mut self) -> Value {
        let mut line = String::new();
        let read = self.lines.read_line(&mut line);
        tokio::time::timeout(Duration::from_secs(20), read).await.expect("the server says nothing").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// A request and its answer: the result, or the error.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).await;
        loop {
            let said = self.hear().await;
            if said["id"] == json!(id) {
                return said.get("result").or(said.get("error")).unwrap().clone();
            }
        }
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// The text of a call that goes well.
    pub(crate) async fn text(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments).await;
        assert_ne!(answer["isError"], json!(true), "{answer}");
        answer["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// The text of a call that is refused.
    pub(crate) async fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments.clone()).await;
        assert_eq!(answer["isError"], json!(true), "{arguments}: {answer}");
        answer["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

fn text_of(path: &Path, side: Side) -> String {
    let mut document = WordDocument::open(std::fs::read(path).unwrap(), &Limits::default()).unwrap();
    document.resolve_all(side).unwrap();
    let reading = document.read(&ReadOptions::default()).unwrap();
    reading.paragraphs.iter().map(|paragraph| format!("{}\n", paragraph.text)).collect()
}

pub(crate) fn three_to_five() -> Value {
    json!([{"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"}])
}

#[tokio::test]
async fn the_whole_job() {
    let mut client = Client::ready().await;
    let read = client.text("read_document", json!({"path": "nda.docx"})).await;
    assert!(read.starts_with("nda.docx, ") && read.contains("revision "), "{read}");
    assert!(read.contains("[P1|"), "{read}");

    let edited =
        client.call("edit_document", json!({"path": "nda.docx", "operations": three_to_five()})).await;
    let text = edited["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("1 applied. Wrote nda.redline.docx: rejecting all gives back the original"),
        "{text}"
    );
    let link = &edited["content"][1];
    assert_eq!(link["type"], "resource_link");
    assert!(link["uri"].as_str().unwrap().ends_with("/nda.redline.docx"), "{link}");
    assert_eq!(std::fs::read(client.path("nda.docx")).unwrap(), NDA, "the original stays");
    let before = text_of(&client.path("nda.docx"), Side::Reject);
    assert_eq!(text_of(&client.path("nda.redline.docx"), Side::Reject), before);
    assert!(text_of(&client.path("nda.redline.docx"), Side::Accept).contains("five (5) years"));

    // A client that forgets the new name is told, and loses nothing.
    let again =
        client.refused("edit_document", json!({"path": "nda.docx", "operations": three_to_five()})).await;
    assert!(
        again.starts_with("TARGET_EXISTS") && again.contains("edit 'nda.redline.docx' to go on"),
        "{again}"
    );

    // The second round goes on where the first ended: one redline of both.
    let second = json!([{"op": "modify_text", "originalText": "five (5) years", "replacementText": "seven (7) years"}]);
    let text = client.text("edit_document", json!({"path": "nda.redline.docx", "operations": second})).await;
    assert!(text.contains("Wrote nda.redline.docx") && text.contains("is checkpoint "), "{text}");
    assert_eq!(text_of(&client.path("nda.redline.docx"), Side::Reject), before);
    assert!(!client.path("nda.redline.redline.docx").exists());

    let changes =
        client.text("read_document", json!({"path": "nda.redline.docx", "mode": "revisions"})).await;
    assert!(changes.contains("Ada") && changes.contains("seven") && !changes.contains("five"), "{changes}");
    let checked = client.text("check_document", json!({"path": "nda.redline.docx"})).await;
    assert!(checked.starts_with("nda.redline.docx: "), "{checked}");
    let text = client.text("resolve_changes", json!({"path": "nda.redline.docx", "action": "accept"})).await;
    assert!(text.contains("Wrote nda.redline.accepted.docx"), "{text}");
    let text = client
        .text("compare_documents", json!({"before": "nda.docx", "after": "nda.redline.accepted.docx"}))
        .await;
    assert!(text.starts_with("Wrote nda.compared.docx: ") && text.contains("proven"), "{text}");
    assert!(text_of(&client.path("nda.compared.docx"), Side::Accept).contains("seven (7) years"));
    let made = json!({"path": "new.docx", "from_markdown": "# Title\n\nText."});
    client.text("edit_document", made.clone()).await;
    assert!(client.refused("edit_document", made).await.starts_with("TARGET_EXISTS"));

    // The client closes its end, and the server ends.
    let Client { out, lines, server, .. } = client;
    drop((out, lines));
    tokio::time::timeout(Duration::from_secs(20), server).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn refusals_say_what_would_be_right_and_cost_only_themselves() {
    let mut client = Client::ready().await;
    let operations = json!([
        {"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"},
        {"op": "modify_text", "originalText": "no such words anywhere", "replacementText": "x"},
        {"op": "modify_text", "originalText": "Confidential Information", "replacementText": "Secrets"},
        {"op": "rewrite", "paragraphIndex": 1}
    ]);
    let text = client.text("edit_document", json!({"path": "nda.docx", "operations": operations})).await;
    assert!(text.starts_with("1 applied, 3 refused."), "{text}");
    for says in ["refused TEXT_NOT_FOUND", "refused AMBIGUOUS_TARGET", "in P20 ", "'rewrite' is no operation"]
    {
        assert!(text.contains(says), "{says}: {text}");
    }
    let none =
        json!([{"op": "modify_text", "originalText": "no such words anywhere", "replacementText": "x"}]);
    let text = client
        .refused("edit_document", json!({"path": "nda.docx", "operations": none, "output": "x.docx"}))
        .await;
    assert!(text.contains("No file was written"), "{text}");
    assert!(!client.path("x.docx").exists());
    let text = client.refused("read_document", json!({"path": "dna.docx"})).await;
    assert!(text.starts_with("TARGET_MISSING") && text.contains("there are: nda.docx"), "{text}");
    let text = client.text("read_document", json!({"path": "."})).await;
    assert!(text.contains("is a folder with 2 Word documents:\nnda.docx\nnda.redline.docx\n"), "{text}");
    let text = client.refused("describe_operations", json!({"names": ["edit_tabel"]})).await;
    assert!(text.contains("known are modify_text"), "{text}");
    let text = client.text("describe_operations", json!({"names": ["editTable"]})).await;
    assert!(text.contains("edit_table: {"), "{text}");
    let stale = json!({"path": "nda.docx", "operations": three_to_five(), "expected_revision": "abc", "output": "y.docx"});
    let text = client.refused("edit_document", stale).await;
    assert!(text.starts_with("STALE_REVISION"), "{text}");
}

/// A program that has the document open would write back what it was.
#[tokio::test]
async fn who_has_the_document_open_is_to_be_told() {
    let mut client = Client::ready().await;
    let change = |path: &str, from: &str, to: &str| json!({"path": path, "operations": [{"op": "modify_text", "originalText": from, "replacementText": to}]});
    let text = client.text("edit_document", change("nda.docx", "three (3) years", "five (5) years")).await;
    assert!(!text.contains("Tell the user"), "{text}");
    for (note, from, to) in [
        (".~lock.nda.redline.docx#", "courts of Ireland", "courts of Scotland"),
        ("~$a.redline.docx", "thirty (30)", "sixty (60)"),
    ] {
        std::fs::write(client.path(note), b"Ada").unwrap();
        let text = client.text("edit_document", change("nda.redline.docx", from, to)).await;
        assert!(text.contains("Tell the user: nda.redline.docx seems to be open"), "{note}: {text}");
        std::fs::remove_file(client.path(note)).unwrap();
    }
    // What is made anew is open nowhere.
    std::fs::write(client.path("~$nda.docx"), b"Ada").unwrap();
    let other = json!({"path": "nda.docx", "output": "other.docx", "operations": three_to_five()});
    let text = client.text("edit_document", other).await;
    assert!(!text.contains("Tell the user"), "{text}");
}

#[tokio::test]
async fn files_of_other_people_are_never_replaced() {
    let mut client = Client::ready().await;
    std::fs::write(client.path("theirs.docx"), NDA).unwrap();
    std::fs::write(client.path("nda.redline.docx"), b"somebody's").unwrap();
    let edit =
        |output: Option<&str>| json!({"path": "nda.docx", "operations": three_to_five(), "output": output});
    for (output, code) in [
        ("nda.docx", "OUTPUT_IS_INPUT"),
        ("./nda.docx", "OUTPUT_IS_INPUT"),
        ("theirs.docx", "TARGET_EXISTS"),
        ("notes.txt", "INVALID_ARGUMENTS"),
        ("../out.docx", "PATH_OUTSIDE_ROOT"),
    ] {
        let text = client.refused("edit_document", edit(Some(output))).await;
        assert!(text.starts_with(code), "{output}: {text}");
    }
    let text = client.text("edit_document", edit(None)).await;
    assert!(text.contains("Wrote nda.redline-2.docx"), "{text}");
    assert_eq!(std::fs::read(client.path("nda.redline.docx")).unwrap(), b"somebody's");
    assert_eq!(std::fs::read(client.path("theirs.docx")).unwrap(), NDA);
    let text = client
        .refused(
            "compare_documents",
            json!({"before": "nda.docx", "after": "theirs.docx", "output": "theirs.docx"}),
        )
        .await;
    assert!(text.starts_with("TARGET_EXISTS") || text.starts_with("OUTPUT_IS_INPUT"), "{text}");
    // A dry run leaves nothing.
    let dry = json!({"path": "theirs.docx", "operations": three_to_five(), "dry_run": true});
    let text = client.text("edit_document", dry).await;
    assert!(text.starts_with("1 applied. This was a dry run"), "{text}");
    assert!(!client.path("theirs.redline.docx").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn links_do_not_lead_out() {
    let mut client = Client::ready().await;
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.docx"), NDA).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.docx"), client.path("link.docx")).unwrap();
    std::os::unix::fs::symlink(outside.path(), client.path("folder")).unwrap();
    for path in ["link.docx", "folder/secret.docx", &client.path("folder/secret.docx").display().to_string()]
    {
        let text = client.refused("read_document", json!({"path": path})).await;
        assert!(text.starts_with("PATH_OUTSIDE_ROOT"), "{path}: {text}");
        let edit = json!({"path": "nda.docx", "operations": three_to_five(), "output": path});
        client.refused("edit_document", edit).await;
    }
    assert_eq!(std::fs::read(outside.path().join("secret.docx")).unwrap(), NDA);
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_client_that_sends_its_arguments_as_a_text() {
    let mut client = Client::ready().await;
    let arguments = json!({"path": "nda.docx", "operations": three_to_five().to_string()});
    for (sent, name) in
        [(json!(arguments.to_string()), "a.docx"), (json!({"arguments": arguments}), "b.docx")]
    {
        let text = client.text("edit_document", sent.clone()).await;
        assert!(text.contains("1 applied") && text.contains("Read with repairs: "), "{sent}: {text}");
        std::fs::rename(client.path("nda.redline.docx"), client.path(name)).unwrap();
    }
    // No arguments at all, in the ways that clients have.
    for nothing in [
        json!({"name": "describe_operations"}),
        json!({"name": "describe_operations", "arguments": null}),
        json!({"name": "describe_operations", "arguments": ""}),
    ] {
        let answer = client.ask("tools/call", nothing).await;
        assert!(answer["content"][0]["text"].as_str().unwrap().contains("modify_text: "), "{answer}");
    }
    let error = client.ask("tools/call", json!({"name": "read_doc", "arguments": {}})).await;
    assert!(error["message"].as_str().unwrap().contains("the tools are read_document"), "{error}");
}

#[tokio::test]
async fn old_and_new_revisions_of_the_protocol() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let (mut client, greeting) = Client::greeted(revision).await;
        assert_eq!(greeting["protocolVersion"], revision, "{greeting}");
        assert!(greeting["instructions"].as_str().unwrap().len() <= 600, "{greeting}");
        let tools = client.ask("tools/list", json!({})).await;
        assert_eq!(tools["tools"].as_array().unwrap().len(), 6);
        let answer = client.call("check_document", json!({"path": "nda.docx"})).await;
        assert!(answer.get("resultType").is_none(), "{answer}");
        client.ask("ping", json!({})).await;
    }
    // An unknown revision is answered with one that is known.
    let (_, greeting) = Client::greeted("2031-01-01").await;
    assert_eq!(greeting["protocolVersion"], "2025-11-25");

    // Since 2026-07-28 there is no greeting: each request says what it speaks.
    let mut client = Client::silent();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "partner", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    let found = client.ask("server/discover", json!({"_meta": meta})).await;
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    let arguments = json!({"path": "nda.docx", "operations": three_to_five()});
    let answer = client
        .ask("tools/call", json!({"_meta": meta, "name": "edit_document", "arguments": arguments}))
        .await;
    assert_eq!(answer["resultType"], "complete", "{answer}");
    assert!(client.path("nda.redline.docx").exists());
    let text = json!(json!({"path": "nda.docx"}).to_string());
    let answer =
        client.ask("tools/call", json!({"_meta": meta, "name": "check_document", "arguments": text})).await;
    assert_eq!(answer["resultType"], "complete", "{answer}");
}

#[tokio::test]
async fn lines_that_are_no_requests_do_not_end_the_server() {
    let mut client = Client::ready().await;
    client.send("this is no json").await;
    client.send("").await;
    client.send("{\"jsonrpc\": \"2.0\"}").await;
    client.send("[]").await;
    client.send("{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", \"params\": {\"requestId\": 99}}").await;
    assert!(client.ask("nonsense/method", json!({})).await["code"].is_i64());
    client.text("read_document", json!({"path": "nda.docx"})).await;
}

#[tokio::test]
async fn progress_is_told_to_who_asks() {
    let mut client = Client::ready().await;
    let arguments = json!({"path": "nda.docx", "operations": three_to_five()});
    let params = json!({"name": "edit_document", "arguments": arguments, "_meta": {"progressToken": "t"}});
    client
        .send(&json!({"jsonrpc": "2.0", "id": "e", "method": "tools/call", "params": params}).to_string())
        .await;
    let mut told = Vec::new();
    loop {
        let said = client.hear().await;
        if said["id"] == "e" {
            break;
        }
        assert_eq!(
            (&said["method"], &said["params"]["progressToken"]),
            (&json!("notifications/progress"), &json!("t"))
        );
        told.push(said["params"]["progress"].as_f64().unwrap());
    }
    assert_eq!(told, [0.0, 1.0, 2.0]);
}

#[tokio::test]
async fn a_call_that_is_taken_back_writes_nothing() {
    let mut client = Client::ready().await;
    let long: String = (0..2_000)
        .map(|number| format!("Paragraph {number} of some length, with a fee of {number} euros.\n\n"))
        .collect();
    client.text("edit_document", json!({"path": "long.docx", "from_markdown": long})).await;
    let operations: Vec<Value> = (1..50)
        .map(|number| json!({"op": "modify_text", "paragraphIndex": number * 40, "originalText": "length", "replacementText": "size"}))
        .collect();
    let params =
        json!({"name": "edit_document", "arguments": {"path": "long.docx", "operations": operations}});
    client
        .send(&json!({"jsonrpc": "2.0", "id": "e", "method": "tools/call", "params": params}).to_string())
        .await;
    client
        .send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "e"}})
                .to_string(),
        )
        .await;
    // The next call waits for the right to choose a name, so it comes after.
    let text = client.text("edit_document", json!({"path": "nda.docx", "operations": three_to_five()})).await;
    assert!(text.contains("1 applied"), "{text}");
    assert!(!client.path("long.redline.docx").exists());
}

#[tokio::test]
async fn a_long_document_fits_its_budget_and_is_read_to_the_end_once() {
    let mut client = Client::ready().await;
    let long: String = (0..1_500)
        .map(|number| {
            format!(
                "{}Clause {number}. {}\n\n",
                if number % 50 == 0 { "# " } else { "" },
                "The parties agree on this. ".repeat(20)
            )
        })
        .collect();
    client.text("edit_document", json!({"path": "long.docx", "from_markdown": long})).await;
    let mut from = Value::Null;
    let mut seen = Vec::new();
    for round in 0.. {
        assert!(round < 200);
        let text = client.text("read_document", json!({"path": "long.docx", "from": from})).await;
        assert!(tokens(&text) <= 8_000, "{} tokens", tokens(&text));
        assert_eq!(text.contains("Outline:"), round == 0);
        seen.extend(
            text.lines().filter_map(|line| line.strip_prefix("[P")?.split('|').next()?.parse::<u32>().ok()),
        );
        match text.split("read on from ").nth(1) {
            Some(cursor) => from = json!(cursor.trim()),
            None => break,
        }
    }
    assert_eq!(seen, (1..=1_500).collect::<Vec<u32>>());
    // One paragraph that is larger than all the room there is.
    client.text("edit_document", json!({"path": "huge.docx", "from_markdown": "word ".repeat(40_000)})).await;
    let text = client.text("read_document", json!({"path": "huge.docx", "max_tokens": 1_000})).await;
    assert!(tokens(&text) <= 1_000 && text.contains("more characters"), "{}", text.len());
}

#[tokio::test]
async fn resources_and_prompts() {
    let mut client = Client::ready().await;
    let list = client.ask("resources/list", json!({})).await;
    assert_eq!(list["resources"][0]["uri"], "engross://operations");
    let operation = client.ask("resources/read", json!({"uri": "engross://operations/modify_text"})).await;
    assert!(operation["contents"][0]["text"].as_str().unwrap().contains("replacementText"), "{operation}");
    let uri = format!("file://{}", client.path("nda.docx").display());
    let document = client.ask("resources/read", json!({"uri": uri})).await;
    assert!(document["contents"][0]["text"].as_str().unwrap().contains("[P1|"), "{document}");
    for uri in ["engross://operations/nothing", "https://example.com", "file:///etc/passwd"] {
        assert!(client.ask("resources/read", json!({"uri": uri})).await["code"].is_i64());
    }
    let prompts = client.ask("prompts/list", json!({})).await;
    assert_eq!(prompts["prompts"].as_array().unwrap().len(), 3);
    let arguments = json!({"path": "nda.docx", "instruction": "Make {path} five years"});
    let prompt = client.ask("prompts/get", json!({"name": "redline", "arguments": arguments})).await;
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.starts_with("Read nda.docx with") && text.contains("Make {path} five years"), "{text}");
    assert!(
        client.ask("prompts/get", json!({"name": "redline", "arguments": {"path": "a"}})).await["code"]
            .is_i64()
    );
}

#[tokio::test]
async fn a_review_takes_a_playbook() {
    let mut client = Client::ready().await;
    std::fs::write(
        client.path("p.md"),
        "## Term\nAlso: Duration\nStandard: Two {path} years.\nNever: \"perpetual\"\n",
    )
    .unwrap();
    std::fs::write(client.path("wrong.md"), "## Term\nNever: x\n").unwrap();
    let ask =
        |playbook: &str| json!({"name": "review", "arguments": {"path": "nda.docx", "playbook": playbook}});
    let prompt = client.ask("prompts/get", ask("p.md")).await;
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(
        text.ends_with("\n## Term\nAlso: Duration\nStandard: Two {path} years.\nNever: \"perpetual\"\n"),
        "{text}"
    );
    assert!(text.contains("quoted exactly"), "{text}");
    let plain = client.ask("prompts/get", ask(" ")).await;
    assert!(!plain.to_string().contains("playbook"), "{plain}");
    for (playbook, code) in [
        ("wrong.md", "PLAYBOOK_INVALID"),
        ("none.md", "TARGET_MISSING"),
        ("../p.md", "PATH_OUTSIDE_ROOT"),
        ("nda.docx", "no text"),
    ] {
        let error = client.ask("prompts/get", ask(playbook)).await;
        assert!(
            error["code"].is_i64() && error["message"].as_str().unwrap().contains(code),
            "{playbook}: {error}"
        );
    }
}
