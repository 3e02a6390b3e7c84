//! What clients may read besides: the operations, the page for reviews, and the documents beneath the folders as text.
//!
//! Must never list a person's files.

use engross_docx::read::ReadOptions;
use engross_protocol::Failure;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use crate::app;
use crate::budget::Budget;
use crate::documents::McpDocuments;
use crate::tools::{operation_names, operation_schema, reading};

/// The list of the operations.
const OPERATIONS: &str = "engross://operations";

/// What can be listed; the page for reviews to clients that may show it.
pub(crate) fn resources(may_show_pages: bool) -> Vec<Resource> {
    let operations = Resource::new(OPERATIONS, "operations")
        .with_title("Operations of edit_document")
        .with_description("Each operation and what it is for.")
        .with_mime_type("text/plain");
    [Some(operations), may_show_pages.then(app::resource)].into_iter().flatten().collect()
}

/// What can be named.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let operation = ResourceTemplate::new("engross://operations/{name}", "operation")
        .with_title("An operation")
        .with_description("The fields of an operation as JSON Schema.")
        .with_mime_type("application/schema+json");
    vec![operation]
}

/// What stands at an address; nothing when nothing can.
pub(crate) fn read(documents: &McpDocuments, uri: &str) -> Result<Option<ResourceContents>, Failure> {
    if uri.trim_end_matches('/') == OPERATIONS {
        let list: String =
            operation_names().into_iter().map(|(name, purpose)| format!("{name}: {purpose}\n")).collect();
        return Ok(Some(ResourceContents::text(list, uri).with_mime_type("text/plain")));
    }
    if let Some(name) = uri.strip_prefix(OPERATIONS).and_then(|rest| rest.strip_prefix('/')) {
        let schema = operation_schema(name);
        return Ok(schema.map(|(_, schema)| {
            ResourceContents::text(schema.to_string(), uri).with_mime_type("application/schema+json")
        }));
    }
    if let Some(page) = app::read(uri) {
        return Ok(Some(page));
    }
    if !uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:")) {
        return Ok(None);
    }
    let (place, opened) = documents.open(uri)?;
    let text = reading(&place, &opened.document, &ReadOptions::default(), Budget::of_tokens(None))?;
    Ok(Some(ResourceContents::text(text, uri).with_mime_type("text/plain")))
}
