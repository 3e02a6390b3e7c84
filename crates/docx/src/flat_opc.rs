//! Flat OPC: a package as one XML file (`pkg:package`), as Word's add-ins exchange it and as Word saves "Word XML".
//!
//! Both directions keep every part: what is XML stands as XML, what is not as Base64. Content types stand at the parts instead of in a
//! part of their own. Must never do more than change the container: no part's text is read.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use engross_xml::{Document, Limits as XmlLimits, NodeId, NodeKind, escape_attribute};

use crate::error::Error;
use crate::limits::Limits;
use crate::names::{
    PKG_BINARY_DATA, PKG_CONTENT_TYPE, PKG_NAME, PKG_PACKAGE, PKG_PART, PKG_URI, PKG_XML_DATA, VOCABULARY,
};
use crate::package::{self, Package};
use crate::parts::{ContentTypes, TYPES_PART};

/// How much of the beginning is looked at.
const HEAD: usize = 4096;
/// A zip archive without entries.
pub(crate) const EMPTY_ARCHIVE: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
const RELATIONSHIPS_TYPE: &str = "application/vnd.openxmlformats-package.relationships+xml";
/// Characters of a line of Base64.
const LINE: usize = 76;
/// The name that errors have for the file itself.
const WHOLE: &str = "the Flat OPC file";

/// Base64 with or without its padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Whether bytes are a package as one XML file.
///
/// ```
/// assert!(engross_docx::is_flat_opc(
///     b"<?xml version=\"1.0\"?><pkg:package xmlns:pkg=\"http://schemas.microsoft.com/office/2006/xmlPackage\"/>"
/// ));
/// assert!(!engross_docx::is_flat_opc(b"PK\x03\x04"));
/// ```
#[must_use]
pub fn is_flat_opc(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let start = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let wide = || head.iter().copied().filter(|byte| *byte != 0).collect::<Vec<u8>>();
    match start.first() {
        Some(b'<') if start.get(1) != Some(&0) => memchr::memmem::find(head, PKG_URI.as_bytes()).is_some(),
        // UTF-16, as some programs hand it over.
        Some(0xFF | 0xFE | b'<' | 0) => memchr::memmem::find(&wide(), PKG_URI.as_bytes()).is_some(),
        _ => false,
    }
}

/// A package as one XML file.
///
/// # Errors
/// When the bytes are no package, or a part cannot be read.
pub fn flat_opc(package: Vec<u8>, limits: &Limits) -> Result<Vec<u8>, Error> {
    let package = Package::open(package, &limits.package)?;
    let types = ContentTypes::parse(&package, &limits.xml)?;
    let mut out = Vec::with_capacity(package.source().len() * 4);
    out.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
    out.extend_from_slice(b"<?mso-application progid=\"Word.Document\"?>\n<pkg:package xmlns:pkg=\"");
    out.extend_from_slice(PKG_URI.as_bytes());
    out.extend_from_slice(b"\">");
    for name in package.names().filter(|name| !name.eq_ignore_ascii_case(TYPES_PART)) {
        let bytes = package.part(name)?;
        let kind = types.of(name).unwrap_or("application/octet-stream");
        let is_xml = kind.ends_with("+xml") || kind.ends_with("/xml");
        let xml = if is_xml { xml_of(bytes.to_vec(), &limits.xml) } else { None };
        out.extend_from_slice(b"<pkg:part pkg:name=\"/");
        out.extend_from_slice(escape_attribute(name).as_bytes());
        out.extend_from_slice(b"\" pkg:contentType=\"");
        out.extend_from_slice(escape_attribute(kind).as_bytes());
        match xml {
            Some(xml) => {
                out.extend_from_slice(b"\"><pkg:xmlData>");
                out.extend_from_slice(&xml);
                out.extend_from_slice(b"</pkg:xmlData></pkg:part>");
            }
            None => {
                out.extend_from_slice(b"\" pkg:compression=\"store\"><pkg:binaryData>");
                for line in BASE64.encode(&bytes).as_bytes().chunks(LINE) {
                    out.extend_from_slice(line);
                    out.push(b'\n');
                }
                out.extend_from_slice(b"</pkg:binaryData></pkg:part>");
            }
        }
    }
    out.extend_from_slice(b"</pkg:package>");
    Ok(out)
}

/// The root element of a part as UTF-8; nothing where that is not all it says, or where it is no XML.
fn xml_of(bytes: Vec<u8>, limits: &XmlLimits) -> Option<Vec<u8>> {
    let document = Document::parse(bytes, &VOCABULARY, limits).ok()?;
    let is_alone = |node: NodeId| {
        node == document.root() || document.kind(node) != NodeKind::Instruction || {
            let text = document.source(node).unwrap_or_default();
            text.starts_with("<?xml ") || text.starts_with("<?mso-")
        }
    };
    document.children(document.document_node()).all(is_alone).then(|| document.write_node(document.root()))
}

/// The package that one XML file holds, as a zip archive.
///
/// # Errors
/// When it is not well-formed, holds no package, or passes a limit.
pub(crate) fn package_of(flat: Vec<u8>, limits: &Limits) -> Result<Vec<u8>, Error> {
    let wrong = |source| Error::Xml { part: WHOLE.to_owned(), source };
    let tree = Document::parse(flat, &VOCABULARY, &limits.xml).map_err(wrong)?;
    let root = tree.root();
    if tree.name(root) != PKG_PACKAGE {
        let root = tree.qualified_name(root).to_owned();
        return Err(Error::NotWordprocessing { part: WHOLE.to_owned(), root });
    }
    let mut package = Package::open(EMPTY_ARCHIVE.to_vec(), &limits.package)?;
    let mut types = Types::default();
    let mut contents: Vec<(String, Vec<u8>)> = Vec::new();
    for part in tree.children(root).filter(|node| tree.name(*node) == PKG_PART) {
        let name = tree.attribute(part, PKG_NAME).unwrap_or_default();
        let name = name.trim_start_matches('/').to_owned();
        if name.is_empty() || name.eq_ignore_ascii_case(TYPES_PART) {
            continue;
        }
        let kind = tree.attribute(part, PKG_CONTENT_TYPE).unwrap_or_default();
        types.declare(&name, &kind);
        let bytes = match (tree.child(part, PKG_XML_DATA), tree.child(part, PKG_BINARY_DATA)) {
            (Some(data), _) => xml_part(&tree, data),
            (None, Some(data)) => {
                let text: String = tree.element_text(data).split_ascii_whitespace().collect();
                let what = || format!("the part '{name}' is no Base64");
                BASE64.decode(text).map_err(|_| package::Error::Damaged { what: what() })?
            }
            (None, None) => Vec::new(),
        };
        contents.push((name, bytes));
    }
    package.set_part(TYPES_PART, types.finish());
    for (name, bytes) in contents {
        package.set_part(&name, bytes);
    }
    Ok(package.write()?)
}

/// The root element in `pkg:xmlData` as a part, with what is declared above it.
fn xml_part(tree: &Document, data: NodeId) -> Vec<u8> {
    let mut out = b"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n".to_vec();
    let Some(root) = tree.children(data).find(|node| tree.kind(*node) == NodeKind::Element) else {
        return out;
    };
    let written = tree.write_node(root);
    let mut declared: Vec<&str> = declarations(tree, root).map(|(name, _)| name).collect();
    let mut missing = String::new();
    for above in tree.ancestors(root) {
        for (name, value) in declarations(tree, above) {
            if !declared.contains(&name) && value != PKG_URI {
                let quote = if value.contains('"') { '\'' } else { '"' };
                missing.push_str(&format!(" {name}={quote}{value}{quote}"));
            }
            declared.push(name);
        }
    }
    let name = tree.qualified_name(root).len() + 1;
    let (start, rest) = written.split_at_checked(name).unwrap_or((&written, &[]));
    out.extend_from_slice(start);
    out.extend_from_slice(missing.as_bytes());
    out.extend_from_slice(rest);
    out
}

/// The namespaces that an element declares, with their addresses as written.
fn declarations(tree: &Document, node: NodeId) -> impl Iterator<Item = (&str, &str)> {
    let all = tree.raw_attributes(node);
    all.filter(|(_, name, _)| *name == "xmlns" || name.starts_with("xmlns:"))
        .map(|(_, name, value)| (name, value))
}

/// The part of content types under way.
#[derive(Default)]
pub(crate) struct Types(String);

impl Types {
    pub(crate) fn declare(&mut self, name: &str, kind: &str) {
        if kind != RELATIONSHIPS_TYPE && !kind.is_empty() {
            let (name, kind) = (escape_attribute(name), escape_attribute(kind));
            self.0.push_str(&format!("<Override PartName=\"/{name}\" ContentType=\"{kind}\"/>"));
        }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        let types = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<Types \
             xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"rels\" \
             ContentType=\"{RELATIONSHIPS_TYPE}\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/>{}</Types>",
            self.0
        );
        types.into_bytes()
    }
}
