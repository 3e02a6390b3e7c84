"""Short ways to write cases: places, operations, and a case as blocks before and after.

Must never compute what is wanted from what an engine gives: the author of a case writes both sides.
"""
from typing import Any, Mapping, Sequence

from documents import document
from judge import Case

Place = dict[str, Any]
Operation = dict[str, Any]


def at(number: int, text: str, story: str = "body") -> Place:
    """A paragraph by its number in its story, counted through tables, and by its text with all changes accepted."""
    return {"number": number, "text": text, "story": story}


def replace(find: str, new: str, place: Place | None = None, which: str = "only") -> Operation:
    return {"op": "replace", "at": place, "find": find, "with": new, "which": which}


def edited(name: str, group: str, feature: str, before: Sequence[str], after: Sequence[str], *operations: Operation,
           parts: Mapping[str, str] | None = None, parts_after: Mapping[str, str] | None = None, also: Sequence[str] = (), **more: Any) -> Case:
    """A case with a right result. Parts that `parts_after` does not name stay."""
    want = document(*after, parts={**(parts or {}), **(parts_after or {})})
    other = document(*also, parts={**(parts or {}), **(parts_after or {})}) if also else None
    return Case(name, group, feature, document(*before, parts=parts), list(operations), want, other, **more)


def refuse(name: str, group: str, feature: str, before: Sequence[str], *operations: Operation, parts: Mapping[str, str] | None = None) -> Case:
    """A case where no is the right answer."""
    return Case(name, group, feature, document(*before, parts=parts), list(operations), None)
