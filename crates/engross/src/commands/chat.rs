//! `engross chat`: what was typed, as the options of a conversation.
//!
//! Must never hold a conversation: that is [`engross_chat`].

use engross_chat::{ChatOptions, Over};
use engross_compose::settings::{Environment, Flags};
use engross_protocol::Failure;

use super::CommandEnd;
use crate::cli::ChatArgs;

pub(crate) fn run(args: &ChatArgs, environment: &Environment) -> Result<CommandEnd, Failure> {
    let options = ChatOptions {
        file: args.file.clone(),
        output: args.target.output.clone(),
        in_place: args.target.in_place,
        root: args.root.clone(),
        session: args.session.clone(),
        client: args.client.clone(),
        auto: args.auto,
        data: args.data.clone(),
        flags: Flags {
            config: args.config.clone(),
            author: args.author.clone(),
            model: args.model.clone(),
            untracked: args.untracked,
        },
    };
    Ok(match engross_chat::run(&options, environment)? {
        Over::Quit(exit) => CommandEnd::With(exit),
        Over::Interrupted => CommandEnd::Interrupted("interrupted; what was done before stands"),
    })
}
