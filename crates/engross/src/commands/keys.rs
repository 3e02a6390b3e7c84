//! `engross keys`
//!
//! Must never show a key but the one that was made just now.

use engross_http::Right;
use engross_protocol::{Exit, Failure};
use serde_json::json;

use super::CommandEnd;
use crate::cli::{KeyPlaceArgs, KeysArgs, KeysCommand};
use crate::output::{Output, note};
use engross_compose::data::data_path;
use engross_compose::keys::{KeyRow, KeyStore};
use engross_compose::settings::{Environment, Flags, ProgramSettings};

/// What a running server needs to hear.
const RELOAD: &str =
    "A server that runs takes this when it gets SIGHUP, such as by `systemctl reload engross`.";

pub(crate) fn run(args: &KeysArgs, environment: &Environment, output: Output) -> Result<CommandEnd, Failure> {
    match &args.command {
        KeysCommand::Add(args) => {
            let right = Right::ALL.into_iter().find(|right| right.as_str() == args.right);
            let key = store(&args.place, environment)?.add(
                &args.name,
                &args.owner,
                right.unwrap_or(Right::Read),
            )?;
            let shown = json!({"name": args.name, "owner": args.owner, "right": args.right, "key": key});
            output.answer(&shown, || format!("{key}\n"))?;
            note(&format!(
                "This is the key '{}' of the owner '{}' with the right '{}'. It is shown this once. {RELOAD}",
                args.name, args.owner, args.right
            ));
        }
        KeysCommand::List(args) => {
            let rows = store(args, environment)?.read()?.unwrap_or_default();
            let shown: Vec<_> = rows.iter().map(shown).collect();
            output.answer(&json!({"keys": shown}), || table(&rows))?;
        }
        KeysCommand::Revoke(args) => {
            let row = store(&args.place, environment)?.revoke(&args.name)?;
            output.answer(&json!({"revoked": shown(&row)}), || format!("Revoked '{}'\n", row.name))?;
            note(RELOAD);
        }
    }
    Ok(CommandEnd::With(Exit::Done))
}

fn store(args: &KeyPlaceArgs, environment: &Environment) -> Result<KeyStore, Failure> {
    let flags = Flags { config: args.config.clone(), ..Flags::default() };
    let set = ProgramSettings::load(&flags, environment)?.serve.path("data");
    Ok(KeyStore::of(&data_path(args.data.as_deref().or(set.as_deref()))?))
}

fn shown(row: &KeyRow) -> serde_json::Value {
    json!({"name": row.name, "owner": row.owner, "right": row.right, "created": row.created})
}

fn table(rows: &[KeyRow]) -> String {
    if rows.is_empty() {
        return "There are no keys. `engross keys add NAME` makes one.\n".to_owned();
    }
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or_default();
    let line =
        |row: &KeyRow| format!("{:width$}  {:5}  {}  made {}\n", row.name, row.right, row.owner, row.created);
    rows.iter().map(line).collect()
}
