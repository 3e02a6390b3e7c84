//! What Postgres and its pool say, as errors of the store.

use deadpool_postgres::{HookError, PoolError, TimeoutType};
use tokio_postgres::error::SqlState;

use crate::Error;

/// Raised by our own functions where a race was lost.
const RACE: &str = "ENG01";

/// What encryption fails with as long as nobody changes anything. These errors have no kinds that we could ask for.
const HOPELESS: [&str; 2] = ["server does not support TLS", "invalid peer certificate"];

/// What a failure means for the server at `place`.
pub(super) fn meaning(error: &tokio_postgres::Error, place: &str) -> Error {
    let place = place.to_owned();
    let Some(said) = error.as_db_error() else {
        // No answer at all: the connection is gone, or there was none.
        let message = with_causes(error);
        return if HOPELESS.iter().any(|cause| message.contains(cause)) {
            Error::Unusable { place, message }
        } else {
            Error::Unavailable { place, message }
        };
    };
    let (code, message) = (said.code(), said.message().to_owned());
    match (code, &code.code()[..2]) {
        (&SqlState::DISK_FULL, _) => Error::Full { place },
        (&SqlState::UNDEFINED_TABLE | &SqlState::UNDEFINED_COLUMN | &SqlState::UNDEFINED_FUNCTION, _)
        | (_, "XX" | "22") => Error::Damaged { place, message },
        // The password, the database, the schema, a right, a setting of the address.
        (_, "28" | "3D" | "3F" | "42" | "0A") => Error::Unusable { place, message },
        _ => Error::Unavailable { place, message },
    }
}

/// What it means that no connection was given out.
pub(super) fn no_connection(error: &PoolError, place: &str) -> Error {
    let message = match error {
        PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
            return meaning(error, place);
        }
        PoolError::Closed => return Error::Closed,
        PoolError::Timeout(TimeoutType::Wait) => "all its connections are busy".to_owned(),
        error => error.to_string(),
    };
    Error::Unavailable { place: place.to_owned(), message }
}

/// Whether the same request may succeed at once: another writer was faster, and nothing was written.
pub(super) fn is_race(error: &tokio_postgres::Error) -> bool {
    error.code().is_some_and(|code| {
        code.code() == RACE
            || [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].contains(code)
    })
}

fn with_causes(error: &tokio_postgres::Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    format!("{error}{}", cause.unwrap_or_default())
}
