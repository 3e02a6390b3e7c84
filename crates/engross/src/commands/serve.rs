//! `engross serve`

use engross_protocol::{Exit, Failure};

use super::CommandEnd;
use crate::cli::ServeArgs;
use crate::compose::server;
use crate::settings::Environment;

pub(crate) fn run(args: &ServeArgs, environment: &Environment) -> Result<CommandEnd, Failure> {
    server::run(args, environment)?;
    Ok(CommandEnd::With(Exit::Done))
}
