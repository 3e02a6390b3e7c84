"""Everyday jobs of those who work on contracts: terms renamed everywhere, clauses moved, columns, notes, references, forms.

Judged by what the documents mean (`meaning.py`). Must never ask for what only one engine's language can say: an operation is what
a person would ask for, and who has no such operation cannot do it.
"""
from case_tools import Operation, at, edited, replace
from documents import (HEAD, NUMBERING, PIXEL, cell, control, deleted, footnotes, inserted, marked, p, picture, r, row, story, table, text_box)
from judge import Case

G = "jobs"
END = p("This is the last paragraph.")
ITEM = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
HEADING = '<w:pStyle w:val="Heading1"/>'
OWN_MARK = "<w:r><w:footnoteRef/></w:r>"
FOOT, END_MARK = '<w:r><w:footnoteReference w:id="1"/></w:r>', '<w:r><w:endnoteReference w:id="1"/></w:r>'


def mark(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def field(code: str, shows: str) -> str:
    return f'{mark("begin")}<w:r><w:instrText xml:space="preserve"> {code} </w:instrText></w:r>{mark("separate")}{r(shows)}{mark("end")}'


def named(name: str, inside: str, number: int = 3) -> str:
    return f'<w:bookmarkStart w:id="{number}" w:name="{name}"/>{inside}<w:bookmarkEnd w:id="{number}"/>'


def wide(text: str, columns: int) -> str:
    return cell(text).replace("</w:tcPr>", f'<w:gridSpan w:val="{columns}"/></w:tcPr>')


def everywhere(find: str, new: str, **more: bool) -> Operation:
    return {**replace(find, new, which="all"), **more}


def renaming() -> list[Case]:
    def body(term: str) -> list[str]:
        return [p(f"The {term} shall pay the fees."), table(row("Party", "Duty"), row(f"The {term}", "pays")), p(f"Notices go to the {term}", FOOT, "."), END]

    def parts(term: str) -> dict[str, str]:
        return {"header1": story("hdr", p(f"Draft for the {term}")), "footer1": story("ftr", p(f"Initials of the {term}")),
                "footnotes": footnotes(p(OWN_MARK, f" At the seat of the {term}."))}

    def contents(shown: str, term: str) -> list[str]:
        tab = '<w:r><w:tab/></w:r>'
        return [p(mark("begin"), '<w:r><w:instrText xml:space="preserve"> TOC \\o "1-3" </w:instrText></w:r>', mark("separate"), f"Duties of the {shown}", tab, "1"),
                p("Fees", tab, "2", mark("end")), p(f"Duties of the {term}", look=HEADING), p(f"The {term} shall pay."), p("Fees", look=HEADING),
                p(f"Fees of the {term} are net."), END]

    old, new = "Customer", "Client"
    within = [p("The Term ends on Termination. Terms differ."), p("A longer Term is void."), END]
    return [
        edited("a term in every story", G, "replace all, everywhere", body(old), body(new), everywhere(old, new, everywhere=True),
               parts=parts(old), parts_after=parts(new), meaning=True),
        edited("a term that stands in a table of contents", G, "replace all; a field beside", contents(old, old), contents(old, new), everywhere(old, new),
               also=contents(new, new), meaning=True),
        edited("a term that other words hold", G, "replace all, whole words", within,
               [p("The Period ends on Termination. Terms differ."), p("A longer Period is void."), END], everywhere("Term", "Period", whole=True), meaning=True),
    ]


def clauses() -> list[Case]:
    law, fees, secret = "The law is that of Ireland.", "Fees are due monthly.", "Secrets bind both parties."
    clause = p(named("_Ref10", r(secret)))
    refers = p("See ", field("REF _Ref10 \\h", secret), " above.")
    due = "Within ten days the Buyer pays under clause 4.2 in full."
    two_five = field("REF _Ref1 \\r \\h", "4.2")
    target = p(named("_Ref1", r("Prices are net.")))
    typed = [p(r("8. FEES", "<w:b/>")), p(fees), p(r("9. GOVERNING LAW", "<w:b/>")), p(law), p("The courts of Dublin decide."), p(r("10. NOTICES", "<w:b/>")),
             p("Notices are written."), p(r("SCHEDULE 1", "<w:b/>")), p("Prices follow.")]
    numbered = [p("The parties exchange data.", look=ITEM), p(fees, look=ITEM), p(law, look=ITEM), END]
    bullets = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr>'
    numbering = _two_lists()
    listed = [numbered[0], p("drawings; and", look=bullets), p("samples.", look=bullets), *numbered[1:]]
    hebrew, bidi = "הספק ישלם בתוך עשרה ימים.", "<w:bidi/>"
    more = "הקונה ישלם ריבית."
    theirs = p(inserted("Notice is given within sixty days in writing.", 905), look=f"<w:rPr>{marked('ins', 906)}</w:rPr>")
    counter = p(inserted("Notice is given within thirty days in writing.", 905), look=f"<w:rPr>{marked('ins', 906)}</w:rPr>")
    struck = p("Fees are due ", deleted("monthly"), inserted("yearly", 903), " in advance.")
    return [
        edited("a clause with a reference rewritten", G, "give a paragraph new text; field kept", [p("Within ten days the Buyer pays under clause ", two_five, " in full."), target, END],
               [p("The Buyer shall pay under clause ", two_five, " within thirty days."), target, END],
               {"op": "rewrite", "at": at(1, due), "text": "The Buyer shall pay under clause 4.2 within thirty days."}, meaning=True),
        edited("a clause moved that another refers to", G, "move; reference follows", [clause, p(fees), p(law), refers, END], [p(fees), p(law), clause, refers, END],
               {"op": "move", "at": at(1, secret), "after": at(3, law)}, meaning=True),
        edited("a clause deleted that another refers to", G, "delete; no dangling reference", [clause, p(fees), p(law), refers, END],
               [p(fees), p(law), p(f"See {secret} above."), END], {"op": "delete_paragraph", "at": at(1, secret)}, meaning=True, or_no=True),
        edited("a section deleted, up to a typed heading", G, "delete a section", typed, [*typed[:2], *typed[5:]],
               {"op": "delete_section", "at": at(3, "9. GOVERNING LAW"), "label": "9"}, meaning=True),
        edited("the last section rewritten, up to a schedule", G, "rewrite a section", typed, [*typed[:6], p("Notices are sent by post."), *typed[7:]],
               {"op": "rewrite_section", "at": at(6, "10. NOTICES"), "body": ["Notices are sent by post."], "label": "10"}, meaning=True),
        edited("a list put at a numbered clause", G, "insert a list; clauses keep their numbers", numbered, listed,
               {"op": "insert_list", "at": at(1, "The parties exchange data."), "items": ["drawings; and", "samples."]},
               parts={"numbering": numbering}, meaning=True),
        edited("a clause in Hebrew put in", G, "insert a paragraph, right to left", [p(r(hebrew, "<w:rtl/>"), look=bidi), END],
               [p(r(hebrew, "<w:rtl/>"), look=bidi), p(r(more, "<w:rtl/>"), look=bidi), END],
               {"op": "insert_paragraph", "at": at(1, hebrew), "before": False, "text": more}, meaning=True),
        edited("a counter-proposal in their new clause", G, "replace in their revision", [theirs, struck, END], [counter, struck, END],
               replace("sixty", "thirty", at(1, "Notice is given within sixty days in writing.")), inside_theirs=True, meaning=True),
        edited("two edits of one paragraph", G, "batch: replace; format text", [p("The Supplier shall deliver within ten days."), END],
               [p("The ", r("Supplier", "<w:b/>"), " shall deliver within five days."), END],
               replace("ten", "five", at(1, "The Supplier shall deliver within ten days.")),
               {"op": "bold", "at": at(1, "The Supplier shall deliver within ten days."), "find": "Supplier"}, meaning=True),
    ]


def _two_lists() -> str:
    """Clauses in figures, and a list of bullets."""

    bullet = ('<w:abstractNum w:abstractNumId="1"><w:multiLevelType w:val="hybridMultilevel"/><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/>'
              '<w:lvlText w:val="•"/><w:lvlJc w:val="left"/></w:lvl></w:abstractNum>')
    return NUMBERING.removeprefix(HEAD).replace('<w:num w:numId="1">', bullet + '<w:num w:numId="1">').replace(
        "</w:numbering>", '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>')


def tables() -> list[Case]:
    texts = [["Item", "Qty", "Price"], ["Steel", "2", "10"], ["Copper", "4", "20"]]
    grid = [p("Prices are these."), table(*(row(*line) for line in texts), columns=3), END]
    merged = [p("Prices are these."), table(row(wide("Goods", 2), "Price"), row("Steel", "2", "10"), row("Copper", "4", "20"), columns=3), END]
    where = at(5, "Steel")
    return [
        edited("a column put in", G, "add a column; grid", grid, [grid[0], table(row("Item", "Qty", "VAT", "Price"), row("Steel", "2", "20%", "10"), row("Copper", "4", "20%", "20"), columns=4), END],
               {"op": "add_column", "at": where, "column": 2, "cells": ["VAT", "20%", "20%"]}, meaning=True),
        edited("a column deleted", G, "delete a column; grid", grid, [grid[0], table(row("Item", "Price"), row("Steel", "10"), row("Copper", "20"), columns=2), END],
               {"op": "delete_column", "at": where, "column": 1}, meaning=True),
        edited("a column put in beneath a merged cell", G, "add a column; grid; merged cells", merged,
               [merged[0], table(row(wide("Goods", 3), "Price"), row("Steel", "kg", "2", "10"), row("Copper", "kg", "4", "20"), columns=4), END],
               {"op": "add_column", "at": at(4, "Steel"), "column": 1, "cells": ["", "kg", "kg"]}, meaning=True),
        edited("a column deleted beneath a merged cell", G, "delete a column; grid; merged cells", merged,
               [merged[0], table(row("Goods", "Price"), row("Steel", "10"), row("Copper", "20"), columns=2), END],
               {"op": "delete_column", "at": at(4, "Steel"), "column": 1}, meaning=True),
        edited("a whole table deleted", G, "delete a table", grid, [grid[0], END], {"op": "delete_table", "at": where}, meaning=True),
        edited("a row replaced", G, "batch: delete a row, add a row", grid,
               [grid[0], table(row("Item", "Qty", "Price"), row("Iron", "3", "15"), row("Copper", "4", "20"), columns=3), END],
               {"op": "delete_row", "at": where, "row": 1, "table": texts}, {"op": "add_row", "at": where, "row": 1, "cells": ["Iron", "3", "15"], "table": texts}, meaning=True),
    ]


def objects() -> list[Case]:
    seat = "The Supplier has its seat in York."
    body = [p(seat), END]
    clause = [p("Prices are net.", look=ITEM), p(named("Fees", r("Fees are due monthly")), ".", look=ITEM), p("Interest runs as said in clause ."), END]
    words = "Interest runs as said in clause ."
    linked = '<w:hyperlink r:id="rIdLink">' + r("Supplier") + "</w:hyperlink>"
    box = "The box holds a warning."
    return [
        edited("a footnote put in", G, "insert a footnote", body, [p("The Supplier", FOOT, " has its seat in York."), END],
               {"op": "note", "kind": "footnote", "at": at(1, seat), "after": "The Supplier", "text": "As defined above."},
               parts_after={"footnotes": footnotes(p(OWN_MARK, " As defined above."))}, meaning=True),
        edited("an endnote put in", G, "insert an endnote", body, [p("The Supplier", END_MARK, " has its seat in York."), END],
               {"op": "note", "kind": "endnote", "at": at(1, seat), "after": "The Supplier", "text": "As defined above."},
               parts_after={"endnotes": footnotes(p("<w:r><w:endnoteRef/></w:r>", " As defined above."), kind="endnote")}, meaning=True),
        edited("a link put on words", G, "insert a link", body, [p("The ", linked, " has its seat in York."), END],
               {"op": "link", "at": at(1, seat), "find": "Supplier", "url": "https://example.com/terms"}, meaning=True),
        edited("a bookmark put on words", G, "insert a bookmark", body, [p("The ", named("Seller", r("Supplier")), " has its seat in York."), END],
               {"op": "bookmark", "at": at(1, seat), "find": "Supplier", "name": "Seller"}, meaning=True),
        edited("a reference to a clause's number", G, "insert a cross-reference; its result", clause,
               [*clause[:2], p("Interest runs as said in clause ", field("REF Fees \\r \\h", "2"), "."), END],
               {"op": "reference", "at": at(3, words), "after": "said in clause ", "bookmark": "Fees", "show": "number"}, meaning=True),
        edited("a reference to a clause's words", G, "insert a cross-reference; its result", clause,
               [*clause[:2], p("Interest runs as said in clause ", field("REF Fees \\h", "Fees are due monthly"), "."), END],
               {"op": "reference", "at": at(3, words), "after": "said in clause ", "bookmark": "Fees", "show": "text"}, meaning=True),
        edited("a picture put in", G, "insert a picture", body, [p("The Supplier", picture(), " has its seat in York."), END],
               {"op": "picture", "at": at(1, seat), "after": "The Supplier", "png": PIXEL.hex()}, meaning=True),
        edited("a header made", G, "create a header", body, body, {"op": "header", "at": at(1, seat), "text": "Draft of May"},
               parts_after={"header1": story("hdr", p("Draft of May"))}, meaning=True),
        edited("a text box, for older programs too", G, "replace in a text box and what is shown instead", [p("Around ", text_box(p(box)), "the box."), END],
               [p("Around ", text_box(p("The box holds a notice.")), "the box."), END], replace("warning", "notice", at(1, box, "textbox")), meaning=True),
    ]


def forms() -> list[Case]:
    grey = '<w:rStyle w:val="PlaceholderText"/>'
    choice = ('<w:dropDownList><w:listItem w:displayText="thirty days" w:value="30"/><w:listItem w:displayText="sixty days" w:value="60"/></w:dropDownList>')
    font = '<w:rFonts w:ascii="MS Gothic" w:eastAsia="MS Gothic" w:hAnsi="MS Gothic"/>'

    def box(state: int) -> str:
        return (f'<w14:checkbox><w14:checked w14:val="{state}"/><w14:checkedState w14:val="2612" w14:font="MS Gothic"/>'
                '<w14:uncheckedState w14:val="2610" w14:font="MS Gothic"/></w14:checkbox>')

    def form(words: str, look: str, kind: str, tag: str) -> list[str]:
        return [p("Entry: ", control(r(words, look), kind, tag), "."), END]

    return [
        edited("a text control filled in", G, "fill a control", form("Click to enter.", grey, "<w:showingPlcHdr/><w:text/>", "supplier"),
               form("Acme Ltd", "", "<w:text/>", "supplier"), {"op": "fill", "tag": "supplier", "kind": "text", "value": "Acme Ltd"}, meaning=True),
        edited("an item of a drop-down list chosen", G, "choose in a control", form("thirty days", "", choice, "notice"), form("sixty days", "", choice, "notice"),
               {"op": "fill", "tag": "notice", "kind": "choice", "value": "60", "shown": "sixty days"}, meaning=True),
        edited("a box checked", G, "check a box", form("☐", font, box(0), "agreed"), form("☒", font, box(1), "agreed"),
               {"op": "fill", "tag": "agreed", "kind": "box", "value": True}, meaning=True),
    ]


def cases() -> list[Case]:
    return [*renaming(), *clauses(), *tables(), *objects(), *forms()]
