//! What the client of a call can do besides calling: show pages, put a question to its person.
//!
//! Must never take for granted what the client has not said.

use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, ProtocolVersion};
use rmcp::service::RequestContext;

use crate::app;

/// The client of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientAbilities {
    /// Whether it shows pages; `None` when nobody has said, as in requests over HTTP before 2026-07-28.
    pub(crate) shows_pages: Option<bool>,
    /// Whether its person can be asked in the middle of a call.
    pub(crate) can_ask: bool,
    /// Whether a question is an answer to the call, which then comes again.
    pub(crate) asks_by_answer: bool,
}

impl ClientAbilities {
    /// The client of a request.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let asks_by_answer =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let said = context.client_capabilities();
        Self {
            shows_pages: said.as_ref().map(app::is_shown_by),
            can_ask: said.as_ref().is_some_and(takes_forms),
            asks_by_answer,
        }
    }

    /// Whether what only pages need is told.
    pub(crate) fn may_show_pages(self) -> bool {
        self.shows_pages != Some(false)
    }
}

/// Whether a client puts forms to its person. One that names no kind means forms.
fn takes_forms(capabilities: &ClientCapabilities) -> bool {
    capabilities.elicitation.as_ref().is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}
