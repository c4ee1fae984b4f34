"""Tasks that stand in a table: rows under a head that says who, what and by when."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from models.documents import BETWEEN_CELLS, ActionItem, RedactedSegment, RedactedTranscript
from models.summarizer.cues import column_of
from models.summarizer.terms import PSEUDONYM


def tabled_tasks(redacted: RedactedTranscript) -> tuple[ActionItem, ...]:
    """Return the tasks of tables that have columns of owners, of tasks and of dates, in order.

    The text of each is its cell, word for word. Rows with more or fewer cells than the head are
    left out: readers of documents drop empty cells, so that nobody knows what the others are.
    """
    tables = groupby(redacted.segments, key=lambda segment: segment.form == "row")
    return tuple(task for is_table, rows in tables if is_table for task in _tasks(list(rows)))


def _tasks(rows: Sequence[RedactedSegment]) -> Iterator[ActionItem]:
    columns = [column_of(cell) for cell in _cells(rows[0])]
    if not {"owner", "task", "due"} <= set(columns) or len(set(columns)) < len(columns):
        return
    for row in rows[1:]:
        cells = dict(zip(columns, _cells(row), strict=False))
        if len(_cells(row)) == len(columns):
            yield ActionItem(
                text=cells["task"],
                citations=(row.id,),
                owner=cells["owner"] if PSEUDONYM.fullmatch(cells["owner"]) else None,
                due=cells["due"] if any(map(str.isalnum, cells["due"])) else None,
            )


def _cells(row: RedactedSegment) -> list[str]:
    return [cell.strip() for cell in row.text.split(BETWEEN_CELLS)]
