//! From the requests of the protocol to calls, and back.
//!
//! Must never block the connection: calls run beside it, tell how far they are, and may be taken back.

use std::sync::Arc;
use std::time::Duration;

use engross_playbook::Playbook;
use engross_protocol::{Exit, Failure};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ElicitRequest, ElicitResult,
    ExtensionCapabilities, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation,
    InputRequest, InputRequests, InputRequiredResult, InputResponses, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::spawn_blocking;

use crate::client::ClientAbilities;
use crate::documents::McpDocuments;
use crate::more::McpTools;
use crate::question::{Choices, Consent, Question};
use crate::table::ToolRow;
use crate::tools::{CallEnd, Caller, playbook};
use crate::watch::{STEPS, Watch};
use crate::{app, prompts, resources};

/// How many calls of a client are carried out at once; the others wait.
const AT_ONCE: usize = 8;

/// How long a person may think about a question.
const PATIENCE: Duration = Duration::from_secs(600);

/// The name of a question in an answer that is one.
const PLACES: &str = "places";

/// What a model is told about the server.
const INSTRUCTIONS: &str = "Edits Word documents (.docx) so that people see tracked changes in Word. Never unzip or rewrite a .docx \
     yourself. 1. read_document: paragraphs carry addresses such as P7. 2. edit_document: small operations by those addresses, many in \
     one call. The original stays; the answer names the file to go on with. 3. Read the reason of each refused operation, mend it, \
     send only that one again. 4. check_document. Say what was refused.";

/// A server of the Model Context Protocol for one client. Cheap to clone.
#[derive(Clone)]
pub struct McpServer {
    documents: Arc<McpDocuments>,
    tools: McpTools,
    room: Arc<Semaphore>,
}

impl McpServer {
    /// A server whose calls share `documents`, with the tools on these and `tools`.
    #[must_use]
    pub fn new(documents: Arc<McpDocuments>, tools: McpTools) -> Self {
        Self { documents, tools, room: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// The playbook in a file of the folders served; what is wrong otherwise.
    async fn playbook(&self, path: String) -> Result<Playbook, String> {
        let documents = Arc::clone(&self.documents);
        let read = spawn_blocking(move || {
            let (place, bytes) = documents.read(&path)?;
            playbook::read(&place.shown(), &bytes)
        });
        let read = read.await.map_err(|_| "the server is about to stop".to_owned())?;
        read.map_err(|failure| format!("{} [{}]", failure.message, failure.code))
    }

    /// Carries out a call; puts a question to the client's person where there is one.
    async fn call(
        &self,
        request: ReceivedCall,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(row) = self.tools.row(&request.name) else {
            let known: Vec<&str> = self.tools.rows(false).map(|row| row.name).collect();
            let message = format!("there is no tool '{}'; the tools are {}", request.name, known.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let abilities = ClientAbilities::of(&context);
        let mut consent = match (&request.responses, abilities.can_ask) {
            (_, false) => Consent::CannotAsk,
            (None, true) => Consent::MayAsk,
            (Some(answers), true) => {
                let answer = answers.get(PLACES).cloned();
                let answer = answer.and_then(|answer| serde_json::from_value(answer).ok());
                Consent::Answered(Choices::of(answer.as_ref(), &request.state))
            }
        };
        loop {
            let end = self.carry_out(row, request.arguments.clone(), abilities, consent, &context).await?;
            let question = match end {
                CallEnd::Answer(answer) => return Ok(answer.into_result().into()),
                CallEnd::Question(question) => question,
            };
            if abilities.asks_by_answer
                && let Some(form) = question.form()
            {
                let form = InputRequest::Elicitation(ElicitRequest::new(form));
                let requests = InputRequests::from_iter([(PLACES.to_owned(), form)]);
                return Ok(InputRequiredResult::new(Some(requests), Some(question.state())).into());
            }
            let answer = ask(&question, &context).await;
            consent = Consent::Answered(Choices::of(answer.as_ref(), &question.state()));
        }
    }

    /// Carries out a call beside the connection, and tells how far it is.
    async fn carry_out(
        &self,
        row: &'static ToolRow,
        arguments: Value,
        abilities: ClientAbilities,
        consent: Consent,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallEnd, ErrorData> {
        // A client that asks for everything at once does not get all the memory there is.
        let room = self.room.acquire().await;
        let _room = room.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let (steps, mut told) = unbounded_channel();
        let watch = Watch::new(context.ct.clone(), steps);
        let (documents, tools) = (Arc::clone(&self.documents), self.tools.clone());
        let work = spawn_blocking(move || {
            let caller = Caller { watch: &watch, abilities, consent: &consent, tools: &tools };
            crate::tools::call(&documents, row, arguments, &caller)
        });
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
        work.await.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

/// A call as it came, whatever its arguments are.
struct ReceivedCall {
    name: String,
    arguments: Value,
    /// What a person said to the question of an earlier answer, and which document that was about.
    responses: Option<InputResponses>,
    state: String,
}

/// Puts a question to the client's person. Nothing when nobody answers, or the call is taken back.
async fn ask(question: &Question, context: &RequestContext<RoleServer>) -> Option<ElicitResult> {
    let form = question.form()?;
    let asked = context.peer.create_elicitation_with_timeout(form, Some(PATIENCE));
    tokio::select! {
        answer = asked => answer.ok(),
        () = context.ct.cancelled() => None,
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let pages = ExtensionCapabilities::from([(app::EXTENSION.to_owned(), app::settings())]);
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_extensions_with(pages)
            .build();
        let name = Implementation::new("engross", env!("CARGO_PKG_VERSION")).with_title("engross");
        ServerConfig::new(capabilities).with_server_info(name).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let abilities = ClientAbilities::of(&context);
        let rows = self.tools.rows(abilities.shows_pages == Some(true));
        let definitions = rows.map(|row| row.definition(abilities.may_show_pages())).collect();
        Ok(ListToolsResult::with_all_items(definitions))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let CallToolRequestParams { name, arguments, input_responses, request_state, .. } = request;
        let call = ReceivedCall {
            name: name.into_owned(),
            arguments: arguments.map_or(Value::Null, Value::Object),
            responses: input_responses,
            state: request_state.unwrap_or_default(),
        };
        self.call(call, context).await
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
        let field = |name: &str| params.as_ref().and_then(|params| params.get(name));
        let Some(name) = field("name").and_then(Value::as_str).map(str::to_owned) else {
            return Err(ErrorData::invalid_params("the call has no 'name' of a tool", None));
        };
        let call = ReceivedCall {
            name,
            arguments: field("arguments").cloned().unwrap_or_default(),
            responses: field("inputResponses").and_then(|given| serde_json::from_value(given.clone()).ok()),
            state: field("requestState").and_then(Value::as_str).unwrap_or_default().to_owned(),
        };
        let is_old = !ClientAbilities::of(&context).asks_by_answer;
        let result = match self.call(call, context).await? {
            CallToolResponse::Complete(mut result) => {
                if is_old {
                    result.result_type = None;
                }
                serde_json::to_value(result)
            }
            CallToolResponse::InputRequired(result) => serde_json::to_value(result),
            _ => return Err(ErrorData::internal_error("the call became something else", None)),
        };
        result.map(CustomResult::new).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let may_show_pages = ClientAbilities::of(&context).may_show_pages();
        Ok(ListResourcesResult::with_all_items(resources::resources(may_show_pages)))
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
pub async fn serve<R, W>(
    documents: Arc<McpDocuments>,
    tools: McpTools,
    read: R,
    write: W,
) -> Result<(), Failure>
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
    let running = McpServer::new(documents, tools)
        .serve((read, write))
        .await
        .map_err(|error| failed(error.to_string()))?;
    running.waiting().await.map(drop).map_err(|error| failed(error.to_string()))
}
