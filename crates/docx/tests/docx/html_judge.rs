//! Reads the view of a document as a browser's strictest reader would: every element, attribute and address must be one that is known
//! to be harmless, and stand where HTML lets it stand. Shares no code with the writer.

use std::collections::{BTreeMap, BTreeSet};

/// Elements that hold nothing.
const VOID: [&str; 4] = ["br", "img", "meta", "wbr"];
/// Elements that stand in text.
const INLINE: [&str; 21] = [
    "a",
    "b",
    "bdi",
    "bdo",
    "br",
    "code",
    "del",
    "i",
    "img",
    "ins",
    "rt",
    "ruby",
    "s",
    "span",
    "sub",
    "sup",
    "time",
    "u",
    "caption",
    "blockquote",
    "title",
];
/// Elements that stand beside each other.
const BLOCKS: [&str; 18] = [
    "article", "aside", "div", "h1", "h2", "h3", "h4", "h5", "h6", "p", "section", "table", "tbody", "td",
    "th", "tr", "main", "style",
];
const PAGE: [&str; 4] = ["html", "head", "body", "meta"];

const ATTRIBUTES: [&str; 27] = [
    "alt",
    "aria-label",
    "aria-level",
    "class",
    "colspan",
    "data-address",
    "data-at",
    "data-author",
    "data-comment",
    "data-control",
    "data-field",
    "data-kind",
    "data-picture",
    "data-revision",
    "data-story",
    "data-view",
    "datetime",
    "dir",
    "height",
    "href",
    "id",
    "lang",
    "rel",
    "role",
    "rowspan",
    "target",
    "title",
];

/// What a view shows.
#[derive(Debug, Default)]
pub(crate) struct JudgedView {
    /// The text of each address, without what the view adds.
    pub(crate) texts: BTreeMap<String, String>,
    /// The text of each paragraph in order, with those that go on in it.
    pub(crate) paragraphs: Vec<String>,
    pub(crate) revisions: BTreeSet<String>,
    pub(crate) comments: BTreeSet<String>,
    pub(crate) links: BTreeSet<String>,
    pub(crate) pictures: usize,
}

struct Open {
    name: String,
    /// Whether its text is not the document's.
    is_added: bool,
    address: Option<String>,
}

/// Judges HTML; an article or a page.
pub(crate) fn judge(html: &str) -> JudgedView {
    let mut view = JudgedView::default();
    let mut open: Vec<Open> = Vec::new();
    let (mut ids, mut wanted) = (BTreeSet::new(), BTreeSet::new());
    let mut rest = html.strip_prefix("<!DOCTYPE html>\n").unwrap_or(html);
    while !rest.is_empty() {
        let (text, tag) = rest.split_once('<').unwrap_or((rest, ""));
        take_text(text, &open, &mut view);
        if tag.is_empty() {
            break;
        }
        let (tag, behind) = tag.split_once('>').unwrap();
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            let closed = open.pop().unwrap_or_else(|| panic!("</{name}> closes nothing"));
            assert_eq!(closed.name, name, "closed in the order of opening, before {}", head(rest));
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(
            INLINE.contains(&name) || BLOCKS.contains(&name) || PAGE.contains(&name) || VOID.contains(&name),
            "<{name}> is no element of a view"
        );
        let attributes = attributes_of(attributes, name);
        check_place(name, &open);
        let value = |name: &str| attributes.get(name).map(String::as_str);
        if let Some(id) = value("id") {
            assert!(ids.insert(id.to_owned()), "the id {id} is given twice");
            assert!(!id.is_empty() && !id.contains(char::is_whitespace), "{id}");
        }
        if let Some(href) = value("href") {
            if let Some(id) = href.strip_prefix('#') {
                wanted.insert(id.to_owned());
            } else {
                let lower = href.to_lowercase();
                assert!(lower.starts_with("https://") || lower.starts_with("mailto:"), "{href}");
                view.links.insert(href.to_owned());
            }
        }
        if let Some(source) = value("src") {
            let kinds = ["png", "jpeg", "gif", "webp", "bmp"];
            let is_raster = |kind: &&str| source.starts_with(&format!("data:image/{kind};base64,"));
            assert!(kinds.iter().any(is_raster), "{}", head(source));
            view.pictures += 1;
        }
        for (attribute, into) in
            [("data-revision", &mut view.revisions), ("data-comment", &mut view.comments)]
        {
            into.extend(value(attribute).map(str::to_owned));
        }
        if let Some(language) = value("lang") {
            assert!(language.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{language}");
        }
        if let Some(date) = value("datetime") {
            assert!(date.len() >= 10 && date.is_ascii() && date.as_bytes()[4] == b'-', "{date}");
        }
        let classes = value("class").unwrap_or_default();
        let has = |class: &str| classes.split(' ').any(|known| known == class);
        if name == "br" {
            take_text("\n", &open, &mut view);
        }
        if name == "style" {
            let (style, behind) = rest.split_once("</style>").unwrap();
            assert_eq!(style, engross_docx::html::STYLESHEET);
            rest = behind;
            continue;
        }
        if VOID.contains(&name) {
            continue;
        }
        if matches!(name, "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6") && !has("generated") {
            view.paragraphs.push(String::new());
        }
        let address = value("data-address").map(str::to_owned);
        if let Some(address) = &address {
            let known = view.texts.insert(address.clone(), String::new());
            assert!(known.is_none(), "{address} is shown twice");
        }
        open.push(Open {
            name: name.to_owned(),
            is_added: has("generated") || has("object") || name == "title" || name == "blockquote",
            address,
        });
    }
    assert!(open.is_empty(), "{:?} is open at the end", open.last().map(|open| &open.name));
    // Without its revisions a document may have lost the paragraph that a link leads to.
    let is_lost = |id: &&String| {
        !html.contains("data-view=\"markup\"") && id.trim_start_matches("left-").starts_with('P')
    };
    let missing: Vec<&String> = wanted.difference(&ids).filter(|id| !is_lost(id)).collect();
    assert!(missing.is_empty(), "links lead to {missing:?}, which are not there");
    view
}

fn head(text: &str) -> String {
    text.chars().take(60).collect()
}

fn take_text(text: &str, open: &[Open], view: &mut JudgedView) {
    assert!(!text.contains('>'), "an unescaped >: {}", head(text));
    if open.iter().any(|open| open.is_added) {
        return;
    }
    let text = unescaped(text);
    let Some(at) = open.iter().rposition(|open| open.address.is_some()) else {
        assert!(
            text.trim().is_empty() || open.iter().any(|open| open.name == "p" || open.name.starts_with('h')),
            "text outside paragraphs: {}",
            head(&text)
        );
        if let Some(last) = view
            .paragraphs
            .last_mut()
            .filter(|_| open.iter().any(|open| open.name == "p" || open.name.starts_with('h')))
        {
            last.push_str(&text);
        }
        return;
    };
    // White space between elements of a table or a box is not text.
    if let Some(address) = open.get(at).and_then(|open| open.address.as_ref())
        && let Some(known) = view.texts.get_mut(address)
    {
        known.push_str(&text);
    }
    if let Some(last) = view.paragraphs.last_mut() {
        last.push_str(&text);
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let (name, behind) = after.split_once(';').unwrap();
        out.push_str(match name {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "#39" => "'",
            "shy" => "",
            other => panic!("&{other}; is no reference of a view"),
        });
        rest = behind;
    }
    out.push_str(rest);
    out
}

fn attributes_of(text: &str, element: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut rest = text.trim_end();
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"").unwrap_or_else(|| panic!("<{element} {rest}>"));
        let (value, behind) = after.split_once('"').unwrap();
        let is_known = ATTRIBUTES.contains(&name)
            || element == "img" && matches!(name, "src" | "width" | "height")
            || element == "meta" && matches!(name, "charset" | "http-equiv" | "content" | "name");
        assert!(is_known, "{name} is no attribute of a view");
        assert!(!value.contains('<'), "{value}");
        assert!(found.insert(name.to_owned(), unescaped(value)).is_none(), "{name} twice");
        rest = behind.strip_prefix(' ').unwrap_or(behind);
    }
    found
}

/// Whether HTML lets an element stand where it stands.
fn check_place(name: &str, open: &[Open]) {
    let parent = open.last().map_or("", |open| open.name.as_str());
    let is_phrasing = |name: &str| INLINE.contains(&name) && name != "blockquote" && name != "caption";
    let in_text = is_phrasing(parent) || matches!(parent, "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
    if in_text {
        assert!(is_phrasing(name), "<{name}> within <{parent}>");
    }
    let within = |wanted: &str| open.iter().any(|open| open.name == wanted);
    match name {
        "a" => assert!(!within("a"), "a link in a link"),
        "tr" => assert_eq!(parent, "tbody"),
        "td" | "th" => assert_eq!(parent, "tr"),
        "tbody" | "caption" => assert_eq!(parent, "table"),
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => assert!(!within("th"), "a heading in a header cell"),
        _ if is_phrasing(name) && name != "title" => {
            assert!(in_text || matches!(parent, "td" | "th" | "caption"), "<{name}> within <{parent}>");
        }
        _ => {}
    }
    match parent {
        "table" => assert!(matches!(name, "tbody" | "caption"), "<{name}> in a table"),
        "tbody" => assert_eq!(name, "tr"),
        "tr" => assert!(matches!(name, "td" | "th")),
        _ => {}
    }
}
