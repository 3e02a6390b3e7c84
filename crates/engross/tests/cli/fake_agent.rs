//! An agent of another maker: this very test binary, started again.

use std::fs::OpenOptions;
use std::io::{BufReader, stdin};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::{ENGROSS, TestBench};

/// Makes [`agent`] serve.
const SERVE: &str = "ENGROSS_TEST_AGENT";

#[test]
#[ignore = "the process of the fake agent: started by the other tests"]
fn agent() {
    if std::env::var(SERVE).is_err() {
        return;
    }
    // The test harness prints to the ordinary output, so the protocol has one of its own.
    let output = OpenOptions::new().write(true).open("/dev/fd/3").unwrap();
    // It says itself why it ends.
    let _ = engross_testkit::acp_agent::serve(BufReader::new(stdin()), output);
}

/// A desk whose settings know the agent `fake` by its command line.
pub(crate) fn desk() -> TestBench {
    let desk = TestBench::new();
    let binary = std::env::current_exe().unwrap();
    let test = "fake_agent::agent --exact --ignored --nocapture";
    let settings = format!(
        "[agents.fake]\ncommand = \"sh -c 'exec {} {test} 3>&1 >/dev/null'\"\nset = {{ {SERVE} = \"1\" }}\n",
        binary.display()
    );
    desk.put("engross.toml", settings.as_bytes());
    desk
}

const USUAL: [&str; 5] = ["--config", "engross.toml", "--data", "data", "--json"];

#[test]
fn an_agent_of_the_settings_does_a_task() {
    let desk = desk();
    let words = "@ write brief.md A brief.\n@ say I wrote the brief.";
    let mut run =
        vec!["task", "run", words, "--agent", "fake", "--thread", "a", "--folder", "out", "--require", "md"];
    run.extend(USUAL);
    let ran = desk.run(&run);
    let shown = ran.json();
    let picked = ["lastResultCode", "lastArtifactSyncStatus", "files"].map(|name| shown[name].clone());
    assert_eq!((ran.code, json!(picked)), (Some(0), json!(["success", "synced", ["brief.md"]])), "{ran:?}");
    assert_eq!(desk.bytes("out/brief.md"), b"A brief.");
    desk.put("engross.toml", b"[agents.openclaw]\ncommand = \"x\"\n");
    assert_eq!(desk.run(&run).error().1, "CONFIG_INVALID");
}

/// A question of the agent is answered from another terminal while the first one looks on.
#[test]
fn a_question_of_an_agent_is_answered() {
    for (flags, said, code) in [
        (&["2"][..], "id-reject_once", 0),
        (&["id-allow_once"], "id-allow_once", 0),
        (&["--decline"], "id-reject_once", 0),
        (&["7"], "", 2),
    ] {
        let desk = desk();
        let words = "@ ask allow_once reject_once";
        let mut first = desk.command(ENGROSS);
        let run = ["task", "run", words, "--agent", "fake", "--thread", "a", "--folder", "out", "--chat"];
        let mut first =
            first.args(run).args(USUAL).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let answer = |more: &[&str]| {
            let mut arguments = vec!["task", "answer", "a"];
            arguments.extend(more);
            arguments.extend(USUAL);
            desk.run(&arguments)
        };
        let began = Instant::now();
        let asked = loop {
            let asked = answer(&[]);
            if asked.code == Some(0) && asked.json()["questions"][0].is_object() {
                break asked.json();
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{asked:?}");
            std::thread::sleep(Duration::from_millis(200));
        };
        assert_eq!(asked["questions"][0]["title"], "Run make", "{asked:#}");
        let answered = answer(flags);
        assert_eq!(answered.code, Some(code), "{answered:?}");
        if code != 0 {
            first.kill().unwrap();
            first.wait().unwrap();
            continue;
        }
        let told: Value = serde_json::from_slice(&first.wait_with_output().unwrap().stdout).unwrap();
        let last = told["messages"].as_array().and_then(|said| said.last()).map(|said| said["text"].clone());
        assert_eq!(last, Some(json!(said)), "{told:#}");
        assert_eq!(answer(&["1"]).code, Some(1), "nothing is asked any more");
    }
}

/// What came home is what the run made, and stays provable; whatever is altered is found.
#[test]
fn files_are_what_a_run_made_and_can_be_proven() {
    let desk = desk();
    let words = "@ write brief.md A brief.\n@ write notes.txt Notes.\n@ say I wrote brief.md and report.pdf.";
    let mut run =
        vec!["task", "run", words, "--agent", "fake", "--thread", "a", "--folder", "out", "--with-text"];
    run.extend(USUAL);
    let ran = desk.run(&run);
    assert_eq!((ran.code, &ran.json()["namedOnly"]), (Some(0), &json!(["report.pdf"])), "{ran:?}");
    let mut strict =
        vec!["task", "run", words, "--agent", "fake", "--thread", "b", "--folder", "b", "--require-files"];
    strict.extend(USUAL);
    assert_eq!(desk.run(&strict).code, Some(1), "a file that is only named is none");
    let key = desk.run(&["task", "key", "--data", "data", "--json"]).json()["publicKey"]
        .as_str()
        .unwrap()
        .to_owned();
    let verify = |more: &[&str]| {
        let mut arguments = vec!["task", "verify", "out", "--json"];
        arguments.extend(more);
        desk.run(&arguments)
    };
    let good = verify(&[]);
    let seen = ["intact", "signerKnown", "filesIntact", "agent"].map(|name| good.json()[name].clone());
    assert_eq!((good.code, json!(seen)), (Some(0), json!([true, false, 2, "fake"])), "{good:?}");
    assert_eq!(verify(&["--key", &key]).json()["signerKnown"], true);
    let other = "1".repeat(64);
    assert_eq!(verify(&["--key", &other]).code, Some(1));
    let place =
        std::fs::read_dir(desk.path("out/.xworkmate/receipts")).unwrap().flatten().next().unwrap().path();
    let receipt = std::fs::read(&place).unwrap();
    for at in (0..receipt.len()).step_by(receipt.len() / 40) {
        let mut altered = receipt.clone();
        altered[at] ^= 1;
        std::fs::write(&place, &altered).unwrap();
        assert_ne!(verify(&[]).code, Some(0), "byte {at} of the receipt");
    }
    std::fs::write(&place, &receipt).unwrap();
    std::fs::write(desk.path("out/brief.md"), "A brieF.").unwrap();
    let altered = verify(&[]);
    assert_eq!(
        (altered.code, &altered.json()["findings"]),
        (Some(1), &json!(["brief.md: its bytes are others"]))
    );
    std::fs::remove_file(desk.path("out/brief.md")).unwrap();
    assert_eq!(verify(&[]).json()["findings"], json!(["brief.md: it is missing"]));
}

/// The guide says so: without a server, and with an agent that has no conversation to go on with.
#[test]
fn a_follow_up_goes_on_in_another_process() {
    let desk = desk();
    let run = |words: &str| {
        let mut run =
            vec!["task", "run", words, "--agent", "fake", "--thread", "a", "--folder", "out", "--chat"];
        run.extend(USUAL);
        desk.run(&run)
    };
    assert_eq!(run("@ say The lease ends in May.").code, Some(0));
    let second = run("@ say And the second.\n@ blocks");
    let messages = second.json()["messages"].clone();
    let said: Vec<&str> =
        messages.as_array().unwrap().iter().filter_map(|said| said["text"].as_str()).collect();
    assert_eq!((second.code, said.len()), (Some(0), 4), "{second:?}");
    assert!(said[3].starts_with("And the second."), "{said:?}");
}
