//! The entry that a line of a transcript holds, in one shape for all programs. Everything borrows from the line.

use crate::json::Text;

/// One JSON object of a transcript.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TranscriptEntry<'a> {
    /// Its id, if it has one: then it stands in the tree.
    pub id: Option<Text<'a>>,
    /// The entry that it follows.
    pub parent: Parent<'a>,
    /// ISO date, as it stands.
    pub timestamp: Option<Text<'a>>,
    /// What it is.
    pub kind: EntryKind<'a>,
    /// It belongs to a helper's conversation beside the main one.
    pub is_aside: bool,
    /// The session that it belongs to, where entries say so.
    pub session: Option<Text<'a>>,
    /// The program itself wrote it, nobody said it.
    pub is_meta: bool,
}

/// What an entry follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Parent<'a> {
    /// It does not say: the entry before it.
    #[default]
    Unsaid,
    /// Nothing: it is a root.
    Root,
    /// The entry with this id.
    Entry(Text<'a>),
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum EntryKind<'a> {
    /// The header.
    Session(Header<'a>),
    /// Something said, called or answered.
    Message(Box<TranscriptMessage<'a>>),
    /// A message that is none: `message` is no object.
    NoMessage,
    /// Another model, from now on.
    Model {
        /// Who offers it.
        provider: Option<Text<'a>>,
        /// Its name.
        model: Option<Text<'a>>,
    },
    /// A summary took the place of older messages in the model's context. They are still in the file.
    Compaction,
    /// The window of history begins anew here.
    Reset,
    /// A branch was left.
    BranchSummary,
    /// A hook put words into the context.
    CustomMessage {
        /// What it says.
        content: Content<'a>,
    },
    /// The active leaf moves to another entry.
    Leaf {
        /// Which one.
        target: Option<Text<'a>>,
    },
    /// Known, and without effect on what was said: labels, names, levels, data of programs.
    Note,
    /// Not known: kept, counted, not read.
    #[default]
    Unknown,
}

/// The first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Header<'a> {
    /// The session's id.
    pub id: Option<Text<'a>>,
    /// The format's version; 1 when it says none.
    pub version: Option<u32>,
    /// The folder it worked in. Never the name of a model.
    pub cwd: Option<Text<'a>>,
    /// The session that this one was forked from.
    pub parent_session: Option<Text<'a>>,
}

/// Something said, called or answered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TranscriptMessage<'a> {
    /// `user`, `assistant`, `toolResult`, `bashExecution`, ….
    pub role: Text<'a>,
    /// What it holds.
    pub content: Content<'a>,
    /// Of a result: the call it answers.
    pub call_id: Option<Text<'a>>,
    /// Of a result: the tool.
    pub tool: Option<Text<'a>>,
    /// Of a result: the program says that it failed.
    pub is_error: bool,
    /// Of a result: what else the tool said, as JSON.
    pub details: Option<&'a str>,
    /// Who offered the model that spoke.
    pub provider: Option<Text<'a>>,
    /// The model that spoke.
    pub model: Option<Text<'a>>,
    /// Why it stopped.
    pub stop_reason: Option<Text<'a>>,
    /// What went wrong with it.
    pub error: Option<Text<'a>>,
    /// Tokens, as JSON.
    pub usage: Option<&'a str>,
    /// Of a command that a person ran: the command.
    pub command: Option<Text<'a>>,
    /// Of a command that a person ran: what it printed.
    pub output: Option<Text<'a>>,
    /// Of a command that a person ran: its exit code, as JSON.
    pub exit_code: Option<&'a str>,
}

/// What a message holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Content<'a> {
    /// Nothing, or something that is neither text nor a list.
    #[default]
    None,
    /// One text.
    Text(Text<'a>),
    /// Pieces.
    Blocks(Vec<ContentBlock<'a>>),
}

impl<'a> Content<'a> {
    /// Its texts, in order.
    pub fn texts(&self) -> impl Iterator<Item = Text<'a>> {
        let (one, blocks) = match self {
            Self::None => (None, [].as_slice()),
            Self::Text(text) => (Some(*text), [].as_slice()),
            Self::Blocks(blocks) => (None, blocks.as_slice()),
        };
        let texts = blocks.iter().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(*text),
            _ => None,
        });
        one.into_iter().chain(texts)
    }

    /// Its pieces; one text counts as none.
    #[must_use]
    pub fn blocks(&self) -> &[ContentBlock<'a>] {
        match self {
            Self::Blocks(blocks) => blocks,
            Self::None | Self::Text(_) => &[],
        }
    }
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum ContentBlock<'a> {
    /// Words.
    Text(Text<'a>),
    /// Thoughts.
    Thinking(Text<'a>),
    /// A call of a tool.
    Call(CallItem<'a>),
    /// The result of a call.
    Result(ResultItem<'a>),
    /// A picture: its data is never kept.
    Image {
        /// Its kind.
        mime: Option<Text<'a>>,
        /// Its data in base64.
        data: Option<Text<'a>>,
    },
    /// A call that was cut while it was written: no call.
    HalfCall,
    /// Nothing that is known.
    Odd,
}

/// A call of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallItem<'a> {
    /// Names the call. May be used again in a later turn.
    pub id: Text<'a>,
    /// The tool.
    pub tool: Text<'a>,
    /// What it is called with.
    pub arguments: Arguments<'a>,
}

/// What a tool is called with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments<'a> {
    /// JSON, as it stands.
    Json(&'a str),
    /// A string, which holds JSON or whatever the tool takes.
    Text(Text<'a>),
}

/// The result of a call, as a piece of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultItem<'a> {
    /// The call it answers.
    pub call_id: Text<'a>,
    /// The tool, if it says so.
    pub tool: Option<Text<'a>>,
    /// What came back.
    pub content: Content<'a>,
    /// The program says that it failed.
    pub is_error: bool,
    /// What else the tool said, as JSON.
    pub details: Option<&'a str>,
}

impl Default for Text<'_> {
    fn default() -> Self {
        Self::plain("")
    }
}
