"""Bytes that an agent writes and reads for five everyday jobs: by engross, and by a script that unpacks the XML and edits it by hand.

What an agent writes is the commands and the script, to the byte; what it reads is all that they print. Both ways are run, and what comes out is
judged: accepted, both say the same; rejected, both say what the source says. The scripts are written as tersely as somebody does who has WordprocessingML by
heart, and are right at the first attempt, which real ones seldom are. `tests/peers/run --tokens [--write]` prints the table.
Must never count what it does not run.
"""
import dataclasses
import pathlib
import subprocess
import tempfile
from typing import Any

import judge

SOURCE = judge.ROOT / "examples/nda.docx"
BY_HAND = pathlib.Path(__file__).resolve().parent / "by_hand"


@dataclasses.dataclass
class Job:
    name: str
    engross: str
    # File below `by_hand`: the commands that look, a line of dashes, and those that edit.
    script: str


JOBS = [
    Job("one phrase", """engross read a.docx --search 'thirty (30)'
echo '[{"op":"modify_text","originalText":"thirty (30)","replacementText":"sixty (60)"}]' >o
engross apply a.docx o -o b.docx""", "phrase.sh"),
    Job("a name everywhere", """echo '[{"op":"modify_text","originalText":"Harrowgate","replacementText":"Harrogate","occurrence":"all","scope":"everywhere"}]' >o
engross apply a.docx o -o b.docx""", "rename.sh"),
    Job("a new clause", """engross read a.docx --search 'make public'
echo '[{"op":"insert_paragraph","after":66,"content":"Each party bears its own costs."}]' >o
engross apply a.docx o -o b.docx""", "clause.sh"),
    Job("a table row", """engross read a.docx --from P4 --limit 9
echo '[{"op":"edit_table","paragraphIndex":10,"action":"add_row","content":["Moss Ltd (“Moss”)","Leeds","x@moss.example"]}]' >o
engross apply a.docx o -o b.docx""", "row.sh"),
    Job("a comment", """engross read a.docx --search 'thirty (30)'
echo '[{"op":"insert_comment","textToFind":"thirty (30) days","commentContent":"Too short?"}]' >o
engross apply a.docx o -o b.docx""", "comment.sh"),
]


@dataclasses.dataclass
class Bytes:
    written: int
    read: int
    document: bytes

    @property
    def all(self) -> int:
        return self.written + self.read


def run(commands: str, engross: pathlib.Path) -> Bytes:
    """What commands take to write, and what they print."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "a.docx").write_bytes(SOURCE.read_bytes())
        (place / "bin").mkdir()
        (place / "bin/engross").symlink_to(engross.resolve())
        environment = {"PATH": f"{place / 'bin'}:/usr/local/bin:/usr/bin:/bin", "HOME": folder, "ENGROSS_AUTHOR": judge.AUTHOR, "LANG": "C.UTF-8"}
        done = subprocess.run(["bash", "-c", commands], cwd=place, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode or not (place / "b.docx").exists():
            raise SystemExit(f"{commands}\n{done.stdout.decode()}{done.stderr.decode()}")
        # Programs that models are run by show them both streams.
        return Bytes(len(commands.encode()), len(done.stdout) + len(done.stderr), (place / "b.docx").read_bytes())


def same(one: bytes, other: bytes) -> str:
    """How two results differ, if they do."""
    source, left, right = (judge.Reading(data) for data in (SOURCE.read_bytes(), one, other))
    if judge.first_difference(left.view("accept", "accept"), right.view("accept", "accept")):
        return "accepted: " + judge.first_difference(left.view("accept", "accept"), right.view("accept", "accept"))
    for name, reading in (("engross", left), ("by hand", right)):
        views = [each.view("reject", "accept") for each in (source, reading)]
        for view in views:  # A comment is no tracked change, and is compared below.
            view["anchors"] = [anchor for anchor in view["anchors"] if anchor[0] != "comment"]
        if found := judge.first_difference(*views):
            return f"{name}, rejected: {found}"
    said = [[comment[:3] for comment in reading.comments()] for reading in (left, right)]
    return "" if said[0] == said[1] else f"comments: {said}"


def measured(engross: pathlib.Path) -> list[tuple[str, Bytes, Bytes]]:
    rows = []
    for job in JOBS:
        ours = run(job.engross, engross)
        theirs = run((BY_HAND / job.script).read_text(encoding="utf-8").strip(), engross)
        if difference := same(ours.document, theirs.document):
            raise SystemExit(f"{job.name}: the two ways differ: {difference}")
        rows.append((job.name, ours, theirs))
    return rows


def rows(found: list[tuple[str, Bytes, Bytes]]) -> list[list[Any]]:
    return [[name, str(ours.written), str(ours.read), str(ours.all), str(theirs.written), str(theirs.read), str(theirs.all),
             f"{theirs.all / ours.all:.1f}"] for name, ours, theirs in found]
