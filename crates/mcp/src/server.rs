//! From the requests of the protocol to calls, and back.
//!
//! Must never block the connection: calls run beside it, tell how far they are, and may be taken back.

use std::sync::Arc;

use engross_playbook::Playbook;
use engross_protocol::{Exit, Failure};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::spawn_blocking;

use crate::documents::McpDocuments;
use crate::table::{TOOLS, ToolRow, tool};
use crate::watch::{STEPS, Watch};
use crate::{prompts, resources, tools};

/// The most bytes of a playbook.
const PLAYBOOK_BYTES: usize = 256 << 10;

/// What a model is told about the server.
const INSTRUCTIONS: &str = "Edits Word documents (.docx) so that people see tracked changes in Word. Never unzip or rewrite a .docx \
     yourself. 1. read_document: paragraphs carry addresses such as P7. 2. edit_document: small operations by those addresses, many in \
     one call. The original stays; the answer names the file to go on with. 3. Read the reason of each refused operation, mend it, \
     send only that one again. 4. check_document. Say what was refused.";

/// A server of the Model Context Protocol for one client. Cheap to clone.
#[derive(Clone)]
pub struct McpServer {
    documents: Arc<McpDocuments>,
}

impl McpServer {
    /// A server whose calls share `documents`.
    #[must_use]
    pub fn new(documents: Arc<McpDocuments>) -> Self {
        Self { documents }
    }

    /// The playbook in a file of the folders served; what is wrong otherwise.
    async fn playbook(&self, path: String) -> Result<Playbook, String> {
        let documents = Arc::clone(&self.documents);
        let read = spawn_blocking(move || documents.read(&path).map(|(_, bytes)| bytes)).await;
        let bytes = read.map_err(|_| "the server is about to stop".to_owned())?;
        let bytes = bytes.map_err(|failure| format!("{} [{}]", failure.message, failure.code))?;
        let text = String::from_utf8(bytes).map_err(|_| "the playbook is no text".to_owned())?;
        if text.len() > PLAYBOOK_BYTES {
            return Err("the playbook is longer than 256 KiB; make two of it".to_owned());
        }
        Playbook::parse(&text).map_err(|error| format!("the playbook: {error} [PLAYBOOK_INVALID]"))
    }

    async fn call(
        &self,
        name: &str,
        arguments: Value,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let Some(row) = tool(name) else {
            let known: Vec<&str> = TOOLS.iter().map(|row| row.name).collect();
            let message = format!("there is no tool '{name}'; the tools are {}", known.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let (steps, mut told) = unbounded_channel();
        let watch = Watch::new(context.ct.clone(), steps);
        let documents = Arc::clone(&self.documents);
        let work = spawn_blocking(move || tools::call(&documents, row, arguments, &watch));
        let token = context.meta.get_progress_token();
        // The sender goes with the work, so this ends when it does.
        while let Some((done, what)) = told.recv().await {
            if let Some(token) = &token {
                let progress = ProgressNotificationParam::new(token.clone(), f64::from(done));
                let progress = progress.with_total(f64::from(STEPS)).with_message(what);
                // Who is gone needs no news.
                let _ = context.peer.notify_progress(progress).await;
            }
        }
        let answer = work.await.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(answer.into_result())
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources().build();
        let name = Implementation::new("engross", env!("CARGO_PKG_VERSION")).with_title("engross");
        ServerConfig::new(capabilities).with_server_info(name).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(ToolRow::definition).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        self.call(&request.name, arguments, context).await.map(CallToolResponse::from)
    }

    /// Calls whose arguments are no object, as some clients send them: the protocol's types do not take them.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        if method != "tools/call" {
            return Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, method, None));
        }
        let name =
            params.as_ref().and_then(|params| params.get("name")).and_then(Value::as_str).map(str::to_owned);
        let Some(name) = name else {
            return Err(ErrorData::invalid_params("the call has no 'name' of a tool", None));
        };
        let arguments =
            params.as_ref().and_then(|params| params.get("arguments")).cloned().unwrap_or_default();
        let is_old = context.protocol_version().is_none_or(|version| version < ProtocolVersion::V_2026_07_28);
        let mut result = self.call(&name, arguments, context).await?;
        if is_old {
            result.result_type = None;
        }
        let result = serde_json::to_value(result);
        result.map(CustomResult::new).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::resources()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let documents = Arc::clone(&self.documents);
        let uri = request.uri.clone();
        let read = spawn_blocking(move || resources::read(&documents, &uri)).await;
        match read.map_err(|error| ErrorData::internal_error(error.to_string(), None))? {
            Ok(Some(contents)) => Ok(ReadResourceResult::new(vec![contents]).into()),
            Ok(None) => {
                Err(ErrorData::resource_not_found(format!("there is no resource '{}'", request.uri), None))
            }
            Err(failure) => {
                let body = serde_json::to_value(failure.body()).ok();
                Err(ErrorData::resource_not_found(failure.message, body))
            }
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let invalid = |message: String| ErrorData::invalid_params(message, None);
        let given = request.arguments.as_ref();
        let playbook = match prompts::playbook_of(&request.name, given) {
            Some(path) => Some(self.playbook(path.to_owned()).await.map_err(invalid)?),
            None => None,
        };
        let found = prompts::prompt(&request.name, given, playbook.as_ref());
        let (about, message) = found.map_err(invalid)?;
        Ok(GetPromptResult::new(vec![message]).with_description(about).into())
    }
}

/// Serves one client that writes to `read` and reads from `write`, until it closes its end.
///
/// # Errors
/// When the connection breaks before the client has said what it speaks.
pub async fn serve<R, W>(documents: Arc<McpDocuments>, read: R, write: W) -> Result<(), Failure>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let failed = |error: String| {
        let message = format!(
            "the client of engross mcp ended the connection before it had begun: {error}; engross mcp is started by a client, not by hand"
        );
        Failure::new(Exit::Usage, "USAGE", message)
    };
    let running =
        McpServer::new(documents).serve((read, write)).await.map_err(|error| failed(error.to_string()))?;
    running.waiting().await.map(drop).map_err(|error| failed(error.to_string()))
}
