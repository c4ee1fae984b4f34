"""The engine's history as people read it: steps in order, and those still to come."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from configs.clock import utc_now
from configs.errors import NotFoundError
from models.documents import Coverage
from pipeline.commands import App, is_document
from pipeline.run_report import StepLine
from pipeline.workflow import ProcessSource
from review_ui.run_contexts import ProgressView, StepView
from storage.refs import instance_id
from storage.statuses import FINISHED
from storage.tables import Run

BOOKKEEPING = frozenset({"plan_summary", "review_terms", "close_review", "end_without_speech"})
"""Steps that take no time and tell a reader nothing."""

_SPEECH = ("probe", "transcribe", "join_transcript", "anonymize", "bleep")
_DOCUMENT = ("probe", "extract", "anonymize")
_REST = (
    "summarize",
    "validate_summary",
    "render",
    "check_quality",
    "request_review",
    "await_decision",
    "publish",
    "notify",
)
_INSTEAD = {"carry_summary": frozenset({"summarize", "validate_summary"})}
"""Steps that are not still to come where another has been taken in their place."""


def history_of(app: App, run: Run) -> Sequence[StepLine]:
    """Return the history of the newest revision's instance; empty where the engine has none."""
    instances = app.engine.workflows.for_tenant(run.tenant).get(ProcessSource.name)
    try:
        return instances.get(instance_id(run.id, run.revision)).history()
    except NotFoundError:
        return ()


def progress_view(run: Run, history: Sequence[StepLine], begins_at: str) -> ProgressView:
    """Return the live part of the run page.

    Args:
        run: the run.
        history: of its newest revision.
        begins_at: the first step of that revision; earlier ones were taken over.
    """
    now = utc_now()
    counts = Counter(line.name for line in history)
    steps = [
        _step(line, now, many=counts[line.name] > 1)
        for line in history
        if line.name not in BOOKKEEPING
    ]
    finished = run.status in FINISHED
    if not finished:
        steps += [_pending(name) for name in _to_come(run, {s.name for s in steps}, begins_at)]
    return ProgressView(
        run_id=run.id,
        status=run.status.value,
        steps=steps,
        done=sum(step.status == "succeeded" for step in steps),
        total=len(steps),
        coverage=Coverage.model_validate(run.coverage),
        error_code=run.error_code,
        error_message=run.error_message,
        finished=finished,
        digest=progress_digest(run, history),
    )


def progress_digest(run: Run, history: Sequence[StepLine]) -> str:
    """Return a short hash that changes when there is something new to show."""
    lines = [(s.name, s.count, s.status, s.attempts) for s in history]
    state = repr((run.status.value, run.revision, sorted(run.coverage), lines))
    return hashlib.sha256(state.encode()).hexdigest()[:16]


def _step(line: StepLine, now: datetime, *, many: bool) -> StepView:
    ended = line.ended_at or (now if line.status in {"running", "retrying"} else None)
    duration = (ended - line.started_at).total_seconds() if ended and line.started_at else None
    return StepView(
        name=line.name,
        count=line.count,
        many=many,
        status=str(line.status),
        attempts=line.attempts,
        started_at=line.started_at,
        ended_at=line.ended_at,
        duration_s=None if line.name == "await_decision" else duration,
        error_code=line.error_code,
        waiting_until=getattr(line, "waiting_until", None),
    )


def _pending(name: str) -> StepView:
    return StepView(name, 1, False, "pending", 0, None, None, None, None)


def _to_come(run: Run, seen: set[str], begins_at: str) -> list[str]:
    plan = (_DOCUMENT if is_document(run.media_type) else _SPEECH) + _REST
    begin = plan.index(begins_at) if begins_at in plan else 0
    last = max((plan.index(name) for name in seen if name in plan), default=begin - 1)
    past = seen.union(*(_INSTEAD.get(name, ()) for name in seen))
    return [name for name in plan[max(begin, last + 1) :] if name not in past]
