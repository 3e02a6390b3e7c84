//! Every way to fail, as the one error shape with its exit code.
//!
//! Must never lose the code that a lower layer gave.

use std::path::Path;

use engross_docx::Error as DocumentError;
use engross_protocol::{Exit, Failure};

use crate::{files, settings};

/// The engine's failure about the document at `path`.
pub fn of_document(path: &Path, error: &DocumentError) -> Failure {
    engross_documents::document_failure(&path.display().to_string(), error)
}

/// What went wrong with a document on its way, in the words of the command line: it names the flags that help.
pub fn of_delivery(error: engross_documents::Error) -> Failure {
    use engross_documents::Error;
    let message = match &error {
        Error::OutputIsInput { path } => Some(format!(
            "{} is the document itself; choose another name for what is written, or use --in-place where there is one",
            path.display()
        )),
        Error::Path(files::Error::InputChanged { path }) => Some(format!(
            "{} was changed by someone else in the meantime, so it was not replaced; run the command again, or write \
             elsewhere with -o",
            path.display()
        )),
        Error::Path(files::Error::DiskFull { path, reason }) => Some(format!(
            "{} cannot be written: {reason}; make room there or write elsewhere with -o; nothing was changed",
            path.display()
        )),
        Error::NotKept(reason) => Some(format!(
            "{reason}; nothing was changed, since it could not be taken back; write elsewhere with -o"
        )),
        _ => None,
    };
    let exit = matches!(error, Error::Busy { .. }).then_some(Exit::Io);
    let failure = Failure::from(error);
    Failure { message: message.unwrap_or(failure.message), exit: exit.unwrap_or(failure.exit), ..failure }
}

/// A command line that cannot be carried out.
pub fn usage(code: &'static str, message: impl Into<String>) -> Failure {
    Failure::new(Exit::Usage, code, message)
}

impl From<settings::Error> for Failure {
    fn from(error: settings::Error) -> Self {
        match error {
            settings::Error::File(error) => error.into(),
            settings::Error::Invalid { .. } => usage("CONFIG_INVALID", error.to_string()),
        }
    }
}
