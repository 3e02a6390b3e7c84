//! `engross mcp install` and `engross mcp uninstall`
//!
//! Must never leave a client without settings: they are written whole, and what they were is kept beside them.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use engross_mcp::install::{ClientFolders, McpClient, print_server, with_server, without_server};
use engross_protocol::{Exit, Failure};

use crate::cli::{McpInstallArgs, McpPlaceArgs, McpUninstallArgs};
use crate::commands::CommandEnd;
use crate::output::print;
use engross_compose::failure::usage;
use engross_compose::files::{by_path, make_folder, read_optional_text};

/// What the name of a file gets in which the settings are as they were.
const BEFORE: &str = ".before-engross";

pub(super) fn install(args: &McpInstallArgs) -> Result<CommandEnd, Failure> {
    let (client, path) = settings(&args.place)?;
    let roots: Vec<String> =
        args.root.iter().map(|root| by_path::absolute(root).display().to_string()).collect();
    if let Some(missing) = args.root.iter().find(|root| !root.is_dir()) {
        return Err(usage(
            "NOT_FOUND",
            format!("{} is no folder; name one that is there", missing.display()),
        ));
    }
    let command = match &args.command {
        Some(command) => command.clone(),
        None => {
            std::env::current_exe().map_or_else(|_| "engross".to_owned(), |path| path.display().to_string())
        }
    };
    let start = client.start(command, &roots).ok_or_else(|| {
        let message = format!(
            "{} starts servers in no folder that is known; name the one with your documents: --root DIR",
            client.title
        );
        usage("USAGE", message)
    })?;
    let mut start = start;
    if !args.with.is_empty() {
        let names = args.with.iter().filter_map(|with| Some(with.to_possible_value()?.get_name().to_owned()));
        start.arguments.extend(["--with".to_owned(), names.collect::<Vec<_>>().join(",")]);
    }
    if args.print {
        let block = print_server(client, &start).map_err(|problem| unusable(&path, &problem))?;
        print(&format!("{}\n\n{block}", path.display()))?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    let before = read_optional_text(&path)?.unwrap_or_default();
    let after = with_server(client, &before, &start).map_err(|problem| unusable(&path, &problem))?;
    if replace(&path, &before, &after)? {
        print(&format!(
            "{} knows engross now: {}\nStart it anew, and ask for a redline.\n",
            client.title,
            path.display()
        ))?;
    } else {
        print(&format!("{} knows engross already: {}\n", client.title, path.display()))?;
    }
    Ok(CommandEnd::With(Exit::Done))
}

pub(super) fn uninstall(args: &McpUninstallArgs) -> Result<CommandEnd, Failure> {
    let (client, path) = settings(&args.place)?;
    let before = read_optional_text(&path)?.unwrap_or_default();
    let after = without_server(client, &before).map_err(|problem| unusable(&path, &problem))?;
    let said = if replace(&path, &before, &after)? {
        "does not know engross any more"
    } else {
        "does not know engross"
    };
    print(&format!("{} {said}: {}\n", client.title, path.display()))?;
    Ok(CommandEnd::With(Exit::Done))
}

/// The client and the file with its settings.
fn settings(place: &McpPlaceArgs) -> Result<(&'static McpClient, PathBuf), Failure> {
    let client = McpClient::named(&place.client).ok_or_else(|| {
        let known: Vec<&str> = McpClient::all().iter().map(|client| client.name).collect();
        usage(
            "USAGE",
            format!("'{}' is no client that is known; known are {}", place.client, known.join(", ")),
        )
    })?;
    let folders = directories::BaseDirs::new().ok_or_else(|| {
        usage("USAGE", "this platform tells no folder of yours; use --print, and put the block in by hand")
    })?;
    // Programs in the manner of Unix have their settings in ~/.config on every system but Windows.
    let config =
        if cfg!(windows) { folders.config_dir().to_owned() } else { folders.home_dir().join(".config") };
    let folders = ClientFolders {
        home: folders.home_dir().to_owned(),
        config,
        applications: folders.config_dir().to_owned(),
        project: PathBuf::from("."),
    };
    let path = client.settings(&folders, place.project).ok_or_else(|| {
        usage("USAGE", format!("{} has no settings of a project; leave out --project", client.title))
    })?;
    // Of two files that opencode reads it has the one with comments.
    let commented = path.with_extension("jsonc");
    let path =
        if client.name == "opencode" && commented.exists() && !path.exists() { commented } else { path };
    Ok((client, path))
}

/// Writes the settings if they have changed; says whether they have.
fn replace(path: &Path, before: &str, after: &str) -> Result<bool, Failure> {
    if before == after {
        return Ok(false);
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder)?;
    }
    if !before.is_empty() {
        let mut kept = path.as_os_str().to_owned();
        kept.push(BEFORE);
        by_path::write(Path::new(&kept), before.as_bytes(), None)?;
    }
    by_path::write(path, after.as_bytes(), None)?;
    Ok(true)
}

fn unusable(path: &Path, problem: &str) -> Failure {
    let message = format!(
        "{} cannot be changed: {problem}; correct it, or use --print and put the block in by hand",
        path.display()
    );
    usage("CONFIG_INVALID", message)
}
