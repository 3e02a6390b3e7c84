//! The process of the fake agent: this very test binary, started again.

use std::fs::OpenOptions;
use std::io::{BufReader, stdin};

use engross_acp::client::AgentProvider;
use engross_tasks::runner::ProviderId;

/// Makes [`agent`] serve.
const SERVE: &str = "ENGROSS_TEST_AGENT";

#[test]
#[ignore = "the process of the fake agent: started by the other tests"]
#[expect(clippy::disallowed_methods, reason = "how the test talks to the process it starts")]
fn agent() {
    if std::env::var(SERVE).is_err() {
        return;
    }
    // The test harness prints to the ordinary output, so the protocol has one of its own.
    let output = OpenOptions::new().write(true).open("/dev/fd/3").unwrap();
    // It says itself why it ends.
    let _ = engross_testkit::acp_agent::serve(BufReader::new(stdin()), output);
}

/// How the test binary is told to watch over an agent.
pub const AGAIN: [&str; 4] = ["fake::watching", "--exact", "--ignored", "--nocapture"];

#[test]
#[ignore = "the process that watches over agents: started by the other tests"]
#[expect(clippy::disallowed_methods, reason = "how the test talks to the process it starts")]
fn watching() {
    if let Ok(order) = std::env::var(engross_sandbox::VARIABLE) {
        std::process::exit(engross_sandbox::supervise(&order).into());
    }
}

/// The fake agent as a provider. `set` goes to its environment.
pub fn provider(set: &[(&str, &str)]) -> AgentProvider {
    let binary = std::env::current_exe().unwrap();
    let test = "fake::agent --exact --ignored --nocapture";
    let command = format!("sh -c 'exec \"{}\" {test} 3>&1 >/dev/null'", binary.display());
    let mut provider = AgentProvider::from_command(ProviderId::new("fake").unwrap(), &command).unwrap();
    provider.set = [(SERVE, "1")]
        .iter()
        .chain(set)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    provider
}
