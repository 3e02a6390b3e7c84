//! What may stand in an element of the main namespace, and in which order: the schema's content models as tables
//! (ISO/IEC 29500-1 and -4, annex A.1, `wml.xsd`).
//!
//! Only elements whose children are named here are looked at. Must never look at a document.

/// Children that stand in an order: slots between spaces, names that share a slot between bars. `*` after a slot means
/// that its names may come again. What is in no slot, but in [`may_hold`], stands anywhere.
pub(crate) fn sequence(parent: &str) -> Option<&'static str> {
    Some(match parent {
        "document" => "background body",
        "body" => "p|tbl|sdt|customXml|altChunk* sectPr",
        "tbl" => "tblPr tblGrid tr|sdt|customXml*",
        "tr" => "tblPrEx trPr tc|sdt|customXml*",
        "tc" => "tcPr p|tbl|sdt|customXml|altChunk*",
        "tblPr" => {
            "tblStyle tblpPr tblOverlap bidiVisual tblStyleRowBandSize tblStyleColBandSize tblW jc tblCellSpacing tblInd \
             tblBorders shd tblLayout tblCellMar tblLook tblCaption tblDescription tblPrChange"
        }
        "tblPrEx" => {
            "tblW jc tblCellSpacing tblInd tblBorders shd tblLayout tblCellMar tblLook tblPrExChange"
        }
        "trPr" => {
            "cnfStyle|divId|gridBefore|gridAfter|wBefore|wAfter|cantSplit|trHeight|tblHeader|tblCellSpacing|jc|hidden* \
             ins del trPrChange"
        }
        "tcPr" => {
            "cnfStyle tcW gridSpan hMerge vMerge tcBorders shd noWrap tcMar textDirection tcFitText vAlign hideMark \
             headers cellIns|cellDel|cellMerge tcPrChange"
        }
        "tblBorders" => "top start|left bottom end|right insideH insideV",
        "tcBorders" => "top start|left bottom end|right insideH insideV tl2br tr2bl",
        "tblCellMar" | "tcMar" => "top start|left bottom end|right",
        "tblGrid" => "gridCol* tblGridChange",
        "sectPr" => {
            "headerReference|footerReference* footnotePr endnotePr type pgSz pgMar paperSrc pgBorders lnNumType pgNumType \
             cols formProt vAlign noEndnote titlePg textDirection bidi rtlGutter docGrid printerSettings sectPrChange"
        }
        "pBdr" => "top left bottom right between bar",
        "numPr" => "ilvl numId numberingChange ins",
        "sdt" => "sdtPr sdtEndPr sdtContent",
        "ruby" => "rubyPr rt rubyBase",
        "rubyPr" => "rubyAlign hps hpsRaise hpsBaseText lid dirty",
        "numbering" => "numPicBullet* abstractNum* num* numIdMacAtCleanup",
        "abstractNum" => "nsid multiLevelType tmpl name styleLink numStyleLink lvl*",
        "num" => "abstractNumId lvlOverride*",
        "lvlOverride" => "startOverride lvl",
        "lvl" => "start numFmt lvlRestart pStyle isLgl suff lvlText lvlPicBulletId legacy lvlJc pPr rPr",
        "styles" => "docDefaults latentStyles style*",
        "docDefaults" => "rPrDefault|pPrDefault*",
        "style" => {
            "name aliases basedOn next link autoRedefine hidden uiPriority semiHidden unhideWhenUsed qFormat locked personal \
             personalCompose personalReply rsid pPr rPr tblPr trPr tcPr tblStylePr*"
        }
        "tblStylePr" => "pPr rPr tblPr trPr tcPr",
        "comments" => "comment*",
        "footnotes" => "footnote*",
        "endnotes" => "endnote*",
        "footnotePr" => "pos numFmt numStart numRestart footnote*",
        "endnotePr" => "pos numFmt numStart numRestart endnote*",
        "settings" => SETTINGS,
        _ => return None,
    })
}

/// `CT_Settings`. Elements of other namespaces stand between them and are not looked at.
const SETTINGS: &str = "writeProtection view zoom removePersonalInformation removeDateAndTime \
    doNotDisplayPageBoundaries displayBackgroundShape printPostScriptOverText printFractionalCharacterWidth \
    printFormsData embedTrueTypeFonts embedSystemFonts saveSubsetFonts saveFormsData mirrorMargins \
    alignBordersAndEdges bordersDoNotSurroundHeader bordersDoNotSurroundFooter gutterAtTop hideSpellingErrors \
    hideGrammaticalErrors activeWritingStyle* proofState formsDesign attachedTemplate linkStyles \
    stylePaneFormatFilter stylePaneSortMethod documentType mailMerge revisionView trackRevisions \
    doNotTrackMoves doNotTrackFormatting documentProtection autoFormatOverride styleLockTheme styleLockQFSet \
    defaultTabStop autoHyphenation consecutiveHyphenLimit hyphenationZone doNotHyphenateCaps showEnvelope \
    summaryLength clickAndTypeStyle defaultTableStyle evenAndOddHeaders bookFoldRevPrinting bookFoldPrinting \
    bookFoldPrintingSheets drawingGridHorizontalSpacing drawingGridVerticalSpacing \
    displayHorizontalDrawingGridEvery displayVerticalDrawingGridEvery doNotUseMarginsForDrawingGridOrigin \
    drawingGridHorizontalOrigin drawingGridVerticalOrigin doNotShadeFormData noPunctuationKerning \
    characterSpacingControl printTwoOnOne strictFirstAndLastChars noLineBreaksAfter noLineBreaksBefore \
    savePreviewPicture doNotValidateAgainstSchema saveInvalidXml ignoreMixedContent alwaysShowPlaceholderText \
    doNotDemarcateInvalidXml saveXmlDataOnly useXSLTWhenSaving saveThroughXslt showXMLTags \
    alwaysMergeEmptyNamespace updateFields hdrShapeDefaults footnotePr endnotePr compat docVars rsids \
    attachedSchema* themeFontLang clrSchemeMapping doNotIncludeSubdocsInStats \
    doNotAutoCompressPictures forceUpgrade captions readModeInkLockDown smartTagType* shapeDefaults \
    doNotEmbedSmartTags decimalSymbol listSeparator";

/// Whether `child` may stand in `parent`, in whichever order; `None` if only [`sequence`] knows the parent, or nothing does.
pub(crate) fn may_hold(parent: &str, child: &str) -> Option<bool> {
    let block = || matches!(child, "p" | "tbl" | "sdt" | "customXml" | "altChunk");
    let inline = || {
        matches!(
            child,
            "r" | "hyperlink"
                | "fldSimple"
                | "sdt"
                | "customXml"
                | "smartTag"
                | "dir"
                | "bdo"
                | "subDoc"
                | "contentPart"
        )
    };
    let own = match parent {
        "body" => block() || child == "sectPr",
        "hdr" | "ftr" | "footnote" | "endnote" | "comment" | "txbxContent" => block(),
        "tc" => block() || child == "tcPr",
        "p" => inline() || child == "pPr",
        "hyperlink" | "dir" | "bdo" | "rt" | "rubyBase" => inline(),
        "fldSimple" => inline() || child == "fldData",
        "smartTag" => inline() || child == "smartTagPr",
        "tbl" => matches!(child, "tblPr" | "tblGrid" | "tr" | "sdt" | "customXml"),
        "tr" => matches!(child, "tblPrEx" | "trPr" | "tc" | "sdt" | "customXml"),
        "sdtContent" => block() || inline() || matches!(child, "tr" | "tc"),
        "customXml" => block() || inline() || matches!(child, "tr" | "tc" | "customXmlPr"),
        "r" => return Some(is_run_content(child)),
        "rPr" => return Some(is_run_property(child)),
        _ => return None,
    };
    Some(own || is_anywhere(child))
}

/// Whether an element may stand between blocks and between runs alike: ranges, revisions, marks of the proof reader.
fn is_anywhere(child: &str) -> bool {
    matches!(child, "ins" | "del" | "moveFrom" | "moveTo" | "proofErr" | "permStart" | "permEnd")
        || ["bookmark", "moveFromRange", "moveToRange", "commentRange"]
            .iter()
            .chain(&[
                "customXmlInsRange",
                "customXmlDelRange",
                "customXmlMoveFromRange",
                "customXmlMoveToRange",
            ])
            .any(|range| matches!(child.strip_prefix(range), Some("Start" | "End")))
}

fn is_run_content(child: &str) -> bool {
    matches!(
        child,
        "rPr"
            | "br"
            | "t"
            | "contentPart"
            | "delText"
            | "instrText"
            | "delInstrText"
            | "noBreakHyphen"
            | "softHyphen"
            | "dayShort"
            | "monthShort"
            | "yearShort"
            | "dayLong"
            | "monthLong"
            | "yearLong"
            | "annotationRef"
            | "footnoteRef"
            | "endnoteRef"
            | "separator"
            | "continuationSeparator"
            | "sym"
            | "pgNum"
            | "cr"
            | "tab"
            | "object"
            | "pict"
            | "fldChar"
            | "ruby"
            | "footnoteReference"
            | "endnoteReference"
            | "commentReference"
            | "drawing"
            | "ptab"
            | "lastRenderedPageBreak"
    )
}

fn is_run_property(child: &str) -> bool {
    matches!(
        child,
        "rStyle"
            | "rFonts"
            | "b"
            | "bCs"
            | "i"
            | "iCs"
            | "caps"
            | "smallCaps"
            | "strike"
            | "dstrike"
            | "outline"
            | "shadow"
            | "emboss"
            | "imprint"
            | "noProof"
            | "snapToGrid"
            | "vanish"
            | "webHidden"
            | "color"
            | "spacing"
            | "w"
            | "kern"
            | "position"
            | "sz"
            | "szCs"
            | "highlight"
            | "u"
            | "effect"
            | "bdr"
            | "shd"
            | "fitText"
            | "vertAlign"
            | "rtl"
            | "cs"
            | "em"
            | "lang"
            | "eastAsianLayout"
            | "specVanish"
            | "oMath"
            | "rPrChange"
            | "ins"
            | "del"
            | "moveFrom"
            | "moveTo"
    )
}
