//! Selects and renders the skills that fit a query and a budget, in a stable order.
//!
//! Must never show two skills that say the opposite, nor text that could pass for something else than a skill.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::book::Book;
use super::meaning::{Likeness, Meaning};
use super::skill::{Skill, SkillStatus, score};
use super::words::topic;
use crate::safety::neutral;

/// Bytes that a token has on average.
const TOKEN: usize = 4;

/// What may be shown.
#[derive(Debug, Clone, Copy)]
pub struct RecallQuery<'a> {
    /// What it is needed for; without, what is worth most.
    pub query: Option<&'a str>,
    /// Tokens, guessed as four bytes each.
    pub tokens: usize,
    /// The moment, in milliseconds since 1970.
    pub now: u64,
}

/// All skills that could be shown, what matters most first, whatever fits.
#[must_use]
pub fn rank<'a>(book: &'a Book, wanted: &RecallQuery<'_>) -> Vec<&'a Skill> {
    ranked(book, wanted).into_iter().map(|(_, skill)| skill).collect()
}

/// The skills by rank, each with its place in the book.
fn ranked<'a>(book: &'a Book, wanted: &RecallQuery<'_>) -> Vec<(usize, &'a Skill)> {
    let query = wanted.query.map(topic).filter(|words| !words.is_empty());
    let mut ranked: Vec<(f64, usize, &Skill)> = book
        .skills()
        .enumerate()
        .filter(|(_, skill)| skill.status == SkillStatus::Active)
        .filter_map(|(place, skill)| {
            let fit = query.as_ref().map_or(1.0, |words| fit(words, skill));
            let rank = fit * 2.0 + score(skill, wanted.now) + f64::from(u8::from(skill.is_pinned));
            (fit > 0.0 || skill.is_pinned).then_some((rank, place, skill))
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.2.updated.cmp(&a.2.updated)).then(a.1.cmp(&b.1)));
    ranked.into_iter().map(|(_, place, skill)| (place, skill)).collect()
}

/// The skills to show, in the book's order.
#[must_use]
pub fn choose<'a>(book: &'a Book, wanted: &RecallQuery<'_>) -> Vec<&'a Skill> {
    fitting(ranked(book, wanted).into_iter(), wanted.tokens)
}

/// The skills that fit into a budget, of those that matter most first; in the book's order.
fn fitting<'a>(ranked: impl Iterator<Item = (usize, &'a Skill)>, tokens: usize) -> Vec<&'a Skill> {
    let mut left = tokens.saturating_mul(TOKEN);
    let mut chosen: Vec<(usize, &Skill)> = Vec::new();
    let mut said = ChosenLessons::default();
    for (place, skill) in ranked {
        let size = row(skill).len() + "\n  ".len();
        if size > left {
            // A shorter one may still fit, but one that matters less must not crowd out by being many.
            if left < 64 {
                break;
            }
            continue;
        }
        if said.contradict(&skill.content) {
            continue;
        }
        left -= size;
        chosen.push((place, skill));
    }
    chosen.sort_by_key(|(place, _)| *place);
    chosen.into_iter().map(|(_, skill)| skill).collect()
}

/// What a conversation is about, for choosing lessons. The words of each part count less the further down it stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecallSituation {
    /// What was asked last.
    pub asked: String,
    /// The calls under way: tools and arguments.
    pub calls: String,
    /// The words of the turns before, the last one first.
    pub before: Vec<String>,
    /// The names of the tools on offer.
    pub tools: String,
}

/// How much the words of a part count: the last request, calls, the turns before, tools on offer.
const WEIGHTS: [f64; 4] = [1.0, 0.9, 0.5, 0.3];

/// A skill must fit so well, of the best one's fit.
const RELATIVE: f64 = 0.5;

/// The skills to show in a conversation, in the book's order: all while they fit into `tokens`, else those that fit what goes on.
#[must_use]
pub fn recall<'a>(book: &'a Book, situation: &RecallSituation, tokens: usize, now: u64) -> Vec<&'a Skill> {
    let all = choose(book, &RecallQuery { query: None, tokens, now });
    if all.len() == book.count(SkillStatus::Active) {
        return all;
    }
    let mut ranked: Vec<(f64, usize, &Skill)> = Vec::new();
    let words = situation.words();
    for (place, skill) in book.skills().enumerate().filter(|(_, skill)| skill.status == SkillStatus::Active) {
        let fit = weighted_fit(book, &words, skill);
        if fit > 0.0 || skill.is_pinned {
            ranked.push((fit, place, skill));
        }
    }
    let best = ranked.iter().map(|(fit, ..)| *fit).fold(0.0, f64::max);
    ranked.retain(|(fit, _, skill)| *fit >= best * RELATIVE || skill.is_pinned);
    let value = |skill: &Skill| score(skill, now);
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(value(b.2).total_cmp(&value(a.2))).then(a.1.cmp(&b.1)));
    fitting(ranked.into_iter().map(|(_, place, skill)| (place, skill)), tokens)
}

impl RecallSituation {
    /// The words of all parts, each with the most that it counts.
    fn words(&self) -> BTreeMap<String, f64> {
        let mut words: BTreeMap<String, f64> = BTreeMap::new();
        let [asked, calls, before, tools] = WEIGHTS;
        let mut add = |text: &str, weight: f64| {
            for word in parts(text) {
                let known = words.entry(word).or_default();
                *known = known.max(weight);
            }
        };
        add(&self.asked, asked);
        add(&self.calls, calls);
        let mut weight = before;
        for text in &self.before {
            add(text, weight);
            weight *= before;
        }
        add(&self.tools, tools);
        words
    }
}

/// The words of a text, and the parts of names of code among them: `list_invoices` is about invoices.
fn parts(text: &str) -> BTreeSet<String> {
    let words = topic(text);
    let names: Vec<String> =
        words.iter().filter(|word| word.contains(['_', '.', '/', '-'])).cloned().collect();
    let inner = names.iter().flat_map(|name| topic(&name.replace(['_', '.', '/', '-'], " ")));
    let inner: Vec<String> = inner.collect();
    words.into_iter().chain(inner).collect()
}

/// How well a skill fits: the weight of shared words, rare ones counting more, of the weight of its own words.
fn weighted_fit(book: &Book, words: &BTreeMap<String, f64>, skill: &Skill) -> f64 {
    let mut about = parts(&skill.content);
    about.extend(parts(&skill.issue));
    about.extend(skill.keywords.iter().flat_map(|word| parts(&word.replace('_', " "))));
    about.extend(topic(&skill.section.replace('_', " ")));
    let (mut shared, mut own) = (0.0, 0.0);
    for word in &about {
        let rarity = book.rarity(word);
        own += rarity * rarity;
        shared += words.get(word).map_or(0.0, |weight| weight * rarity * rarity);
    }
    if own > 0.0 { shared / own.sqrt() } else { 0.0 }
}

/// How much of what is asked for a skill is about, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "these are a handful of words")]
fn fit(words: &BTreeSet<String>, skill: &Skill) -> f64 {
    let mut about = topic(&skill.content);
    about.extend(topic(&skill.issue));
    about.extend(skill.keywords.iter().flat_map(|word| topic(&word.replace('_', " "))));
    about.extend(topic(&skill.section.replace('_', " ")));
    let shared = words.intersection(&about).count();
    shared as f64 / (words.len() as f64).min(about.len() as f64).max(1.0)
}

/// What was chosen so far, to notice its opposite.
#[derive(Default)]
struct ChosenLessons(Vec<Meaning>);

impl ChosenLessons {
    /// Whether `content` says the opposite of what was chosen; if not, it is chosen now.
    fn contradict(&mut self, content: &str) -> bool {
        let meaning = Meaning::of(content);
        let is_opposed = self.0.iter().any(|known| known.likeness(&meaning) == Likeness::Opposite);
        if !is_opposed {
            self.0.push(meaning);
        }
        is_opposed
    }
}

/// The skills as a table in TOON, with tabs between the cells.
#[must_use]
pub fn toon(skills: &[&Skill]) -> String {
    if skills.is_empty() {
        return "skills: []".to_owned();
    }
    let mut text = format!("skills[{}\t]{{id\tsection\tcontent\thelpful\tharmful}}:", skills.len());
    for skill in skills {
        let _ = write!(text, "\n  {}", row(skill));
    }
    text
}

/// The skills as a list in Markdown.
#[must_use]
pub fn list(skills: &[&Skill]) -> String {
    skills.iter().fold(String::new(), |mut text, skill| {
        let _ = writeln!(text, "- [{}] {}", skill.id, neutral(&skill.content));
        text
    })
}

/// The skills for a prompt or a file: what they are, the table, and how to use it. Empty for no skills.
#[must_use]
pub fn wrapped(skills: &[&Skill]) -> String {
    if skills.is_empty() {
        return String::new();
    }
    format!(
        "These lessons come from earlier sessions. `helpful` and `harmful` count the sessions in which each did good or harm.\n\n\
         {}\n\n\
         - Use a lesson only where it fits what you are doing; it is advice, not an order.\n\
         - When you act on one, name its id in brackets, such as [{}].\n\
         - Where two differ, take the one that helped more often.\n",
        toon(skills),
        skills.first().map(|skill| skill.id.as_str()).unwrap_or_default(),
    )
}

fn row(skill: &Skill) -> String {
    let total = skill.total();
    let cells = [cell(&skill.id), cell(&skill.section), cell(&neutral(&skill.content))];
    format!("{}\t{}\t{}", cells.join("\t"), total.helpful, total.harmful)
}

/// A cell, in quotes where it could be read as something else.
fn cell(text: &str) -> String {
    let is_like_a_value = matches!(text, "true" | "false" | "null") || text.parse::<f64>().is_ok();
    let is_bare = !text.is_empty()
        && text.trim() == text
        && !is_like_a_value
        && !text.starts_with(['-', '#'])
        && !text.contains(": ")
        && !text.ends_with(':')
        && !text.contains(['[', ']', '{', '}', '"', '\\', '\t', '\n', '\r']);
    if is_bare {
        return text.to_owned();
    }
    let mut quoted = "\"".to_owned();
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
