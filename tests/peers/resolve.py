"""Accepts or rejects the revisions of one author in a part, and leaves those of all others as they are.

Must share no code with any engine that is compared. What it does follows the format's own rules: a deleted or rejected paragraph
mark joins its paragraph with the next, whose properties survive.
"""
import copy
from typing import Literal

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
Mode = Literal["accept", "reject"]
MARKERS = {W + name for name in ("ins", "del", "moveFrom", "moveTo")}
RANGES = {W + name + end for name in ("moveFromRange", "moveToRange") for end in ("Start", "End")}
CHANGES = {W + name + "Change" for name in ("rPr", "pPr", "sectPr", "tblPr", "tblPrEx", "trPr", "tcPr", "tblGrid")}
PROPERTIES = {W + name for name in ("rPr", "trPr", "numPr", "tcPr")}
BLOCKS = {W + name for name in ("p", "tbl", "sdt", "customXml")}
CONTENT = {W + name for name in ("t", "delText", "drawing", "pict", "object", "br", "tab", "footnoteReference", "endnoteReference", "sym",
                                 "fldChar", "instrText", "cr")}


def settled(root: etree._Element, mode: Mode, author: str) -> etree._Element:
    """A copy of the part with this author's revisions accepted or rejected."""
    root = copy.deepcopy(root)
    # The record of a grid has no author: it belongs to the one whose columns came or went.
    columns = any(e.tag in (W + "cellIns", W + "cellDel") and e.get(W + "author") == author for e in root.iter())
    mine = [e for e in root.iter() if e.get(W + "author") == author or columns and e.tag == W + "tblGridChange"]
    gone = {W + "del", W + "moveFrom"} if mode == "accept" else {W + "ins", W + "moveTo"}
    joined = [e.getparent().getparent().getparent() for e in mine
              if e.tag in gone and e.getparent().tag == W + "rPr" and e.getparent().getparent().tag == W + "pPr"]
    for change in [e for e in mine if e.tag in CHANGES]:
        _settle_properties(change, mode)
    _settle_rows(mine, gone, mode)
    for marker in [e for e in mine if e.tag in MARKERS]:
        parent = marker.getparent()
        if parent is None:
            continue
        if parent.tag in PROPERTIES or marker.tag in gone:
            parent.remove(marker)
        else:
            _unwrap(marker)
    _drop_ranges(root, mine)
    attached = {id(p) for p in root.iter(W + "p")}
    for paragraph in joined:
        if id(paragraph) in attached and paragraph.getparent() is not None:
            _join(paragraph)
    for text in list(root.iter(W + "delText")):
        if not any(a.tag in (W + "del", W + "moveFrom") for a in text.iterancestors()):
            text.tag = W + "t"
    return root


def _settle_properties(change: etree._Element, mode: Mode) -> None:
    owner = change.getparent()
    if owner is None:
        return
    owner.remove(change)
    if mode == "accept":
        return
    old = change.find(owner.tag)
    if owner.tag == W + "pPr":
        kept = [e for e in owner if e.tag in (W + "rPr", W + "sectPr")]
    else:
        kept = [e for e in owner if e.tag in MARKERS or e.tag in (W + "headerReference", W + "footerReference")]
    for element in list(owner):
        owner.remove(element)
    before = [] if owner.tag == W + "pPr" else kept
    owner.extend([*before, *(list(old) if old is not None else []), *(kept if owner.tag == W + "pPr" else [])])


def _settle_rows(mine: list[etree._Element], gone: set[str], mode: Mode) -> None:
    cell = W + ("cellDel" if mode == "accept" else "cellIns")
    for marker in mine:
        parent = marker.getparent()
        if parent is None:
            continue
        if marker.tag in gone and parent.tag == W + "trPr" or marker.tag == cell:
            part = parent.getparent()
            if part is not None and part.getparent() is not None:
                table = part.getparent()
                table.remove(part)
                if table.tag == W + "tbl" and table.find(W + "tr") is None and table.getparent() is not None:
                    table.getparent().remove(table)
        elif marker.tag in (W + "cellIns", W + "cellDel"):
            parent.remove(marker)


def _unwrap(element: etree._Element) -> None:
    parent = element.getparent()
    at = parent.index(element)
    for offset, child in enumerate(list(element)):
        parent.insert(at + offset, child)
    parent.remove(element)


def _drop_ranges(root: etree._Element, mine: list[etree._Element]) -> None:
    starts = {(e.tag, e.get(W + "id")) for e in mine if e.tag in RANGES}
    for element in [e for e in root.iter() if e.tag in RANGES]:
        if (element.tag.replace("End", "Start"), element.get(W + "id")) in starts:
            element.getparent().remove(element)


def _next_paragraph(paragraph: etree._Element) -> etree._Element | None:
    """What the content of a paragraph without a mark joins; nothing before a table or the end of its place."""
    element = paragraph
    while True:
        following = element.getnext()
        while following is not None and following.tag not in BLOCKS | {W + "sectPr"}:
            following = following.getnext()
        if following is not None:
            return following if following.tag == W + "p" else None
        box = element.getparent()
        if box is None or box.tag not in (W + "sdtContent", W + "customXml"):
            return None
        element = box.getparent() if box.tag == W + "sdtContent" else box


def _join(paragraph: etree._Element) -> None:
    following = _next_paragraph(paragraph)
    parent = paragraph.getparent()
    if following is not None:
        at = 1 if len(following) and following[0].tag == W + "pPr" else 0
        for offset, child in enumerate([c for c in paragraph if c.tag != W + "pPr"]):
            following.insert(at + offset, child)
        parent.remove(paragraph)
    elif not any(e.tag in CONTENT for e in paragraph.iter()):
        siblings = [e for e in parent if e.tag in BLOCKS]
        needed = parent.tag == W + "tc" and siblings[-1] is paragraph and (len(siblings) == 1 or siblings[-2].tag == W + "tbl")
        if len(siblings) > 1 and not needed:
            parent.remove(paragraph)
