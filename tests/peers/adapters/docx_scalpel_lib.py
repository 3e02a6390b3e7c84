"""docx-scalpel: a session with tracked changes rendered inline, its search, and its edits by anchor, as its README shows them.

Edits of text go out as one atomic batch. A paragraph is the anchor that a search for its text gives; words that its search
finds twice where one place is meant are refused. Must never look into the package by itself.
"""
import re

from docx_scalpel import (CharSpan, CrossReferenceOptions, DocumentRange, DocxSessionSettings, FormatOp, HeaderFooterKind, HyperlinkKind,
                          MutationBatchStep, ParagraphAlignment, ParagraphFormatOp, Position, ProjectionScopes, TrackedChangeMode, open_session)
from worker import APPLIED, Answer, Cannot, Operation, Refused, Result, main, one_by_one, refused

SCOPES = {"body": ProjectionScopes.BODY, "header": ProjectionScopes.HEADERS, "footer": ProjectionScopes.FOOTERS,
          "footnote": ProjectionScopes.FOOTNOTES, "textbox": ProjectionScopes.ALL}


class Editor:
    """The neutral operations on one open session."""

    def __init__(self, session, author: str, date: str):
        self.session, self.author, self.date = session, author, date
        self.anchors: dict[tuple[str, str], str] = {}  # found before an edit changed the words

    def anchor(self, place: dict) -> str:
        """The anchor of the paragraph with this text; one that is found by its words where its text holds objects."""
        key = (place["story"], place["text"])
        if key in self.anchors:
            return self.anchors[key]
        found = self.session.grep("^" + re.escape(place["text"]) + "$", scope=SCOPES[place["story"]])
        anchors = list(dict.fromkeys(match.enclosing_anchor.id for match in found))
        if not anchors:
            raise Refused("the search finds no such paragraph")
        return self.anchors.setdefault(key, anchors[0])

    def matches(self, operations: list[Operation]) -> list[list]:
        """Where the words of each operation are, by one search for all. A paragraph is looked for only where the words stand twice."""
        scope = SCOPES[operations[0]["at"]["story"]] if operations[0].get("at") else ProjectionScopes.ALL
        longest = sorted({o["find"] for o in operations}, key=len, reverse=True)
        found: dict[str, list] = {}
        whole = r"\b" if any(o.get("whole") for o in operations) else ""
        for match in self.session.grep("|".join(whole + re.escape(words) + whole for words in longest), scope=scope):
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

    def table(self) -> str:
        """The anchor of the document's table."""
        for target in self.session.find_by_kind("tbl"):
            return target.id
        raise Refused("no such table")

    def behind(self, o: Operation) -> tuple[str, int]:
        """The place right behind the words of an operation."""
        match = self.matches([{"at": o["at"], "find": o["after"]}])[0][0]
        return match.enclosing_anchor.id, match.span.start + len(o["after"])

    def words(self, o: Operation) -> tuple[str, CharSpan]:
        match = self.matches([o])[0][0]
        return match.enclosing_anchor.id, CharSpan(match.span.start, match.span.length)

    def fill(self, o: Operation):
        control = next((c for c in self.session.list_content_controls() if c.tag == o["tag"]), None)
        if control is None:
            raise Refused("it lists no such control")
        if o["kind"] == "choice":
            return self.session.select_content_control_item(control.anchor_id, o["value"])
        if o["kind"] == "box":
            return self.session.set_content_control_checked(control.anchor_id, o["value"])
        return self.session.fill_content_control_text(control.anchor_id, o["value"])

    def object(self, o: Operation):
        """Notes, links, bookmarks, references, pictures, headers and controls."""
        session, kind = self.session, o["op"]
        if kind == "note":
            return (session.insert_footnote if o["kind"] == "footnote" else session.insert_endnote)(*self.behind(o), o["text"])
        if kind == "link":
            return session.add_hyperlink(*self.words(o), HyperlinkKind.EXTERNAL, o["url"])
        if kind == "bookmark":
            anchor, span = self.words(o)
            return session.add_bookmark(o["name"], DocumentRange(anchor, span.start, anchor, span.start + span.length))
        if kind == "reference":
            return session.insert_cross_reference(*self.behind(o), o["bookmark"], CrossReferenceOptions(o["show"] == "number", True))
        if kind == "picture":
            return session.insert_image(*self.behind(o), bytes.fromhex(o["png"]))
        if kind == "header":
            return session.set_header_text(self.anchor(o["at"]), HeaderFooterKind.DEFAULT, o["text"])
        if kind == "fill":
            return self.fill(o)
        raise Cannot("no such operation")

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
        elif kind == "add_column":
            first = 1 if o["cells"][0] == "" else 0
            result = session.insert_table_column(self.cell({"row": first, "column": o["column"] - 1}), Position.AFTER)
            for row, text in enumerate(o["cells"]):
                if result.success and text:
                    result = session.replace_cell_content(self.cell({"row": row, "column": o["column"]}), text)
        elif kind == "delete_column":
            result = session.delete_table_column(self.cell({"row": 1, "column": o["column"]}))
        elif kind == "delete_table":
            result = session.delete_block(self.table())
        elif kind == "rewrite":
            result = session.replace_text(self.anchor(o["at"]), o["text"])
        elif kind == "delete_section":
            result = session.delete_section(self.anchor(o["at"]))
        elif kind == "insert_list":
            result = session.insert_paragraph(self.anchor(o["at"]), Position.AFTER, "\n".join(f"- {item}" for item in o["items"]))
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
            result = self.object(o)
        if not result.success:
            raise Refused(f"{result.error.code.value}: {result.error.message}")


def apply(source: bytes, operations: list[Operation], author: str, date: str) -> Answer:
    settings = DocxSessionSettings(tracked_changes=TrackedChangeMode.RENDER_INLINE, revision_author=author)
    with open_session(source, settings) as session:
        editor = Editor(session, author, date)
        words = [o for o in operations if o["op"] == "replace"]
        for o in operations:
            if o["op"] == "bold" and words:  # The batch of words comes first, and changes what a paragraph says.
                editor.anchor(o["at"])
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
