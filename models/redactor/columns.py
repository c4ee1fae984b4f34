"""Tables whose rows are lines of cells: the head of a column says what its cells are.

A row is read once more with the head before each cell (`Phone: 2125550134`), so that the patterns
find their words where they look for them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.documents import BETWEEN_CELLS
from models.redactor.types import Found
from models.redactor.views import View

_APART = "\n" * 40
"""More than any pattern's context: a cell is no context of the next."""

_NAME_HEAD = re.compile(
    r"(?:(?:full|first|last|given|family|legal)[ _-]?)?name|surname|person|"
    r"姓名|名字|氏名|お?名前|姓|名",
    re.IGNORECASE,
)
_PERSONAL_HEAD = re.compile(
    r"phone|tel|mobile|cell\b|fax|born|birth|dob|account|e-?mail|address|ssn|social|passport|\bage\b|"
    r"电话|電話|手机|手機|携帯|生日|出生|生年月日|誕生日|账号|帳號|口座|身份证|邮箱|メール|住所|地址|护照|年龄|年齢",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Cell:
    head: str
    start: int
    text: str


def with_heads(text: str) -> View | None:
    """Return the view of all cells with digits, each after its head; None where there is none."""
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for _, row in _rows(text):
        for cell in (c for c in row if any(map(str.isdigit, c.text))):
            prefix = f"{_APART}{cell.head}: "
            out += [prefix, cell.text]
            starts += [cell.start] * len(prefix) + [cell.start + i for i in range(len(cell.text))]
            ends += [cell.start + 1] * len(prefix)
            ends += [cell.start + i + 1 for i in range(len(cell.text))]
    return View("".join(out), tuple(starts), tuple(ends)) if out else None


def column_names(text: str) -> Iterator[Found]:
    """Yield the cells under a head for names, in tables that say more about persons."""
    for heads, row in _rows(text):
        if not any(map(_PERSONAL_HEAD.search, heads)):
            continue
        for cell in row:
            named = _NAME_HEAD.fullmatch(cell.head) and not any(map(str.isdigit, cell.text))
            if named and any(map(str.isalpha, cell.text)):
                yield Found(cell.start, cell.start + len(cell.text), "PERSON", 0.8, "name_column")


def _rows(text: str) -> Iterator[tuple[Sequence[str], list[_Cell]]]:
    """Yield each row under a head with as many cells: the heads, and the cells."""
    heads: Sequence[str] = ()
    position = 0
    for line in text.split("\n") if BETWEEN_CELLS in text else ():
        cells = line.split(BETWEEN_CELLS)
        if len(cells) < 2:
            heads = ()
        elif not heads:
            heads = () if re.search(r"\d{3}", line) else [cell.strip() for cell in cells]
        elif len(cells) == len(heads):
            yield heads, _cells(cells, heads, position)
        position += len(line) + 1


def _cells(cells: Sequence[str], heads: Sequence[str], position: int) -> list[_Cell]:
    row: list[_Cell] = []
    for cell, head in zip(cells, heads, strict=True):
        row.append(_Cell(head, position, cell))
        position += len(cell) + len(BETWEEN_CELLS)
    return row
