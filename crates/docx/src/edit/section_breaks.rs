//! Writes the break of a section: a new paragraph that carries its layout (ISO/IEC 29500-1 §17.6.17).

use engross_xml::NodeId;

use crate::edit::expected::NewText;
use crate::edit::tree_editor::{TreeEditor, WriteOutcome};
use crate::error::{Refusal, RefusalCode};
use crate::names::{INS, P, P_PR, SECT_PR_CHANGE};
use crate::ops::Where;

impl TreeEditor<'_> {
    /// Ends a section before the paragraph `index`, with a copy of the layout `section`.
    pub(super) fn write_section_break(
        &mut self,
        index: usize,
        section: NodeId,
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        let gap = index;
        let (index, side) = self.spot(index, Where::Before)?;
        let (before, position) = self.place(index, side, gap);
        let Some(before) = before.filter(|_| side == Where::Before) else {
            return Err(Refusal::new(
                RefusalCode::OverlappingOperations,
                "an earlier operation of this batch deletes what stands behind the break; send this one after reading again",
            ));
        };
        let mut writer = self.writer(author);
        let paragraph = writer.document.new_element(P);
        let properties = writer.document.new_element(P_PR);
        let copy = writer.document.copy(section);
        if let Some(record) = writer.document.child(copy, SECT_PR_CHANGE) {
            writer.document.detach(record);
        }
        writer.document.append(properties, copy);
        writer.document.append(paragraph, properties);
        writer.document.insert_before(before, paragraph);
        writer.mark_paragraph(paragraph, INS);
        self.new_beside(index, side).insert(position, NewText { gap, text: String::new() });
        Ok(WriteOutcome::Done)
    }
}
