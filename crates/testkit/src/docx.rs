//! Small Word documents for tests, written out as XML fragments.
//!
//! The same calls give the same bytes. Must never check what it is given: broken documents are made with it too.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// The namespace declarations that every part gets: `w`, `w14`, `w15`, `r`, `mc`, `m`, `wp`, `a`, `wps`, `v`.
pub const NAMESPACES: &str = concat!(
    r#"xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main""#,
    r#" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships""#,
    r#" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006""#,
    r#" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math""#,
    r#" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing""#,
    r#" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main""#,
    r#" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape""#,
    r#" xmlns:v="urn:schemas-microsoft-com:vml""#,
    r#" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml""#,
    r#" xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml""#,
    r#" mc:Ignorable="w14 w15""#,
);

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml";

/// Builds a document from fragments.
///
/// ```
/// let bytes = engross_testkit::docx::DocxBuilder::new().body("<w:p><w:r><w:t>Hello</w:t></w:r></w:p>").build();
/// assert!(bytes.starts_with(b"PK"));
/// ```
#[derive(Debug, Clone)]
pub struct DocxBuilder {
    main: String,
    body: String,
    parts: Vec<(String, Vec<u8>)>,
    overrides: Vec<(String, String)>,
    relationships: Vec<String>,
    left_out: Vec<String>,
}

impl Default for DocxBuilder {
    fn default() -> Self {
        Self {
            main: "word/document.xml".to_owned(),
            body: String::new(),
            parts: Vec::new(),
            overrides: Vec::new(),
            relationships: Vec::new(),
            left_out: Vec::new(),
        }
    }
}

impl DocxBuilder {
    /// A document with an empty body and no other parts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds to the body. Prefixes of [`NAMESPACES`] may be used.
    #[must_use]
    pub fn body(mut self, xml: &str) -> Self {
        self.body.push_str(xml);
        self
    }

    /// Adds a plain paragraph to the body; `text` is escaped.
    #[must_use]
    pub fn paragraph(self, text: &str) -> Self {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.body(&format!("<w:p><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>"))
    }

    /// Names the main part; `word/document.xml` without. Call it first: other parts are put beside it.
    #[must_use]
    pub fn main_name(mut self, name: &str) -> Self {
        self.main = name.to_owned();
        self
    }

    /// Gives the styles part: `<w:style>` elements.
    #[must_use]
    pub fn styles(self, xml: &str) -> Self {
        self.word_part("styles", &format!("<w:styles {NAMESPACES}>{xml}</w:styles>"))
    }

    /// Gives the numbering part: `<w:abstractNum>` and `<w:num>` elements.
    #[must_use]
    pub fn numbering(self, xml: &str) -> Self {
        self.word_part("numbering", &format!("<w:numbering {NAMESPACES}>{xml}</w:numbering>"))
    }

    /// Gives the settings part: what stands in `<w:settings>`.
    #[must_use]
    pub fn settings(self, xml: &str) -> Self {
        self.word_part("settings", &format!("<w:settings {NAMESPACES}>{xml}</w:settings>"))
    }

    /// Gives the comments part: `<w:comment>` elements.
    #[must_use]
    pub fn comments(self, xml: &str) -> Self {
        self.word_part("comments", &format!("<w:comments {NAMESPACES}>{xml}</w:comments>"))
    }

    /// Gives the footnotes part: `<w:footnote>` elements.
    #[must_use]
    pub fn footnotes(self, xml: &str) -> Self {
        self.word_part("footnotes", &format!("<w:footnotes {NAMESPACES}>{xml}</w:footnotes>"))
    }

    /// Gives the endnotes part: `<w:endnote>` elements.
    #[must_use]
    pub fn endnotes(self, xml: &str) -> Self {
        self.word_part("endnotes", &format!("<w:endnotes {NAMESPACES}>{xml}</w:endnotes>"))
    }

    /// Adds a header part that `<w:headerReference r:id="ID"/>` means.
    #[must_use]
    pub fn header(self, id: &str, xml: &str) -> Self {
        let root = format!("<w:hdr {NAMESPACES}>{xml}</w:hdr>");
        self.related(id, "header", &format!("header-{id}.xml"), &root)
    }

    /// Adds a footer part that `<w:footerReference r:id="ID"/>` means.
    #[must_use]
    pub fn footer(self, id: &str, xml: &str) -> Self {
        let root = format!("<w:ftr {NAMESPACES}>{xml}</w:ftr>");
        self.related(id, "footer", &format!("footer-{id}.xml"), &root)
    }

    /// Adds an XML part beside the main part, with a relationship and a content type of that kind (`header`, …).
    #[must_use]
    pub fn related(self, id: &str, kind: &str, file: &str, xml: &str) -> Self {
        let name = self.beside_main(file);
        self.part(&name, format!("{DECLARATION}{xml}"))
            .content_type(&name, &format!("{WORD}.{kind}+xml"))
            .relationship(id, kind, file)
    }

    /// Adds a part, or takes the place of one that would be made, such as `[Content_Types].xml`. Nothing else
    /// is said of it: see [`Self::content_type`] and [`Self::relationship`].
    #[must_use]
    pub fn part(mut self, name: &str, content: impl Into<Vec<u8>>) -> Self {
        self.parts.retain(|(known, _)| known != name);
        self.parts.push((name.to_owned(), content.into()));
        self
    }

    /// Gives a part a content type of its own.
    #[must_use]
    pub fn content_type(mut self, part: &str, kind: &str) -> Self {
        self.overrides.retain(|(known, _)| known != part);
        self.overrides.push((part.to_owned(), kind.to_owned()));
        self
    }

    /// Adds a relationship of the main part. `kind` is the last step of its type.
    #[must_use]
    pub fn relationship(mut self, id: &str, kind: &str, target: &str) -> Self {
        let (id, target) = (attribute(id), attribute(target));
        self.relationships
            .push(format!("<Relationship Id=\"{id}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/>"));
        self
    }

    /// Adds a relationship of the main part that leads out of the package, such as a link.
    #[must_use]
    pub fn external(mut self, id: &str, kind: &str, address: &str) -> Self {
        let (id, address) = (attribute(id), attribute(address));
        self.relationships.push(format!(
            "<Relationship Id=\"{id}\" Type=\"{OFFICE}/{kind}\" Target=\"{address}\" TargetMode=\"External\"/>"
        ));
        self
    }

    /// Leaves out a part that would be made.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.left_out.push(name.to_owned());
        self
    }

    /// The XML of the main part.
    #[must_use]
    pub fn main_xml(&self) -> String {
        format!("{DECLARATION}<w:document {NAMESPACES}><w:body>{}</w:body></w:document>", self.body)
    }

    /// The file.
    ///
    /// # Panics
    /// When a part's name cannot stand in a zip archive.
    #[must_use]
    #[expect(clippy::expect_used, reason = "test support: a document that cannot be built is a broken test")]
    pub fn build(&self) -> Vec<u8> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default());
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in self.all_parts() {
            archive.start_file(name, options).expect("the name of a part");
            archive.write_all(&content).expect("memory to write to");
        }
        archive.finish().expect("memory to write to").into_inner()
    }

    fn word_part(self, kind: &str, xml: &str) -> Self {
        self.related(&format!("rel-{kind}"), kind, &format!("{kind}.xml"), xml)
    }

    /// Made parts in the order in which Word writes them, then the others as they were given.
    fn all_parts(&self) -> Vec<(String, Vec<u8>)> {
        let mut made = vec![
            ("[Content_Types].xml".to_owned(), self.content_types()),
            ("_rels/.rels".to_owned(), self.package_relationships()),
            (self.main.clone(), self.main_xml()),
        ];
        if !self.relationships.is_empty() {
            let (folder, file) = self.main.rsplit_once('/').unwrap_or(("", &self.main));
            let separator = if folder.is_empty() { "" } else { "/" };
            let content = relationships(&self.relationships.concat());
            made.push((format!("{folder}{separator}_rels/{file}.rels"), content));
        }
        let given = |name: &str| self.parts.iter().any(|(known, _)| known == name);
        let mut all: Vec<(String, Vec<u8>)> = made
            .into_iter()
            .filter(|(name, _)| !given(name))
            .map(|(name, content)| (name, content.into_bytes()))
            .collect();
        all.extend(self.parts.iter().cloned());
        all.retain(|(name, _)| !self.left_out.contains(name));
        all
    }

    fn content_types(&self) -> String {
        let mut types = format!(
            "<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
             <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
             <Default Extension=\"png\" ContentType=\"image/png\"/>\
             <Override PartName=\"/{}\" ContentType=\"{WORD}.document.main+xml\"/>",
            attribute(&self.main)
        );
        for (part, kind) in &self.overrides {
            let (part, kind) = (attribute(part), attribute(kind));
            types.push_str(&format!("<Override PartName=\"/{part}\" ContentType=\"{kind}\"/>"));
        }
        format!("{DECLARATION}<Types xmlns=\"{PACKAGE}/content-types\">{types}</Types>")
    }

    fn package_relationships(&self) -> String {
        let main = attribute(&self.main);
        relationships(&format!(
            "<Relationship Id=\"rId1\" Type=\"{OFFICE}/officeDocument\" Target=\"{main}\"/>"
        ))
    }

    fn beside_main(&self, file: &str) -> String {
        self.main.rsplit_once('/').map_or_else(|| file.to_owned(), |(folder, _)| format!("{folder}/{file}"))
    }
}

fn relationships(xml: &str) -> String {
    format!("{DECLARATION}<Relationships xmlns=\"{PACKAGE}/relationships\">{xml}</Relationships>")
}

fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
