"""docx-revisions: `RevisionDocument` and `RevisionParagraph`, as its README shows them.

The accepted view is searched, so that text beside and inside earlier insertions is found. The library answers how many it replaced; none,
or several where one was meant, is taken as its no. Its documented `ValueError` is a refusal. Must never reach below its public interface.
"""
import io

from docx_revisions import RevisionDocument, RevisionParagraph
from worker import Answer, Cannot, Operation, Refused, main, one_by_one


class Paragraphs:
    """The body's paragraphs by their texts, read once."""

    def __init__(self, document: RevisionDocument):
        self.by_text: dict[str, RevisionParagraph] = {}
        for paragraph in document.all_paragraphs:
            self.by_text.setdefault(paragraph.accepted_text, paragraph)
            self.by_text.setdefault(paragraph.text, paragraph)


def paragraph_at(document: RevisionDocument, known: Paragraphs, place: dict) -> RevisionParagraph:
    if place["story"] in ("header", "footer"):
        section = document.document.sections[0]
        story = section.header if place["story"] == "header" else section.footer
        return RevisionParagraph.from_paragraph(story.paragraphs[place["number"] - 1])
    if place["story"] != "body":
        raise Cannot("python-docx, which it builds on, gives no paragraphs of footnotes and text boxes")
    return known.by_text[place["text"]]


def apply(source: bytes, operations: list[Operation], author: str, date: str) -> Answer:
    document = RevisionDocument(io.BytesIO(source))
    known = Paragraphs(document)

    def do(o: Operation) -> None:
        kind = o["op"]
        if o.get("whole"):
            raise Cannot("it looks for characters, not for whole words")
        if kind == "rewrite":
            o, kind = {**o, "find": o["at"]["text"], "with": o["text"], "which": "only"}, "replace"
        if kind == "replace":
            try:
                if o["at"] and (o["at"]["story"] != "body" or o["at"]["text"] in known.by_text):
                    count = paragraph_at(document, known, o["at"]).replace_tracked(o["find"], o["with"], author=author, index_mode="accepted")
                else:
                    count = document.find_and_replace_tracked(o["find"], o["with"], author=author, index_mode="accepted")
            except ValueError as why:
                raise Refused(why) from why
            if count == 0 or count > 1 and o["which"] == "only":
                raise Refused(f"{count} replaced")
        elif kind == "comment":
            raise Cannot("comments come with a replacement only")
        elif kind in ("accept_author", "reject_author"):
            for change in [c for c in document.track_changes if c.author == o["author"]]:
                change.accept() if kind == "accept_author" else change.reject()
        elif kind == "accept_all":
            document.accept_all()
        elif kind == "reject_all":
            document.reject_all()
        else:
            raise Cannot("it replaces, inserts and deletes text within paragraphs")

    results = one_by_one(operations, do)
    out = io.BytesIO()
    document.save(out)
    return Answer(out.getvalue(), results)


if __name__ == "__main__":
    main(apply)
