"""Cases of documents that hold somebody else's tracked changes and comments, and of resolving all of them."""
from case_tools import at, edited, refuse, replace
from documents import cell, comment, comments, commented, deleted, inserted, marked, p, r, row, story, table
from judge import AUTHOR, Case

END = p("This is the last paragraph.")
THEIR_NEW = f"<w:rPr>{marked('ins', 905)}</w:rPr>"
THEIR_GONE = f"<w:rPr>{marked('del', 906)}</w:rPr>"


def with_their_changes() -> list[Case]:
    g = "others"
    look = f"<w:b/>{marked('rPrChange', 904, '<w:rPr/>')}"
    days = p("Notice is ", inserted("five "), deleted("ten "), "days in writing.")
    text = "Notice is five days in writing."
    return [
        edited("a word beside their insertion", g, "replace; their revision kept", [p("The buyer ", inserted("or its agent "), "pays at once."), END],
               [p("The buyer ", inserted("or its agent "), "pays at closing."), END],
               replace("at once", "at closing", at(1, "The buyer or its agent pays at once."))),
        edited("a word beside their deletion", g, "replace; their revision kept", [p("The buyer ", deleted("or its agent "), "pays at once."), END],
               [p("The buyer ", deleted("or its agent "), "pays at closing."), END], replace("at once", "at closing", at(1, "The buyer pays at once."))),
        edited("a word between their insertion and deletion and the end", g, "replace; their revisions kept", [days, END],
               [p("Notice is ", inserted("five "), deleted("ten "), "days by letter."), END], replace("in writing", "by letter", at(1, text))),
        edited("a word within their insertion", g, "replace in their revision", [p("The buyer ", inserted("or its named agent "), "pays."), END],
               [p("The buyer ", inserted("or its chosen agent "), "pays."), END], replace("named", "chosen", at(1, "The buyer or its named agent pays.")),
               inside_theirs=True),
        edited("a word taken out of their insertion", g, "replace in their revision", [p("The buyer ", inserted("or its named agent "), "pays."), END],
               [p("The buyer ", inserted("or its agent "), "pays."), END], replace("its named", "its", at(1, "The buyer or its named agent pays.")),
               inside_theirs=True),
        edited("a phrase over the edge of their insertion", g, "replace over a revision's edge", [p("Notice is ", inserted("five "), "days in writing."), END],
               [p("Notice is ", inserted("six "), "weeks in writing."), END], replace("five days", "six weeks", at(1, text)), inside_theirs=True),
        edited("a word beside their change of a look", g, "replace; their revision kept", [p("The buyer ", r("always", look), " pays at once."), END],
               [p("The buyer ", r("always", look), " pays at closing."), END], replace("at once", "at closing", at(1, "The buyer always pays at once."))),
        edited("a paragraph after their new one", g, "replace; their revision kept", [p("Before."), p(inserted("Theirs is new."), look=THEIR_NEW), p("The seller pays."), END],
               [p("Before."), p(inserted("Theirs is new."), look=THEIR_NEW), p("The buyer pays."), END], replace("seller", "buyer", at(3, "The seller pays."))),
        edited("a paragraph put in behind their deletion", g, "insert a paragraph; their revision kept", [p("Pay ", deleted("very "), "soon."), p("Then sign."), END],
               [p("Pay ", deleted("very "), "soon."), p("New paragraph."), p("Then sign."), END],
               {"op": "insert_paragraph", "at": at(1, "Pay soon."), "before": False, "text": "New paragraph."}),
        refuse("words that they have deleted", g, "no edit of deleted text", [p("The buyer ", deleted("or its agent "), "pays."), END],
               replace("its agent", "its proxy", at(1, "The buyer pays."))),
    ]


def with_comments() -> list[Case]:
    g = "comments"
    start, answer = "Pay within thirty days after receipt.", "Agreed."
    body = [p(start), END]
    thread = [p("Pay ", commented("within thirty days", 0), " after receipt."), END]
    notes = {"comments": comments(comment(0, "Is this agreed?"))}
    theirs = ("Counterparty", "Is this agreed?", "within thirty days", "", False)
    return [
        edited("a comment on words", g, "comment", body, body, {"op": "comment", "at": at(1, start), "find": "thirty days", "text": "Too long?"},
               comments=[(AUTHOR, "Too long?", "thirty days", "", False)]),
        edited("a comment over two looks", g, "comment", [p("Pay within ", r("thirty", "<w:b/>"), " days."), END], [p("Pay within ", r("thirty", "<w:b/>"), " days."), END],
               {"op": "comment", "at": at(1, "Pay within thirty days."), "find": "within thirty", "text": "Too long?"},
               comments=[(AUTHOR, "Too long?", "within thirty", "", False)]),
        edited("a second comment", g, "comment; others' kept", thread, thread,
               {"op": "comment", "at": at(1, start), "find": "receipt", "text": "Whose?"}, parts=notes,
               comments=[theirs, (AUTHOR, "Whose?", "receipt", "", False)]),
        edited("an answer", g, "answer a comment", thread, thread, {"op": "reply", "comment": 0, "text": answer}, parts=notes,
               comments=[theirs, (AUTHOR, answer, "within thirty days", "Is this agreed?", False)]),
        edited("a thread resolved", g, "resolve a comment", thread, thread, {"op": "resolve", "comment": 0}, parts=notes,
               comments=[(*theirs[:4], True)]),
        refuse("a comment on words that are not there", g, "no silent success", body, {"op": "comment", "at": at(1, start), "find": "sixty days", "text": "Too long?"}),
    ]


def resolving() -> list[Case]:
    g = "resolve"
    new_look = f"<w:b/>{marked('rPrChange', 904, '<w:rPr/>')}"
    centred = f'<w:jc w:val="center"/>{marked("pPrChange", 907, "<w:pPr/>")}'
    words = [p("Notice is ", inserted("five "), deleted("ten "), "days."), END]
    new_row = row("New", "row").replace("<w:tr>", f"<w:tr><w:trPr>{marked('ins', 908)}</w:trPr>")
    old_row = row("Old", "row").replace("<w:tr>", f"<w:tr><w:trPr>{marked('del', 909)}</w:trPr>")
    rows, kept = [table(row("Item", "Price"), new_row, old_row), END], row("Item", "Price")
    marks = [p("One."), p(inserted("Two is new."), look=THEIR_NEW), p(deleted("Three goes."), look=THEIR_GONE), END]
    looks = [p("It is ", r("bold", new_look), " now.", look=centred), END]
    head = {"header1": story("hdr", p("Agreement ", inserted("final"), deleted("draft")))}
    moved = [p("Stays."), f'<w:p><w:pPr><w:rPr>{marked("moveFrom", 910)}</w:rPr></w:pPr><w:moveFromRangeStart w:id="911" w:name="m1" w:author="Counterparty" w:date="2026-01-15T09:00:00Z"/>'
             f'{marked("moveFrom", 912, r("Wanders."))}<w:moveFromRangeEnd w:id="911"/></w:p>', p("Follows."),
             f'<w:p><w:pPr><w:rPr>{marked("moveTo", 913)}</w:rPr></w:pPr><w:moveToRangeStart w:id="914" w:name="m1" w:author="Counterparty" w:date="2026-01-15T09:00:00Z"/>'
             f'{marked("moveTo", 915, r("Wanders."))}<w:moveToRangeEnd w:id="914"/></w:p>', END]
    in_cell = [table(row(cell(p("Price ", inserted("net"), deleted("gross"))), "x")), END]
    two = {"tracked": False}
    accept, reject = {"op": "accept_all"}, {"op": "reject_all"}
    return [
        edited("accept words", g, "accept all", words, [p("Notice is five days."), END], accept, **two),
        edited("reject words", g, "reject all", words, [p("Notice is ten days."), END], reject, **two),
        edited("accept words in a table", g, "accept all", in_cell, [table(row(cell(p("Price net")), "x")), END], accept, **two),
        edited("accept whole paragraphs", g, "accept all: paragraph marks", marks, [p("One."), p("Two is new."), END], accept, **two),
        edited("reject whole paragraphs", g, "reject all: paragraph marks", marks, [p("One."), p("Three goes."), END], reject, **two),
        edited("accept looks", g, "accept all: rPrChange, pPrChange", looks, [p("It is ", r("bold", "<w:b/>"), " now.", look='<w:jc w:val="center"/>'), END], accept, **two),
        edited("reject looks", g, "reject all: rPrChange, pPrChange", looks, [p("It is bold now."), END], reject, **two),
        edited("accept table rows", g, "accept all: rows", rows, [table(kept, row("New", "row")), END], accept, **two),
        edited("reject table rows", g, "reject all: rows", rows, [table(kept, row("Old", "row")), END], reject, **two),
        edited("accept a move", g, "accept all: moves", moved, [p("Stays."), p("Follows."), p("Wanders."), END], accept, **two),
        edited("reject a move", g, "reject all: moves", moved, [p("Stays."), p("Wanders."), p("Follows."), END], reject, **two),
        edited("accept a header", g, "accept all: headers", [p("Body."), END], [p("Body."), END], accept, parts=head,
               parts_after={"header1": story("hdr", p("Agreement final"))}, **two),
    ]


def cases() -> list[Case]:
    return [*with_their_changes(), *with_comments(), *resolving()]
