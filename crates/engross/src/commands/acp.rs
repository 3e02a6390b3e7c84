//! `engross acp`: the agent that an editor starts.
//!
//! Must never print to standard output: that is the editor's.

mod setup;

use std::sync::Arc;

use engross_acp::agent::serve;
use engross_protocol::{Exit, Failure};

use super::CommandEnd;
use crate::cli::AcpArgs;
use engross_compose::data::data_folder;
use engross_compose::editor::EditorParts;
use engross_compose::sessions;
use engross_compose::settings::{Environment, Flags, ProgramSettings};
use engross_compose::signals::asked_to_stop;

pub(crate) fn run(args: &AcpArgs, environment: &Environment) -> Result<CommandEnd, Failure> {
    let flags = Flags {
        config: args.config.clone(),
        author: args.author.clone(),
        model: args.model.clone(),
        ..Flags::default()
    };
    let settings = ProgramSettings::load(&flags, environment)?;
    if args.setup {
        let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
        return setup::run(&settings, environment, input, output);
    }
    let data = data_folder(args.data.as_deref())?;
    let home = directories::BaseDirs::new().map(|folders| folders.home_dir().to_owned());
    let parts = EditorParts::open(settings, environment.clone(), data, home)?;
    let store = parts.store();
    let runtime = sessions::runtime()?;
    let ended = runtime.block_on(async {
        tokio::select! {
            () = serve(Arc::new(parts), tokio::io::stdin(), tokio::io::stdout()) => {}
            () = asked_to_stop() => {}
        }
        store.close().await.map_err(|error| sessions::store_failure(&error))
    });
    // A read of standard input cannot be broken off, so nobody waits for it.
    runtime.shutdown_background();
    ended.map(|()| CommandEnd::With(Exit::Done))
}
