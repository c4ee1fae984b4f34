"""Which processes went without a lease, and from when to when.

That explains why others took their work: they were stopped or cut off, or the machine was so busy
that they did not come to renew it.
"""

import time

import sqlalchemy as sa

from pipeline.engine import journal
from tests.chaos.books import pid_of
from tests.chaos.crew import Disturbance
from tests.chaos.worker import SETTINGS

_LOOK_S = 0.5  # several times between two renewals, so that each is seen


class Lapses:
    """Looks at the leases again and again; `found` are the times between end and renewal."""

    def __init__(self, database: sa.Engine) -> None:
        self.found: list[Disturbance] = []
        self._database = database
        self._ends: dict[str, float] = {}
        self._looked = 0.0

    def look(self) -> None:
        """Look at all leases, unless it was done just now or the database is away."""
        if time.monotonic() - self._looked < _LOOK_S:
            return
        self._looked = time.monotonic()
        c = journal.lease_table.c
        try:
            with self._database.connect() as connection:
                rows = connection.execute(sa.select(c.executor, c.expires_at)).all()
        except sa.exc.DBAPIError:
            return
        for executor, ends in rows:
            renewed_at, ended = ends - SETTINGS.lease_s, self._ends.get(executor, ends)
            if renewed_at > ended:
                pid = pid_of({"executor": executor})
                self.found.append(Disturbance("lease lapsed", pid, ended, renewed_at))
            self._ends[executor] = ends
