//! The class of a failure, in the words of the OpenAI API.

/// The class of a status, in the words of the OpenAI API.
pub(crate) fn kind_of(status: u16) -> &'static str {
    match status {
        401 => "unauthorized",
        403 => "permission_error",
        404 => "not_found_error",
        409 => "conflict_error",
        429 => "rate_limit_error",
        503 => "unavailable_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    }
}
