//! Reads the fields of one operation, whichever it is.
//!
//! Must never know an operation.

use serde_json::Value;

use crate::ops::address::{parse_occurrence, parse_place};
use crate::ops::fields::{Object, choice, flag, optional_count, optional_flag, optional_text, required_text};
use crate::ops::place::{Occurrence, Place, Where};
use crate::ops::search::{FieldPolicy, Needle, Search, SearchScope, parse_scope};

/// The fields of one operation, which are known to be among its own.
pub(crate) struct Fields<'a> {
    name: &'a str,
    object: &'a Object,
    occurrence: Option<Occurrence>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(name: &'a str, object: &'a Object) -> Result<Self, String> {
        Ok(Self { name, object, occurrence: object.get("occurrence").map(parse_occurrence).transpose()? })
    }

    pub(crate) fn object(&self) -> &'a Object {
        self.object
    }

    pub(crate) fn text(&self, field: &str) -> Result<String, String> {
        required_text(self.object, self.name, field)
    }

    /// A field as it was given; `null` is as good as none.
    pub(crate) fn get(&self, field: &str) -> Option<&'a Value> {
        self.object.get(field).filter(|value| !value.is_null())
    }

    /// One of several words.
    pub(crate) fn choice<T: Copy>(&self, field: &str, known: &[(&str, T)]) -> Result<Option<T>, String> {
        choice(self.object, field, known)
    }

    pub(crate) fn count(&self, field: &str) -> Result<Option<usize>, String> {
        optional_count(self.object, field)
    }

    pub(crate) fn occurrence(&self) -> Option<Occurrence> {
        self.occurrence
    }

    /// What to look for: the words of `field`, or a pattern.
    pub(crate) fn search(&self, field: &str) -> Result<Option<Search>, String> {
        let needle = match (optional_text(self.object, field)?, optional_text(self.object, "pattern")?) {
            (Some(_), Some(_)) => return Err(format!("give '{field}' or 'pattern', not both")),
            (Some(""), None) => {
                return Err(format!(
                    "'{field}' is empty; give words, or leave it out for the whole paragraph"
                ));
            }
            (Some(words), None) => Needle::Words(words.to_owned()),
            (None, Some(pattern)) => Needle::Pattern(pattern.to_owned()),
            (None, None) => {
                let rules = ["scope", "matchCase", "wholeWord", "fields"];
                return match rules.into_iter().find(|rule| self.object.contains_key(*rule)) {
                    Some(rule) => Err(format!("'{rule}' is for a search; give '{field}' or 'pattern', too")),
                    None => Ok(None),
                };
            }
        };
        let policies = [("skip", FieldPolicy::Skip), ("refuse", FieldPolicy::Refuse)];
        let search = Search {
            occurrence: self.occurrence,
            scope: parse_scope(self.object.get("scope").unwrap_or(&Value::Null))?,
            match_case: optional_flag(self.object, "matchCase")?.unwrap_or(true),
            whole_words: flag(self.object, "wholeWord")?,
            fields: choice(self.object, "fields", &policies)?.unwrap_or_default(),
            ..Search::of(needle)
        };
        search.finder(str::to_owned)?;
        Ok(Some(search))
    }

    pub(crate) fn place(&self) -> Result<Option<Place>, String> {
        match (self.object.get("paragraphIndex"), self.object.get("target")) {
            (Some(_), Some(_)) => Err("give 'paragraphIndex' or 'target', not both".to_owned()),
            (Some(address), None) | (None, Some(address)) => parse_place(address, self.occurrence).map(Some),
            (None, None) => Ok(None),
        }
    }

    pub(crate) fn required_place(&self) -> Result<Place, String> {
        self.place()?.ok_or_else(|| format!("{} needs 'paragraphIndex' or 'target'", self.name))
    }

    /// A place that has a field of its own, or `target`.
    pub(crate) fn named_place(&self, field: &str) -> Result<Place, String> {
        match (self.object.get(field), self.object.get("target")) {
            (Some(_), Some(_)) => Err(format!("give '{field}' or 'target', not both")),
            (Some(address), None) | (None, Some(address)) => parse_place(address, self.occurrence),
            (None, None) => Err(format!("{} needs '{field}' or 'target'", self.name)),
        }
    }

    /// A place around a phrase, which needs none: beside a text address the occurrence would mean two things; it picks the phrase.
    pub(crate) fn search_place(&self, search: Option<&Search>) -> Result<Option<Place>, String> {
        let Some(search) = search else { return self.required_place().map(Some) };
        let place = self.place()?.map(|place| Place { occurrence: None, ..place });
        if place.is_some() && search.scope != SearchScope::Unsaid {
            return Err("give a place or 'scope', not both".to_owned());
        }
        Ok(place)
    }

    /// The last of a range that begins at `place`.
    pub(crate) fn end(&self, place: &Place) -> Result<Option<Place>, String> {
        let Some(value) = self.object.get("endParagraphIndex").filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let end = parse_place(value, None)?;
        let story = end.story.or_else(|| place.story.clone());
        if story != place.story {
            return Err("a range begins and ends in one story".to_owned());
        }
        Ok(Some(Place { story, ..end }))
    }

    pub(crate) fn beside(&self) -> Result<(Where, Place), String> {
        let (side, address) = match (self.object.get("after"), self.object.get("before")) {
            (Some(address), None) => (Where::After, address),
            (None, Some(address)) => (Where::Before, address),
            _ => return Err(format!("{} needs either 'after' or 'before'", self.name)),
        };
        Ok((side, parse_place(address, self.occurrence)?))
    }

    /// The name of a comment: its `w:id`.
    pub(crate) fn comment(&self) -> Result<String, String> {
        match self.object.get("commentId") {
            Some(Value::String(id)) => {
                Ok(id.trim().trim_start_matches("comment:").trim_start_matches("c:").to_owned())
            }
            Some(Value::Number(id)) => Ok(id.to_string()),
            _ => Err(format!("{} needs 'commentId'", self.name)),
        }
    }
}
