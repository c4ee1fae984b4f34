"""Very many queued instances of one tenant: what others wait, and what looking at them costs."""

import statistics
from dataclasses import dataclass

import sqlalchemy as sa

from configs.clock import monotonic_s
from storage.database import create_database
from tests.bench.backlogged import SOURCE, TENANT, Worked
from tests.bench.cloning import clone
from tests.bench.contestants import SERVER, Host, host, measured
from tests.bench.report import Row, Section

_FEW = 2_000
_FRESH = 20
_GIB = 1024**3


@dataclass(frozen=True)
class Backlog:
    """A database with so many queued, and what a worker did in it."""

    count: int
    made_s: float
    size_bytes: int
    worked: Worked


def measure(queued: int) -> Section:
    """Let a worker take from a queue of so many, and from one of few, on PostgreSQL."""
    with host("postgresql") as where:
        few, many = (_worked(where, count) for count in (_FEW, queued))
    return Section(
        f"{queued} queued instances on postgresql (theirs: ours, with {_FEW})",
        [
            _seconds(f"another tenant's fresh instance to its end, {name}", many, few, quantile)
            for name, quantile in (("median", 0.5), ("longest", 1.0))
        ]
        + [
            _row("instances of the flood ended, a second", many.worked.rate, few.worked.rate),
            _row(
                "processor time of the worker for each, ms",
                many.worked.processor_s * 1000,
                few.worked.processor_s * 1000,
            ),
            _row(
                "processor time of the server for each, ms",
                many.worked.server_s * 1000,
                few.worked.server_s * 1000,
            ),
            _row(
                "a look at the queue waits for the database, ms",
                many.worked.look_s * 1000,
                few.worked.look_s * 1000,
            ),
        ],
        [
            (
                "simulated: the queued instances of the flood are rows, copied in the database "
                f"from one that was made ({many.made_s:.0f} s, {many.size_bytes / _GIB:.1f} GiB). "
                "Measured: everything else; the worker takes them, and runs their one step."
            ),
            (
                f"{_FRESH} fresh instances, one after the other at random moments, while the "
                "worker is busy with the flood. A look: who has queued turns, and taking up to 16 "
                f"of them; the server's processor time includes its upkeep. {SERVER}"
            ),
        ],
    )


def _worked(where: Host, count: int) -> Backlog:
    url = where.new()
    measured("backlogged", "make", url=url)
    began_s = monotonic_s()
    clone(url, [f"{TENANT}.{SOURCE}"], count - 1)
    made_s = monotonic_s() - began_s
    told = measured("backlogged", "work", url=url, fresh=_FRESH, server=where.server)
    return Backlog(count, made_s, _size_bytes(url), Worked(**told))


def _size_bytes(url: str) -> int:
    database = create_database(url)
    size = sa.select(sa.func.pg_database_size(sa.func.current_database()))
    with database.connect() as connection:
        found = int(connection.execute(size).scalar_one())
    database.dispose()
    return found


def _seconds(what: str, many: Backlog, few: Backlog, quantile: float) -> Row:
    of = statistics.median if quantile < 1 else max
    mine, others = of(many.worked.fresh_s), of(few.worked.fresh_s)
    return Row(what, f"{mine:.2f} s", f"{others:.2f} s", mine / others)


def _row(what: str, many: float, few: float) -> Row:
    return Row(what, f"{many:.1f}", f"{few:.1f}", many / few)
