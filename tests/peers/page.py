"""The tables of docs/comparison.md, made of verdicts and measurements and set between the page's markers.

Must never change a word outside of the markers, and never leave a figure to be typed by hand.
"""
import collections
import datetime
import pathlib
import re
import statistics

import judge
import peers
import speed
import tokens

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/comparison.md"
SIGNS = {"right": "✓", "wrong": "✗", "refused": "–", "cannot": "·", "crashed": "!"}
ONLY_ID = "№"
MEASURES = """*Changed text*: for edits of one word, how much text was struck and set anew, measured by the least that whole words allow (median, and the most).
*Revisions*: how many changes somebody sees in a right redline, measured by the fewest that a right answer to the same case has (median, mean, and the most)."""
Verdicts = dict[str, dict[str, judge.Verdict]]


def table(head: list[str], rows: list[list[str]], right: int = 1) -> str:
    """A table of Markdown; columns from `right` on are figures."""
    lines = [head, ["---" if column < right else "---:" for column in range(len(head))], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def tables(ready: list[peers.Installed], skipped: dict[str, str], cases: list[judge.Case], verdicts: Verdicts,
           times: list[speed.Row]) -> dict[str, str]:
    made = {"engines": engines(ready, skipped)}
    if cases:
        made["totals"] = totals(ready, cases, verdicts)
        made["cases"] = matrix(ready, cases, verdicts)
    if times:
        made["times"] = timing(ready, times)
    return made


def engines(ready: list[peers.Installed], skipped: dict[str, str]) -> str:
    rows = [[i.peer.name, i.version, i.licence, "compared"] for i in ready]
    rows += [[name, "", "", f"skipped: {why}"] for name, why in skipped.items()]
    rows += [[name, version, licence, f"not run: {why}"] for name, (version, licence, why) in peers.LEFT_OUT.items()]
    return f"As of {datetime.date.today():%-d %B %Y}:\n\n" + table(["Engine", "Version", "Licence", ""], rows, right=9)


def totals(ready: list[peers.Installed], cases: list[judge.Case], verdicts: Verdicts) -> str:
    rows = []
    fewest: dict[str, int] = {}
    for known in verdicts.values():
        for name, verdict in known.items():
            if verdict.revisions:
                fewest[name] = min(verdict.revisions, fewest.get(name, verdict.revisions))
    for installed in ready:
        given = verdicts[installed.peer.name].values()
        count = collections.Counter(verdict.word for verdict in given)
        shared = sum(verdict.only_ids for verdict in given)
        grains = [verdict.granularity for verdict in given if verdict.granularity is not None]
        grain = f"{statistics.median(grains):.2f} (most {max(grains):.2f})" if grains else ""
        more = [verdict.revisions / fewest[name] for name, verdict in verdicts[installed.peer.name].items() if verdict.revisions and name in fewest]
        clutter = f"{statistics.median(more):.2f}, {statistics.mean(more):.2f} (most {max(more):.2f})" if more else ""
        wrong = f"{count['wrong']} ({shared} for an id alone)" if shared else str(count["wrong"])
        rows.append([installed.peer.name, str(count["right"]), wrong, *(str(count[word]) for word in judge.WORDS[2:]), grain, clutter])
    return f"{len(cases)} cases:\n\n" + table(["Engine", "Right", "Wrong", "Refused", "Cannot", "Crashed", "Changed text, times the least",
                                                 "Revisions, times the fewest"], rows) + f"\n\n{MEASURES}"


def no_is_right(case: judge.Case) -> str:
    if case.or_no:
        return "; **no** is right, too"
    if case.protected:
        return "; **no** or a warning is right"
    return "; **no** is right" if case.want is None else ""


def matrix(ready: list[peers.Installed], cases: list[judge.Case], verdicts: Verdicts) -> str:
    def sign(verdict: judge.Verdict) -> str:
        return ONLY_ID if verdict.only_ids else SIGNS[verdict.word]

    names = [installed.peer.name for installed in ready]
    out = []
    for group in dict.fromkeys(case.group for case in cases):
        rows = [[case.name, case.feature + no_is_right(case), *(sign(verdicts[name][case.name]) for name in names)]
                for case in cases if case.group == group]
        out.append(f"**{group[0].upper() + group[1:]}**\n\n" + table(["Case", "Needs", *names], rows, right=99))
    legend = f"✓ right · ✗ wrong · {ONLY_ID} wrong for an id that two of its revisions share, and for nothing else · – refused · `·` cannot · ! crashed"
    return legend + "\n\n" + "\n\n".join(out)


def timing(ready: list[peers.Installed], times: list[speed.Row]) -> str:
    jobs = list(dict.fromkeys(row.job for row in times))
    rows = []
    for installed in ready:
        line = [installed.peer.name]
        for job in jobs:
            row = next(row for row in times if (row.peer, row.job) == (installed.peer.name, job))
            if row.verdict == "cannot":
                line += ["cannot", ""]
            elif row.seconds is None:
                line += [f"> {speed.SECONDS} s wall", f"{row.mebibytes:.0f}"]
            else:
                mark = "" if row.verdict == "right" else f" ({row.verdict})"
                line += [(f"{row.seconds:.3f}" if row.seconds < 1 else f"{row.seconds:.1f}") + mark, f"{row.mebibytes:.0f}"]
        rows.append(line)
    return table(["Engine", *(part for job in jobs for part in (f"{job}: CPU s", "MiB"))], rows)


def tokens_table(found: list[tuple[str, tokens.Bytes, tokens.Bytes]]) -> str:
    head = ["Job on `examples/nda.docx`", "engross: written", "read", "both", "by hand: written", "read", "both", "by hand, times engross"]
    return table(head, tokens.rows(found))


def write(made: dict[str, str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, content in made.items():
        marked = re.compile(rf"(<!-- peers:{name} -->\n).*?(<!-- /peers:{name} -->)", re.DOTALL)
        if not marked.search(text):
            raise SystemExit(f"{PAGE} has no place for {name}")
        text = marked.sub(lambda found: f"{found[1]}{content}\n{found[2]}", text)
    PAGE.write_text(text, encoding="utf-8")
