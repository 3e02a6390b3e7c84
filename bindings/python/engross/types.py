"""The JSON of the engine. Names are those of the command line's ``--json``."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

View = Literal["accepted", "original", "markup"]
Kind = Literal[
    "ins", "del", "move", "format", "row", "cell", "control", "paragraph"
]

#: An operation of docs/guide/editing.md, such as
#: ``{"op": "modify_text", "originalText": "thirty", "replacementText": "sixty"}``.
Operation = dict[str, Any]


class Table(TypedDict):
    """Where in a table a paragraph stands."""

    id: int
    row: int
    column: int


class Paragraph(TypedDict):
    """A paragraph as it is read."""

    address: str
    index: int
    style: str | None
    listLevel: int | None
    marker: str | None
    bullet: bool
    table: Table | None
    section: str | None
    text: str
    revisions: list[str]
    comments: list[str]
    paraId: str | None
    fingerprint: str


class _Reading(TypedDict):
    revision: str
    view: View
    paragraphs: list[Paragraph]
    cursor: str | None
    total: int


class Reading(_Reading, total=False):
    """What a document says."""

    stories: list[dict[str, Any]]
    note: str


class _OperationResult(TypedDict):
    index: int
    op: str
    status: Literal["applied", "no_change", "refused", "failed"]


class OperationResult(_OperationResult, total=False):
    """What became of an operation; ``code`` and ``message`` say why it was refused."""

    code: str
    message: str
    details: dict[str, Any]


class Revision(TypedDict):
    """A tracked change."""

    id: str
    kind: str
    author: str
    date: str | None
    address: str
    text: str


class Comment(TypedDict):
    """A comment."""

    id: str
    author: str
    date: str | None
    address: str
    quoted: str
    text: str
    parent: str | None
    resolved: bool


class Finding(TypedDict):
    """Something that is wrong with a document."""

    code: str
    severity: Literal["error", "warning", "hint"]
    address: str
    message: str


class ComparisonReport(TypedDict):
    """What is in a redline of two documents."""

    proof: dict[str, str]
    summary: dict[str, dict[str, int]]
    changes: list[dict[str, Any]]
    limitations: list[dict[str, Any]]
