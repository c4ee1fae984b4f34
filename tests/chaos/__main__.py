"""`make chaos`: processes and servers die at random, and nothing of what was promised is broken."""

import argparse
import faulthandler
import secrets
import sys

_SHORTEST_S, _LONGEST_S = 20.0, 300.0
_TOO_LONG_S = 300.0  # beyond its time: then something hangs, and where is shown


def parse() -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, help="repeat the faults and instances of this run")
    parser.add_argument("--duration", type=float, default=_LONGEST_S, help="seconds in all")
    parser.add_argument("--calm", action="store_true", help="let nothing go wrong")
    given = parser.parse_args()
    if not _SHORTEST_S <= given.duration <= _LONGEST_S:
        parser.error(f"a run takes {_SHORTEST_S:.0f} to {_LONGEST_S:.0f} seconds")
    return given


def tell(text: str) -> None:
    """Print at once, also into a pipe."""
    print(text, flush=True)  # noqa: T201 - a command


def main() -> int:
    """Run, print the report, and return 1 where something does not hold."""
    given = parse()
    seed = secrets.randbelow(1_000_000) if given.seed is None else given.seed
    tell(f"seed {seed}, {given.duration:.0f} s")
    faulthandler.dump_traceback_later(given.duration + _TOO_LONG_S, exit=True)
    from tests.chaos.run import Terms, run

    report = run(Terms(seed, given.duration, given.calm), tell)
    tell("\n".join(report.lines()))
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
