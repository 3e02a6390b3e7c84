//! The stories, notes and comments of a document in their order, and a page around them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engross_xml::NodeId;
use sha2::{Digest, Sha256};

use super::STYLESHEET;
use super::appearance::Appearances;
use super::changes::{Authors, author_element, html_date};
use super::markup::{Markup, attribute, escape, short, short_attribute};
use super::pictures::PictureAllowance;
use super::source::{HtmlSource, PartSource};
use super::state::{Notes, ViewState, box_names};
use super::writer::StoryWriter;
use crate::document::PlacedComment;
use crate::model::View;
use crate::names::{DEL_TEXT, DRAWING, OBJECT, PICT, SYM, T};
use crate::read::StoryPart;

/// How a document is shown.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct HtmlOptions {
    /// [`View::Markup`] shows every revision, [`View::Accepted`] and [`View::Original`] what accepting and rejecting them gives.
    pub view: View,
    /// Whether it is a whole page with its style sheet; else one `article` element to be put into a page.
    pub page: bool,
    /// What the page is called.
    pub title: String,
    /// What the ids of elements begin with, so that two documents can stand in one page. ASCII letters, digits, `-` and `_`.
    pub prefix: String,
}

impl Default for HtmlOptions {
    fn default() -> Self {
        Self { view: View::Markup, page: false, title: String::new(), prefix: String::new() }
    }
}

/// The document as HTML.
pub(crate) fn write(source: &HtmlSource<'_>, options: &HtmlOptions) -> String {
    let appearances = Rc::new(Appearances::read(source.style_tree.as_deref(), source.styles));
    let mut comment_numbers = HashMap::new();
    for (at, placed) in source.comments.iter().enumerate() {
        comment_numbers.entry(placed.comment.id.clone()).or_insert(at);
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let mut state = ViewState {
        source,
        view: options.view,
        prefix: options.prefix.chars().filter(|c| is_plain(*c)).take(40).collect(),
        out: Markup::default(),
        authors: Authors::default(),
        notes: Notes {
            known: ["footnote", "endnote"].map(|kind| known_notes(source, kind)),
            ..Notes::default()
        },
        pictures: PictureAllowance::default(),
        appearances,
        comment_numbers,
        comment_ids: source.comments.iter().map(|placed| placed.comment.id.clone()).collect(),
    };
    state.body();
    let language = state.appearances.language.clone();
    let ViewState { out, authors, .. } = state;
    let mut article = format!("<article class=\"docx\" data-view=\"{}\"", view_name(options.view));
    if let Some(language) = &language {
        attribute(&mut article, "lang", language);
    }
    article.push_str(">\n");
    if options.view == View::Markup {
        article.push_str(&legend(&authors));
    }
    article.push_str(&out.finish());
    article.push_str("</article>\n");
    if options.page { page(&article, language.as_deref(), &options.title) } else { article }
}

fn known_notes(source: &HtmlSource<'_>, kind: &str) -> HashSet<String> {
    source.stories.iter().filter(|story| story.kind() == kind).map(|story| story.key.clone()).collect()
}

fn view_name(view: View) -> &'static str {
    match view {
        View::Original => "original",
        View::Markup => "markup",
        View::Accepted | View::Before(_) => "accepted",
    }
}

/// Who has which colour.
fn legend(authors: &Authors) -> String {
    /// The most authors that are named.
    const MOST: usize = 100;
    let all = authors.all();
    if all.is_empty() {
        return String::new();
    }
    let mut out = "<p class=\"generated authors\">Changes by ".to_owned();
    for (at, (name, colour)) in all.iter().take(MOST).enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        out.push_str(&format!("{comma}<span class=\"author a{colour}\">{}</span>", author_element(name)));
    }
    if all.len() > MOST {
        out.push_str(&format!(" and {} more", all.len() - MOST));
    }
    out.push_str("</p>\n");
    out
}

fn page(article: &str, language: Option<&str>, title: &str) -> String {
    let hash = STANDARD.encode(Sha256::digest(STYLESHEET.as_bytes()));
    let mut out = String::from("<!DOCTYPE html>\n<html");
    attribute(&mut out, "lang", language.unwrap_or("en"));
    out.push_str("><head><meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
    out.push_str(&format!(
        "style-src 'sha256-{hash}'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
    ));
    // Else the page around the document would be white in the dark.
    out.push_str("<meta name=\"color-scheme\" content=\"light dark\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    let title = short(title, 200);
    escape(&mut out, if title.trim().is_empty() { "Document" } else { &title });
    out.push_str(&format!(
        "</title>\n<style>{STYLESHEET}</style></head>\n<body>\n<main>\n{article}</main>\n</body></html>\n"
    ));
    out
}

impl<'a> ViewState<'a> {
    fn body(&mut self) {
        let source = self.source;
        let Some(main) = source.parts.get(&source.main) else { return };
        let of_kind = |kind: &'static str| source.stories.iter().filter(move |story| story.kind() == kind);
        for story in of_kind("header") {
            self.story(story, "header", "Header");
        }
        let names = box_names(&main.tree, "");
        self.out.raw("<div class=\"body\">\n");
        StoryWriter::new(self, main, source.body, Some(""), Rc::new(names)).write(source.body);
        self.out.raw("</div>\n");
        for story in of_kind("footer") {
            self.story(story, "footer", "Footer");
        }
        // Notes may refer to further notes.
        self.notes_section("footnote", "Footnotes");
        self.notes_section("endnote", "Endnotes");
        self.comments_section();
    }

    fn part_of(&self, story: &StoryPart) -> Option<(&'a PartSource<'a>, NodeId)> {
        let part = self.source.parts.get(&story.part)?;
        part.root(story).map(|root| (part, root))
    }

    fn story(&mut self, story: &StoryPart, class: &str, said: &str) {
        let Some((part, root)) = self.part_of(story) else { return };
        let says = |node| matches!(part.tree.name(node), T | DEL_TEXT | DRAWING | PICT | OBJECT | SYM);
        if part.revisions.is_empty() && !part.tree.descendants(root).any(says) {
            return;
        }
        let mut attributes = String::new();
        short_attribute(&mut attributes, "data-story", &story.name, 100);
        self.out.raw(&format!("<section class=\"{class}\" aria-label=\"{said}\"{attributes}>\n"));
        let names = box_names(&part.tree, &story.name);
        StoryWriter::new(self, part, root, Some(&story.name), Rc::new(names)).write(root);
        self.out.raw("</section>\n");
    }

    fn notes_section(&mut self, kind: &'static str, said: &str) {
        let source = self.source;
        let is_end = kind == "endnote";
        let mut stories: Vec<(usize, &StoryPart)> = source
            .stories
            .iter()
            .filter(|story| story.kind() == kind)
            .map(|story| (self.notes.number(is_end, &story.key).unwrap_or(usize::MAX), story))
            .collect();
        // In the views without revisions a note that nothing refers to is nowhere.
        if self.view != View::Markup {
            stories.retain(|(number, _)| *number != usize::MAX);
        }
        if stories.is_empty() {
            return;
        }
        stories.sort_by_key(|(number, _)| *number);
        self.out.raw(&format!("<section class=\"notes\" aria-label=\"{said}\">\n"));
        for (number, story) in stories {
            let Some((part, root)) = self.part_of(story) else { continue };
            let name = (number != usize::MAX).then(|| self.notes.name(is_end, number));
            match &name {
                Some(name) => self.out.raw(&format!("<div class=\"note\" id=\"{}{name}\">\n", self.prefix)),
                None => self.out.raw("<div class=\"note\">\n"),
            }
            self.notes.current = name;
            StoryWriter::new(self, part, root, Some(&story.name), Rc::default()).write(root);
            self.notes.current = None;
            self.out.raw("</div>\n");
        }
        self.out.raw("</section>\n");
    }

    fn comments_section(&mut self) {
        let source = self.source;
        if source.comments.is_empty() {
            return;
        }
        let stories: HashMap<&str, &StoryPart> = source
            .stories
            .iter()
            .filter(|story| story.kind() == "comment")
            .map(|story| (story.key.as_str(), story))
            .collect();
        let mut answers: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, placed) in source.comments.iter().enumerate() {
            if let Some(parent) =
                placed.comment.parent.as_deref().filter(|parent| *parent != placed.comment.id)
            {
                answers.entry(parent).or_default().push(at);
            }
        }
        let mut written = vec![false; source.comments.len()];
        self.out.raw("<section class=\"comments\" aria-label=\"Comments\">\n");
        // Threads first; what answers itself in a circle comes last.
        let starts = source.comments.iter().enumerate().filter(|(_, placed)| placed.comment.parent.is_none());
        let order: Vec<usize> = starts.map(|(at, _)| at).chain(0..source.comments.len()).collect();
        for start in order {
            let mut open = vec![start];
            while let Some(at) = open.pop() {
                let Some(placed) = source.comments.get(at) else { continue };
                if std::mem::replace(written.get_mut(at).unwrap_or(&mut true), true) {
                    continue;
                }
                let root = stories.get(placed.comment.id.as_str()).and_then(|story| {
                    let (part, root) = self.part_of(story)?;
                    Some((part, root, story.name.as_str()))
                });
                self.comment(at, placed, root);
                open.extend(answers.get(placed.comment.id.as_str()).into_iter().flatten().rev());
            }
        }
        self.out.raw("</section>\n");
    }

    fn comment(
        &mut self,
        at: usize,
        placed: &PlacedComment,
        story: Option<(&'a PartSource<'a>, NodeId, &str)>,
    ) {
        let comment = &placed.comment;
        let colour = self.authors.colour(&comment.stamp.author);
        let answer = if comment.parent.is_some() { " answer" } else { "" };
        let resolved = if comment.resolved { " resolved" } else { "" };
        let mut head = format!(
            "<article class=\"comment{answer}{resolved} a{colour}\" id=\"{}comment-{}\"",
            self.prefix,
            at + 1
        );
        short_attribute(&mut head, "data-comment", &comment.id, 60);
        if !placed.address.is_empty() {
            attribute(&mut head, "data-at", &placed.address);
        }
        head.push_str("><p class=\"generated comment-head\">");
        head.push_str(&format!("<span class=\"comment-number\">{}</span> ", at + 1));
        head.push_str(&author_element(&comment.stamp.author));
        if let Some(date) = comment.stamp.date.as_deref().and_then(html_date) {
            let day = date.get(..10).unwrap_or(date);
            head.push_str(&format!(" <time datetime=\"{date}\">{day}</time>"));
        }
        if comment.resolved {
            head.push_str(" <span class=\"state\">resolved</span>");
        }
        if !placed.address.is_empty() && comment.parent.is_none() {
            head.push_str(&format!(" <a href=\"#{0}{1}\">{1}</a>", self.prefix, placed.address));
        }
        head.push_str("</p>\n");
        if comment.parent.is_none() && !comment.quoted.trim().is_empty() {
            head.push_str("<blockquote class=\"generated\">");
            escape(&mut head, &short(&comment.quoted, 200));
            head.push_str("</blockquote>\n");
        }
        self.out.raw(&head);
        if let Some((part, root, name)) = story {
            StoryWriter::new(self, part, root, Some(name), Rc::default()).write(root);
        }
        self.out.raw("</article>\n");
    }
}
