"""What the adapters in Python share: a request comes as a file of JSON, the answer goes out as the last line.

A request has `document` and `output` (files), `author`, `date` and `operations`. The answer has one status for each operation:
`applied`, `refused` (the library said no, and why) or `cannot` (its public interface has no such operation), and the warnings that
the calls gave back. Any other exception is left alone: it is the library's crash. Must never do a library's work for it: an adapter translates, and nothing more.
"""
import json
import sys
from pathlib import Path
from typing import Any, Callable, NamedTuple, Sequence

Operation = dict[str, Any]
Result = dict[str, str]
APPLIED: Result = {"status": "applied"}


class Answer(NamedTuple):
    """The document or nothing, a result for each operation, and what the library warned of, in its own words."""
    document: bytes | None
    results: list[Result]
    warnings: Sequence[str] = ()


class Refused(Exception):
    """The library said no."""


class Cannot(Exception):
    """The library offers no such operation."""


def refused(why: object) -> Result:
    return {"status": "refused", "why": str(why)[:300]}


def cannot(why: object) -> Result:
    return {"status": "cannot", "why": str(why)[:300]}


def one_by_one(operations: list[Operation], do: Callable[[Operation], None]) -> list[Result]:
    """Hands operations to a library without batches. What is refused leaves no trace, by the library's own word."""
    results = []
    for operation in operations:
        try:
            do(operation)
            results.append(APPLIED)
        except Refused as why:
            results.append(refused(why))
        except Cannot as why:
            results.append(cannot(why))
    return results


def main(apply: Callable[[bytes, list[Operation], str, str], Answer]) -> None:
    """Runs `apply` on the request named on the command line. A document that nothing was applied to is not written."""
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    answer = apply(Path(request["document"]).read_bytes(), request["operations"], request["author"], request["date"])
    if answer.document is not None and any(result["status"] == "applied" for result in answer.results):
        Path(request["output"]).write_bytes(answer.document)
    print(json.dumps({"results": answer.results, "warnings": list(answer.warnings)}))
