//! Complex fields, which begin in one run, end in another, and may span paragraphs (ISO/IEC 29500-1 §17.16.18).

use std::collections::{HashMap, HashSet};

use engross_xml::{Document, NodeId};

use crate::names::{DEL_INSTR_TEXT, FLD_CHAR, FLD_CHAR_TYPE, INSTR_TEXT};

/// The complex fields that are open at some place, outermost first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldContext {
    open: Vec<Field>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Field {
    /// The element that begins it.
    begin: Option<NodeId>,
    code: String,
    in_result: bool,
}

impl FieldContext {
    /// Takes in a node of the text: only `w:fldChar` and instruction text matter.
    pub fn take(&mut self, document: &Document, node: NodeId) {
        match document.name(node) {
            FLD_CHAR => match document.attribute(node, FLD_CHAR_TYPE).as_deref() {
                Some("begin") => self.open.push(Field { begin: Some(node), ..Field::default() }),
                Some("separate") => {
                    if let Some(field) = self.open.last_mut() {
                        field.in_result = true;
                    }
                }
                Some("end") => {
                    self.open.pop();
                }
                _ => {}
            },
            INSTR_TEXT | DEL_INSTR_TEXT => {
                if let Some(field) = self.open.last_mut().filter(|field| !field.in_result) {
                    field.code.push_str(&document.element_text(node));
                }
            }
            _ => {}
        }
    }

    /// How many fields are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether text here is part of an instruction, which readers do not see.
    #[must_use]
    pub fn in_code(&self) -> bool {
        self.open.iter().any(|field| !field.in_result)
    }

    /// The instructions of the open fields whose results stand here, innermost first.
    pub fn results(&self) -> impl Iterator<Item = &str> {
        self.open.iter().rev().filter(|field| field.in_result).map(|field| field.code.as_str())
    }

    /// The name of the innermost field whose result must not be edited by hand: any but `HYPERLINK`.
    #[must_use]
    pub fn guarded(&self) -> Option<&str> {
        let name = |field: &'_ Field| field.code.split_whitespace().next().unwrap_or("field").to_owned();
        let guarded = |field: &&Field| field.in_result && !name(field).eq_ignore_ascii_case("HYPERLINK");
        self.open
            .iter()
            .rev()
            .find(guarded)
            .map(|field| field.code.split_whitespace().next().unwrap_or("field"))
    }
}

/// The fields open at the start of each paragraph that does not start outside all fields.
#[must_use]
pub fn fields_at_start(document: &Document, paragraphs: &[NodeId]) -> HashMap<NodeId, FieldContext> {
    let mut context = FieldContext::default();
    let mut found: HashMap<NodeId, FieldContext> = HashMap::new();
    for paragraph in paragraphs {
        if context.depth() > 0 {
            found.insert(*paragraph, context.clone());
        }
        for node in document.descendants(*paragraph) {
            context.take(document, node);
        }
    }
    // What begins and never ends is no field for the paragraphs behind it.
    let unclosed: HashSet<NodeId> = context.open.iter().filter_map(|field| field.begin).collect();
    if !unclosed.is_empty() {
        found.retain(|_, context| {
            context.open.retain(|field| field.begin.is_none_or(|begin| !unclosed.contains(&begin)));
            context.depth() > 0
        });
    }
    found
}
