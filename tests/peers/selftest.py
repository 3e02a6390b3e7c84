"""Shows the judge documents that are wrong on purpose, each in one way, and right ones, made by hand.

Must never be left out of a run: a judge that lets one of these pass makes every figure worthless.
"""
import io
import zipfile
from typing import Iterator

from case_tools import at, edited, refuse, replace
from cases_jobs import field, named
from documents import (cell, comment, comments, commented, control, deleted, document, footnotes, inserted, marked, p, picture, r, row, story, table)
from judge import AUTHOR, Case, Outcome, Reading, judge

END = p("The end.")
ASKED = replace("ten", "five", at(1, "Within ten days."))
LOOKS = [p("Within ", r("ten", "<w:b/>"), " days."), END]


def ours(xml: str, number: int = 50) -> str:
    """Somebody else's marks made ours."""
    return xml.replace('w:author="Counterparty"', f'w:author="{AUTHOR}"').replace('w:id="901"', f'w:id="{number}"').replace('w:id="902"', f'w:id="{number + 1}"')


SWAP = ours(deleted("ten") + inserted("five"))
BOLD_SWAP = ours(deleted("ten").replace("<w:r>", "<w:r><w:rPr><w:b/></w:rPr>") + inserted("five", look="<w:b/>"))
MARK = f'<w:rPr><w:ins w:id="60" w:author="{AUTHOR}" w:date="2026-02-01T10:00:00Z"/></w:rPr>'


def without(data: bytes, name: str) -> bytes:
    """A package that lacks an entry."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.namelist():
            if entry != name:
                new.writestr(entry, old.read(entry))
    return out.getvalue()


def shown() -> Iterator[tuple[str, Case, bytes | None, str, str, *tuple[str, ...]]]:
    """What is shown, the case, the document, what is claimed of it, the word that is due, and what an engine warned of."""
    word = edited("word", "", "", [p("Within ten days."), END], [p("Within five days."), END], ASKED, one_word=True)
    yield "a right replacement", word, document(p("Within ", SWAP, " days."), END), "applied", "right"
    yield "a change without a mark", word, document(p("Within five days."), END), "applied", "wrong"
    yield "another word than the one asked for", word, document(p("Within ", SWAP.replace("five", "four"), " days."), END), "applied", "wrong"
    yield "nothing done", word, document(p("Within ten days."), END), "applied", "wrong"
    yield "no document", word, None, "applied", "wrong"
    yield "no package", word, b"no zip at all", "applied", "wrong"
    yield "a lost space", word, document(p("Within ", SWAP, "days."), END), "applied", "wrong"
    yield "one id twice", word, document(p("Within ", SWAP.replace('w:id="51"', 'w:id="50"'), " days."), END), "applied", "wrong"
    yield "a part that a relationship misses", word, without(document(p("Within ", SWAP, " days."), END), "word/styles.xml"), "applied", "wrong"
    yield "marks in somebody else's name", word, document(p("Within ", SWAP.replace(AUTHOR, "Somebody"), " days."), END), "applied", "wrong"
    yield "a paragraph within a paragraph", word, document(p("Within ", SWAP, " days.", p("")), END), "applied", "wrong"
    yield "an honest no", word, None, "refused", "refused"
    yield "a no with a changed document", word, document(p("Within five days."), END), "refused", "wrong"

    looks = edited("looks", "", "", LOOKS, [p("Within ", r("five", "<w:b/>"), " days."), END], ASKED)
    yield "a right replacement in bold", looks, document(p("Within ", BOLD_SWAP, " days."), END), "applied", "right"
    yield "a new word that is not bold", looks, document(p("Within ", BOLD_SWAP.replace(r("five", "<w:b/>"), r("five")), " days."), END), "applied", "wrong"
    yield "an old word whose look is lost", looks, document(p("Within ", ours(deleted("ten") + inserted("five", look="<w:b/>")), " days."), END), "applied", "wrong"

    body = [p("One."), p("Two.")]
    new = edited("new", "", "", body, [p("One."), p("New."), p("Two.")], {"op": "insert_paragraph"})
    yield "a right new paragraph", new, document(body[0], p(ours(inserted("New.")), look=MARK), body[1]), "applied", "right"
    yield "a new paragraph whose mark is not tracked", new, document(body[0], p(ours(inserted("New."))), body[1]), "applied", "wrong"
    gone = edited("gone", "", "", body, [p("Two.")], {"op": "delete_paragraph"})
    yield "a deleted paragraph that leaves an empty one", gone, document(p(ours(deleted("One."))), body[1]), "applied", "wrong"

    theirs = [p("Within ten days ", inserted("of notice", 901), "."), END]
    kept = edited("theirs", "", "", theirs, [p("Within five days ", inserted("of notice", 901), "."), END], ASKED)
    good = document(p("Within ", SWAP, " days ", inserted("of notice", 901), "."), END)
    yield "their insertion kept", kept, good, "applied", "right"
    yield "their insertion accepted", kept, document(p("Within ", SWAP, " days of notice."), END), "applied", "wrong"
    yield "their insertion dropped", kept, document(p("Within ", SWAP, " days ."), END), "applied", "wrong"
    yield "their insertion with another date", kept, document(p("Within ", SWAP, " days ", inserted("of notice").replace("2026-01-15", "2026-01-16"), "."), END), "applied", "wrong"
    yield "their insertion in another name", kept, document(p("Within ", SWAP, " days ", inserted("of notice").replace("Counterparty", "Somebody"), "."), END), "applied", "wrong"

    held = edited("anchors", "", "", [p("Within ten days ", control(r("here")), picture()), END], [p("Within five days ", control(r("here")), picture()), END], ASKED)
    yield "a control and a picture kept", held, document(p("Within ", SWAP, " days ", control(r("here")), picture()), END), "applied", "right"
    yield "a control lost", held, document(p("Within ", SWAP, " days ", r("here"), picture()), END), "applied", "wrong"
    yield "a picture lost", held, document(p("Within ", SWAP, " days ", control(r("here"))), END), "applied", "wrong"

    head = {"header1": story("hdr", p("Head ten."))}
    header = edited("header", "", "", [END], [END], ASKED, parts=head, parts_after={"header1": story("hdr", p("Head five."))})
    yield "a header changed without a mark", header, document(END, parts={"header1": story("hdr", p("Head five."))}), "applied", "wrong"
    other = {"header1": story("hdr", p("Head changed."))}
    beside = edited("beside", "", "", [p("Within ten days."), END], [p("Within five days."), END], ASKED, parts=head)
    yield "another story changed on the way", beside, document(p("Within ", SWAP, " days."), END, parts=other), "applied", "wrong"

    noted = edited("comment", "", "", [p("Within ten days."), END], [p("Within ten days."), END], {"op": "comment"}, comments=[(AUTHOR, "Why?", "ten", "", False)])
    yield "a right comment", noted, document(p("Within ", commented("ten", 0), " days."), END, parts={"comments": comments(comment(0, "Why?", AUTHOR))}), "applied", "right"
    yield "a comment on other words", noted, document(p("Within ", commented("ten days", 0), "."), END, parts={"comments": comments(comment(0, "Why?", AUTHOR))}), "applied", "wrong"
    yield "a comment that stands nowhere", noted, document(p("Within ten days."), END, parts={"comments": comments(comment(0, "Why?", AUTHOR))}), "applied", "wrong"

    grid = edited("row", "", "", [table(row("a", "b")), END], [table(row("a", "b"), row("c", "d")), END], {"op": "add_row"})
    yield "a row without a mark", grid, document(table(row("a", "b"), row("c", "d")), END), "applied", "wrong"
    settled = edited("accept", "", "", theirs, [p("Within ten days of notice."), END], {"op": "accept_all"}, tracked=False)
    yield "all accepted", settled, document(p("Within ten days of notice."), END), "applied", "right"
    yield "not all accepted", settled, document(*theirs), "applied", "wrong"
    yield "rejected instead", settled, document(p("Within ten days ."), END), "applied", "wrong"

    absent = refuse("absent", "", "", [p("Within ten days."), END], ASKED)
    yield "a right no", absent, None, "refused", "right"
    yield "a success that cannot be", absent, document(p("Within ten days."), END), "applied", "wrong"
    yield "an operation that is not there", absent, None, "cannot", "cannot"

    closed = edited("protected", "", "", [p("Within ten days."), END], [p("Within five days."), END], ASKED, protected=True)
    done, untracked = document(p("Within ", SWAP, " days."), END), document(p("Within five days."), END)
    yield "a protected document, and a no", closed, None, "refused", "right"
    yield "a protected document changed, and that said", closed, done, "applied", "right", "The document is protected."
    yield "a protected document changed, and nothing said", closed, done, "applied", "wrong"
    yield "a protected document changed, and something else said", closed, done, "applied", "wrong", "A font is missing."
    yield "a protected document changed without a mark, and that said", closed, untracked, "applied", "wrong", "The document is protected."
    yield "an open document, a no and a warning", word, None, "refused", "refused", "The document is protected."


def meanings() -> Iterator[tuple[str, Case, bytes | None, str, str]]:
    """The same for what `meaning.py` reads."""
    refers = p("See ", field("REF _Ref1 \\h", "Secrets bind."))
    clause, fees = p(named("_Ref1", r("Secrets bind."))), p("Fees are due.")
    move = edited("move", "", "", [clause, fees, refers], [fees, clause, refers], {"op": "move"}, meaning=True)
    gone = p(ours(deleted("Secrets bind.")), look=MARK.replace("w:ins", "w:del"))
    left = p(named("_Ref1", ours(deleted("Secrets bind."))), look=MARK.replace("w:ins", "w:del"))
    came = p(named("_Ref2", ours(inserted("Secrets bind."), 80), 9), look=MARK.replace('"60"', '"61"'))
    old = field("REF _Ref1 \\h", "Secrets bind.").replace("w:instrText", "w:delInstrText").replace("<w:t ", "<w:delText ").replace("</w:t>", "</w:delText>")
    led = p("See ", ours(marked("del", 70, old)), ours(marked("ins", 71, field("REF _Ref2 \\h", "Secrets bind."))))
    yield "a move whose reference follows", move, document(left, fees, came, led), "applied", "right"
    yield "a move with one bookmark's name twice", move, document(left, fees, came.replace("_Ref2", "_Ref1"), refers), "applied", "wrong"
    yield "a move that leaves its reference to nothing", move, document(left, fees, came, refers), "applied", "wrong"
    yield "a move whose bookmark is lost", move, document(gone, fees, p(ours(inserted("Secrets bind."), 80), look=MARK.replace('"60"', '"61"')), refers), "applied", "wrong"

    wide = [table(row("a", "b"), columns=2), END]
    column = edited("column", "", "", wide, [table(row("a", "c", "b"), columns=3), END], {"op": "add_column"}, meaning=True)
    new = cell("c").replace("</w:tcPr>", f'<w:cellIns w:id="40" w:author="{AUTHOR}" w:date="2026-02-01T10:00:00Z"/></w:tcPr>').replace(r("c"), ours(inserted("c")))
    column_of_grid = '<w:gridCol w:w="3000"/>'
    before = f'<w:tblGridChange w:id="41"><w:tblGrid>{column_of_grid * 2}</w:tblGrid></w:tblGridChange>'
    grown = column_of_grid * 3 + before + "</w:tblGrid>"
    right = table(row("a", new, "b"), columns=0).replace("</w:tblGrid>", grown)
    yield "a right new column", column, document(right, END), "applied", "right"
    yield "a new column that the grid lacks", column, document(table(row("a", new, "b"), columns=2), END), "applied", "wrong"

    link = '<w:hyperlink r:id="rIdLink">' + r("here") + "</w:hyperlink>"
    linked = edited("link", "", "", [p("Look ", r("here"), "."), END], [p("Look ", link, "."), END], {"op": "link"}, meaning=True)
    relinked = ours(deleted("here")) + link.replace(r("here"), ours(inserted("here", 901, "<w:u w:val='single'/>"), 60))
    yield "a right link, with a look of its own", linked, document(p("Look ", relinked, "."), END), "applied", "right"
    yield "a link that leads elsewhere", linked, document(p("Look ", relinked.replace('r:id="rIdLink"', 'w:anchor="Top"'), "."), END), "applied", "wrong"

    def note(words: str) -> dict[str, str]:
        return {"footnotes": footnotes(p("<w:r><w:footnoteRef/></w:r>", words))}

    sign = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    noted = edited("note", "", "", [p("Word."), END], [p("Word", sign, "."), END], {"op": "note"}, parts_after=note(" As said."), meaning=True)
    marked_sign = p("Word", ours(marked("ins", 901, sign)), ".")
    yield "a right note, without a space before it", noted, document(marked_sign, END, parts=note("As said.")), "applied", "right"
    yield "a note of other words", noted, document(marked_sign, END, parts=note(" As meant.")), "applied", "wrong"
    yield "a note that is not tracked", noted, document(p("Word", sign, "."), END, parts=note(" As said.")), "applied", "wrong"

    waiting, filled = p(control(r("Enter"), "<w:showingPlcHdr/><w:text/>")), p(control(r("Acme"), "<w:text/>"))
    form = edited("fill", "", "", [waiting, END], [filled, END], {"op": "fill"}, meaning=True)
    typed = ours(deleted("Enter") + inserted("Acme"))
    yield "a right form", form, document(p(control(typed, "<w:text/>")), END), "applied", "right"
    yield "a filled control that still waits", form, document(p(control(typed, "<w:showingPlcHdr/><w:text/>")), END), "applied", "wrong"

    item = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    listed = edited("list", "", "", [p("One.", look=item), p("Two.", look=item)], [p("One.", look=item), p("New."), p("Two.", look=item)], {"op": "insert_paragraph"}, meaning=True)
    yield "a right paragraph between numbers", listed, document(p("One.", look=item), p(ours(inserted("New.")), look=MARK), p("Two.", look=item)), "applied", "right"
    yield "a paragraph that takes a number", listed, document(p("One.", look=item), p(ours(inserted("New.")), look=item + MARK), p("Two.", look=item)), "applied", "wrong"

    either = edited("either", "", "", [clause, fees, refers], [fees, p("See Secrets bind.")], {"op": "delete_paragraph"}, meaning=True, or_no=True)
    yield "a no where a reference would dangle", either, None, "refused", "right"
    yield "a clause deleted whose reference dangles", either, document(left, fees, refers), "applied", "wrong"


def counts() -> Iterator[tuple[str, bytes, int]]:
    """What is shown, the document, and how many changes a reader sees."""
    yield "nothing", document(END), 0
    yield "a word for another", document(p("Within ", SWAP, " days.")), 2
    yield "one insertion in two pieces", document(p("Within ", ours(inserted("five")), ours(inserted(" or six"), 52), " days.")), 1
    yield "two insertions with a word between", document(p("Within ", ours(inserted("five")), " or ", ours(inserted("six"), 52), " days.")), 2
    yield "two new paragraphs", document(p(ours(inserted("One.")), look=MARK), p(ours(inserted("Two."), 52), look=MARK.replace('"60"', '"61"')), END), 1
    gone = row(*(cell(p(ours(deleted(text), 50 + n))) for n, text in enumerate("ab"))).replace("<w:tr>", f"<w:tr><w:trPr>{ours(marked('del', 70))}</w:trPr>")
    yield "a deleted row", document(table(row("x", "y"), gone), END), 1
    yield "a table all of whose rows go", document(table(gone, gone), END), 1
    yield "somebody else's change", document(p("Within ", inserted("five"), " days.")), 0
    look = f"<w:b/>{ours(marked('rPrChange', 80, '<w:rPr/>'))}"
    yield "two words made bold, with one between", document(p(r("One", look), r(" and "), r("two", look), r(" three", look))), 2


def failures() -> list[str]:
    """What the judge said otherwise than it should."""
    out = []
    for what, data, due in counts():
        if Reading(data).seen() != due:
            out.append(f"{what}: {Reading(data).seen()} changes seen, {due} are due")
    for what, case, data, claimed, due, *warnings in [*shown(), *meanings()]:
        try:
            said = judge(case, Outcome(data, [{"status": claimed, "why": ""}], warnings))
        except Exception as error:
            out.append(f"{what}: {error!r}")
            continue
        if said.word != due:
            out.append(f"{what}: said {said.word}, {due} is due ({said.why})")
    return out
