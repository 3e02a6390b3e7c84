//! `engross serve`

use engross_protocol::{Exit, Failure};

use super::CommandEnd;
use super::word::record::WordFolder;
use crate::cli::ServeArgs;
use engross_compose::data::data_path;
use engross_compose::server;
use engross_compose::settings::{Environment, Flags, ProgramSettings, ServeSettings};

pub(crate) fn run(args: &ServeArgs, environment: &Environment) -> Result<CommandEnd, Failure> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    engross_compose::allocator::settle(environment);
    let flags = Flags { config: args.config.clone(), model: args.model.clone(), ..Flags::default() };
    let mut settings = ProgramSettings::load(&flags, environment)?;
    for (key, values) in args.given() {
        settings.serve.add_flag(key, values)?;
    }
    if settings.serve.switch("word") {
        of_word(&mut settings.serve)?;
    }
    server::run(&settings, environment)?;
    Ok(CommandEnd::With(Exit::Done))
}

/// Has the server listen where Word looks for it, with the certificate that was made for that.
fn of_word(serve: &mut ServeSettings) -> Result<(), Failure> {
    let folder = WordFolder::beneath(&data_path(serve.path("data").as_deref())?);
    let record = folder.record()?.filter(|_| folder.chain().is_file() && folder.key().is_file());
    let record = record.ok_or_else(|| {
        let message = format!(
            "{} holds no certificate of the pane; run `engross word install` first",
            folder.path().display()
        );
        Failure::of(engross_compose::codes::WORD_NOT_INSTALLED, message)
    })?;
    let text = |path: std::path::PathBuf| vec![path.to_string_lossy().into_owned()];
    for (key, values) in [
        ("tls_cert", text(folder.chain())),
        ("tls_key", text(folder.key())),
        ("listen", vec![format!("127.0.0.1:{}", record.port)]),
    ] {
        // What a person said of it holds.
        if serve.text(key).is_none() {
            serve.add_flag(key, values)?;
        }
    }
    Ok(())
}
