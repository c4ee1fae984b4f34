"""Three minutes in which processes and servers die."""

import subprocess
import sys

import pytest

DURATION_S = 180
SEED = 715410  # `make chaos` draws new ones


@pytest.mark.timeout(900)  # it takes its three minutes; a loaded machine may need long to drain
def test_chaos_when_everything_goes_wrong_for_three_minutes_then_every_invariant_holds() -> None:
    what = ["--seed", str(SEED), "--duration", str(DURATION_S)]
    command = [sys.executable, "-m", "tests.chaos", *what]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
