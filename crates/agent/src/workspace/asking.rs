//! What the model is asked while its calls are carried out: operations for an instruction, a search of the web.
//!
//! Must never go on asking once the turn is to stop.

use engross_docx::WordDocument;
use engross_llm::{Answer, Error as ModelError, Limits, Request, ToolCall, collect_within};

use crate::session::ToolRound;
use crate::tools::{
    CallResult, ParsedCall, Question, Research, Round, ToolError, parse_call, share_of_round,
};
use crate::writing::Texts;

/// Model calls that the calls of one round may cost on a document, and in searches.
const QUESTIONS: usize = 4;

/// Has the model answer what has to be known before the calls on a document can be carried out.
pub(super) async fn ask_all(
    round: &mut Round,
    document: &WordDocument,
    turn: &ToolRound,
) -> Result<(), engross_docx::Error> {
    let mut left = QUESTIONS;
    while let Some(question) = round.next_question() {
        if left == 0 || turn.cancelled.is_cancelled() {
            round.not_asked(Question::no_calls_left);
            continue;
        }
        match question.request(document, &*turn.model)? {
            Err(error) => round.not_asked(|_| error),
            Ok(request) => {
                left -= 1;
                match ask(request, turn).await {
                    Some(answer) => round.answered(answer),
                    None => round.not_asked(Question::no_calls_left),
                }
            }
        }
    }
    Ok(())
}

/// A call that needs no document, only the web. `before` it, so many of the round were carried out.
pub(super) async fn research(call: &ToolCall, turn: &ToolRound, before: usize) -> CallResult {
    let found = async {
        if before >= QUESTIONS || turn.cancelled.is_cancelled() {
            return Err(Research::no_calls_left());
        }
        let ParsedCall::Ask(Question::Research(research)) = parse_call(call, &Texts::default())? else {
            return Err(Research::no_calls_left());
        };
        let request = research.request(&*turn.model)?;
        match ask(request, turn).await {
            None => Err(Research::no_calls_left()),
            Some(Err(error)) => Err(Research::failed(&error)),
            Some(Ok(answer)) => Research::read(&answer, share_of_round(turn.calls.len())),
        }
    };
    found.await.unwrap_or_else(|error: ToolError| error.into())
}

/// The whole answer; `None` when the turn is to stop.
async fn ask(request: Request, turn: &ToolRound) -> Option<Result<Answer, ModelError>> {
    tokio::select! {
        answer = collect_within(Limits::default(), turn.model.answer(request), |_| {}) => Some(answer),
        () = turn.cancelled.cancelled() => None,
    }
}
