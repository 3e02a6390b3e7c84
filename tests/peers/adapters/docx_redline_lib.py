"""docx-redline: `Redliner` and its `ParagraphIndex`, as its README shows them.

All words of a request are quotes, which the index verifies before anything is written; each paragraph then gets its new text once, by
`set_paragraph_text`, which marks the words that differ (its plan's `RedlineEdit` strikes the whole quote, and loses more looks). A paragraph is
looked up by the words and, where several hold them, by its text; words in several paragraphs where one is meant are refused, since the
index tells a caller that number. `RedlineError` and a rejection are its no. Must never reach below its public interface.
"""
import io
import re

from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx_redline import ActionPlanner, ParagraphIndex, RedlineError, Redliner, Rejection, ReviewNote
from worker import Answer, Cannot, Operation, Refused, Result, main, one_by_one

SCOPES = {"body": "body", "textbox": "body", "header": "headers", "footer": "footers", "footnote": "notes"}
EVERYWHERE = ("body", "headers", "footers", "notes")
RESOLVING = ("accept_all", "reject_all", "accept_author", "reject_author")
EDITS = ("insert_paragraph", "insert_item", "delete_paragraph", "move", "bold", "align", "add_row", "delete_row", "set_cell", "delete_table", "rewrite")
MISSING = {"reply": "comments are not answered", "resolve": "comments are not resolved", "merge": "paragraphs are not joined",
           "split": "paragraphs are not split"}


class Editor:
    """The neutral operations on one open document. A story that is named has an index of its own."""

    def __init__(self, source: bytes, author: str, date: str):
        self.document, self.author, self.date = Document(io.BytesIO(source)), author, date
        self.indexes: dict[str, ParagraphIndex] = {}

    def index(self, place: dict | None) -> ParagraphIndex:
        story = SCOPES[place["story"]] if place else ""
        if story not in self.indexes:
            scope = {"scope": (story,) if story else EVERYWHERE}
            self.indexes[story] = ParagraphIndex(Redliner(self.document, author=self.author, date=self.date, **scope))
        return self.indexes[story]

    def number(self, place: dict, words: str = "") -> int:
        """The paragraph with this text or, where the library reads another (a field's code, say), the first with the words or that number."""
        index = self.index(place)
        found = [ref.para_id for ref in index if ref.text == place["text"]] or (index.find(words) if words else [])
        if not found and place["story"] == "body" and place["number"] <= len(index):
            found = [place["number"] - 1]
        if not found:
            raise Refused("the index has no such paragraph")
        return found[0]

    def holding(self, o: Operation) -> list[int]:
        """The paragraphs that an operation on words is about."""
        found = self.index(o.get("at")).find(o["find"])
        if not found:
            raise Refused("the index finds no such text")
        if len(found) == 1 or o.get("which") == "all":
            return found
        if not o.get("at"):
            raise Refused(f"the index finds the text in {len(found)} paragraphs")
        return [self.number(o["at"], o["find"])]

    def reword(self, operations: list[Operation]) -> list[Result]:
        """All replacements: every quote is located, then every paragraph is given its new text."""
        spans: dict[tuple[int, int], tuple[ParagraphIndex, list[tuple[int, int, str]]]] = {}

        def locate(o: Operation) -> None:
            if o.get("whole"):
                if not self.index(None).rl.replace_text(rf"\b{re.escape(o['find'])}\b", o["with"], regex=True, count=None):
                    raise Refused("it finds no such text")
                return
            index = self.index(o.get("at"))
            for number in self.holding(o):
                found = index.locate(number, o["find"], 0 if o["which"] == "all" else 1)
                if isinstance(found, Rejection):
                    raise Refused(found.value)
                spans.setdefault((id(index), number), (index, []))[1].extend((start, end, o["with"]) for start, end in found)

        results = one_by_one(operations, locate)
        for (_, number), (index, edits) in spans.items():
            paragraph = index.paragraph(number)
            text = index.rl.text_of(paragraph)
            for start, end, new in sorted(edits, reverse=True):
                text = text[:start] + new + text[end:]
            index.rl.set_paragraph_text(paragraph, text)
        return results

    def do(self, o: Operation) -> None:
        if o["op"] in MISSING:
            raise Cannot(MISSING[o["op"]])
        if o["op"] not in (*EDITS, "comment", "delete_section"):
            raise Cannot("no such operation")
        if o["op"] == "delete_section":
            self.delete_clause(o["label"])
            return
        index = self.index(o["at"]).refresh()
        try:
            self.edit(o, index, index.rl)
        except RedlineError as why:
            raise Refused(why) from why

    def delete_clause(self, label: str) -> None:
        """By its planner, which need not number the others anew."""
        report = ActionPlanner(Redliner(self.document, author=self.author, date=self.date), renumber=False).run([{"type": "delete_clause", "clause": label}])
        if report.failed or not report.applied:
            raise Refused("; ".join(result.detail for result in report.results) or "nothing done")

    def edit(self, o: Operation, index: ParagraphIndex, redliner: Redliner) -> None:
        kind = o["op"]
        if kind == "comment":
            for result in index.apply([ReviewNote(self.holding(o)[0], o["find"], o["text"])]).rejected:
                raise Refused(f"{result.reason.value}: {result.detail}")
            return
        number = self.number(o["at"], o.get("find", ""))
        paragraph = index.paragraph(number)
        if kind == "insert_paragraph" and o["before"]:
            redliner.insert_paragraph_before(paragraph, o["text"])
        elif kind in ("insert_paragraph", "insert_item"):
            redliner.insert_paragraph_after(paragraph, o["text"])
        elif kind == "delete_paragraph":
            redliner.delete_paragraph(paragraph)
        elif kind == "move":
            redliner.move_paragraph(paragraph, index.paragraph(self.number(o["after"])))
        elif kind == "bold":
            if not redliner.format_matching(o["find"], bold=True):
                raise Refused("it finds no such text")
        elif kind == "align":
            redliner.format_paragraph(paragraph, alignment=WD_ALIGN_PARAGRAPH[o["alignment"].upper()])
        elif kind == "rewrite":
            redliner.set_paragraph_text(paragraph, o["text"])
        elif kind in ("add_row", "delete_row", "set_cell", "delete_table"):
            table = redliner.tables()[index[number].table_index]
            if kind == "add_row":
                redliner.insert_table_row(table, o["row"] + 1, o["cells"])
            elif kind == "delete_row":
                redliner.delete_table_row(table, o["row"])
            elif kind == "delete_table":  # Every row of it, which is how the format says it, too.
                for row in range(len(table.rows)):
                    redliner.delete_table_row(table, row)
            else:
                redliner.set_cell_text(table.cell(o["row"], o["column"]), o["text"])
        else:
            raise Cannot("no such operation")

    def resolve(self, o: Operation) -> None:
        redliner = Redliner(self.document, track_changes=False)
        whose = {"authors": o["author"]} if "author" in o else {}
        redliner.accept(**whose) if o["op"].startswith("accept") else redliner.reject(**whose)


def apply(source: bytes, operations: list[Operation], author: str, date: str) -> Answer:
    editor = Editor(source, author, date)
    if operations[0]["op"] in RESOLVING:
        results = one_by_one(operations, editor.resolve)
    else:
        results = editor.reword([o for o in operations if o["op"] == "replace"])
        results += one_by_one([o for o in operations if o["op"] != "replace"], editor.do)
    out = io.BytesIO()
    editor.document.save(out)
    return Answer(out.getvalue(), results)


if __name__ == "__main__":
    main(apply)
