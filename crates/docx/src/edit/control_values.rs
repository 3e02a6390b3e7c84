//! What a content control says once it is filled in, and what it knows then: its kind decides (ISO/IEC 29500-1 §17.5.2).
//!
//! Must never change a document.

use engross_xml::{Document, NodeId};

use crate::edit::content::{PARAGRAPH_BREAK, Syntax, read_content};
use crate::error::{Refusal, RefusalCode};
use crate::model::{Control, ControlKind, controls};
use crate::names::{
    CALENDAR, CHECKBOX, CHECKED_STATE, DATE, DATE_FORMAT, FULL_DATE, LID, P, SDT, SDT_CONTENT,
    STORE_MAPPED_DATA_AS, TBL, TC, TR, UNCHECKED_STATE, VAL, W14_FONT, W14_VAL,
};
use crate::ops::ControlValue;
use crate::read::excerpt;
use crate::text::{Date, StyledText, literal};

/// How many items a refusal names.
const ITEMS: usize = 30;

/// What the properties of a control know besides its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ControlState {
    /// Nothing.
    Text,
    /// The value of the item that was chosen.
    Choice(String),
    /// The day, as `w:fullDate` has it.
    Date(String),
    /// Whether it is checked, and the font of the character that shows it.
    Checked(bool, Option<String>),
}

/// A value as a control takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilledControl {
    pub(crate) content: StyledText,
    pub(crate) state: ControlState,
    /// What the data say that it is bound to.
    pub(crate) data: String,
}

/// The value as the control `node` takes it. `name` is what refusals call it.
pub(crate) fn fill(
    document: &Document,
    (node, name): (NodeId, &str),
    (value, shown): (&ControlValue, Option<&str>),
    syntax: Syntax,
) -> Result<FilledControl, Refusal> {
    refuse_locked(document, node, name)?;
    refuse_structure(document, node, name)?;
    let control = Control::of(document, node);
    let refused =
        |message: String| Err(Refusal::new(RefusalCode::ControlValueRefused, format!("{name} {message}")));
    let kind = control.kind();
    let text = match (kind, value) {
        (ControlKind::CheckBox, value) => {
            let checked = match value {
                ControlValue::Checked(checked) => *checked,
                ControlValue::Text(word) => match word.trim().to_ascii_lowercase().as_str() {
                    "true" | "yes" | "checked" | "1" | "☒" | "☑" => true,
                    "false" | "no" | "unchecked" | "0" | "☐" => false,
                    _ => {
                        return refused(format!(
                            "is a check box; give true or false, not '{}'",
                            excerpt(word)
                        ));
                    }
                },
            };
            return Ok(check_box(document, &control, checked));
        }
        (_, ControlValue::Checked(_)) => {
            return refused(format!(
                "takes no true or false; it is a {} control, give a text",
                kind.as_str()
            ));
        }
        (_, ControlValue::Text(text)) => text.as_str(),
    };
    match kind {
        ControlKind::Text => plain(text, control.has_lines(), name),
        ControlKind::RichText => rich(document, node, text, syntax, name),
        ControlKind::DropDown | ControlKind::ComboBox => {
            let items = control.items();
            let wanted = text.trim();
            let same = |known: &str| known == wanted;
            let alike = |known: &str| known.to_lowercase() == wanted.to_lowercase();
            let found = items
                .iter()
                .find(|item| same(&item.text))
                .or_else(|| items.iter().find(|item| same(&item.value)))
                .or_else(|| items.iter().find(|item| alike(&item.text) || alike(&item.value)));
            match found {
                Some(item) => Ok(FilledControl {
                    content: literal(&item.text),
                    state: ControlState::Choice(item.value.clone()),
                    data: item.value.clone(),
                }),
                None if kind == ControlKind::ComboBox || wanted.is_empty() => {
                    let filled = plain(text, false, name)?;
                    Ok(FilledControl { state: ControlState::Choice(text.to_owned()), ..filled })
                }
                None => {
                    let named: Vec<String> =
                        items.iter().take(ITEMS).map(|item| format!("'{}'", excerpt(&item.text))).collect();
                    let more = items.len().saturating_sub(ITEMS);
                    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                    refused(format!("has no item '{}'; it offers {}{more}", excerpt(text), named.join(", ")))
                }
            }
        }
        ControlKind::Date => date(document, &control, (text, shown), name),
        ControlKind::RepeatingSection => {
            refused("repeats a section; fill in the controls of its items".to_owned())
        }
        kind => refused(format!(
            "is a {} control, which takes no value; change what it shows in Word",
            kind.as_str()
        )),
    }
}

/// Whether the properties of a control know this of its value already.
pub(crate) fn knows(document: &Document, node: NodeId, state: &ControlState) -> bool {
    let control = Control::of(document, node);
    match state {
        ControlState::Text | ControlState::Choice(_) => true,
        ControlState::Date(day) => {
            let known = control.property(DATE).and_then(|date| document.attribute(date, FULL_DATE));
            known.as_deref().unwrap_or_default() == day
        }
        ControlState::Checked(checked, _) => control.is_checked() == Some(*checked),
    }
}

/// A control takes nothing when it, or one around it, is locked or pending deletion.
fn refuse_locked(document: &Document, node: NodeId, name: &str) -> Result<(), Refusal> {
    if Control::of(document, node).is_deleted() {
        let message = format!("a pending revision deletes {name}; reject it first");
        return Err(Refusal::new(RefusalCode::TextDeleted, message));
    }
    let around = document.ancestors(node).filter(|above| document.name(*above) == SDT);
    for above in std::iter::once(node).chain(around) {
        let control = Control::of(document, above);
        let lock =
            control.lock().filter(|lock| matches!(lock.as_str(), "contentLocked" | "sdtContentLocked"));
        let who = if above == node { "it" } else { "the control around it" };
        let why = match lock {
            Some(lock) => format!("{who} is locked ({lock}); unlock it in Word first"),
            None if above != node && control.binding().is_some() => {
                format!("{who} is bound to data of the document as a whole")
            }
            None => continue,
        };
        let message = format!("{name} cannot be filled in: {why}");
        return Err(Refusal::new(RefusalCode::ContentControlLocked, message));
    }
    Ok(())
}

/// A control around others, or around tables and their rows, holds more than a value.
fn refuse_structure(document: &Document, node: NodeId, name: &str) -> Result<(), Refusal> {
    let inner = document.child(node, SDT_CONTENT).map_or(0, |content| controls(document, content).len());
    let below = |wanted| document.descendants(node).filter(|below| document.name(*below) == wanted).count();
    let why = if inner > 0 && Control::of(document, node).kind() != ControlKind::RepeatingSection {
        format!("it holds {inner} other controls; fill these in")
    } else if below(TBL) > 0 {
        "it holds a table; change that by edit_table".to_owned()
    } else if below(TR) > 0 || below(TC) > 1 {
        "it holds cells of a table; change these by edit_table".to_owned()
    } else {
        return Ok(());
    };
    Err(Refusal::new(RefusalCode::ControlValueRefused, format!("{name} takes no value: {why}")))
}

fn plain(text: &str, has_lines: bool, name: &str) -> Result<FilledControl, Refusal> {
    let read = read_content(text, Syntax::Plain)?;
    let text = read.text.replace(PARAGRAPH_BREAK, "\n\n");
    if text.contains('\n') && !has_lines {
        let message = format!("{name} takes one line of text; give the value without line ends");
        return Err(Refusal::new(RefusalCode::ControlValueRefused, message));
    }
    Ok(FilledControl { content: literal(&text), state: ControlState::Text, data: text })
}

fn rich(
    document: &Document,
    node: NodeId,
    text: &str,
    syntax: Syntax,
    name: &str,
) -> Result<FilledControl, Refusal> {
    let content = read_content(text, syntax)?;
    let is_inline = document.ancestors(node).any(|above| document.name(above) == P);
    if is_inline && content.text.contains(PARAGRAPH_BREAK) {
        let message = format!("{name} stands within a paragraph, so it takes no blank lines");
        return Err(Refusal::new(RefusalCode::ControlValueRefused, message));
    }
    let data = content.text.replace(PARAGRAPH_BREAK, "\n");
    Ok(FilledControl { content, state: ControlState::Text, data })
}

fn check_box(document: &Document, control: &Control<'_>, checked: bool) -> FilledControl {
    let node = control.property(CHECKBOX);
    let state =
        node.and_then(|node| document.child(node, if checked { CHECKED_STATE } else { UNCHECKED_STATE }));
    let sign = state
        .and_then(|state| document.attribute(state, W14_VAL))
        .and_then(|code| u32::from_str_radix(code.trim(), 16).ok())
        .and_then(char::from_u32)
        .filter(|sign| !sign.is_control());
    let font = match state {
        Some(state) => document.attribute(state, W14_FONT).map(std::borrow::Cow::into_owned),
        None => Some("MS Gothic".to_owned()),
    };
    let sign = sign.unwrap_or(if checked { '☒' } else { '☐' });
    FilledControl {
        content: literal(&sign.to_string()),
        state: ControlState::Checked(checked, font.filter(|font| !font.is_empty())),
        data: if checked { "true" } else { "false" }.to_owned(),
    }
}

fn date(
    document: &Document,
    control: &Control<'_>,
    (text, shown): (&str, Option<&str>),
    name: &str,
) -> Result<FilledControl, Refusal> {
    let refused =
        |message: String| Err(Refusal::new(RefusalCode::ControlValueRefused, format!("{name} {message}")));
    if text.trim().is_empty() {
        let (content, data) = (StyledText::default(), String::new());
        return Ok(FilledControl { content, state: ControlState::Date(String::new()), data });
    }
    let Some(date) = Date::parse(text) else {
        return refused(format!("takes a date such as 2026-02-28, not '{}'", excerpt(text)));
    };
    let node = control.property(DATE);
    let setting = |name| {
        let child = node.and_then(|node| document.child(node, name))?;
        document.attribute(child, VAL).map(std::borrow::Cow::into_owned)
    };
    let picture = setting(DATE_FORMAT).unwrap_or_else(|| "yyyy-MM-dd".to_owned());
    let language = setting(LID).unwrap_or_else(|| "en-US".to_owned());
    let calendar = setting(CALENDAR).unwrap_or_else(|| "gregorian".to_owned());
    let is_known = calendar.starts_with("gregorian") || calendar == "none";
    let written = match shown {
        Some(shown) => Some(plain(shown, false, name)?.content.text),
        None => date.written(&picture, &language).filter(|_| is_known),
    };
    let Some(written) = written else {
        return refused(format!(
            "writes dates as '{}' in {language} ({calendar}), which engross cannot; say by 'shown' how it is written",
            excerpt(&picture)
        ));
    };
    let data = match setting(STORE_MAPPED_DATA_AS).as_deref() {
        Some("text") => written.clone(),
        Some("date") => date.day_of_calendar(),
        _ => date.with_time(),
    };
    let state = ControlState::Date(format!("{}Z", date.with_time()));
    Ok(FilledControl { content: literal(&written), state, data })
}
