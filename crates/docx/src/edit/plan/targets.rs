//! Blocks as paragraphs and tables of Word: which style, list and formatting each has.

use crate::edit::built_in::BuiltInStyle;
use crate::edit::pending_parts::{ListLevel, PendingParts};
use crate::edit::plan::align::TargetParagraph;
use crate::edit::plan::list_finder::{ListFinder, kind_of_marker};
use crate::edit::plan::step::{ListWish, NewTable};
use crate::edit::plan::tables::new_table;
use crate::edit::properties::Setting;
use crate::edit::snapshot::StorySnapshot;
use crate::error::Refusal;
use crate::styles::DEEPEST_LEVEL;
use crate::text::{Block, BlockKind, Item, MarkdownBlocks, StyledText, literal};

/// How far a level of a quote or list is indented, in twentieths of a point.
const STEP: u32 = 360;

/// The boxes of a task that is open and of one that is done.
const BOXES: [&str; 2] = ["☐ ", "☒ "];

/// What shall stand somewhere.
pub(super) struct Targets {
    pub(super) wanted: Vec<TargetParagraph>,
    /// Tables, each before the paragraph of that number.
    pub(super) tables: Vec<(usize, NewTable)>,
}

/// Whether content is more than paragraphs.
pub(super) fn has_structure(read: &MarkdownBlocks) -> bool {
    !read.definitions.notes.is_empty() || read.blocks.iter().any(|block| !block.is_plain_paragraph())
}

impl Targets {
    /// Blocks as they shall stand. Paragraphs that are nothing more have the style `body`, or the one that stands there.
    pub(super) fn of(
        snapshot: &StorySnapshot<'_>,
        pending: &mut PendingParts,
        finder: &mut ListFinder,
        blocks: Vec<Block<StyledText>>,
        body: Option<&str>,
    ) -> Result<Self, Refusal> {
        let has_items = blocks.iter().any(|block| matches!(block.kind, BlockKind::Item(_)));
        let plain = if has_items { ListWish::Outside } else { ListWish::Like };
        let mut all = Self { wanted: Vec::new(), tables: Vec::new() };
        for Block { quote, within, kind } in blocks {
            if !matches!(kind, BlockKind::Item(_)) && within.is_none() {
                finder.interrupt();
            }
            let mut target = TargetParagraph {
                content: StyledText::default(),
                style: body.map(str::to_owned),
                list: ListWish::Outside,
                settings: Vec::new(),
            };
            let mut style = |style| Some(pending.style(snapshot.styles, style));
            match kind {
                BlockKind::Table(table) => {
                    all.tables.push((all.wanted.len(), new_table(table, pending.is_new_document)?));
                    continue;
                }
                BlockKind::Paragraph(text) => {
                    target.content = text;
                    if quote == 0 && within.is_none() {
                        target.list = plain;
                    }
                }
                BlockKind::Heading(level, text) => {
                    target.content = text;
                    target.style = style(BuiltInStyle::Heading(level));
                    target.list = ListWish::Like;
                }
                BlockKind::Code(code) => {
                    target.content = literal(&code);
                    target.style = style(BuiltInStyle::Code);
                }
                BlockKind::Rule => target.settings.push(Setting::line_below()),
                BlockKind::Term(text) => {
                    target.content = text;
                    target.style = style(BuiltInStyle::Term);
                }
                BlockKind::Definition(text) => {
                    target.content = text;
                    target.style = style(BuiltInStyle::Definition);
                }
                BlockKind::Item(Item { level, marker, enclosure, task, text }) => {
                    let (kind, start) = kind_of_marker(marker);
                    let level = level.min(DEEPEST_LEVEL);
                    let marked = ListLevel { kind, enclosure, start: start.max(1) };
                    let (number, level) = finder.number(snapshot, pending, (marked, level));
                    target.list = ListWish::In(number, level);
                    target.content = match task {
                        Some(done) => {
                            let [open, ticked] = BOXES;
                            let mut content = literal(if done { ticked } else { open });
                            content.append(text);
                            content
                        }
                        None => text,
                    };
                }
            }
            let is_own_style = target.style.as_deref() != body;
            if quote > 0 && !is_own_style {
                target.style = Some(pending.style(snapshot.styles, BuiltInStyle::Quote));
            }
            if quote > 1 || quote > 0 && is_own_style {
                target.settings.push(Setting::indent(2 * STEP * u32::from(quote)));
            }
            if let Some(level) = within {
                target.settings.push(Setting::indent(STEP * (u32::from(level) + 2)));
            }
            all.wanted.push(target);
        }
        Ok(all)
    }
}
