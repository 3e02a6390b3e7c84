//! Content controls (`w:sdt`, ISO/IEC 29500-1 §17.5.2): which there are below a root, in which order, and what each holds.
//!
//! The order here is the order of their numbers, wherever controls are numbered. Must never change the tree.

use engross_xml::{Document, NodeId, QName};

use crate::model::is_on;
use crate::names::{
    ALIAS, BIBLIOGRAPHY, CHECKBOX, CHECKED, CITATION, COMBO_BOX, DATA_BINDING, DATE, DEL, DISPLAY_TEXT,
    DOC_PART_LIST, DOC_PART_OBJ, DROP_DOWN_LIST, EQUATION, FALLBACK, GROUP, ID, LIST_ITEM, LOCK, MOVE_FROM,
    MULTI_LINE, PICTURE, PREFIX_MAPPINGS, RICH_TEXT, SDT, SDT_PR, SHOWING_PLC_HDR, STORE_ITEM_ID, TAG, TEXT,
    TXBX_CONTENT, VAL, VALUE, W14_VAL, W15_DATA_BINDING, W15_REPEATING_SECTION, W15_REPEATING_SECTION_ITEM,
    XPATH,
};

/// What a content control takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlKind {
    /// Text of one formatting.
    Text,
    /// Text of any formatting, also several paragraphs.
    RichText,
    /// One of its items.
    DropDown,
    /// One of its items, or any text.
    ComboBox,
    /// A date.
    Date,
    /// A state, shown by a character.
    CheckBox,
    /// A picture.
    Picture,
    /// Something that it builds itself: a citation, an equation, a table of contents, a gallery.
    Built,
    /// A group of what may not be changed.
    Group,
    /// A section that repeats.
    RepeatingSection,
    /// One of the repetitions.
    RepeatingItem,
}

impl ControlKind {
    /// Its name in readings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::RichText => "richText",
            Self::DropDown => "dropDown",
            Self::ComboBox => "comboBox",
            Self::Date => "date",
            Self::CheckBox => "checkBox",
            Self::Picture => "picture",
            Self::Built => "built",
            Self::Group => "group",
            Self::RepeatingSection => "repeatingSection",
            Self::RepeatingItem => "repeatingItem",
        }
    }
}

/// An item of a list that a control offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListItem {
    /// What people see.
    pub(crate) text: String,
    /// What the form knows.
    pub(crate) value: String,
}

/// Where the data stand that a control shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) path: String,
    /// `xmlns:ns0='…'` pairs.
    pub(crate) prefixes: String,
    /// Id of the part; any part that fits without.
    pub(crate) store: Option<String>,
}

/// Every content control below `root` in file order, an outer one before those in it. Text boxes are stories of their own, and of
/// alternate content only the choice counts.
#[must_use]
pub fn controls(document: &Document, root: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut nodes = document.descendants(root);
    while let Some(node) = nodes.next() {
        match document.name(node) {
            FALLBACK | SDT_PR => nodes.skip_below(node),
            TXBX_CONTENT if node != root => nodes.skip_below(node),
            SDT => found.push(node),
            _ => {}
        }
    }
    found
}

/// One content control, as its properties say.
#[derive(Clone, Copy)]
pub(crate) struct Control<'a> {
    document: &'a Document,
    node: NodeId,
    properties: Option<NodeId>,
}

impl<'a> Control<'a> {
    pub(crate) fn of(document: &'a Document, node: NodeId) -> Self {
        Self { document, node, properties: document.child(node, SDT_PR) }
    }

    pub(crate) fn property(&self, name: QName) -> Option<NodeId> {
        self.properties.and_then(|properties| self.document.child(properties, name))
    }

    fn value(&self, name: QName) -> Option<String> {
        let property = self.property(name)?;
        self.document.attribute(property, VAL).map(std::borrow::Cow::into_owned)
    }

    pub(crate) fn kind(&self) -> ControlKind {
        let Some(properties) = self.properties else { return ControlKind::RichText };
        let kind = |node| {
            Some(match self.document.name(node) {
                TEXT => ControlKind::Text,
                RICH_TEXT => ControlKind::RichText,
                DROP_DOWN_LIST => ControlKind::DropDown,
                COMBO_BOX => ControlKind::ComboBox,
                DATE => ControlKind::Date,
                CHECKBOX => ControlKind::CheckBox,
                PICTURE => ControlKind::Picture,
                CITATION | EQUATION | BIBLIOGRAPHY | DOC_PART_LIST | DOC_PART_OBJ => ControlKind::Built,
                GROUP => ControlKind::Group,
                W15_REPEATING_SECTION => ControlKind::RepeatingSection,
                W15_REPEATING_SECTION_ITEM => ControlKind::RepeatingItem,
                _ => return None,
            })
        };
        self.document.children(properties).find_map(kind).unwrap_or(ControlKind::RichText)
    }

    /// Its `w:id`; empty without.
    pub(crate) fn id(&self) -> String {
        self.value(ID).unwrap_or_default()
    }

    pub(crate) fn tag(&self) -> Option<String> {
        self.value(TAG).filter(|tag| !tag.is_empty())
    }

    pub(crate) fn title(&self) -> Option<String> {
        self.value(ALIAS).filter(|title| !title.is_empty())
    }

    /// The value of `w:lock`, unless it locks nothing.
    pub(crate) fn lock(&self) -> Option<String> {
        self.value(LOCK).filter(|lock| lock != "unlocked")
    }

    /// Whether it shows the text that asks people to fill it in.
    pub(crate) fn is_placeholder(&self) -> bool {
        self.property(SHOWING_PLC_HDR).is_some_and(|node| is_on(self.document, node))
    }

    /// Whether its plain text may have lines.
    pub(crate) fn has_lines(&self) -> bool {
        let text = self.property(TEXT).and_then(|text| self.document.attribute(text, MULTI_LINE));
        text.is_some_and(|lines| matches!(&*lines, "1" | "true" | "on"))
    }

    /// What a list offers. An item without a text is shown by its value; one without either is the prompt.
    pub(crate) fn items(&self) -> Vec<ListItem> {
        let Some(list) = self.property(DROP_DOWN_LIST).or_else(|| self.property(COMBO_BOX)) else {
            return Vec::new();
        };
        let nodes = self.document.children(list).filter(|node| self.document.name(*node) == LIST_ITEM);
        let items = nodes.map(|node| {
            let text = |name| self.document.attribute(node, name).map(std::borrow::Cow::into_owned);
            let value = text(VALUE).unwrap_or_default();
            ListItem { text: text(DISPLAY_TEXT).unwrap_or_else(|| value.clone()), value }
        });
        items.filter(|item| !item.value.is_empty()).collect()
    }

    /// Whether a check box is checked.
    pub(crate) fn is_checked(&self) -> Option<bool> {
        let node = self.property(CHECKBOX)?;
        let checked = self.document.child(node, CHECKED)?;
        let value = self.document.attribute(checked, W14_VAL);
        Some(value.is_none_or(|value| matches!(&*value, "1" | "true" | "on")))
    }

    pub(crate) fn binding(&self) -> Option<Binding> {
        let node = self.property(DATA_BINDING).or_else(|| self.property(W15_DATA_BINDING))?;
        let text = |name| self.document.attribute(node, name).map(std::borrow::Cow::into_owned);
        Some(Binding {
            path: text(XPATH)?,
            prefixes: text(PREFIX_MAPPINGS).unwrap_or_default(),
            store: text(STORE_ITEM_ID).filter(|store| !store.is_empty()),
        })
    }

    /// Whether a pending revision deletes it.
    pub(crate) fn is_deleted(&self) -> bool {
        let gone = |above: NodeId| matches!(self.document.name(above), DEL | MOVE_FROM);
        self.document.ancestors(self.node).any(gone)
    }
}
