"""The examples of docs/guide/clients.md, as programs.

Must never change more of an example than the server's address.
"""
import pathlib
import re

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "clients.md"
ADDRESS = "http://127.0.0.1:18789/v1"


def examples(heading, language, base_url):
    """The programs in `language` beneath a heading."""
    section = GUIDE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    programs = re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)
    if not programs or any(ADDRESS not in program for program in programs):
        raise SystemExit(f"docs/guide/clients.md has no example for {ADDRESS} beneath '{heading}'")
    return [program.replace(ADDRESS, base_url) for program in programs]
