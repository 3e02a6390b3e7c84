//! `engross mcp`

mod install;
#[cfg(feature = "server")]
mod more;

use std::path::Path;
use std::sync::Arc;

use engross_documents::DocumentIsolation;
use engross_mcp::{AllowedFolders, McpDocuments, McpTools, MoreTools, serve};
use engross_protocol::{Exit, Failure, SystemClock};

use super::CommandEnd;
use crate::cli::{McpArgs, McpCommand, McpToolsArg};
use engross_compose::data::data_folder;
#[cfg(feature = "server")]
use engross_compose::preferences::Preferences;
use engross_compose::settings::{Environment, Flags, ProgramSettings};
use engross_compose::signals::asked_to_stop;

pub(crate) fn run(args: &McpArgs, environment: &Environment) -> Result<CommandEnd, Failure> {
    match &args.command {
        Some(McpCommand::Install(args)) => return install::install(args),
        Some(McpCommand::Uninstall(args)) => return install::uninstall(args),
        None => {}
    }
    let flags = Flags { config: args.config.clone(), author: args.author.clone(), ..Flags::default() };
    let settings = ProgramSettings::load(&flags, environment)?;
    let home = directories::BaseDirs::new().map(|folders| folders.home_dir().to_owned());
    let folders = match args.root.as_slice() {
        [] => vec![AllowedFolders::usual(Path::new("."), home.as_deref())?],
        named => named.to_vec(),
    };
    let folders = AllowedFolders::open(&folders)?;
    let data = data_folder(args.data.as_deref())?;
    let tools = McpTools {
        playbooks: args.with.contains(&McpToolsArg::Playbooks),
        more: more(args, &folders, &data)?,
    };
    let documents = McpDocuments::new(folders, data, &settings.author.value, Arc::new(SystemClock))?;
    #[cfg(feature = "server")]
    let documents = documents
        .heard_by(Preferences::listener(&settings, &DocumentIsolation::default()), std::path::PathBuf::new());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure::new(
            Exit::Io,
            "LISTEN_FAILED",
            format!("the machine gives no room to serve a client: {error}; close other programs"),
        )
    })?;
    let documents = Arc::new(documents);
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = serve(Arc::clone(&documents), tools, tokio::io::stdin(), tokio::io::stdout()) => ended,
            () = asked_to_stop() => Ok(()),
        }
    });
    documents.finish_writing();
    // A read of standard input cannot be broken off, so nobody waits for it.
    runtime.shutdown_background();
    ended.map(|()| CommandEnd::With(Exit::Done))
}

/// The tools besides those on documents.
#[cfg(feature = "server")]
fn more(args: &McpArgs, folders: &AllowedFolders, data: &Path) -> Result<Vec<Arc<dyn MoreTools>>, Failure> {
    more::tools(&args.with, &more::ToolParts { folders, data, config: args.config.as_ref() })
}

/// A build without a server has none of them.
#[cfg(not(feature = "server"))]
fn more(args: &McpArgs, _folders: &AllowedFolders, _data: &Path) -> Result<Vec<Arc<dyn MoreTools>>, Failure> {
    match args.with.iter().find(|asked| **asked != McpToolsArg::Playbooks) {
        None => Ok(Vec::new()),
        Some(_) => Err(Failure::new(
            Exit::Usage,
            "FEATURE_LEFT_OUT",
            "this engross is built without write sessions, tasks and sessions; install it with its usual features",
        )),
    }
}
