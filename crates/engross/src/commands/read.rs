//! `engross read`

use engross_documents::{ReadReport, listing};
use engross_docx::read::{ReadOptions, notation};
use engross_docx::revisions::Comment;
use engross_protocol::{Exit, Failure};
use serde_json::json;

use super::CommandEnd;
use super::documents::open;
use crate::cli::ReadArgs;
use crate::output::Output;
use engross_compose::failure;

pub(crate) fn run(args: &ReadArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (input, document) = open(&args.file)?;
    let of_document = |error| failure::of_document(input.path(), &error);
    if args.controls {
        let controls = document.controls().map_err(of_document)?;
        output.answer(&json!({"controls": controls}), || listing::controls(&controls))?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    if args.styles {
        let styles = document.styles().map_err(of_document)?;
        output.answer(&json!({"styles": styles}), || listing::styles(&styles))?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    if args.properties {
        let properties = document.properties().map_err(of_document)?;
        output.answer(&properties, || listing::properties(&properties))?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    if args.outline {
        let entries = document.outline().map_err(of_document)?;
        output.answer(&json!({"outline": entries}), || listing::outline(&entries))?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    let options = ReadOptions {
        view: args.view.into(),
        story: args.story.clone(),
        search: args.search.clone(),
        pattern: args.pattern.clone(),
        max_bytes: args.max_bytes,
        from: args.from.clone(),
        limit: args.limit,
        fingerprints: output.json,
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
