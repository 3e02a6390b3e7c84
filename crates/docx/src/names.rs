//! The names of WordprocessingML and its neighbours as constants, strict and transitional namespaces alike
//! (ISO/IEC 29500-1 and -4).
//!
//! Must never hold behaviour.

use engross_xml::{NamespaceGroup, QName, Vocabulary};

/// `w:`, the main namespace.
pub const W: NamespaceGroup = NamespaceGroup(0);
/// `w14:`, Word 2010.
pub const W14: NamespaceGroup = NamespaceGroup(1);
/// `r:`, relationship references.
pub const R: NamespaceGroup = NamespaceGroup(2);
/// `mc:`, markup compatibility.
pub const MC: NamespaceGroup = NamespaceGroup(3);
/// `m:`, mathematics.
pub const M: NamespaceGroup = NamespaceGroup(4);
/// `xml:`.
pub const XML: NamespaceGroup = NamespaceGroup(5);
/// Package relationships.
pub const REL: NamespaceGroup = NamespaceGroup(6);
/// Content types.
pub const CT: NamespaceGroup = NamespaceGroup(7);
/// No namespace.
pub const NONE: NamespaceGroup = NamespaceGroup(8);
/// `wp:`, drawings placed in text.
pub const WP: NamespaceGroup = NamespaceGroup(9);
/// `w15:`, Word 2013.
pub const W15: NamespaceGroup = NamespaceGroup(10);

/// `w16cid:`, lasting ids of comments.
pub const W16CID: NamespaceGroup = NamespaceGroup(11);
/// `a:`, drawings.
pub const A: NamespaceGroup = NamespaceGroup(17);
/// `v:`, VML.
pub const V: NamespaceGroup = NamespaceGroup(19);
/// `pic:`, pictures in drawings.
pub const PIC: NamespaceGroup = NamespaceGroup(18);

/// `cp:`, core properties of a package.
pub const CP: NamespaceGroup = NamespaceGroup(12);
/// `dc:`, Dublin Core.
pub const DC: NamespaceGroup = NamespaceGroup(13);
/// Extended properties of a document.
pub const EP: NamespaceGroup = NamespaceGroup(14);
/// Custom properties of a document.
pub const CU: NamespaceGroup = NamespaceGroup(15);
/// `vt:`, typed values.
pub const VT: NamespaceGroup = NamespaceGroup(16);

/// `pkg:`, a package as one XML file.
pub const PKG: NamespaceGroup = NamespaceGroup(20);
/// The URI of `pkg:`.
pub const PKG_URI: &str = "http://schemas.microsoft.com/office/2006/xmlPackage";

/// The transitional URI of `w:`, which new declarations use unless the part is strict.
pub const W_URI: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

/// Both URIs of `w:`.
pub const W_URIS: &[&str] = &[W_URI, "http://purl.oclc.org/ooxml/wordprocessingml/main"];

const NAMESPACES: &[&[&str]] = &[
    W_URIS,
    &["http://schemas.microsoft.com/office/word/2010/wordml"],
    &[
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "http://purl.oclc.org/ooxml/officeDocument/relationships",
    ],
    &["http://schemas.openxmlformats.org/markup-compatibility/2006"],
    &[
        "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "http://purl.oclc.org/ooxml/officeDocument/math",
    ],
    &["http://www.w3.org/XML/1998/namespace"],
    &["http://schemas.openxmlformats.org/package/2006/relationships"],
    &["http://schemas.openxmlformats.org/package/2006/content-types"],
    &[""],
    &[
        "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing",
    ],
    &["http://schemas.microsoft.com/office/word/2012/wordml"],
    &["http://schemas.microsoft.com/office/word/2016/wordml/cid"],
    &["http://schemas.openxmlformats.org/package/2006/metadata/core-properties"],
    &["http://purl.org/dc/elements/1.1/"],
    &[
        "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties",
        "http://purl.oclc.org/ooxml/officeDocument/extendedProperties",
    ],
    &[
        "http://schemas.openxmlformats.org/officeDocument/2006/custom-properties",
        "http://purl.oclc.org/ooxml/officeDocument/customProperties",
    ],
    &[
        "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes",
        "http://purl.oclc.org/ooxml/officeDocument/docPropsVTypes",
    ],
    &["http://schemas.openxmlformats.org/drawingml/2006/main", "http://purl.oclc.org/ooxml/drawingml/main"],
    &[
        "http://schemas.openxmlformats.org/drawingml/2006/picture",
        "http://purl.oclc.org/ooxml/drawingml/picture",
    ],
    &["urn:schemas-microsoft-com:vml"],
    &[PKG_URI],
];

macro_rules! vocabulary {
    ($($group:ident: $($constant:ident = $local:literal),+ ;)+) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "only counts the constants")]
        #[repr(u16)]
        enum Place { $($($constant),+),+ }
        $($(
            #[doc = concat!("`", stringify!($group), ":", $local, "`")]
            pub const $constant: QName = QName::new(Place::$constant as u16);
        )+)+
        /// All of them.
        pub static VOCABULARY: Vocabulary =
            Vocabulary::new(NAMESPACES, &[$($(($group, $local)),+),+]);
    };
}

vocabulary! {
    W: DOCUMENT = "document", BODY = "body", P = "p", P_PR = "pPr", RUN = "r", R_PR = "rPr", T = "t",
       DEL_TEXT = "delText", INSTR_TEXT = "instrText", DEL_INSTR_TEXT = "delInstrText", TAB = "tab", PTAB = "ptab",
       BR = "br", CR = "cr", NO_BREAK_HYPHEN = "noBreakHyphen", SOFT_HYPHEN = "softHyphen", SYM = "sym",
       LAST_RENDERED_PAGE_BREAK = "lastRenderedPageBreak", DRAWING = "drawing", PICT = "pict", OBJECT = "object",
       FOOTNOTE_REFERENCE = "footnoteReference", ENDNOTE_REFERENCE = "endnoteReference",
       COMMENT_REFERENCE = "commentReference", ANNOTATION_REF = "annotationRef", FOOTNOTE_REF = "footnoteRef",
       ENDNOTE_REF = "endnoteRef", SEPARATOR = "separator", CONTINUATION_SEPARATOR = "continuationSeparator",
       TABS = "tabs", LEADER = "leader", POS = "pos", HISTORY = "history", PG_NUM_TYPE = "pgNumType", FLD_CHAR = "fldChar", FLD_CHAR_TYPE = "fldCharType", FLD_DATA = "fldData", FLD_LOCK = "fldLock", DIRTY = "dirty", FLD_SIMPLE = "fldSimple", INSTR = "instr", RUBY = "ruby",
       RT = "rt", RUBY_BASE = "rubyBase", CONTENT_PART = "contentPart", PG_NUM = "pgNum", DAY_SHORT = "dayShort",
       DAY_LONG = "dayLong", MONTH_SHORT = "monthShort", MONTH_LONG = "monthLong", YEAR_SHORT = "yearShort",
       YEAR_LONG = "yearLong",
       INS = "ins", DEL = "del", MOVE_FROM = "moveFrom", MOVE_TO = "moveTo", ID = "id", AUTHOR = "author", DATE = "date",
       INITIALS = "initials", NAME = "name",
       MOVE_FROM_RANGE_START = "moveFromRangeStart", MOVE_FROM_RANGE_END = "moveFromRangeEnd",
       MOVE_TO_RANGE_START = "moveToRangeStart", MOVE_TO_RANGE_END = "moveToRangeEnd",
       BOOKMARK_START = "bookmarkStart", BOOKMARK_END = "bookmarkEnd", COMMENT_RANGE_START = "commentRangeStart",
       COMMENT_RANGE_END = "commentRangeEnd", PERM_START = "permStart", PERM_END = "permEnd", PROOF_ERR = "proofErr",
       CUSTOM_XML_INS_RANGE_START = "customXmlInsRangeStart", CUSTOM_XML_INS_RANGE_END = "customXmlInsRangeEnd",
       CUSTOM_XML_DEL_RANGE_START = "customXmlDelRangeStart", CUSTOM_XML_DEL_RANGE_END = "customXmlDelRangeEnd",
       CUSTOM_XML_MOVE_FROM_RANGE_START = "customXmlMoveFromRangeStart",
       CUSTOM_XML_MOVE_FROM_RANGE_END = "customXmlMoveFromRangeEnd",
       CUSTOM_XML_MOVE_TO_RANGE_START = "customXmlMoveToRangeStart",
       CUSTOM_XML_MOVE_TO_RANGE_END = "customXmlMoveToRangeEnd",
       HYPERLINK = "hyperlink", ANCHOR = "anchor", SMART_TAG = "smartTag", SMART_TAG_PR = "smartTagPr", CUSTOM_XML = "customXml",
       CUSTOM_XML_PR = "customXmlPr", DIR = "dir", BDO = "bdo", SUB_DOC = "subDoc", ALT_CHUNK = "altChunk",
       SDT = "sdt", SDT_PR = "sdtPr", SDT_END_PR = "sdtEndPr", SDT_CONTENT = "sdtContent", LOCK = "lock",
       DATA_BINDING = "dataBinding", DROP_DOWN_LIST = "dropDownList", COMBO_BOX = "comboBox", ALIAS = "alias", TAG = "tag",
       SHOWING_PLC_HDR = "showingPlcHdr", PICTURE = "picture", CITATION = "citation", EQUATION = "equation",
       TBL = "tbl", TR = "tr", TC = "tc", TBL_PR = "tblPr", TBL_PR_EX = "tblPrEx", TBL_GRID = "tblGrid", TR_PR = "trPr",
       TC_PR = "tcPr", GRID_SPAN = "gridSpan", V_MERGE = "vMerge", V_MERGE_ORIG = "vMergeOrig", CELL_INS = "cellIns", CELL_DEL = "cellDel",
       CELL_MERGE = "cellMerge", SECT_PR = "sectPr", HEADER_REFERENCE = "headerReference",
       FOOTER_REFERENCE = "footerReference",
       R_PR_CHANGE = "rPrChange", P_PR_CHANGE = "pPrChange", SECT_PR_CHANGE = "sectPrChange",
       TBL_PR_CHANGE = "tblPrChange", TBL_PR_EX_CHANGE = "tblPrExChange", TR_PR_CHANGE = "trPrChange",
       TC_PR_CHANGE = "tcPrChange", TBL_GRID_CHANGE = "tblGridChange", NUMBERING_CHANGE = "numberingChange",
       P_STYLE = "pStyle", R_STYLE = "rStyle", NUM_PR = "numPr", ILVL = "ilvl", NUM_ID = "numId", FRAME_PR = "framePr",
       OUTLINE_LVL = "outlineLvl", B = "b", B_CS = "bCs", I = "i", I_CS = "iCs", U = "u", STRIKE = "strike",
       VANISH = "vanish", VERT_ALIGN = "vertAlign", P_BDR = "pBdr", Q_FORMAT = "qFormat", UI_PRIORITY = "uiPriority", KEEP_NEXT = "keepNext", KEEP_LINES = "keepLines",
       PAGE_BREAK_BEFORE = "pageBreakBefore", WIDOW_CONTROL = "widowControl", DSTRIKE = "dstrike", R_FONTS = "rFonts",
       CAPS = "caps", SMALL_CAPS = "smallCaps", COLOR = "color", SZ = "sz", SZ_CS = "szCs", HIGHLIGHT = "highlight",
       CS = "cs", EAST_ASIA = "eastAsia", JC = "jc", SPACING = "spacing", IND = "ind", BEFORE = "before", AFTER = "after",
       BEFORE_AUTO = "beforeAutospacing", AFTER_AUTO = "afterAutospacing", LINE = "line", LINE_RULE = "lineRule",
       LEFT = "left", RIGHT = "right", END = "end", FIRST_LINE = "firstLine", HANGING = "hanging",
       ASCII_THEME = "asciiTheme", H_ANSI_THEME = "hAnsiTheme", CS_THEME = "cstheme", EAST_ASIA_THEME = "eastAsiaTheme",
       THEME_COLOR = "themeColor", THEME_TINT = "themeTint", THEME_SHADE = "themeShade", TBL_HEADER = "tblHeader",
       TBL_W = "tblW", TBL_BORDERS = "tblBorders", TOP = "top", BOTTOM = "bottom", INSIDE_H = "insideH",
       INSIDE_V = "insideV", GRID_COL = "gridCol", TC_W = "tcW", WIDTH = "w", SPACE = "space", TBL_STYLE = "tblStyle",
       GRID_BEFORE = "gridBefore", GRID_AFTER = "gridAfter", W_BEFORE = "wBefore", W_AFTER = "wAfter", H_MERGE = "hMerge",
       PAGE_HEADER = "header", PAGE_FOOTER = "footer",
       TC_BORDERS = "tcBorders", PG_SZ = "pgSz", PG_MAR = "pgMar", W_H = "h", ORIENT = "orient", GUTTER = "gutter",
       TBL_LAYOUT = "tblLayout", MULTI_LEVEL_TYPE = "multiLevelType", LVL_JC = "lvlJc", NSID = "nsid", TMPL = "tmpl",
       VAL = "val", TYPE = "type", DEFAULT = "default",
       STYLES = "styles", STYLE = "style", STYLE_ID = "styleId", BASED_ON = "basedOn", NEXT = "next", LINK = "link",
       NUMBERING = "numbering", ABSTRACT_NUM = "abstractNum", ABSTRACT_NUM_ID = "abstractNumId", NUM = "num",
       LVL = "lvl", LVL_OVERRIDE = "lvlOverride", START_OVERRIDE = "startOverride", START = "start",
       NUM_FMT = "numFmt", LVL_TEXT = "lvlText", LVL_RESTART = "lvlRestart", IS_LGL = "isLgl",
       STYLE_LINK = "styleLink", NUM_STYLE_LINK = "numStyleLink", FORMAT = "format", SUFF = "suff",
       HDR = "hdr", FTR = "ftr", FOOTNOTES = "footnotes", FOOTNOTE = "footnote", ENDNOTES = "endnotes",
       ENDNOTE = "endnote", COMMENTS = "comments", COMMENT = "comment", TXBX_CONTENT = "txbxContent",
       SETTINGS = "settings", DOCUMENT_PROTECTION = "documentProtection", EDIT = "edit", ENFORCEMENT = "enforcement",
       TRACK_REVISIONS = "trackRevisions", W_CHAR = "char", TITLE_PG = "titlePg",
       RSID_R = "rsidR", RSID_R_PR = "rsidRPr", RSID_DEL = "rsidDel", RSID_P = "rsidP", RSID_R_DEFAULT = "rsidRDefault",
       RSID_SECT = "rsidSect", KEPT_REVISION = "keptRevision", RSID_TR = "rsidTr", ASCII = "ascii", H_ANSI = "hAnsi",
       TEXT = "text", RICH_TEXT = "richText", MULTI_LINE = "multiLine", LIST_ITEM = "listItem",
       DISPLAY_TEXT = "displayText", VALUE = "value", LAST_VALUE = "lastValue", FULL_DATE = "fullDate",
       DATE_FORMAT = "dateFormat", LID = "lid", CALENDAR = "calendar", STORE_MAPPED_DATA_AS = "storeMappedDataAs",
       XPATH = "xpath", PREFIX_MAPPINGS = "prefixMappings", STORE_ITEM_ID = "storeItemID", GROUP = "group",
       BIBLIOGRAPHY = "bibliography", DOC_PART_LIST = "docPartList", DOC_PART_OBJ = "docPartObj", HINT = "hint",
       EVEN_AND_ODD_HEADERS = "evenAndOddHeaders", RSIDS = "rsids", RSID = "rsid", BIDI = "bidi", RTL = "rtl",
       BIDI_VISUAL = "bidiVisual", LANG = "lang", DOC_DEFAULTS = "docDefaults", R_PR_DEFAULT = "rPrDefault", P_PR_DEFAULT = "pPrDefault", W_FONT = "font";
    W14: PARA_ID = "paraId", TEXT_ID = "textId", CHECKBOX = "checkbox", CHECKED = "checked", CHECKED_STATE = "checkedState",
       UNCHECKED_STATE = "uncheckedState", W14_VAL = "val", W14_FONT = "font", W14_CONFLICT_INS = "conflictIns",
       W14_CONFLICT_DEL = "conflictDel";
    W15: W15_REPEATING_SECTION = "repeatingSection", W15_REPEATING_SECTION_ITEM = "repeatingSectionItem", W15_DATA_BINDING = "dataBinding", W15_COMMENT_EX = "commentEx",
       W15_PARA_ID = "paraId", W15_PARA_ID_PARENT = "paraIdParent", W15_DONE = "done", W15_PERSON = "person",
       W15_AUTHOR = "author", W15_PRESENCE_INFO = "presenceInfo", W15_PROVIDER_ID = "providerId", W15_USER_ID = "userId";
    W16CID: CID_COMMENT_ID = "commentId", CID_PARA_ID = "paraId", CID_DURABLE_ID = "durableId";
    R: R_ID = "id", R_EMBED = "embed", R_LINK = "link";
    MC: ALTERNATE_CONTENT = "AlternateContent", CHOICE = "Choice", FALLBACK = "Fallback", IGNORABLE = "Ignorable";
    M: O_MATH = "oMath", O_MATH_PARA = "oMathPara", M_R = "r", M_T = "t", M_CTRL_PR = "ctrlPr", M_R_PR = "rPr";
    XML: XML_SPACE = "space";
    REL: RELATIONSHIPS = "Relationships", RELATIONSHIP = "Relationship";
    CT: TYPES = "Types", OVERRIDE = "Override", CT_DEFAULT = "Default";
    NONE: N_ID = "Id", N_TYPE = "Type", N_TARGET = "Target", N_TARGET_MODE = "TargetMode", N_PART_NAME = "PartName",
       N_CONTENT_TYPE = "ContentType", N_EXTENSION = "Extension", N_DESCR = "descr", N_LOWER_ID = "id", N_NAME = "name", N_TITLE = "title",
       N_FMTID = "fmtid", N_PID = "pid",
       N_URI = "uri", N_CX = "cx", N_CY = "cy", N_X = "x", N_Y = "y", N_PRST = "prst";
    WP: DOC_PR = "docPr", WP_INLINE = "inline", WP_EXTENT = "extent";
    CP: CP_KEYWORDS = "keywords", CP_CATEGORY = "category", CP_LAST_MODIFIED_BY = "lastModifiedBy";
    DC: DC_TITLE = "title", DC_SUBJECT = "subject", DC_CREATOR = "creator", DC_DESCRIPTION = "description";
    EP: EP_COMPANY = "Company", EP_MANAGER = "Manager";
    CU: CU_PROPERTY = "property";
    VT: VT_LPWSTR = "lpwstr", VT_BOOL = "bool", VT_R8 = "r8";
    A: A_GRAPHIC = "graphic", A_GRAPHIC_DATA = "graphicData", A_BLIP = "blip", A_STRETCH = "stretch",
       A_FILL_RECT = "fillRect", A_XFRM = "xfrm", A_OFF = "off", A_EXT = "ext", A_PRST_GEOM = "prstGeom",
       A_AV_LST = "avLst";
    PIC: PIC_PIC = "pic", PIC_NV_PIC_PR = "nvPicPr", PIC_C_NV_PR = "cNvPr", PIC_C_NV_PIC_PR = "cNvPicPr",
       PIC_BLIP_FILL = "blipFill", PIC_SP_PR = "spPr";
    V: V_IMAGE_DATA = "imagedata";
    PKG: PKG_PACKAGE = "package", PKG_PART = "part", PKG_XML_DATA = "xmlData", PKG_BINARY_DATA = "binaryData",
       PKG_NAME = "name", PKG_CONTENT_TYPE = "contentType";
}
