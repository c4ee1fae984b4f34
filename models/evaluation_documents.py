"""Read each file of `documents/` as an upload and compare with what its list expects.

`documents/documents.json` names for each `file` what to `expect` of it: `readable`, an `error:`, or
either (`readable-or-error`, `error-or-ocr`), words it `must_contain` and, where given, words that
`must_not_contain` forbids, because no reader of the document sees them.
"""

import json
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from configs.clock import monotonic_s
from configs.errors import InputError
from models.documents import Transcript
from models.extraction.content import Warned
from models.extractor import extract

READABLE = "readable"
_CODES = {
    "password": "input.encrypted",
    "corrupt": "input.corrupt",
    "empty": "input.empty",
    "no text layer": "input.no_text_layer",
}

Progress = Callable[[int, int, str], None]


class ListedDocument(BaseModel):
    """An entry of `documents.json`; other keys are for people."""

    file: str
    expect: str
    must_contain: tuple[str, ...] = ()
    must_not_contain: tuple[str, ...] = ()


@dataclass(frozen=True)
class DocumentRow:
    """One file: the expected outcome beside the real one.

    `outcome` is `readable` or `error:` and the error's code; `missing` are words that should be in
    the text, `leaked` those that should not.
    """

    file: str
    expect: str
    outcome: str
    ok: bool
    paragraphs: int
    missing: tuple[str, ...]
    leaked: tuple[str, ...]
    warnings: tuple[str, ...]
    took_s: float


def listed_documents(data: Path) -> list[ListedDocument]:
    """Return what `data/documents/documents.json` lists, in its order."""
    text = (data / "documents" / "documents.json").read_text("utf-8")
    return TypeAdapter(list[ListedDocument]).validate_python(json.loads(text))


def evaluate_documents(
    data: Path, listed: Sequence[ListedDocument], *, progress: Progress | None = None
) -> list[DocumentRow]:
    """Read files of `data/documents`.

    Args:
        data: the folder.
        listed: which, and what is expected of them.
        progress: called with done, total and the file that comes next.

    Returns:
        One row a file, in the list's order.
    """
    rows = []
    for done, entry in enumerate(listed):
        if progress:
            progress(done, len(listed), entry.file)
        rows.append(_row(data / "documents" / entry.file, entry))
    return rows


def _row(path: Path, entry: ListedDocument) -> DocumentRow:
    began = monotonic_s()
    outcome, transcript = _outcome(path)
    found = "" if transcript is None else _plain("".join(s.text for s in transcript.segments))
    missing = tuple(words for words in entry.must_contain if _plain(words) not in found)
    leaked = tuple(words for words in entry.must_not_contain if _plain(words) in found)
    warnings = () if transcript is None else transcript.warnings
    is_right = not (missing or leaked) if transcript else True
    return DocumentRow(
        file=entry.file,
        expect=entry.expect,
        outcome=outcome,
        ok=is_right and _is_expected(entry.expect, outcome, warnings),
        paragraphs=0 if transcript is None else len(transcript.segments),
        missing=missing if transcript else (),
        leaked=leaked,
        warnings=tuple(map(str, warnings)),
        took_s=monotonic_s() - began,
    )


def _outcome(path: Path) -> tuple[str, Transcript | None]:
    try:
        return READABLE, extract(path, name=path.name)
    except InputError as error:
        return f"error:{error.code}", None


def _is_expected(expect: str, outcome: str, warnings: tuple[str, ...]) -> bool:
    kind, _, detail = expect.partition(":")
    if outcome == READABLE:
        recognized = kind == "error-or-ocr" and Warned.TEXT_RECOGNIZED in warnings
        return kind in {READABLE, "readable-or-error"} or recognized
    return kind == "readable-or-error" or outcome == f"error:{_CODES.get(detail)}"


def _plain(text: str) -> str:
    """Without spaces and differences of width, which layout decides."""
    return "".join(unicodedata.normalize("NFKC", text).split())
