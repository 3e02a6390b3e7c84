"""docx-scalpel: a session with tracked changes rendered inline, its search, and its edits by anchor, as its README shows them.

Edits of text go out as one atomic batch. A paragraph is the anchor that a search for its text gives; words that its search
finds twice where one place is meant are refused. Must never look into the package by itself.
"""
import re

from docx_scalpel import (CharSpan, DocxSessionSettings, FormatOp, MutationBatchStep, ParagraphAlignment, ParagraphFormatOp, Position,
                          ProjectionScopes, TrackedChangeMode, open_session)
from worker import APPLIED, Answer, Cannot, Operation, Refused, Result, main, one_by_one, refused

SCOPES = {"body": ProjectionScopes.BODY, "header": ProjectionScopes.HEADERS, "footer": ProjectionScopes.FOOTERS,
          "footnote": ProjectionScopes.FOOTNOTES, "textbox": ProjectionScopes.ALL}


class Editor:
    """The neutral operations on one open session."""

    def __init__(self, session, author: str, date: str):
        self.session, self.author, self.date = session, author, date

    def anchor(self, place: dict) -> str:
        """The anchor of the paragraph with this text; one that is found by its words where its text holds objects."""
        found = self.session.grep("^" + re.escape(place["text"]) + "$", scope=SCOPES[place["story"]])
        anchors = list(dict.fromkeys(match.enclosing_anchor.id for match in found))
        if not anchors:
            raise Refused("the search finds no such paragraph")
        return anchors[0]

    def matches(self, operations: list[Operation]) -> list[list]:
        """Where the words of each operation are, by one search for all. A paragraph is looked for only where the words stand twice."""
        scope = SCOPES[operations[0]["at"]["story"]] if operations[0].get("at") else ProjectionScopes.ALL
        longest = sorted({o["find"] for o in operations}, key=len, reverse=True)
        found: dict[str, list] = {}
        for match in self.session.grep("|".join(map(re.escape, longest)), scope=scope):
            found.setdefault(match.text, []).append(match)
        out = []
        for o in operations:
            here = found.get(o["find"], [])
            if len(here) > 1 and o.get("which", "only") == "only" and o.get("at"):
                anchor = self.anchor(o["at"])
                here = [match for match in here if match.enclosing_anchor.id == anchor]
            if not here:
                raise Refused("the search finds no such text")
            if len(here) > 1 and o.get("which", "only") == "only":
                raise Refused(f"the search finds {len(here)} places")
            out.append(here)
        return out

    def steps(self, operations: list[Operation]) -> list[MutationBatchStep]:
        """Replacements from behind, so that none moves another."""
        spans = [(match, o["with"]) for o, here in zip(operations, self.matches(operations)) for match in here]
        spans.sort(key=lambda pair: -pair[0].span.start)
        return [MutationBatchStep("replace_text_at_span", {"anchorId": match.enclosing_anchor.id, "spanStart": match.span.start,
                                                           "spanLength": match.span.length, "replace": new}) for match, new in spans]

    def cell(self, o: Operation) -> str:
        """The anchor of a cell of the table that holds a paragraph."""
        for target in self.session.find_by_kind("tbl"):
            answer = self.session.resolve_table_cell_coordinate(target.id, o["row"], o.get("column", 0))
            if answer.success:
                return answer.cell.anchor.id
        raise Refused("no such cell")

    def comment_anchor(self, number: int) -> str:
        return next(entry.anchor_id for entry in self.session.list_comments() if entry.id == number)

    def do(self, o: Operation) -> None:
        session, kind = self.session, o["op"]
        if kind == "insert_paragraph":
            result = session.insert_paragraph(self.anchor(o["at"]), Position.BEFORE if o["before"] else Position.AFTER, o["text"])
        elif kind == "insert_item":
            result = session.insert_paragraph(self.anchor(o["at"]), Position.AFTER, "1. " + o["text"])
        elif kind == "delete_paragraph":
            result = session.delete_block(self.anchor(o["at"]))
        elif kind == "merge":
            result = session.merge_paragraphs(self.anchor(o["at"]), self.anchor(o["second"]))
        elif kind == "split":
            result = session.split_paragraph(self.anchor(o["at"]), len(o["first"]))
        elif kind == "move":
            result = session.move_block(self.anchor(o["at"]), self.anchor(o["after"]), Position.AFTER)
        elif kind == "add_row":
            result = session.insert_table_row(self.cell(o), Position.AFTER)
            for column, text in enumerate(o["cells"]):
                if result.success:
                    result = session.replace_cell_content(self.cell({"row": o["row"] + 1, "column": column}), text)
        elif kind == "delete_row":
            result = session.delete_table_row(self.cell(o))
        elif kind == "set_cell":
            result = session.replace_cell_content(self.cell(o), o["text"])
        elif kind == "bold":
            result = session.apply_format_by_substring(self.anchor(o["at"]), o["find"], FormatOp(bold=True))
        elif kind == "align":
            result = session.set_paragraph_format(self.anchor(o["at"]), ParagraphFormatOp(alignment=ParagraphAlignment(o["alignment"])))
        elif kind == "comment" and o["at"]["story"] != "body":
            raise Cannot("comments stand in the body")
        elif kind == "comment":
            match = self.matches([o])[0][0]
            span = CharSpan(match.span.start, match.span.length)
            result = session.add_comment(match.enclosing_anchor.id, span, self.author, o["text"], date=self.date)
        elif kind == "reply":
            result = session.add_comment_reply(self.comment_anchor(o["comment"]), self.author, o["text"], date=self.date)
        elif kind == "resolve":
            result = session.set_comment_resolved(self.comment_anchor(o["comment"]))
        elif kind in ("accept_author", "reject_author"):
            for entry in session.list_revisions(author=o["author"]):
                result = session.accept_revision(entry.id) if kind == "accept_author" else session.reject_revision(entry.id)
        elif kind in ("accept_all", "reject_all"):
            result = session.accept_all_revisions() if kind == "accept_all" else session.reject_all_revisions()
        else:
            raise Cannot("no such operation")
        if not result.success:
            raise Refused(f"{result.error.code.value}: {result.error.message}")


def apply(source: bytes, operations: list[Operation], author: str, date: str) -> Answer:
    settings = DocxSessionSettings(tracked_changes=TrackedChangeMode.RENDER_INLINE, revision_author=author)
    with open_session(source, settings) as session:
        editor = Editor(session, author, date)
        words = [o for o in operations if o["op"] == "replace"]
        results: list[Result] = []
        warnings: tuple[str, ...] = ()
        if words:
            try:
                answer = session.execute_batch(editor.steps(words))
                warnings = answer.warnings
                results = [APPLIED if answer.success else refused(f"{answer.failure.error.code.value}: {answer.failure.error.message}")] * len(words)
            except Refused as why:
                results = [refused(why)] * len(words)
        results += one_by_one([o for o in operations if o["op"] != "replace"], editor.do)
        return Answer(session.save(), results, warnings)


if __name__ == "__main__":
    main(apply)
