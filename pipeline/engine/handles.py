"""What people and programs do with instances: create, look, send events, terminate."""

import builtins
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlmodel import Session

from configs import clock
from configs.errors import InputError
from pipeline.engine import codec, instances, waits
from pipeline.engine.definitions import Workflow, output_type, params_type
from pipeline.engine.dispatch import Dispatcher
from pipeline.engine.errors import EngineError, NotSerializableError
from pipeline.engine.instances import AttemptHistory, InstanceStatus, StepHistory
from pipeline.engine.names import check_id
from pipeline.engine.settings import EngineSettings
from storage.database import reading, transaction

T = TypeVar("T")


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
        return self._access.read(session, lambda s: instances.status(s, name, self.id, output))

    def history(self, session: Session | None = None) -> list[StepHistory]:
        """Return the steps in the order in which they were first started."""
        return self._access.read(session, partial(instances.history, id_=self.id))

    def attempts(self, session: Session | None = None) -> list[AttemptHistory]:
        """Return every attempt of every step, oldest first."""
        return self._access.read(session, partial(instances.attempts, id_=self.id))

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

    def terminate(self, session: Session | None = None) -> bool:
        """End the instance; running work is killed and nothing late changes anything.

        Returns:
            False where it had ended already.

        Raises:
            InstanceNotFoundError: no such instance (not retryable).
        """
        workflow, id_ = self._workflow, self.id
        return self._access.write(session, lambda s: instances.terminate(s, workflow, id_))


class Instances:
    """The instances of one workflow."""

    def __init__(self, access: Access, workflow: Workflow[Any]) -> None:
        self._access, self._workflow = access, workflow

    def create(
        self,
        id: str | None = None,  # noqa: A002 - its name in the interface
        params: object = None,
        *,
        tenant: str = "default",
        session: Session | None = None,
    ) -> Instance:
        """Create an instance; a worker begins it.

        Args:
            id: 1 to 100 of `[A-Za-z0-9_-]`, first not `-`; None: a new one.
            params: Of the workflow's type, as JSON 1 MiB at most.
            tenant: Whose it is.
            session: The transaction to take part in.

        Raises:
            InstanceExistsError: the id is in use (not retryable).
            LimitError, NotSerializableError: the parameters cannot be stored (not retryable).
        """
        access, workflow = self._access, self._workflow
        id_ = clock.new_id("wf") if id is None else id
        check_id(id_, "the instance id")
        check_id(tenant, "the tenant")
        limit = access.settings.max_bytes
        text = codec.encode(params, params_type(workflow), limit=limit, what="parameters")
        access.write(
            session,
            lambda s: instances.create(s, access.dispatcher(), workflow, id_, tenant, text),
        )
        return Instance(access, workflow, id_)

    def create_json(
        self,
        id: str | None,  # noqa: A002 - its name in the interface
        params: object,
        *,
        tenant: str = "default",
    ) -> Instance:
        """Create an instance from parameters as plain JSON, as command line and API are given them.

        Raises:
            InputError: they do not fit the workflow (not retryable).
            InstanceExistsError: the id is in use (not retryable).
        """
        try:
            typed = codec.decode(json.dumps(params), params_type(self._workflow))
        except NotSerializableError as error:
            raise InputError(
                f"The parameters do not fit the workflow {self._workflow.name}.", error.details
            ) from None
        return self.create(id, typed, tenant=tenant)

    def get(self, id: str) -> Instance:  # noqa: A002 - its name in the interface
        """Return an instance's handle; whether it exists shows in its methods."""
        return Instance(self._access, self._workflow, id)


class Workflows:
    """The workflows of an engine."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def get(self, name: str) -> Instances:
        """Return the instances of a workflow.

        Raises:
            EngineError: no such workflow (not retryable).
        """
        workflow = self._access.workflows.get(name)
        if workflow is None:
            raise EngineError(f"There is no workflow {name!r}.", {"workflow": name})
        return Instances(self._access, workflow)

    def find(self, id: str) -> Instance:  # noqa: A002 - its name in the interface
        """Return an instance of whichever workflow.

        Raises:
            InstanceNotFoundError: there is none with this id (not retryable).
            EngineError: its workflow is not known here (not retryable).
        """
        name = self._access.read(None, partial(instances.workflow_of, id_=id))
        return self.get(name).get(id)

    def list(
        self, workflow: str | None = None, status: str | None = None, limit: int = 50
    ) -> builtins.list[InstanceStatus]:
        """Return instances of the workflows known here, newest first."""
        names = [workflow] if workflow is not None else list(self._access.workflows)
        outputs = {
            name: output_type(self._access.workflows[name])
            for name in names
            if name in self._access.workflows
        }
        return self._access.read(
            None, partial(instances.recent, outputs=outputs, state=status, limit=limit)
        )
