use super::provider::{AgentProvider, StartMode};
use engross_tasks::runner::ProviderId;

#[test]
fn the_catalog_has_its_order_and_says_what_installs_each() {
    let known = AgentProvider::known();
    let rows: Vec<String> = known
        .iter()
        .map(|one| format!("{}: {} {} | {}", one.id, one.program, one.arguments.join(" "), one.install))
        .collect();
    assert_eq!(
        rows,
        [
            "codex: codex-acp  | install it with `npm install -g @zed-industries/codex-acp@0.16.0`",
            "opencode: opencode acp | install it with `npm install -g opencode-ai`",
            "gemini: gemini --acp --skip-trust | install it with `npm install -g @google/gemini-cli`",
            "hermes: hermes-acp  | install it with `pipx install 'hermes-agent[acp]'`",
        ]
    );
}

#[test]
fn any_agent_can_be_had_by_its_command_line() {
    let id = ProviderId::new("mine").unwrap();
    let provider = AgentProvider::from_command(id.clone(), "'/opt/my agent' --mode acp").unwrap();
    assert_eq!(
        (&provider.id, provider.program.as_str(), provider.start),
        (&id, "/opt/my agent", StartMode::PerRun)
    );
    assert_eq!(provider.arguments, ["--mode", "acp"]);
    assert_eq!(AgentProvider::from_command(id, " ").unwrap_err().code(), "AGENT_COMMAND_INVALID");
}
