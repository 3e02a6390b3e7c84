//! The clients: a row each, where its settings are and what form an entry has.

use std::path::PathBuf;

/// A program that starts servers for an agent.
#[derive(Debug, PartialEq, Eq)]
pub struct McpClient {
    /// By this name it is asked for.
    pub name: &'static str,
    /// By this name people know it.
    pub title: &'static str,
    /// Its settings of a person.
    pub(super) own: (FolderKind, &'static str),
    /// Its settings of a project, if it has such.
    pub(super) project: Option<&'static str>,
    pub(super) form: EntryForm,
    pub(super) started_in: StartedIn,
}

/// The folder that a path begins at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderKind {
    /// The person's folder.
    Home,
    /// `~/.config`; on Windows the folder for data of applications.
    Config,
    /// The folder for data of applications.
    Applications,
}

/// The form of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryForm {
    /// JSON beneath this key: `command` and `args`.
    Json(&'static str),
    /// The same with a `type`.
    TypedJson(&'static str, &'static str),
    /// The same with a `type`, and all tools allowed.
    ToolsJson(&'static str, &'static str),
    /// JSON beneath `mcp`: the command with its arguments as one list.
    ListJson,
    /// TOML beneath this table: `command` and `args`.
    Toml(&'static str),
}

/// The folder in which a client starts servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartedIn {
    /// That of the project.
    Project,
    /// Nobody knows; this stands for that of the project.
    Variable(&'static str),
    /// Nobody knows.
    Anywhere,
}

/// The folders of a person and a machine.
#[derive(Debug, Clone)]
pub struct ClientFolders {
    /// The person's folder.
    pub home: PathBuf,
    /// Where settings in the manner of Unix are: `~/.config`.
    pub config: PathBuf,
    /// Where the platform has data of applications.
    pub applications: PathBuf,
    /// The folder of the project.
    pub project: PathBuf,
}

/// How a client starts the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStart {
    /// The program.
    pub command: String,
    /// What it is told.
    pub arguments: Vec<String>,
}

const fn client(
    (name, title): (&'static str, &'static str),
    own: (FolderKind, &'static str),
    project: Option<&'static str>,
    form: EntryForm,
    started_in: StartedIn,
) -> McpClient {
    McpClient { name, title, own, project, form, started_in }
}

const SERVERS: EntryForm = EntryForm::Json("mcpServers");
const FOLDER: StartedIn = StartedIn::Variable("${workspaceFolder}");

const CLIENTS: &[McpClient] = &[
    client(
        ("amazon-q", "Amazon Q Developer"),
        (FolderKind::Home, ".aws/amazonq/mcp.json"),
        Some(".amazonq/mcp.json"),
        SERVERS,
        StartedIn::Anywhere,
    ),
    client(
        ("claude-code", "Claude Code"),
        (FolderKind::Home, ".claude.json"),
        Some(".mcp.json"),
        EntryForm::TypedJson("mcpServers", "stdio"),
        StartedIn::Project,
    ),
    client(
        ("claude-desktop", "Claude Desktop"),
        (FolderKind::Applications, "Claude/claude_desktop_config.json"),
        None,
        SERVERS,
        StartedIn::Anywhere,
    ),
    client(
        ("cline", "Cline"),
        (
            FolderKind::Applications,
            "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ),
        None,
        SERVERS,
        StartedIn::Anywhere,
    ),
    client(
        ("codex", "Codex"),
        (FolderKind::Home, ".codex/config.toml"),
        Some(".codex/config.toml"),
        EntryForm::Toml("mcp_servers"),
        StartedIn::Project,
    ),
    client(
        ("copilot", "GitHub Copilot CLI"),
        (FolderKind::Home, ".copilot/mcp-config.json"),
        None,
        EntryForm::ToolsJson("mcpServers", "local"),
        StartedIn::Project,
    ),
    client(
        ("cursor", "Cursor"),
        (FolderKind::Home, ".cursor/mcp.json"),
        Some(".cursor/mcp.json"),
        SERVERS,
        FOLDER,
    ),
    client(
        ("gemini", "Gemini CLI"),
        (FolderKind::Home, ".gemini/settings.json"),
        Some(".gemini/settings.json"),
        SERVERS,
        StartedIn::Project,
    ),
    client(
        ("junie", "JetBrains Junie"),
        (FolderKind::Home, ".junie/mcp/mcp.json"),
        Some(".junie/mcp/mcp.json"),
        SERVERS,
        StartedIn::Anywhere,
    ),
    client(
        ("kiro", "Kiro"),
        (FolderKind::Home, ".kiro/settings/mcp.json"),
        Some(".kiro/settings/mcp.json"),
        SERVERS,
        StartedIn::Anywhere,
    ),
    client(
        ("lm-studio", "LM Studio"),
        (FolderKind::Home, ".lmstudio/mcp.json"),
        None,
        SERVERS,
        StartedIn::Anywhere,
    ),
    client(
        ("opencode", "opencode"),
        (FolderKind::Config, "opencode/opencode.json"),
        Some("opencode.json"),
        EntryForm::ListJson,
        StartedIn::Project,
    ),
    client(
        ("vscode", "VS Code"),
        (FolderKind::Applications, "Code/User/mcp.json"),
        Some(".vscode/mcp.json"),
        EntryForm::TypedJson("servers", "stdio"),
        FOLDER,
    ),
    client(
        ("windsurf", "Windsurf"),
        (FolderKind::Home, ".codeium/windsurf/mcp_config.json"),
        None,
        SERVERS,
        StartedIn::Anywhere,
    ),
    client(
        ("zed", "Zed"),
        (FolderKind::Config, "zed/settings.json"),
        Some(".zed/settings.json"),
        EntryForm::Json("context_servers"),
        StartedIn::Anywhere,
    ),
];

impl McpClient {
    /// All clients that are known, by name.
    #[must_use]
    pub fn all() -> &'static [Self] {
        CLIENTS
    }

    /// The client of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// The file with its settings, of the person or of a project; `None` when it has none of a project.
    #[must_use]
    pub fn settings(&self, folders: &ClientFolders, of_project: bool) -> Option<PathBuf> {
        if of_project {
            return self.project.map(|path| folders.project.join(path));
        }
        let (base, path) = self.own;
        let base = match base {
            FolderKind::Home => &folders.home,
            FolderKind::Config => &folders.config,
            FolderKind::Applications => &folders.applications,
        };
        Some(base.join(path))
    }

    /// How it starts the program `command` for the folders `roots`; `None` when a folder must be named, as nobody knows in which one it
    /// starts servers.
    #[must_use]
    pub fn start(&self, command: String, roots: &[String]) -> Option<ServerStart> {
        let roots = match (roots, self.started_in) {
            ([], StartedIn::Project) => Vec::new(),
            ([], StartedIn::Variable(folder)) => vec![folder.to_owned()],
            ([], StartedIn::Anywhere) => return None,
            (roots, _) => roots.to_vec(),
        };
        let roots = roots.into_iter().flat_map(|root| ["--root".to_owned(), root]);
        Some(ServerStart { command, arguments: std::iter::once("mcp".to_owned()).chain(roots).collect() })
    }
}
