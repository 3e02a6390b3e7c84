//! The tags and entities of HTML that people and models write into Markdown.
//!
//! Must never take a placeholder for a tag: `<Name of Party>`, `a < b` and `<Address>` are text.

/// A tag of a known element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag {
    /// In lower case; `!--` for a comment.
    pub(super) name: String,
    pub(super) closes: bool,
    attributes: String,
    /// Bytes from `<` to behind `>`.
    pub(super) length: usize,
}

/// Elements that inline content knows.
const INLINE: &[&str] = &[
    "b", "strong", "i", "em", "u", "ins", "s", "strike", "del", "mark", "sub", "sup", "code", "a", "span",
    "br", "img",
];

/// Elements that blocks are made of.
const BLOCKS: &[&str] = &[
    "p",
    "div",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "table",
    "thead",
    "tbody",
    "tfoot",
    "tr",
    "td",
    "th",
    "blockquote",
    "hr",
    "pre",
    "caption",
];

/// Elements of HTML that no document takes.
const REFUSED: &[&str] = &[
    "abbr",
    "acronym",
    "address",
    "applet",
    "area",
    "article",
    "aside",
    "audio",
    "base",
    "bdi",
    "bdo",
    "big",
    "body",
    "button",
    "canvas",
    "center",
    "cite",
    "col",
    "colgroup",
    "data",
    "datalist",
    "dd",
    "details",
    "dfn",
    "dialog",
    "dir",
    "dl",
    "dt",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "frameset",
    "head",
    "header",
    "hgroup",
    "html",
    "iframe",
    "input",
    "kbd",
    "label",
    "legend",
    "link",
    "main",
    "map",
    "math",
    "menu",
    "meta",
    "meter",
    "nav",
    "noscript",
    "object",
    "optgroup",
    "option",
    "output",
    "param",
    "picture",
    "progress",
    "q",
    "rp",
    "rt",
    "ruby",
    "samp",
    "script",
    "section",
    "select",
    "small",
    "source",
    "style",
    "summary",
    "svg",
    "template",
    "textarea",
    "tfoot",
    "time",
    "title",
    "track",
    "tt",
    "var",
    "video",
    "wbr",
];

/// Elements without an end.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];

impl Tag {
    /// The value of an attribute, with its entities read.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        let mut rest = self.attributes.as_str();
        while let Some(at) = rest.find('=') {
            let key = rest.get(..at)?.trim().rsplit(char::is_whitespace).next().unwrap_or_default();
            let behind = rest.get(at + 1..)?.trim_start();
            let (value, after) = match behind.chars().next() {
                Some(quote @ ('"' | '\'')) => behind.get(1..)?.split_once(quote)?,
                _ => behind.split_at(behind.find(char::is_whitespace).unwrap_or(behind.len())),
            };
            if key.eq_ignore_ascii_case(name) {
                return Some(without_entities(value));
            }
            rest = after;
        }
        None
    }

    /// All that stands behind the name, or in the comment.
    pub(super) fn attribute_text(&self) -> &str {
        &self.attributes
    }

    pub(super) fn is_block(&self) -> bool {
        BLOCKS.contains(&self.name.as_str())
    }

    /// Whether it begins what has no end.
    pub(super) fn is_void(&self) -> bool {
        VOID.contains(&self.name.as_str())
    }
}

/// The tag of a known element, or the comment, that begins at a byte.
pub(super) fn tag_at(source: &str, at: usize) -> Option<Tag> {
    let rest = source.get(at..)?.strip_prefix('<')?;
    if let Some(comment) = rest.strip_prefix("!--") {
        let window = comment.get(..comment.floor_char_boundary(4_000))?;
        let end = window.find("-->")?;
        let attributes = window.get(..end)?.to_owned();
        return Some(Tag { name: "!--".to_owned(), closes: false, attributes, length: end + 7 });
    }
    let (closes, body) = match rest.strip_prefix('/') {
        Some(body) => (true, body),
        None => (false, rest),
    };
    let name_length = body.bytes().take(12).take_while(u8::is_ascii_alphanumeric).count();
    let name = body.get(..name_length)?.to_ascii_lowercase();
    let is_known = |list: &[&str]| list.contains(&name.as_str());
    if !(is_known(INLINE) || is_known(BLOCKS) || is_known(REFUSED)) {
        return None;
    }
    let behind = body.get(name_length..)?;
    let window = behind.get(..behind.floor_char_boundary(2_000))?;
    let end = window.find(['>', '<']).filter(|end| window[*end..].starts_with('>'))?;
    // A blank line ends the paragraph, and the tag with it.
    if holds_blank_line(window.get(..end)?) {
        return None;
    }
    let attributes = window.get(..end)?.trim_end_matches('/').trim().to_owned();
    // Words behind a name are attributes only when one has a value: `<p and q>` is text.
    let is_tag = attributes.is_empty()
        || !closes
            && window.starts_with(char::is_whitespace)
            && (attributes.contains('=') || is_switch(&attributes));
    let length = 1 + usize::from(closes) + name_length + end + 1;
    is_tag.then_some(Tag { name, closes, attributes, length })
}

/// Whether a whole line of a text is blank.
fn holds_blank_line(text: &str) -> bool {
    let (mut lines, last) = (text.split('\n').skip(1), text.matches('\n').count());
    (1..last).any(|_| lines.next().is_some_and(|line| line.trim().is_empty()))
}

fn is_switch(attributes: &str) -> bool {
    ["checked", "disabled", "hidden", "open", "reversed"].contains(&attributes)
}

/// How many lone tags are looked up for their ends.
const MOST_LONE: usize = 100;

/// The first tag that no document takes: the tag as it is written.
pub(crate) fn unknown_tag(source: &str) -> Option<&str> {
    let (mut at, mut lone) = (0, 0);
    while let Some(offset) = source.get(at..).and_then(|rest| rest.find('<')) {
        let start = at + offset;
        at = start + 1;
        let Some(tag) = tag_at(source, start) else { continue };
        if !REFUSED.contains(&tag.name.as_str()) || super::escapes::is_escaped(source.as_bytes(), start) {
            continue;
        }
        let written = source.get(start..start + tag.length)?;
        let behind = source.get(start + tag.length..)?;
        // A lone word in angle brackets is a placeholder unless something says that it is HTML.
        let is_html = tag.closes
            || tag.is_void()
            || !tag.attributes.is_empty()
            || lone < MOST_LONE && find_ignoring_case(behind, &format!("</{}>", tag.name));
        if is_html {
            return Some(written);
        }
        lone += 1;
    }
    None
}

fn find_ignoring_case(text: &str, wanted: &str) -> bool {
    text.as_bytes().windows(wanted.len()).any(|window| window.eq_ignore_ascii_case(wanted.as_bytes()))
}

/// Named characters that are written in text.
const ENTITIES: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", "\u{a0}"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("mdash", "—"),
    ("ndash", "–"),
    ("hellip", "…"),
    ("euro", "€"),
    ("pound", "£"),
    ("sect", "§"),
    ("para", "¶"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("bull", "•"),
    ("middot", "·"),
    ("deg", "°"),
    ("times", "×"),
    ("plusmn", "±"),
    ("frac12", "½"),
    ("ensp", "\u{2002}"),
    ("emsp", "\u{2003}"),
    ("thinsp", "\u{2009}"),
    ("shy", "\u{ad}"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("rarr", "→"),
    ("larr", "←"),
    ("check", "✓"),
];

/// The character that an entity at a byte names, and the length of the entity.
pub(super) fn entity_at(source: &str, at: usize) -> Option<(String, usize)> {
    let rest = source.get(at..)?.strip_prefix('&')?;
    let end = rest.bytes().take(10).position(|byte| byte == b';')?;
    let name = rest.get(..end)?;
    let text = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            let c =
                char::from_u32(code).filter(|c| !c.is_control() && !('\u{fff0}'..='\u{ffff}').contains(c))?;
            if c == '\u{2029}' {
                return None;
            }
            c.to_string()
        }
        None => ENTITIES.iter().find(|(known, _)| *known == name)?.1.to_owned(),
    };
    Some((text, end + 2))
}

fn without_entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(offset) = text.get(at..).and_then(|rest| rest.find('&')) {
        let start = at + offset;
        out.push_str(text.get(at..start).unwrap_or_default());
        match entity_at(text, start) {
            Some((character, length)) => {
                out.push_str(&character);
                at = start + length;
            }
            None => {
                out.push('&');
                at = start + 1;
            }
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
