//! Which files an answer says that it made, so that a person is told of those that are not there.
//!
//! Must never decide whether a run is a success, nor take a file that was only read for one that was made.

use engross_artifacts::Manifest;
use serde::{Deserialize, Serialize};

/// How many names are kept of a request, and told of an answer.
const MOST: usize = 200;

/// Extensions of what people call files in a sentence.
const DOCUMENTS: &[&str] = &[
    "pdf", "docx", "doc", "odt", "rtf", "xlsx", "xls", "ods", "csv", "tsv", "pptx", "ppt", "odp", "md",
    "txt", "json", "html", "htm", "xml", "yaml", "yml", "toml", "png", "jpg", "jpeg", "gif", "svg", "webp",
    "mp3", "mp4", "wav", "mov", "webm", "zip", "tar", "gz", "epub", "tex", "ics", "sql", "log",
];

/// Extensions that stand in ordinary words, too, such as in `node.js`: only in quotes they name a file.
const CODE: &[&str] = &[
    "py", "js", "ts", "tsx", "jsx", "rs", "go", "java", "c", "h", "cpp", "cs", "rb", "php", "sh", "css",
    "scss", "ipynb", "r", "swift", "kt", "lua", "pl", "vue",
];

/// Words after which a name is one of something made; with an asterisk, all that begin so.
const MAKING: &[&str] = &[
    "wrote",
    "writ*",
    "creat*",
    "save*",
    "saving",
    "made",
    "make*",
    "making",
    "generate*",
    "generating",
    "produc*",
    "export*",
    "deliver*",
    "render*",
    "add",
    "added",
    "adds",
    "adding",
    "put",
    "store*",
    "storing",
    "convert*",
    "finish*",
    "complete*",
    "update*",
    "updating",
    "erstellt",
    "geschrieben",
    "gespeichert",
    "erzeugt",
    "écri*",
    "créé*",
    "enregistré*",
];

/// Words after which a name is one of something that was there.
const READING: &[&str] = &[
    "read",
    "reads",
    "reading",
    "review*",
    "open",
    "opened",
    "opens",
    "from",
    "based",
    "analyse*",
    "analysis",
    "see",
    "of",
    "attached",
    "look*",
    "per",
    "using",
    "compare*",
    "comparing",
    "parse*",
    "parsing",
    "summarise*",
    "summarize*",
    "gelesen",
    "aus",
    "lu",
];

/// The files that a request names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KnownNames {
    /// In its words.
    pub asked: Vec<String>,
    /// Those that came with it.
    pub sent: Vec<String>,
}

impl KnownNames {
    /// Whether it names none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.asked.is_empty() && self.sent.is_empty()
    }

    /// Of the person's words and what was sent along.
    pub(super) fn of<'a>(words: &str, sent: impl Iterator<Item = &'a str>) -> Self {
        let mut asked: Vec<String> =
            names(words).into_iter().map(|name| base(name.text).to_owned()).collect();
        asked.truncate(MOST);
        Self { asked, sent: sent.take(MOST).map(str::to_owned).collect() }
    }
}

/// A name in a text, and where it is.
struct NameInText<'a> {
    text: &'a str,
    at: usize,
}

/// The files that `answer` says were made and that are not in the manifest, as it names them, each once.
pub(super) fn named_only(answer: &str, known: &KnownNames, manifest: &Manifest) -> Vec<String> {
    let mut missing: Vec<String> = Vec::new();
    for name in names(answer) {
        let file = base(name.text);
        let is_same = |other: &String| other.eq_ignore_ascii_case(file);
        if known.sent.iter().any(is_same) || missing.iter().any(|told| base(told).eq_ignore_ascii_case(file))
        {
            continue;
        }
        let is_claimed = match is_made(answer, name.at) {
            Some(made) => made,
            None => !known.asked.iter().any(is_same),
        };
        if is_claimed && !manifest.files.iter().any(|made| made.label().eq_ignore_ascii_case(file)) {
            missing.push(name.text.to_owned());
            if missing.len() == MOST {
                break;
            }
        }
    }
    missing
}

fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether the words around the name at `at` say that it was made, or that it was read; `None` when they say neither. The
/// nearest word before it counts, else the nearest one behind it.
fn is_made(text: &str, at: usize) -> Option<bool> {
    let (before, behind) = text.split_at_checked(at)?;
    let ends: &[char] = &['\n', ';', '!', '?'];
    let begin = before.rfind(ends).max(before.rfind(". ")).map_or(0, |end| end + 1);
    let kind = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let is_one = |known: &&str| match known.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == **known,
        };
        if MAKING.iter().any(is_one) {
            Some(true)
        } else if READING.iter().any(is_one) {
            Some(false)
        } else {
            None
        }
    };
    let found = before.get(begin..).unwrap_or_default().split_whitespace().rev().find_map(kind);
    let end = behind.find(ends).or_else(|| behind.find(". ")).unwrap_or(behind.len());
    found.or_else(|| behind.get(..end).unwrap_or_default().split_whitespace().find_map(kind))
}

/// What looks like the name of a file, in the order of the text.
fn names(text: &str) -> Vec<NameInText<'_>> {
    let mut found: Vec<NameInText<'_>> = Vec::new();
    let mut quoted = Vec::new();
    for (open, close) in [('`', '`'), ('"', '"'), ('“', '”'), ('(', ')')] {
        let mut from = 0;
        while let Some(start) =
            text.get(from..).and_then(|rest| rest.find(open)).map(|at| from + at + open.len_utf8())
        {
            let Some(length) = text.get(start..).and_then(|rest| rest.find(close)) else { break };
            let inner = text.get(start..start + length).unwrap_or_default();
            if inner.len() <= 300 && !inner.contains('\n') {
                if open != '(' && is_file(inner, true) {
                    found.push(NameInText { text: inner, at: start });
                }
                quoted.push(start..start + length);
            }
            from = start + length + close.len_utf8();
        }
    }
    let taken: Vec<_> = found.iter().map(|name| name.at..name.at + name.text.len()).collect();
    let mut at = 0;
    for word in
        text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '<' | '>' | '|'))
    {
        let begin = at;
        at += word.len()
            + text.get(at + word.len()..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let plain = word.trim_start_matches(['"', '\'', '`', '*', '_', '“', ',']);
        let start = begin + (word.len() - plain.len());
        let plain =
            plain.trim_end_matches(['.', ',', ';', ':', '!', '?', '"', '\'', '`', '*', '_', '”', '…']);
        if is_file(plain, false) && !taken.iter().any(|range| range.contains(&start)) {
            found.push(NameInText { text: plain, at: start });
        }
    }
    found.sort_by_key(|name| name.at);
    found
}

fn is_file(text: &str, is_quoted: bool) -> bool {
    let name = base(text);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let extension = extension.to_lowercase();
    !text.contains("://")
        && !text.contains(['*', '?', '$', '{', '\n', '`', '"', '“', '”'])
        && stem.chars().any(char::is_alphanumeric)
        && (DOCUMENTS.contains(&extension.as_str()) || (is_quoted && CODE.contains(&extension.as_str())))
        && !(is_quoted && text.split_whitespace().count() > 8)
}
