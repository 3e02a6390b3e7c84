"""Cases that real documents bring and that are easily forgotten: odd files, protection, marks over several paragraphs."""
import re
from typing import Callable

from case_tools import at, edited, replace
from documents import (HEAD, SETTINGS, cell, comment, commented, comments, control, deleted, document, footnotes, inserted, marked, p, r, replaced,
                       row, story, table)
from judge import AUTHOR, Case

END = p("This is the last paragraph.")
TEXT = "Payment is due at once."
CENTRE = '<w:jc w:val="center"/>'
OWN_MARK = "<w:r><w:footnoteRef/></w:r>"
NOTE = '<w:r><w:footnoteReference w:id="1"/></w:r>'
LATER = replace("at once", "in a week", at(1, TEXT))
AFTER = "Payment is due in a week."


def odd_files() -> list[Case]:
    g = "files"
    plain, want = document(p(TEXT), END), document(p(AFTER), END)

    def filed(name: str, feature: str, change: Callable[[bytes], bytes]) -> Case:
        return Case(name, g, feature, change(plain), [LATER], change(want))

    def other_prefix(data: bytes) -> bytes:
        return replaced(data, "word/document.xml", lambda xml: re.sub(r"\bw:", "x:", xml).replace("xmlns:w=", "xmlns:x="))

    def utf16(data: bytes) -> bytes:
        return replaced(data, "word/document.xml", lambda xml: xml.replace("UTF-8", "UTF-16"), "utf-16")

    def indented(data: bytes) -> bytes:
        return replaced(data, "word/document.xml", lambda xml: xml.replace("<w:p>", "\r\n  <w:p>\r\n    ").replace("</w:p>", "\r\n  </w:p>").replace("<w:t ", "\r\n      <w:t "))

    def protected(kind: str) -> str:
        return SETTINGS.removeprefix(HEAD).replace("<w:zoom", f'<w:documentProtection w:edit="{kind}" w:enforcement="1"/><w:zoom')

    return [
        filed("another prefix for the main namespace", "replace; namespaces", other_prefix),
        filed("a main part in UTF-16", "replace; encodings", utf16),
        filed("a main part with indented lines", "replace; white space between elements", indented),
        edited("protected, but for tracked changes", g, "replace; protection read", [p(TEXT), END], [p(AFTER), END], LATER, parts={"settings": protected("trackedChanges")}),
        edited("protected against all changes", g, "respect for protection", [p(TEXT), END], [p(AFTER), END], LATER,
               parts={"settings": protected("readOnly")}, protected=True),
        edited("protected but for comments", g, "respect for protection", [p(TEXT), END], [p(AFTER), END], LATER,
               parts={"settings": protected("comments")}, protected=True),
    ]


def further() -> list[Case]:
    g = "further"
    locked_frame = '<w:lock w:val="sdtLocked"/>'
    many = {"comments": comments(comment(0, "Both clauses?"))}
    start, end = '<w:commentRangeStart w:id="0"/>', '<w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r>'
    wide = [p(start, "The first clause."), p("The second clause.", end), END]
    merged = cell("Head").replace("</w:tcPr>", '<w:gridSpan w:val="2"/></w:tcPr>')
    texts = [["Head", ""], ["Steel", "10"], ["Copper", "20"]]
    grid = [table(row(merged), *(row(*line) for line in texts[1:])), END]
    item = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    notes = {"footnotes": footnotes(p(OWN_MARK, " See the register."))}
    theirs_look = f'<w:b/>{marked("rPrChange", 904, "<w:rPr/>")}'
    theirs_place = f'{CENTRE}{marked("pPrChange", 907, "<w:pPr/>")}'
    reference = f'<w:fldSimple w:instr=" REF _Ref1 ">{r("4.2")}</w:fldSimple>'
    rows = [p("Before."), table(row("x", "y")), END]
    return [
        edited("within a control whose frame alone is locked", g, "replace; kind of lock read", [p("Seller: ", control(r("Harrow Ltd"), locked_frame), "."), END],
               [p("Seller: ", control(r("Gate Ltd"), locked_frame), "."), END], replace("Harrow", "Gate", at(1, "Seller: Harrow Ltd."))),
        edited("a tab in the words to find", g, "replace over a tab", [p("Name:", "<w:r><w:tab/></w:r>", "Smith"), END],
               [p("Title:", "<w:r><w:tab/></w:r>", "Smith"), END], replace("Name:\tSmith", "Title:\tSmith", at(1, "Name:\tSmith"))),
        edited("a whole text taken out", g, "replace by nothing", [p("Before."), p(TEXT), END], [p("Before."), p(), END], replace(TEXT, "", at(2, TEXT)),
               also=[p("Before."), END]),
        edited("a phrase over the edge of a link", g, "replace over a link's edge",
               [p("Read ", f'<w:hyperlink r:id="rIdLink">{r("the terms")}</w:hyperlink>', " now."), END],
               [p("Read ", f'<w:hyperlink r:id="rIdLink">{r("the terms")}</w:hyperlink>', " later."), END],
               replace("terms now", "terms later", at(1, "Read the terms now."))),
        edited("a word within a comment over two paragraphs", g, "replace; comment kept", wide, [p(start, "The first article."), wide[1], END],
               replace("first clause", "first article", at(1, "The first clause.")), parts=many),
        edited("a paragraph between the ends of a comment deleted", g, "delete a paragraph; comment kept", [p(start, "The first clause."), p("The middle."), *wide[1:]],
               [p(start, "The first clause."), *wide[1:]], {"op": "delete_paragraph", "at": at(2, "The middle.")}, parts=many),
        edited("a paragraph in a cell put in", g, "insert a paragraph in a cell", [table(row("One cell.", "b")), END], [table(row(cell("One cell.", "New line."), "b")), END],
               {"op": "insert_paragraph", "at": at(1, "One cell."), "before": False, "text": "New line."}),
        edited("a paragraph before a table deleted", g, "delete a paragraph", [p("First."), *rows], [p("First."), *rows[1:]], {"op": "delete_paragraph", "at": at(2, "Before.")}),
        edited("a row put in below merged cells", g, "add a row", grid, [table(row(merged), row("Steel", "10"), row("Iron", "15"), row("Copper", "20")), END],
               {"op": "add_row", "at": at(2, "Steel"), "row": 1, "cells": ["Iron", "15"], "table": texts}),
        edited("the last list item followed by a new one", g, "insert a list item", [p("steel;", look=item), p("brass.", look=item), END],
               [p("steel;", look=item), p("brass.", look=item), p("iron.", look=item), END], {"op": "insert_item", "at": at(2, "brass."), "text": "iron."}),
        edited("the last paragraph moved up", g, "move a paragraph", [p("One."), p("Two."), p("Three.")], [p("One."), p("Three."), p("Two.")],
               {"op": "move", "at": at(3, "Three."), "after": at(1, "One.")}),
        edited("a paragraph with a footnote deleted", g, "delete a paragraph", [p("Before."), p("See here", NOTE, "."), END], [p("Before."), END],
               {"op": "delete_paragraph", "at": at(2, "See here.")}, parts=notes),
        edited("a commented paragraph deleted", g, "delete a paragraph", [p("Before."), p("The clause ", commented("stands here", 0), "."), END], [p("Before."), END],
               {"op": "delete_paragraph", "at": at(2, "The clause stands here.")}, parts=many),
        edited("the last paragraph before a table moved up", g, "move a paragraph", [p("One."), p("Two."), p("Three."), table(row("x", "y")), END],
               [p("One."), p("Three."), p("Two."), table(row("x", "y")), END], {"op": "move", "at": at(3, "Three."), "after": at(1, "One.")}),
        edited("words with a whole field among them replaced", g, "replace over a field", [p("Under clause ", reference, " the seller pays."), END], [p("The seller pays."), END],
               replace("Under clause 4.2 the seller", "The seller", at(1, "Under clause 4.2 the seller pays."))),
        edited("an accent written as one character, kept as two", g, "replace; Unicode forms", [p("The cafe\u0301 closes early."), END], [p("The bistro closes early."), END],
               replace("caf\u00e9", "bistro", at(1, "The cafe\u0301 closes early."))),
        edited("a heading's text", g, "replace; style kept", [p("Scope of work", look='<w:pStyle w:val="Heading1"/>'), END],
               [p("Scope of services", look='<w:pStyle w:val="Heading1"/>'), END], replace("work", "services", at(1, "Scope of work")), one_word=True),
        edited("words made bold in their insertion", g, "format text in their revision", [p("The buyer ", inserted("or its agent "), "pays."), END],
               [p("The buyer ", marked("ins", 901, r("or its ") + r("agent", "<w:b/>") + r(" ")), "pays."), END],
               {"op": "bold", "at": at(1, "The buyer or its agent pays."), "find": "agent"}, inside_theirs=True),
        edited("a word replaced whose look they changed", g, "replace in their revision", [p("The buyer ", r("always", theirs_look), " pays."), END],
               [p("The buyer ", r("promptly", "<w:b/>"), " pays."), END], replace("always", "promptly", at(1, "The buyer always pays.")), inside_theirs=True),
        edited("a word in a paragraph whose place they changed", g, "replace; their revision kept", [p(TEXT, look=theirs_place), END], [p(AFTER, look=theirs_place), END], LATER),
        edited("a comment in a footnote", g, "comment in a note", [p("See", NOTE, "."), END], [p("See", NOTE, "."), END],
               {"op": "comment", "at": at(1, " See the register.", "footnote"), "find": "register", "text": "Which?"}, parts=notes,
               comments=[(AUTHOR, "Which?", "register", "", False)]),
        edited("the same words in body and header", g, "replace where it is meant", [p("Draft agreement"), END], [p("Final agreement"), END],
               replace("Draft", "Final", at(1, "Draft agreement")), parts={"header1": story("hdr", p("Draft agreement"))}),
        edited("one author's words accepted, another's left", g, "accept by author",
               [p("One ", inserted("their "), inserted("my ", 950).replace("Counterparty", "Colleague"), deleted("old ", 951).replace("Counterparty", "Colleague"), "word."), END],
               [p("One ", inserted("their "), "my word."), END], {"op": "accept_author", "author": "Colleague"}, tracked=False),
        edited("one author's words rejected, another's left", g, "reject by author",
               [p("One ", inserted("their "), inserted("my ", 950).replace("Counterparty", "Colleague"), deleted("old ", 951).replace("Counterparty", "Colleague"), "word."), END],
               [p("One ", inserted("their "), "old word."), END], {"op": "reject_author", "author": "Colleague"}, tracked=False),
        edited("accept a deleted word within their insertion", g, "accept all: nested", [p("Pay ", marked("ins", 901, r("very ") + deleted("much ", 903) + r("soon")), "."), END],
               [p("Pay very soon."), END], {"op": "accept_all"}, tracked=False),
        edited("accept in a footnote", g, "accept all: notes", [p("See", NOTE, "."), END], [p("See", NOTE, "."), END], {"op": "accept_all"},
               parts={"footnotes": footnotes(p(OWN_MARK, " The ", deleted("old "), inserted("new "), "register."))},
               parts_after={"footnotes": footnotes(p(OWN_MARK, " The new register."))}, tracked=False),
    ]


def cases() -> list[Case]:
    return [*odd_files(), *further()]
