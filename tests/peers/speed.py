"""Processor time and memory of whole processes, children included.

Must run one thing at a time. Time is user and system time; memory is that of the largest process of a run. engross is measured as its
command is called, libraries as the adapter that calls them, with their interpreter's start.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import judge
import peers
from case_tools import at, replace
from documents import deleted, document, inserted, p

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 300
RUNS, REPEATED_BELOW = 3, 10.0
WORDS = "the party of first part shall at its own cost keep records in good order and give access to them on request".split()


@dataclass(frozen=True)
class Job:
    name: str
    case: judge.Case


@dataclass(frozen=True)
class Row:
    peer: str
    job: str
    seconds: float | None
    mebibytes: float
    runs: int
    verdict: str


def paragraph(number: int, word: str) -> str:
    return f"{number}. The clause says {word} and " + " ".join(WORDS[(number + step) % len(WORDS)] for step in range(30)) + "."


def edits(paragraphs: int, count: int) -> judge.Case:
    """One-word edits spread evenly; every edited word stands once in the document."""
    chosen = {number * (paragraphs // count): number for number in range(count)}
    old = [paragraph(number, f"target{chosen[number]}x" if number in chosen else "nothing") for number in range(paragraphs)]
    new = [paragraph(number, f"changed{chosen[number]}x" if number in chosen else "nothing") for number in range(paragraphs)]
    operations = [replace(f"target{n}x", f"changed{n}x", at(number + 1, old[number])) for number, n in chosen.items()]
    return judge.Case("edits", "", "", document(*map(p, old)), operations, document(*map(p, new)))


def accepting(paragraphs: int, count: int) -> judge.Case:
    """A redline with as many replacements by somebody else, to be accepted."""
    blocks, after = [], []
    for number in range(paragraphs):
        words = "word" if number % (paragraphs // count) == 0 else "nothing"
        before, behind = paragraph(number, words).split(words, 1)
        if words == "word":
            blocks.append(p(before, deleted("old", 10 + 2 * number), inserted("new", 11 + 2 * number), behind))
            after.append(p(f"{before}new{behind}"))
        else:
            blocks.append(p(before + words + behind))
            after.append(blocks[-1])
    return judge.Case("accept", "", "", document(*blocks), [{"op": "accept_all"}], document(*after), tracked=False)


def spent(command: list[str], environment: dict[str, str], folder: pathlib.Path, answer: pathlib.Path) -> tuple[float, float, bool]:
    """Processor seconds, MiB of the largest process, and whether it was done in time."""
    launcher = [sys.executable, "-I", "-S", str(HERE / "launch.py"), str(SECONDS), str(answer), *command]
    done = subprocess.run(launcher, env=environment, cwd=folder, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    return told["seconds"], told["mebibytes"], told["in_time"]


def command_for(installed: peers.Installed, case: judge.Case, folder: pathlib.Path) -> list[str]:
    source, output, request = folder / "document.docx", folder / "output.docx", folder / "request.json"
    source.write_bytes(case.source)
    if installed.peer.kind == "engross":
        sys.path.insert(0, str(HERE / "adapters"))
        from engross_cli import translated
        request.write_text(json.dumps({"operations": [translated(o) for o in case.operations]}))
        return [installed.environment["ENGROSS"], "apply", str(source), str(request), "-o", str(output), "--author", judge.AUTHOR, "--json"]
    request.write_text(json.dumps({"document": str(source), "output": str(output), "author": judge.AUTHOR, "date": "2026-02-01T10:00:00Z",
                                   "operations": case.operations}))
    return [*installed.command, str(request)]


def verdict_of(case: judge.Case, folder: pathlib.Path, engross: bool) -> str:
    lines = (folder / "answer").read_text(errors="replace")
    said = [line for line in lines.splitlines() if line.startswith('{"results"')]
    if engross:
        statuses = [o["status"] for o in json.loads(lines)["operations"]]
        results = [{"status": "applied" if status == "applied" else "refused"} for status in statuses]
    elif said:
        results = json.loads(said[-1])["results"]
    else:
        return "crashed"
    output = folder / "output.docx"
    return judge.judge(case, judge.Outcome(output.read_bytes() if output.exists() else None, results)).word


def measured(ready: list[peers.Installed]) -> list[Row]:
    jobs = [Job("1 edit, 40 paragraphs", edits(40, 1)), Job("200 edits, 4,000 paragraphs", edits(4000, 200)),
            Job("accept all of 200, 4,000 paragraphs", accepting(4000, 200))]
    rows = []
    for job in jobs:
        for installed in ready:
            times: list[float] = []
            peak, word, done = 0.0, "", True
            while done and (not times or len(times) < RUNS and times[0] < REPEATED_BELOW):
                with tempfile.TemporaryDirectory() as name:
                    folder = pathlib.Path(name)
                    seconds, mebibytes, done = spent(command_for(installed, job.case, folder), installed.environment, folder, folder / "answer")
                    times.append(seconds)
                    peak = max(peak, mebibytes)
                    if done and not word:
                        word = verdict_of(job.case, folder, installed.peer.kind == "engross")
            rows.append(Row(installed.peer.name, job.name, statistics.median(times) if done else None, peak, len(times), word or f"no answer in {SECONDS} s"))
            print(f"{rows[-1]}", file=sys.stderr, flush=True)
    return rows
