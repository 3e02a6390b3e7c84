"""Cases of whole paragraphs, lists, tables and looks."""
from case_tools import Operation, Place, at, edited, replace
from documents import p, r, row, table
from judge import Case

ONE, TWO, THREE = "The first paragraph.", "The second paragraph.", "The third paragraph."
BODY = [p(ONE), p(TWO), p(THREE)]
ITEM = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
CENTRE = '<w:jc w:val="center"/>'


def insert(place: Place, text: str, before: bool = False) -> Operation:
    return {"op": "insert_paragraph", "at": place, "before": before, "text": text}


def paragraphs() -> list[Case]:
    g = "paragraphs"
    mixed = p("A ", r("bold", "<w:b/>"), " and ", r("italic", "<w:i/>"), " clause.", look=CENTRE)
    return [
        edited("put in between", g, "insert a paragraph", BODY, [p(ONE), p("A new one."), p(TWO), p(THREE)], insert(at(1, ONE), "A new one.")),
        edited("put in before the first", g, "insert a paragraph", BODY, [p("A new one."), *BODY], insert(at(1, ONE), "A new one.", before=True)),
        edited("put in at the end", g, "insert a paragraph", BODY, [*BODY, p("A new one.")], insert(at(3, THREE), "A new one.")),
        edited("put in before a table", g, "insert a paragraph", [p(ONE), table(row("a", "b")), p(THREE)], [p(ONE), p("A new one."), table(row("a", "b")), p(THREE)],
               insert(at(1, ONE), "A new one.")),
        edited("deleted", g, "delete a paragraph", BODY, [p(ONE), p(THREE)], {"op": "delete_paragraph", "at": at(2, TWO)}),
        edited("the first deleted, with looks", g, "delete a paragraph", [mixed, *BODY], BODY, {"op": "delete_paragraph", "at": at(1, "A bold and italic clause.")}),
        edited("the last deleted", g, "delete a paragraph", BODY, [p(ONE), p(TWO)], {"op": "delete_paragraph", "at": at(3, THREE)}),
        edited("two joined", g, "join paragraphs", BODY, [p(ONE + TWO), p(THREE)], {"op": "merge", "at": at(1, ONE), "second": at(2, TWO)},
               also=[p(f"{ONE} {TWO}"), p(THREE)]),
        edited("one split", g, "split a paragraph", [p("Half one. Half two."), p(THREE)], [p("Half one. "), p("Half two."), p(THREE)],
               {"op": "split", "at": at(1, "Half one. Half two."), "first": "Half one. ", "rest": "Half two."}),
        edited("moved down", g, "move a paragraph", [*BODY, p("The fourth paragraph.")], [p(TWO), p(THREE), p(ONE), p("The fourth paragraph.")],
               {"op": "move", "at": at(1, ONE), "after": at(3, THREE)}),
        edited("put in, and a word changed elsewhere", g, "insert a paragraph; batch", BODY, [p(ONE), p("A new one."), p(TWO), p("The last paragraph.")],
               insert(at(1, ONE), "A new one."), replace("third", "last", at(3, THREE))),
    ]


def lists_and_tables() -> list[Case]:
    g = "lists and tables"
    items = [p("steel;", look=ITEM), p("copper; and", look=ITEM), p("brass.", look=ITEM), p(THREE)]
    texts = [["Item", "Price"], ["Steel", "10"], ["Copper", "20"]]
    grid = [table(*(row(*line) for line in texts)), p(THREE)]
    where = at(3, "Steel")
    return [
        edited("a list item put in", g, "insert a list item", items, [items[0], p("iron;", look=ITEM), *items[1:]],
               {"op": "insert_item", "at": at(1, "steel;"), "text": "iron;"}),
        edited("a list item deleted", g, "delete a paragraph", items, [items[0], *items[2:]], {"op": "delete_paragraph", "at": at(2, "copper; and")}),
        edited("a row put in", g, "add a row", grid, [table(row("Item", "Price"), row("Steel", "10"), row("Iron", "15"), row("Copper", "20")), p(THREE)],
               {"op": "add_row", "at": where, "row": 1, "cells": ["Iron", "15"], "table": texts}),
        edited("a row put in at the end", g, "add a row", grid, [table(row("Item", "Price"), row("Steel", "10"), row("Copper", "20"), row("Iron", "15")), p(THREE)],
               {"op": "add_row", "at": at(5, "Copper"), "row": 2, "cells": ["Iron", "15"], "table": texts}),
        edited("a row deleted", g, "delete a row", grid, [table(row("Item", "Price"), row("Copper", "20")), p(THREE)],
               {"op": "delete_row", "at": where, "row": 1, "table": texts}),
        edited("a cell given a new text", g, "set a cell", grid, [table(row("Item", "Price"), row("Steel", "12 to 14"), row("Copper", "20")), p(THREE)],
               {"op": "set_cell", "at": at(4, "10"), "row": 1, "column": 1, "text": "12 to 14", "table": texts}),
    ]


def looks() -> list[Case]:
    g = "looks"
    text = "Payment is due at once."
    return [
        edited("words made bold", g, "format text, tracked", [p(text), p(THREE)], [p("Payment is ", r("due", "<w:b/>"), " at once."), p(THREE)],
               {"op": "bold", "at": at(1, text), "find": "due"}),
        edited("words of two looks made bold", g, "format text, tracked", [p("Payment ", r("is due", "<w:i/>"), " at once."), p(THREE)],
               [p("Payment ", r("is ", "<w:i/>"), r("due", "<w:b/><w:i/>"), r(" at", "<w:b/>"), " once."), p(THREE)],
               {"op": "bold", "at": at(1, text), "find": "due at", "marked": "**_due_** **at**",
                "markdown": "Payment *is* ***due*** **at** once."},
               also=[p("Payment ", r("is ", "<w:i/>"), r("due", "<w:b/><w:i/>"), " ", r("at", "<w:b/>"), " once."), p(THREE)]),
        edited("a paragraph centred", g, "format a paragraph, tracked", [p(text), p(THREE)], [p(text, look=CENTRE), p(THREE)],
               {"op": "align", "at": at(1, text), "alignment": "center"}),
        edited("a paragraph with an indent centred", g, "format a paragraph, tracked", [p(text, look='<w:ind w:left="720"/>'), p(THREE)],
               [p(text, look=f'<w:ind w:left="720"/>{CENTRE}'), p(THREE)], {"op": "align", "at": at(1, text), "alignment": "center"}),
    ]


def cases() -> list[Case]:
    return [*paragraphs(), *lists_and_tables(), *looks()]
