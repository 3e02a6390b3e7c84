//! Tables of contents: a new one, and old ones whose lines follow their headings.
//!
//! Pages are left as they are, since only the program that lays the document out counts them; a new line says the page on which its
//! heading stood then, if the document tells that. Must never change a table that lists other things than headings.

use std::collections::{BTreeMap, HashMap};

use engross_xml::{Document, NodeId};

use super::WordDocument;
use super::run::{Anchor, Run};
use crate::edit::contents::{LineWidth, NewLine, delete_line, insert_line, insert_table, move_beginning};
use crate::edit::next_block;
use crate::edit::references::{bookmark_paragraph, set_result};
use crate::error::{Error, Refusal, RefusalCode};
use crate::model::{View, text_width};
use crate::names::{LAST_RENDERED_PAGE_BREAK, P, PG_NUM_TYPE, START, T};
use crate::ops::Where;
use crate::references::{
    ContentsCode, ContentsHeading, ContentsLine, Field, FieldForm, Instruction, Leaf, References,
};
use crate::text::pairing::equal_pairs;

/// The width of text on a page of A4 with margins of an inch, in twentieths of a point.
const USUAL_WIDTH: i64 = 9026;

/// What an update of tables of contents did.
#[derive(Debug, Default)]
pub(super) struct ContentsUpdate {
    /// How many lines came, went or say something else.
    pub(super) changed: usize,
    /// What is left as it is, and why.
    pub(super) left: Vec<String>,
}

/// What becomes of one table.
struct TablePlan {
    /// Its characters: begin, separate, end.
    characters: (NodeId, NodeId, NodeId),
    address: String,
    /// The paragraphs of the body.
    paragraphs: Vec<NodeId>,
    lines: Vec<ContentsLine>,
    headings: Vec<ContentsHeading>,
    /// Pairs of a line and the heading that it is of, both in order.
    pairs: Vec<(usize, usize)>,
}

impl WordDocument {
    /// Puts a table of contents beside a paragraph of the body.
    pub(super) fn insert_contents(
        &mut self,
        run: &mut Run<'_>,
        index: usize,
        anchor: &Anchor,
        (side, levels, title): (Where, (u8, u8), Option<&str>),
    ) -> Result<Result<(), Refusal>, Error> {
        let refuse = |code, message: &str| Ok(Err(Refusal::new(code, message)));
        if anchor.part != self.main_name {
            return refuse(
                RefusalCode::TargetNotFound,
                "a table of contents stands in the body; name a place there",
            );
        }
        let code = format!("TOC \\o \"{}-{}\" \\h \\z \\u", levels.0, levels.1);
        let element = anchor.element(&self.tree);
        let before = match side {
            Where::Before => Some(element),
            Where::After => next_block(&self.tree, element),
        };
        let Some(before) = before else {
            let message = "nothing stands behind that place; name the paragraph before which it shall stand";
            return refuse(RefusalCode::TargetNotFound, message);
        };
        let headings = {
            let trees = self.story_trees();
            let accepted = self.references(&trees, View::Accepted);
            let Ok(code) = ContentsCode::parse(&Instruction::parse(&code), false) else {
                return refuse(
                    RefusalCode::InvalidContent,
                    "the levels cannot be read; give a range such as 1-3",
                );
            };
            let nodes =
                accepted.stories.first().map(|body| body.story.paragraphs.clone()).unwrap_or_default();
            let headings = accepted.contents_headings(&self.tree, &code, &self.styles);
            headings
                .into_iter()
                .filter_map(|heading| Some((*nodes.get(heading.paragraph)?, heading)))
                .collect::<Vec<_>>()
        };
        if headings.is_empty() {
            let message = "no paragraph has a heading style of these levels, so Word would find nothing to list; \
                           give the headings one, with replace_paragraph and 'style' or with format_paragraph";
            return refuse(RefusalCode::TargetNotFound, message);
        }
        let pages = last_pages(&self.tree, self.body);
        let lines = self.new_lines(run, index, &headings, &pages)?;
        let width = text_width(&self.tree, before).map_or(USUAL_WIDTH, i64::from);
        self.write_for(run, index, &anchor.part, |writer| {
            insert_table(writer, before, title, (&code, &lines), LineWidth(width));
            Ok::<(), Refusal>(())
        })?
        .ok();
        let is_known = lines.iter().all(|line| line.page.is_some());
        if let Some(done) = run.outcomes.get_mut(index) {
            let pages =
                if is_known { "pages are those of the last layout" } else { "pages are not known yet" };
            done.outcome.add_remark(&format!(
                "{} lines; {pages}, and Word counts them when it opens the document",
                lines.len()
            ));
        }
        Ok(Ok(()))
    }

    /// Lines for headings, each of which gets a bookmark if it has none.
    fn new_lines(
        &mut self,
        run: &mut Run<'_>,
        index: usize,
        headings: &[(NodeId, ContentsHeading)],
        pages: &HashMap<NodeId, u32>,
    ) -> Result<Vec<NewLine>, Error> {
        let part = self.main_name.clone();
        let mut lines = Vec::new();
        for (node, heading) in headings {
            let bookmark = match &heading.bookmark {
                Some(known) => known.clone(),
                None => {
                    let name = run.pending.bookmark_name().replace("_Ref", "_Toc");
                    self.write_for(run, index, &part, |writer| {
                        bookmark_paragraph(writer, *node, &name);
                        Ok::<(), Refusal>(())
                    })?
                    .ok();
                    name
                }
            };
            let ContentsHeading { level, label, title, .. } = heading.clone();
            lines.push(NewLine { level, label, title, bookmark, page: pages.get(node).copied() });
        }
        Ok(lines)
    }

    /// Lets the lines of tables of contents of the body follow their headings.
    pub(super) fn update_contents(
        &mut self,
        run: &mut Run<'_>,
        index: usize,
    ) -> Result<ContentsUpdate, Error> {
        let mut update = ContentsUpdate::default();
        let plans = self.contents_plans(&mut update.left);
        let pages = if plans.is_empty() { HashMap::new() } else { last_pages(&self.tree, self.body) };
        for plan in plans {
            self.update_table(run, index, &plan, (&pages, &mut update))?;
        }
        Ok(update)
    }

    /// The tables of contents that do not list what they should, by the node that begins them, with their addresses.
    pub(super) fn outdated_contents(&self, accepted: &References) -> Vec<(NodeId, String)> {
        let plans = self.plans_in(accepted, &mut Vec::new());
        plans.into_iter().map(|plan| (plan.characters.0, plan.address)).collect()
    }

    /// What becomes of each table that does not list what it should.
    fn contents_plans(&self, left: &mut Vec<String>) -> Vec<TablePlan> {
        let trees = self.story_trees();
        let accepted = self.references(&trees, View::Accepted);
        self.plans_in(&accepted, left)
    }

    fn plans_in(&self, accepted: &References, left: &mut Vec<String>) -> Vec<TablePlan> {
        let Some(body) = accepted.stories.first() else { return Vec::new() };
        let mut plans = Vec::new();
        for table in body.story.fields.iter().filter(|field| field.instruction.name() == "TOC") {
            let FieldForm::Complex { begin, separate: Some(separate), end: Some(end) } = table.form else {
                continue;
            };
            let address = body.story.address(table.first);
            match self.contents_plan(accepted, table, (begin, separate, end), address.clone()) {
                Ok(plan) => plans.extend(plan),
                Err(why) => left.push(format!("the table of contents at {address}, since {why}")),
            }
        }
        plans
    }

    fn contents_plan(
        &self,
        accepted: &References,
        table: &Field,
        characters: (NodeId, NodeId, NodeId),
        address: String,
    ) -> Result<Option<TablePlan>, &'static str> {
        let Some(body) = accepted.stories.first() else { return Ok(None) };
        let lines = accepted.contents_lines(&self.tree, table);
        let has_entries = accepted.fields().any(|(.., field)| field.instruction.name() == "TC");
        let code = ContentsCode::parse(&table.instruction, has_entries)?;
        let headings = accepted.contents_headings(&self.tree, &code, &self.styles);
        if lines.is_empty() || lines.iter().any(|line| !line.has_target) {
            let told: Vec<bool> = lines.iter().map(|line| headings.iter().any(|it| line.says(it))).collect();
            let is_right = told.len() == headings.len() && told.iter().all(|told| *told);
            return if is_right {
                Ok(None)
            } else {
                Err("its lines do not say which paragraphs they are of")
            };
        }
        let of: Vec<u64> = lines.iter().map(|line| line.of.map_or(u64::MAX, |of| of as u64)).collect();
        let wanted: Vec<u64> = headings.iter().map(|heading| heading.paragraph as u64).collect();
        let pairs = equal_pairs(&of, &wanted);
        let says = |&(line, heading): &(usize, usize)| {
            lines.get(line).zip(headings.get(heading)).is_some_and(|(line, heading)| line.says(heading))
        };
        if pairs.len() == lines.len() && pairs.len() == headings.len() && pairs.iter().all(says) {
            return Ok(None);
        }
        let paragraphs = body.story.paragraphs.clone();
        Ok(Some(TablePlan { characters, address, paragraphs, lines, headings, pairs }))
    }

    fn update_table(
        &mut self,
        run: &mut Run<'_>,
        index: usize,
        plan: &TablePlan,
        (pages, update): (&HashMap<NodeId, u32>, &mut ContentsUpdate),
    ) -> Result<(), Error> {
        let part = self.main_name.clone();
        let own = self.ids.own().clone();
        let node = |at: usize| plan.paragraphs.get(at).copied();
        // What stands already says what it should.
        for (line, heading) in &plan.pairs {
            let (Some(line), Some(heading)) = (plan.lines.get(*line), plan.headings.get(*heading)) else {
                continue;
            };
            for (leaves, text) in changes_of(line, heading) {
                match self.write_for(run, index, &part, |writer| set_result(writer, &leaves, &text, &own))? {
                    Ok(()) => update.changed += 1,
                    Err(why) => {
                        update.left.push(format!(
                            "P{}: the line cannot be changed, since {why}",
                            line.paragraph + 1
                        ));
                    }
                }
            }
        }
        // What is missing comes, before anything goes.
        let mut missing: BTreeMap<Option<usize>, Vec<(NodeId, ContentsHeading)>> = BTreeMap::new();
        for (at, heading) in plan.headings.iter().enumerate() {
            if plan.pairs.iter().any(|(_, paired)| *paired == at) {
                continue;
            }
            let next = plan.pairs.iter().find(|(_, paired)| *paired > at).map(|(line, _)| *line);
            if let Some(node) = node(heading.paragraph) {
                missing.entry(next).or_default().push((node, heading.clone()));
            }
        }
        let (begin, separate, end) = plan.characters;
        for (next, headings) in missing {
            let last = plan.lines.last().and_then(|line| node(line.paragraph));
            let before = match next.and_then(|line| plan.lines.get(line)) {
                Some(line) => node(line.paragraph),
                None => last
                    .filter(|last| !self.tree.ancestors(end).any(|above| above == *last))
                    .and_then(|last| next_block(&self.tree, last)),
            };
            let Some(before) = before else {
                let what =
                    format!("{}: a line behind the last one cannot be put into this table", plan.address);
                update.left.push(what);
                continue;
            };
            let is_first = self.tree.ancestors(separate).any(|above| above == before);
            let lines = self.new_lines(run, index, &headings, pages)?;
            for (number, line) in lines.iter().enumerate() {
                let like = plan.like(line.level);
                self.write_for(run, index, &part, |writer| {
                    let new = insert_line(writer, before, line, like);
                    if is_first && number == 0 {
                        move_beginning(writer, before, new, separate);
                    }
                    Ok::<(), Refusal>(())
                })?
                .ok();
                update.changed += 1;
            }
        }
        for (at, line) in plan.lines.iter().enumerate() {
            if plan.pairs.iter().any(|(paired, _)| *paired == at) {
                continue;
            }
            let Some(node) = node(line.paragraph) else { continue };
            match self
                .write_for(run, index, &part, |writer| delete_line(writer, node, (begin, separate, end)))?
            {
                Ok(()) => update.changed += 1,
                Err(why) => {
                    update.left.push(format!("P{}: the line cannot go, since {why}", line.paragraph + 1));
                }
            }
        }
        Ok(())
    }
}

impl TablePlan {
    /// A line after which a new one of this level takes, and whether it is of the same level.
    fn like(&self, level: u8) -> Option<(NodeId, bool)> {
        let paired = self.pairs.iter().filter_map(|(line, heading)| {
            let (line, heading) = (self.lines.get(*line)?, self.headings.get(*heading)?);
            Some((*self.paragraphs.get(line.paragraph)?, heading.level))
        });
        let all: Vec<(NodeId, u8)> = paired.collect();
        let same = all.iter().find(|(_, own)| *own == level);
        same.or(all.first()).map(|(node, own)| (*node, *own == level))
    }
}

/// Leaves of a line and what they should say.
fn changes_of(line: &ContentsLine, heading: &ContentsHeading) -> Vec<(Vec<NodeId>, String)> {
    if line.says(heading) {
        return Vec::new();
    }
    let texts = |leaves: &[Leaf]| leaves.iter().map(|leaf| leaf.node).collect::<Vec<_>>();
    let label = heading.label.clone().unwrap_or_default();
    if line.label.is_empty() {
        let whole =
            if label.is_empty() { heading.title.clone() } else { format!("{label} {}", heading.title) };
        return vec![(texts(&line.title), whole)];
    }
    let mut changes = Vec::new();
    if line.label_text().trim() != label {
        changes.push((texts(&line.label), label));
    }
    if line.title_text().trim() != heading.title {
        changes.push((texts(&line.title), heading.title.clone()));
    }
    changes
}

/// The page on which each paragraph began when the document was laid out last, as far as the document tells
/// (`w:lastRenderedPageBreak`); nothing if pages are counted anew somewhere.
fn last_pages(document: &Document, body: NodeId) -> HashMap<NodeId, u32> {
    let mut pages = HashMap::new();
    let mut page: u32 = 1;
    let mut fresh: Option<NodeId> = None;
    for node in document.descendants(body) {
        match document.name(node) {
            P => {
                pages.insert(node, page);
                fresh = Some(node);
            }
            LAST_RENDERED_PAGE_BREAK => {
                page = page.saturating_add(1);
                // A break before the first words is before the paragraph.
                if let Some(paragraph) = fresh {
                    pages.insert(paragraph, page);
                }
            }
            T => fresh = None,
            PG_NUM_TYPE if document.attribute(node, START).is_some() => return HashMap::new(),
            _ => {}
        }
    }
    if page == 1 { HashMap::new() } else { pages }
}
