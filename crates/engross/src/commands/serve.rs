//! `engross serve`

use engross_protocol::{Exit, Failure};

use super::Ended;
use crate::cli::ServeArgs;
use crate::compose::server;
use crate::settings::Environment;

pub(crate) fn run(args: &ServeArgs, environment: &Environment) -> Result<Ended, Failure> {
    server::run(args, environment)?;
    Ok(Ended::With(Exit::Done))
}
