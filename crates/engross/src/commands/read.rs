//! `engross read`

use engross_documents::ReadReport;
use engross_docx::OutlineEntry;
use engross_docx::read::{ReadOptions, View, notation};
use engross_docx::revisions::Comment;
use engross_protocol::{Exit, Failure};
use serde_json::{Value, json};

use super::CommandEnd;
use super::documents::open;
use crate::change::printable;
use crate::cli::{ReadArgs, ViewArg};
use crate::failure;
use crate::output::Output;

/// What of a control is told in a line, in order.
const CONTROL_COLUMNS: &[&str] = &[
    "number",
    "address",
    "kind",
    "tag",
    "title",
    "value",
    "placeholder",
    "checked",
    "date",
    "lock",
    "binding",
    "choices",
];

/// What of a style is told in a line.
const STYLE_COLUMNS: &[&str] = &["kind", "id", "name", "basedOn", "default", "inUse"];

/// A list of objects as lines: the first values as they stand, the others with their name where there is something to say.
fn table(list: Option<&Value>, columns: &[&str]) -> String {
    const BARE: usize = 3;
    let line = |entry: &Value| {
        let cells = columns.iter().enumerate().filter_map(|(at, name)| match entry.get(name)? {
            Value::Null | Value::Bool(false) if *name != "checked" => None,
            Value::Bool(true) if *name != "checked" => Some((*name).to_owned()),
            Value::String(text) if at < BARE => Some(text.clone()),
            value if at < BARE => Some(value.to_string()),
            value => Some(format!("{name}={value}")),
        });
        cells.collect::<Vec<_>>().join(" ") + "\n"
    };
    list.and_then(Value::as_array).map_or_else(String::new, |entries| entries.iter().map(line).collect())
}

/// `P12–P40  2. Services (29 paragraphs, 5200 characters)`, indented by depth.
fn outline_line(entry: &OutlineEntry) -> String {
    let OutlineEntry { address, end, depth, kind, number, text, paragraphs, characters, cells } = entry;
    let name = match (*kind, cells) {
        ("table", Some((rows, columns))) => format!("table {number}, {rows} × {columns}: {text}"),
        _ if number.is_empty() => text.clone(),
        _ => format!("{number} {text}"),
    };
    let place = if address == end { address.clone() } else { format!("{address}–{end}") };
    let name = printable(&name);
    let s = if *paragraphs == 1 { "" } else { "s" };
    format!("{}{place}  {name} ({paragraphs} paragraph{s}, {characters} characters)\n", "  ".repeat(*depth))
}

pub(crate) fn run(args: &ReadArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (input, document) = open(&args.file)?;
    let of_document = |error| failure::of_document(input.path(), &error);
    if args.controls {
        let answer = json!({"controls": document.controls().map_err(of_document)?});
        output.answer(&answer, || table(answer.get("controls"), CONTROL_COLUMNS))?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    if args.styles {
        let answer = json!({"styles": document.styles().map_err(of_document)?});
        output.answer(&answer, || table(answer.get("styles"), STYLE_COLUMNS))?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    if args.properties {
        let properties = document.properties().map_err(of_document)?;
        let lines = || {
            let all = properties.named.iter().chain(&properties.custom);
            all.map(|(name, value)| format!("{name}: {value}\n")).collect::<String>()
        };
        output.answer(&properties, lines)?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    if args.outline {
        let entries = document.outline().map_err(of_document)?;
        output
            .answer(&json!({"outline": entries}), || entries.iter().map(outline_line).collect::<String>())?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    let options = ReadOptions {
        view: match args.view {
            ViewArg::Accepted => View::Accepted,
            ViewArg::Original => View::Original,
            ViewArg::Markup => View::Markup,
        },
        story: args.story.clone(),
        search: args.search.clone(),
        from: args.from.clone(),
        limit: args.limit,
        ..ReadOptions::default()
    };
    let reading = document.read(&options).map_err(of_document)?;
    let comments: Vec<Comment> = if output.json {
        Vec::new()
    } else {
        document.comments().map_err(of_document)?.into_iter().map(|placed| placed.comment).collect()
    };
    let answer = ReadReport { file: input.path().display().to_string(), reading };
    output.answer(&answer, || notation(&answer.reading, &comments))?;
    Ok(CommandEnd::With(Exit::Done))
}
