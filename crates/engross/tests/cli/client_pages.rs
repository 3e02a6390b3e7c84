//! The pages for the clients of agents: their blocks are what `engross mcp install --print` prints, and the transcript happens.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::desk::{ENGROSS, TestBench};

/// The folder of the person of the pages.
const HOME: &str = "/home/ada";

fn page(name: &str) -> String {
    let path = format!("{}/../../docs/guide/clients/{name}.md", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of all clients, as a wrong one is answered.
fn clients(desk: &TestBench) -> Vec<String> {
    let said = desk.run(&["mcp", "install", "--client", "netscape"]).stderr;
    let known = said.split("known are ").nth(1).unwrap().split(" [").next().unwrap();
    known.split(", ").map(str::to_owned).collect()
}

/// The blocks of a page between fences, without their language.
fn blocks(page: &str) -> Vec<&str> {
    page.split("```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.split_once('\n'))
        .map(|(_, text)| text)
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn each_client_has_a_page_with_the_block_that_is_installed() {
    let desk = TestBench::new();
    let home = desk.path("home").canonicalize().unwrap_or_else(|_| {
        std::fs::create_dir_all(desk.path("home/contracts")).unwrap();
        desk.path("home").canonicalize().unwrap()
    });
    let mut wrong = Vec::new();
    for name in clients(&desk) {
        let page = page(&name);
        let blocks = blocks(&page);
        let line = blocks.iter().position(|block| block.trim_end().ends_with("--print"));
        let Some((line, shown)) = line.and_then(|at| Some((blocks.get(at)?.trim(), blocks.get(at + 1)?)))
        else {
            wrong.push(format!("{name} has no block of --print"));
            continue;
        };
        let arguments: Vec<String> = line
            .split_whitespace()
            .skip(1)
            .map(|word| word.replace('~', &home.display().to_string()))
            .collect();
        assert!(line.starts_with(&format!("engross mcp install --client {name} ")), "{line}");
        let ran = Command::new(ENGROSS)
            .args(&arguments)
            .env_clear()
            .env("HOME", &home)
            .current_dir(&home)
            .output()
            .unwrap();
        let printed = String::from_utf8(ran.stdout).unwrap().replace(&home.display().to_string(), HOME);
        if printed.trim_end() != shown.trim_end() {
            wrong.push(format!("docs/guide/clients/{name}.md should have\n{printed}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_transcript_of_the_guide_happens() {
    let desk = TestBench::new();
    let guide = include_str!("../../../../docs/guide/mcp.md");
    let transcript = guide.split("```transcript\n").nth(1).unwrap().split("```").next().unwrap();
    let mut server = desk
        .command(ENGROSS)
        .args(["mcp", "--root", ".", "--author", "Ada"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let mut ask = |method: &str, params: Value| -> Value {
        writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
            .unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    };
    let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    ask("initialize", greeting);
    let mut answer = String::new();
    let mut calls = 0;
    for line in transcript.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(call) = line.strip_prefix("> ") {
            let (name, arguments) = call.split_once(' ').unwrap();
            let arguments: Value = serde_json::from_str(arguments).unwrap();
            let given = ask("tools/call", json!({"name": name, "arguments": arguments}));
            answer = given["result"]["content"][0]["text"].as_str().unwrap().to_owned();
            calls += 1;
        } else {
            // What the guide leaves out it shows as dots.
            for part in line.split(" … ").map(|part| part.trim_matches('…').trim()) {
                assert!(answer.contains(part), "{part}\nis not in\n{answer}");
            }
        }
    }
    assert_eq!(calls, 5);
    drop(input);
    assert_eq!(server.wait().unwrap().code(), Some(0));
}
