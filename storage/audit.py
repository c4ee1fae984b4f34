"""The audit log, in which each event holds the hash of the one before.

No event can be changed, dropped or slipped in unnoticed. Details are ids, hashes, codes and
numbers; never text of a recording, a comment or a reason.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from configs.errors import IntegrityError
from models.documents import canonical_json
from storage.database import database_now, lock
from storage.tables import AuditEvent, AuditHead, JsonObject

_START = "0" * 64


@dataclass(frozen=True)
class AuditReport:
    """What `verify` found: `broken_at` is the first sequence number that does not fit, if any."""

    ok: bool
    events: int
    broken_at: int | None = None
    detail: str = ""


def append(
    session: Session, *, actor_id: str, action: str, run_id: str | None, details: JsonObject
) -> AuditEvent:
    """Append an event; when that fails, the caller's whole transaction fails.

    Writers queue on the head of the log until their transactions end: append last.

    Args:
        session: the transaction of what is recorded.
        actor_id: the person, or `system`.
        action: what happened, dotted and in the past tense (`review.approved`).
        run_id: the run it happened to, if any.
        details: ids, hashes, codes and numbers.

    Raises:
        IntegrityError: the head of the log is missing although there are events (not retryable).
    """
    head = _locked_head(session)
    event = AuditEvent(
        sequence=head.sequence + 1,
        at=database_now(session),
        actor_id=actor_id,
        action=action,
        run_id=run_id,
        details=details,
        previous=head.sha256,
        sha256="",
    )
    event.sha256 = _hash(event)
    head.sequence, head.sha256 = event.sequence, event.sha256
    session.add(event)
    session.add(head)
    session.flush()
    return event


def verify(session: Session) -> AuditReport:
    """Recompute the whole chain and compare its end with the head."""
    previous, sequence = _START, 0
    for event in _events(session):
        sequence += 1
        if event.sequence != sequence:
            return AuditReport(False, sequence - 1, sequence, "an event is missing")
        if event.previous != previous or event.sha256 != _hash(event):
            return AuditReport(False, sequence - 1, sequence, "an event was changed")
        previous = event.sha256
    head = session.get(AuditHead, 1)
    if (head.sequence, head.sha256) != (sequence, previous) if head else sequence > 0:
        return AuditReport(False, sequence, sequence + 1, "the end of the log is missing")
    return AuditReport(True, sequence)


def export(session: Session, run_id: str | None = None) -> Iterator[dict[str, object]]:
    """Yield events in order as JSON-able objects, all of them or those of one run."""
    for event in _events(session, run_id):
        yield {**_content(event), "sha256": event.sha256}


def _locked_head(session: Session) -> AuditHead:
    session.flush()
    head = lock(session, AuditHead, 1)
    if head is not None:
        return head
    if session.exec(select(sa.func.count()).select_from(AuditEvent)).one():
        raise IntegrityError("The audit log has lost its head; nothing can be recorded.")
    head = AuditHead(id=1, sequence=0, sha256=_START)
    session.add(head)
    session.flush()
    return head


def _events(session: Session, run_id: str | None = None) -> Iterator[AuditEvent]:
    query = select(AuditEvent).order_by(col(AuditEvent.sequence))
    if run_id is not None:
        query = query.where(AuditEvent.run_id == run_id)
    yield from session.exec(query.execution_options(yield_per=500))


def _content(event: AuditEvent) -> dict[str, object]:
    return {
        "sequence": event.sequence,
        "at": _iso(event.at),
        "actor_id": event.actor_id,
        "action": event.action,
        "run_id": event.run_id,
        "details": event.details,
        "previous": event.previous,
    }


def _iso(at: datetime) -> str:
    return at.isoformat(timespec="microseconds")


def _hash(event: AuditEvent) -> str:
    return hashlib.sha256(canonical_json(_content(event))).hexdigest()
