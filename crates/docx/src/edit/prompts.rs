//! Prompts of content controls: which formatting text has that is typed over one, and how it ends.
//!
//! Must never write text.

use engross_xml::{Document, NodeId};

use crate::edit::control_values::ControlState;
use crate::edit::properties::set_property;
use crate::model::Control;
use crate::names::{
    ASCII, CS, EAST_ASIA, H_ANSI, HINT, P_PR, R_FONTS, R_PR, R_STYLE, SDT, SDT_PR, SHOWING_PLC_HDR,
};

/// The run properties of the new text: those that the control asks for, else those of what it said, without the look of a prompt.
pub(super) fn look_of(
    document: &mut Document,
    (control, container): (NodeId, NodeId),
    old: Option<NodeId>,
    state: &ControlState,
) -> Option<NodeId> {
    let is_placeholder = Control::of(document, control).is_placeholder();
    let asked = document.child(control, SDT_PR).and_then(|properties| document.child(properties, R_PR));
    let mark = document.child(container, P_PR).and_then(|properties| document.child(properties, R_PR));
    let like = match is_placeholder {
        true => asked.or(old),
        false => old.or(asked).or(mark),
    };
    let font = match state {
        ControlState::Checked(_, font) => font.as_deref(),
        _ => None,
    };
    if !is_placeholder && font.is_none() {
        return like;
    }
    let look = match like {
        Some(like) => document.copy(like),
        None => document.new_element(R_PR),
    };
    if is_placeholder
        && asked.is_none()
        && let Some(style) = document.child(look, R_STYLE)
    {
        document.detach(style);
    }
    if let Some(font) = font {
        let mut attributes = vec![(ASCII, font), (H_ANSI, font), (EAST_ASIA, font), (CS, font)];
        if !font.is_ascii() || font.contains("Gothic") || font.contains("Mincho") {
            attributes.push((HINT, "eastAsia"));
        }
        set_property(document, look, R_FONTS, &attributes);
    }
    Some(look)
}

/// Says that what the control says is no prompt any more.
pub(super) fn end_placeholder(document: &mut Document, control: NodeId) {
    let flag =
        document.child(control, SDT_PR).and_then(|properties| document.child(properties, SHOWING_PLC_HDR));
    if let Some(flag) = flag {
        document.detach(flag);
    }
}

/// Ends the prompts of the controls around `node`, in which text is typed. Gives the run properties of that text: those of `like`
/// without the look of a prompt.
pub(super) fn fill_prompts(document: &mut Document, node: NodeId, like: Option<NodeId>) -> Option<NodeId> {
    let around = std::iter::once(node).chain(document.ancestors(node));
    let shows =
        |above: &NodeId| document.name(*above) == SDT && Control::of(document, *above).is_placeholder();
    let controls: Vec<NodeId> = around.filter(shows).collect();
    let Some(control) = controls.first().copied() else { return like };
    let look = look_of(document, (control, node), like, &ControlState::Text);
    controls.into_iter().for_each(|control| end_placeholder(document, control));
    look
}
