//! `engross serve`

use engross_protocol::{Exit, Failure};

use super::CommandEnd;
use crate::cli::ServeArgs;
use crate::compose::server;
use crate::settings::{Environment, Flags, Settings};

pub(crate) fn run(args: &ServeArgs, environment: &Environment) -> Result<CommandEnd, Failure> {
    let flags = Flags { config: args.config.clone(), model: args.model.clone(), ..Flags::default() };
    let mut settings = Settings::load(&flags, environment)?;
    for (key, values) in args.given() {
        settings.serve.add_flag(key, values)?;
    }
    server::run(&settings, environment)?;
    Ok(CommandEnd::With(Exit::Done))
}
