"""What a batch would do: everything is checked here once, before anything is changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import sqlalchemy as sa
from sqlmodel import Session

from configs.errors import AppError, InputError, NotApplicableError
from pipeline import commands
from pipeline.commands import Actor
from storage import revisions, runs
from storage.database import reading
from storage.selection import parse_selection, select_runs
from storage.tables import Run

# The first step whose result a group of settings can change; other groups change no result.
FIRST_STEP = {
    "asr": "transcribe",
    "llm": "summarize",
    "summary": "summarize",
    "quality": "check_quality",
    "review": "request_review",
}
_ORDER = (
    "probe",
    "extract",
    "transcribe",
    "anonymize",
    "bleep",
    "summarize",
    "render",
    "check_quality",
    "request_review",
)

TenantCheck = Callable[[str, Mapping[str, object]], None]
"""Takes a tenant and a revision's overrides; raises where no settings come of them."""


@dataclass(frozen=True)
class Change:
    """The one variable of an experiment: a setting's dotted name and its new value.

    A prompt's value is its hash; its text goes into the database with the batch.
    """

    variable: str
    value: str
    prompt: str | None = None


@dataclass(frozen=True)
class Skipped:
    """A selected run that the batch leaves alone, and why."""

    run_id: str
    reason: str
    message: str

    def as_dict(self) -> dict[str, object]:
        """Return what is recorded and printed of it."""
        return {"run": self.run_id, "reason": self.reason, "message": self.message}


@dataclass(frozen=True)
class Plan:
    """What a batch would do, and which of the selected runs it would leave alone."""

    selection: str
    from_step: str
    change: Change
    run_ids: tuple[str, ...]
    skipped: tuple[Skipped, ...] = field(default=())


def plan(
    database: sa.Engine,
    actor: Actor,
    selection: str,
    from_step: str,
    change: Change,
    allows: TenantCheck,
) -> Plan:
    """Find the runs of a batch; nothing is changed.

    Args:
        database: the application's.
        actor: who asks; runs of other tenants are skipped.
        selection: which runs.
        from_step: the first step that runs again.
        change: the one variable.
        allows: refuses settings that a tenant cannot have.

    Raises:
        InputError: the selection cannot be read, there is no such step, or the change has no effect
            from that step on (not retryable).
    """
    commands.require_known(from_step)
    needed = FIRST_STEP[change.variable.partition(".")[0]]
    if _ORDER.index(from_step) > _ORDER.index(needed):
        raise InputError(
            f"{change.variable} changes {needed}, which would not run again from {from_step}."
        )
    chosen, skipped = [], []
    with reading(database) as session:
        for run_id in select_runs(session, parse_selection(selection)):
            try:
                _require_fit(session, actor, runs.get_run(session, run_id), from_step, change)
                allows(*_settings_of(session, run_id, change))
            except AppError as error:
                reason = str(error.details.get("reason", error.code))
                skipped.append(Skipped(run_id, reason, error.message))
            else:
                chosen.append(run_id)
    return Plan(selection, from_step, change, tuple(chosen), tuple(skipped))


def _require_fit(session: Session, actor: Actor, run: Run, from_step: str, change: Change) -> None:
    """Refuse a run that cannot begin there, or that the change cannot touch."""
    if not actor.in_policy.serves(run.tenant):
        raise NotApplicableError("It is another tenant's.", {"reason": "tenant"})
    commands.require_beginning(session, run, from_step)
    commands.require_has(run, FIRST_STEP[change.variable.partition(".")[0]])


def _settings_of(session: Session, run_id: str, change: Change) -> tuple[str, dict[str, object]]:
    before = revisions.latest_revision(session, run_id)
    tenant = runs.get_run(session, run_id).tenant
    return tenant, {**before.overrides, change.variable: change.value}
