//! Files in pieces, whole or not at all: write sessions as tools.
//!
//! Must never leave a file half written, nor write outside the folders that are served.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use engross_mcp::{ArgumentKind, ArgumentRow, MoreCall, MoreTools, ToolEffect, ToolRow};
use engross_protocol::{Failure, RandomIds, SystemClock, WriteSessionId, shared};
use engross_store::files::{Locks, Root};
use engross_write::WriteFailure;
use engross_write::framing::Terminator;
use engross_write::runner::{ChunkEnd, Config, Limits, WriteSessionView, WriteSessions};
use engross_write::session::{BeginOptions, State, WriteOperation};

use crate::commands::write::failure;
use engross_compose::writes::{FolderKeeper, Typesetter};

const WRITE: ArgumentRow = ArgumentRow {
    name: "write",
    kind: ArgumentKind::Text,
    about: "The id that begin_write gave.",
    is_required: true,
};

const ROWS: &[ToolRow] = &[
    ToolRow {
        name: "begin_write",
        title: "Begin a file that comes in pieces",
        about: "Begins a text file that is sent in pieces and appears whole or not at all: for what is too long for one call. A path that \
                ends in .docx makes a Word document of Markdown.",
        arguments: &[
            ArgumentRow {
                name: "path",
                kind: ArgumentKind::Path,
                about: "The file to write.",
                is_required: true,
            },
            ArgumentRow {
                name: "operation",
                kind: ArgumentKind::Word(&["create", "overwrite", "append"]),
                about: "create by default; what is overwritten is kept as a checkpoint.",
                is_required: false,
            },
        ],
        effect: ToolEffect::Acts,
        has_page: false,
    },
    ToolRow {
        name: "append_write",
        title: "Send a piece of a file",
        about: "Sends the next piece, exactly as it is to stand in the file.",
        arguments: &[
            WRITE,
            ArgumentRow { name: "text", kind: ArgumentKind::Exact, about: "The piece.", is_required: true },
            ArgumentRow {
                name: "offset",
                kind: ArgumentKind::Offset,
                about: "The byte where it begins, as the last answer said; a piece that came already is not taken twice.",
                is_required: false,
            },
        ],
        effect: ToolEffect::Acts,
        has_page: false,
    },
    ToolRow {
        name: "finish_write",
        title: "Finish a file",
        about: "All pieces were sent: checks them and puts the file in its place.",
        arguments: &[WRITE],
        effect: ToolEffect::Acts,
        has_page: false,
    },
    ToolRow {
        name: "cancel_write",
        title: "Give a file up",
        about: "Gives a begun file up; nothing of it stays.",
        arguments: &[WRITE],
        effect: ToolEffect::Acts,
        has_page: false,
    },
];

/// Write sessions beneath each folder that is served.
pub(super) struct WriteFiles(Vec<(PathBuf, WriteSessions)>);

impl WriteFiles {
    pub(super) fn open(places: &[PathBuf], data: &Path) -> Result<Self, Failure> {
        let open = |folder: &PathBuf| {
            let keeper = FolderKeeper { data: data.to_owned(), folder: folder.clone() };
            let sessions = WriteSessions::new(Config {
                root: Root::open(folder)?,
                spool: None,
                reviewer: None,
                locks: Locks::new(),
                clock: Arc::new(SystemClock),
                ids: Arc::new(RandomIds),
                composer: Some(Arc::new(Typesetter::default())),
                keeper: Some(Arc::new(keeper)),
                limits: Limits::default(),
            })?;
            // What killed runs have left there, a day ago or more.
            let _ = sessions.sweep();
            Ok((folder.clone(), sessions))
        };
        places.iter().map(open).collect::<Result<_, Failure>>().map(Self)
    }

    /// The session of an id, and who has it.
    fn find(&self, call: &MoreCall<'_>) -> Result<(&WriteSessions, WriteSessionId), Failure> {
        let named = call.arguments.required("write");
        let id = WriteSessionId::from_str(named);
        let found = id.ok().and_then(|id| {
            self.0.iter().find(|(_, sessions)| sessions.get(id).is_ok()).map(|(_, sessions)| (sessions, id))
        });
        found.ok_or_else(|| {
            let message = format!("there is no begun file '{named}'; begin_write gives an id");
            Failure::of(shared::INVALID_ARGUMENTS, message)
        })
    }

    fn begin(&self, call: &MoreCall<'_>) -> Result<WriteSessionView, Failure> {
        let (folder, path) = call.locate(call.arguments.required("path"))?;
        let operation = match call.arguments.text("operation") {
            Some("overwrite") => WriteOperation::Overwrite,
            Some("append") => WriteOperation::Append,
            _ => WriteOperation::Create,
        };
        // The tool says where the content ends, so no line in it has to.
        let options = BeginOptions {
            terminator: Terminator::None,
            repair_attempts: 0,
            ..BeginOptions::new(path.as_str(), operation)
        };
        let problem = |problem: WriteFailure| failure(&problem);
        options.check().map_err(|error| problem(error.into()))?;
        let (_, sessions) = self.0.iter().find(|(place, _)| *place == folder).ok_or_else(|| {
            Failure::of(shared::INVALID_ARGUMENTS, "the file is in no folder that is served".to_owned())
        })?;
        sessions.begin(&options).map_err(problem)
    }
}

impl MoreTools for WriteFiles {
    fn rows(&self) -> &'static [ToolRow] {
        ROWS
    }

    fn call(&self, tool: &str, call: &MoreCall<'_>) -> Result<String, Failure> {
        let problem = |problem: WriteFailure| failure(&problem);
        if tool == "begin_write" {
            let view = self.begin(call)?;
            return Ok(format!(
                "Begun as write {}, offset 0. Send pieces with append_write, then finish_write.\n",
                view.id
            ));
        }
        let (sessions, id) = self.find(call)?;
        let view = match tool {
            "append_write" => {
                let offset = call.arguments.count("offset").and_then(|offset| u64::try_from(offset).ok());
                let text = call.arguments.required("text");
                sessions.chunk(id, offset, text.as_bytes(), ChunkEnd::More)
            }
            "finish_write" => sessions.finalise(id),
            _ => sessions.cancel(id),
        };
        let view = view.map_err(problem)?;
        let told = told(&view);
        if view.state.is_final() {
            // What cannot be removed now is swept later.
            let _ = sessions.forget(id);
        }
        told
    }
}

/// Where a file stands.
fn told(view: &WriteSessionView) -> Result<String, Failure> {
    if let Some(receipt) = &view.receipt {
        let mut text = format!(
            "Wrote {}: {} bytes, {} lines, sha256 {}.\n",
            receipt.path, receipt.bytes, receipt.lines, receipt.sha256
        );
        for warning in &receipt.warnings {
            let _ = writeln!(text, "Warning: {} [{}]", warning.message, warning.code);
        }
        if let Some(checkpoint) = &receipt.checkpoint {
            let _ = writeln!(text, "What it was before is checkpoint {checkpoint}.");
        }
        return Ok(text);
    }
    match (&view.problem, view.state) {
        (Some(problem), _) => Err(failure(problem)),
        (None, State::Cancelled) => Ok("Given up; nothing was written.\n".to_owned()),
        (None, _) => Ok(format!(
            "Taken: {} lines so far; the next piece begins at offset {}.\n",
            view.lines, view.bytes
        )),
    }
}
