"""Says of a document that an engine made whether it is what was asked for.

Must never ask an engine: what is read here is read by `resolve.py` and by the checker of the project's own corpus runs
(`xtask/checks/check_redline.py`), which share no code with any engine. `selftest.py` shows it wrong documents that it must catch.
"""
import collections
import io
import pathlib
import re
import sys
import zipfile
from dataclasses import dataclass, field
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "xtask" / "checks"))
import check_redline as checker  # noqa: E402
import meaning  # noqa: E402
from resolve import CHANGES, MARKERS, PROPERTIES, W, Mode, settled  # noqa: E402

AUTHOR = "Reviewer"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
W15 = "{http://schemas.microsoft.com/office/word/2012/wordml}"
WORDS = ("right", "wrong", "refused", "cannot", "crashed")
# What no program may read otherwise, or not at all.
DAMAGE = re.compile("p-in-inline|tc-no-final-p|tr-no-tc|r-in-r|note-ref-unresolved|rev-illegal|pPr-not-first|rev-no-author")
# What a warning has to speak of where a document is protected.
PROTECTION = re.compile("protect|read.?only|restrict", re.IGNORECASE)
MODES: tuple[Mode, ...] = ("accept", "reject")
Comment = tuple[str, str, str, str, bool]  # author, text, commented text, text of the comment it answers, resolved


@dataclass(frozen=True)
class Case:
    """One task. `want` is the document that an editor would have once our changes are accepted; None where no is the right answer. `also`
    is a second document that is as right. `protected`: no is right too, and the edit is only with a warning of the protection. `meaning`: what
    counts is what `meaning.py` reads; names, ids and styles of new objects are free. `or_no`: no is right as well."""
    name: str
    group: str
    feature: str
    source: bytes
    operations: list[dict[str, Any]]
    want: bytes | None
    also: bytes | None = None
    comments: list[Comment] | None = None
    tracked: bool = True
    one_word: bool = False
    inside_theirs: bool = False
    protected: bool = False
    meaning: bool = False
    or_no: bool = False


@dataclass(frozen=True)
class Outcome:
    """What an engine answered: the document or nothing, a status and a reason for each operation, its warnings, or the trace it ended with."""
    document: bytes | None
    results: list[dict[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    crash: str = ""


@dataclass(frozen=True)
class Verdict:
    word: str
    why: str = ""
    granularity: float | None = None
    only_ids: bool = False  # wrong, and for nothing but an id that two revisions share
    revisions: int | None = None  # how many changes of ours somebody sees in a right redline


class Reading:
    """A package, and its stories with revisions resolved one way or another."""

    def __init__(self, data: bytes):
        self.data = data
        self.package = checker.Pkg(data)
        self.parts = [name for name in self.package.parts if name.startswith("word/") and name.endswith(".xml")
                      and self.package.root(name) is not None]

    def opens(self) -> bool:
        main = self.package.main()
        return main is not None and self.package.root(main) is not None

    def view(self, ours: Mode, others: Mode) -> dict[str, Any]:
        """Texts, looks and structure of every story, and what each bookmark, comment and content control covers."""
        package = checker.Pkg(self.data)
        for name in self.parts:
            package.xml[name] = settled(package.root(name), ours, AUTHOR)
        view = {story: shown(items) for story, items in checker.Doc(package, others).level("strict").items()}
        found = [anchor for name in self.parts for anchor in anchors(checker.resolve(package.root(name), others))]
        view["anchors"] = [anchor for anchor in found if anchor[0] != "comment" or anchor[2]]  # A comment on nothing goes with its text.
        return view

    def meant(self, ours: Mode, others: Mode) -> dict[str, Any]:
        """What the document means: as `view`, with what references lead to, numbers as shown and the state of controls. Once accepted, without
        what an engine is free to choose."""
        package = checker.Pkg(self.data)
        meaning.without_twins([package.root(name) for name in self.parts])
        for name in self.parts:
            package.xml[name] = settled(package.root(name), ours, AUTHOR)
        roots = {name: checker.resolve(package.root(name), others) for name in self.parts}
        bookmarks = {name: text for root in roots.values() for name, text in meaning.covered(root).items()}
        for name in self.parts:
            meaning.led(package.root(name), bookmarks)
        view = {story: shown(items) for story, items in checker.Doc(package, others).level("strict").items()}
        if ours == "accept":
            view = {story: meaning.note_words(items) if story.endswith("notes") else meaning.essential(items) for story, items in view.items()}
        view["bookmarks"] = sorted(one for one in bookmarks.items() if not one[0].startswith("_"))
        view["comments"] = [anchor for root in roots.values() for anchor in anchors(root) if anchor[0] == "comment" and anchor[2]]
        found = [control for root in roots.values() for control in meaning.controls(root)]
        view["controls"] = sorted(found) if ours == "accept" else sorted(control[:2] for control in found)  # Their state has no revision.
        numbering = next((root for name, root in roots.items() if name.endswith("numbering.xml")), None)
        view["instead"] = [words_of(e) for name in self.parts for e in package.root(name).iter(MC + "Fallback")]
        view["numbers"] = meaning.numbers(roots[package.main()], numbering)
        return view

    def grids(self, ours: Mode) -> collections.Counter[str]:
        """Tables whose grid does not fit their rows, with all changes of others accepted."""
        return sum((meaning.grids(checker.resolve(settled(self.package.root(name), ours, AUTHOR), "accept")) for name in self.parts), collections.Counter())

    def seen(self) -> int:
        """How many changes of ours somebody sees."""
        return sum(meaning.seen(self.package.root(name), AUTHOR) for name in self.parts)

    def others(self, ours: Mode) -> dict[tuple[str, ...], Any]:
        """Revisions of everybody else: the text of each kind, author and date, and how many there are of those without text."""
        found: dict[tuple[str, ...], Any] = {}
        for name in self.parts:
            for e in settled(self.package.root(name), ours, AUTHOR).iter():
                if e.tag in MARKERS | CHANGES and e.get(W + "author") != AUTHOR and not in_fallback(e):
                    key = (name, e.tag[len(W):], e.get(W + "author") or "", e.get(W + "date") or "")
                    if e.tag in MARKERS and e.getparent().tag not in PROPERTIES:
                        if words_of(e):
                            found[key] = found.get(key, "") + words_of(e)
                    else:
                        found[(*key, "property")] = found.get((*key, "property"), 0) + 1
        return found

    def duplicate_ids(self) -> list[str]:
        out = []
        for name in self.parts:
            count = collections.Counter(e.get(W + "id") for e in self.package.root(name).iter()
                                        if e.tag in MARKERS | CHANGES and not in_fallback(e))
            out += [f"revision id {number} twice in {name}" for number, times in count.items() if times > 1]
        return out

    def damage(self) -> collections.Counter[str]:
        return collections.Counter({kind: n for kind, n in checker.sanity(self.package).items() if n and DAMAGE.search(kind)})

    def revisions(self, author: str | None = None) -> int:
        return sum(1 for name in self.parts for e in self.package.root(name).iter()
                   if e.tag in MARKERS | CHANGES and author in (None, e.get(W + "author")))

    def comments(self) -> list[Comment]:
        covered = {a[1]: a[2] for name in self.parts for a in anchors(checker.resolve(self.package.root(name), "accept")) if a[0] == "comment"}
        extended = {e.get(W15 + "paraId"): e for name in self.parts for e in self.package.root(name).iter(W15 + "commentEx")}
        referred = {e.get(W + "id") for name in self.parts for e in self.package.root(name).iter(W + "commentReference")}
        entries = [e for name in self.parts for e in self.package.root(name).iter(W + "comment")]
        paragraphs = {p.get(W14 + "paraId"): e for e in entries for p in e.iter(W + "p")}
        out = []
        for e in entries:
            ids = [p.get(W14 + "paraId") for p in e.iter(W + "p")]
            more = next((extended[i] for i in ids if i in extended), None)
            parent = paragraphs.get(more.get(W15 + "paraIdParent")) if more is not None else None
            resolved = more is not None and more.get(W15 + "done") in ("1", "true")
            anchor = covered.get(e.get(W + "id"), "not anchored")
            if anchor == "not anchored" and parent is not None and e.get(W + "id") in referred:
                anchor = covered.get(parent.get(W + "id"), anchor)  # An answer stands where its thread stands.
            out.append((e.get(W + "author") or "", words_of(e), anchor, words_of(parent) if parent is not None else "", resolved))
        return sorted(out)

    def changed_characters(self) -> int:
        """How much text our insertions and deletions hold."""
        return sum(len(words_of(e)) for name in self.parts for e in self.package.root(name).iter()
                   if e.tag in MARKERS and e.get(W + "author") == AUTHOR and not in_fallback(e))


def shown(items: Any) -> Any:
    """A story as it looks: `not bold` where nothing makes bold says nothing. The cases' documents have no style that does, but headings."""
    if isinstance(items, frozenset):
        return frozenset((kind, place, shown(story)) for kind, place, story in items)
    out = []
    for item in items:
        if item[0] == "p" and "pStyle" not in str(item[3]):
            runs: list[list[Any]] = []
            for look, text, more in item[2]:
                look = tuple(one for one in look if one[1] not in ("0", "none"))
                if runs and runs[-1][0] == look and not more and not runs[-1][2]:
                    runs[-1][1] += text
                else:
                    runs.append([look, text, more])
            item = ("p", item[1], tuple(map(tuple, runs)), item[3])
        out.append(item)
    return tuple(out)


def in_fallback(element: Any) -> bool:
    return any(a.tag == MC + "Fallback" for a in element.iterancestors())


def words_of(element: Any) -> str:
    return "".join(e.text or "" for e in element.iter(W + "t", W + "delText"))


def anchors(root: Any) -> list[tuple[str, str, str]]:
    """Kind, name and covered text of what is anchored in a resolved part."""
    open_ranges: dict[tuple[str, str], list[str]] = {}
    done = []
    for e in root.iter():
        if not isinstance(e.tag, str):
            continue
        kind = e.tag[len(W):] if e.tag.startswith(W) else ""
        if kind in ("bookmarkStart", "commentRangeStart"):
            name = e.get(W + "name") if kind == "bookmarkStart" else e.get(W + "id")
            open_ranges[(kind[:8], e.get(W + "id"))] = [name or ""]
        elif kind in ("bookmarkEnd", "commentRangeEnd") and (kind[:8], e.get(W + "id")) in open_ranges:
            name, *text = open_ranges.pop((kind[:8], e.get(W + "id")))
            done.append(("comment" if kind.startswith("comment") else "bookmark", name, "".join(text)))
        elif kind == "sdt":
            tag = e.find(f"{W}sdtPr/{W}tag")
            done.append(("control", tag.get(W + "val") if tag is not None else "", words_of(e)))
        elif kind == "t":
            for text in open_ranges.values():
                text.append(e.text or "")
    return sorted(done + [("open " + key[0], text[0], "") for key, text in open_ranges.items()])


def first_difference(wanted: dict[str, Any], got: dict[str, Any]) -> str:
    for key in wanted:
        if wanted[key] != got.get(key):
            pair = (wanted[key], got.get(key))
            if all(isinstance(side, (list, tuple)) for side in pair):
                longest = max(len(side) for side in pair)
                at = next(i for i in range(longest) if [s[i:i + 1] for s in pair][0] != [s[i:i + 1] for s in pair][1])
                pair = tuple(side[at:at + 1] for side in pair)
            return f"{key}: wanted {str(pair[0])[:220]}, got {str(pair[1])[:220]}"
    return ""


def same(a: Reading, b: Reading, ours: Mode, case: Case, both: bool = True) -> str:
    """The first difference between two documents with our changes resolved, in the views that others' changes leave open."""
    for others in ("accept", "reject") if both else ("accept",):
        left, right = (side.meant(ours, others) if case.meaning else side.view(ours, others) for side in (a, b))
        if case.meaning and ours == "reject":  # A bookmark has no revision: one that the source lacks may stay, with nothing that leads to it.
            known = dict(left["bookmarks"])
            right["bookmarks"] = [one for one in right["bookmarks"] if one[0] in known]
        if case.comments is not None and not case.meaning:
            for view in (left, right):
                view["anchors"] = [anchor for anchor in view["anchors"] if anchor[0] != "comment"]
        found = first_difference(left, right)
        if found:
            return found
    if not both:  # Whether what we wrote within their insertion is theirs or ours is left open.
        return ""
    return first_difference({"others": sorted(a.others(ours).items())}, {"others": sorted(b.others(ours).items())})


def judge(case: Case, outcome: Outcome) -> Verdict:
    """The one word for what an engine made of a case, and why."""
    said = [result["status"] for result in outcome.results]
    reasons = "; ".join(result.get("why", "") for result in outcome.results if result["status"] != "applied")[:300]
    if outcome.crash:
        return Verdict("crashed", outcome.crash)
    if "cannot" in said:
        return Verdict("cannot", reasons)
    source = Reading(case.source)
    if "refused" in said:
        if outcome.document is not None and "applied" not in said:
            changed = same(source, Reading(outcome.document), "accept", case)
            if changed:
                return Verdict("wrong", f"said no, and changed the document: {changed}")
        return Verdict("right" if (case.want is None or case.protected or case.or_no) and "applied" not in said else "refused", reasons)
    if case.want is None:
        return Verdict("wrong", "claimed success where there was nothing that could rightly be done")
    if outcome.document is None:
        return Verdict("wrong", "claimed success and gave no document")
    if not zipfile.is_zipfile(io.BytesIO(outcome.document)):
        return Verdict("wrong", "does not open: no zip")
    result, want = Reading(outcome.document), Reading(case.want)
    fault, shared = faults(case, source, result, want), result.duplicate_ids()
    if fault and case.also is not None and not faults(case, source, result, Reading(case.also)):
        fault = ""
    if fault or shared:
        return Verdict("wrong", fault or "; ".join(shared), only_ids=not fault)
    if case.protected and not any(PROTECTION.search(warning) for warning in outcome.warnings):
        return Verdict("wrong", "changed a protected document and told nobody of its protection")
    least = least_characters(case)
    ours = result.seen() if case.tracked else None
    return Verdict("right", granularity=result.changed_characters() / least if case.one_word and least else None, revisions=ours)


def faults(case: Case, source: Reading, result: Reading, want: Reading) -> str:
    """The first thing that is wrong with a document, or nothing."""
    if not result.opens():
        return f"does not open: {result.package.err}"
    broken = sorted(set(result.package.check()) - set(source.package.check()))
    broken += [f"{kind} ({n})" for kind, n in (result.damage() - source.damage()).items()]
    for mode in MODES:
        broken += [f"{kind}, {mode}ed" for kind in result.grids(mode) - source.grids(mode)]
    if broken:
        return "damaged: " + ", ".join(broken)
    if case.comments is not None and result.comments() != sorted(case.comments):
        return f"comments: wanted {sorted(case.comments)}, got {result.comments()}"[:500]
    if case.comments is None and source.comments() != result.comments() and case.tracked and \
            [c[:2] for c in source.comments()] != [c[:2] for c in result.comments()]:
        return "somebody's comments changed"
    if not case.tracked:
        if result.revisions() > want.revisions():
            return f"{result.revisions() - want.revisions()} revisions are left"
        return same(want, result, "accept", case)
    rejected = same(source, result, "reject", case)
    if rejected:
        return "rejected: " + rejected
    accepted = same(want, result, "accept", case, both=not case.inside_theirs)
    return "accepted: " + accepted if accepted else ""


def least_characters(case: Case) -> int:
    """How many characters have to be struck and set anew at least, counted by whole words."""
    if case.want is None:
        return 0
    before, after = (checker.storytok(checker.Doc(checker.Pkg(data), "accept")) for data in (case.source, case.want))
    return sum(checker.lcsdiff(before[story], after[story]) for story in before)
