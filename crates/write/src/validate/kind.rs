//! Names the kind of a file by its extension, and how strictly it is validated.

use serde::{Deserialize, Serialize};

/// What findings do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValidationMode {
    /// Nothing is looked at.
    Off,
    /// They are told in the receipt.
    Warn,
    /// Errors stop the file.
    Strict,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// JSON.
    Json,
    /// One JSON value a line.
    JsonLines,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
    /// XML.
    Xml,
    /// HTML.
    Html,
    /// Values between commas.
    Csv,
    /// Values between tabs.
    Tsv,
    /// Markdown.
    Markdown,
    /// A Word document.
    Docx,
    /// Source code.
    Code(Language),
    /// Anything else.
    Text,
}

/// A language that is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Bash and POSIX shells.
    Bash,
    /// C.
    C,
    /// CSS.
    Css,
    /// Go.
    Go,
    /// Java.
    Java,
    /// JavaScript, JSX too.
    JavaScript,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// TypeScript with JSX.
    Tsx,
    /// TypeScript.
    TypeScript,
}

impl FileKind {
    /// The kind of a file by the extension of its name.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        file.rsplit_once('.').and_then(|(_, extension)| Self::of_extension(extension)).unwrap_or(Self::Text)
    }

    /// The kind that an extension or the name of a format stands for.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        let code = |language| Some(Self::Code(language));
        match extension.to_ascii_lowercase().trim_start_matches('.') {
            "json" | "geojson" | "ipynb" | "webmanifest" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "toml" => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            "xml" | "svg" | "xsd" | "xsl" | "xslt" | "rss" | "plist" => Some(Self::Xml),
            "html" | "htm" => Some(Self::Html),
            "csv" => Some(Self::Csv),
            "tsv" => Some(Self::Tsv),
            "md" | "markdown" => Some(Self::Markdown),
            "docx" => Some(Self::Docx),
            "sh" | "bash" => code(Language::Bash),
            "c" => code(Language::C),
            "css" => code(Language::Css),
            "go" => code(Language::Go),
            "java" => code(Language::Java),
            "js" | "mjs" | "cjs" | "jsx" | "javascript" => code(Language::JavaScript),
            "py" | "pyi" | "python" => code(Language::Python),
            "rs" | "rust" => code(Language::Rust),
            "tsx" => code(Language::Tsx),
            "ts" | "mts" | "cts" | "typescript" => code(Language::TypeScript),
            "txt" | "text" => Some(Self::Text),
            _ => None,
        }
    }

    /// How strictly files of this kind are looked at unless it is said.
    #[must_use]
    pub fn default_mode(self) -> ValidationMode {
        match self {
            Self::Json | Self::Toml | Self::Yaml | Self::Xml | Self::Docx => ValidationMode::Strict,
            _ => ValidationMode::Warn,
        }
    }
}
