//! Questions of agents, put to the person at the terminal.
//!
//! Must never answer by itself: a line that is no option is asked about again, and the end of input answers nothing.

use std::io::{BufRead, IsTerminal};

use engross_documents::change::{printable, printable_lines};
use engross_protocol::{Exit, Failure};
use engross_threads::{ThreadDriver, ThreadQuestion};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{CommandEnd, failed};
use crate::cli::AnswerArgs;
use crate::output::{Output, note};
use engross_compose::failure::usage;

/// `engross task answer`.
pub(super) async fn answer(
    driver: Option<&ThreadDriver>,
    key: &str,
    args: &AnswerArgs,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let questions = match driver {
        Some(driver) => driver.questions(key).await.map_err(failed)?,
        None => Vec::new(),
    };
    let is_shown = args.option.is_none() && !args.decline;
    if is_shown || questions.is_empty() {
        let told = json!({ "questions": questions.iter().map(told).collect::<Vec<Value>>() });
        output.answer(&told, || match questions.is_empty() {
            true => "Nothing is asked.\n".to_owned(),
            false => questions.iter().map(shown).collect(),
        })?;
        let is_done = is_shown || questions.is_empty() && args.decline;
        return Ok(CommandEnd::With(if is_done { Exit::Done } else { Exit::Refused }));
    }
    // The oldest is answered: an agent asks one thing after the other.
    let (Some(question), Some(driver)) = (questions.first(), driver) else {
        return Ok(CommandEnd::With(Exit::Refused));
    };
    let option = match &args.option {
        Some(meant) => Some(question.option(meant).ok_or_else(|| {
            usage("USAGE", format!("'{meant}' is no option of this question:\n{}", shown(question)))
        })?),
        None => None,
    };
    let id = option.map(|option| option.id.as_str());
    driver.answer(key, &question.request_id, id).await.map_err(failed)?;
    let told = json!({ "answered": question.request_id, "optionId": id });
    output.answer(&told, || match option {
        Some(option) => format!("Answered: {}\n", option.name),
        None => "Declined.\n".to_owned(),
    })?;
    Ok(CommandEnd::With(Exit::Done))
}

/// A question and its options, a line each.
pub(super) fn shown(question: &ThreadQuestion) -> String {
    let mut text = format!("The agent asks whether it may do this: {}\n", printable(&question.title));
    for (number, option) in (1..).zip(&question.options) {
        text.push_str(&format!("  {number}  {}\n", printable(&option.name)));
    }
    printable_lines(&text)
}

fn told(question: &ThreadQuestion) -> Value {
    json!({ "requestId": question.request_id, "title": question.title, "options": question.options })
}

/// The lines that a person types, while somebody waits for them; none where nobody is.
pub(super) fn lines() -> Option<UnboundedReceiver<String>> {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return None;
    }
    let (sender, lines) = unbounded_channel();
    // It ends with the process: a line cannot be waited for otherwise.
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    Some(lines)
}

/// Puts questions to the person, one after the other, until nobody asks any more.
pub(super) async fn put(
    driver: &ThreadDriver,
    key: &str,
    mut asked: UnboundedReceiver<ThreadQuestion>,
    lines: Option<UnboundedReceiver<String>>,
) {
    let mut lines = lines;
    while let Some(question) = asked.recv().await {
        let Some(typed) = &mut lines else {
            note(&format!("Answer it with `engross task answer {key} NUMBER`"));
            continue;
        };
        note("Type a number and Enter:");
        while let Some(line) = typed.recv().await {
            let Some(option) = question.option(&line) else {
                note("That is none of the numbers");
                continue;
            };
            match driver.answer(key, &question.request_id, Some(&option.id)).await {
                Ok(()) => note(&format!("Answered: {}", printable(&option.name))),
                Err(error) => note(&format!("{error} [{}]", error.code())),
            }
            break;
        }
    }
}
