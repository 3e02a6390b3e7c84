//! A host that does what a session says, with everything in memory.

use engross_write::WriteFailure;
use engross_write::framing::TurnFinish;
use engross_write::session::{
    Assembly, BeginOptions, CommittedFile, PromptKind, Spool, State, WriteAction, WriteEvent, WriteInput,
    WriteOperation, WriteSession, assemble,
};
use engross_write::validate::{Subject, ValidationMode, ValidationReport, validate};

pub const MARKER: &str = "END-K7QJ2MZTW4XAB3CD";

#[derive(Debug, Default)]
pub struct MemorySpool {
    pub content: Vec<u8>,
    pub aside: Vec<u8>,
}

impl Spool for MemorySpool {
    fn append(&mut self, bytes: &[u8]) {
        self.content.extend_from_slice(bytes);
    }

    fn truncate(&mut self, length: u64) {
        let length = usize::try_from(length).unwrap();
        assert!(length <= self.content.len());
        self.content.truncate(length);
    }

    fn set_aside(&mut self) {
        self.aside = std::mem::take(&mut self.content);
    }

    fn matches(&mut self, offset: u64, bytes: &[u8]) -> bool {
        self.content[usize::try_from(offset).unwrap()..].starts_with(bytes)
    }
}

#[derive(Debug)]
pub struct Host {
    pub session: WriteSession,
    pub spool: MemorySpool,
    pub target: Option<Vec<u8>>,
    file: Vec<u8>,
    changes: Vec<engross_write::session::WriteWarning>,
    /// What was asked, in order.
    pub asked: Vec<(PromptKind, String)>,
    pub events: Vec<WriteEvent>,
    pub commits: usize,
    pub discarded: bool,
    /// Refuses to write this often.
    pub write_fails: usize,
}

impl Host {
    pub fn new(options: BeginOptions) -> Self {
        Self {
            session: WriteSession::begin(options, MARKER),
            spool: MemorySpool::default(),
            target: None,
            file: Vec::new(),
            changes: Vec::new(),
            asked: Vec::new(),
            events: Vec::new(),
            commits: 0,
            discarded: false,
            write_fails: 0,
        }
    }

    /// A session that overwrites a text file.
    pub fn plain(change: impl FnOnce(&mut BeginOptions)) -> Self {
        Self::named("file.txt", change)
    }

    pub fn named(name: &str, change: impl FnOnce(&mut BeginOptions)) -> Self {
        let mut options = BeginOptions::new(name, WriteOperation::Overwrite);
        change(&mut options);
        Self::new(options)
    }

    pub fn send(&mut self, text: impl AsRef<[u8]>) -> Result<(), WriteFailure> {
        self.step(WriteInput::Chunk { offset: None, bytes: text.as_ref() })
    }

    /// A turn of text and its end.
    pub fn turn(&mut self, text: impl AsRef<[u8]>, finish: TurnFinish) -> State {
        self.send(text).unwrap();
        self.step(WriteInput::TurnEnd(finish)).unwrap();
        self.session.state()
    }

    pub fn step(&mut self, input: WriteInput<'_>) -> Result<(), WriteFailure> {
        for action in self.session.step(input, &mut self.spool)? {
            match action {
                WriteAction::Sync => {}
                WriteAction::Discard => self.discarded = true,
                WriteAction::Ask(prompt) => self.asked.push((prompt.kind, prompt.text)),
                WriteAction::Publish(event) => self.events.push(event),
                WriteAction::Validate(assembly) => self.look(&assembly)?,
                WriteAction::Commit if self.write_fails > 0 => {
                    self.write_fails -= 1;
                    let problem = WriteFailure { code: "NO_SPACE".to_owned(), message: "no room".to_owned() };
                    self.step(WriteInput::CommitFailed(problem))?;
                }
                WriteAction::Commit => self.commit()?,
            }
        }
        Ok(())
    }

    fn look(&mut self, assembly: &Assembly) -> Result<(), WriteFailure> {
        let assembled = assemble(assembly, &self.spool.content, self.target.as_deref(), &self.spool.aside);
        let (file, changes) = match assembled {
            Ok(assembled) => assembled,
            Err(error) => return self.step(WriteInput::PatchFailed(error)),
        };
        self.file = file.into_owned();
        self.changes = changes;
        if let engross_write::session::AssemblyBase::SetAside(_) = assembly.base {
            self.spool.content.clone_from(&self.file);
        }
        let subject = Subject { bytes: &self.file, old: self.target.as_deref(), marker: Some(MARKER) };
        let report = match assembly.mode {
            ValidationMode::Off => ValidationReport::default(),
            ValidationMode::Warn | ValidationMode::Strict => validate(assembly.kind, &subject, &[]),
        };
        self.step(WriteInput::Validated(report))
    }

    fn commit(&mut self) -> Result<(), WriteFailure> {
        self.commits += 1;
        let newlines = self.file.iter().filter(|byte| **byte == b'\n').count() as u64;
        let written = CommittedFile {
            checkpoint: None,
            diff: None,
            path: self.session.options().target_file.clone(),
            bytes: self.file.len() as u64,
            lines: newlines + u64::from(self.file.last().is_some_and(|last| *last != b'\n')),
            sha256: "0".repeat(64),
            previous_sha256: None,
            changes: std::mem::take(&mut self.changes),
        };
        self.target = Some(self.file.clone());
        self.step(WriteInput::Committed(written))
    }

    /// The file, if it is written.
    pub fn written(&self) -> Option<&str> {
        let committed = self.session.state() == State::Committed;
        self.target.as_deref().filter(|_| committed).map(|bytes| std::str::from_utf8(bytes).unwrap())
    }

    pub fn code(&self) -> Option<&str> {
        self.session.problem().map(|problem| problem.code.as_str())
    }

    pub fn kinds(&self) -> Vec<PromptKind> {
        self.asked.iter().map(|(kind, _)| *kind).collect()
    }

    pub fn warnings(&self) -> Vec<&str> {
        let receipt = self.session.receipt();
        receipt
            .map(|receipt| receipt.warnings.iter().map(|warning| warning.code.as_str()).collect())
            .unwrap_or_default()
    }
}
