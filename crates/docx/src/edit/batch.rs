//! A batch of operations on one story: each planned in the state before the batch, written, proven, and kept or taken
//! back.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::RangeInclusive;

use engross_xml::{Checkpoint, Document, NodeId};

use crate::canon::normal_form;
use crate::edit::base::Base;
use crate::edit::claims::{Claim, Claims};
use crate::edit::content::PARAGRAPH_BREAK;
use crate::edit::draft::{Draft, Written};
use crate::edit::evidence::{self, Evidence};
use crate::edit::expected::Expected;
use crate::edit::ids::Ids;
use crate::edit::plan::{Plan, plan};
use crate::edit::tidy::tidy;
use crate::error::{Refusal, RefusalCode};
use crate::model::Stamp;
use crate::names::{DEL, INS, P_PR_CHANGE};
use crate::ops::{Edit, Operation, OperationResult, Status};
use crate::styles::Styles;

/// Who signs revisions, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature<'a> {
    pub(crate) author: &'a str,
    pub(crate) date: &'a str,
}

/// A batch under way.
pub(crate) struct BatchRun<'a> {
    draft: Draft<'a>,
    author: &'a str,
    claims: Claims,
    /// Normal forms of paragraphs from before the batch.
    forms: HashMap<usize, Vec<u8>>,
}

/// What it takes to undo an operation.
struct Attempt {
    checkpoint: Checkpoint,
    ids: Ids,
    expected: Vec<(usize, Option<Expected>)>,
}

impl<'a> BatchRun<'a> {
    pub(crate) fn new(
        tree: &'a mut Document,
        story: NodeId,
        styles: &'a Styles,
        ids: &'a mut Ids,
        signature: Signature<'a>,
    ) -> Self {
        ids.begin_batch();
        let first_id = ids.peek();
        let base = Base::new(tree, story, styles, first_id);
        let draft = Draft { base, ids, date: signature.date, first_id, expected: BTreeMap::new() };
        Self { draft, author: signature.author, claims: Claims::default(), forms: HashMap::new() }
    }

    /// Runs one operation. On refusal the tree is as it was.
    pub(crate) fn run(&mut self, index: usize, operation: &Operation) -> OperationResult {
        let mut result = OperationResult {
            index,
            op: name_of(operation).to_owned(),
            status: Status::NoChange,
            code: None,
            message: None,
            address: None,
            revision_ids: Vec::new(),
            comment_ids: Vec::new(),
            before: None,
            after: None,
        };
        let first_id = self.draft.ids.peek();
        match self.attempt(operation, &mut result) {
            Ok(status) => {
                result.status = status;
                if status == Status::Applied {
                    result.revision_ids = (first_id..self.draft.ids.peek()).collect();
                }
            }
            Err(refusal) => {
                result.status =
                    if refusal.code == RefusalCode::ProofFailed { Status::Failed } else { Status::Refused };
                result.code = Some(refusal.code.as_str().to_owned());
                result.message = Some(refusal.message);
                result.after = None;
            }
        }
        result
    }

    /// Ends the batch: what it both inserted and deleted goes, so that a later batch can build on it. Results name
    /// only revisions that are there.
    pub(crate) fn finish(self, session_first: i64, results: &mut [OperationResult]) {
        let base = self.draft.base;
        let touched: Vec<NodeId> = self.draft.expected.keys().flat_map(|index| base.chain(*index)).collect();
        let joined = tidy(base.tree, &touched, session_first);
        let tree = &*base.tree;
        let ids: HashSet<i64> = tree
            .descendants(tree.root())
            .filter(|node| matches!(tree.name(*node), INS | DEL | P_PR_CHANGE))
            .filter_map(|node| Stamp::of(tree, node).id)
            .collect();
        for result in results {
            let named = result.revision_ids.iter().map(|id| *joined.get(id).unwrap_or(id));
            let mut there: Vec<i64> = named.filter(|id| ids.contains(id)).collect();
            there.sort_unstable();
            there.dedup();
            result.revision_ids = there;
        }
    }

    fn attempt(&mut self, operation: &Operation, result: &mut OperationResult) -> Result<Status, Refusal> {
        let planned = plan(&mut self.draft.base, operation)?;
        result.message = planned.remark;
        result.address = Some(address_of(&planned.plan));
        result.before = self.before(&planned.plan);
        let claims = self.claim(&planned.plan)?;
        if let Plan::Text(changes) = &planned.plan
            && changes.iter().all(|change| change.hunks.is_empty())
        {
            return Ok(Status::NoChange);
        }
        let scope = self.scope(&planned.plan);
        for index in scope.iter().cloned().flatten() {
            self.remember_form(index);
        }
        let author = operation.author.as_deref().unwrap_or(self.author);
        let attempt = self.begin(&scope);
        let outcome = self.draft.write(&planned.plan, author).and_then(|written| {
            for range in &scope {
                self.prove(range.clone())?;
            }
            Ok(written)
        });
        match outcome {
            Ok(Written::Done) => {}
            Ok(Written::DoneWith(remark)) => result.message = Some(remark.to_owned()),
            Ok(Written::Nothing(why)) => {
                self.take_back(attempt);
                result.message = Some(why.to_owned());
                return Ok(Status::NoChange);
            }
            Err(refusal) => {
                self.take_back(attempt);
                return Err(refusal);
            }
        }
        self.draft.base.tree.commit(attempt.checkpoint);
        for (index, claim) in claims {
            self.claims.add(index, claim);
        }
        result.after = Some(self.draft.after(&planned.plan));
        Ok(Status::Applied)
    }

    fn begin(&mut self, scope: &[RangeInclusive<usize>]) -> Attempt {
        let indices = scope.iter().cloned().flatten();
        Attempt {
            expected: indices.map(|index| (index, self.draft.expected.get(&index).cloned())).collect(),
            ids: self.draft.ids.clone(),
            checkpoint: self.draft.base.tree.checkpoint(),
        }
    }

    fn take_back(&mut self, attempt: Attempt) {
        self.draft.base.tree.rollback(attempt.checkpoint);
        *self.draft.ids = attempt.ids;
        for (index, before) in attempt.expected {
            match before {
                Some(before) => self.draft.expected.insert(index, before),
                None => self.draft.expected.remove(&index),
            };
        }
    }

    fn claim(&self, plan: &Plan) -> Result<Vec<(usize, Claim)>, Refusal> {
        let wanted: Vec<(usize, Claim)> = match plan {
            Plan::Delete { index } => vec![(*index, Claim::Whole)],
            Plan::Insert { .. } => vec![],
            Plan::Text(changes) => changes
                .iter()
                .flat_map(|change| {
                    let crosses = change.first != change.last;
                    let claims = (change.first..=change.last)
                        .map(move |index| (index, if crosses { Claim::Whole } else { change.claim.clone() }));
                    let adds = matches!(&change.claim, Claim::Text(range) if !crosses && !range.is_empty());
                    let additions = change.hunks.iter().filter(move |hunk| adds && hunk.range.is_empty());
                    claims.chain(additions.map(|hunk| (change.first, Claim::Addition(hunk.range.start))))
                })
                .collect(),
        };
        for (index, claim) in &wanted {
            if self.claims.conflicts(*index, claim) {
                return Err(Refusal::new(
                    RefusalCode::OverlappingOperations,
                    format!(
                        "an earlier operation of this batch already changes this text of P{}; \
                         merge the two, or send this one after reading again",
                        index + 1
                    ),
                ));
            }
        }
        Ok(wanted)
    }

    /// Paragraphs that the change or its proof touch, with their neighbours.
    fn scope(&mut self, plan: &Plan) -> Vec<RangeInclusive<usize>> {
        let last = self.draft.base.paragraphs.len().saturating_sub(1);
        let mut scope: Vec<RangeInclusive<usize>> = match plan {
            Plan::Text(changes) => changes.iter().map(|change| change.first..=change.last).collect(),
            Plan::Insert { index, .. } | Plan::Delete { index } => vec![*index..=*index],
        };
        for range in &mut scope {
            let (mut from, mut to) = (*range.start(), *range.end());
            // Borders that go tie a paragraph to its neighbours, however many.
            while from > 0 && self.loses_text(from - 1) {
                from -= 1;
            }
            while to < last && self.loses_text(to + 1) {
                to += 1;
            }
            from = from.saturating_sub(1);
            to = (to + 1).min(last);
            while from > 0 && (self.draft.runs_on(from - 1) || self.loses_text(from - 1)) {
                from -= 1;
            }
            while to < last && self.draft.runs_on(to) {
                to += 1;
            }
            *range = from..=to;
        }
        // Ranges that meet are one.
        scope.sort_by_key(|range| *range.start());
        let mut merged: Vec<RangeInclusive<usize>> = Vec::new();
        for range in scope {
            match merged.last_mut() {
                Some(previous) if *range.start() <= *previous.end() => {
                    *previous = *previous.start()..=(*previous.end()).max(*range.end());
                }
                _ => merged.push(range),
            }
        }
        merged
    }

    /// Whether the batch deleted the paragraph or joined it, so that borders around it may be gone.
    fn loses_text(&self, index: usize) -> bool {
        self.draft.is_gone(index)
    }

    fn remember_form(&mut self, index: usize) {
        if !self.forms.contains_key(&index)
            && let Some(node) = self.draft.base.paragraphs.get(index)
        {
            self.forms.insert(index, normal_form(self.draft.base.tree, *node));
        }
    }

    fn prove(&mut self, range: RangeInclusive<usize>) -> Result<(), Refusal> {
        let mut texts = Vec::new();
        for index in range.clone() {
            match self.draft.expected.get(&index) {
                Some(expected) => texts.extend(expected.texts()),
                None => texts.push(self.draft.base.text(index).to_owned()),
            }
        }
        let originals: Vec<NodeId> =
            range.clone().filter_map(|index| self.draft.base.paragraphs.get(index).copied()).collect();
        let forms: Vec<&[u8]> =
            range.clone().filter_map(|index| self.forms.get(&index)).map(Vec::as_slice).collect();
        let chains: Vec<Vec<NodeId>> = range.map(|index| self.draft.base.chain(index)).collect();
        let evidence = Evidence { originals: &originals, forms: &forms, chains: &chains, texts: &texts };
        evidence::check(self.draft.base.tree, &evidence, &self.draft.base.fields, self.draft.first_id)
    }

    /// The texts that a plan changes, as they were; `None` when it only adds.
    fn before(&mut self, plan: &Plan) -> Option<String> {
        let mut texts = match plan {
            Plan::Insert { .. } => return None,
            Plan::Delete { index } => vec![self.draft.base.text(*index).to_owned()],
            Plan::Text(changes) => {
                changes.iter().map(|change| self.draft.base.joined(change.first, change.last)).collect()
            }
        };
        texts.dedup();
        Some(texts.join("\n").replace(PARAGRAPH_BREAK, "\n"))
    }
}

/// The paragraphs of a plan: `P4`, `P4-P5` across a border, `P4, P9` for several places.
fn address_of(plan: &Plan) -> String {
    let changes = match plan {
        Plan::Insert { index, .. } | Plan::Delete { index } => return format!("P{}", index + 1),
        Plan::Text(changes) => changes,
    };
    let mut places: Vec<String> = Vec::new();
    for change in changes {
        let place = if change.first == change.last {
            format!("P{}", change.first + 1)
        } else {
            format!("P{}-P{}", change.first + 1, change.last + 1)
        };
        if places.last() != Some(&place) {
            places.push(place);
        }
    }
    places.join(", ")
}

fn name_of(operation: &Operation) -> &'static str {
    match operation.edit {
        Edit::ModifyText { .. } => "modify_text",
        Edit::EditParagraph { .. } | Edit::Append { .. } | Edit::Prepend { .. } => "edit_paragraph",
        Edit::InsertParagraph { .. } => "insert_paragraph",
        Edit::DeleteParagraph { .. } => "delete_paragraph",
    }
}
