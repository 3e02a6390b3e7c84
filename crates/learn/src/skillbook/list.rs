//! The book as a plain list: one line for each lesson that is shown, by section, for people to read and to edit.
//!
//! Must never show what is not active, nor read more than lessons out of a list that somebody has changed.

use std::fmt::Write;

use super::apply::is_id;
use super::book::Book;
use super::dialects::hash_of;
use super::operation::section_name;
use super::render::list;
use super::skill::{Skill, SkillStatus};

/// What the second line of a list begins with; the hash of what follows ends it.
const OWN: &str = "<!-- engross: list sha256=";

/// How the list may be edited.
const NOTE: &str = "<!-- Change words, take lines out or add some; put two ids before one text to make one lesson of two. \
                    `engross learn` and `engross skills` take it over as yours. -->";

/// What git puts round two versions that it could not merge.
const CONFLICT: [&str; 2] = ["<<<<<<< ", ">>>>>>> "];

/// A line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedLesson {
    /// The ids before the words: none of a new lesson, several of lessons that become one.
    pub ids: Vec<String>,
    /// The heading above it.
    pub section: String,
    /// The words.
    pub content: String,
}

/// What a list says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadList {
    /// It is none, or of another program.
    Foreign,
    /// It is as it was written.
    Untouched,
    /// It holds a merge that nobody has finished.
    Unmerged,
    /// Somebody changed it.
    Edited(Vec<ListedLesson>),
}

/// The shown skills, by section, each with its skills in the book's order.
#[must_use]
pub fn by_section(book: &Book) -> Vec<(&str, Vec<&Skill>)> {
    let mut sections: Vec<(&str, Vec<&Skill>)> = Vec::new();
    let mut shown: Vec<&Skill> = book.skills().filter(|skill| skill.status == SkillStatus::Active).collect();
    shown.sort_by(|a, b| a.section.cmp(&b.section));
    for skill in shown {
        match sections.last_mut().filter(|(section, _)| *section == skill.section) {
            Some((_, skills)) => skills.push(skill),
            None => sections.push((&skill.section, vec![skill])),
        }
    }
    sections
}

/// The list of a book.
#[must_use]
pub fn plain_list(book: &Book) -> String {
    let mut body = format!("{NOTE}\n");
    for (section, skills) in by_section(book) {
        let _ = write!(body, "\n## {}\n\n{}", crate::safety::neutral(section), list(&skills));
    }
    format!("# Skillbook\n{OWN}{} -->\n{body}", hash_of(&body))
}

/// Reads a list back.
#[must_use]
pub fn read_list(text: &str) -> ReadList {
    let text = text.replace("\r\n", "\n");
    if text.lines().any(|line| CONFLICT.iter().any(|mark| line.starts_with(mark))) {
        return if text.contains(OWN) { ReadList::Unmerged } else { ReadList::Foreign };
    }
    let Some((_, behind)) = text.split_once(OWN) else { return ReadList::Foreign };
    let Some((hash, body)) = behind.split_once(" -->\n") else { return ReadList::Foreign };
    if hash == hash_of(body) { ReadList::Untouched } else { ReadList::Edited(listed(body, "general")) }
}

/// The lessons in some lines of Markdown: items of lists, beneath their headings.
#[must_use]
pub fn listed(text: &str, section: &str) -> Vec<ListedLesson> {
    let mut lessons: Vec<ListedLesson> = Vec::new();
    let mut section = section_name(section);
    let mut is_open = false;
    for line in text.lines() {
        let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        if let Some(heading) = line.strip_prefix("## ") {
            section = section_name(heading.trim());
            is_open = false;
        } else if let Some(item) = item {
            let (ids, content) = ids_of(item.trim());
            lessons.push(ListedLesson { ids, section: section.clone(), content: content.to_owned() });
            is_open = true;
        } else if line.starts_with([' ', '\t']) && is_open && !line.trim().is_empty() {
            // An editor has broken a long line.
            if let Some(lesson) = lessons.last_mut() {
                lesson.content.push(' ');
                lesson.content.push_str(line.trim());
            }
        } else {
            is_open = false;
        }
    }
    lessons.retain(|lesson| !lesson.content.trim().is_empty());
    lessons
}

/// The ids at the beginning of an item, and what follows them.
fn ids_of(mut item: &str) -> (Vec<String>, &str) {
    let mut ids = Vec::new();
    while let Some((id, rest)) = item.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && is_id(id)
    {
        ids.push(id.to_owned());
        item = rest.trim_start();
    }
    (ids, item)
}
