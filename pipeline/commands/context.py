"""Who asks, what commands work with, and how they become one transaction."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import sqlalchemy as sa
from sqlmodel import Session

from configs.errors import DatabaseBusyError, InputError, NotFoundError, PolicyError
from pipeline.engine import Engine
from pipeline.engine.handles import Instance
from pipeline.workflow import ProcessSource
from storage import runs
from storage.artifacts import ArtifactStore
from storage.database import transaction
from storage.policy import Actor as PolicyActor
from storage.policy import ReviewPolicy
from storage.statuses import Role
from storage.tables import Revision, Run

ResultT = TypeVar("ResultT")

_TRIES = 5
_WHOLE_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Actor:
    """Who asks, and through what (`web`, `api`, `cli`)."""

    user_id: str
    name: str
    role: Role
    tenant: str | None
    channel: str

    @property
    def in_policy(self) -> PolicyActor:
        """The actor as the storage's policy knows it."""
        return PolicyActor(self.user_id, self.role, self.tenant)


@dataclass(frozen=True)
class App:
    """What the commands work with; made by the composition root.

    `review_policy` knows every tenant that has runs; `templates` (names of summary templates) only
    those that can have new ones, which `has_tenant` tells from those whose file is gone.
    """

    database: sa.Engine
    store: ArtifactStore
    engine: Engine
    review_policy: Callable[[str], ReviewPolicy]
    max_upload_bytes: int
    templates: Callable[[str], Sequence[str]]
    has_tenant: Callable[[str], bool]


def visible_run(session: Session, actor: Actor, run_id: str) -> Run:
    """Return a run of the actor's tenant.

    Raises:
        NotFoundError: there is none, or it is another tenant's (not retryable).
    """
    run = runs.get_run(session, run_id)
    if not actor.in_policy.serves(run.tenant):
        raise NotFoundError("There is no run with this id.", {"run": run_id[:100]})
    return run


def require_whole_hash(sha256: str) -> None:
    """Refuse what is no review hash at all, before it is taken for one that has changed.

    Raises:
        InputError: not retryable.
    """
    if not _WHOLE_HASH.fullmatch(sha256):
        raise InputError("Give all 64 digits of the review hash; the pages show its beginning.")


def require(actor: Actor, role: Role) -> None:
    """Refuse an actor below a role.

    Raises:
        PolicyError: not retryable.
    """
    if not actor.in_policy.has_role(role):
        raise PolicyError(f"This needs the role {role.value}.", {"reason": "role"})


def instance_of(app: App, session: Session, revision: Revision) -> Instance:
    """Return the engine instance that works on a revision."""
    tenant = runs.get_run(session, revision.run_id).tenant
    return app.engine.workflows.for_tenant(tenant).get(ProcessSource.name).get(revision.instance_id)


def in_transaction(app: App, work: Callable[[Session], ResultT]) -> ResultT:
    """Run a command's transaction; a deadlock with a turn's commit is tried again.

    Raises:
        DatabaseBusyError: it stayed busy (retryable).
    """
    for _ in range(_TRIES - 1):
        try:
            with transaction(app.database) as session:
                return work(session)
        except DatabaseBusyError:
            continue
    with transaction(app.database) as session:
        return work(session)
