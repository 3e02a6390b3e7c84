"""What a document means beyond its texts and looks: where references lead, whether tables have the columns of their cells, which
numbers lists show, what controls say; and how many changes a reader of a redline sees.

`judge.py` asks for it. Must never ask an engine, nor take a name, an id or a style that an engine is free to choose for a fault.
"""
import re
from collections import Counter
from typing import Any, Iterator, Mapping

from resolve import CHANGES, MARKERS, W

W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
REFERENCE = re.compile(r"\b((?:PAGE|NOTE)?REF)\s+([A-Za-z_]\w*)(.*)", re.DOTALL)
# What a reader sees of a run. Ends of paragraphs are seen, too.
SEEN = {W + name for name in ("t", "delText", "drawing", "pict", "object", "br", "tab", "cr", "sym", "footnoteReference", "endnoteReference",
                              "noBreakHyphen", "softHyphen")}
OWN_LOOK = re.compile(r"^(Normal|Header|Footer|FootnoteText|EndnoteText|ListParagraph|ListBullet|ListNumber)$")
Root = Any  # an element of lxml


def without_twins(roots: list[Root]) -> None:
    """Takes away each bookmark whose name stands before it already: of several with one name the format keeps the first, deleted or not."""
    names: set[str] = set()
    for start in [e for root in roots for e in root.iter(W + "bookmarkStart")]:
        if start.get(W + "name") in names:
            start.getparent().remove(start)
        names.add(start.get(W + "name") or "")


def covered(root: Root) -> dict[str, str]:
    """The words that each bookmark of a part covers, its revisions resolved."""
    found: dict[str, str] = {}
    open_names: dict[str | None, str] = {}
    for e in root.iter():
        if e.tag == W + "bookmarkStart":
            open_names[e.get(W + "id")] = e.get(W + "name") or ""
            found.setdefault(e.get(W + "name") or "", "")
        elif e.tag == W + "bookmarkEnd":
            open_names.pop(e.get(W + "id"), None)
        elif e.tag == W + "t":
            for name in open_names.values():
                found[name] += e.text or ""
    return found


def led(root: Root, bookmarks: Mapping[str, str]) -> None:
    """Lets fields and links within a document name the words that they lead to instead of a bookmark, whose name is free."""
    def words(name: str) -> str:
        return "«" + bookmarks[name].strip() + "»" if name in bookmarks else "«nowhere»"

    def code(text: str) -> str:
        """With its switches in order, but for the one that keeps a look."""
        return REFERENCE.sub(lambda found: " ".join([found[1], words(found[2]), *sorted(found[3].replace("\\* MERGEFORMAT", "").split())]), text)

    for e in root.iter(W + "instrText", W + "delInstrText"):
        e.text = code(e.text or "")
    for e in root.iter(W + "fldSimple"):
        e.set(W + "instr", code(e.get(W + "instr") or ""))
    for e in root.iter(W + "hyperlink"):
        if e.get(W + "anchor"):
            e.set(W + "anchor", words(e.get(W + "anchor")))


def grids(root: Root) -> Counter[str]:
    """Tables whose rows have more or fewer columns than their grid."""
    found: Counter[str] = Counter()
    for table in root.iter(W + "tbl"):
        grid = table.find(W + "tblGrid")
        if grid is None:
            continue
        columns = len(grid.findall(W + "gridCol"))
        for row in table.findall(W + "tr"):
            wide = sum(_number(cell.find(f"{W}tcPr/{W}gridSpan"), 1) for cell in row.iter(W + "tc") if _row(cell) is row)
            wide += sum(_number(row.find(f"{W}trPr/{W}{name}"), 0) for name in ("gridBefore", "gridAfter"))
            if wide != columns:
                found[f"a row of {wide} columns in a grid of {columns}"] += 1
    return found


def _row(cell: Root) -> Root:
    return next((a for a in cell.iterancestors() if a.tag == W + "tr"), None)


def _number(element: Root | None, otherwise: int) -> int:
    return otherwise if element is None else int(element.get(W + "val") or otherwise)


def controls(root: Root) -> list[tuple[str, str, bool, str]]:
    """Each content control: its tag, its words, whether it still waits for words, and whether its box is checked."""
    out = []
    for e in root.iter(W + "sdt"):
        properties = e.find(W + "sdtPr")
        if properties is None:
            continue
        tag, box = properties.find(W + "tag"), properties.find(f"{W14}checkbox/{W14}checked")
        words = "".join(t.text or "" for t in e.iter(W + "t"))
        waits = properties.find(W + "showingPlcHdr") is not None
        checked = "" if box is None else str((box.get(W14 + "val") or "1") in ("1", "true"))
        out.append((tag.get(W + "val") or "" if tag is not None else "", words, waits, checked))
    return sorted(out)


def numbers(body: Root, numbering: Root | None) -> list[tuple[str, str]]:
    """The words of each numbered paragraph, and the number or bullet that it shows. Numbers of styles are not read."""
    if numbering is None:
        return []
    levels = {a.get(W + "abstractNumId"): {lvl.get(W + "ilvl"): lvl for lvl in a.iter(W + "lvl")} for a in numbering.iter(W + "abstractNum")}
    lists = {n.get(W + "numId"): n for n in numbering.iter(W + "num")}
    counts: dict[tuple[str, int], int] = {}
    begun: set[tuple[str, str]] = set()
    out = []
    for p in body.iter(W + "p"):
        kind, depth = p.find(f"{W}pPr/{W}numPr/{W}numId"), p.find(f"{W}pPr/{W}numPr/{W}ilvl")
        known = lists.get(kind.get(W + "val")) if kind is not None else None
        if known is None:
            continue
        ilvl = depth.get(W + "val") or "0" if depth is not None else "0"
        shared = known.find(W + "abstractNumId").get(W + "val")
        level = levels.get(shared, {}).get(ilvl)
        if level is None:
            continue
        start, anew = _number(level.find(W + "start"), 1), known.find(f"{W}lvlOverride[@{W}ilvl='{ilvl}']/{W}startOverride")
        at = (shared, int(ilvl))
        counts[at] = counts.get(at, start - 1) + 1
        if anew is not None and (known.get(W + "numId"), ilvl) not in begun:
            counts[at] = _number(anew, start)
        begun.add((known.get(W + "numId"), ilvl))
        for deeper in [key for key in counts if key[0] == shared and key[1] > at[1]]:
            del counts[deeper]
        out.append(("".join(t.text or "" for t in p.iter(W + "t")), _shown(level, counts, shared, levels[shared])))
    return out


def _shown(level: Root, counts: dict[tuple[str, int], int], shared: str, levels: Mapping[str, Root]) -> str:
    if level.find(W + "numFmt") is not None and level.find(W + "numFmt").get(W + "val") == "bullet":
        return "•"
    text = level.find(W + "lvlText").get(W + "val") if level.find(W + "lvlText") is not None else ""
    return re.sub("%([1-9])", lambda found: _figure(counts.get((shared, int(found[1]) - 1), 1), levels.get(str(int(found[1]) - 1))), text)


def _figure(count: int, level: Root | None) -> str:
    kind = level.find(W + "numFmt").get(W + "val") if level is not None and level.find(W + "numFmt") is not None else "decimal"
    if kind in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (count - 1) % 26)
        return letter.upper() if kind == "upperLetter" else letter
    if kind in ("lowerRoman", "upperRoman"):
        roman = "".join(["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"][count % 10:count % 10 + 1])
        roman = "x" * (count // 10) + roman
        return roman.upper() if kind == "upperRoman" else roman
    return str(count)


def essential(story: Any) -> Any:
    """A story without what an engine is free to choose for new objects: the style of a header, a note or a list, the look of a link's words and of
    a note's mark, and which list gives a number, since the numbers shown are compared by themselves."""
    if isinstance(story, frozenset):
        return frozenset((kind, place, essential(inner)) for kind, place, inner in story)
    out = []
    for item in story:
        if item[0] == "s":
            out.append(("s", "tc" + item[1][3:] if item[1].startswith("tc1") and not item[1][3:4].isdigit() else item[1]))
            continue
        runs: list[list[Any]] = []
        for look, text, more in item[2]:
            link = [one for one in look if one[0] == "link"]
            look = () if more in ("fn", "en") else tuple(link) if link else look
            if runs and runs[-1][0] == look and not more and not runs[-1][2]:
                runs[-1][1] += text
            else:
                runs.append([look, text, more])
        kept = tuple(one for one in item[3] if one[0] not in ("num", W + "ind", W + "contextualSpacing")
                     and not (one[0] == W + "pStyle" and OWN_LOOK.match(str(one[1][0][1]))))
        out.append(("p", item[1], tuple(map(tuple, runs)), kept))
    return tuple(out)


def note_words(story: Any) -> Any:
    """Notes by their words: the space behind a note's own mark, and its style, are the engine's to choose."""
    return tuple((item[0], item[1].strip()) for item in story)


def seen(root: Root, author: str) -> int:
    """How many changes of an author somebody sees who reads a part from the top. Neighbours of one kind are one: an insertion that is several
    runs or paragraphs, a deleted row with its text, a table all of whose rows go. A deletion and the insertion beside it are two, and so
    are the two ends of a move. Changes of a look count by themselves, neighbours again as one. Grids are not seen."""
    return _stretches(_pieces(root, author)) + sum(_stretches(_looks(root, author, change)) for change in sorted(CHANGES - {W + "tblGridChange"}))


def _stretches(kinds: Iterator[str]) -> int:
    count, last = 0, ""
    for kind in kinds:
        count += bool(kind) and kind != last
        last = kind
    return count


def _ours(holder: Root | None, author: str) -> str:
    """The kind of our marker that stands in properties."""
    found = [e for e in holder if e.get(W + "author") == author and (e.tag in MARKERS or e.tag in (W + "cellIns", W + "cellDel"))] if holder is not None else []
    return found[0].tag[len(W):].replace("cellIns", "ins").replace("cellDel", "del") if found else ""


def _pieces(element: Root, author: str, kind: str = "") -> Iterator[str]:
    """The kind of our change, or nothing, for each piece of text, object and paragraph's end, in order."""
    if not isinstance(element.tag, str) or element.tag == FALLBACK:
        return
    if element.tag in MARKERS and element.get(W + "author") == author:
        kind = element.tag[len(W):]
    elif element.tag == W + "tr":
        kind = _ours(element.find(W + "trPr"), author) or kind
    elif element.tag == W + "tc":
        kind = _ours(element.find(W + "tcPr"), author) or kind
    if element.tag in SEEN:
        yield kind
    for child in element:
        if child.tag not in (W + "pPr", W + "rPr", W + "trPr", W + "tcPr", W + "tblPr", W + "sectPr"):
            yield from _pieces(child, author, kind)
    if element.tag == W + "p":
        yield _ours(element.find(f"{W}pPr/{W}rPr"), author) or kind


def _looks(root: Root, author: str, change: str) -> Iterator[str]:
    """The change or nothing for each thing that could have it, in order."""
    holder = change.replace("Change", "")
    owner = {"rPr": "r", "pPr": "p", "tcPr": "tc", "trPr": "tr", "tblPr": "tbl"}.get(holder[len(W):])
    if owner is None:
        for found in root.iter(change):
            if found.get(W + "author") == author:
                yield from (change, "")
        return
    for e in root.iter(W + owner):
        found = e.find(f"{holder}/{change}")
        yield change if found is not None and found.get(W + "author") == author else ""


