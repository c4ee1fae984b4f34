"""Searching what is published: approved, redacted text, and nothing else."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from storage import runs
from storage.statuses import RunStatus
from storage.tables import Publication, PublishedText, Run

_LONGEST_EXCERPT = 300
_BEFORE = 100  # characters of a long line that an excerpt shows before the word


@dataclass(frozen=True)
class Hit:
    """A publication that holds every word; `excerpt` is of the first line that holds one."""

    publication: Publication
    title: str
    excerpt: str


def keep_published_text(session: Session, run_id: str, revision: int, lines: Sequence[str]) -> None:
    """Keep the text of a publication, its title first; a repeated call replaces its own.

    It is found once the publication is recorded.

    Raises:
        ErasedError: the run has been erased (not retryable).
        NotFoundError: there is no such run (not retryable).
    """
    runs.require_there(runs.lock_run(session, run_id))
    text = "\n".join(" ".join(line.split()).replace("\0", "") for line in lines)
    row = PublishedText(run_id=run_id, revision=revision, text=text, folded=_folded(text))
    session.merge(row)
    session.flush()


def search_published(
    session: Session,
    words: str,
    *,
    tenant: str | None = None,
    uploader_id: str | None = None,
    limit: int = 50,
) -> list[Hit]:
    """Return what is live and holds every word, however it is written, the newest first.

    Args:
        session: a reading session.
        words: apart by spaces; part of a word will do.
        tenant: only this tenant's.
        uploader_id: only what this person uploaded.
        limit: at most so many.
    """
    wanted = _folded(words).split()
    query = (
        select(Publication, PublishedText.text)
        .join(Run, col(Run.id) == Publication.run_id)
        .join(
            PublishedText,
            sa.and_(
                col(PublishedText.run_id) == Publication.run_id,
                col(PublishedText.revision) == Publication.revision,
            ),
        )
        .where(Run.status != RunStatus.ERASED, col(Publication.revision) == _live())
        .where(*(col(PublishedText.folded).contains(word, autoescape=True) for word in wanted))
    )
    if tenant is not None:
        query = query.where(Run.tenant == tenant)
    if uploader_id is not None:
        query = query.where(Run.uploader_id == uploader_id)
    found = session.exec(query.order_by(col(Publication.published_at).desc()).limit(limit))
    return [_hit(publication, text, wanted) for publication, text in found]


def forget_published_text(session: Session, run_id: str) -> None:
    """Delete the texts of a run."""
    session.exec(sa.delete(PublishedText).where(col(PublishedText.run_id) == run_id))


def _live() -> sa.ScalarSelect[int]:
    """Return the newest published revision of the run that a query is at."""
    newer = aliased(Publication)
    newest = sa.select(sa.func.max(col(newer.revision)))
    newest = newest.where(col(newer.run_id) == col(Publication.run_id))
    return newest.correlate(Publication).scalar_subquery()


def _hit(publication: Publication, text: str, wanted: Sequence[str]) -> Hit:
    lines = text.split("\n")
    holding = (line for line in lines if any(word in _folded(line) for word in wanted))
    return Hit(publication, lines[0], _excerpt(next(holding, lines[0]), wanted))


def _excerpt(line: str, wanted: Sequence[str]) -> str:
    """Return a line, of a long one the part around the first of the words."""
    folded = _folded(line)  # as long as the line, but for a few characters
    first = min((at for at in map(folded.find, wanted) if at >= 0), default=0)
    start = max(0, min(first - _BEFORE, len(line) - _LONGEST_EXCERPT))
    return line[start : start + _LONGEST_EXCERPT]


def _folded(text: str) -> str:
    """Return the text without what makes no difference: case, width, composed forms."""
    return unicodedata.normalize("NFKC", text).casefold()
