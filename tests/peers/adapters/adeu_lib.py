"""adeu: `RedlineEngine.process_batch`, atomic as by default, as its README and the description of its tool show.

A paragraph is inserted by a replacement with a blank line in it, deleted by an empty one. A `BatchValidationError` is its no. Must never
add context to a text that the case did not give, since a text that fits twice is what adeu refuses by itself.
"""
import difflib
import io
import re

from adeu import ModifyText, RedlineEngine, ReplyComment, extract_text_from_stream
from adeu.models import DeleteTableRow, InsertTableRow, SetField
from adeu.redline.engine import BatchValidationError
from worker import APPLIED, Answer, Cannot, Operation, cannot, main, refused


def quoted(place: dict, reading: list[str]) -> str:
    """A paragraph as the library itself reads it, where it shows more than the text, such as a note's mark."""
    if place["text"] in reading:
        return place["text"]
    return next(iter(difflib.get_close_matches(place["text"], reading, 1, 0.6)), place["text"])


def translated(o: Operation, reading: list[str]) -> object:
    kind = o["op"]
    if kind == "replace" and o.get("whole"):
        return ModifyText(target_text=rf"\b{re.escape(o['find'])}\b", new_text=o["with"], match_mode="all", regex=True)
    if kind == "replace":
        return ModifyText(target_text=o["find"], new_text=o["with"], match_mode="all" if o["which"] == "all" else "strict")
    text = quoted(o["at"], reading) if o.get("at") else ""
    if kind == "insert_paragraph":
        new = f"{o['text']}\n\n{text}" if o["before"] else f"{text}\n\n{o['text']}"
        return ModifyText(target_text=text, new_text=new)
    if kind == "insert_item":
        return ModifyText(target_text=text, new_text=f"{text}\n\n{o['text']}")
    if kind == "delete_paragraph":
        return ModifyText(target_text=text, new_text="")
    if kind == "rewrite":
        return ModifyText(target_text=text, new_text=o["text"])
    if kind == "insert_list":
        return ModifyText(target_text=text, new_text="\n\n".join([text, *(f"- {item}" for item in o["items"])]))
    if kind == "fill":
        return SetField(field=o["tag"], value=str(o.get("shown", o["value"])).lower() if o["kind"] == "box" else o.get("shown", o["value"]))
    if kind == "merge":
        return ModifyText(target_text=f"{text}\n\n{o['second']['text']}", new_text=text + o["second"]["text"])
    if kind == "split":
        return ModifyText(target_text=text, new_text=f"{o['first']}\n\n{o['rest']}")
    if kind == "add_row":
        return InsertTableRow(target_text=text, position="below", cells=o["cells"])
    if kind == "delete_row":
        return DeleteTableRow(target_text=text)
    if kind == "set_cell":
        return ModifyText(target_text=text, new_text=o["text"])
    if kind == "bold":
        return ModifyText(target_text=o["find"], new_text=o.get("marked") or f"**{o['find']}**")
    if kind == "comment":
        return ModifyText(target_text=o["find"], new_text=o["find"], comment=o["text"])
    if kind == "reply":
        return ReplyComment(target_id=f"Com:{o['comment']}", text=o["text"])
    raise Cannot({"move": "no move", "align": "no format of paragraphs", "resolve": "comments are not resolved",
                  "reject_all": "changes are rejected by their ids", "accept_author": "changes are accepted by their ids",
                  "reject_author": "changes are rejected by their ids"}.get(kind, "no such operation"))


def apply(source: bytes, operations: list[Operation], author: str, date: str) -> Answer:
    if operations[0]["op"] == "accept_all":
        engine = RedlineEngine(io.BytesIO(source), author=author)
        engine.accept_all_revisions()
        return Answer(engine.save_to_stream().getvalue(), [APPLIED])
    try:
        reading = extract_text_from_stream(io.BytesIO(source), clean_view=True).split("\n\n") if any(o["op"] != "replace" for o in operations) else []
        # A row is put in beside one that is deleted while that is there.
        ordered = sorted(operations, key=lambda o: o["op"] == "delete_row")
        changes = [translated(o, reading) for o in ordered]
    except Cannot as why:
        return Answer(None, [cannot(why)] * len(operations))
    engine = RedlineEngine(io.BytesIO(source), author=author, timestamp=date)
    try:
        answer = engine.process_batch(changes)
    except BatchValidationError as why:
        return Answer(None, [refused(" ".join(str(why).split()))] * len(operations))
    if answer.get("edits_skipped") or answer.get("actions_skipped"):
        return Answer(None, [refused(answer.get("skipped_details"))] * len(operations))
    return Answer(engine.save_to_stream().getvalue(), [APPLIED] * len(operations))


if __name__ == "__main__":
    main(apply)
