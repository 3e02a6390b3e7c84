"""Runs every case on every engine, one process each, and gathers the verdicts.

Must never judge by itself: that is `judge.py`. An adapter that ends without an answer has crashed, whatever it had written.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import cases
import judge
import page
import peers
import selftest
import speed
import tokens

DATE = "2026-02-01T10:00:00Z"
SECONDS = 120


def answer(installed: peers.Installed, case: judge.Case, folder: pathlib.Path) -> judge.Outcome:
    """What an engine makes of a case."""
    document, output, request = folder / "document.docx", folder / "output.docx", folder / "request.json"
    document.write_bytes(case.source)
    request.write_text(json.dumps({"document": str(document), "output": str(output), "author": judge.AUTHOR, "date": DATE,
                                   "operations": case.operations}), encoding="utf-8")
    try:
        done = subprocess.run([*installed.command, str(request)], env=installed.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=SECONDS, cwd=folder)
    except subprocess.TimeoutExpired:
        return judge.Outcome(None, crash=f"no answer within {SECONDS} s")
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"results"')]
    if done.returncode or not lines:
        said = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        return judge.Outcome(None, crash=next((line for line in reversed(said) if "Error" in line), said[-1])[:300])
    told = json.loads(lines[-1])
    return judge.Outcome(output.read_bytes() if output.exists() else None, told["results"], told.get("warnings", []))


def tokens_only(options: argparse.Namespace) -> int:
    """The table of what an agent writes and reads."""
    made = {"tokens": page.tokens_table(tokens.measured(options.engross))}
    if options.write:
        page.write(made)
    else:
        print(made["tokens"])
    return 0


def main(options: argparse.Namespace) -> int:
    if options.write and (options.only or options.case or options.quick):
        print("--write needs all engines and all cases", file=sys.stderr)
        return 1
    failed = selftest.failures()
    for failure in failed:
        print("self-test of the judge: " + failure, file=sys.stderr)
    if failed:
        return 1
    chosen = [case for case in cases.all_cases() if not options.case or options.case in case.name]
    chosen = [] if options.speed else chosen[::5] if options.quick else chosen
    ready, skipped = [], {}
    for peer in peers.PEERS:
        if options.only and peer.name not in options.only:
            continue
        try:
            ready.append(peers.prepared(peer, options.cache.resolve(), options.engross, options.python))
        except (peers.Skipped, OSError) as reason:
            skipped[peer.name] = str(reason)
            print(f"{peer.name}: skipped: {reason}", file=sys.stderr)
    verdicts: dict[str, dict[str, judge.Verdict]] = {}
    for installed in ready:
        name = installed.peer.name
        verdicts[name] = {}
        for case in chosen:
            with tempfile.TemporaryDirectory() as folder:
                outcome = answer(installed, case, pathlib.Path(folder))
            try:
                verdict = judge.judge(case, outcome)
            except Exception as error:  # A document that the judge cannot read is no document.
                verdict = judge.Verdict("wrong", f"the judge cannot read it: {error!r}"[:300])
            verdicts[name][case.name] = verdict
            if verdict.word != "right" or options.case:
                print(f"{name}: {case.name}: {verdict.word} {verdict.why}", flush=True)
                if options.keep and outcome.document:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    stem = options.keep / f"{case.name.replace(' ', '_')}"
                    stem.with_suffix(".source.docx").write_bytes(case.source)
                    stem.with_suffix(f".{name}.docx").write_bytes(outcome.document)
    times = [] if options.no_speed or options.quick or options.case else speed.measured(ready)
    tables = page.tables(ready, skipped, chosen, verdicts, times)
    if options.write:
        page.write(tables)
    else:
        print("\n\n".join(tables.values()))
    return 0 if ready else 1
