"""What people and programs do with instances: create them, look, send events, operate them."""

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlmodel import Session

from configs import clock
from pipeline.engine import codec, instances, lifecycle, views, waits
from pipeline.engine.definitions import Workflow, output_type, params_type
from pipeline.engine.dispatch import Dispatcher
from pipeline.engine.errors import EngineError
from pipeline.engine.instances import Creation
from pipeline.engine.journal import StepKey
from pipeline.engine.names import check_id
from pipeline.engine.params import read_params
from pipeline.engine.retries import Duration, seconds
from pipeline.engine.settings import EngineSettings
from pipeline.engine.views import (
    AttemptHistory,
    EventHistory,
    InstanceStatus,
    Selection,
    StepHistory,
)
from storage.database import reading, transaction

T = TypeVar("T")
DEFAULT_TENANT = "default"


@dataclass(frozen=True)
class Access:
    """What the handles need of an engine."""

    database: sa.Engine
    dispatcher: Callable[[], Dispatcher]
    settings: EngineSettings
    workflows: Mapping[str, Workflow[Any]]

    def write(self, session: Session | None, work: Callable[[Session], T]) -> T:
        """Run `work` in the caller's transaction, or in one of its own."""
        if session is not None:
            return work(session)
        with transaction(self.database) as own:
            return work(own)

    def read(self, session: Session | None, work: Callable[[Session], T]) -> T:
        """Run `work` in the caller's transaction, or in a reading session of its own."""
        if session is not None:
            return work(session)
        with reading(self.database) as own:
            return work(own)


class Instance:
    """One instance of a workflow. `session`: take part in the caller's transaction."""

    def __init__(self, access: Access, workflow: Workflow[Any], id_: str) -> None:
        self._access, self._workflow, self.id = access, workflow, id_

    def status(self, session: Session | None = None) -> InstanceStatus:
        """Return where the instance stands.

        Raises:
            InstanceNotFoundError: no such instance of this workflow (not retryable).
        """
        name, output = self._workflow.name, output_type(self._workflow)
        return self._access.read(session, lambda s: views.status(s, name, self.id, output))

    def history(
        self, session: Session | None = None, *, every_generation: bool = False
    ) -> list[StepHistory]:
        """Return the steps in the order in which they were first started.

        Args:
            session: The transaction to take part in.
            every_generation: Those of before a restart, too.
        """
        read = partial(views.history, id_=self.id, every_generation=every_generation)
        return self._access.read(session, read)

    def attempts(self, session: Session | None = None) -> list[AttemptHistory]:
        """Return every attempt of every step, oldest first."""
        return self._access.read(session, partial(views.attempts, id_=self.id))

    def events(self, session: Session | None = None) -> list[EventHistory]:
        """Return the events that it was sent, oldest first, without their payloads."""
        return self._access.read(session, partial(views.events, id_=self.id))

    def send_event(
        self,
        type: str,  # noqa: A002 - its name in the interface
        payload: object = None,
        key: str | None = None,
        session: Session | None = None,
    ) -> bool:
        """Send an event: it is waited for now or later, first in, first out.

        Args:
            type: 1 to 100 of `[A-Za-z0-9_-]`, first not `-`.
            payload: JSON, 1 MiB at most.
            key: A repeated send with the same key is one event.
            session: The transaction to take part in.

        Returns:
            False where the key was used before.

        Raises:
            InstanceNotFoundError: no such instance (not retryable).
            InstanceEndedError: it has ended (not retryable).
        """
        check_id(type, "the event type")
        access = self._access
        return access.write(
            session,
            lambda s: waits.send_event(
                s, access.dispatcher(), self.id, type, payload, key, access.settings
            ),
        )

    def pause(self, session: Session | None = None) -> bool:
        """Let what runs come to its end and hold the rest; deadlines do not move.

        Returns:
            False where it is paused, or about to be, already.

        Raises:
            InstanceNotFoundError, InstanceStateError: it has ended or rolls back (not retryable).
        """
        return self._operate(session, lifecycle.pause)

    def resume(self, session: Session | None = None) -> bool:
        """Let a paused instance go on; what came due in the meantime is due at once.

        Returns:
            False where it was not paused.

        Raises:
            InstanceNotFoundError, InstanceStateError: it has ended (not retryable).
        """
        return self._operate(session, lifecycle.resume)

    def restart(
        self, from_step: StepKey | tuple[str, int] | None = None, session: Session | None = None
    ) -> None:
        """Run it again under its id, whatever its status.

        Args:
            from_step: (name, count) of the first step that is done again; what had ended of the
                steps begun before it is kept. None: from the beginning.
            session: The transaction to take part in.

        Raises:
            InstanceNotFoundError, StepNotFoundError: there is none (not retryable).
        """
        step = StepKey("", *from_step) if isinstance(from_step, tuple) else from_step
        self._operate(session, partial(lifecycle.restart, from_step=step))

    def terminate(self, *, rollback: bool = False, session: Session | None = None) -> bool:
        """End the instance; running work is killed and nothing late changes anything.

        Args:
            rollback: Undo first what its steps did, in reverse order; it ends after that.
            session: The transaction to take part in.

        Returns:
            False where it had ended already.

        Raises:
            InstanceNotFoundError: no such instance (not retryable).
        """
        return self._operate(session, partial(lifecycle.terminate, rollback=rollback))

    def delete(self, session: Session | None = None) -> None:
        """Delete an ended instance with all that belongs to it, its deadlines too.

        Raises:
            InstanceNotFoundError, InstanceStateError: it has not ended (not retryable).
        """
        deadlines = self._operate(session, lifecycle.delete)
        forget = partial(self._access.dispatcher().forget, deadlines)
        if session is None:
            forget()
        else:
            sa.event.listen(session, "after_commit", lambda _: forget(), once=True)

    def _operate(
        self, session: Session | None, work: Callable[[Session, lifecycle.Target], T]
    ) -> T:
        target = lifecycle.Target(self._workflow, self.id, self._access.dispatcher())
        return self._access.write(session, lambda s: work(s, target))


@dataclass(frozen=True)
class NewInstance:
    """An instance to create: as the arguments of `Instances.create`."""

    id: str | None = None
    params: object = None
    retention: Duration | None = None


class Instances:
    """The instances of one workflow that belong to one tenant."""

    def __init__(self, access: Access, workflow: Workflow[Any], tenant: str) -> None:
        self._access, self._workflow, self._tenant = access, workflow, tenant

    def create(
        self,
        id: str | None = None,  # noqa: A002 - its name in the interface
        params: object = None,
        *,
        retention: Duration | None = None,
        session: Session | None = None,
    ) -> Instance:
        """Create an instance; a worker begins it.

        Args:
            id: 1 to 100 of `[A-Za-z0-9_-]`, first not `-`; None: a new one.
            params: Of the workflow's type, as JSON 1 MiB at most.
            retention: From its end until it is deleted; None: as the engine's settings say.
            session: The transaction to take part in.

        Raises:
            InstanceExistsError: the id is in use (not retryable).
            LimitError, NotSerializableError: the parameters cannot be stored (not retryable).
        """
        return self.create_batch([NewInstance(id, params, retention)], session=session)[0]

    def create_batch(
        self, batch: Sequence[NewInstance], *, session: Session | None = None
    ) -> builtins.list[Instance]:
        """Create many instances in one transaction: all of them or none.

        Raises:
            InstanceExistsError: an id is in use, or named twice (not retryable).
            LimitError, NotSerializableError: parameters cannot be stored (not retryable).
        """
        access, workflow, tenant = self._access, self._workflow, self._tenant
        creations = [self._creation(new) for new in batch]
        if creations:
            access.write(
                session,
                lambda s: instances.create(s, access.dispatcher(), workflow, tenant, creations),
            )
        return [Instance(access, workflow, creation.id) for creation in creations]

    def _creation(self, new: NewInstance) -> Creation:
        name = clock.new_id("wf") if new.id is None else new.id
        check_id(name, "the instance id")
        settings = self._access.settings
        text = codec.encode(
            new.params, params_type(self._workflow), limit=settings.max_bytes, what="parameters"
        )
        kept_s = settings.retention_s if new.retention is None else seconds(new.retention)
        return Creation(full_id(self._tenant, name), name, text, kept_s)

    def create_json(
        self,
        id: str | None,  # noqa: A002 - its name in the interface
        params: object,
        *,
        session: Session | None = None,
    ) -> Instance:
        """Create an instance from parameters as plain JSON, as command line and API are given them.

        Raises:
            InputError: they do not fit the workflow; it names the fields (not retryable).
            InstanceExistsError: the id is in use (not retryable).
        """
        return self.create(id, read_params(params, self._workflow), session=session)

    def get(self, id: str) -> Instance:  # noqa: A002 - its name in the interface
        """Return an instance's handle; whether it exists shows in its methods."""
        check_id(id, "the instance id")
        return Instance(self._access, self._workflow, full_id(self._tenant, id))


def full_id(tenant: str, name: str) -> str:
    """Return the id by which an instance is known everywhere: plain for the default tenant."""
    return name if tenant == DEFAULT_TENANT else f"{tenant}.{name}"


class Workflows:
    """The workflows of an engine, with one tenant's instances of them."""

    def __init__(self, access: Access, tenant: str = DEFAULT_TENANT) -> None:
        self._access, self._tenant = access, tenant

    def for_tenant(self, tenant: str) -> "Workflows":
        """Return the same workflows for another tenant: ids, queues and events of its own.

        Raises:
            InvalidIdError: this is no tenant's name (not retryable).
        """
        check_id(tenant, "the tenant")
        return Workflows(self._access, tenant)

    def get(self, name: str) -> Instances:
        """Return the instances of a workflow.

        Raises:
            EngineError: no such workflow (not retryable).
        """
        workflow = self._access.workflows.get(name)
        if workflow is None:
            raise EngineError(f"There is no workflow {name!r}.", {"workflow": name})
        return Instances(self._access, workflow, self._tenant)

    def names(self) -> builtins.list[str]:
        """Return the names of the workflows known here."""
        return sorted(self._access.workflows)

    def find(self, id: str) -> Instance:  # noqa: A002 - its name in the interface
        """Return an instance of whichever workflow and tenant, by its full id.

        Raises:
            InstanceNotFoundError: there is none with this id (not retryable).
            EngineError: its workflow is not known here (not retryable).
        """
        found, name = self._access.read(None, partial(views.find, id_=id))
        workflow = self._access.workflows.get(name)
        if workflow is None:
            raise EngineError(f"There is no workflow {name!r}.", {"workflow": name})
        return Instance(self._access, workflow, found)

    def list(
        self, workflow: str | None = None, selection: Selection | None = None
    ) -> builtins.list[InstanceStatus]:
        """Return instances of the workflows known here, of all tenants, newest first."""
        names = [workflow] if workflow is not None else list(self._access.workflows)
        outputs = {
            name: output_type(self._access.workflows[name])
            for name in names
            if name in self._access.workflows
        }
        chosen = selection or Selection()
        return self._access.read(None, partial(views.listed, outputs=outputs, selection=chosen))
