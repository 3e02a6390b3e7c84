"""Shows the judge documents that are wrong on purpose, each in one way, and right ones, made by hand.

Must never be left out of a run: a judge that lets one of these pass makes every figure worthless.
"""
import io
import zipfile
from typing import Iterator

from case_tools import at, edited, refuse, replace
from documents import (comment, comments, commented, control, deleted, document, inserted, p, picture, r, row, story, table)
from judge import AUTHOR, Case, Outcome, judge

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


def failures() -> list[str]:
    """What the judge said otherwise than it should."""
    out = []
    for what, case, data, claimed, due, *warnings in shown():
        try:
            said = judge(case, Outcome(data, [{"status": claimed, "why": ""}], warnings))
        except Exception as error:
            out.append(f"{what}: {error!r}")
            continue
        if said.word != due:
            out.append(f"{what}: said {said.word}, {due} is due ({said.why})")
    return out
