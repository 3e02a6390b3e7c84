//! Learning from documents: what agents deliver is kept, what persons make of it is observed, and the lessons of a document's kind
//! go to the model that edits it. Only when the setting `document_lessons` asks for it.
//!
//! Must never read a document that no agent delivered, or give one kind's lessons to another.

use std::path::Path;
use std::sync::Arc;

use engross_documents::{DeliveryListener, DocumentIsolation, WrittenDocument};
use engross_docx::read::{ReadOptions, View};
use engross_docx::{Limits, WordDocument};
use engross_learn::disk::{BookFile, BookPaths, DeliveredDocuments};
use engross_learn::preferences::{
    DeliveredDocument, DocumentEditor, ObservedDocument, ParagraphViews, changes_of, observe,
};
use engross_learn::recall::RecallingModel;
use engross_learn::skillbook::Effect;
use engross_learn::skillbook::render::{RecallSituation, recall, wrapped};
use engross_llm::Model;
use engross_protocol::{Clock, Failure, SystemClock, hex};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::data::data_path;
use crate::console::note;
use crate::files::by_path;
use crate::settings::ProgramSettings;

/// Learning from the documents of one kind, or from all.
#[derive(Clone)]
pub struct Preferences {
    documents: DeliveredDocuments,
    /// What lessons may take of a model's instructions.
    tokens: usize,
    /// Where delivered documents are worked on.
    isolation: DocumentIsolation,
}

/// What observing documents gave.
#[derive(Debug, Default, Serialize)]
pub struct ObservedDocuments {
    /// Documents that somebody changed since an agent delivered them.
    pub changed: usize,
    /// What decided changes did in the books of their kinds.
    pub effects: Vec<Effect>,
}

/// The book of a client's documents, or of those in a folder.
pub fn book_of(client: Option<&str>, folder: Option<&Path>) -> Result<Option<BookPaths>, Failure> {
    let kind = match (client, folder) {
        (Some(client), _) => DeliveredDocuments::kind_of_client(client),
        (None, Some(folder)) => DeliveredDocuments::kind_of_folder(&by_path::absolute(folder)),
        (None, None) => return Ok(None),
    };
    Ok(Some(DeliveredDocuments::in_data(&data_path(None)?).book(&kind)))
}

impl Preferences {
    /// `None` unless the settings ask for it.
    pub fn of(settings: &ProgramSettings) -> Option<Self> {
        let data = data_path(None).ok().filter(|_| settings.document_lessons.value)?;
        Some(Self {
            documents: DeliveredDocuments::in_data(&data),
            tokens: settings.skill_tokens.value,
            isolation: DocumentIsolation::default(),
        })
    }

    /// A listener for those who write documents, which has them worked on so; `None` unless the settings ask for it.
    pub fn listener(
        settings: &ProgramSettings,
        isolation: &DocumentIsolation,
    ) -> Option<Arc<dyn DeliveryListener>> {
        Some(Arc::new(Self { isolation: isolation.clone(), ..Self::of(settings)? }))
    }

    /// The kind of a document: its client, or else the folder that it is in.
    pub fn kind(client: Option<&str>, document: &Path) -> String {
        let path = by_path::absolute(document);
        match client {
            Some(client) => DeliveredDocuments::kind_of_client(client),
            None => DeliveredDocuments::kind_of_folder(path.parent().unwrap_or(Path::new("/"))),
        }
    }

    /// The model with the lessons of a kind.
    pub fn recalling(&self, model: Arc<dyn Model>, kind: &str, settings: &ProgramSettings) -> Arc<dyn Model> {
        let complain = |error: &engross_learn::Error| {
            note(&format!("Lessons of earlier documents are left out: {error} [{}]", error.code()));
        };
        let tokens = settings.skill_tokens.value;
        let book = self.documents.book(kind);
        Arc::new(RecallingModel::new(model, book, tokens, Arc::new(SystemClock), complain))
    }

    /// Keeps what the file at `path` holds of an agent's tracked changes. Failing is no harm to the document, so it is only told.
    pub fn record(&self, path: &Path, authors: &[String], kind: &str) {
        let path = by_path::absolute(path);
        let read = by_path::read(&path, MOST).map_err(|error| error.to_string());
        if let Err(problem) = read.and_then(|(bytes, _)| self.try_record(&path, bytes, authors, kind)) {
            note(&format!("What was delivered is not kept to learn from: {problem}"));
        }
    }

    fn try_record(&self, path: &Path, bytes: Vec<u8>, authors: &[String], kind: &str) -> Result<(), String> {
        let sha256 = sha256_of(&bytes);
        let shown = path.display().to_string();
        let document = self.isolation.open(&shown, bytes).map_err(|error| error.to_string())?;
        let changes = own_changes(&document, authors).map_err(|error| error.to_string())?;
        let path = path.display().to_string();
        let mut delivered = DeliveredDocument {
            kind: kind.to_owned(),
            sha256,
            author: authors.first().cloned().unwrap_or_default(),
            editor: editor_of(&document),
            at: SystemClock.millis(),
            changes,
            has_earlier: false,
            path,
        };
        if let Some(before) = self.documents.of_path(&delivered.path) {
            delivered.continue_from(before);
        }
        self.documents.keep(&delivered).map_err(|error| error.to_string())
    }

    /// Looks at what became of all that was delivered, or of the document at `only`.
    pub fn observe(&self, only: Option<&Path>) -> Result<ObservedDocuments, Failure> {
        let delivered = match only {
            Some(path) => {
                let path = by_path::absolute(path).display().to_string();
                self.documents.of_path(&path).into_iter().collect()
            }
            None => self.documents.all(),
        };
        let mut all = ObservedDocuments::default();
        for mut document in delivered {
            let Some(now) = changed_since(&document) else { continue };
            all.changed += 1;
            let before = document.clone();
            let mut book = BookFile::open(self.documents.book(&document.kind))?;
            let effects = observe(&mut document, &now, &mut book, SystemClock.millis());
            // The book first: a change that was not noted as decided is found there by its hash.
            book.finish()?;
            if document != before {
                self.documents.keep(&document)?;
            }
            all.effects.extend(effects);
        }
        Ok(all)
    }
}

impl DeliveryListener for Preferences {
    fn delivered(&self, document: &WrittenDocument<'_>) {
        if document.bytes.len() > usize::try_from(MOST).unwrap_or(usize::MAX) {
            return;
        }
        let path = by_path::absolute(document.path);
        let kind = Self::kind(None, &path);
        if let Err(problem) = self.try_record(&path, document.bytes.to_vec(), document.authors, &kind) {
            tracing::warn!(%problem, "what was delivered is not kept to learn from");
        }
    }

    fn lessons(&self, folder: &Path) -> String {
        let kind = DeliveredDocuments::kind_of_folder(&by_path::absolute(folder));
        match BookFile::read(self.documents.book(&kind)) {
            Ok(file) => {
                let about = RecallSituation { asked: EDITING.to_owned(), ..RecallSituation::default() };
                wrapped(&recall(&file.journal.book, &about, self.tokens, SystemClock.millis()))
            }
            Err(error) => {
                tracing::warn!(%error, "the lessons of earlier documents are left out");
                String::new()
            }
        }
    }
}

fn sha256_of(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// What is done where nobody says what was asked.
const EDITING: &str = "edit the document";

/// Bytes of the largest document that is looked at.
const MOST: u64 = 64 << 20;

/// The changes of authors that wait in a document, by paragraph. A paragraph in which somebody else has changes, too, is left
/// out: whose words they are could not be told apart.
fn own_changes(
    document: &WordDocument,
    authors: &[String],
) -> Result<Vec<engross_learn::preferences::DeliveredChange>, engross_docx::Error> {
    let mut own = std::collections::BTreeMap::new();
    for placed in document.revisions()? {
        *own.entry(placed.address).or_insert(true) &= authors.contains(&placed.revision.stamp.author);
    }
    let views = views(document)?;
    let is_own = |address: &String| own.get(address).copied().unwrap_or_default();
    let changed = views.into_iter().filter(|(address, _)| is_own(address));
    Ok(changed.flat_map(|(_, views)| changes_of(&views.original, &views.accepted)).collect())
}

/// The paragraphs of a document, with their addresses.
fn views(document: &WordDocument) -> Result<Vec<(String, ParagraphViews)>, engross_docx::Error> {
    let mut paragraphs: std::collections::BTreeMap<String, ParagraphViews> =
        std::collections::BTreeMap::new();
    for view in [View::Accepted, View::Original] {
        let options = ReadOptions {
            view,
            story: Some("everywhere".to_owned()),
            labels: false,
            fingerprints: false,
            ..ReadOptions::default()
        };
        for paragraph in document.read(&options)?.paragraphs {
            let views = paragraphs.entry(paragraph.address).or_default();
            match view {
                View::Original => views.original = paragraph.text,
                _ => views.accepted = paragraph.text,
            }
        }
    }
    Ok(paragraphs.into_iter().collect())
}

/// What a delivered document became; `None` while nobody has changed it, and where it cannot be read.
fn changed_since(delivered: &DeliveredDocument) -> Option<ObservedDocument> {
    let bytes = by_path::read(Path::new(&delivered.path), MOST).ok()?.0;
    if sha256_of(&bytes) == delivered.sha256 && !delivered.has_earlier {
        return None;
    }
    let document = WordDocument::open(bytes, &Limits::default()).ok()?;
    let paragraphs = views(&document).ok()?.into_iter().map(|(_, views)| views).collect();
    Some(ObservedDocument { paragraphs, editor: editor_of(&document) })
}

/// Who changed a document last, as its properties say.
fn editor_of(document: &WordDocument) -> DocumentEditor {
    let properties = document.properties().map(|properties| properties.named).unwrap_or_default();
    let field = |name: &str| properties.get(name).cloned().unwrap_or_default();
    DocumentEditor { name: field("lastModifiedBy"), at: field("modified") }
}
