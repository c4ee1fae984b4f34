"""What a turn costs, by the number of steps that have ended before it."""

from collections.abc import Sequence

from tests.bench.contestants import SERVER, host, measured
from tests.bench.replays import Replays
from tests.bench.report import Row, Section


def measure(kind: str, lengths: Sequence[int]) -> Section:
    """Measure turns with these lengths of history, on `sqlite` or `postgresql`."""
    given = ",".join(map(str, lengths))
    with host(kind) as where:
        found = Replays(**measured("replays", url=where.new(), lengths=given))
    shortest, longest = found.processor_s[0], found.processor_s[-1]
    each_ms = (longest - shortest) / (lengths[-1] - lengths[0]) * 1000
    return Section(
        f"A turn over its history on {kind}",
        [
            Row(
                f"a turn over {length} ended steps (ratio: to {lengths[0]})",
                _ms(wall_s, processor_s),
                "",
                processor_s / shortest,
            )
            for length, wall_s, processor_s in zip(
                lengths, found.wall_s, found.processor_s, strict=True
            )
        ],
        [
            (
                "one turn: read the journal, run to where it stood, take the event that came, end; "
                "the median of five instances, the turns one after the other, the queue not "
                "counted. DBOS keeps what waits in memory: it replays after a crash only."
            ),
            f"each ended step adds {each_ms:.3f} ms of processor time to a turn. {SERVER}",
        ],
    )


def _ms(wall_s: float, processor_s: float) -> str:
    return f"{wall_s * 1000:.1f} ms ({processor_s * 1000:.1f} ms of processor)"
