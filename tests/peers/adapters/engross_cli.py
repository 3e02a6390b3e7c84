"""engross, by its command line: one `apply` for a batch of operations.

The program's path comes in the variable ENGROSS. Must never do more than translate.
"""
import base64
import json
import os
import subprocess
import tempfile
from pathlib import Path

from worker import Answer, Operation, main

PREFIX = {"body": "", "header": "header:default@1/", "footer": "footer:default@1/", "footnote": "footnote:1/", "textbox": "textbox:1/"}


def address(place: dict) -> str:
    return f"{PREFIX[place['story']]}P{place['number']}"


def translated(o: Operation) -> list[dict]:
    """An operation in the language of engross, which has most of them as one."""
    if o["op"] == "delete_section":
        heading = {"target": address(o["at"])}
        return [{"op": "edit_section", **heading, "newBodyParagraphs": []}, {"op": "delete_paragraph", **heading}]
    return [single(o)]


def single(o: Operation) -> dict:
    kind = o["op"]
    target = {"target": address(o["at"])} if o.get("at") else {}
    if kind == "replace":
        many = {"occurrence": "all"} if o["which"] == "all" else {}
        many |= {"scope": "everywhere"} if o.get("everywhere") else {}
        many |= {"wholeWord": True} if o.get("whole") else {}
        return {"op": "modify_text", **target, "originalText": o["find"], "replacementText": o["with"], "plain": True, **many}
    if kind == "insert_paragraph":
        return {"op": "insert_paragraph", "before" if o["before"] else "after": address(o["at"]), "content": o["text"], "plain": True}
    if kind == "delete_paragraph":
        return {"op": "delete_paragraph", **target, "comments": "keep"}  # Somebody's comments stay, as the cases want them to.
    if kind == "merge":
        first, second = o["at"]["text"], o["second"]["text"]
        return {"op": "modify_text", "originalText": f"{first}\n{second}", "replacementText": first + second, "plain": True}
    if kind == "split":
        return {"op": "edit_paragraph", **target, "newContent": o["first"] + "\n\n" + o["rest"], "plain": True}
    if kind == "move":
        return {"op": "move_paragraph", **target, "after": address(o["after"])}
    if kind == "insert_item":
        return {"op": "insert_list_item", "afterParagraphIndex": o["at"]["number"], "text": o["text"]}
    if kind == "add_row":
        return {"op": "edit_table", **target, "action": "add_row", "targetRow": o["row"] + 1, "content": o["cells"]}
    if kind == "delete_row":
        return {"op": "edit_table", **target, "action": "delete_row", "targetRow": o["row"]}
    if kind == "set_cell":
        return {"op": "edit_table", **target, "action": "update_cell", "targetRow": o["row"], "targetColumn": o["column"], "content": o["text"]}
    if kind in ("add_column", "delete_column"):
        texts = {"content": o["cells"]} if kind == "add_column" else {}
        return {"op": "edit_table", **target, "action": kind, "targetColumn": o["column"], **texts}
    if kind == "delete_table":
        return {"op": "delete_table", **target}
    if kind == "rewrite":
        return {"op": "edit_paragraph", **target, "newContent": o["text"], "plain": True}
    if kind == "rewrite_section":
        return {"op": "edit_section", **target, "newBodyParagraphs": o["body"], "plain": True}
    if kind == "insert_list":
        return {"op": "insert_paragraph", "after": address(o["at"]), "content": "\n".join(f"- {item}" for item in o["items"])}
    if kind == "note":
        return {"op": "insert_note", **target, "kind": o["kind"], "afterText": o["after"], "content": o["text"]}
    if kind == "link":
        return {"op": "insert_link", **target, "textToLink": o["find"], "url": o["url"]}
    if kind == "bookmark":
        return {"op": "insert_bookmark", **target, "text": o["find"], "name": o["name"]}
    if kind == "reference":
        return {"op": "insert_cross_reference", **target, "afterText": o["after"], "to": {"bookmark": o["bookmark"]}, "show": o["show"]}
    if kind == "picture":
        return {"op": "insert_image", **target, "afterText": o["after"], "data": base64.b64encode(bytes.fromhex(o["png"])).decode()}
    if kind == "header":
        return {"op": "create_header", "content": o["text"]}
    if kind == "fill":
        return {"op": "fill_control", "tag": o["tag"], "value": o.get("shown", o["value"])}
    if kind == "bold":
        return {"op": "format_text", **target, "textToFormat": o["find"], "bold": True}
    if kind == "align":
        return {"op": "format_paragraph", **target, "alignment": o["alignment"]}
    if kind == "comment":
        return {"op": "insert_comment", **target, "textToFind": o["find"], "commentContent": o["text"]}
    if kind == "reply":
        return {"op": "comment_reply", "commentId": o["comment"], "content": o["text"]}
    if kind == "resolve":
        return {"op": "comment_resolve", "commentId": o["comment"]}
    if kind in ("accept_author", "reject_author"):
        return {"op": kind.split("_")[0], "by": o["author"]}
    return {"op": {"accept_all": "accept", "reject_all": "reject"}[kind]}


def worst(told: list[dict]) -> dict:
    """What an operation came to: applied, if all that it is made of were."""
    for o in told:
        if o["status"] != "applied":
            return {"status": "refused", "why": f"{o.get('code') or o['status']}: {o.get('message') or ''}"}
    return {"status": "applied"}


def apply(source: bytes, operations: list[Operation], author: str, date: str) -> Answer:
    with tempfile.TemporaryDirectory() as folder:
        document, batch, output = (Path(folder) / name for name in ("document.docx", "operations.json", "output.docx"))
        document.write_bytes(source)
        each = [translated(o) for o in operations]
        batch.write_text(json.dumps({"operations": [one for group in each for one in group]}), encoding="utf-8")
        done = subprocess.run([os.environ["ENGROSS"], "apply", str(document), str(batch), "-o", str(output), "--author", author,
                               "--date", date, "--json"], capture_output=True, text=True)
        answer = json.loads(done.stdout)
        if "operations" not in answer:
            raise RuntimeError(answer["error"]["code"] + ": " + answer["error"]["message"])
        told = iter(answer["operations"])
        results = [worst([next(told) for _ in group]) for group in each]
        return Answer(output.read_bytes() if output.exists() else None, results, answer.get("warnings", []))


if __name__ == "__main__":
    main(apply)
