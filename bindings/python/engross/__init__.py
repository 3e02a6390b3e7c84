"""Word documents with proven tracked changes.

    import engross

    document = engross.open("nda.docx")
    results = document.apply(
        [{"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"}],
        author="Ada",
    )
    document.save("nda.redline.docx")

The engine is that of the command line: the same document, operations and date give the same bytes. Nothing is sent
anywhere. What goes wrong raises :class:`EngrossError` with a ``code`` that the error pages explain.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar, Union

from . import _engine
from .types import (
    Comment,
    ComparisonReport,
    Finding,
    Kind,
    Operation,
    OperationResult,
    Paragraph,
    Reading,
    Revision,
    View,
)

__all__ = [
    "Comment",
    "Comparison",
    "ComparisonReport",
    "Document",
    "EngrossError",
    "Finding",
    "Kind",
    "Operation",
    "OperationResult",
    "Paragraph",
    "Reading",
    "Revision",
    "View",
    "__version__",
    "compare",
    "from_markdown",
    "open",
]

__version__: str = _engine.version()

#: A document: its path, or its bytes.
Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]

_open = open

_Arguments = ParamSpec("_Arguments")
_Given = TypeVar("_Given")


class EngrossError(Exception):
    """What went wrong; ``code`` is one of the error pages."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{message} [{code}]")
        self.code = code
        self.message = message


def _raised(problem: _engine.EngineError) -> EngrossError:
    said = json.loads(str(problem))
    return EngrossError(said["code"], said["message"])


def _called(call: Callable[_Arguments, _Given], *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Given:
    """Calls the engine; what it raises becomes an :class:`EngrossError`."""
    try:
        return call(*arguments, **named)
    except _engine.EngineError as problem:
        raise _raised(problem) from None


def _json(call: Callable[_Arguments, str], *arguments: _Arguments.args, **named: _Arguments.kwargs) -> Any:
    return json.loads(_called(call, *arguments, **named))


def _given(**options: Any) -> str:
    """The options that were given, as JSON."""
    return json.dumps({name: value for name, value in options.items() if value is not None})


def _instant(date: str | datetime | None) -> str:
    """A date as the engine takes it: RFC 3339 in UTC with whole seconds."""
    if isinstance(date, str):
        return date
    moment = datetime.now(timezone.utc) if date is None else date.astimezone(timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _bytes_of(source: Source) -> bytes:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    with _open(source, "rb") as file:
        return file.read()


def _save(path: str | os.PathLike[str], data: bytes, overwrite: bool) -> Path:
    """Writes a file whole or not at all."""
    target = Path(path)
    if target.exists() and not overwrite:
        raise FileExistsError(f"{target} is there already; overwrite=True replaces it")
    _write(target, data)
    return target


def _write(path: Path, data: bytes) -> None:
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class Document:
    """A Word document that is open; :func:`open` gives one."""

    def __init__(self, file: _engine.WordFile, path: Path | None = None) -> None:
        self._file = file
        self._path = path

    @property
    def revision(self) -> str:
        """The token of its state, for ``expected_revision``."""
        return self._file.revision()

    def copy(self) -> Document:
        """The same document, apart from this one."""
        return Document(self._file.copy(), self._path)

    def read(
        self,
        *,
        view: View = "accepted",
        story: str | None = None,
        search: str | None = None,
        start: str | None = None,
        limit: int | None = None,
        labels: bool | None = None,
    ) -> Reading:
        """Its numbered paragraphs. ``start`` is an address or the ``cursor`` of an earlier reading."""
        options = _given(view=view, story=story, search=search, limit=limit, labels=labels, **{"from": start})
        reading: Reading = _json(self._file.read, options)
        return reading

    def apply(
        self,
        operations: Operation | Sequence[Operation],
        *,
        author: str = "engross",
        date: str | datetime | None = None,
        atomic: bool | None = None,
        expected_revision: str | None = None,
    ) -> list[OperationResult]:
        """Applies operations as tracked changes, and says what became of each. ``date`` is now without."""
        listed = [operations] if isinstance(operations, dict) else list(operations)
        batch = _given(operations=listed, atomic=atomic, expectedRevision=expected_revision)
        results: list[OperationResult] = _json(
            self._file.apply, batch, json.dumps({"author": author, "date": _instant(date)})
        )
        return results

    def resolve(
        self,
        side: str,
        *,
        ids: Sequence[str] | None = None,
        author: str | None = None,
        kinds: Sequence[Kind | str] | None = None,
        range: str | None = None,
    ) -> list[Revision]:
        """Resolves tracked changes, all or those chosen; ``side`` is ``accept`` or ``reject``."""
        choice = _given(
            ids=None if ids is None else list(ids),
            author=author,
            kinds=None if kinds is None else list(kinds),
            range=range,
        )
        resolved: list[Revision] = _json(self._file.resolve, side, choice)
        return resolved

    def revisions(self) -> list[Revision]:
        """Its tracked changes."""
        revisions: list[Revision] = _json(self._file.revisions)
        return revisions

    def comments(self) -> list[Comment]:
        """Its comments."""
        comments: list[Comment] = _json(self._file.comments)
        return comments

    def check(self) -> list[Finding]:
        """What is wrong with it."""
        findings: list[Finding] = _json(self._file.check)
        return findings

    def to_markdown(self, view: View = "accepted") -> str:
        """The body as Markdown."""
        return _called(self._file.to_markdown, view)

    def to_html(self, *, view: View = "markup", page: bool = True, title: str | None = None) -> str:
        """The document as HTML that cannot act."""
        return _called(self._file.html, _given(view=view, page=page, title=title))

    def to_bytes(self, *, untracked: bool = False) -> bytes:
        """The whole file, proven."""
        return _called(self._file.save, untracked)

    def save(
        self, path: str | os.PathLike[str], *, overwrite: bool = False, untracked: bool = False
    ) -> Path:
        """Writes the file, whole or not at all. A file that is there is replaced only with ``overwrite``."""
        return _save(path, self.to_bytes(untracked=untracked), overwrite)

    def __repr__(self) -> str:
        return f"<engross.Document {self._path or 'of bytes'}>"


@dataclass(frozen=True)
class Comparison:
    """A redline of two documents, and what is in it."""

    data: bytes
    report: ComparisonReport

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the redline, whole or not at all."""
        return _save(path, self.data, overwrite)


def open(source: Source) -> Document:  # noqa: A001
    """Opens a Word document: a path, or the bytes of a ``.docx`` or of Flat OPC."""
    is_path = not isinstance(source, (bytes, bytearray, memoryview))
    path = Path(os.fspath(source)) if is_path else None  # type: ignore[arg-type]
    return Document(_called(_engine.WordFile.open, _bytes_of(source)), path)


def from_markdown(markdown: str) -> Document:
    """A document of Markdown."""
    return Document(_called(_engine.WordFile.from_markdown, markdown))


def compare(
    before: Source,
    after: Source,
    *,
    author: str = "engross",
    date: str | datetime | None = None,
    view: Literal["accepted", "original", "as-is"] | None = None,
    keep_revisions: bool | None = None,
    formatting: bool | None = None,
    moves: bool | None = None,
    granularity: Literal["word", "clause", "sentence"] | None = None,
) -> Comparison:
    """A redline that makes the second document of the first: rejecting it gives the first, accepting it the second."""
    options = _given(
        author=author,
        date=_instant(date),
        view=view,
        keepRevisions=keep_revisions,
        formatting=formatting,
        moves=moves,
        granularity=granularity,
    )
    data, report = _called(_engine.compare, _bytes_of(before), _bytes_of(after), options)
    return Comparison(data, json.loads(report))
