//! A playbook: Markdown with a position for each clause.
//!
//! ```text
//! ## Term
//! Also: Duration; Period
//! Standard: The agreement runs for two years.
//! Fallback: Up to three years.
//! Never: "perpetual" or "indefinite" terms.
//! Missing: acceptable
//! ```
//!
//! Must never guess: what is not understood is an error with its line.

/// The most positions of a playbook.
const MOST: usize = 200;

/// The most bytes of one.
const BYTES: usize = 256 << 10;

/// The labels that begin a paragraph.
const LABELS: &[&str] = &["Also", "Standard", "Fallback", "Never", "Missing"];

/// What a playbook in German calls them.
const IN_GERMAN: &[(&str, &str)] = &[
    ("Auch", "Also"),
    ("Rückfall", "Fallback"),
    ("Rückfallposition", "Fallback"),
    ("Nie", "Never"),
    ("Niemals", "Never"),
    ("Fehlt", "Missing"),
];

/// What `Missing:` says, in English and German.
const MAY_BE_MISSING: &[(&str, bool)] = &[
    ("", false),
    ("not acceptable", false),
    ("acceptable", true),
    ("nicht akzeptabel", false),
    ("akzeptabel", true),
];

/// What a person wants of clauses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Playbook {
    /// Its title; empty without one.
    pub title: String,
    /// In the order of the file, at least one.
    pub positions: Vec<PlaybookPosition>,
}

/// What a person wants of one clause.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlaybookPosition {
    /// The clause.
    pub name: String,
    /// The line of its heading, from 1.
    pub line: usize,
    /// Other headings that the clause may have.
    pub also: Vec<String>,
    /// What is wanted.
    pub standard: String,
    /// What is acceptable, too; empty for nothing.
    pub fallback: String,
    /// What is not; empty for nothing in particular.
    pub never: String,
    /// The words in quotes in `never`: found literally, they cross the line.
    pub never_words: Vec<String>,
    /// Whether a document may do without the clause.
    pub may_be_missing: bool,
}

/// What is wrong with a playbook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct PlaybookError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what to write.
    pub problem: String,
}

/// A position that is being read.
#[derive(Default)]
struct PositionBuilder {
    position: PlaybookPosition,
    seen: Vec<&'static str>,
    /// The label whose paragraph goes on.
    open: Option<&'static str>,
    missing: String,
}

impl Playbook {
    /// Reads the playbook in a file, of at most 256 KiB.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn read(bytes: &[u8]) -> Result<Self, PlaybookError> {
        let line_at =
            |end: usize| 1 + bytes.get(..end).unwrap_or(bytes).iter().filter(|byte| **byte == b'\n').count();
        if bytes.len() > BYTES {
            return Err(wrong(line_at(BYTES), "here it is longer than 256 KiB; make two playbooks of it"));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse(text),
            Err(error) => Err(wrong(
                line_at(error.valid_up_to()),
                "this is no text in UTF-8; a playbook is a Markdown file",
            )),
        }
    }

    /// Reads a playbook.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn parse(text: &str) -> Result<Self, PlaybookError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut playbook = Self::default();
        let mut draft: Option<PositionBuilder> = None;
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if let Some(name) = heading(line, 2) {
                if let Some(done) = draft.take() {
                    playbook.add(done)?;
                }
                draft = Some(PositionBuilder::begin(name, number)?);
            } else if let Some(title) = heading(line, 1) {
                if draft.is_some() {
                    return Err(wrong(
                        number,
                        "a title stands among the positions; a position begins with '## '",
                    ));
                }
                title.clone_into(&mut playbook.title);
            } else if let Some(draft) = &mut draft {
                draft.line(line, number)?;
            } else if label_of(line).is_some() {
                return Err(wrong(
                    number,
                    "this stands before the first position; begin one with '## Clause'",
                ));
            }
        }
        if let Some(done) = draft {
            playbook.add(done)?;
        }
        if playbook.positions.is_empty() {
            let end = text.lines().count().max(1);
            return Err(wrong(
                end,
                "there is no position; one begins with '## Clause' and has a 'Standard:'",
            ));
        }
        Ok(playbook)
    }

    fn add(&mut self, draft: PositionBuilder) -> Result<(), PlaybookError> {
        let position = draft.end()?;
        let is_same = |known: &&PlaybookPosition| known.name.eq_ignore_ascii_case(&position.name);
        if let Some(known) = self.positions.iter().find(is_same) {
            let problem =
                format!("'{}' stands on line {} already; give it another name", position.name, known.line);
            return Err(wrong(position.line, problem));
        }
        if self.positions.len() == MOST {
            return Err(wrong(
                position.line,
                format!("a playbook has at most {MOST} positions; make two of it"),
            ));
        }
        self.positions.push(position);
        Ok(())
    }
}

impl PositionBuilder {
    fn begin(name: &str, line: usize) -> Result<Self, PlaybookError> {
        let name = name.trim_end_matches('#').trim();
        if name.is_empty() {
            return Err(wrong(line, "the clause has no name; write '## Term'"));
        }
        let position = PlaybookPosition { name: name.to_owned(), line, ..PlaybookPosition::default() };
        Ok(Self { position, ..Self::default() })
    }

    fn line(&mut self, line: &str, number: usize) -> Result<(), PlaybookError> {
        if let Some((word, rest)) = label_of(line) {
            let label = known(word).ok_or_else(|| unknown(word, number))?;
            if self.seen.contains(&label) {
                return Err(wrong(
                    number,
                    format!("'{label}:' stands twice in '{}'; join them", self.position.name),
                ));
            }
            self.seen.push(label);
            self.open = Some(label);
            self.text(label).push_str(rest);
            return Ok(());
        }
        match (self.open, line.is_empty()) {
            (None, true) => Ok(()),
            // Text without a label explains the position to people.
            (None, false) if self.seen.is_empty() => Ok(()),
            (None, false) => Err(wrong(
                number,
                "this belongs to no label; begin it with 'Standard:', 'Fallback:' or 'Never:'",
            )),
            (Some(label), false) => {
                let text = self.text(label);
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push(' ');
                }
                text.push_str(line);
                Ok(())
            }
            // A list or a further paragraph of the same label may follow.
            (Some(label), true) => {
                let text = self.text(label);
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                Ok(())
            }
        }
    }

    fn text(&mut self, label: &str) -> &mut String {
        match label {
            "Standard" => &mut self.position.standard,
            "Fallback" => &mut self.position.fallback,
            "Never" => &mut self.position.never,
            "Also" => {
                if self.position.also.is_empty() {
                    self.position.also.push(String::new());
                }
                // One text until the position ends.
                match self.position.also.first_mut() {
                    Some(text) => text,
                    None => &mut self.missing,
                }
            }
            _ => &mut self.missing,
        }
    }

    fn end(mut self) -> Result<PlaybookPosition, PlaybookError> {
        let line = self.position.line;
        for label in self.seen.clone() {
            let text = self.text(label);
            *text = text.trim().to_owned();
            if text.is_empty() {
                return Err(wrong(
                    line,
                    format!("'{label}:' of '{}' says nothing; leave it out", self.position.name),
                ));
            }
        }
        let Self { mut position, missing, .. } = self;
        if position.standard.is_empty() {
            return Err(wrong(line, format!("'{}' has no 'Standard:'; say what is wanted", position.name)));
        }
        let also = position.also.join(";");
        position.also = also
            .split([';', '\n'])
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        let said = missing.to_lowercase();
        let said = said.trim_end_matches('.');
        let Some((_, may_be_missing)) = MAY_BE_MISSING.iter().find(|(words, _)| *words == said) else {
            let problem = format!("'Missing:' of '{}' is 'acceptable' or 'not acceptable'", position.name);
            return Err(wrong(line, problem));
        };
        position.may_be_missing = *may_be_missing;
        position.never_words = quoted(&position.never);
        Ok(position)
    }
}

/// The text of a heading of that depth. The blank behind the signs is often left out.
fn heading(line: &str, depth: usize) -> Option<&str> {
    let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
    (hashes == depth).then(|| line.get(hashes..).unwrap_or_default().trim())
}

/// A label at the beginning of a line, and what follows it. It may be bold, a deeper heading, or an item of a list; where the word is a label
/// and no other, a dash may stand for the colon, or the word alone in its line.
fn label_of(line: &str) -> Option<(&str, &str)> {
    let bare = line.trim_start_matches(['#', '-', '*', '+', '>', ' ', '\t']);
    let end = bare.find(|letter: char| !letter.is_alphabetic()).unwrap_or(bare.len());
    let (word, rest) = bare.split_at_checked(end)?;
    let rest = rest.strip_prefix("**").unwrap_or(rest).trim_start();
    let is_plain = bare.len() == line.len() || line.starts_with("**");
    if let Some(rest) = rest.strip_prefix(':') {
        let rest = rest.strip_prefix("**").unwrap_or(rest);
        let is_label = known(word).is_some() || (is_plain && is_like_a_label(word));
        return is_label.then(|| (word, rest.trim()));
    }
    // A sentence may begin with such a word, too; hardly ever with a capital and one of these behind it.
    let is_capital = word.starts_with(char::is_uppercase) && known(word).is_some();
    let rest = match rest.strip_prefix(['-', '–', '—']) {
        Some(said) if said.starts_with(' ') => said,
        _ if rest.is_empty() => rest,
        _ => return None,
    };
    is_capital.then(|| (word, rest.trim()))
}

/// The label that a word is.
fn known(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let english = LABELS.iter().copied().find(|label| label.to_lowercase() == word);
    english.or_else(|| {
        IN_GERMAN.iter().find(|(german, _)| german.to_lowercase() == word).map(|(_, label)| *label)
    })
}

/// Whether a word is a label or one that is misspelt, and not the beginning of a sentence.
fn is_like_a_label(word: &str) -> bool {
    let word = word.to_lowercase();
    LABELS.iter().any(|label| strsim::damerau_levenshtein(&word, &label.to_lowercase()) <= 2)
}

fn unknown(word: &str, number: usize) -> PlaybookError {
    let near = LABELS.iter().max_by(|one, other| {
        let score = |label: &str| strsim::jaro_winkler(&word.to_lowercase(), &label.to_lowercase());
        score(one).total_cmp(&score(other))
    });
    wrong(number, format!("there is no label '{word}:'; do you mean '{}:'?", near.unwrap_or(&"Standard")))
}

/// What stands in double quotes, straight, curly or pointed.
fn quoted(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut open: Option<String> = None;
    for letter in text.chars() {
        match (letter, &mut open) {
            ('"' | '“' | '”' | '„' | '»' | '«', Some(word)) => {
                let word = word.trim().to_owned();
                if word.chars().count() > 1 && !words.contains(&word) {
                    words.push(word);
                }
                open = None;
            }
            ('"' | '“' | '„' | '»' | '«', None) => open = Some(String::new()),
            (letter, Some(word)) => word.push(letter),
            (_, None) => {}
        }
    }
    words
}

fn wrong(line: usize, problem: impl Into<String>) -> PlaybookError {
    PlaybookError { line, problem: problem.into() }
}
