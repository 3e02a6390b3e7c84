//! What the agent says of itself: capabilities, modes, commands, ways to log in.

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AgentCapabilities, AuthMethod, AuthMethodTerminal, AvailableCommand, AvailableCommandInput,
    AvailableCommandsUpdate, Implementation, InitializeResponse, McpCapabilities, PromptCapabilities,
    SessionCapabilities, SessionCloseCapabilities, SessionDeleteCapabilities, SessionListCapabilities,
    SessionMode, SessionModeState, SessionResumeCapabilities, SessionUpdate, UnstructuredCommandInput,
};

/// The mode in which every write is asked for.
pub(super) const SUGGEST: &str = "suggest";

/// The mode in which tracked changes are written without asking.
pub(super) const APPLY: &str = "apply";

/// The way to log in: choosing a model in a terminal.
pub(super) const SETUP: &str = "setup";

/// Name, purpose and what may follow of each command.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("redline", "Change a document as asked, with tracked changes", "what to change"),
    (
        "review",
        "Review a document: comments on what should be changed, and why",
        "for whom, and what matters",
    ),
    (
        "compare",
        "Compare two versions of a document into a redline, without a model",
        "before.docx after.docx",
    ),
    ("accept", "Accept all tracked changes of a document, without a model", "document.docx"),
];

/// The answer to `initialize`.
pub(super) fn greeting() -> InitializeResponse {
    let sessions = SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .delete(SessionDeleteCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .close(SessionCloseCapabilities::new());
    let capabilities = AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(PromptCapabilities::new().embedded_context(true))
        .mcp_capabilities(McpCapabilities::new())
        .session_capabilities(sessions);
    let setup = AuthMethodTerminal::new(SETUP, "Choose a model")
        .description(
            "Asks in a terminal which model is to answer, a provider's or one on this machine, and tries it"
                .to_owned(),
        )
        .args(vec!["--setup".to_owned()]);
    InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(capabilities)
        .agent_info(Implementation::new("engross", env!("CARGO_PKG_VERSION")).title("engross".to_owned()))
        .auth_methods(vec![AuthMethod::Terminal(setup)])
}

/// The modes, of which one is chosen.
pub(super) fn modes(current: &'static str) -> SessionModeState {
    let mode =
        |id: &'static str, name: &str, about: &str| SessionMode::new(id, name).description(about.to_owned());
    let modes = vec![
        mode(SUGGEST, "Suggest", "Shows each change and asks before a document is written"),
        mode(
            APPLY,
            "Apply",
            "Writes tracked changes without asking; every earlier state is kept as a checkpoint",
        ),
    ];
    SessionModeState::new(current, modes)
}

/// The commands on offer.
pub(super) fn commands() -> SessionUpdate {
    let command = |(name, about, hint): &(&str, &str, &str)| {
        let input = AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(*hint));
        AvailableCommand::new(*name, *about).input(input)
    };
    let commands = COMMANDS.iter().map(command).collect();
    SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(commands))
}
