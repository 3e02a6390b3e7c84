//! `POST /v1/chat/completions`: from the body to a request.
//!
//! Accepts what the reference's releases accept; docs/protocol/sessions.md lists the fields. Must never drop a field that
//! changes the answer without a notice.

use engross_agent::session::{Parameters, TurnRequest};
use engross_llm::AnswerOptions;

use super::content::Conversation;
use super::fields::{self, Object, Path};
use super::options;
use super::tools::{self, Others, Tools};
use super::{DEFAULT_MODEL, NAMED_MODEL, RequestHead};
use crate::error::Error;

/// Reads a body.
///
/// # Errors
/// [`Error::InvalidJson`], [`Error::InvalidRequest`], [`Error::ToolInvalid`] or [`Error::SessionKeyInvalid`], naming the
/// field; [`Error::MessageMissing`] when there is nothing to answer.
pub(crate) fn chat_request(bytes: &[u8]) -> Result<RequestHead, Error> {
    let mut body = fields::body(bytes)?;
    let mut request = TurnRequest::default();
    let mut conversation = Conversation::default();

    let at = Path::root("messages");
    let messages = fields::take(&mut body, "messages").map(|value| fields::list(value, at)).transpose()?;
    for (index, message) in messages.unwrap_or_default().into_iter().enumerate() {
        let at = at.item(index);
        conversation.chat_message(fields::object(message, at)?, at)?;
    }
    let (mut notices, attached) = conversation.finish(&mut request, "messages")?;

    let old = !body.contains_key("tools");
    let (tools_name, choice_name) =
        if old { ("functions", "function_call") } else { ("tools", "tool_choice") };
    if let Some(list) = fields::take(&mut body, tools_name) {
        let mut tools = Tools::new(Others::Refused);
        tools.read(list, Path::root(tools_name))?;
        let (list, _, left_out) = tools.finish();
        request.tools = Some(list);
        notices.extend(left_out);
    }
    let choice_name = if body.contains_key("tool_choice") { "tool_choice" } else { choice_name };
    let common = common(&mut body, choice_name, &mut request)?;
    request.parameters.max_output_tokens = most_tokens(&mut body)?;
    let options_at = Path::root("stream_options");
    let stream_options = fields::take(&mut body, "stream_options")
        .map(|value| fields::object(value, options_at))
        .transpose()?;
    let mut stream_options = stream_options.unwrap_or_default();
    let include_usage =
        fields::flag(&mut stream_options, "include_usage", options_at.field("include_usage"))?;
    request.parameters.options = options::take(&mut body)?;
    options::note_unknown(&body, &mut notices);
    Ok(RequestHead {
        request,
        model: common.model,
        user: common.user,
        stream: common.stream,
        include_usage: include_usage.unwrap_or(false),
        notices,
        attached,
        ..RequestHead::default()
    })
}

/// What both routes have.
pub(super) struct Common {
    pub(super) model: String,
    pub(super) user: Option<String>,
    pub(super) stream: bool,
}

/// Reads what both routes have under the same names.
pub(super) fn common(
    body: &mut Object,
    choice_name: &str,
    request: &mut TurnRequest,
) -> Result<Common, Error> {
    let model = fields::text(body, "model", Path::root("model"))?.filter(|model| !model.trim().is_empty());
    let stream = fields::flag(body, "stream", Path::root("stream"))?.unwrap_or(false);
    request.is_passing = fields::flag(body, "store", Path::root("store"))? == Some(false);
    request.background = fields::flag(body, "background", Path::root("background"))?.unwrap_or(false);
    let user = fields::text(body, "user", Path::root("user"))?;
    let temperature = fields::number(body, "temperature", Path::root("temperature"), 0.0..=2.0)?;
    let tool_choice = fields::take(body, choice_name)
        .map(|value| tools::choice(value, request.tools.as_deref(), Path::root(choice_name)))
        .transpose()?;
    request.parameters = Parameters {
        model: model.as_deref().and_then(|model| model.strip_prefix(NAMED_MODEL)).map(str::to_owned),
        max_output_tokens: None,
        temperature,
        options: AnswerOptions::default(),
        tool_choice: tool_choice.unwrap_or_default(),
        write_content: false,
    };
    Ok(Common { model: model.unwrap_or_else(|| DEFAULT_MODEL.to_owned()), user, stream })
}

fn most_tokens(body: &mut Object) -> Result<Option<u32>, Error> {
    let old = fields::count(body, "max_tokens", Path::root("max_tokens"))?;
    let new = fields::count(body, "max_completion_tokens", Path::root("max_completion_tokens"))?;
    Ok(new.or(old))
}
